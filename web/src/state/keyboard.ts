/** The keys of the page. A key that belongs to a field, a dialog or a terminal is left alone. */
import { signal } from "@preact/signals";
import { markSeen, toggleHold } from "./actions";
import { isReadOnly } from "./live";
import { addressOf, go, route } from "./route";
import { current, neighbour, selected, setView, shown, view } from "./selection";

export const isHelpOpen = signal(false);
/** The session to which a message is being composed in the dialog. */
export const composeTo = signal<string | null>(null);

export interface Key {
  readonly keys: string;
  readonly does: string;
}

export const KEYS: readonly Key[] = [
  { keys: "j  k", does: "select the next or the previous session" },
  { keys: "Enter", does: "open the selected session" },
  { keys: "m", does: "write a message to it" },
  { keys: "H", does: "hold or release it" },
  { keys: "Space", does: "mark what it has announced as seen" },
  { keys: "/", does: "filter the sessions" },
  { keys: "t", does: "show tiles or the list" },
  { keys: "s", does: "search messages and signals" },
  { keys: "q", does: "go back to the queue" },
  { keys: "?", does: "show these keys" },
];

function belongsElsewhere(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return true;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, textarea, select, dialog, [contenteditable], .xterm")) return true;
  return (event.key === " " || event.key === "Enter") && target?.closest("button, summary, a:not([data-session])") !== null && target !== null;
}

function select(step: number): void {
  const next = neighbour(shown.value, current.value?.id ?? null, selected.value === null && step > 0 ? 0 : step);
  if (next === null) return;
  selected.value = next.id;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-session="${CSS.escape(next.id)}"]`)?.focus());
}

/** Show the composer of the page that is open, or the dialog. */
export function compose(id: string): void {
  const field = document.querySelector<HTMLTextAreaElement>(`textarea[data-composer="${CSS.escape(id)}"]`);
  if (field !== null && field.offsetParent !== null) field.focus();
  else composeTo.value = id;
}

function subject(): typeof current.value {
  const at = route.value;
  if (at.page === "session") return shown.value.find((session) => session.id === at.id) ?? null;
  return at.page === "queue" ? current.value : null;
}

function withSubject(act: (session: NonNullable<ReturnType<typeof subject>>) => void): boolean {
  const session = subject();
  if (session !== null) act(session);
  return session !== null;
}

/** What each key does; true if it did something. */
const ACTIONS: Readonly<Record<string, () => boolean>> = {
  "?": () => (isHelpOpen.value = true),
  q: () => (go(addressOf.queue), true),
  s: () => (go(addressOf.search("")), true),
  m: () => !isReadOnly.value && withSubject((session) => compose(session.id)),
  H: () => !isReadOnly.value && withSubject((session) => void toggleHold(session)),
  " ": () => withSubject(markSeen),
};

const QUEUE_ACTIONS: Readonly<Record<string, () => boolean>> = {
  j: () => (select(1), true),
  k: () => (select(-1), true),
  ArrowDown: () => (select(1), true),
  ArrowUp: () => (select(-1), true),
  t: () => (setView(view.value === "list" ? "tiles" : "list"), true),
  Enter: () => withSubject((session) => go(addressOf.session(session.id))),
  "/": () => {
    document.getElementById("filter")?.focus();
    return true;
  },
};

export function startKeyboard(): void {
  addEventListener("keydown", (event) => {
    if (belongsElsewhere(event)) return;
    const inQueue = route.value.page === "queue" ? QUEUE_ACTIONS[event.key] : undefined;
    const action = inQueue ?? ACTIONS[event.key];
    if (action?.()) event.preventDefault();
  });
}
