// What the pages of samples, histograms and curves have in common: a search over tags, a grid of
// cards, and cards that read the records of their runs while they are in sight.
import { stayInside } from "./controls.js";
import { el, fill, icon } from "./dom.js";
import { byPrefix, Grid } from "./grid.js";

/** Words that every such page has. */
export const tagWords = {
  en: {
    findTags: "Find tags (regex)", full: "Full size", shrink: "Back to the grid",
    loadFailed: "Could not be read: {0}", step: "Step", relative: "Relative",
    wall: "Wall", axis: "Axis", back: "One back", on: "One on", png: "Save as PNG",
    run: "Run", time: "Time",
  },
  zh: {
    findTags: "查找标签（正则）", full: "最大化", shrink: "还原",
    loadFailed: "读取失败：{0}", step: "步数", relative: "相对时间",
    wall: "绝对时间", axis: "坐标", back: "上一个", on: "下一个", png: "保存为 PNG",
    run: "实验", time: "时间",
  },
};

/** Words of a page together with those that every such page has. */
export function withTagWords(words) {
  return { en: { ...tagWords.en, ...words.en }, zh: { ...tagWords.zh, ...words.zh } };
}

/** A text that may be part of the name of a file. */
export const fileName = (text) =>
  text.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^_+|_+$/g, "") || "record";

/**
 * A page of cards by tag.
 *
 * `kinds()` gives the kinds of records that are shown, `make(item, page)` a TagCard for
 * `{key, kind, tag, runs}`; with `single` each run has a card of its own, `controls` stand beside
 * the search.
 */
export class TagPage {
  constructor(root, board, { kinds, make, controls = [], single = false }) {
    Object.assign(this, { root, board, kinds, single });
    const search = board.search(board.t("findTags"), (text, match) => {
      this.match = match;
      board.state.set("search", text, "");
      this.list();
    }, { value: board.state.get("search", "") });
    this.match = search.match;
    this.bar = board.toolbar(root, search, ...controls);
    this.note = el("div", { hidden: true });
    this.place = el("div", { class: "groups" });
    root.append(this.note, this.place);
    this.grid = new Grid(this.place, board, (item) => make(item, this));
    board.expose("cards", () => [...this.grid.cards.values()].map((one) => one.item.key));
    board.expose("shown", (tag, run) => this.card(tag, run)?.shown() ?? null);
  }

  /** The card of a tag (and a run, where each has its own). */
  card(tag, run) {
    return [...this.grid.cards.values()].find((one) => one.item.tag === tag
      && (!this.single || run === undefined || one.item.runs[0] === run));
  }

  #items() {
    return this.kinds().flatMap((kind) => this.board.tags(kind).flatMap(({ tag, runs }) => {
      if (!this.single) return [{ key: `${kind} ${tag}`, kind, tag, runs }];
      return runs.map((run) => ({ key: `${kind} ${tag}\0${run}`, kind, tag, runs: [run] }));
    }));
  }

  /** Lists the tags that match the search. */
  list() {
    const all = this.#items();
    const found = all.filter((item) => this.match(item.tag));
    this.grid.set(byPrefix(found, this.board.t("otherTags")));
    const text = found.length ? null : all.length ? "noMatch" : "noneChecked";
    this.note.hidden = !text;
    fill(this.note, text && this.board.empty(this.board.t(text)));
  }

  /** Draws the cards in sight again. */
  redraw() {
    for (const card of this.grid.visible()) card.draw();
  }

  update(changed) {
    this.list();
    for (const card of this.grid.cards.values()) {
      const runs = changed[card.item.kind] ?? {};
      const fresh = card.item.runs.filter((run) => runs[run]?.includes(card.item.tag));
      if (fresh.length > 0) card.stale(fresh);
    }
  }

  runsChanged() {
    this.list();
    this.redraw();
  }

  themeChanged() {
    for (const card of this.grid.visible()) card.themeChanged();
  }

  close() {
    document.documentElement.classList.remove("has-full");
    this.grid.close();
  }
}

