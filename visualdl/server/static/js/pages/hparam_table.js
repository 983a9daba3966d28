// The table of runs with their hyper-parameters and metrics.
import { el, fill } from "../dom.js";
import { cellText } from "./hparam_filters.js";

const FIRST_ROWS = 200;
const LONG = 32; // letters; the rest of such a cell shows when it is pointed at

/**
 * Draws the table.
 *
 * @param {HTMLElement} place Where to.
 * @param {Array} rows The sessions in their order.
 * @param {Array} columns The columns to show.
 * @param {{board, sort: {column, down}, paint, onSort}} how `paint(session)` gives its colour.
 */
export function drawTable(place, rows, columns, how) {
  const focused = document.activeElement?.dataset?.sort;
  const body = el("tbody", {});
  const more = (from) => {
    body.append(...rows.slice(from, from + FIRST_ROWS).map((one) => line(one, columns, how)));
    const left = rows.length - from - FIRST_ROWS;
    return left > 0 ? el("button", {
      type: "button", class: "more",
      onclick: (event) => event.target.replaceWith(more(from + FIRST_ROWS) ?? ""),
    }, how.board.t("more", left)) : null;
  };
  const { t } = how.board;
  const heads = [head("", t("run"), null, how),
    ...columns.map((one) => head(one.key, one.name, t(one.kind), how, one.type === "number"))];
  const rest = more(0);
  fill(place, el("div", { class: "table-scroll", tabIndex: 0, role: "region",
    "aria-label": t("hparam") },
  el("table", {}, el("thead", {}, el("tr", {}, heads)), body)), rest);
  if (focused !== undefined) {
    place.querySelector(`button[data-sort="${CSS.escape(focused)}"]`)?.focus();
  }
}

function head(key, name, kind, { sort, onSort, board }, isNumber = false) {
  const sorted = sort.column === key;
  return el("th", {
    scope: "col", class: isNumber ? "number" : "",
    "aria-sort": sorted ? (sort.down ? "descending" : "ascending") : "none",
  }, el("button", {
    type: "button", class: "plain sort", title: board.t("sortBy", name), dataset: { sort: key },
    onclick: () => onSort(key),
  }, name, el("span", { class: "arrow", "aria-hidden": "true" },
    sorted ? (sort.down ? "▼" : "▲") : ""), kind ? el("small", {}, kind) : null));
}

function line(one, columns, { paint, board }) {
  const link = el("a", {
    href: `#/scalar?run=${encodeURIComponent(one.name)}`, title: board.t("openScalars"),
  }, board.label(one.name));
  return el("tr", { dataset: { run: one.name } },
    el("th", { scope: "row", style: { "--run": paint(one) } },
      el("span", { class: "swatch" }), " ", link),
    columns.map((column) => cell(cellText(column.value(one)), column.type === "number")));
}

function cell(text, isNumber) {
  if (isNumber) return el("td", { class: "number" }, text);
  return el("td", text.length > LONG ? { class: "long", title: text } : {}, text);
}
