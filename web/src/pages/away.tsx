/** What happened while the human was away. */
import "../styles/pages.css";
import type { JSX } from "preact";
import type { Group } from "../attention/order";
import { formatClock } from "../format/time";
import { useLoaded } from "../parts/load";
import { Dot } from "../parts/marks";
import { clock, send } from "../state/live";
import { addressOf } from "../state/route";
import { get } from "../wire/calls";

interface Item {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly session_id: string;
  readonly session_name: string;
  readonly message_id: string | null;
  readonly text: string;
}

interface Feed {
  readonly after: number;
  readonly seq: number;
  readonly items: readonly Item[];
  readonly counts: Readonly<Record<string, number>>;
  readonly is_cut: boolean;
}

const GROUPS: Readonly<Record<string, Group>> = {
  signal: "input",
  gone: "gone",
  started: "working",
  failed: "dead",
  answered: "completed",
  completed: "completed",
  held: "held",
};

const WORDS: Readonly<Record<string, string>> = {
  signal: "signals",
  gone: "sessions ended",
  started: "sessions started",
  failed: "messages failed",
  answered: "answers",
  completed: "messages completed",
  held: "messages held",
};

export function AwayPage(): JSX.Element {
  const { value: feed, problem, reload } = useLoaded(() => get<Feed>("/dashboard/away"), []);
  const markRead = (): void => {
    if (feed === null) return;
    send({ type: "acknowledge", subject: "away", seq: feed.seq });
    setTimeout(reload, 200);
  };
  return (
    <>
      <div class="page-head">
        <h1>While you were away</h1>
        <span class="row-of-things">
          <button onClick={reload}>Reload</button>
          <button class="primary" disabled={feed === null || feed.items.length === 0} onClick={markRead}>
            Mark all as read
          </button>
        </span>
      </div>
      {problem !== null && <p class="problem">{problem.detail}</p>}
      {feed !== null && feed.items.length > 0 && (
        <p class="row-of-things counts">
          {Object.entries(feed.counts).map(([kind, count]) => (
            <span class="tag" key={kind}>
              {count} {WORDS[kind] ?? kind}
            </span>
          ))}
          {feed.is_cut && <span class="muted">Only the newest are shown.</span>}
        </p>
      )}
      <div class="panel">
        {feed !== null && feed.items.length === 0 && <p class="nothing">Nothing has happened since you last marked this page as read.</p>}
        <ul class="feed">
          {[...(feed?.items ?? [])]
            .sort((a, b) => b.seq - a.seq)
            .map((item) => (
              <li key={`${item.seq}-${item.kind}`}>
                <time dateTime={item.at}>{formatClock(item.at, clock.value)}</time>
                <Dot group={GROUPS[item.kind] ?? "idle"} />
                <div class="text">
                  <a href={item.message_id === null ? addressOf.session(item.session_id) : addressOf.message(item.message_id)}>{item.session_name}</a>{" "}
                  {item.text}
                </div>
              </li>
            ))}
        </ul>
      </div>
    </>
  );
}
