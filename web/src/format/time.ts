/** How instants and spans of time read on the page. */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;

/** A span in its largest unit, and the next one while it still matters: `8s`, `12m`, `3h 20m`, `2d`. */
export function formatSpan(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  if (s < MINUTE) return `${s}s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)}m`;
  if (s < DAY) {
    const minutes = Math.floor((s % HOUR) / MINUTE);
    return s < 6 * HOUR && minutes > 0 ? `${Math.floor(s / HOUR)}h ${minutes}m` : `${Math.floor(s / HOUR)}h`;
  }
  return `${Math.floor(s / DAY)}d`;
}

export function formatAge(at: string | null | undefined, now: number): string {
  if (!at) return "";
  const instant = Date.parse(at);
  return Number.isNaN(instant) ? "" : formatSpan((now - instant) / 1000);
}

const pad = (n: number): string => String(n).padStart(2, "0");

/** The time of the day, with the date if that is not today. */
export function formatClock(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  if (date.toDateString() === today.toDateString()) return clock;
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock}`;
}

/** A duration in milliseconds or seconds, for time to delivery. */
export function formatLatency(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return formatSpan(seconds);
}
