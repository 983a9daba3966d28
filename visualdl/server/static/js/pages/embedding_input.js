// Pointer, wheel and keys on the picture: look around, zoom, find out, choose.
import { add, el, fill } from "../dom.js";

const REACH = 12; // px from a point that still mean it
const STILL = 4; // px a press may move and be a click
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Listens on `place`. `onChoose(at)` gets the point that was chosen or -1, `describe(at)` gives
 * `[[name, value], ...]` for the hint beside it.
 */
export class Input {
  constructor(place, scene, { onChoose, describe, onView }) {
    Object.assign(this, { place, scene, onChoose, describe, onView });
    this.pointers = new Map();
    this.hint = el("div", { class: "embedding-hint", hidden: true });
    this.spoken = el("p", { class: "hidden-text", "aria-live": "polite" });
    place.append(this.hint, this.spoken);
    const on = (name, call, options) => place.addEventListener(name, call, options);
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", (event) => this.pointers.delete(event.pointerId));
    on("pointerleave", () => this.pointers.size || this.point(-1));
    on("contextmenu", (event) => event.preventDefault());
    on("dblclick", () => this.#reset());
    on("wheel", (event) => this.#wheel(event), { passive: false });
    on("keydown", (event) => this.#key(event));
    on("blur", () => this.point(-1));
  }

  #at(event) {
    const box = this.place.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #near(event, reach = REACH) {
    const { scene } = this;
    const [x, y] = this.#at(event);
    return scene.space.nearest(x, y, reach + scene.radius(), scene.shown);
  }

  #down(event) {
    if (event.target.closest("button")) return;
    this.place.setPointerCapture(event.pointerId);
    const [x, y] = this.#at(event);
    this.pointers.set(event.pointerId, { x, y, fromX: x, fromY: y, moved: false });
  }

  #move(event) {
    const held = this.pointers.get(event.pointerId);
    if (!held) {
      this.point(this.#near(event));
      return;
    }
    const [x, y] = this.#at(event);
    const [dx, dy] = [x - held.x, y - held.y];
    if (Math.hypot(x - held.fromX, y - held.fromY) > STILL) held.moved = true;
    if (!held.moved) return;
    const other = [...this.pointers.values()].find((one) => one !== held);
    if (other) this.#pinch(held, other, x, y);
    else this.#drag(event, dx, dy);
    Object.assign(held, { x, y });
    this.point(-1);
    this.#seen();
  }

  #drag(event, dx, dy) {
    const { space } = this.scene;
    const turns = space.dimension === 3 && !event.shiftKey && !(event.buttons & 2);
    if (turns) space.turnBy(dx * 0.008, dy * 0.008);
    else space.moveBy(dx, dy);
  }

  #pinch(held, other, x, y) {
    const before = Math.hypot(held.x - other.x, held.y - other.y) || 1;
    const after = Math.hypot(x - other.x, y - other.y) || 1;
    const { space } = this.scene;
    other.moved = true;
    space.moveBy((x - held.x) / 2, (y - held.y) / 2);
    space.zoomBy(after / before, (x + other.x) / 2, (y + other.y) / 2);
  }

  #up(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!held || held.moved) return;
    this.onChoose(this.#near(event, event.pointerType === "touch" ? 2 * REACH : REACH));
  }

  #wheel(event) {
    event.preventDefault();
    const [x, y] = this.#at(event);
    const pixels = event.deltaY * (event.deltaMode ? 30 : 1);
    this.scene.space.zoomBy(Math.exp(-Math.max(-240, Math.min(240, pixels)) * 0.0016), x, y);
    this.point(-1);
    this.#seen();
  }

  #reset() {
    this.scene.space.reset();
    this.#seen();
  }

  #seen() {
    this.scene.draw();
    this.onView();
  }

  #key(event) {
    const { scene } = this;
    const { space } = scene;
    if (event.target !== this.place || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    const keys = {
      "+": () => space.zoomBy(1.25), "=": () => space.zoomBy(1.25), "-": () => space.zoomBy(0.8),
      0: () => space.reset(),
      Enter: () => this.onChoose(scene.cursor), " ": () => this.onChoose(scene.cursor),
      Escape: () => this.onChoose(-1),
    };
    if (arrow && event.shiftKey) {
      if (space.dimension === 3) space.turnBy(arrow[0] * 0.12, arrow[1] * 0.12);
      else space.moveBy(-arrow[0] * 40, -arrow[1] * 40);
    } else if (arrow) this.#walk(arrow);
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.#seen();
  }

  #walk([dx, dy]) {
    const { scene } = this;
    const { space } = scene;
    const begin = scene.cursor < 0;
    const next = begin ? space.nearest(space.width / 2, space.height / 2, 1e6, scene.shown)
      : space.next(scene.cursor, dx, dy, scene.shown);
    if (next < 0) return;
    this.point(next);
    this.spoken.textContent = this.describe(next).map(([name, value]) => `${name}: ${value}`)
      .join(", ");
  }

  /** Shows what is known about a point beside it; -1 hides it. */
  point(at) {
    const { scene, hint } = this;
    if (at === scene.cursor && (at < 0 || !hint.hidden)) return;
    scene.cursor = at;
    this.place.classList.toggle("over-point", at >= 0);
    hint.hidden = at < 0;
    scene.draw();
    if (at < 0) return;
    fill(hint);
    for (const [name, value] of this.describe(at)) {
      add(hint, el("span", { class: "muted" }, name), el("span", {}, value));
    }
    this.#put();
  }

  /** Brings the hint to its point after points or view have moved. */
  follow() {
    const { scene, hint } = this;
    if (scene.cursor >= scene.space.count) this.point(-1);
    if (hint.hidden) return;
    scene.space.place();
    this.#put();
  }

  #put() {
    const { scene, hint } = this;
    const { x, y, width, height } = scene.space;
    const at = scene.cursor;
    const { offsetWidth: wide, offsetHeight: high } = hint;
    const right = x[at] + 14 + wide > width ? x[at] - 14 - wide : x[at] + 14;
    hint.style.left = `${Math.max(4, Math.min(width - wide - 4, right))}px`;
    hint.style.top = `${Math.max(4, Math.min(height - high - 4, y[at] + 14))}px`;
  }
}
