// Moves and zooms a picture: mouse, fingers, wheel; keys are led here by the page.

const [SMALLEST, LARGEST] = [0.02, 4];

/** The part of the world that an SVG element shows. */
export class Viewport {
  /**
   * @param {SVGElement} canvas
   * @param {{world: () => SVGElement, size: () => Object, onChange: Function, onTap: Function}} of
   *   `onTap(event)` is a click that was no drag.
   */
  constructor(canvas, of) {
    this.canvas = canvas;
    this.of = of;
    [this.x, this.y, this.scale] = [0, 0, 1];
    this.fingers = new Map();
    this.moved = 0;
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.#up(event, name));
    }
    this.watch = new ResizeObserver(() => this.apply());
    this.watch.observe(canvas);
  }

  /** Stops looking at the element's size. */
  close() {
    this.watch.disconnect();
    cancelAnimationFrame(this.frame);
  }

  /** Width and height of the element. */
  box() {
    const { width, height } = this.canvas.getBoundingClientRect();
    return { width: width || 1, height: height || 1 };
  }

  /** The rectangle of the world that is seen. */
  window() {
    const { width, height } = this.box();
    const [left, top] = [-this.x / this.scale, -this.y / this.scale];
    return { left, top, right: left + width / this.scale, bottom: top + height / this.scale };
  }

  /** That rectangle, and half as much around it. */
  seen() {
    const { left, top, right, bottom } = this.window();
    const [w, h] = [(right - left) / 2, (bottom - top) / 2];
    return { left: left - w, right: right + w, top: top - h, bottom: bottom + h };
  }

  /** Shows the present place at the next frame. */
  apply() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      const place = `translate(${this.x} ${this.y}) scale(${this.scale})`;
      this.of.world().setAttribute("transform", place);
      this.canvas.classList.toggle("far", this.scale < 0.28);
      this.of.onChange();
    });
  }

  /** Zooms by a factor; the point (x, y) of the element stays where it is. */
  zoom(factor, x = this.box().width / 2, y = this.box().height / 2) {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.apply();
  }

  /** Moves by pixels. */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.apply();
  }

  /** Shows everything; a tall graph at first only from its beginning, so that it can be read. */
  fit({ readable = false } = {}) {
    const { width, height } = this.box();
    const size = this.of.size();
    const whole = Math.min((width - 24) / size.width, (height - 24) / size.height, 1.25);
    const part = readable && whole < 0.5;
    const short = Math.max((width - 24) / size.width, (height - 24) / size.height);
    this.scale = Math.max(SMALLEST, part ? Math.min(0.9, Math.max(0.4, short)) : whole);
    this.x = (width - size.width * this.scale) / 2;
    this.y = (height - size.height * this.scale) / 2;
    if (part && size.width > size.height) this.x = 12;
    else if (part) this.y = 12;
    this.apply();
  }

  /** Brings a point of the world into the middle, at least at a scale at which it can be read. */
  centre(x, y, least = 0.7) {
    const { width, height } = this.box();
    this.scale = Math.max(this.scale, least);
    this.x = width / 2 - x * this.scale;
    this.y = height / 2 - y * this.scale;
    this.apply();
  }

  /** Keeps a point of the world where another one was. */
  keep(before, after) {
    this.pan((before.x - after.x) * this.scale, (before.y - after.y) * this.scale);
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #wheel(event) {
    event.preventDefault();
    const { x, y } = this.#at(event);
    if (event.shiftKey) return this.pan(-(event.deltaY || event.deltaX), 0);
    const lines = event.deltaMode === 1 ? 18 : 1;
    const by = Math.max(-240, Math.min(240, event.deltaY * lines));
    return this.zoom(Math.exp(-by * (event.ctrlKey ? 0.01 : 0.0018)), x, y);
  }

  #down(event) {
    if (event.button > 1) return;
    this.fingers.set(event.pointerId, this.#at(event));
    if (this.fingers.size === 1) this.moved = 0;
  }

  #move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = this.#at(event);
    const others = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.fingers.set(event.pointerId, now);
    this.moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (this.moved < 5) return;
    if (!this.canvas.hasPointerCapture(event.pointerId)) {
      this.canvas.setPointerCapture(event.pointerId);
    }
    this.canvas.classList.add("moving");
    if (others.length) {
      const [other] = others;
      const far = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      this.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      this.zoom(far(now) / far(before), middle.x, middle.y);
    } else this.pan(now.x - before.x, now.y - before.y);
  }

  #up(event, name) {
    if (!this.fingers.delete(event.pointerId)) return;
    if (!this.fingers.size) this.canvas.classList.remove("moving");
    if (name === "pointerup" && this.moved < 5 && event.button === 0) this.of.onTap(event);
  }
}
