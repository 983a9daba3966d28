// The curves of the page of PR and ROC: their data, the area under them, what ECharts draws.
import { short } from "../format.js";

/**
 * A row of the server, `[ms, step, precision or tpr, recall or fpr, TP, FP, TN, FN, ...]`, by name.
 *
 * Number i of n thresholds takes for true what has a prediction of at least i / (n - 1); this is
 * how the counts were made. (The server's own column of thresholds is kept as others expect it.)
 */
export function curveOf([ms, step, y, x, TP, FP, TN, FN]) {
  const last = Math.max(1, x.length - 1);
  const numbers = (list) => list.map((value) => (Number.isFinite(value) ? value : NaN));
  return {
    ms, step, x: numbers(x), y: numbers(y), TP, FP, TN, FN, threshold: x.map((_, at) => at / last),
  };
}

/**
 * The area under a ROC curve by trapezoids, or the average precision of a PR curve; NaN where one
 * of the classes it compares is missing: at the first threshold everything is taken for true.
 */
export function areaUnder({ x, y }, kind) {
  if (x.length === 0 || x[0] === 0 || (kind === "roc_curve" && y[0] === 0)) return NaN;
  let sum = 0;
  for (let at = 0; at < x.length; at += 1) {
    const last = [0, kind === "pr_curve" ? y[at] : 0];
    const [nextX, nextY] = at + 1 < x.length ? [x[at + 1], y[at + 1]] : last;
    if (kind === "pr_curve") sum += y[at] > 0 ? (x[at] - nextX) * y[at] : 0;
    else sum += ((x[at] - nextX) * (y[at] + nextY)) / 2;
  }
  return sum;
}

/**
 * The option of a chart.
 *
 * @param {Array<{run, color, curve}>} lines
 * @param {"pr_curve"|"roc_curve"} kind
 * @param {(key: string) => string} t
 */
export function optionOf(lines, kind, t) {
  const pr = kind === "pr_curve";
  const axis = (name, place) => ({
    type: "value", min: 0, max: 1, splitNumber: 5, name: t(name), nameLocation: "middle",
    nameGap: place, axisLabel: { fontSize: 11, formatter: short }, axisTick: { show: false },
    nameTextStyle: { fontSize: 11.5 },
  });
  const chance = { type: "line", data: [[0, 0], [1, 1]], silent: true, symbol: "none", z: 1,
    lineStyle: { type: "dashed", width: 1, opacity: 0.5 }, color: "#8a94a3" };
  return {
    animation: false,
    grid: { left: 22, right: 16, top: 12, bottom: 24, outerBoundsMode: "same",
      outerBoundsContain: "axisLabel" },
    xAxis: axis(pr ? "recall" : "fpr", 26), yAxis: axis(pr ? "precision" : "tpr", 34),
    series: [...lines.map((one) => line(one, pr)), ...(pr ? [] : [chance])],
  };
}

function line({ run, color, curve }, pr) {
  const data = curve.x.map((x, at) => {
    // Where nothing was taken for true there is no precision; the log says 0. (Counts are whole:
    // those of examples that count little are 0 though there is a precision.)
    const none = pr && curve.TP[at] + curve.FP[at] === 0 && !(curve.y[at] > 0);
    return none || !Number.isFinite(x + curve.y[at]) ? [x, null] : [x, curve.y[at]];
  });
  return {
    type: "line", name: run, id: run, data, color, silent: true, z: 3, connectNulls: false,
    symbol: "circle", symbolSize: 4.5, showSymbol: data.length <= 60,
    lineStyle: { width: 1.8, color }, itemStyle: { color }, emphasis: { disabled: true },
  };
}
