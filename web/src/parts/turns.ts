/** Turns as a timeline: what the agent did, piece by piece. */
import type { HarkEvent } from "../wire/types";
import type { Group } from "../attention/order";

export interface Piece {
  readonly phase: string;
  readonly from: number;
  readonly to: number;
}

const GROUPS: Readonly<Record<string, Group>> = { busy: "working", waiting: "question", idle: "idle" };

export const groupOfPhase = (phase: string): Group => GROUPS[phase] ?? "gone";

/** The pieces of the timeline from the events of turns, the oldest first; the last piece reaches until now. */
export function makePieces(events: readonly HarkEvent[], from: number, now: number): Piece[] {
  const turns = events
    .filter((event) => event.kind === "turn" && typeof event.data["phase"] === "string")
    .map((event) => ({ phase: event.data["phase"] as string, at: Date.parse(event.at) }))
    .sort((a, b) => a.at - b.at);
  const pieces: Piece[] = [];
  turns.forEach((turn, index) => {
    const start = Math.max(from, turn.at);
    const end = Math.min(now, turns[index + 1]?.at ?? now);
    const last = pieces.at(-1);
    if (end <= start) return;
    if (last?.phase === turn.phase) pieces[pieces.length - 1] = { ...last, to: end };
    else pieces.push({ phase: turn.phase, from: start, to: end });
  });
  return pieces;
}

/** How many turns began, and how long the agent worked, in seconds. */
export function sumUp(pieces: readonly Piece[]): { turns: number; seconds: number } {
  const busy = pieces.filter((piece) => piece.phase === "busy");
  return { turns: busy.length, seconds: busy.reduce((sum, piece) => sum + (piece.to - piece.from) / 1000, 0) };
}
