/** The messages of a session that want a human: held, uncertain, undeliverable. */
import type { JSX } from "preact";
import { holdOf } from "../attention/holds";
import { cancelMessage, dismissNote, releaseSession, retryMessage } from "../state/actions";
import { isReadOnly } from "../state/live";
import { addressOf } from "../state/route";
import type { MessageNote, Session } from "../wire/types";
import { Age, Pill } from "./marks";

const EXPLAINED: Readonly<Record<string, string>> = {
  uncertain: "hark cannot prove whether the agent got this message, and does not repeat it by itself.",
  dead: "hark has given up on this message.",
  failed: "The agent ended before it had completed this message.",
  expired: "The message was not typed before its time was up.",
};

function explain(note: MessageNote): string {
  const words = note.status === "held" ? holdOf(note.reason).ends : (EXPLAINED[note.status] ?? "");
  return note.detail === "" ? words : `${words} ${note.detail}`;
}

function NoteActions({ note, session }: { note: MessageNote; session: Session }): JSX.Element {
  const isHeld = note.status === "held";
  return (
    <div class="row-of-things">
      {isHeld && holdOf(note.reason).isReleasable && <button onClick={() => void releaseSession(session)}>End the hold</button>}
      {isHeld && <button onClick={() => void cancelMessage(note.id)}>Cancel message</button>}
      {!isHeld && <button onClick={() => void retryMessage(note.id)}>Send again</button>}
      {!isHeld && <button onClick={() => dismissNote(note.id)}>Dismiss</button>}
      <a href={addressOf.message(note.id)}>Story</a>
    </div>
  );
}

export function Notes({ session }: { session: Session }): JSX.Element | null {
  const notes = [...session.held, ...session.uncertain, ...session.dead];
  if (notes.length === 0) return null;
  return (
    <section class="panel" aria-label="Messages that wait">
      <header>
        <h2>Messages that wait</h2>
      </header>
      <ul class="note-list">
        {notes.map((note) => (
          <li key={note.id}>
            <div class="row-of-things">
              <Pill status={note.status}>{note.status === "held" ? `held: ${holdOf(note.reason).label}` : note.status}</Pill>
              <span class="muted">from {note.sender ?? "unknown"}</span>
              <Age at={note.since} title="since" />
            </div>
            <p class="text">{note.text}</p>
            <p class="muted">{explain(note)}</p>
            {!isReadOnly.value && <NoteActions note={note} session={session} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
