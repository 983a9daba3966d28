// One chart of scalars: its head with the actions, its data, its zoom.
import { stayInside } from "../controls.js";
import { debounce, el, fill } from "../dom.js";
import { number, time } from "../format.js";
import { title } from "../tag_page.js";
import { Cursor } from "./scalar_cursor.js";
import {
  broken, fetchRuns, pointsPerRun, positions, smooth, splice, strideOf,
} from "./scalar_data.js";
import { downloadAll, downloadPicture, downloadRun } from "./scalar_download.js";
import { optionOf } from "./scalar_option.js";

/** A card of the grid; `page` is the page of scalars, `item` is `{key, tag, runs}`. */
export class ScalarCard {
  constructor(item, page) {
    this.page = page;
    this.board = page.board;
    this.item = item;
    this.runs = new Map(); // run -> {rows, total, first, fine}
    this.old = new Set();
    this.log = this.board.state.get("logs", []).includes(item.tag);
    this.range = readZoom(this.board, item.tag);
    this.drawn = false;
    this.#build();
    this.fetchFine = debounce(120, () => this.#load([...this.runs.keys()], true));
  }

  #build() {
    const { board, item } = this;
    const t = board.t;
    const pinned = this.page.pins.includes(item.tag);
    this.pinButton = board.iconButton("pin", t(pinned ? "unpin" : "pin"),
      () => this.page.togglePin(item.tag), { pressed: pinned });
    this.logButton = board.iconButton("log", t("cardLog"), () => this.#toggleLog(),
      { pressed: this.log });
    this.resetButton = board.iconButton("reset", t("reset"), () => this.setRange(null));
    this.fullButton = board.iconButton("full", t("full"), () => this.toggleFull());
    const menu = board.menu("download", t("download"), () => this.#downloads());
    this.zoomButtons = el("span", { class: "zoom-buttons" },
      board.iconButton("plus", t("zoomIn"), () => this.cursor.zoom(0.5)),
      board.iconButton("minus", t("zoomOut"), () => this.cursor.zoom(2)));
    this.plot = el("div", {
      class: "plot", tabIndex: 0, role: "group", "aria-label": t("chartOf", item.tag),
    });
    this.status = el("p", { class: "card-status", "aria-live": "polite" });
    this.values = el("div", { class: "values" });
    this.element = board.card(title(item.tag), {
      actions: [this.zoomButtons, this.resetButton, this.pinButton, this.logButton, menu,
        this.fullButton],
      body: [this.plot, this.status, this.values],
    });
    this.element.classList.add("scalar-card");
    this.element.dataset.tag = item.tag;
    this.resetButton.hidden = !this.range;
    this.cursor = new Cursor(this);
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** At full size: Escape goes back, Tab stays inside. */
  #key(event) {
    if (!this.element.classList.contains("full")) return;
    if (event.key === "Escape") this.toggleFull();
    stayInside(event, this.element);
  }

  /** The grid tells: the card came into sight. */
  show() {
    if (!this.chart) this.chart = this.board.chart(this.plot, {});
    this.draw();
    this.#fetchMissing();
  }

  /** The grid tells: the card left. */
  hide() {
    this.abort?.abort();
    this.abort = null;
    this.busy = false;
    this.fetchFine.cancel();
    this.cursor.hide();
    this.chart?.dispose();
    this.chart = null;
    this.drawn = false;
  }

  close() {
    this.hide();
  }

  /** The grid tells: the runs that have the tag, or their choice, may have changed. */
  change(item) {
    const pinned = this.page.pins.includes(item.tag);
    this.pinButton.setAttribute("aria-pressed", String(pinned));
    const label = this.board.t(pinned ? "unpin" : "pin");
    this.pinButton.title = label;
    this.pinButton.setAttribute("aria-label", label);
    const same = item.runs.length === this.item.runs.length &&
      item.runs.every((run, at) => run === this.item.runs[at]);
    this.item = item;
    if (same) return;
    const there = this.board.index("scalar");
    for (const run of this.runs.keys()) {
      if (!there.get(run)?.has(item.tag)) this.runs.delete(run);
    }
    if (!this.seen) return;
    this.draw();
    this.#fetchMissing();
  }

  /** New records came for these runs. */
  stale(runs) {
    for (const run of runs) this.old.add(run);
    if (this.seen) this.#fetchMissing();
  }

  #fetchMissing() {
    const wanted = this.item.runs.filter((run) => !this.runs.has(run) || this.old.has(run));
    if (wanted.length > 0) this.#load(wanted, Boolean(this.range));
  }

