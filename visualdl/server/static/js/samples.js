// What the pages of images, audio and texts have in common: a card for each tag with the runs side
// by side and one slider over the steps.
import { el, fill } from "./dom.js";
import { time } from "./format.js";
import { Steps, placeSlider, placeText } from "./steps.js";
import { TagCard, TagPage, fileName, withTagWords } from "./tag_page.js";

const MOST_NAMED = 10000; // so many records an answer names at most

const sampleOnly = {
  en: {
    together: "All at the same step", nothingYet: "Nothing up to this step",
    stepOf: "step {0}", wide: "Runs",
  },
  zh: {
    together: "全部同一步", nothingYet: "到此步为止没有数据",
    stepOf: "第 {0} 步", wide: "实验",
  },
};

/** The words of a page of samples, its own and the common ones. */
export function sampleWords(words) {
  const both = (name) => ({ ...sampleOnly[name], ...words[name] });
  return withTagWords({ en: both("en"), zh: both("zh") });
}

/** The name under which a panel saves its record. */
export const saveName = ({ name, tag, record }, ending) =>
  `${fileName(name)}-${fileName(tag)}-${record.step}.${ending}`;

/** Records' bytes, the last `most` bytes of them kept. */
export class Blobs {
  constructor(board, route, most) {
    Object.assign(this, { board, route, most, held: 0 });
    this.kept = new Map();
  }

  /** The bytes of the record of a run with this number; `ms` tells a new one under its number. */
  async get(run, tag, index, ms, signal) {
    const key = JSON.stringify([run, tag, index, ms]);
    const known = this.kept.get(key);
    if (known) {
      this.kept.delete(key);
      this.kept.set(key, known);
      return known;
    }
    const blob = await this.board.get(this.route, { run, tag, index }, { signal, as: "blob" });
    this.held += blob.size;
    this.kept.set(key, blob);
    for (const [old, { size }] of this.kept) {
      if (this.held <= this.most || old === key) break;
      this.kept.delete(old);
      this.held -= size;
    }
    return blob;
  }
}

/**
 * Opens a page of samples.
 *
 * `panel({run, name, tag})` makes what shows the records of a run, which is shown as `name`:
 * `{element, actions, info, show(record, index, signal), seen, close()}`, where `record` is
 * `{step, ms}` and `seen` what tests read.
 *
 * @returns the page, with `panels(call)` over all panels.
 */
export function openSamples(root, board, { kind, panel, controls = [] }) {
  const shared = { together: board.state.get("together", false), place: null };
  if (board.state.has("at")) shared.place = { value: board.state.get("at", 0), nth: Infinity };
  const page = new TagPage(root, board, {
    kinds: () => [kind],
    make: (item) => new SampleCard(item, page, panel),
    controls: [...controls, board.toggle(board.t("together"), shared.together, (on) => {
      shared.together = on;
      board.state.set("together", on, false);
      page.moved(null, shared.place);
    })],
  });
  page.shared = shared;
  page.moved = (card, place) => {
    if (!shared.together) {
      board.state.set("at", null);
      return;
    }
    shared.place = place;
    board.state.set("at", place ? place.value : null);
    for (const other of page.grid.cards.values()) if (other !== card) other.follow();
  };
  page.panels = (call) => {
    for (const card of page.grid.cards.values()) for (const one of card.panels.values()) call(one);
  };
  page.list();
  return page;
}

/** The card of a tag. */
class SampleCard extends TagCard {
  constructor(item, page, make) {
    const slider = placeSlider(page.board.t("step"),
      { back: page.board.t("back"), on: page.board.t("on") }, (at) => this.#move(at));
    const row = el("div", { class: "samples" });
    super(item, page, { body: [slider, row] });
    Object.assign(this, { make, slider, row });
    this.element.classList.add("sample-card");
    this.steps = new Steps();
    this.panels = new Map();
    this.place = null; // null follows the newest
  }

  async read(run, signal) {
    const list = [];
    for (let more = true; more;) {
      const part = await this.board.get(`${this.item.kind}/list`,
        { run, tag: this.item.tag, since: list.length }, { signal });
      for (const { step, wallTime } of part) list.push({ step, ms: wallTime });
      more = part.length >= MOST_NAMED;
    }
    return list;
  }

  #move(at) {
    const { places } = this.steps;
    this.place = at >= places.length - 1 ? null : places[at];
    this.#showPlace();
    this.page.moved(this, this.place);
  }

