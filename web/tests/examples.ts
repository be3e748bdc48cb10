/** Examples that tests build on. */
import type { MessageNote, Session } from "../src/wire/types";

export const NOW = Date.parse("2026-01-02T12:00:00Z");

export const minutesAgo = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

export function makeSession(values: Partial<Session> = {}): Session {
  return {
    id: values.name ?? "5e551011",
    name: "backend",
    agent: "claude",
    state: "running",
    host: "local",
    pane_id: "%1",
    command: ["claude"],
    directory: "/srv/project",
    is_adopted: false,
    created_at: minutesAgo(600),
    gone_at: null,
    gone_because: "",
    do_not_disturb_since: null,
    pending_count: 0,
    hold_reason: null,
    nudge_seq: 0,
    last_signal_at: null,
    signal_state: null,
    nudge_state: null,
    signal_text: "",
    signal_source: null,
    phase: "idle",
    phase_since: minutesAgo(5),
    waiting_for: "",
    need: null,
    need_since: null,
    question: "",
    acked_seq: 0,
    held: [],
    uncertain: [],
    dead: [],
    oldest_pending_at: null,
    last_line: "",
    last_output_at: null,
    open_questions: [],
    ...values,
  };
}

export function makeNote(values: Partial<MessageNote> = {}): MessageNote {
  return { id: "m1", sender: "ci", status: "held", reason: "draft", since: minutesAgo(3), queued_at: minutesAgo(4), text: "hello", detail: "", ...values };
}