  /** Reads runs; while it reads, what is asked for waits for its end. */
  async #load(runs, fine) {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    this.abort = new AbortController();
    const { signal } = this.abort;
    const fresh = runs.filter((run) => !this.runs.has(run) || this.old.has(run));
    for (const run of runs) this.old.delete(run);
    try {
      await this.#read(runs, fine, fresh, signal);
      fill(this.status);
    } catch (error) {
      for (const run of fresh) this.old.add(run); // also what the reader scrolled away from
      if (error.name === "AbortError") return;
      fill(this.status, this.board.t("loadFailed", error.message));
      if (!error.offline && error.status !== 404) console.warn(error.message);
    }
    if (signal.aborted) return;
    this.busy = false;
    this.draw();
    if (this.again) {
      this.again = false;
      this.#fetchMissing();
      if (this.range && !this.busy) this.#load([...this.runs.keys()], true);
    }
  }

  /** Reads runs: in a zoom the finer points of all, and all points of the `fresh` ones before. */
  async #read(runs, fine, fresh, signal) {
    const { board, item } = this;
    const points = pointsPerRun(item.runs.length, this.plot.clientWidth);
    const range = fine && this.range;
    const wanted = range ? fresh : runs;
    const whole = wanted.length === 0 ? {} :
      await fetchRuns(board, item.tag, wanted, { points, signal });
    for (const [run, one] of Object.entries(whole)) {
      this.runs.set(run, { ...one, first: one.rows[0]?.[0] ?? 0, fine: null });
    }
    if (range) await this.#readFine(runs, range, points, signal);
  }

  async #readFine(runs, range, points, signal) {
    const { board, item } = this;
    const axis = this.page.view.axis;
    const coarse = runs.filter((run) => {
      const one = this.runs.get(run);
      return one && (one.total ?? 0) > one.rows.length;
    });
    const ask = async (some, from, to) => {
      const within = { axis: axis === "step" ? "step" : "wall", from, to };
      const got = await fetchRuns(board, item.tag, some, { points, within, signal });
      for (const [run, one] of Object.entries(got)) {
        const known = this.runs.get(run);
        if (known) known.fine = { axis: within.axis, rows: strideOf(one.rows, known, within.axis) };
      }
    };
    if (axis === "step") await ask(coarse, Math.floor(range[0]), Math.ceil(range[1]));
    else if (axis === "wall") await ask(coarse, Math.floor(range[0]), Math.ceil(range[1]));
    else {
      await Promise.all(coarse.map((run) => {
        const { first } = this.runs.get(run);
        return ask([run], Math.floor(first + range[0] * 1000), Math.ceil(first + range[1] * 1000));
      }));
    }
  }

  /** The lines as they are drawn: `[{key, name, color, rows, x, y, smoothed}]`. */
  series() {
    const { axis, smooth: weight } = this.page.view;
    return this.item.runs.filter((run) => this.runs.has(run)).map((run) => {
      const one = this.runs.get(run);
      const rows = splice(one.rows, this.range ? one.fine : null);
      return {
        key: run, name: run, label: this.board.label(run), color: this.board.color(run), rows,
        total: one.total,
        first: one.first, x: positions(rows, axis, one.first), y: rows.map((row) => row[2]),
        smoothed: weight > 0 ? smooth(rows, weight) : null,
      };
    });
  }

  draw() {
    if (!this.chart) return;
    const { view } = this.page;
    this.lines = this.series();
    const log = view.log !== this.log; // a chart of its own mind turns the choice for all around
    const option = optionOf(this.lines, { ...view, log, range: this.range });
    this.chart.set(option, { whole: true });
    this.drawn = this.lines.length > 0;
    this.cursor.redraw();
    this.#drawValues();
    this.#drawBroken();
    if (log && this.drawn && !this.lines.some((one) => one.y.some((value) => value > 0))) {
      fill(this.status, this.board.t("nothingPositive"));
    }
  }

  #drawBroken() {
    const { found, count } = broken(this.lines);
    this.badge?.remove();
    this.badge = null;
    if (count === 0) return;
    const t = this.board.t;
    const text = found.map((one) => t("brokenAt", one.run, one.step, number(one.value)));
    if (count > found.length) text.push(t("andMore", count - found.length));
    this.badge = el("span", { class: "badge", title: text.join("\n") }, t("broken", count));
    this.element.actions.before(this.badge);
  }

  #drawValues() {
    if (!this.element.classList.contains("full")) {
      fill(this.values);
      return;
    }
    const t = this.board.t;
    const heads = ["run", "latest", "lowest", "highest", "step", "records", "time"];
    const rows = this.lines.map((one) => {
      const last = one.rows.at(-1) ?? [NaN, NaN, NaN];
      const finite = one.y.filter(Number.isFinite);
      const cells = [last[2], least(finite), most(finite)].map((value) => number(value, 6));
      return el("tr", {},
        el("th", { scope: "row", style: { "--run": one.color } },
          el("span", { class: "swatch" }), " ", one.label),
        [...cells, last[1], one.total ?? one.rows.length].map((text) =>
          el("td", { class: "number" }, text)),
        el("td", {}, time(last[0])));
    });
    fill(this.values, el("table", {},
      el("thead", {}, el("tr", {}, heads.map((key, at) =>
        el("th", { scope: "col", class: at > 0 && at < 6 ? "number" : "" }, t(key))))),
      el("tbody", {}, rows)));
  }

  #toggleLog() {
    this.log = !this.log;
    this.logButton.setAttribute("aria-pressed", String(this.log));
    const others = this.board.state.get("logs", []).filter((tag) => tag !== this.item.tag);
    const all = this.log ? [...others, this.item.tag] : others;
    this.board.state.set("logs", all.length ? all : null);
    this.draw();
  }

  /** Shows a part of the axis, `[from, to]`, or all of it for null, and fetches finer points. */
  setRange(range) {
    this.range = range && range[1] > range[0] ? range : null;
    this.resetButton.hidden = !this.range;
    writeZoom(this.board, this.item.tag, this.range);
    this.draw();
    if (this.range && this.seen) this.fetchFine();
  }

  toggleFull() {
    const full = this.element.classList.toggle("full");
    const label = this.board.t(full ? "shrink" : "full");
    fill(this.fullButton, this.board.icon(full ? "shrink" : "full"));
    this.fullButton.title = label;
    this.fullButton.setAttribute("aria-label", label);
    document.documentElement.classList.toggle("has-full", full);
    this.draw();
    this.chart?.resize();
    this.stale([...this.runs.keys()]); // a wider chart shows more points
    this.fullButton.focus();
  }

  #downloads() {
    const t = this.board.t;
    const each = this.item.runs.slice(0, 30).map((run) =>
      [t("csvOf", this.board.label(run)), () => downloadRun(this, run)]);
    return [[t("png"), () => downloadPicture(this)], [t("csv"), () => downloadAll(this)], ...each];
  }

  /** What tests read: `{run: [[x, value, smoothed or null], ...]}` as it is drawn. */
  shownData() {
    return Object.fromEntries((this.lines ?? []).map((one) =>
      [one.name, one.x.map((x, at) => [x, one.y[at], one.smoothed?.[at] ?? null])]));
  }
}

const least = (values) => values.reduce((a, b) => Math.min(a, b), values[0] ?? NaN);
const most = (values) => values.reduce((a, b) => Math.max(a, b), values[0] ?? NaN);

// A zoom in the address: `from~to~tag`.
const tagOf = (text) => text.split("~").slice(2).join("~");
const plain = (value) => Number(value.toPrecision(15));

function readZoom(board, tag) {
  const found = board.state.get("zoom", []).find((text) => tagOf(text) === tag);
  if (!found) return null;
  const [from, to] = found.split("~").map(Number);
  return Number.isFinite(from) && Number.isFinite(to) && to > from ? [from, to] : null;
}

function writeZoom(board, tag, range) {
  const others = board.state.get("zoom", []).filter((text) => tagOf(text) !== tag);
  if (range) others.push(`${plain(range[0])}~${plain(range[1])}~${tag}`);
  board.state.set("zoom", others.length ? others : null);
}
