/** Which session is selected in the queue, and what the filter shows. */
import { computed, signal } from "@preact/signals";
import { filterSessions } from "../attention/filter";
import type { Session } from "../wire/types";
import { findSession, sessions } from "./live";

export const filter = signal("");
export const selected = signal<string | null>(null);
export const view = signal<"list" | "tiles">(localStorage.getItem("hark:view") === "tiles" ? "tiles" : "list");

export const shown = computed<Session[]>(() => filterSessions(sessions.value, filter.value));

/** The selected session; the first one of the queue if nobody has selected one. */
export const current = computed<Session | null>(() => {
  const chosen = selected.value === null ? undefined : findSession(selected.value);
  return chosen ?? shown.value[0] ?? null;
});

/** The session that stands `step` places after the current one. */
export function neighbour(list: readonly Session[], id: string | null, step: number): Session | null {
  const at = list.findIndex((session) => session.id === id);
  if (at === -1) return list[0] ?? null;
  return list[Math.min(list.length - 1, Math.max(0, at + step))] ?? null;
}

export function setView(next: "list" | "tiles"): void {
  view.value = next;
  localStorage.setItem("hark:view", next);
}