  /** Goes to the step at which all cards are. */
  follow() {
    if (this.seen) this.draw();
  }

  draw() {
    const wanted = new Set(this.item.runs);
    this.steps.keep((run) => wanted.has(run) && this.data.has(run));
    for (const run of this.item.runs) {
      const records = this.data.get(run);
      if (records && this.steps.runs.get(run)?.records !== records) this.steps.setRun(run, records);
    }
    for (const [run, panel] of this.panels) if (!wanted.has(run)) this.#drop(run, panel);
    for (const run of this.item.runs) if (!this.panels.has(run)) this.#add(run);
    this.item.runs.forEach((run, at) => {
      const { figure, caption } = this.panels.get(run);
      fill(caption, this.board.label(run)); // shorter or longer as other runs come and go
      figure.style.setProperty("--run", this.board.color(run));
      if (this.row.children[at] !== figure) this.row.insertBefore(figure, this.row.children[at]);
    });
    this.element.classList.toggle("wide", this.item.runs.length > 2);
    this.#showPlace();
  }

  #add(run) {
    const name = this.board.label(run);
    const panel = this.make({ run, name, tag: this.item.tag });
    panel.caption = el("bdi", {}, name);
    panel.note = el("p", { class: "muted sample-none", hidden: true }, this.board.t("nothingYet"));
    panel.step = el("span", { class: "sample-step" });
    panel.figure = el("figure", { class: "sample", dataset: { run } },
      el("figcaption", {},
        el("span", { class: "swatch" }),
        el("span", { class: "sample-run", title: run }, panel.caption),
        el("span", { class: "card-actions" }, panel.actions)),
      panel.element, panel.note,
      el("div", { class: "sample-foot muted" }, panel.step, panel.info ?? null));
    this.panels.set(run, panel);
  }

  #drop(run, panel) {
    panel.abort?.abort();
    panel.close();
    panel.figure.remove();
    this.panels.delete(run);
  }

  #showPlace() {
    const { places } = this.steps;
    const { shared } = this.page;
    const wanted = shared.together ? shared.place : this.place;
    const at = wanted ? this.steps.near(wanted) : places.length - 1;
    const place = places[at] ?? null;
    this.slider.show(places.length, Math.max(0, at), place ? placeText("step", place) : "");
    this.slider.hidden = places.length === 0;
    if (!this.seen) return;
    for (const [run, panel] of this.panels) this.#showRecord(run, panel, place);
  }

  /** Has a panel show its record at a place, where it does not do so. */
  async #showRecord(run, panel, place) {
    const index = place ? this.steps.at(run, place) : -1;
    const record = this.steps.record(run, index);
    panel.note.hidden = Boolean(record) || !this.data.has(run);
    panel.element.hidden = !record;
    const key = record ? `${index} ${record.step} ${record.ms}` : "";
    if (panel.key === key) return;
    panel.key = key;
    panel.abort?.abort();
    panel.abort = new AbortController();
    const { signal } = panel.abort;
    if (!record) {
      fill(panel.step);
      panel.seen = null;
      return;
    }
    fill(panel.step, this.board.t("stepOf", record.step),
      el("span", { class: "sample-time" }, ` · ${time(record.ms)}`));
    panel.step.title = time(record.ms);
    try {
      await panel.show(record, index, signal);
      fill(this.status);
    } catch (error) {
      if (signal.aborted) return;
      panel.key = null;
      fill(this.status, this.board.t("loadFailed", error.message));
    }
  }

  hide() {
    super.hide();
    for (const panel of this.panels.values()) {
      if (panel.abort && !panel.seen) {
        panel.abort.abort();
        panel.key = null;
      }
    }
  }

  themeChanged() {
    this.draw();
    for (const panel of this.panels.values()) panel.themeChanged?.();
  }

  close() {
    for (const [run, panel] of this.panels) this.#drop(run, panel);
  }

  shown() {
    const runs = [...this.panels].map(([run, panel]) => [run, panel.seen ?? null]);
    return {
      steps: this.steps.places.map((place) => place.value), runs: Object.fromEntries(runs),
      at: Number(this.slider.range.value),
    };
  }
}
