// The card with the picture: canvas, zoom, full size, what can be saved.
import { stayInside } from "../controls.js";
import { el, fill, icon } from "../dom.js";
import { Input } from "./embedding_input.js";
import { Scene } from "./embedding_scene.js";

/**
 * The picture in its card (`element`). `scene` holds what is drawn, `input` the pointer and keys.
 *
 * `on` has `choose(at)`, `describe(at)`, `label(at)`, `labels(on)`, called when the reader
 * switches labels on or off, and `downloads()`, the items of the menu.
 */
export class Picture {
  constructor(board, on) {
    const t = board.t;
    Object.assign(this, { board });
    this.place = el("div", { class: "embedding-picture", tabIndex: 0, role: "application" });
    this.over = el("p", { class: "embedding-over", role: "status" });
    this.size = el("span", { class: "dim" });
    this.name = el("span", {});
    const button = (name, key, call) => board.iconButton(name, t(key), call);
    this.fullButton = button("full", "full", () => this.#toggleFull());
    this.resetButton = button("reset", "resetView", () => this.look((space) => space.reset()));
    this.labelToggle = board.toggle(t("showLabels"), false, on.labels);
    this.element = board.card(el("h3", {}, this.name, " ", this.size), {
      body: [this.place, this.over],
      actions: [this.labelToggle,
        button("plus", "zoomIn", () => this.look((space) => space.zoomBy(1.25))),
        button("minus", "zoomOut", () => this.look((space) => space.zoomBy(0.8))),
        this.resetButton, board.menu("download", t("download"), on.downloads), this.fullButton],
    });
    this.element.classList.add("embedding-card");
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.scene = new Scene(this.place);
    this.scene.label = on.label;
    this.input = new Input(this.place, this.scene, {
      onChoose: on.choose, describe: on.describe, onView: () => this.seen(),
    });
  }

  /** Says what is shown: its name, its size, and a sentence for those who do not see it. */
  title(name, size, sentence) {
    fill(this.name, name);
    fill(this.size, size);
    this.place.setAttribute("aria-label", sentence);
  }

  /** A text over the picture, "" for none. */
  tell(text) {
    fill(this.over, text);
  }

  /** Puts the points to these places. */
  set(points, dimension) {
    this.scene.space.set(points, dimension);
    this.scene.draw();
    this.input.follow();
    this.seen();
  }

  /** Changes the view by `change(space)`. */
  look(change) {
    change(this.scene.space);
    this.scene.draw();
    this.input.follow();
    this.seen();
  }

  seen() {
    this.resetButton.disabled = !this.scene.space.changed;
  }

  setLabelled(on) {
    this.labelToggle.input.checked = on;
    this.scene.labelled = on;
    this.scene.draw();
  }

  /** At full size: Escape goes back, Tab stays inside. */
  #key(event) {
    if (!this.element.classList.contains("full")) return;
    if (event.key === "Escape") this.#toggleFull();
    stayInside(event, this.element);
  }

  #toggleFull() {
    const full = this.element.classList.toggle("full");
    const label = this.board.t(full ? "shrink" : "full");
    fill(this.fullButton, icon(full ? "shrink" : "full"));
    this.fullButton.title = label;
    this.fullButton.setAttribute("aria-label", label);
    document.documentElement.classList.toggle("has-full", full);
  }

  close() {
    this.scene.close();
    document.documentElement.classList.remove("has-full");
  }
}
