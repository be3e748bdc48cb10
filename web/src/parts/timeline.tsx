/** The timeline of a session's turns in the last hours. */
import { useEffect, useState } from "preact/hooks";
import type { JSX } from "preact";
import { formatSpan } from "../format/time";
import { clock, listenToSession, world } from "../state/live";
import { get } from "../wire/calls";
import type { HarkEvent, Session } from "../wire/types";
import { groupOfPhase, makePieces, sumUp } from "./turns";

const SPAN = 3600_000;
/** How many of the newest events are searched for turns. */
const LOOK_BACK = 2000;

function useTurns(session: Session): readonly HarkEvent[] {
  const [events, setEvents] = useState<readonly HarkEvent[]>([]);
  useEffect(() => {
    const after = Math.max(0, (world.value.seq ?? 0) - LOOK_BACK);
    const isOurs = (event: HarkEvent): boolean => event.session_id === session.id && event.kind === "turn";
    void get<{ events: HarkEvent[] }>(`/events?after=${after}`)
      .then((answer) => setEvents(answer.events.filter(isOurs)))
      .catch(() => undefined);
    return listenToSession(session.id, (event) => {
      if (isOurs(event)) setEvents((before) => [...before, event]);
    });
  }, [session.id]);
  return events;
}

export function Timeline({ session }: { session: Session }): JSX.Element {
  const now = clock.value;
  const events = useTurns(session);
  const first = events[0] === undefined ? now - 60_000 : Date.parse(events[0].at);
  const from = Math.max(now - SPAN, Math.min(first, now - 60_000));
  const pieces = makePieces(events, from, now);
  const { turns, seconds } = sumUp(pieces);
  const lead = pieces[0] === undefined ? now - from : pieces[0].from - from;
  return (
    <section class="panel" aria-label="Turns">
      <header>
        <h2>Turns</h2>
        <span class="muted">
          {turns} in {formatSpan((now - from) / 1000)}, at work for {formatSpan(seconds)}
        </span>
      </header>
      <div class="body">
        <div class="timeline" role="img" aria-label={`${turns} turns, ${formatSpan(seconds)} of work`}>
          <span style={{ flexGrow: lead }} />
          {pieces.map((piece) => (
            <span
              key={piece.from}
              data-group={groupOfPhase(piece.phase)}
              title={`${piece.phase} for ${formatSpan((piece.to - piece.from) / 1000)}`}
              style={{ flexGrow: piece.to - piece.from }}
            />
          ))}
        </div>
        <div class="timeline-scale">
          <span>{formatSpan((now - from) / 1000)} ago</span>
          <span>now</span>
        </div>
      </div>
    </section>
  );
}
