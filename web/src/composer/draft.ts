/**
 * A message that is being written. Its text survives a reload and a failed sending. The key makes a repeated sending harmless: the daemon
 * takes the same key once, and a changed message gets a new key.
 */
import type { Mode } from "../wire/types";

export interface Draft {
  readonly text: string;
  readonly mode: Mode;
  readonly when: string;
  readonly raw: boolean;
  /** The idempotency key of the sending that was tried; empty before the first try. */
  readonly key: string;
}

export const EMPTY_DRAFT: Draft = { text: "", mode: "sequential", when: "", raw: false, key: "" };

const keyOf = (session: string): string => `hark:draft:${session}`;

export function loadDraft(storage: Storage, session: string): Draft {
  try {
    const value: unknown = JSON.parse(storage.getItem(keyOf(session)) ?? "{}");
    return typeof value === "object" && value !== null ? { ...EMPTY_DRAFT, ...value } : EMPTY_DRAFT;
  } catch {
    return EMPTY_DRAFT;
  }
}

export function saveDraft(storage: Storage, session: string, draft: Draft): void {
  if (draft.text === "") storage.removeItem(keyOf(session));
  else storage.setItem(keyOf(session), JSON.stringify(draft));
}

/** Change the draft. What is sent is another message then, so that it gets a new key. */
export function changeDraft(draft: Draft, change: Partial<Omit<Draft, "key">>): Draft {
  return { ...draft, ...change, key: "" };
}

/** A new key. Pages that are not served securely have no randomUUID. */
export function makeKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
