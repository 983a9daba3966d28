// Reads values off a chart of scalars and zooms it: by pointer and by keys.
import { el, fill } from "../dom.js";
import { duration, number, time } from "../format.js";

const MOST_ROWS = 20;
const LEAST_DRAG = 6;

/** The line, dots and table that follow the pointer, and the area that a drag selects. */
export class Cursor {
  constructor(card) {
    this.card = card;
    this.plot = card.plot;
    this.at = null; // position on the axis
    this.pointerY = null;
    this.drag = null;
    this.layer = el("div", { class: "cursor-layer", "aria-hidden": "true" });
    this.tip = el("div", { class: "tip", role: "status", hidden: true });
    this.#listen();
  }

  #listen() {
    const { plot } = this;
    plot.addEventListener("pointermove", (event) => this.#move(event));
    plot.addEventListener("pointerleave", () => !this.drag && this.hide());
    plot.addEventListener("pointerdown", (event) => this.#press(event));
    plot.addEventListener("pointerup", (event) => this.#release(event));
    plot.addEventListener("pointercancel", () => this.hide());
    plot.addEventListener("dblclick", () => this.card.setRange(null));
    plot.addEventListener("blur", () => this.hide());
    plot.addEventListener("keydown", (event) => this.#key(event));
    plot.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  get #echarts() {
    const drawn = this.card.chart?.echarts;
    return drawn && !drawn.isDisposed() && this.card.drawn ? drawn : null;
  }

  #toAxis(pixel) {
    return this.#echarts?.convertFromPixel({ xAxisIndex: 0 }, pixel);
  }

  #toPixel(x, y) {
    return this.#echarts?.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [x, y]);
  }

  /** The plotted part in pixels, `{x, y, width, height}`. */
  #area() {
    return this.#echarts?.getModel().getComponent("grid").coordinateSystem.getRect();
  }

  #window() {
    const area = this.#area();
    return [this.#toAxis(area.x), this.#toAxis(area.x + area.width)];
  }

  #move(event) {
    if (!this.#echarts) return;
    const box = this.plot.getBoundingClientRect();
    const area = this.#area();
    const x = Math.min(area.x + area.width, Math.max(area.x, event.clientX - box.left));
    this.pointerY = event.clientY - box.top;
    this.at = this.#toAxis(x);
    if (this.drag) this.drag.to = x;
    this.redraw();
  }

  #press(event) {
    if (event.button !== 0 || event.pointerType === "touch" || !this.#echarts) return;
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    this.drag = { from: x, to: x };
    this.plot.setPointerCapture(event.pointerId);
  }

  #release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || !this.#echarts) return;
    this.plot.releasePointerCapture(event.pointerId);
    if (Math.abs(drag.to - drag.from) >= LEAST_DRAG) {
      const ends = [this.#toAxis(drag.from), this.#toAxis(drag.to)].sort((a, b) => a - b);
      this.card.setRange(ends);
    }
    this.redraw();
  }

