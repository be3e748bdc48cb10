/** What a human can do from the page. Every action says what became of it. */
import { signal } from "@preact/signals";
import { acknowledge } from "../alerts/teller";
import { writeAck } from "../alerts/acks";
import { describe, pathOf, post, type Problem } from "../wire/calls";
import type { Session } from "../wire/types";
import { send } from "./live";

/** The last thing that the page has to say; a problem stays until it is closed. */
export const notice = signal<{ readonly text: string; readonly problem: Problem | null } | null>(null);

let fading: ReturnType<typeof setTimeout> | undefined;

export function say(text: string): void {
  clearTimeout(fading);
  notice.value = { text, problem: null };
  fading = setTimeout(() => (notice.value = null), 4000);
}

export function complain(error: unknown): void {
  clearTimeout(fading);
  const problem = describe(error);
  notice.value = { text: problem.detail, problem };
}

async function attempt(action: Promise<unknown>, done: string): Promise<boolean> {
  try {
    await action;
    say(done);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

export const holdSession = (session: Session): Promise<boolean> =>
  attempt(post(pathOf(session.id, "/hold")), `${session.name} is held: no message reaches it until it is released.`);

export const releaseSession = (session: Session): Promise<boolean> =>
  attempt(post(pathOf(session.id, "/release")), `${session.name} is released.`);

export const toggleHold = (session: Session): Promise<boolean> =>
  session.do_not_disturb_since === null ? holdSession(session) : releaseSession(session);

export const cancelMessage = (id: string): Promise<boolean> =>
  attempt(post(`/messages/${encodeURIComponent(id)}/cancel`), `Message ${id} is cancelled.`);

export const retryMessage = (id: string): Promise<boolean> =>
  attempt(post(`/messages/${encodeURIComponent(id)}/retry`), `Message ${id} is sent again.`);

export const restartSession = (session: Session): Promise<boolean> =>
  attempt(post(pathOf(session.id, "/restart")), `${session.name} is started again.`);

/** Dismiss a note about a message that is uncertain or dead. */
export function dismissNote(messageId: string): void {
  writeAck(localStorage, `message:${messageId}`, 1);
  send({ type: "acknowledge", subject: `message:${messageId}`, seq: 1 });
}

/** Mark everything that the session has announced as seen. */
export function markSeen(session: Session): void {
  acknowledge(session);
  say(`${session.name} is marked as seen.`);
}
