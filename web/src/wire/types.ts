/** The shapes that the page and the daemon exchange; docs/dashboard-protocol.md describes them. */

export type Mode = "sequential" | "important" | "urgent";

export interface MessageNote {
  readonly id: string;
  readonly sender: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly since: string;
  readonly queued_at: string;
  readonly text: string;
  readonly detail: string;
}

export interface Question {
  readonly id: string;
  readonly asked_at: string;
  readonly text: string;
  readonly kind: string;
  /** Why the agent asks, in its own words. */
  readonly detail: string;
  /** The answers that hark can carry to the agent; empty if it can carry none. */
  readonly answers: readonly string[];
  /** Why hark can carry no answer. */
  readonly cannot_answer: string;
}

export interface Session {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly state: string;
  readonly host: string;
  readonly pane_id: string;
  readonly command: readonly string[];
  readonly directory: string;
  readonly is_adopted: boolean;
  readonly created_at: string;
  readonly gone_at: string | null;
  readonly gone_because: string;
  readonly do_not_disturb_since: string | null;
  readonly pending_count: number;
  readonly hold_reason: string | null;
  readonly nudge_seq: number;
  readonly last_signal_at: string | null;
  readonly signal_state: string | null;
  readonly nudge_state: string | null;
  readonly signal_text: string;
  readonly signal_source: string | null;
  readonly phase: string;
  readonly phase_since: string | null;
  readonly waiting_for: string;
  readonly need: string | null;
  readonly need_since: string | null;
  readonly question: string;
  /** The last signal that this user has seen, on whatever device. */
  readonly acked_seq: number;
  readonly held: readonly MessageNote[];
  readonly uncertain: readonly MessageNote[];
  readonly dead: readonly MessageNote[];
  readonly oldest_pending_at: string | null;
  readonly last_line: string;
  readonly last_output_at: string | null;
  readonly open_questions: readonly Question[];
}

export interface Me {
  readonly user: string;
  readonly browser_id: string | null;
  readonly is_read_only: boolean;
  readonly version: string;
  readonly instance: string;
}

export interface Snapshot {
  readonly seq: number;
  readonly at: string;
  readonly instance: string;
  readonly me: Me;
  readonly sessions: readonly Session[];
  readonly away_after: number;
  readonly working: number;
}

export interface HarkEvent {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly session_id: string | null;
  readonly message_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Receipt {
  readonly status: string;
  readonly at: string;
  readonly reason: string | null;
  readonly detail: string;
  readonly channel: string | null;
  readonly carrier: string | null;
  readonly authority: string | null;
  readonly had_draft: boolean | null;
}

export interface Answer {
  readonly text: string;
  readonly source: string;
  readonly is_cut: boolean;
  readonly reason: string;
  readonly at: string;
}

export interface Message {
  readonly id: string;
  readonly session_id: string;
  readonly session_name: string;
  readonly sender: string | null;
  readonly sender_session_id: string | null;
  readonly text: string;
  readonly delivery_mode: Mode;
  readonly status: string;
  readonly reason: string | null;
  readonly held_since: string | null;
  readonly attempts: number;
  readonly channel: string | null;
  readonly queued_at: string;
  readonly delivered_at: string | null;
  readonly acknowledged_at: string | null;
  readonly completed_at: string | null;
  readonly ended_at: string | null;
  readonly timeout_at: string | null;
  readonly in_reply_to: string | null;
  readonly thread_id: string;
  readonly answer: Answer | null;
  readonly receipts: readonly Receipt[];
}

export interface Keyboard {
  readonly browser_id: string;
  readonly user: string;
  readonly is_you: boolean;
  readonly since: string;
}

export type NoticeChannel = "sound" | "desktop" | "push" | "title";
export type NoticeOutcome = "shown" | "suppressed" | "failed";

export type ClientFrame =
  | { type: "hello"; after: number | null; instance: string | null }
  | { type: "acknowledge"; subject: string; seq: number }
  | { type: "claim"; session_id: string; nudge_seq: number }
  | { type: "notified"; session_id: string; nudge_seq: number; channel: NoticeChannel; outcome: NoticeOutcome; reason: string }
  | { type: "presence"; is_visible: boolean; is_focused: boolean; session_id: string | null }
  | { type: "ping"; id: string }
  | { type: "attach"; terminal: number; session: string; stream: string | null; after: number | null; history: number }
  | { type: "detach"; terminal: number }
  | { type: "received"; terminal: number; seq: number }
  | { type: "take-size"; terminal: number; columns: number; rows: number }
  | { type: "leave-size"; terminal: number }
  | { type: "take-keyboard"; terminal: number }
  | { type: "leave-keyboard"; terminal: number }
  | { type: "keys"; terminal: number; data: string; is_binary: boolean }
  | { type: "history"; terminal: number; id: string; before: number; lines: number };

export interface Attached {
  readonly type: "attached";
  readonly terminal: number;
  readonly session_id: string;
  readonly stream: string;
  readonly columns: number;
  readonly rows: number;
  readonly history: number;
  readonly viewers: number;
  readonly keyboard: Keyboard | null;
  readonly sized_by: string | null;
  readonly is_resumed: boolean;
}

export interface Refused {
  readonly type: "refused";
  readonly re: string;
  readonly terminal: number | null;
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
}

/** The frames that concern one terminal. */
export type TerminalFrame =
  | Attached
  | { readonly type: "viewers"; readonly terminal: number; readonly viewers: number; readonly keyboard: Keyboard | null; readonly sized_by: string | null }
  | { readonly type: "resized"; readonly terminal: number; readonly columns: number; readonly rows: number; readonly stream: string }
  | { readonly type: "ended"; readonly terminal: number; readonly reason: string }
  | { readonly type: "history"; readonly terminal: number; readonly id: string; readonly first: number; readonly total: number; readonly text: string }
  | (Refused & { readonly terminal: number });

export type ServerFrame =
  | { readonly type: "welcome"; readonly me: Me; readonly seq: number; readonly is_resumed: boolean }
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  | { readonly type: "event"; readonly event: HarkEvent }
  | { readonly type: "session"; readonly seq: number; readonly session: Session }
  | { readonly type: "forgotten"; readonly seq: number; readonly session_id: string }
  | { readonly type: "lines"; readonly lines: Readonly<Record<string, { readonly text: string; readonly at: string | null }>> }
  | { readonly type: "acknowledged"; readonly subject: string; readonly seq: number }
  | { readonly type: "claimed"; readonly session_id: string; readonly nudge_seq: number; readonly is_yours: boolean; readonly reason: string }
  | { readonly type: "presence"; readonly others_focused: number }
  | { readonly type: "pong"; readonly id: string }
  | Refused
  | TerminalFrame
  | { readonly type: "bye"; readonly reason: "stopping" | "revoked" | "slow" };

/** Bytes of a terminal: a snapshot replaces what the terminal shows, output continues it. */
export interface TerminalBytes {
  readonly kind: "snapshot" | "output";
  readonly terminal: number;
  readonly seq: number;
  readonly bytes: Uint8Array;
}
