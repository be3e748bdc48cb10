/** Draws a chart with uPlot in the colours of the page. */
import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import type { Chart, Hour } from "./numbers";
import { columnsOf } from "./numbers";

const HEIGHT = 180;
const COLOURS = ["--accent", "--completed", "--error", "--input"];

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The bars of series stand in front of each other, the later ones narrower. */
const bars = (index: number): uPlot.Series.PathBuilder => uPlot.paths.bars!({ size: [0.72 - index * 0.2, 22 - index * 6], radius: 0.15 });

function seriesOf(chart: Chart, index: number): uPlot.Series {
  const stroke = colour(COLOURS[index] ?? "--accent");
  const { label } = chart.series[index]!;
  if (chart.kind === "lines") return { label, stroke, width: 2, spanGaps: false, points: { size: 5 } };
  return { label, stroke, width: 0, fill: stroke, paths: bars(index), points: { show: false } };
}

function axesOf(chart: Chart): uPlot.Axis[] {
  const shared = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
  return [{ ...shared, grid: { show: false } }, { ...shared, size: 46, values: (_plot, splits) => splits.map((value) => `${value}${chart.unit && ` ${chart.unit}`}`) }];
}

/** Draw the chart into the element; returns what removes it. */
export function draw(chart: Chart, hours: readonly Hour[], element: HTMLElement): () => void {
  const options: uPlot.Options = {
    width: element.clientWidth - 16,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.15)] } },
    series: [{}, ...chart.series.map((_series, index) => seriesOf(chart, index))],
    axes: axesOf(chart),
  };
  const plot = new uPlot(options, columnsOf(chart, hours) as uPlot.AlignedData, element);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth - 16, height: HEIGHT }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
