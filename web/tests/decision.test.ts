import { describe, expect, it } from "vitest";
import { decide, type Circumstances, type News, type Suppression, type Tone } from "../src/alerts/decision";

const NORMAL: Circumstances = {
  acknowledged: 0,
  holdsLock: true,
  isListComplete: true,
  isLookingAtIt: false,
  isSessionMuted: false,
  isStateMuted: false,
  isQuiet: false,
  isMuted: false,
  volume: 0.5,
  wantsNotifications: false,
};

const told = (why: string, news: News, now: Partial<Circumstances>, tone: Tone | null, notifies: boolean) => ({ why, news, now, tone, notifies });

const TOLD = [
  told("a human is wanted", { state: "needs_input", seq: 1 }, {}, "attention", false),
  told("something is to be tested", { state: "needs_testing", seq: 1 }, {}, "attention", false),
  told("something has failed", { state: "error", seq: 1 }, {}, "attention", false),
  told("work is done", { state: "completed", seq: 1 }, {}, "completion", false),
  told("a new signal after an acknowledged one", { state: "needs_input", seq: 8 }, { acknowledged: 7 }, "attention", false),
  told("a notification beside the sound", { state: "error", seq: 1 }, { wantsNotifications: true }, "attention", true),
  told("a notification alone, without sound", { state: "error", seq: 1 }, { wantsNotifications: true, isMuted: true }, null, true),
  told("a volume of zero is no sound", { state: "error", seq: 1 }, { wantsNotifications: true, volume: 0 }, null, true),
];

describe("an alert is told", () => {
  it.each(TOLD)("$why", ({ news, now, tone, notifies }) => {
    expect(decide(news, { ...NORMAL, ...now })).toEqual({ tone, notifies, suppressed: null, acknowledges: false });
  });
});

const kept = (why: string, news: News, now: Partial<Circumstances>, suppressed: Suppression, acknowledges: boolean) => ({ why, news, now, suppressed, acknowledges });
const INPUT: News = { state: "needs_input", seq: 3 };

const KEPT = [
  kept("working clears an announcement", { state: "working", seq: 9 }, {}, "no-alert-state", false),
  kept("nothing was announced", { state: null, seq: 9 }, {}, "no-alert-state", false),
  kept("a state that nobody knows", { state: "constructor", seq: 9 }, {}, "no-alert-state", false),
  kept("it was acknowledged", INPUT, { acknowledged: 3 }, "acknowledged", false),
  kept("a later one was acknowledged", INPUT, { acknowledged: 4 }, "acknowledged", false),
  kept("the list of sessions is not complete", INPUT, { isListComplete: false }, "list-incomplete", false),
  kept("another tab tells", INPUT, { holdsLock: false }, "another-tab", false),
  kept("another tab tells, even if this one is looked at", INPUT, { holdsLock: false, isLookingAtIt: true }, "another-tab", false),
  kept("the human looks at it", INPUT, { isLookingAtIt: true }, "looking-at-it", true),
  kept("the session is muted", INPUT, { isSessionMuted: true }, "session-muted", true),
  kept("the state is muted", INPUT, { isStateMuted: true }, "state-muted", true),
  kept("it is a quiet hour", INPUT, { isQuiet: true, wantsNotifications: true }, "quiet-hours", true),
  kept("there is neither sound nor notification", INPUT, { isMuted: true }, "everything-off", true),
];

describe("an alert stays silent", () => {
  it.each(KEPT)("$why", ({ news, now, suppressed, acknowledges }) => {
    expect(decide(news, { ...NORMAL, ...now })).toEqual({ tone: null, notifies: false, suppressed, acknowledges });
  });
});