  #wheel(event) {
    if (!event.ctrlKey || !this.#echarts) return;
    event.preventDefault();
    const pixel = event.clientX - this.plot.getBoundingClientRect().left;
    this.zoom(event.deltaY < 0 ? 0.7 : 1 / 0.7, this.#toAxis(pixel));
  }

  /** Makes the shown part `factor` times as wide, about a position of the axis. */
  zoom(factor, about) {
    if (!this.#echarts) return;
    const [from, to] = this.#window();
    const centre = about ?? this.at ?? (from + to) / 2;
    const after = [centre - (centre - from) * factor, centre + (to - centre) * factor];
    const all = this.card.lines.flatMap((one) => [one.x[0], one.x.at(-1)]).filter(Number.isFinite);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    if (after[0] <= low && after[1] >= high) this.card.setRange(null);
    else if (after[1] - after[0] > 1e-9 * Math.max(1, Math.abs(centre))) this.card.setRange(after);
  }

  #key(event) {
    if (event.target !== this.plot || !this.#echarts) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
    if (step) this.#walk(step);
    else if (event.key === "Home" || event.key === "End") {
      this.#walk(event.key === "Home" ? -Infinity : Infinity);
    } else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0") this.card.setRange(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #walk(step) {
    const [from, to] = this.#window();
    const all = new Set(this.card.lines.flatMap((one) => one.x));
    const sorted = [...all].filter((x) => x >= from && x <= to).sort((a, b) => a - b);
    if (sorted.length === 0) return;
    const now = this.at === null ? 0 : sorted.findIndex((x) => x >= this.at);
    const by = this.at === null && Number.isFinite(step) ? 0 : step; // the first value at first
    this.at = sorted[Math.min(sorted.length - 1, Math.max(0, now + by))];
    this.pointerY = null;
    this.redraw();
  }

  hide() {
    this.at = null;
    this.drag = null;
    this.layer.remove();
    this.tip.hidden = true;
    this.tip.remove();
  }

  /** Draws the line, the dots and the table where the cursor is. */
  redraw() {
    if (this.at === null || !this.#echarts) {
      this.hide();
      return;
    }
    const rows = this.#rows();
    const area = this.#area();
    const x = this.#toPixel(this.at, 0)?.[0] ?? area.x;
    const line = el("i", { class: "cursor-line", style: {
      left: `${x}px`, top: `${area.y}px`, height: `${area.height}px` } });
    const dots = rows.filter((one) => one.pixel && one.pixel.every(Number.isFinite)).map((one) =>
      el("i", { class: "cursor-dot", style: { left: `${one.pixel[0]}px`,
        top: `${one.pixel[1]}px`, "--run": one.color } }));
    fill(this.layer, line, dots, this.#dragged(area));
    if (!this.layer.isConnected) this.plot.after(this.layer);
    this.#showTip(rows, x, area);
  }

  #dragged(area) {
    if (!this.drag) return null;
    const [from, to] = [this.drag.from, this.drag.to].sort((a, b) => a - b);
    return el("i", { class: "cursor-drag", style: { left: `${from}px`, width: `${to - from}px`,
      top: `${area.y}px`, height: `${area.height}px` } });
  }

  #rows() {
    const { order } = this.card.page.view;
    const [from, to] = this.#window();
    const rows = [];
    for (const one of this.card.lines) {
      const at = nearest(one.x, this.at, from, to);
      if (at < 0) continue;
      const value = one.y[at];
      const shown = one.smoothed ? one.smoothed[at] : value;
      const row = one.rows[at];
      rows.push({ name: one.label, color: one.color, value, smoothed: one.smoothed ? shown : null,
        shown, step: row[1], ms: row[0], relative: (row[0] - one.first) / 1000,
        pixel: this.#toPixel(one.x[at], shown) });
    }
    const distance = (one) => (this.pointerY === null || !one.pixel
      ? 0 : Math.abs(one.pixel[1] - this.pointerY));
    const near = rows.reduce((best, one) => (distance(one) < distance(best) ? one : best), rows[0]);
    if (near && this.pointerY !== null) near.near = true;
    const size = (one) => (Number.isNaN(one.shown) ? -Infinity : one.shown);
    rows.sort({
      down: (a, b) => size(b) - size(a) || 0, up: (a, b) => size(a) - size(b) || 0,
      near: (a, b) => distance(a) - distance(b), name: (a, b) => (a.name < b.name ? -1 : 1),
    }[order] ?? (() => 0));
    return rows;
  }

  #showTip(rows, x, area) {
    const t = this.card.board.t;
    if (rows.length === 0) {
      this.tip.hidden = true;
      return;
    }
    const smoothed = rows.some((one) => one.smoothed !== null);
    const keys = ["run", ...(smoothed ? ["smoothed"] : []), "value", "step", "relative", "time"];
    const head = keys.map((key) =>
      el("th", { class: key === "run" || key === "time" ? "" : "number" }, t(key)));
    const lines = rows.slice(0, MOST_ROWS).map((one) => el("tr", { class: one.near ? "near" : "" },
      el("td", { class: "tip-run", style: { "--run": one.color } },
        el("span", { class: "swatch" }), " ", one.name),
      smoothed ? el("td", { class: "number" }, number(one.smoothed, 5)) : null,
      [number(one.value, 6), one.step, duration(one.relative)].map((text) =>
        el("td", { class: "number" }, text)),
      el("td", {}, time(one.ms))));
    const more = rows.length > MOST_ROWS ? el("p", { class: "muted" },
      t("andMore", rows.length - MOST_ROWS)) : null;
    const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines));
    fill(this.tip, table, more);
    if (!this.tip.isConnected) document.body.append(this.tip);
    this.tip.hidden = false;
    this.#placeTip(x, area);
  }

  #placeTip(x, area) {
    const box = this.plot.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    let left = box.left + x + 16;
    if (left + width > innerWidth - 8) left = box.left + x - width - 16;
    left = Math.max(8, Math.min(left, innerWidth - width - 8));
    let top = box.top + area.y + area.height + 34;
    if (top + height > innerHeight - 8) top = box.top - height - 8;
    if (top < 8) top = Math.max(8, innerHeight - height - 8);
    Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
  }
}

/** The index of the position nearest to `x` between `from` and `to`, -1 where there is none. */
function nearest(positions, x, from, to) {
  let best = -1;
  let least = Infinity;
  for (let at = 0; at < positions.length; at += 1) {
    const p = positions[at];
    const distance = Math.abs(p - x);
    if (distance < least && p >= from && p <= to) {
      least = distance;
      best = at;
    }
  }
  return best;
}
