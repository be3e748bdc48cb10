import { describe, expect, it } from "vitest";
import { countNeedy, divideIntoSections, groupOf, groupSessions, needsOf, orderSessions, type Group } from "../src/attention/order";
import type { Session } from "../src/wire/types";
import { makeNote, makeSession, minutesAgo } from "./examples";

const announced = (signal_state: string, values: Partial<Session> = {}): Partial<Session> => ({
  signal_state,
  nudge_state: signal_state,
  signal_text: `it says ${signal_state}`,
  nudge_seq: 1,
  last_signal_at: minutesAgo(2),
  ...values,
});

const GROUPS: [Group, string, Partial<Session>][] = [
  ["question", "an agent that asks for a permission", { phase: "waiting", need: "permission", waiting_for: "rm -r build" }],
  ["question", "a dialog comes before an announcement", announced("needs_input", { phase: "waiting", need: "permission" })],
  ["question", "a question that can be answered", { open_questions: [{ id: "q", asked_at: minutesAgo(1), text: "Which?", kind: "choice", detail: "", answers: ["a"], cannot_answer: "" }] }],
  ["input", "needs_input", announced("needs_input")],
  ["testing", "needs_testing", announced("needs_testing")],
  ["error", "error", announced("error")],
  ["error", "an error comes before held messages", announced("error", { held: [makeNote()] })],
  ["held", "a held message that a human can let through", { held: [makeNote({ reason: "do-not-disturb" })] }],
  ["working", "a message that waits for a busy agent needs nobody", { phase: "busy", held: [makeNote({ reason: "busy" })] }],
  ["idle", "a message that waits for a pause in typing needs nobody", { held: [makeNote({ reason: "human-typing" })] }],
  ["held", "an unknown reason needs a human", { held: [makeNote({ reason: "something-new" })] }],
  ["uncertain", "an uncertain delivery", { uncertain: [makeNote({ status: "uncertain", reason: null })] }],
  ["dead", "a dead letter", { dead: [makeNote({ status: "dead", reason: null })] }],
  ["dead", "a dead letter of a session that is gone", { state: "gone", dead: [makeNote({ status: "dead", reason: null })] }],
  ["unreachable", "messages held because the host does not answer", { held: [makeNote({ reason: "unreachable" })] }],
  ["completed", "finished, and nobody has looked", announced("completed")],
  ["idle", "finished, and somebody has looked", announced("completed", { acked_seq: 1 })],
  ["working", "busy", { phase: "busy" }],
  ["working", "announced working, where turns are not heard", announced("working", { phase: "unknown" })],
  ["idle", "idle", {}],
  ["gone", "gone, whatever it announced", announced("needs_input", { state: "gone" })],
];

describe("the group of a session", () => {
  it.each(GROUPS)("is %s: %s", (group, _why, values) => {
    expect(groupOf(makeSession(values))).toBe(group);
  });
});

describe("the order of sessions", () => {
  it("puts needs before work, and work before rest", () => {
    const names = ["idle", "working", "completed", "dead", "held", "error", "input", "question"];
    const values: Record<string, Partial<Session>> = {
      idle: {},
      working: { phase: "busy" },
      completed: announced("completed"),
      dead: { dead: [makeNote({ status: "dead" })] },
      held: { held: [makeNote()] },
      error: announced("error"),
      input: announced("needs_input"),
      question: { phase: "waiting", need: "permission" },
    };

    const ordered = orderSessions(names.map((name) => makeSession({ name, ...values[name] })));

    expect(ordered.map((session) => session.name)).toEqual([...names].reverse());
  });

  it("puts the session first that has waited longest", () => {
    const short = makeSession({ name: "short", ...announced("needs_input", { need_since: minutesAgo(1) }) });
    const long = makeSession({ name: "long", ...announced("needs_input", { need_since: minutesAgo(90) }) });

    expect(orderSessions([short, long]).map((session) => session.name)).toEqual(["long", "short"]);
  });

  it("puts what was seen after what was not", () => {
    const seen = makeSession({ name: "seen", ...announced("needs_input", { need_since: minutesAgo(90), acked_seq: 1 }) });
    const unseen = makeSession({ name: "unseen", ...announced("needs_input", { need_since: minutesAgo(1) }) });

    expect(orderSessions([seen, unseen]).map((session) => session.name)).toEqual(["unseen", "seen"]);
  });

  it("divides the page into those that need somebody and the others", () => {
    const sessions = [makeSession({ name: "c" }), makeSession({ name: "b", held: [makeNote()] }), makeSession({ name: "a", ...announced("error") })];

    const sections = divideIntoSections(sessions).map(({ section, sessions: members }) => [section, members.map((member) => member.name)]);

    expect(sections).toEqual([
      ["needy", ["a", "b"]],
      ["idle", ["c"]],
    ]);
  });

  it("orders equals by name, so that rows do not jump", () => {
    const sessions = ["c", "a", "b"].map((name) => makeSession({ name }));

    expect(orderSessions(sessions).map((session) => session.name)).toEqual(["a", "b", "c"]);
  });

  it("keeps every session in exactly one group", () => {
    const sessions = GROUPS.map(([, , values], index) => makeSession({ ...values, name: `s${index}` }));

    const listed = groupSessions(sessions).flatMap((group) => group.sessions.map((session) => session.name));

    expect(listed.sort()).toEqual(sessions.map((session) => session.name).sort());
  });
});

it("says what held messages wait for, and since when the oldest does", () => {
  const held = [makeNote({ id: "m1", since: minutesAgo(3) }), makeNote({ id: "m2", since: minutesAgo(9) })];

  expect(needsOf(makeSession({ held }))).toEqual([{ group: "held", since: minutesAgo(9), text: "2 messages held: draft in the box" }]);
});

it("counts the sessions that wait for a human, not those that have finished", () => {
  const sessions = [makeSession(announced("needs_input")), makeSession(announced("completed")), makeSession({ phase: "busy" })];

  expect(countNeedy(sessions)).toBe(1);
});
