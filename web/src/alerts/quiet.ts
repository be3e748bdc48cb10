/** Quiet hours: `22:00-07:00`, local time, with commas between several. */

const SPAN = /^\s*(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*$/;

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Read quiet hours in minutes of the day; null if a part of the text is no span. */
export function readQuietHours(text: string): Span[] | null {
  if (text.trim() === "") return [];
  const spans: Span[] = [];
  for (const part of text.split(",")) {
    const found = SPAN.exec(part);
    if (found === null) return null;
    const [, h1, m1, h2, m2] = found.map(Number);
    if (h1! > 23 || h2! > 24 || m1! > 59 || m2! > 59) return null;
    spans.push({ from: h1! * 60 + m1!, to: h2! * 60 + m2! });
  }
  return spans;
}

/** True if the minute of the day lies in one of the spans; a span may reach over midnight. */
export function isQuietAt(spans: readonly Span[], minute: number): boolean {
  return spans.some(({ from, to }) => (from <= to ? minute >= from && minute < to : minute >= from || minute < to));
}
