/** The page of one session. */
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { groupOf, GROUP_TITLES, needsOf } from "../attention/order";
import { Composer } from "../composer/composer";
import { SessionActions } from "../parts/actions";
import { useLoaded } from "../parts/load";
import { Age, Pill } from "../parts/marks";
import { Notes } from "../parts/notes";
import { Questions } from "../parts/questions";
import { Story } from "../parts/story";
import { Timeline } from "../parts/timeline";
import { findSession, listenToSession, world } from "../state/live";
import { route } from "../state/route";
import { TerminalPanel } from "../terminal/panel";
import { get, pathOf } from "../wire/calls";
import type { HarkEvent, Message, Session } from "../wire/types";

const SETTLE = 120;

/** Call `onNews` after events of this kind, once for those that come together. */
function useNews(session: string, kinds: readonly string[], onNews: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listenToSession(session, (event) => {
      if (!kinds.includes(event.kind)) return;
      clearTimeout(timer);
      timer = setTimeout(onNews, SETTLE);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [session]);
}

const ENDED: ReadonlySet<string> = new Set(["completed", "cancelled", "expired", "interrupted", "failed", "dead"]);

function MessageList({ session }: { session: Session }): JSX.Element {
  const { value, problem, reload } = useLoaded(() => get<{ messages: Message[] }>(pathOf(session.id, "/messages")), [session.id]);
  useNews(session.id, ["message"], reload);
  const messages = [...(value?.messages ?? [])].sort((a, b) => b.queued_at.localeCompare(a.queued_at));
  const waiting = messages.filter((message) => !ENDED.has(message.status));
  return (
    <section class="panel" aria-label="Messages">
      <header>
        <h2>Messages</h2>
        <span class="muted">{waiting.length} on their way</span>
      </header>
      {problem !== null && <p class="problem">{problem.detail}</p>}
      {value !== null && messages.length === 0 && <p class="nothing">No messages yet.</p>}
      <ul class="stories">
        {messages.map((message) => (
          <li key={message.id}>
            <Story message={message} isOpen={message.id === waiting[0]?.id} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const wordsOf = (event: HarkEvent, field: string): string => String(event.data[field] ?? "");

function SignalList({ session }: { session: Session }): JSX.Element {
  const address = `/signals?${new URLSearchParams({ session: session.id, limit: "30" }).toString()}`;
  const { value, reload } = useLoaded(() => get<{ events: HarkEvent[] }>(address), [session.id]);
  useNews(session.id, ["signal", "signal.cleared"], reload);
  const signals = [...(value?.events ?? [])].reverse();
  return (
    <section class="panel" aria-label="Signals">
      <header>
        <h2>Signals</h2>
      </header>
      {value !== null && signals.length === 0 && <p class="nothing">The agent has announced nothing.</p>}
      <ul class="signals">
        {signals.map((signal) => (
          <li key={signal.seq}>
            <Pill status={wordsOf(signal, "state")} />
            <span class="text">{wordsOf(signal, "text")}</span>
            <Age at={signal.at} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Head({ session }: { session: Session }): JSX.Element {
  const group = groupOf(session);
  const [need] = needsOf(session);
  return (
    <div class="session-head">
      <h1>{session.name}</h1>
      <span class="pill" data-group={group}>
        {GROUP_TITLES[group]}
      </span>
      <Age at={need?.since ?? session.phase_since} title="since" />
      <p class="facts">
        {[session.agent, session.host, session.directory, session.is_adopted ? "adopted" : ""].filter(Boolean).join(" · ")}
      </p>
      <SessionActions session={session} />
    </div>
  );
}

export function SessionPage(): JSX.Element {
  const at = route.value;
  const session = at.page === "session" ? findSession(at.id) : undefined;
  if (session === undefined) {
    return <p class="nothing">{world.value.isComplete ? "There is no such session. " : "Loading the session. "}<a href="#/">Go to the queue.</a></p>;
  }
  const [need] = needsOf(session);
  return (
    <>
      <Head session={session} />
      <div class="session-page">
        <div>
          {need !== undefined && need.group !== "question" && (
            <p class="panel message-text need-text" data-group={need.group}>
              {need.text}
            </p>
          )}
          <Questions session={session} isHere />
          <TerminalPanel session={session} />
        </div>
        <div>
          {session.state !== "gone" && (
            <section class="panel" aria-label="Write a message">
              <div class="body">
                <Composer session={session} />
              </div>
            </section>
          )}
          <Notes session={session} />
          <MessageList session={session} />
          <Timeline session={session} />
          <SignalList session={session} />
        </div>
      </div>
    </>
  );
}
