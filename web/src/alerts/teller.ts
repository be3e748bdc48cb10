/**
 * Tells the human about signals: asks the decision, claims the signal from the daemon, sounds or notifies, and reports what became of it.
 *
 * Two things are told apart. This browser has told a signal: its other tabs and its next page are silent. The human has seen it: all devices
 * are silent, because the daemon knows it. What was not really shown is neither.
 */
import { effect } from "@preact/signals";
import { addressOf, route } from "../state/route";
import { listen, send, world } from "../state/live";
import { preferences } from "../state/preferences";
import type { NoticeChannel, NoticeOutcome, ServerFrame, Session } from "../wire/types";
import { pruneAcks, readAck, removeAck, writeAck, type Topic } from "./acks";
import { decide, isAlertState, type Circumstances, type Decision } from "./decision";
import { show, withdraw } from "./desktop";
import { isQuietAt, readQuietHours } from "./quiet";
import { play } from "./sound";
import { becomeTeller, holdsLock, lookAt, lookedAt } from "./tabs";
import { TITLES } from "./wording";

/** How long to wait before a signal is claimed again that another tab has claimed and may have failed to tell. */
const CLAIM_AGAIN = 12_000;

const topicOf = (session: Session): Topic => `session:${session.id}`;
const nameOf = (session: Session): string => `${session.id}/${session.nudge_seq}`;

/** Signals that this tab has claimed, is telling, or has failed to tell until the human touches the page. */
const underWay = new Map<string, Decision>();
const blocked = new Set<string>();
/** Signals that have come while this page was open. */
const arrived = new Set<string>();

function circumstances(session: Session, looked: ReadonlySet<string>): Circumstances {
  const wishes = preferences.value;
  const now = new Date();
  return {
    acknowledged: Math.max(readAck(localStorage, topicOf(session)), session.acked_seq),
    holdsLock: holdsLock(),
    isListComplete: world.value.isComplete,
    isLookingAtIt: looked.has(session.id),
    isSessionMuted: wishes.mutedSessions.includes(session.name),
    isStateMuted: wishes.mutedStates.includes(session.nudge_state ?? ""),
    isQuiet: isQuietAt(readQuietHours(wishes.quietHours) ?? [], now.getHours() * 60 + now.getMinutes()),
    isMuted: wishes.isMuted,
    volume: wishes.volume,
    wantsNotifications: wishes.wantsNotifications,
  };
}

function report(session: Session, channel: NoticeChannel, outcome: NoticeOutcome, reason: string): void {
  send({ type: "notified", session_id: session.id, nudge_seq: session.nudge_seq, channel, outcome, reason });
}

/** This human has seen the session's newest signal: remember it here and on the server. */
export function acknowledge(session: Session): void {
  if (session.nudge_seq === 0) return;
  writeAck(localStorage, topicOf(session), session.nudge_seq);
  if (session.nudge_seq > session.acked_seq) send({ type: "acknowledge", subject: session.id, seq: session.nudge_seq });
  void withdraw(session.id);
}

async function consider(): Promise<void> {
  const looked = await lookedAt();
  for (const session of world.value.sessions.values()) {
    const name = nameOf(session);
    if (underWay.has(name) || blocked.has(name) || session.state === "gone") continue;
    const decision = decide({ state: session.nudge_state, seq: session.nudge_seq }, circumstances(session, looked));
    if (decision.suppressed === null) claim(session, decision);
    else if (decision.suppressed === "acknowledged") noteSeen(session, looked);
    else if (decision.acknowledges) {
      report(session, "sound", "suppressed", decision.suppressed);
      if (decision.suppressed === "looking-at-it") acknowledge(session);
      else writeAck(localStorage, topicOf(session), session.nudge_seq);
    }
  }
}

/** A signal that has just come was seen already, here or on another device: report that nothing was told. */
function noteSeen(session: Session, looked: ReadonlySet<string>): void {
  if (!arrived.delete(nameOf(session)) || !holdsLock()) return;
  if (readAck(localStorage, topicOf(session)) >= session.nudge_seq) return;
  report(session, "sound", "suppressed", looked.has(session.id) ? "looking-at-it" : "acknowledged");
  writeAck(localStorage, topicOf(session), session.nudge_seq);
}

function claim(session: Session, decision: Decision): void {
  if (send({ type: "claim", session_id: session.id, nudge_seq: session.nudge_seq })) underWay.set(nameOf(session), decision);
}

