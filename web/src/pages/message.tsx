/** The page of one message: its whole story. */
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { useLoaded } from "../parts/load";
import { Age, Pill } from "../parts/marks";
import { Receipts, StoryActions } from "../parts/story";
import { listen } from "../state/live";
import { addressOf, route } from "../state/route";
import { get } from "../wire/calls";
import type { Message } from "../wire/types";

function useMessage(id: string): ReturnType<typeof useLoaded<Message>> {
  const loaded = useLoaded(() => get<Message>(`/messages/${encodeURIComponent(id)}`), [id]);
  useEffect(
    () =>
      listen((frame) => {
        if (frame.type === "event" && frame.event.message_id === id) loaded.reload();
      }),
    [id],
  );
  return loaded;
}

export function MessagePage(): JSX.Element {
  const at = route.value;
  const { value: message, problem } = useMessage(at.page === "message" ? at.id : "");
  if (problem !== null) return <p class="problem">{problem.detail}</p>;
  if (message === null) return <p class="nothing">Loading the message.</p>;
  return (
    <>
      <div class="session-head">
        <h1>Message {message.id}</h1>
        <Pill status={message.status} />
        <Age at={message.queued_at} title="queued" />
        <p class="facts">
          from {message.sender ?? "unknown"} to <a href={addressOf.session(message.session_id)}>{message.session_name}</a> · {message.delivery_mode}
        </p>
        <StoryActions message={message} />
      </div>
      <div class="session-page">
        <div>
          <section class="panel" aria-label="Text">
            <p class="body message-text">{message.text}</p>
          </section>
          {message.answer !== null && (
            <section class="panel" aria-label="Answer">
              <header>
                <h2>Answer</h2>
                <span class="muted">{message.answer.source}</span>
              </header>
              <p class="body message-text">{message.answer.text || message.answer.reason}</p>
            </section>
          )}
        </div>
        <section class="panel" aria-label="Story">
          <header>
            <h2>Story</h2>
          </header>
          <div class="body">
            <Receipts message={message} />
          </div>
        </section>
      </div>
    </>
  );
}