/**
 * A card that reads its runs when it comes into sight and when they have new records.
 *
 * A class made from it has `read(run, signal)`, which asks the server and gives what is kept in
 * `data` under the run, and `draw()`.
 */
export class TagCard {
  constructor(item, page, { actions = [], body = [], name = null } = {}) {
    Object.assign(this, { item, page, board: page.board, data: new Map(), old: new Set() });
    this.fullButton = this.board.iconButton("full", this.board.t("full"), () => this.toggleFull());
    this.status = el("p", { class: "card-status", "aria-live": "polite" });
    this.element = this.board.card(title(item.tag, name), {
      actions: [...actions, this.fullButton], body: [body, this.status],
    });
    this.element.dataset.tag = item.tag;
    this.element.addEventListener("keydown", (event) => {
      if (!this.element.classList.contains("full")) return;
      if (event.key === "Escape") this.toggleFull();
      stayInside(event, this.element);
    });
  }

  /** The grid tells: the card came into sight. */
  show() {
    this.draw();
    this.#readMissing();
  }

  /** The grid tells: the card left. */
  hide() {
    this.abort?.abort();
    this.abort = null;
    this.busy = false;
  }

  close() {}

  /** The grid tells: the runs that have the tag, or their choice, may have changed. */
  change(item) {
    const before = this.item.runs;
    this.item = item;
    const there = this.board.index(item.kind);
    for (const run of [...this.data.keys()]) {
      if (!there.get(run)?.has(item.tag)) this.data.delete(run);
    }
    if (before.length === item.runs.length && before.every((run, at) => run === item.runs[at])) {
      return;
    }
    if (!this.seen) return;
    this.draw();
    this.#readMissing();
  }

  /** New records came for these runs. */
  stale(runs) {
    for (const run of runs) this.old.add(run);
    if (this.seen) this.#readMissing();
  }

  themeChanged() {
    this.draw();
  }

  /** Reads what is missing or old; what becomes old in the meantime is read after that. */
  async #readMissing() {
    const wanted = this.item.runs.filter((run) => !this.data.has(run) || this.old.has(run));
    if (this.busy || wanted.length === 0) return;
    this.busy = true;
    this.abort = new AbortController();
    const { signal } = this.abort;
    const failed = await Promise.all(wanted.map((run) => this.#readOne(run, signal)));
    if (signal.aborted) return;
    this.busy = false;
    const error = failed.find((one) => one);
    fill(this.status, error ? this.board.t("loadFailed", error.message) : null);
    this.draw();
    // What failed is asked for again when something changes, not at once.
    if (!error) this.#readMissing();
  }

  async #readOne(run, signal) {
    this.old.delete(run);
    try {
      const data = await this.read(run, signal);
      if (!signal.aborted) this.data.set(run, data);
    } catch (error) {
      this.old.add(run);
      if (error.name !== "AbortError") return error;
    }
    return null;
  }

  toggleFull() {
    const full = this.element.classList.toggle("full");
    const label = this.board.t(full ? "shrink" : "full");
    fill(this.fullButton, icon(full ? "shrink" : "full"));
    this.fullButton.title = label;
    this.fullButton.setAttribute("aria-label", label);
    document.documentElement.classList.toggle("has-full", full);
    this.draw();
    this.chart?.resize();
    this.fullButton.focus();
  }

  /** What tests read. */
  shown() {
    return null;
  }
}

/** The heading of a card: its tag, of which long ones are cut, and what else is to stand there. */
export function title(tag, name = null) {
  const at = tag.indexOf("/");
  return el("h3", { title: tag }, el("span", { class: "tag-name" },
    at > 0 ? el("span", { class: "dim" }, tag.slice(0, at + 1)) : null,
    at > 0 ? tag.slice(at + 1) : tag), name);
}