function claimed(sessionId: string, seq: number, isYours: boolean): void {
  const name = `${sessionId}/${seq}`;
  const decision = underWay.get(name);
  const session = world.value.sessions.get(sessionId);
  if (decision === undefined || session === undefined || session.nudge_seq !== seq) {
    underWay.delete(name);
  } else if (isYours) {
    void tell(session, decision).finally(() => underWay.delete(name));
  } else {
    setTimeout(() => {
      underWay.delete(name);
      void consider();
    }, CLAIM_AGAIN);
  }
}

async function tell(session: Session, decision: Decision): Promise<void> {
  const attempts: Promise<boolean>[] = [];
  if (decision.tone !== null) attempts.push(settle(session, "sound", play(decision.tone, preferences.value.volume)));
  if (decision.notifies) attempts.push(settle(session, "desktop", notify(session)));
  const outcomes = await Promise.all(attempts);
  if (outcomes.includes(true)) writeAck(localStorage, topicOf(session), session.nudge_seq);
  else blocked.add(nameOf(session));
}

async function settle(session: Session, channel: NoticeChannel, failure: Promise<string>): Promise<boolean> {
  const reason = await failure.catch((error: unknown) => `unexpected: ${String(error)}`);
  report(session, channel, reason === "" ? "shown" : "failed", reason);
  return reason === "";
}

function notify(session: Session): Promise<string> {
  const state = session.nudge_state;
  const title = isAlertState(state) ? TITLES[state] : "Signal";
  return show({ title: `${session.name}: ${title}`, body: session.signal_text, tag: session.id, open: addressOf.session(session.id) });
}

/** The human has touched the page, so sound may go through now: tell what was blocked. */
function touched(): void {
  if (blocked.size === 0) return;
  blocked.clear();
  void consider();
}

/** Remember nothing about sessions that are gone or unknown; an unknown one is removed only against a complete list. */
function prune(): void {
  const { isComplete, sessions } = world.value;
  const existing = isComplete ? new Set<Topic>([...sessions.values()].filter((session) => session.state !== "gone").map(topicOf)) : null;
  if (existing === null) return;
  const notes = [...sessions.values()].flatMap((session) => [...session.uncertain, ...session.dead]);
  for (const note of notes) existing.add(`message:${note.id}`);
  pruneAcks(localStorage, existing);
}

function onFrame(frame: ServerFrame): void {
  if (frame.type === "event" && frame.event.kind === "signal") arrived.add(`${frame.event.session_id}/${Number(frame.event.data["nudge_seq"])}`);
  if (frame.type === "claimed") claimed(frame.session_id, frame.nudge_seq, frame.is_yours);
  if (frame.type === "forgotten") removeAck(localStorage, `session:${frame.session_id}`);
  if (frame.type === "event" && frame.event.session_id !== null && ["session.gone", "session.forgotten"].includes(frame.event.kind)) {
    removeAck(localStorage, `session:${frame.event.session_id}`);
  }
  if (frame.type === "acknowledged" && world.value.sessions.has(frame.subject)) void withdraw(frame.subject);
  if (frame.type === "snapshot") prune();
  if (frame.type === "welcome") {
    underWay.clear();
    reportPresence();
  }
}

const isWatched = (): boolean => document.visibilityState === "visible" && document.hasFocus();

function shownSession(): string | null {
  const at = route.value;
  return at.page === "session" ? at.id : null;
}

function reportPresence(): void {
  const watched = isWatched() ? shownSession() : null;
  lookAt(watched);
  send({ type: "presence", is_visible: document.visibilityState === "visible", is_focused: document.hasFocus(), session_id: shownSession() });
  const session = watched === null ? undefined : world.value.sessions.get(watched);
  if (session !== undefined && session.nudge_seq > session.acked_seq) acknowledge(session);
}

/** How often entries of sessions that no longer exist are removed. */
const PRUNE_EVERY = 60_000;

export function startTelling(): void {
  listen(onFrame);
  becomeTeller(() => void consider());
  effect(() => {
    void world.value;
    void preferences.value;
    void consider();
  });
  effect(() => {
    void route.value;
    reportPresence();
  });
  for (const name of ["focus", "blur"]) addEventListener(name, reportPresence);
  document.addEventListener("visibilitychange", reportPresence);
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, touched, { capture: true });
  setInterval(prune, PRUNE_EVERY);
}
