// Scalars: one chart a tag over the runs of all folders, drawn when it scrolls into view.
import { el, fill } from "../dom.js";
import { byPrefix, Grid } from "../grid.js";
import { ScalarCard } from "./scalar_card.js";
import { words } from "./scalar_words.js";

export { words };
export const styles = ["css/scalar.css"];
export const usesRuns = true;

const DEFAULTS = {
  smooth: 0, axis: "step", log: false, outliers: false, order: "down", size: "medium", search: "",
};

/** Opens the page. */
export async function open(root, board) {
  return new ScalarPage(root, board);
}

class ScalarPage {
  constructor(root, board) {
    this.board = board;
    this.root = root;
    this.view = {};
    for (const [key, value] of Object.entries(DEFAULTS)) {
      this.view[key] = board.state.get(key, value);
    }
    this.view.smooth = Math.min(0.999, Math.max(0, this.view.smooth));
    this.pins = board.state.get("pin", []);
    this.#toolbar(root);
    this.note = el("div", { class: "page-note" });
    this.place = el("div", { class: "groups", dataset: { size: this.view.size } });
    root.append(this.note, this.place);
    this.grid = new Grid(this.place, board, (item) => new ScalarCard(item, this));
    this.list();
    board.expose("charts", this.#handle());
    board.expose("view", this.view);
  }

  #toolbar(root) {
    const { board, view } = this;
    const t = board.t;
    const search = board.search(t("findTags"), (text, match) => {
      this.match = match;
      this.#keep("search", text);
      this.list();
      this.#ask(text);
    }, { value: view.search });
    this.match = search.match;
    const redraw = (key) => (value) => {
      this.#keep(key, value);
      this.#redraw();
    };
    board.toolbar(root,
      search,
      board.slider(t("smoothing"), { min: 0, max: 0.999, step: 0.001, value: view.smooth },
        redraw("smooth")),
      board.segmented(t("horizontal"), [["step", t("step")], ["relative", t("relative")],
        ["wall", t("wall")]], view.axis, (value) => this.#setAxis(value)),
      board.toggle(t("log"), view.log, redraw("log"), { title: t("logHint") }),
      board.toggle(t("outliers"), view.outliers, redraw("outliers"), { title: t("outliersHint") }),
      board.select(t("order"), ["down", "up", "near", "name"].map((key) => [key, t(`by_${key}`)]),
        view.order, redraw("order")),
      board.select(t("size"), ["small", "medium", "large"].map((key) => [key, t(`size_${key}`)]),
        view.size, (value) => {
          this.#keep("size", value);
          this.place.dataset.size = value;
        }));
  }

  /** Of runs with very many tags not all are known: the server looks for the searched text. */
  async #ask(text) {
    try {
      if (await this.board.find("scalar", "scalar", text)) this.list();
    } catch (error) {
      if (!error.offline) this.board.message(error.message, "error");
    }
  }

  #keep(key, value) {
    this.view[key] = value;
    this.board.state.set(key, value, DEFAULTS[key]);
  }

  #setAxis(value) {
    if (value === this.view.axis) return;
    this.#keep("axis", value);
    for (const card of this.grid.cards.values()) card.setRange(null);
    this.#redraw();
  }

  /** Draws the charts in sight again, one a frame: the controls stay quick with many points. */
  #redraw() {
    this.waiting = [...this.grid.visible()];
    if (this.frame) return;
    const next = () => {
      const card = this.waiting.shift();
      this.frame = card ? requestAnimationFrame(next) : 0;
      if (card?.seen) card.draw();
    };
    this.frame = requestAnimationFrame(next);
  }

  /** Lists the tags that match, those that are pinned first. */
  list() {
    const all = this.#items();
    const found = all.filter((item) => this.match(item.tag));
    const pinned = found.filter((item) => this.pins.includes(item.tag));
    const others = found.filter((item) => !this.pins.includes(item.tag));
    const groups = byPrefix(others, this.board.t("otherTags"));
    if (pinned.length) {
      groups.unshift({ name: "\0pinned", title: this.board.t("pinned"), items: pinned });
    }
    this.grid.set(groups);
    const text = found.length ? null : all.length ? "noMatch" : "noneChecked";
    fill(this.note, text && this.board.empty(this.board.t(text)));
  }

  #items() {
    return this.board.tags("scalar").map(({ tag, runs }) => ({ key: tag, tag, runs }));
  }

  togglePin(tag) {
    this.pins = this.pins.includes(tag)
      ? this.pins.filter((one) => one !== tag) : [...this.pins, tag];
    this.board.state.set("pin", this.pins.length ? this.pins : null);
    this.list();
  }

  update(changed) {
    this.list();
    const byTag = new Map();
    for (const [run, tags] of Object.entries(changed.scalar ?? {})) {
      for (const tag of tags) {
        if (!byTag.has(tag)) byTag.set(tag, []);
        byTag.get(tag).push(run);
      }
    }
    for (const [tag, runs] of byTag) this.grid.cards.get(tag)?.stale(runs);
  }

  runsChanged() {
    this.list();
    this.#redraw();
  }

  themeChanged() {
    this.#redraw();
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.grid.close();
  }

  #handle() {
    const card = (tag) => [...this.grid.cards.values()].find((one) => one.item.tag === tag);
    return {
      tags: () => [...this.grid.cards.values()].map((one) => one.item.tag),
      visible: () => [...this.grid.visible()].filter((one) => one.drawn)
        .map((one) => one.item.tag),
      data: (tag) => card(tag)?.shownData() ?? null,
      option: (tag) => card(tag)?.chart?.echarts?.getOption() ?? null,
      zoom: (tag, range) => card(tag)?.setRange(range),
      range: (tag) => card(tag)?.range ?? null,
    };
  }
}
