/**
 * The attention queue: which group a session belongs to, and in which order the sessions stand.
 *
 * A session stands where its most pressing need puts it. Within a group the one that has waited longest comes first. Sessions that need
 * nobody follow: those that work, those that have finished and were not looked at, those that are idle, those that are gone.
 */
import type { MessageNote, Session } from "../wire/types";
import { holdOf } from "./holds";

export const GROUPS = [
  "question",
  "input",
  "testing",
  "error",
  "held",
  "uncertain",
  "dead",
  "unreachable",
  "completed",
  "working",
  "idle",
  "gone",
] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  question: "Asks for permission",
  input: "Needs input",
  testing: "Needs testing",
  error: "Error",
  held: "Messages held",
  uncertain: "Uncertain deliveries",
  dead: "Undeliverable",
  unreachable: "Unreachable",
  completed: "Completed",
  working: "Working",
  idle: "Idle",
  gone: "Gone",
};

/** What a row says about the state of its session. */
export const GROUP_LABELS: Readonly<Record<Group, string>> = {
  question: "Asks for permission",
  input: "Needs input",
  testing: "Needs testing",
  error: "Error",
  held: "Held",
  uncertain: "Uncertain",
  dead: "Undeliverable",
  unreachable: "Unreachable",
  completed: "Finished",
  working: "Working",
  idle: "Idle",
  gone: "Gone",
};

/** The groups whose sessions wait for a human. */
export const NEEDY: ReadonlySet<Group> = new Set(GROUPS.slice(0, GROUPS.indexOf("completed")));

export interface Need {
  readonly group: Group;
  readonly since: string | null;
  readonly text: string;
}

const ANNOUNCED: Readonly<Record<string, Group>> = { needs_input: "input", needs_testing: "testing", error: "error" };

function announcedNeed(session: Session): Need | null {
  const state = session.signal_state;
  const group = state === null ? undefined : ANNOUNCED[state];
  if (group === undefined) return null;
  return { group, since: session.need_since ?? session.last_signal_at, text: session.signal_text || session.question };
}

function questionNeed(session: Session): Need | null {
  const [asked] = session.open_questions;
  if (asked !== undefined) return { group: "question", since: asked.asked_at, text: asked.text };
  if (session.need !== "permission" && session.phase !== "waiting") return null;
  return { group: "question", since: session.need_since ?? session.phase_since, text: session.question || session.waiting_for };
}

type Words = readonly [one: string, many: string];

const HELD_WORDS: Words = ["message", "messages"];

const countText = (count: number, [one, many]: Words): string => `${count} ${count === 1 ? one : many}`;

/** The instant of the note that is oldest. */
function oldest(notes: readonly MessageNote[]): string | null {
  return notes.reduce<string | null>((first, note) => (first === null || note.since < first ? note.since : first), null);
}

function heldNeed(session: Session): Need | null {
  const held = session.held.filter((note) => holdOf(note.reason).needsHuman);
  const [first] = held;
  if (first === undefined) return null;
  const isUnreachable = held.every((note) => note.reason === "unreachable");
  return {
    group: isUnreachable ? "unreachable" : "held",
    since: oldest(held),
    text: `${countText(held.length, HELD_WORDS)} held: ${holdOf(first.reason).label}`,
  };
}

function noteNeed(group: Group, notes: readonly MessageNote[], words: Words, rest: string): Need | null {
  if (notes.length === 0) return null;
  return { group, since: oldest(notes), text: `${countText(notes.length, words)} ${rest}` };
}

function unreachableNeed(session: Session): Need | null {
  if (session.state !== "unreachable") return null;
  return { group: "unreachable", since: session.last_output_at, text: `The host ${session.host} does not answer` };
}

/** Everything that the session needs a human for, the most pressing need first. */
export function needsOf(session: Session): Need[] {
  const own = session.state === "gone" ? [] : [questionNeed(session), announcedNeed(session)];
  const found = [
    ...own,
    heldNeed(session),
    noteNeed("uncertain", session.uncertain, ["delivery", "deliveries"], "may or may not have arrived"),
    noteNeed("dead", session.dead, HELD_WORDS, "could not be delivered"),
    unreachableNeed(session),
  ];
  return found.filter((need) => need !== null).sort((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));
}

export function groupOf(session: Session): Group {
  const [first] = needsOf(session);
  if (first !== undefined) return first.group;
  if (session.state === "gone") return "gone";
  if (session.phase === "busy" || session.signal_state === "working") return "working";
  if (session.signal_state === "completed" && !isSeen(session)) return "completed";
  return "idle";
}

/** True if the human has seen what the session announced; such a session comes after those of its group that nobody has seen. */
export function isSeen(session: Session): boolean {
  return session.nudge_seq > 0 && session.acked_seq >= session.nudge_seq;
}

function waitingSince(session: Session): number {
  const [first] = needsOf(session);
  const at = first?.since ?? null;
  return at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at);
}

/** Sessions in the order in which they want a human. */
export function orderSessions(sessions: readonly Session[]): Session[] {
  return sessions
    .map((session) => ({ session, rank: GROUPS.indexOf(groupOf(session)), isSeen: Number(isSeen(session)), since: waitingSince(session) }))
    .sort((a, b) => a.rank - b.rank || a.isSeen - b.isSeen || a.since - b.since || a.session.name.localeCompare(b.session.name))
    .map(({ session }) => session);
}

export interface GroupOfSessions {
  readonly group: Group;
  readonly sessions: Session[];
}

export function groupSessions(sessions: readonly Session[]): GroupOfSessions[] {
  const groups = new Map<Group, Session[]>();
  for (const session of orderSessions(sessions)) {
    const group = groupOf(session);
    groups.set(group, [...(groups.get(group) ?? []), session]);
  }
  return [...groups].map(([group, members]) => ({ group, sessions: members }));
}

export type Section = "needy" | "completed" | "working" | "idle" | "gone";

export const SECTION_TITLES: Readonly<Record<Section, string>> = {
  needy: "Need you",
  completed: "Finished",
  working: "Working",
  idle: "Idle",
  gone: "Gone",
};

export function sectionOf(session: Session): Section {
  const group = groupOf(session);
  return NEEDY.has(group) ? "needy" : (group as Section);
}

/** The sessions in their order, in the sections of the page; sections without sessions are left out. */
export function divideIntoSections(sessions: readonly Session[]): { readonly section: Section; readonly sessions: Session[] }[] {
  const ordered = orderSessions(sessions);
  return (Object.keys(SECTION_TITLES) as Section[])
    .map((section) => ({ section, sessions: ordered.filter((session) => sectionOf(session) === section) }))
    .filter((part) => part.sessions.length > 0);
}

/** How many sessions wait for a human. */
export function countNeedy(sessions: readonly Session[]): number {
  return sessions.filter((session) => NEEDY.has(groupOf(session))).length;
}
