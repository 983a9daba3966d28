// The vectors of one tag as the page uses them: projected points, labels by column, colour groups.
import { colorOf } from "../theme.js";

export const MOST_GROUPS = 24; // categories with a colour of their own
const BINS = 32;
const FEW = 12; // so few different numbers are rather categories
const natural = new Intl.Collator(undefined, { numeric: true }).compare;

/**
 * Asks for the points by PCA and the labels.
 *
 * @returns {Promise<Object>} `{points, dimension, rows, width, columns, variance}`; `points` is a
 *   Float32Array, row by row, `columns` is a list of `{name, values, distinct, numeric, numbers}`.
 */
export async function load(board, { run, tag, dimension }, signal) {
  const answer = await board.get("embedding/points",
    { run, tag, method: "pca", dimension }, { signal });
  const rows = answer.points.length;
  const points = new Float32Array(rows * dimension);
  answer.points.forEach((row, at) => {
    for (let d = 0; d < dimension; d += 1) points[at * dimension + d] = Number(row[d]) || 0;
  });
  return {
    points, dimension, rows, width: answer.shape?.[1] ?? 0, variance: answer.variance ?? [],
    columns: columnsOf(answer.labels ?? [], answer.header ?? [], board.t),
  };
}

function columnsOf(labels, header, t) {
  let count = header.length;
  for (const row of labels) count = Math.max(count, row.length);
  return Array.from({ length: count }, (_, at) => {
    const name = header[at] || (count === 1 ? t("label") : t("labelNumber", at + 1));
    return column(name, labels.map((row) => row[at] ?? ""));
  });
}

function column(name, values) {
  const distinct = new Map();
  for (const value of values) distinct.set(value, (distinct.get(value) ?? 0) + 1);
  const given = [...distinct.keys()].filter((value) => value.trim() !== "");
  const numeric = given.length > 0 && given.every((value) => Number.isFinite(Number(value)));
  return { name, values, distinct, numeric };
}

/** The column that tells most when it colours the points, "" where none does. */
export function bestColumn(columns) {
  const groups = columns.findIndex(({ distinct }) => distinct.size > 1
    && distinct.size <= MOST_GROUPS);
  if (groups >= 0) return groups;
  return columns.findIndex((one) => one.numeric && !isCounter(one));
}

/** Whether a column only numbers the rows. */
function isCounter({ values }) {
  return values.every((value, at) => value === String(at) || value === String(at + 1));
}

/** Whether a column of numbers is shown as a scale unless the reader says otherwise. */
export const isScale = (one) => one.numeric && one.distinct.size > FEW;

/**
 * Colours for a column.
 *
 * @param {Object|null} chosen A column, null for one colour.
 * @param {boolean} scale By number instead of by category.
 * @param {{ramp: Function, variable: Function}} board Gives the colours of the theme.
 * @returns {{kind: "none"|"categories"|"scale", of: Uint8Array, groups: Object[]}} `of` is the
 *   group of each row, a group is `{name, color, count, rest}`.
 */
export function colouring(chosen, scale, rows, board) {
  if (!chosen) {
    const one = { name: "", color: board.variable("--accent"), count: rows };
    return { kind: "none", of: new Uint8Array(rows), groups: [one] };
  }
  return scale && chosen.numeric ? byNumber(chosen, board) : byCategory(chosen, board);
}

function byCategory({ values, distinct }, board) {
  const largest = [...distinct].sort((a, b) => b[1] - a[1] || natural(a[0], b[0]));
  const kept = largest.slice(0, MOST_GROUPS).map(([name]) => name).sort(natural);
  const place = new Map(kept.map((name, at) => [name, at]));
  const groups = kept.map((name, at) => ({ name, color: colorOf(at), count: distinct.get(name) }));
  const rest = values.length - groups.reduce((sum, one) => sum + one.count, 0);
  if (rest > 0) {
    groups.push({ name: "", color: board.variable("--muted"), count: rest, rest: true });
  }
  const of = Uint8Array.from(values, (value) => place.get(value) ?? kept.length);
  return { kind: "categories", of, groups, others: distinct.size - kept.length };
}

function byNumber({ values }, board) {
  let [least, most] = [Infinity, -Infinity];
  const numbers = values.map((value) => (value.trim() === "" ? NaN : Number(value)));
  for (const value of numbers) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const width = most - least || 1;
  const groups = Array.from({ length: BINS }, (_, at) => ({
    name: "", color: board.ramp(at / (BINS - 1)), count: 0,
  }));
  groups.push({ name: "", color: board.variable("--muted"), count: 0, rest: true });
  const of = Uint8Array.from(numbers, (value) => {
    const at = Number.isNaN(value) ? BINS
      : Math.min(BINS - 1, Math.floor(((value - least) / width) * BINS));
    groups[at].count += 1;
    return at;
  });
  return { kind: "scale", of, groups, least, most };
}

/**
 * At most `most` vectors of one tag for the worker, chosen by the server; row `must` is among them.
 *
 * @returns {Promise<Object>} `{rows, width, ids, vectors}`: how many vectors there are, their
 *   length, the numbers of the chosen ones in rising order (Int32Array), and these (Float32Array).
 */
export async function loadSample(board, { run, tag }, most, must, signal) {
  const answer = await board.get("embedding/sample", { run, tag, most, with: must },
    { signal, as: "buffer" });
  const [rows, width, count] = new Int32Array(answer, 0, 3);
  return {
    rows, width, ids: new Int32Array(answer, 12, count),
    vectors: new Float32Array(answer, 12 + 4 * count),
  };
}

/** The rows of a table with these numbers, as a table of their own. */
export function pick(table, width, ids) {
  const out = new Float32Array(ids.length * width);
  ids.forEach((id, at) => out.set(table.subarray(id * width, (id + 1) * width), at * width));
  return out;
}

/** Places and labels of the points as a table; `ids` are their rows, null for all in order. */
export function csvOf({ points, dimension, count }, ids, columns) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = ["row", "x", "y", "z"].slice(0, dimension + 1);
  const lines = [[...head, ...columns.map((one) => quoted(one.name))]];
  for (let at = 0; at < count; at += 1) {
    const row = ids ? ids[at] : at;
    lines.push([row, ...points.subarray(at * dimension, (at + 1) * dimension),
      ...columns.map((one) => quoted(one.values[row]))]);
  }
  return new Blob([lines.map((line) => line.join(",")).join("\n"), "\n"], { type: "text/csv" });
}
