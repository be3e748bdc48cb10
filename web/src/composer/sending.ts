/** Sends a composed message: now, or by the scheduler at its time. */
import { pathOf, post } from "../wire/calls";
import type { Draft } from "./draft";
import { readSchedule, type Schedule } from "./schedule";

export interface Call {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The call that sends the draft at its time. */
export function callFor(session: string, draft: Draft, schedule: Schedule): Call {
  const text = draft.text.trimEnd();
  if (schedule.kind === "delay") {
    return { path: "/scheduler/remind", body: { session_id: session, message: text, delay_seconds: schedule.seconds } };
  }
  if (schedule.kind === "at") {
    return { path: "/scheduler/remind", body: { session_id: session, message: text, at: schedule.at.toISOString() } };
  }
  const mode = schedule.kind === "idle" ? "sequential" : draft.mode;
  return { path: pathOf(session, "/send"), body: { text, delivery_mode: mode, ...(draft.raw ? { raw: true } : {}) } };
}

interface Sent {
  readonly id?: string;
  readonly estimated_delivery?: string;
}

/** What the page says about a message that is on its way. */
export function confirm(schedule: Schedule, sent: Sent): string {
  if (schedule.kind === "delay" || schedule.kind === "at") return "The message is scheduled.";
  const when = (sent.estimated_delivery ?? "now").replaceAll("_", " ");
  return `Message ${sent.id ?? ""}: ${when}.`;
}

export async function sendDraft(session: string, draft: Draft, now: Date): Promise<string> {
  const schedule = readSchedule(draft.when, now);
  if (schedule === null) throw new Error(`"${draft.when}" is no time. Write "in 20 min", "at 14:30", "tomorrow 9:00" or "when idle".`);
  const { path, body } = callFor(session, draft, schedule);
  return confirm(schedule, await post<Sent>(path, body, { "Idempotency-Key": draft.key }));
}
