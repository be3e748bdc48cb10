/** Reads when a message is to be sent: now, "in 20 min", "at 14:30", "tomorrow 9:00", or "when idle". */

export type Schedule =
  | { readonly kind: "now" }
  | { readonly kind: "idle" }
  | { readonly kind: "delay"; readonly seconds: number }
  | { readonly kind: "at"; readonly at: Date };

const UNITS: readonly [RegExp, number][] = [
  [/^(s|sec|secs|second|seconds)$/, 1],
  [/^(m|min|mins|minute|minutes)$/, 60],
  [/^(h|hr|hrs|hour|hours)$/, 3600],
  [/^(d|day|days)$/, 86400],
];
const LONGEST = 366 * 86400;

const DELAY = /^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/;

function readDelay(words: string): number | null {
  const text = words.replaceAll(/\s+and\s+/g, " ");
  if (!DELAY.test(text)) return null;
  let seconds = 0;
  for (const [, amount, name] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = UNITS.find(([pattern]) => pattern.test(name!));
    if (unit === undefined) return null;
    seconds += Number(amount) * unit[1];
  }
  return seconds > 0 && seconds <= LONGEST ? seconds : null;
}

/** Return the schedule that the words mean; null if they mean none. */
export function readSchedule(words: string, now: Date): Schedule | null {
  const text = words.trim().toLowerCase();
  if (text === "" || text === "now") return { kind: "now" };
  if (text === "when idle" || text === "idle") return { kind: "idle" };
  const delay = readDelay(text.replace(/^in\s+/, ""));
  if (delay !== null) return { kind: "delay", seconds: delay };
  const clock = /^(tomorrow\s+)?(?:at\s+)?(\d{1,2}):(\d{2})$/.exec(text);
  if (clock === null || Number(clock[2]) > 23 || Number(clock[3]) > 59) return null;
  const at = new Date(now);
  at.setHours(Number(clock[2]), Number(clock[3]), 0, 0);
  if (clock[1] !== undefined || at <= now) at.setDate(at.getDate() + 1);
  return { kind: "at", at };
}
