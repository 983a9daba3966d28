// The data of one chart of scalars: fetched in bounded parts, put together, smoothed.

const MOST_POINTS = 12000; // in one chart, over all its runs; twice as many at full size
const RUNS_PER_REQUEST = 20;
const LETTERS_PER_REQUEST = 3000;

// Numbers that JSON cannot hold come as texts.
const asNumber = (value) => (typeof value === "number" ? value : Number(value ?? NaN));

/** How many points a run may bring, given how many runs there are and how wide the chart is. */
export function pointsPerRun(runs, width) {
  const most = width > 800 ? 2 * MOST_POINTS : MOST_POINTS;
  return Math.max(200, Math.min(2000, Math.floor(most / Math.max(1, runs))));
}

/**
 * The points of a tag over runs: `{run: {rows: [[ms, step, value, stride]], total}}`.
 *
 * `stride` is how many logged records a row stands for. `within` is `{axis, from, to}` for a part
 * of the data (steps or milliseconds); its rows are given a stride by `strideOf`.
 */
export async function fetchRuns(board, tag, runs, { points, within = null, signal }) {
  const range = within ? { axis: within.axis, from: within.from, to: within.to } : {};
  const answers = await Promise.all(parts(runs).map((part) =>
    board.get("scalar/many", { tag, run: part, points, ...range }, { signal })));
  const out = {};
  for (const [run, one] of Object.entries(Object.assign({}, ...answers))) out[run] = decode(one);
  return out;
}

function decode({ points, total }) {
  const stride = Math.max(1, (total ?? points.length) / Math.max(1, points.length));
  return { rows: points.map(([ms, step, value]) => [ms, step, asNumber(value), stride]), total };
}

/**
 * Gives the rows of a part their stride, by how far they are apart beside the rows of the whole.
 */
export function strideOf(fine, whole, axis) {
  const column = axis === "step" ? 1 : 0;
  const span = (rows) => Math.abs(rows.at(-1)[column] - rows[0][column]);
  if (fine.length < 2 || whole.rows.length < 2 || span(whole.rows) === 0) return fine;
  const records = (whole.total * span(fine)) / span(whole.rows);
  const stride = Math.max(1, records / fine.length);
  return fine.map(([ms, step, value]) => [ms, step, value, stride]);
}

function parts(runs) {
  const out = [];
  let letters = Infinity;
  for (const run of runs) {
    const size = encodeURIComponent(run).length + 5;
    if (letters + size > LETTERS_PER_REQUEST || out.at(-1).length >= RUNS_PER_REQUEST) {
      out.push([]);
      letters = 0;
    }
    out.at(-1).push(run);
    letters += size;
  }
  return out;
}

/** The rows of a run with those of a finer look at a part put in their place. */
export function splice(rows, fine) {
  if (!fine || fine.rows.length === 0) return rows;
  const column = fine.axis === "step" ? 1 : 0;
  const [from, to] = [fine.rows[0][column], fine.rows.at(-1)[column]];
  const before = rows.filter((row) => row[column] < from);
  const after = rows.filter((row) => row[column] > to);
  return before.concat(fine.rows, after);
}

/**
 * The exponential moving average of the values, free of the start's bias.
 *
 * A row that stands for several records counts as several, so that a curve looks the same at
 * every resolution. What is not finite is passed over and stays as it is. It is taken of the
 * distances from the first value, so that a constant stays one: what rounding leaves would be all
 * that a chart of it shows.
 */
export function smooth(rows, weight) {
  let sum = 0;
  let norm = 0;
  const first = rows.find((row) => Number.isFinite(row[2]))?.[2] ?? 0;
  return rows.map(([, , value, stride]) => {
    if (!Number.isFinite(value)) return value;
    const keep = weight ** stride;
    sum = sum * keep + (value - first) * (1 - keep);
    norm = norm * keep + (1 - keep);
    return norm > 0 ? first + sum / norm : value;
  });
}

/** The positions of the rows on the axis: steps, seconds since the first, or milliseconds. */
export function positions(rows, axis, first) {
  if (axis === "step") return rows.map((row) => row[1]);
  if (axis === "relative") return rows.map((row) => (row[0] - first) / 1000);
  return rows.map((row) => row[0]);
}

/** The range of values to show: all, or the inner part where outliers shall not count. */
export function extent(values, { log, outliers }) {
  const finite = values.filter((value) => Number.isFinite(value) && !(log && value <= 0));
  if (finite.length === 0) return null;
  finite.sort((a, b) => a - b);
  const [low, high] = [finite[0], finite.at(-1)];
  if (!outliers || finite.length < 10) return [low, high];
  const at = (part) => finite[Math.round(part * (finite.length - 1))];
  const [q1, q3] = [at(0.05), at(0.95)];
  const room = log ? 0 : 0.25 * (q3 - q1);
  return [Math.max(low, q1 - room), Math.min(high, q3 + room)];
}

/** What is not finite, counted: `[{run, step, value}]` of the first ones, and how many. */
export function broken(series) {
  const found = [];
  let count = 0;
  for (const { label, rows } of series) {
    for (const [, step, value] of rows) {
      if (Number.isFinite(value)) continue;
      count += 1;
      if (found.length < 8) found.push({ run: label, step, value });
    }
  }
  return { found, count };
}
