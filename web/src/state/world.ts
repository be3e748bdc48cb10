/** What the page knows, and how a frame of the daemon changes it. A change returns a new world. */
import type { HarkEvent, Me, ServerFrame, Session } from "../wire/types";

export interface World {
  readonly sessions: ReadonlyMap<string, Session>;
  /** The last event that was taken in; null before the first snapshot. */
  readonly seq: number | null;
  readonly instance: string | null;
  readonly me: Me | null;
  /** True once a complete list of sessions has come. */
  readonly isComplete: boolean;
  /** The event up to which the human has read what happened while away. */
  readonly awayAfter: number;
  /** The newest events, the newest last. */
  readonly recent: readonly HarkEvent[];
}

export const EMPTY: World = { sessions: new Map(), seq: null, instance: null, me: null, isComplete: false, awayAfter: 0, recent: [] };

const KEPT_EVENTS = 500;

function withSession(world: World, session: Session): World {
  const sessions = new Map(world.sessions);
  sessions.set(session.id, session);
  return { ...world, sessions };
}

function withoutSession(world: World, id: string): World {
  const sessions = new Map(world.sessions);
  sessions.delete(id);
  return { ...world, sessions };
}

function withLines(world: World, lines: Readonly<Record<string, { readonly text: string; readonly at: string | null }>>): World {
  const sessions = new Map(world.sessions);
  for (const [id, line] of Object.entries(lines)) {
    const session = sessions.get(id);
    if (session !== undefined) sessions.set(id, { ...session, last_line: line.text, last_output_at: line.at });
  }
  return { ...world, sessions };
}

const SUBJECT_OF_NOTE = "message:";

function withAcknowledged(world: World, subject: string, seq: number): World {
  if (subject === "away") return { ...world, awayAfter: Math.max(world.awayAfter, seq) };
  if (subject.startsWith(SUBJECT_OF_NOTE)) return withoutNote(world, subject.slice(SUBJECT_OF_NOTE.length));
  const session = world.sessions.get(subject);
  return session === undefined ? world : withSession(world, { ...session, acked_seq: Math.max(session.acked_seq, seq) });
}

function withoutNote(world: World, messageId: string): World {
  const keep = (note: { readonly id: string }): boolean => note.id !== messageId;
  const owner = [...world.sessions.values()].find((session) => !session.uncertain.every(keep) || !session.dead.every(keep));
  if (owner === undefined) return world;
  return withSession(world, { ...owner, uncertain: owner.uncertain.filter(keep), dead: owner.dead.filter(keep) });
}

function withEvent(world: World, event: HarkEvent): World {
  const next = event.kind === "session.forgotten" && event.session_id !== null ? withoutSession(world, event.session_id) : world;
  return { ...next, seq: Math.max(world.seq ?? 0, event.seq), recent: [...world.recent.slice(1 - KEPT_EVENTS), event] };
}

/** Return the world after the frame. Frames that concern terminals change nothing here. */
export function take(world: World, frame: ServerFrame): World {
  switch (frame.type) {
    case "welcome":
      return { ...world, me: frame.me, instance: frame.me.instance };
    case "snapshot": {
      const { snapshot } = frame;
      const sessions = new Map(snapshot.sessions.map((session) => [session.id, session]));
      return { sessions, seq: snapshot.seq, instance: snapshot.instance, me: snapshot.me, isComplete: true, awayAfter: snapshot.away_after, recent: world.recent };
    }
    case "session":
      return withSession(world, frame.session);
    case "forgotten":
      return withoutSession(world, frame.session_id);
    case "lines":
      return withLines(world, frame.lines);
    case "acknowledged":
      return withAcknowledged(world, frame.subject, frame.seq);
    case "event":
      return withEvent(world, frame.event);
    default:
      return world;
  }
}
