import { describe, expect, it } from "vitest";
import { EMPTY, take, type World } from "../src/state/world";
import type { Me, ServerFrame, Session } from "../src/wire/types";
import { makeNote, makeSession, minutesAgo } from "./examples";

const ME: Me = { user: "alex", browser_id: "b1", is_read_only: false, version: "1", instance: "i1" };

const snapshot = (...sessions: Session[]): ServerFrame => ({
  type: "snapshot",
  snapshot: { seq: 10, at: minutesAgo(0), instance: "i1", me: ME, sessions, away_after: 3, working: 0 },
});

const after = (...frames: ServerFrame[]): World => frames.reduce(take, EMPTY);
const event = (seq: number, kind: string, session_id: string | null = null): ServerFrame => ({
  type: "event",
  event: { seq, at: minutesAgo(0), kind, session_id, message_id: null, data: {} },
});

describe("the world", () => {
  it("is incomplete until a snapshot has come", () => {
    expect(after({ type: "welcome", me: ME, seq: 1, is_resumed: false }).isComplete).toBe(false);
    expect(after(snapshot()).isComplete).toBe(true);
  });

  it("is replaced by a snapshot", () => {
    const world = after(snapshot(makeSession({ name: "old" })), snapshot(makeSession({ name: "new" })));

    expect([...world.sessions.keys()]).toEqual(["new"]);
  });

  it("remembers the last event, from which it resumes", () => {
    expect(after(snapshot(), event(11, "turn"), event(12, "hook")).seq).toBe(12);
  });

  it.each<[string, ServerFrame]>([
    ["a forgotten frame", { type: "forgotten", seq: 11, session_id: "old" }],
    ["an event that was missed", event(11, "session.forgotten", "old")],
  ])("loses a session by %s", (_why, frame) => {
    expect(after(snapshot(makeSession({ name: "old" })), frame).sessions.size).toBe(0);
  });

  it("takes acknowledgements of other devices, and never lets them fall", () => {
    const world = after(snapshot(makeSession({ name: "a", nudge_seq: 5, acked_seq: 4 })), { type: "acknowledged", subject: "a", seq: 2 });

    expect(world.sessions.get("a")?.acked_seq).toBe(4);
    expect(take(world, { type: "acknowledged", subject: "a", seq: 5 }).sessions.get("a")?.acked_seq).toBe(5);
  });

  it("drops a note that was dismissed", () => {
    const session = makeSession({ name: "a", dead: [makeNote({ id: "m1" }), makeNote({ id: "m2" })] });

    const world = after(snapshot(session), { type: "acknowledged", subject: "message:m1", seq: 1 });

    expect(world.sessions.get("a")?.dead.map((note) => note.id)).toEqual(["m2"]);
  });

  it("takes new last lines, and ignores those of unknown sessions", () => {
    const lines = { a: { text: "done", at: minutesAgo(0) }, other: { text: "?", at: null } };

    const world = after(snapshot(makeSession({ name: "a" })), { type: "lines", lines });

    expect(world.sessions.get("a")?.last_line).toBe("done");
    expect(world.sessions.size).toBe(1);
  });
});
