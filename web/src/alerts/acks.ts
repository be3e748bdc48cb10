/**
 * What this browser has acknowledged, in localStorage, which all its tabs share.
 *
 * The signals of a session stand under `schmux:ack:<session id>`; everything else stands under `hark:ack:<topic>`. An acknowledgement only
 * grows. Entries of unknown sessions are removed only against a complete list: an empty list that is merely not loaded yet removes nothing.
 */

const SIGNALS = "schmux:ack:";
const OTHERS = "hark:ack:";

export type Topic = `session:${string}` | `message:${string}`;

export function keyOf(topic: Topic): string {
  return topic.startsWith("session:") ? SIGNALS + topic.slice("session:".length) : OTHERS + topic;
}

export function readAck(storage: Storage, topic: Topic): number {
  const value = Number.parseInt(storage.getItem(keyOf(topic)) ?? "0", 10);
  return Number.isFinite(value) && value > 0 ? value : 0;
}

export function writeAck(storage: Storage, topic: Topic, seq: number): void {
  if (seq > readAck(storage, topic)) storage.setItem(keyOf(topic), String(seq));
}

export function removeAck(storage: Storage, topic: Topic): void {
  storage.removeItem(keyOf(topic));
}

/** The topics that have an entry. */
export function listTopics(storage: Storage): Topic[] {
  const topics: Topic[] = [];
  for (let i = 0; i < storage.length; i++) {
    const key = storage.key(i) ?? "";
    if (key.startsWith(SIGNALS)) topics.push(`session:${key.slice(SIGNALS.length)}`);
    else if (key.startsWith(OTHERS)) topics.push(key.slice(OTHERS.length) as Topic);
  }
  return topics;
}

/** Remove the entries of topics that are not in a complete list of those that exist; without a complete list, remove nothing. */
export function pruneAcks(storage: Storage, existing: ReadonlySet<Topic> | null): Topic[] {
  if (existing === null) return [];
  const removed = listTopics(storage).filter((topic) => !existing.has(topic));
  for (const topic of removed) removeAck(storage, topic);
  return removed;
}
