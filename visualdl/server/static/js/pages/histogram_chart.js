// Draws the histograms of a run: behind each other, each at its step, or over each other.
import { duration, short } from "../format.js";
import { mix } from "../reading.js";

// So much of the height belongs to the tallest histogram where they stand behind each other, and
// where one stands alone.
const RIDGE = 0.34;
const ALONE = 0.92;

/** The drawing of a run's histograms; `view` is `{mode, axis, height}` as chosen in the toolbar. */
export class Drawing {
  constructor(board, run, view) {
    Object.assign(this, { board, run, view, rows: [] });
  }

  /** Takes records, `[{ms, step, bins: [[left, right, count], ...]}]`. */
  set(records) {
    if (records === this.records && this.height === this.view.height) return;
    this.records = records;
    this.height = this.view.height;
    this.rows = records.map((one) => rowOf(one, this.height)).filter(Boolean);
    const ends = this.rows.flatMap((row) => [row.x[0], row.x[row.x.length - 1]]);
    this.low = ends.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = ends.reduce((a, b) => Math.max(a, b), -Infinity);
    this.most = this.rows.reduce((most, row) => row.y.reduce((a, b) => Math.max(a, b), most), 0);
    if (!(this.most > 0)) this.most = 1;
  }

  /** The part of the height that the tallest one takes. */
  get #ridgePart() {
    return this.rows.length > 1 ? RIDGE : ALONE;
  }

  /** Where a row stands on the axis that goes down. */
  #along(row) {
    if (this.view.axis === "step") return row.step;
    return this.view.axis === "wall" ? row.ms : (row.ms - this.rows[0].ms) / 1000;
  }

  option() {
    const offset = this.view.mode === "offset";
    const label = { fontSize: 11, hideOverlap: true };
    return {
      animation: false,
      grid: { left: 10, right: 12, top: 12, bottom: 6, outerBoundsMode: "same" },
      xAxis: {
        type: "value", min: this.low, max: this.high, splitLine: { show: false }, splitNumber: 6,
        axisLine: { onZero: false },
        axisLabel: { ...label, formatter: short, showMinLabel: false, showMaxLabel: false },
      },
      yAxis: offset ? this.#down(label) : {
        type: "value", min: 0, max: this.most * 1.04, splitNumber: 4,
        axisLabel: { ...label, formatter: short, showMaxLabel: false },
      },
      series: [{
        type: "custom", silent: true, data: this.rows.map((row) => [0, this.#along(row)]),
        renderItem: (params, api) => (offset ? this.#ridge(params, api) : this.#line(params, api)),
        encode: { x: -1, y: offset ? 1 : -1 }, clip: false, z: 3,
      }],
    };
  }

  /** The axis of steps or times; above the first there is room for its histogram. */
  #down(label) {
    const places = this.rows.map((row) => this.#along(row));
    const first = places.reduce((a, b) => Math.min(a, b), Infinity);
    const last = places.reduce((a, b) => Math.max(a, b), -Infinity);
    const span = last > first ? last - first : 1;
    const part = this.#ridgePart;
    const { axis } = this.view;
    const formatter = { step: short, relative: duration }[axis];
    return {
      type: axis === "wall" ? "time" : "value", inverse: true, position: "right",
      min: first - (span * part) / (1 - part), max: last, splitNumber: 5,
      axisLabel: { ...label, ...(formatter ? {
        // The room above the first holds no steps.
        formatter: (value) => (value < first ? "" : formatter(value)),
      } : {}), showMinLabel: false, showMaxLabel: axis !== "wall" },
      axisLine: { show: false }, axisTick: { show: false }, splitLine: { show: false },
      minInterval: axis === "step" ? 1 : 0,
    };
  }

  #color(at) {
    const part = this.rows.length > 1 ? at / (this.rows.length - 1) : 1;
    return mix(this.board.variable("--panel"), this.board.color(this.run), 0.22 + 0.78 * part);
  }

  #ridge({ dataIndex: at, coordSys }, { coord }) {
    const row = this.rows[at];
    if (!row) return null;
    const points = this.#points(row, coord, coordSys.height);
    const line = { lineJoin: "round", lineWidth: 1 };
    return {
      type: "group", children: [
        { type: "polygon", shape: { points }, style: { fill: this.#color(at), opacity: 0.88 } },
        { type: "polyline", shape: { points }, style: { ...line, fill: null,
          stroke: mix(this.#color(at), this.board.variable("--panel"), 0.55) } },
      ],
    };
  }

  #line({ dataIndex: at, coordSys }, { coord }) {
    const row = this.rows[at];
    if (!row) return null;
    return { type: "polyline", shape: { points: this.#points(row, coord, coordSys.height) },
      style: { fill: null, stroke: this.#color(at), lineWidth: 1.3, lineJoin: "round",
        opacity: 0.85 } };
  }

  /** The outline of a row in pixels. */
  #points(row, coord, height) {
    if (this.view.mode !== "offset") return row.x.map((x, at) => coord([x, row.y[at]]));
    const scale = (height * this.#ridgePart) / this.most;
    const place = this.#along(row);
    return row.x.map((x, at) => {
      const [left, top] = coord([x, place]);
      return [left, top - row.y[at] * scale];
    });
  }

  #outline(echarts, row) {
    const { height } = echarts.getModel().getComponent("grid").coordinateSystem.getRect();
    const coord = (pair) => echarts.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, pair);
    return this.#points(row, coord, height);
  }

  /** The row and the bin at a pixel: the row whose outline is nearest above or below it. */
  near(echarts, x, y) {
    if (!echarts || echarts.isDisposed() || this.rows.length === 0) return null;
    let best = null;
    let least = Infinity;
    this.rows.forEach((row, at) => {
      const points = this.#outline(echarts, row);
      const distance = Math.abs(heightAt(points, x) - y);
      // The later one is in front.
      if (distance <= least) {
        least = distance;
        best = at;
      }
    });
    if (best === null) return null;
    const value = echarts.convertFromPixel({ xAxisIndex: 0 }, x);
    const { bins } = this.rows[best];
    const bin = bins.findIndex(([, right]) => value < right);
    return { row: best, bin: bin < 0 ? bins.length - 1 : bin };
  }

  /** Where a key leads to: left and right along the bins, up and down along the rows. */
  walk(at, key) {
    if (this.rows.length === 0) return null;
    const end = this.rows.length - 1;
    if (!at || !this.rows[at.row]) return { row: end, bin: tallest(this.rows[end].bins) };
    const row = key === "Home" ? 0 : key === "End" ? end
      : Math.min(end, Math.max(0, at.row + ({ ArrowUp: -1, ArrowDown: 1 }[key] ?? 0)));
    const bin = at.bin + ({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0);
    return { row, bin: Math.min(this.rows[row].bins.length - 1, Math.max(0, bin)) };
  }

  /** What is at a place: its row, its bin, and where they are drawn. */
  place(echarts, { row: number, bin }) {
    const row = this.rows[number];
    if (!row?.bins[bin] || !echarts || echarts.isDisposed()) return null;
    const line = this.#outline(echarts, row);
    return { row, bin: row.bins[bin], line, pixel: line[bin + 1] };
  }
}

/** A record ready to be drawn, null where it has no bin of finite edges. */
function rowOf({ ms, step, bins }, height) {
  const good = bins.filter((bin) => bin.every(Number.isFinite) && bin[1] >= bin[0]);
  if (good.length === 0) return null;
  const total = good.reduce((sum, [, , count]) => sum + count, 0);
  const tall = ([left, right, count]) => {
    if (height !== "density") return count;
    return right > left && total > 0 ? count / total / (right - left) : 0;
  };
  return {
    ms, step, bins: good, total,
    x: [good[0][0], ...good.map(([left, right]) => left + (right - left) / 2), good.at(-1)[1]],
    y: [0, ...good.map(tall), 0],
  };
}

function tallest(bins) {
  return bins.reduce((best, bin, at) => (bin[2] > bins[best][2] ? at : best), 0);
}

/** How high a line runs at `x`; far away where it does not reach there. */
function heightAt(points, x) {
  const at = points.findIndex(([left]) => left >= x);
  if (at === 0 && points[0][0] - x > 4) return Infinity;
  if (at < 0) return x - points.at(-1)[0] > 4 ? Infinity : points.at(-1)[1];
  const [right, before] = [points[at], points[Math.max(0, at - 1)]];
  const part = right[0] > before[0] ? (x - before[0]) / (right[0] - before[0]) : 1;
  return before[1] + (right[1] - before[1]) * part;
}
