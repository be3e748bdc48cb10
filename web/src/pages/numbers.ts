/** The shapes of the overview's numbers, and what the charts need from them. */

export interface Hour {
  readonly hour: string;
  readonly queued: number;
  readonly delivered: number;
  readonly delivery_p50_s: number | null;
  readonly delivery_p95_s: number | null;
  readonly turns: number;
  readonly signals: Readonly<Record<string, number>>;
  readonly holds: Readonly<Record<string, number>>;
  readonly failed: number;
}

export interface Numbers {
  readonly since: string;
  readonly hours: readonly Hour[];
  readonly delivered: number;
  readonly delivery_p50_s: number | null;
  readonly delivery_p95_s: number | null;
  readonly hold_seconds: Readonly<Record<string, number>>;
  readonly sessions: number;
  readonly working: number;
  readonly needing: number;
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly kind: "bars" | "lines";
  readonly series: readonly { readonly label: string; readonly of: (hour: Hour) => number | null }[];
}

const ATTENTION = ["needs_input", "needs_testing", "error"];
const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((total, count) => total + count, 0);

export const CHARTS: readonly Chart[] = [
  {
    title: "Messages per hour",
    unit: "",
    kind: "bars",
    series: [
      { label: "queued", of: (hour) => hour.queued },
      { label: "delivered", of: (hour) => hour.delivered },
      { label: "failed", of: (hour) => hour.failed },
    ],
  },
  {
    title: "Time to delivery",
    unit: "s",
    kind: "lines",
    series: [
      { label: "median", of: (hour) => hour.delivery_p50_s },
      { label: "95 of 100 below", of: (hour) => hour.delivery_p95_s },
    ],
  },
  { title: "Turns per hour", unit: "", kind: "bars", series: [{ label: "turns begun", of: (hour) => hour.turns }] },
  {
    title: "Signals per hour",
    unit: "",
    kind: "bars",
    series: [
      { label: "all", of: (hour) => sum(hour.signals) },
      { label: "completed", of: (hour) => hour.signals["completed"] ?? 0 },
      { label: "want a human", of: (hour) => ATTENTION.reduce((total, state) => total + (hour.signals[state] ?? 0), 0) },
    ],
  },
];

/** The columns that the chart draws: the instants in seconds, then one column for each series. */
export function columnsOf(chart: Chart, hours: readonly Hour[]): (number | null)[][] {
  return [hours.map((hour) => Date.parse(hour.hour) / 1000), ...chart.series.map(({ of }) => hours.map(of))];
}

export interface HoldSum {
  readonly reason: string;
  readonly count: number;
  readonly seconds: number;
}

/** How often and how long messages were held, by reason, the longest first. */
export function sumHolds(numbers: Numbers): HoldSum[] {
  const counts = new Map<string, number>();
  for (const hour of numbers.hours) {
    for (const [reason, count] of Object.entries(hour.holds)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  const reasons = new Set([...counts.keys(), ...Object.keys(numbers.hold_seconds)]);
  return [...reasons]
    .map((reason) => ({ reason, count: counts.get(reason) ?? 0, seconds: numbers.hold_seconds[reason] ?? 0 }))
    .filter(({ count, seconds }) => count > 0 || seconds > 0)
    .sort((a, b) => b.seconds - a.seconds || b.count - a.count);
}
