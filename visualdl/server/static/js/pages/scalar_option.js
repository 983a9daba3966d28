// What ECharts draws for one chart of scalars.
import { duration, short } from "../format.js";
import { extent } from "./scalar_data.js";

/**
 * The option of the chart.
 *
 * @param {Array<{name, color, x: number[], y: number[], smoothed: number[]|null}>} series
 * @param {{axis, log, outliers, range: [number, number]|null, language}} view
 */
export function optionOf(series, view) {
  return {
    animation: false,
    grid: { left: 8, right: 14, top: 10, bottom: 6, outerBoundsMode: "same" },
    xAxis: xAxis(series, view),
    yAxis: yAxis(series, view),
    series: series.flatMap((one) => lines(one, view)),
  };
}

function xAxis(series, { axis, range }) {
  const label = { hideOverlap: true, fontSize: 11, showMaxLabel: false };
  if (range) label.showMinLabel = false;
  if (axis === "step") label.formatter = short;
  if (axis === "relative") label.formatter = duration;
  return {
    type: axis === "wall" ? "time" : "value", scale: true, splitNumber: 5, axisLabel: label,
    min: range ? range[0] : null, max: range ? range[1] : greatest(series),
    minInterval: axis === "step" ? 1 : 0,
    splitLine: { show: false }, axisLine: { onZero: false },
  };
}

/** The end of the longest run; null (as ECharts likes) where there is only one position. */
function greatest(series) {
  let [low, high] = [Infinity, -Infinity];
  for (const { x } of series) {
    for (const at of x) {
      if (at < low) low = at;
      if (at > high) high = at;
    }
  }
  return high > low ? high : null;
}

function yAxis(series, view) {
  const { log, outliers, range } = view;
  const axis = {
    type: log ? "log" : "value", scale: true, splitNumber: 5, min: null, max: null,
    axisLabel: { formatter: short, fontSize: 11, hideOverlap: true },
    axisLine: { show: false }, axisTick: { show: false },
  };
  if (!outliers && !range) return axis;
  const found = extent(shownValues(series, range), { log, outliers });
  if (!found) return axis;
  const [low, high] = found;
  const room = high > low ? 0.05 * (high - low) : Math.abs(high) * 0.05 || 1;
  axis.min = log ? low * 0.9 : low - room;
  axis.max = log ? high * 1.1 : high + room;
  Object.assign(axis.axisLabel, { showMinLabel: false, showMaxLabel: false });
  return axis;
}

function shownValues(series, range) {
  const values = [];
  for (const { x, y, smoothed } of series) {
    for (let at = 0; at < x.length; at += 1) {
      if (range && (x[at] < range[0] || x[at] > range[1])) continue;
      values.push(y[at]);
      if (smoothed) values.push(smoothed[at]);
    }
  }
  return values;
}

function lines(one, { log }) {
  const pairs = (values) => values.map((value, at) =>
    [one.x[at], Number.isFinite(value) && !(log && value <= 0) ? value : null]);
  const common = {
    type: "line", name: one.label, color: one.color, symbol: "circle",
    showSymbol: one.x.length <= 24, symbolSize: one.x.length === 1 ? 7 : 4,
    silent: true, emphasis: { disabled: true },
  };
  const main = {
    ...common, id: `main ${one.key}`, data: pairs(one.smoothed ?? one.y), z: 3,
    lineStyle: { width: 1.6, color: one.color }, itemStyle: { color: one.color },
  };
  if (!one.smoothed) return [main];
  const raw = {
    ...common, id: `raw ${one.key}`, data: pairs(one.y), z: 2, showSymbol: false,
    lineStyle: { width: 1, color: one.color, opacity: 0.28 },
    itemStyle: { color: one.color, opacity: 0.28 },
  };
  return [main, raw]; // a legend takes the colour of the first
}
