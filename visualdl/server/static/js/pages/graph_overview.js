// The small picture of the whole graph in a corner; a click or drag on it moves the window.
import { el } from "../dom.js";

const [WIDE, HIGH] = [170, 190];
const LEAST = 26; // pixels that the shorter side has at least
const MORE = 1.6; // it shows itself where the graph is so much larger than the window

/** The overview. */
export class Overview {
  /**
   * @param {string} label
   * @param {(x: number, y: number) => void} onMove A place of the world that is to be the middle.
   */
  constructor(label, onMove) {
    this.node = el("canvas", {
      class: "graph-map", role: "img", "aria-label": label, hidden: true,
    });
    this.onMove = onMove;
    this.drawn = null;
    const move = (event) => {
      if (!(event.buttons & 1)) return;
      const box = this.node.getBoundingClientRect();
      onMove((event.clientX - box.left) / this.sx, (event.clientY - box.top) / this.sy);
    };
    this.node.addEventListener("pointerdown", (event) => {
      this.node.setPointerCapture(event.pointerId);
      move(event);
    });
    this.node.addEventListener("pointermove", move);
  }

  /** Draws everything again at the next time. */
  forget() {
    this.drawn = null;
  }

  /** Shows the graph and the window upon it. */
  show(drawing, seen) {
    const { width, height } = drawing.size ?? { width: 0, height: 0 };
    const large = width > MORE * (seen.right - seen.left)
      || height > MORE * (seen.bottom - seen.top);
    this.node.hidden = !drawing.items.length || !large;
    if (this.node.hidden) return;
    if (this.drawn !== drawing.items) this.#draw(drawing, width, height);
    const pen = this.node.getContext("2d");
    const dense = window.devicePixelRatio || 1;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.node.width, this.node.height);
    pen.drawImage(this.picture, 0, 0);
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    const style = getComputedStyle(this.node);
    pen.strokeStyle = style.getPropertyValue("--accent") || "#36c";
    pen.lineWidth = 1.5;
    const [left, top] = [Math.max(0, seen.left * this.sx), Math.max(0, seen.top * this.sy)];
    const right = Math.min(width * this.sx, seen.right * this.sx);
    const bottom = Math.min(height * this.sy, seen.bottom * this.sy);
    pen.strokeRect(left + 1, top + 1, Math.max(3, right - left - 2), Math.max(3, bottom - top - 2));
  }

  #draw(drawing, width, height) {
    const scale = Math.min(WIDE / width, HIGH / height);
    const [w, h] = [Math.max(LEAST, width * scale), Math.max(LEAST, height * scale)];
    [this.sx, this.sy] = [w / width, h / height];
    const dense = window.devicePixelRatio || 1;
    this.picture = document.createElement("canvas");
    for (const canvas of [this.node, this.picture]) {
      [canvas.width, canvas.height] = [Math.round(w * dense), Math.round(h * dense)];
    }
    this.node.style.width = `${w}px`;
    this.node.style.height = `${h}px`;
    const pen = this.picture.getContext("2d");
    pen.scale(dense, dense);
    const style = getComputedStyle(this.node);
    const colours = new Map();
    for (const item of drawing.items) {
      const open = drawing.model.isOpen(item.key);
      const family = open ? "group" : drawing.boxes.get(item.key).family;
      if (!colours.has(family)) colours.set(family, style.getPropertyValue(`--f-${family}`));
      pen.globalAlpha = open ? 0.12 : 0.8;
      pen.fillStyle = colours.get(family) || "#888";
      pen.fillRect((item.x - item.width / 2) * this.sx, (item.y - item.height / 2) * this.sy,
        Math.max(1, item.width * this.sx), Math.max(1, item.height * this.sy));
    }
    this.drawn = drawing.items;
  }
}
