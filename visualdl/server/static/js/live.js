// Asks once a second what changed, and keeps the index: which runs have which tags.
import * as api from "./api.js";

const PERIOD = 1000;
const SLOWEST = 10000;
const MANY_TAGS = 10000; // so many tags of a run an answer names at most

/**
 * The index of what the server has, kept up to date while the tab is visible.
 *
 * `runs` is the list of `{run, color_index, paths}`; `index` maps a kind ("scalar", "image", ...)
 * to a map of runs to sets of tags. `onChange({changed, runsChanged})` is called after each
 * answer that brought something, `onState(name)` when "live", "reading", "offline", "paused" or
 * "hidden" begins.
 */
export class Live {
  constructor({ onChange, onState }) {
    this.onChange = onChange;
    this.onState = onState;
    this.runs = [];
    this.index = new Map();
    this.cursor = null;
    this.state = "";
    this.paused = false;
    this.wait = PERIOD;
    this.timer = 0;
    this.asked = 0;
    document.addEventListener("visibilitychange", () => this.#wake());
    addEventListener("online", () => this.#wake());
  }

  /** Asks for everything; the first answer has come when the promise is kept. */
  async start() {
    await this.#round();
  }

  pause(paused) {
    this.paused = paused;
    this.#wake();
  }

  /** The tags of a kind: a map of runs to sets of tags. */
  tags(kind) {
    return this.index.get(kind) ?? new Map();
  }

  /**
   * Asks for tags of a kind that hold a text: of runs with very many, answers name only a part.
   * Gives true where that brought tags that were not known.
   */
  async find(kind, route, text) {
    const runs = [...this.tags(kind).values()];
    if (text.length < 2 || !runs.some((tags) => tags.size >= MANY_TAGS)) return false;
    const size = () => [...this.tags(kind).values()].reduce((sum, tags) => sum + tags.size, 0);
    const before = size();
    const found = await api.get(`${route}/tags`, { match: text });
    this.#merge({ [kind]: Object.fromEntries(found.runs.map((run, at) => [run, found.tags[at]])) });
    return size() > before;
  }

  #wake() {
    clearTimeout(this.timer);
    if (document.hidden || this.paused) this.#say(this.paused ? "paused" : "hidden");
    else if (!this.busy) this.#round();
  }

  #say(state) {
    if (state === this.state) return;
    this.state = state;
    this.onState(state);
  }

  async #round() {
    this.busy = true;
    try {
      this.#take(await this.#ask());
      this.wait = PERIOD;
    } catch (error) {
      this.#say("offline");
      this.wait = Math.min(SLOWEST, this.wait * 1.5);
      if (!error.offline && error.status === undefined) console.error(error);
      if (error.status === 400) this.cursor = null;
    }
    this.busy = false;
    if (document.hidden || this.paused) this.#wake();
    else this.timer = setTimeout(() => this.#round(), this.wait);
  }

  async #ask() {
    const since = this.cursor;
    this.asked += 1;
    const answer = await api.get("changes", { since });
    if (since !== null && answer.changed === "all") return this.#everything();
    return { ...answer, whole: since === null };
  }

  async #everything() {
    const answer = await api.get("changes");
    return { ...answer, whole: true };
  }

  #take(answer) {
    this.cursor = answer.cursor;
    const changed = answer.changed === "all" ? {} : (answer.changed ?? {});
    const runsChanged = signature(answer.runs) !== signature(this.runs) || answer.whole;
    this.runs = answer.runs;
    if (answer.whole) this.index = new Map();
    this.#merge(changed);
    if (runsChanged) this.#forget();
    this.#say(answer.reading ? "reading" : "live");
    if (runsChanged || Object.keys(changed).length > 0) this.onChange({ changed, runsChanged });
  }

  #merge(changed) {
    for (const [kind, runs] of Object.entries(changed)) {
      if (!this.index.has(kind)) this.index.set(kind, new Map());
      const known = this.index.get(kind);
      for (const [run, tags] of Object.entries(runs)) {
        if (!known.has(run)) known.set(run, new Set());
        for (const tag of tags) known.get(run).add(tag);
      }
    }
  }

  #forget() {
    const there = new Set(this.runs.map((one) => one.run));
    for (const runs of this.index.values()) {
      for (const run of runs.keys()) if (!there.has(run)) runs.delete(run);
    }
  }
}

const signature = (runs) => JSON.stringify(runs.map((one) => [one.run, one.color_index]));
