// Draws the points, their labels and what is marked into a canvas.
import { el } from "../dom.js";
import { variable } from "../theme.js";
import { drawLabels } from "./embedding_labels.js";
import { Space } from "./embedding_space.js";

/** How a point is drawn; higher ones over lower ones. */
export const MARK = { none: 0, found: 1, near: 2, chosen: 3 };

/**
 * A canvas with points. After changing `space`, `marks` or what `set` took, call `draw()`; it
 * draws once with the next picture of the screen.
 */
export class Scene {
  constructor(place) {
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.place = place;
    place.append(this.canvas);
    this.space = new Space();
    this.of = new Uint8Array(0); // group of each point
    this.groups = [];
    this.hidden = new Set(); // groups that are not shown
    this.marks = new Uint8Array(0);
    this.cursor = -1;
    this.label = () => "";
    this.labelled = false;
    this.axes = [];
    this.drawn = null; // the points of the last picture
    this.sprites = new Map();
    this.shown = (at) => !this.hidden.has(this.of[at]);
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(place);
    this.#resize();
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (!width || !height) return;
    const dense = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * dense);
    this.canvas.height = Math.round(height * dense);
    Object.assign(this.space, { width, height });
    this.draw();
  }

  /** Colours by group: `of` the group of each point, `groups` their colours. */
  color({ of, groups }) {
    Object.assign(this, { of, groups });
    this.sprites.clear();
    this.draw();
  }

  draw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.paint(this.canvas.getContext("2d"), devicePixelRatio || 1);
      this.drawn = this.space.points;
    });
  }

  /** Radius of a point in px, smaller where there are many. */
  radius() {
    const { count, zoom } = this.space;
    const base = 2.1 + 3.4 / (1 + count / 900);
    return base * Math.min(2.2, Math.max(1, zoom ** 0.3));
  }

  /** Paints everything into a context whose unit is px. */
  paint(context, dense) {
    const { space } = this;
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, space.width, space.height);
    space.place();
    this.colors = { text: variable("--text"), panel: variable("--panel"),
      muted: variable("--muted"), line: variable("--strong"), accent: variable("--accent") };
    this.#frame(context);
    const marked = this.#points(context, dense);
    this.#rings(context, marked);
    drawLabels(context, this, marked);
    context.globalAlpha = 1;
  }

  /** The box in 3D, and the names of the axes. */
  #frame(context) {
    const { space, colors } = this;
    context.strokeStyle = colors.line;
    context.lineWidth = 1;
    for (const [x, y, toX, toY, near] of space.box()) {
      context.globalAlpha = 0.6 + 0.35 * Math.max(-1, Math.min(1, near));
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(toX, toY);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (!this.axes.length || !space.count) return;
    context.fillStyle = colors.muted;
    context.font = `11.5px ${fontOf(this.place)}`;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    if (space.dimension === 3) {
      space.axisPlaces().forEach(([x, y], d) => this.#axis(context, this.axes[d] ?? "", x, y));
      return;
    }
    context.fillText(this.axes[0] ?? "", space.width / 2, space.height - 7);
    context.save();
    context.translate(14, space.height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(this.axes[1] ?? "", 0, 0);
    context.restore();
  }

  /** The name of an axis, kept inside the picture as long as its place is. */
  #axis(context, name, x, y) {
    const { width } = this.space;
    const half = context.measureText(name).width / 2 + 4;
    const inside = x > 0 && x < width ? Math.max(half, Math.min(width - half, x)) : x;
    context.fillText(name, inside, y);
  }

  /** The points from back to front, marked ones last. Gives the marked ones. */
  #points(context, dense) {
    const { space, marks } = this;
    const radius = this.radius();
    const marked = [];
    const dimmed = marks.some((mark) => mark > 0);
    const { width, height } = space;
    for (let turn = 0; turn < space.count; turn += 1) {
      const at = space.order[turn];
      if (!this.shown(at)) continue;
      if (marks[at]) {
        marked.push(at);
        continue;
      }
      const [x, y] = [space.x[at], space.y[at]];
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      this.#point(context, at, radius, dimmed ? 0.16 : 0.86, dense);
    }
    marked.sort((a, b) => marks[a] - marks[b]);
    for (const at of marked) this.#point(context, at, radius * 1.25, 1, dense);
    return marked;
  }

  #point(context, at, radius, opacity, dense) {
    const { space } = this;
    const size = space.dimension === 3 ? space.size[at] : 1;
    const part = space.dimension === 3 ? Math.min(1, Math.max(0.35, size * size * 0.75)) : 1;
    context.globalAlpha = opacity * part;
    const sprite = this.#sprite(this.of[at] ?? 0, dense);
    const half = (radius + 1) * size;
    context.drawImage(sprite, space.x[at] - half, space.y[at] - half, 2 * half, 2 * half);
  }

  #sprite(group, dense) {
    const known = this.sprites.get(group);
    if (known) return known;
    const side = Math.ceil(26 * dense);
    const sprite = el("canvas");
    sprite.width = sprite.height = side;
    const context = sprite.getContext("2d");
    context.beginPath();
    context.arc(side / 2, side / 2, side * 0.4, 0, 2 * Math.PI);
    context.fillStyle = this.groups[group]?.color ?? this.colors.muted;
    context.fill();
    context.lineWidth = side * 0.06;
    context.strokeStyle = this.colors.panel;
    context.stroke();
    this.sprites.set(group, sprite);
    return sprite;
  }

  /** Rings around what is chosen or under the cursor, lines to the neighbours. */
  #rings(context, marked) {
    const { space, marks, colors } = this;
    const chosen = marked.find((at) => marks[at] === MARK.chosen) ?? -1;
    const ring = (at, more, color, width) => {
      if (at < 0 || at >= space.count) return;
      context.beginPath();
      context.arc(space.x[at], space.y[at], this.radius() * space.size[at] + more, 0, 2 * Math.PI);
      context.strokeStyle = color;
      context.lineWidth = width;
      context.stroke();
    };
    context.globalAlpha = 0.45;
    context.strokeStyle = colors.muted;
    context.lineWidth = 1;
    for (const at of marked) {
      if (chosen < 0 || marks[at] !== MARK.near) continue;
      context.beginPath();
      context.moveTo(space.x[chosen], space.y[chosen]);
      context.lineTo(space.x[at], space.y[at]);
      context.stroke();
    }
    context.globalAlpha = 1;
    ring(chosen, 4, colors.text, 2);
    ring(this.cursor, 6, colors.accent, 2);
  }

  /** The picture as a PNG (a data address), twice as fine as on the screen. */
  image() {
    const copy = el("canvas");
    copy.width = 2 * this.space.width;
    copy.height = 2 * this.space.height;
    const context = copy.getContext("2d");
    this.sprites.clear();
    const cursor = this.cursor;
    this.cursor = -1;
    this.paint(context, 2);
    this.cursor = cursor;
    this.sprites.clear();
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = this.colors.panel;
    context.fillRect(0, 0, copy.width, copy.height);
    return copy.toDataURL("image/png");
  }

  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.asked);
  }
}

/** The font of an element, for a canvas. */
export const fontOf = (node) => getComputedStyle(node).fontFamily;
