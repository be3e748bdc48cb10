/** The buttons of a session. */
import type { JSX } from "preact";
import { isSeen } from "../attention/order";
import { markSeen, restartSession, toggleHold } from "../state/actions";
import { compose } from "../state/keyboard";
import { isReadOnly } from "../state/live";
import { preferences, setPreferences, toggle } from "../state/preferences";
import type { Session } from "../wire/types";

export function HoldButton({ session }: { session: Session }): JSX.Element | null {
  if (isReadOnly.value || session.state === "gone") return null;
  const isHeld = session.do_not_disturb_since !== null;
  return (
    <button
      aria-pressed={isHeld}
      title={isHeld ? "Let messages through to this session (H)" : "Let no message through to this session (H)"}
      onClick={() => void toggleHold(session)}
    >
      {isHeld ? "Release" : "Hold"}
    </button>
  );
}

export function SeenButton({ session }: { session: Session }): JSX.Element | null {
  if (session.nudge_seq === 0 || session.signal_state === null || isSeen(session)) return null;
  return (
    <button title="Mark what it has announced as seen (Space)" onClick={() => markSeen(session)}>
      Seen
    </button>
  );
}

export function SessionActions({ session }: { session: Session }): JSX.Element {
  const isMuted = preferences.value.mutedSessions.includes(session.name);
  return (
    <div class="row-of-things">
      <SeenButton session={session} />
      <HoldButton session={session} />
      {!isReadOnly.value && session.state !== "gone" && <button onClick={() => compose(session.id)}>Message</button>}
      {!isReadOnly.value && session.state === "gone" && <button onClick={() => void restartSession(session)}>Start again</button>}
      <button
        aria-pressed={isMuted}
        title="No sound and no notification for this session, in this browser"
        onClick={() => setPreferences({ mutedSessions: toggle(preferences.value.mutedSessions, session.name) })}
      >
        {isMuted ? "Muted" : "Mute"}
      </button>
    </div>
  );
}
