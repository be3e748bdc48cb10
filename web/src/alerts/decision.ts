/**
 * Decides whether a piece of news sounds, is shown as a notification, or stays silent.
 *
 * A piece of news has a number that grows within its topic. What was acknowledged, in this browser or on the server, is never told again.
 * Only the tab that holds the lock tells anything. The acknowledgement follows what was really shown: a sound that the browser blocks
 * leaves the news unacknowledged, so that it is told at the next chance.
 */

/** The states that alert somebody; `working` clears the last announcement and never alerts. */
export type AlertState = "needs_input" | "needs_testing" | "error" | "completed";

/** The two kinds of sounds: a human is wanted, or work is done. */
export type Tone = "attention" | "completion";

export const TONES: Readonly<Record<AlertState, Tone>> = {
  needs_input: "attention",
  needs_testing: "attention",
  error: "attention",
  completed: "completion",
};

export type Suppression =
  | "acknowledged"
  | "another-tab"
  | "no-alert-state"
  | "list-incomplete"
  | "looking-at-it"
  | "session-muted"
  | "state-muted"
  | "quiet-hours"
  | "everything-off";

export interface News {
  readonly state: string | null;
  readonly seq: number;
}

/** Everything that the decision depends on besides the news. */
export interface Circumstances {
  readonly acknowledged: number;
  readonly holdsLock: boolean;
  readonly isListComplete: boolean;
  readonly isLookingAtIt: boolean;
  readonly isSessionMuted: boolean;
  readonly isStateMuted: boolean;
  readonly isQuiet: boolean;
  readonly isMuted: boolean;
  readonly volume: number;
  readonly wantsNotifications: boolean;
}

export interface Decision {
  readonly tone: Tone | null;
  readonly notifies: boolean;
  /** Why nothing is told; null if something is. */
  readonly suppressed: Suppression | null;
  /** True if the news counts as seen although nothing was told. */
  readonly acknowledges: boolean;
}

const silent = (suppressed: Suppression, acknowledges: boolean): Decision => ({
  tone: null,
  notifies: false,
  suppressed,
  acknowledges,
});

export function isAlertState(state: string | null): state is AlertState {
  return state !== null && Object.hasOwn(TONES, state);
}

/** The rules in their order; the first one that holds keeps the news silent. */
const RULES: readonly [Suppression, boolean, (news: News, now: Circumstances) => boolean][] = [
  ["no-alert-state", false, (news) => !isAlertState(news.state)],
  ["acknowledged", false, (news, now) => news.seq <= now.acknowledged],
  ["list-incomplete", false, (_news, now) => !now.isListComplete],
  ["another-tab", false, (_news, now) => !now.holdsLock],
  ["looking-at-it", true, (_news, now) => now.isLookingAtIt],
  ["session-muted", true, (_news, now) => now.isSessionMuted],
  ["state-muted", true, (_news, now) => now.isStateMuted],
  ["quiet-hours", true, (_news, now) => now.isQuiet],
];

export function decide(news: News, now: Circumstances): Decision {
  for (const [suppression, acknowledges, holds] of RULES) {
    if (holds(news, now)) return silent(suppression, acknowledges);
  }
  const sounds = !now.isMuted && now.volume > 0;
  if (!sounds && !now.wantsNotifications) return silent("everything-off", true);
  return {
    tone: sounds ? TONES[news.state as AlertState] : null,
    notifies: now.wantsNotifications,
    suppressed: null,
    acknowledges: false,
  };
}
