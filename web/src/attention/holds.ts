/** What each reason of a hold means to a human, and whether a human can end it from here. */

export interface Hold {
  readonly label: string;
  /** What ends the hold. */
  readonly ends: string;
  /** True if the hold lasts until a human does something. */
  readonly needsHuman: boolean;
  /** True if the page has a button that ends the hold. */
  readonly isReleasable: boolean;
}

const hold = (label: string, ends: string, needsHuman: boolean, isReleasable = false): Hold => ({
  label,
  ends,
  needsHuman,
  isReleasable,
});

export const HOLDS: Readonly<Record<string, Hold>> = {
  "session-gone": hold("session gone", "The session's agent has ended. Restart the session, or cancel the message.", true),
  "agent-not-running": hold("agent not running", "A shell is in the foreground. Start the agent in its pane.", true),
  "do-not-disturb": hold("do not disturb", "A human holds this session. Release it to let the messages through.", true, true),
  "copy-mode": hold("copy mode", "Somebody scrolls in the pane. Leave copy mode to let the messages through.", true),
  "human-typing": hold("human typing", "Somebody types in the pane. hark delivers when the typing pauses.", false),
  dialog: hold("dialog open", "The agent shows a dialog. Answer it to let the messages through.", true),
  draft: hold("draft in the box", "A half-typed draft is in the input box. Submit or clear it, or leave it alone for a while.", true),
  busy: hold("agent busy", "The agent works. hark delivers when it can take a message.", false),
  unreachable: hold("unreachable", "The agent, its terminal or its host does not answer.", true),
  "called-off": hold("called off", "hark took the delivery back and tries again by itself.", false),
  internal: hold("internal error", "Something failed. The last receipt and the log say what.", true),
};

const UNKNOWN = hold("held", "hark does not say what ends this hold.", true);

export function holdOf(reason: string | null): Hold {
  return (reason !== null && HOLDS[reason]) || UNKNOWN;
}
