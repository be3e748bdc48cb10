/** The overview: what the daemon has done, in numbers. */
import "../styles/pages.css";
import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { holdOf } from "../attention/holds";
import { formatLatency, formatSpan } from "../format/time";
import { useLoaded } from "../parts/load";
import { get } from "../wire/calls";
import { CHARTS, sumHolds, type Chart, type Numbers } from "./numbers";

const dark = matchMedia("(prefers-color-scheme: dark)");

function ChartPanel({ chart, numbers }: { chart: Chart; numbers: Numbers }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [isDark, setDark] = useState(dark.matches);
  useEffect(() => {
    const follow = (): void => setDark(dark.matches);
    dark.addEventListener("change", follow);
    return () => dark.removeEventListener("change", follow);
  }, []);
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isWanted = true;
    void import("./plot").then(({ draw }) => {
      if (isWanted && box.current !== null) remove = draw(chart, numbers.hours, box.current);
    });
    return () => {
      isWanted = false;
      remove?.();
    };
  }, [chart, numbers, isDark]);
  const totals = chart.series.map(({ label, of }) => `${label}: ${numbers.hours.map((hour) => of(hour) ?? "none").join(", ")}`);
  return (
    <section class="panel chart" aria-label={chart.title}>
      <header>
        <h2>{chart.title}</h2>
      </header>
      <div class="plot" ref={box} role="img" aria-label={`${chart.title}, by hour. ${totals.join(". ")}`} />
      <div class="legend">
        {chart.series.map(({ label }, index) => (
          <span key={label} data-series={index + 1}>
            {label}
          </span>
        ))}
      </div>
    </section>
  );
}

function Figure({ label, children }: { label: string; children: string | number }): JSX.Element {
  return (
    <div class="panel figure">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Holds({ numbers }: { numbers: Numbers }): JSX.Element {
  const holds = sumHolds(numbers);
  const longest = Math.max(1, ...holds.map(({ seconds }) => seconds));
  return (
    <section class="panel chart" aria-label="Holds by reason">
      <header>
        <h2>Holds by reason</h2>
      </header>
      {holds.length === 0 && <p class="nothing">No message was held.</p>}
      <ul class="bars body">
        {holds.map(({ reason, count, seconds }) => (
          <li key={reason}>
            <span>{holdOf(reason).label}</span>
            <span class="bar" style={{ width: `${Math.max(1, (seconds / longest) * 100)}%` }} />
            <span class="number">
              {count}× {formatSpan(seconds)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SPANS: readonly [number, string][] = [
  [6, "6 hours"],
  [24, "24 hours"],
  [168, "7 days"],
];

const latency = (seconds: number | null): string => (seconds === null ? "–" : formatLatency(seconds));

export function OverviewPage(): JSX.Element {
  const [hours, setHours] = useState(24);
  const { value: numbers, problem } = useLoaded(() => get<Numbers>(`/dashboard/overview?hours=${hours}`), [hours]);
  return (
    <>
      <div class="page-head">
        <h1>Overview</h1>
        <span class="row-of-things" role="group" aria-label="Time span">
          {SPANS.map(([span, label]) => (
            <button key={span} aria-pressed={hours === span} onClick={() => setHours(span)}>
              {label}
            </button>
          ))}
        </span>
      </div>
      {problem !== null && <p class="problem">{problem.detail}</p>}
      {numbers !== null && (
        <>
          <dl class="figures">
            <Figure label="Messages delivered">{numbers.delivered}</Figure>
            <Figure label="Median time to delivery">{latency(numbers.delivery_p50_s)}</Figure>
            <Figure label="95 of 100 within">{latency(numbers.delivery_p95_s)}</Figure>
            <Figure label="Sessions">{numbers.sessions}</Figure>
            <Figure label="Working">{numbers.working}</Figure>
            <Figure label="Need a human">{numbers.needing}</Figure>
          </dl>
          <div class="charts">
            {CHARTS.map((chart) => (
              <ChartPanel key={chart.title} chart={chart} numbers={numbers} />
            ))}
            <Holds numbers={numbers} />
          </div>
        </>
      )}
    </>
  );
}
