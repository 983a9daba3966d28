// What ECharts draws for hyper-parameters: parallel axes and a scatter chart.
import { el } from "../dom.js";
import { short } from "../format.js";
import { cellText } from "./hparam_filters.js";

/** Parallel axes: one a column, one line a run. */
export function parallelOption(rows, columns, { paint, log, board }) {
  const axes = columns.map((one, dim) => ({
    dim, name: one.name, ...scale(one, rows, log),
  }));
  return {
    animation: false,
    parallel: {
      left: 56, right: 84, top: 40, bottom: 22,
      parallelAxisDefault: {
        nameLocation: "end", nameGap: 16, z: 20,
        nameTextStyle: { fontSize: 12, color: board.variable("--text") },
        axisLabel: {
          fontSize: 11, color: board.variable("--text"), width: 90, overflow: "truncate",
          textBorderColor: board.variable("--panel"), textBorderWidth: 3,
        },
        areaSelectStyle: { width: 16, color: board.variable("--accent"), opacity: 0.2 },
      },
    },
    parallelAxis: axes,
    series: [{
      type: "parallel", inactiveOpacity: 0.06, activeOpacity: 0.9, smooth: false,
      lineStyle: { width: rows.length > 200 ? 1 : 1.8, opacity: rows.length > 200 ? 0.45 : 0.8 },
      data: rows.map((row) => ({
        name: row.name, value: columns.map((one) => drawn(one.value(row))),
        lineStyle: { color: paint(row) },
      })),
    }],
    tooltip: tooltip(rows, columns, board.label),
  };
}

/** A scatter chart of two columns. */
export function scatterOption(rows, x, y, columns, { paint, log, board }) {
  const axis = (one) => ({
    ...scale(one, rows, log), name: one.name, nameLocation: "middle",
    nameTextStyle: { color: board.variable("--text") },
  });
  return {
    animation: false,
    grid: { left: 34, right: 24, top: 18, bottom: 30, outerBoundsMode: "same" },
    xAxis: { ...axis(x), nameGap: 26 },
    yAxis: { ...axis(y), nameGap: 44 },
    series: [{
      type: "scatter", symbolSize: rows.length > 200 ? 7 : 11,
      data: rows.map((row) => ({
        name: row.name, value: [drawn(x.value(row)), drawn(y.value(row))],
        itemStyle: { color: paint(row), opacity: 0.9 },
      })),
    }],
    tooltip: tooltip(rows, columns, board.label),
  };
}

function scale(column, rows, log) {
  if (column.type === "text") return { type: "category", data: column.values };
  const values = rows.map(column.value).filter(Number.isFinite);
  const positive = values.length > 0 && values.every((value) => value > 0);
  return { type: log && positive ? "log" : "value", scale: true, axisLabel: { formatter: short } };
}

const drawn = (value) => (typeof value === "string" || Number.isFinite(value) ? value : "-");

function tooltip(rows, columns, label) {
  return {
    trigger: "item", confine: true,
    formatter: ({ dataIndex }) => {
      const row = rows[dataIndex];
      if (!row) return "";
      return el("div", { class: "hparam-tip" }, el("strong", {}, label(row.name)),
        el("table", {}, columns.map((one) => el("tr", {}, el("td", {}, one.name),
          el("td", { class: "number" }, cellText(one.value(row)))))));
    },
  };
}
