/** Small marks: the dot and the pill of a state, the age of something. */
import type { JSX } from "preact";
import { GROUP_TITLES, type Group } from "../attention/order";
import { formatAge } from "../format/time";
import { clock } from "../state/live";

export function Dot({ group }: { group: Group }): JSX.Element {
  return (
    <span class="dot" data-group={group}>
      <span class="hidden-label">{GROUP_TITLES[group]}: </span>
    </span>
  );
}

/** The colour that a status of a message or a state of a signal has. */
const TONES: Readonly<Record<string, Group>> = {
  queued: "idle",
  held: "held",
  staged: "working",
  submitted: "working",
  acknowledged: "working",
  completed: "completed",
  interrupted: "testing",
  failed: "error",
  expired: "dead",
  cancelled: "gone",
  uncertain: "uncertain",
  dead: "dead",
  needs_input: "input",
  needs_testing: "testing",
  error: "error",
  working: "working",
};

export const toneOf = (status: string): Group => TONES[status] ?? "idle";

export function Pill({ status, children }: { status: string; children?: string }): JSX.Element {
  return (
    <span class="pill" data-group={toneOf(status)}>
      {children ?? status.replaceAll("_", " ")}
    </span>
  );
}

export function Age({ at, title }: { at: string | null; title?: string }): JSX.Element | null {
  if (at === null) return null;
  return (
    <time class="age" dateTime={at} title={`${title ? `${title} ` : ""}${new Date(at).toLocaleString()}`}>
      {formatAge(at, clock.value)}
    </time>
  );
}
