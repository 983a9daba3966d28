// Reads values off a chart: what is nearest to the pointer, or where the arrow keys went.
import { el, fill, svg } from "./dom.js";

/**
 * Follows the pointer and the keys over a plot.
 *
 * `source` has `near(x, y)`, which gives what is nearest to a pixel, or null; `walk(at, key)`, what
 * an arrow key, Home or End leads to (`at` is null at first); `tell(at)`, which gives
 * `{pixel: [x, y], color, head, rows: [[name, text], ...], line: [[x, y], ...]}`, or null where it
 * is not there any more.
 */
export class Reading {
  constructor(plot, source) {
    Object.assign(this, { plot, source, at: null });
    this.layer = el("div", { class: "reading-layer", "aria-hidden": "true" });
    this.tip = el("div", { class: "tip reading", role: "status" });
    plot.addEventListener("pointermove", (event) => this.#move(event));
    plot.addEventListener("pointerdown", (event) => this.#move(event));
    plot.addEventListener("pointerleave", () => this.hide());
    plot.addEventListener("blur", () => this.hide());
    plot.addEventListener("keydown", (event) => this.#key(event));
  }

  #move(event) {
    const box = this.plot.getBoundingClientRect();
    this.at = this.source.near(event.clientX - box.left, event.clientY - box.top);
    this.redraw();
  }

  #key(event) {
    if (event.target !== this.plot || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape" && this.at !== null) {
      this.hide();
    } else if (/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(event.key)) {
      this.at = this.source.walk(this.at, event.key);
      this.redraw();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  hide() {
    this.at = null;
    this.layer.remove();
    this.tip.remove();
  }

  /** Draws the mark and the table again, after the chart has changed. */
  redraw() {
    const told = this.at === null ? null : this.source.tell(this.at);
    if (!told) {
      this.hide();
      return;
    }
    const [x, y] = told.pixel;
    const { clientWidth: width, clientHeight: height } = this.plot;
    const line = told.line && svg("polyline", {
      points: told.line.map((one) => one.map((v) => v.toFixed(1)).join(",")).join(" "),
      class: "reading-line",
    });
    fill(this.layer, svg("svg", { width, height }, line, svg("circle", {
      cx: x, cy: y, r: 4.5, fill: told.color, class: "reading-dot",
    })));
    if (!this.layer.isConnected) this.plot.after(this.layer);
    fill(this.tip, el("p", { class: "tip-head", style: { "--run": told.color } },
      el("span", { class: "swatch" }), ` ${told.head}`),
    el("table", {}, el("tbody", {}, told.rows.map(([name, text]) =>
      el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, text))))));
    if (!this.tip.isConnected) document.body.append(this.tip);
    this.#placeTip(x, y);
  }

  #placeTip(x, y) {
    const box = this.plot.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    let left = box.left + x + 18;
    if (left + width > innerWidth - 8) left = box.left + x - width - 18;
    const top = Math.min(box.top + y - height / 2, innerHeight - height - 8);
    Object.assign(this.tip.style, {
      left: `${Math.max(8, left)}px`, top: `${Math.max(8, top)}px`,
    });
  }
}

/** A colour between two, given as "#rrggbb", for `part` in 0..1. */
export function mix(from, to, part) {
  const parts = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const [a, b] = [from, to].map(parts);
  return `#${a.map((value, at) => Math.round(value + (b[at] - value) * part).toString(16)
    .padStart(2, "0")).join("")}`;
}
