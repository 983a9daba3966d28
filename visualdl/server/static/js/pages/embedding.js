// Vectors of many dimensions as points: PCA, t-SNE, UMAP; labels, colours, search, neighbours.
import { el, fill } from "../dom.js";
import { number } from "../format.js";
import { fileName } from "../tag_page.js";
import { Columns } from "./embedding_columns.js";
import * as table from "./embedding_data.js";
import { METHODS, MethodPart } from "./embedding_method.js";
import { Picture } from "./embedding_picture.js";
import { Runner } from "./embedding_runner.js";
import { MARK } from "./embedding_scene.js";
import { ChosenPart, ColorPart, COUNTS, FoundPart } from "./embedding_side.js";
import { words } from "./embedding_words.js";

export { words };
export const styles = ["css/embedding.css"];
export const usesRuns = true;

const FEW_LABELS = 120; // up to so many points have labels unless the reader says otherwise
const MOST_FACTS = 8; // in the hint beside a point
const SEED = 1;

/** Opens the page. */
export async function open(root, board) {
  const page = new EmbeddingPage(root, board);
  page.list();
  return page;
}

class EmbeddingPage {
  constructor(root, board) {
    const { state } = board;
    Object.assign(this, {
      board, items: [], item: null, data: null, old: false, near: [], found: null,
      ids: null, places: null, // rows of the points that are shown, and the other way about
      abort: new AbortController(), loads: 0, starts: 0, questions: 0,
    });
    this.method = METHODS.includes(state.get("method")) ? state.get("method") : "pca";
    this.dimension = state.get("dimension", 3) === 2 ? 2 : 3;
    this.metric = state.get("metric") === "euclidean" ? "euclidean" : "cosine";
    this.count = COUNTS.includes(state.get("count", 10)) ? state.get("count", 10) : 10;
    this.chosen = Math.max(-1, Math.trunc(state.get("point", -1)));
    this.columns = new Columns(board);
    this.runner = new Runner({
      onPoints: (points, dimension) => this.picture.set(points, dimension),
      onState: () => this.methodPart.show(),
      onFail: (text) => { this.methodPart.problem = text; },
    });
    this.#build(root);
    this.#expose();
  }

  #build(root) {
    const { board } = this;
    const t = board.t;
    const search = board.search(t("find"), (text, match) => {
      Object.assign(this, { searched: text, match });
      board.state.set("search", text, "");
      this.#search();
    }, { value: board.state.get("search", "") });
    Object.assign(this, { searched: search.input.value, match: search.match });
    this.dataChoice = el("span", { class: "choices" });
    board.toolbar(root, search, this.dataChoice,
      board.segmented(t("method"), METHODS.map((name) => [name, t(name)]), this.method,
        (name) => this.#setMethod(name)),
      board.segmented(t("view"), ["2", "3"].map((name) => [name, t(name)]),
        String(this.dimension), (name) => this.#setDimension(Number(name))));
    this.note = el("div", { hidden: true });
    this.picture = new Picture(board, {
      choose: (at) => this.choose(at < 0 ? -1 : this.#row(at)),
      describe: (at) => this.columns.facts(this.#row(at)).slice(-MOST_FACTS),
      label: (at) => this.columns.text(this.#row(at)),
      labels: (on) => {
        board.state.set("labels", on);
        this.#showLabels();
      },
      downloads: () => this.#downloads(),
    });
    this.scene = this.picture.scene;
    root.append(this.note, this.#parts());
  }

  #parts() {
    const { board } = this;
    const on = {
      choose: (row) => this.choose(row),
      point: (row) => this.picture.input.point(this.#at(row)),
    };
    this.methodPart = new MethodPart(board, this.runner, () => this.#compute());
    this.colorPart = new ColorPart(board, {
      label: (at) => this.#keep("label", at),
      color: (at) => this.#keep("color", at),
      scale: (yes) => this.#keep("scale", yes),
      hidden: () => {
        this.colorPart.draw(this.colors, this.scene.hidden);
        this.scene.draw();
      },
    });
    this.chosenPart = new ChosenPart(board, {
      ...on,
      metric: (name) => this.#setNear("metric", name, "cosine"),
      count: (count) => this.#setNear("count", count, 10),
    }, this);
    this.foundPart = new FoundPart(board, {
      ...on,
      column: (at) => {
        board.state.set("in", at, -1);
        this.#search();
      },
    });
    const parts = [this.methodPart, this.foundPart, this.chosenPart, this.colorPart];
    this.element = el("div", { class: "embedding" }, this.picture.element,
      el("div", { class: "embedding-side" }, parts.map((one) => one.element)));
    return this.element;
  }

  // Which vectors are shown.

  /** Lists the vectors of the checked runs, and loads those that are chosen if they are others. */
  list() {
    const { board } = this;
    this.items = board.tags("embeddings").flatMap(({ tag, runs }) =>
      runs.map((run) => ({ run, tag })));
    const wanted = this.item ?? { run: board.state.get("of"), tag: board.state.get("tag") };
    const item = this.items.find((one) => same(one, wanted)) ?? this.items[0] ?? null;
    this.note.hidden = Boolean(item);
    this.element.hidden = !item;
    fill(this.note, item ? null : board.empty(board.t("noneChecked")));
    this.#offer(item);
    if (!item) {
      this.runner.clear();
      Object.assign(this, { item: null, data: null });
    } else if (!this.item || !same(item, this.item)) this.#choose(item);
  }

  #offer(item) {
    const { board, items, dataChoice } = this;
    const names = items.map(({ run, tag }, at) => [String(at), `${board.label(run)} · ${tag}`]);
    const focused = dataChoice.contains(document.activeElement);
    const choice = board.select(board.t("data"), names, String(items.indexOf(item)), (at) => {
      this.chosen = -1;
      this.#choose(this.items[at]);
    });
    fill(dataChoice, item ? choice : null);
    if (focused) choice.input.focus();
  }

  #choose(item) {
    const { state } = this.board;
    const first = this.items.length > 0 && same(item, this.items[0]);
    this.item = item;
    state.set("of", first ? null : item.run);
    state.set("tag", first ? null : item.tag);
    this.runner.clear();
    this.scene.hidden.clear();
    this.data = null;
    this.#load();
  }

  /** Reads points and labels; then shows them, or computes what is to be computed. */
  async #load() {
    const { board, item, dimension, picture } = this;
    const turn = ++this.loads;
    this.abort.abort();
    this.abort = new AbortController();
    this.old = false;
    if (!this.data) picture.tell(board.t("loading"));
    let data;
    try {
      data = await table.load(board, { ...item, dimension }, this.abort.signal);
    } catch (error) {
      if (error.name !== "AbortError" && turn === this.loads) picture.tell(error.message);
      return;
    }
    if (turn !== this.loads) return;
    picture.tell("");
    this.data = data;
    this.columns.all = data.columns;
    if (this.chosen >= data.rows) this.chosen = -1;
    this.methodPart.fresh = false;
    this.methodPart.setData(this.method, data.variance);
    this.#showPoints(data.points, dimension, null);
    this.#recolor();
    this.#search();
    this.choose(this.chosen, { reveal: false });
    if (this.method !== "pca") this.#compute();
  }

  // Where the points are.

  /** Shows points; `ids` are the rows they are of, null for all. */
  #showPoints(points, dimension, ids) {
    const { board, data, item, scene, picture } = this;
    const t = board.t;
    this.ids = ids;
    this.places = ids && new Int32Array(data.rows).fill(-1);
    ids?.forEach((row, at) => { this.places[row] = at; });
    scene.axes = this.method !== "pca" ? [] : data.variance.map((share, at) =>
      t("componentOf", at + 1, number(100 * share, 3)));
    picture.set(points, dimension);
    if (this.colors?.of.length === data.rows) this.#paint();
    this.#mark();
    const sizes = [data.rows, data.width].map((one) => number(one));
    const some = ids && ids.length < data.rows;
    picture.title(`${board.label(item.run)} · ${item.tag}`,
      some ? t("sampled", number(ids.length), ...sizes) : t("size", ...sizes),
      t("picture", number(scene.space.count), t(this.method), dimension));
  }

  /** The row of the data of a point in the picture, and the other way about (-1: not there). */
  #row(at) {
    return this.ids ? this.ids[at] : at;
  }

  #at(row) {
    if (row < 0 || !this.data) return -1;
    return this.places ? this.places[row] : row;
  }

  #setMethod(name) {
    this.method = name;
    this.board.state.set("method", name, "pca");
    this.runner.clear();
    if (!this.data) return;
    this.methodPart.setData(name, this.data.variance);
    if (this.old) this.#load();
    else if (name === "pca") {
      this.starts += 1; // what waits for its vectors is not wanted any more
      this.#showPoints(this.data.points, this.dimension, null);
    } else this.#compute();
  }

  #setDimension(dimension) {
    if (dimension === this.dimension) return;
    this.dimension = dimension;
    this.board.state.set("dimension", dimension, 3);
    this.runner.clear();
    if (this.item) this.#load();
  }

  /** Starts t-SNE or UMAP from the beginning, with the newest vectors. */
  async #compute() {
    const { data, dimension, method, methodPart, loads, board } = this;
    if (this.old) {
      this.runner.clear();
      this.#load(); // which computes
      return;
    }
    const start = ++this.starts;
    const current = () => start === this.starts && loads === this.loads;
    this.runner.prepare();
    let some = null;
    try {
      some = await table.loadSample(board, this.item, methodPart.most, this.chosen,
        this.abort.signal);
    } catch (error) {
      if (error.name === "AbortError" || !current()) return;
      this.runner.clear();
      methodPart.show();
      board.message(error.message, "error");
      return;
    }
    if (!current()) return;
    if (some.rows !== data.rows || some.width !== data.width) {
      this.#load(); // others were written in the meantime
      return;
    }
    const from = table.pick(data.points, dimension, some.ids);
    this.#showPoints(from.slice(), dimension, some.ids);
    this.chosenPart.setShown(this.#at(this.chosen) >= 0);
    this.runner.start(method, {
      vectors: some.vectors.slice(), rows: some.ids.length, columns: data.width, dimension,
      metric: methodPart.metric, settings: methodPart.settings, seed: SEED, start: from,
    });
  }

  // Labels and colours.

  #keep(key, value) {
    this.board.state.set(key, value);
    if (key === "color") this.board.state.set("scale", null);
    if (key !== "label") this.scene.hidden.clear();
    if (this.data) this.#recolor();
  }

  /** Brings labels, colours and the choices of columns up to date. */
  #recolor() {
    const { board, data, scene, columns } = this;
    this.colorPart.setColumns(columns);
    this.foundPart.setColumns(columns);
    this.colors = table.colouring(columns.all[columns.color], columns.scale, data.rows, board);
    for (const group of scene.hidden) {
      if (group >= this.colors.groups.length) scene.hidden.delete(group);
    }
    this.#paint();
    this.colorPart.draw(this.colors, scene.hidden);
    this.#drawFound();
    if (this.chosen >= 0) this.#drawChosen();
    this.#drawNear();
  }

  /** Gives the scene the colours of the points it has. */
  #paint() {
    const { ids, colors } = this;
    const of = ids ? Uint8Array.from(ids, (row) => colors.of[row]) : colors.of;
    this.scene.color({ of, groups: colors.groups });
    this.#showLabels();
  }

  #showLabels() {
    const few = this.scene.space.count <= FEW_LABELS;
    this.picture.setLabelled(this.board.state.get("labels", few));
  }

  /** A row as lists show it. */
  #tell(row) {
    const color = this.colors?.groups[this.colors.of[row]]?.color ?? "";
    return { row, label: this.columns.text(row), unique: this.columns.unique, color };
  }

  // Search, choice and neighbours.

  #search() {
    const { data, searched, match } = this;
    if (!data) return;
    this.found = searched ? this.columns.rowsWith(match, data.rows) : null;
    this.#drawFound();
    this.#mark();
  }

  #drawFound() {
    this.foundPart.draw(this.found, this.data.rows, (row) => this.#tell(row));
  }

  /** Chooses a row of the data, -1 for none, and asks what is near to it. */
  choose(row, { reveal = true } = {}) {
    this.chosen = row;
    this.board.state.set("point", row, -1);
    this.near = [];
    this.#drawChosen();
    this.#mark();
    if (row < 0 || !this.data) return;
    const at = this.#at(row);
    if (reveal && at >= 0) this.picture.look((space) => space.reveal(at));
    this.#askNear();
  }

  #drawChosen() {
    const { chosen } = this;
    const facts = chosen < 0 || !this.data ? [] : this.columns.facts(chosen);
    this.chosenPart.draw(facts);
    this.chosenPart.setShown(chosen < 0 || this.#at(chosen) >= 0);
  }

  async #askNear() {
    const { board, item, chosen, metric, count } = this;
    const question = ++this.questions;
    this.chosenPart.setNear(null);
    let near;
    try {
      near = await board.get("embedding/neighbors",
        { ...item, index: chosen, k: count, metric }, { signal: this.abort.signal });
    } catch (error) {
      if (error.name !== "AbortError") board.message(error.message, "error");
      return;
    }
    if (question !== this.questions || chosen !== this.chosen || !this.data) return;
    this.near = near.filter((one) => one.index < this.data.rows);
    this.#drawNear();
    this.#mark();
  }

  #drawNear() {
    if (this.chosen < 0) return;
    this.chosenPart.setNear(this.near.map(({ index, distance }) =>
      ({ ...this.#tell(index), distance: Number(distance) })));
  }

  #setNear(key, value, first) {
    this[key] = value;
    this.board.state.set(key, value, first);
    if (this.chosen >= 0 && this.data) this.#askNear();
  }

  /** Marks what was found, what is near, and what is chosen. */
  #mark() {
    const { scene } = this;
    const marks = new Uint8Array(scene.space.count);
    const set = (row, mark) => {
      const at = this.#at(row);
      if (at >= 0) marks[at] = mark;
    };
    this.found?.forEach((row) => set(row, MARK.found));
    this.near.forEach((one) => set(one.index, MARK.near));
    set(this.chosen, MARK.chosen);
    scene.marks = marks;
    scene.draw();
  }

  #downloads() {
    const { board, item, data } = this;
    const t = board.t;
    if (!data) return [];
    const name = fileName(`${board.label(item.run)}-${item.tag}`);
    const file = (route, end) => () => board.download(`${name}.${end}`, board.url(route, item));
    return [
      [t("png"), () => board.download(`${name}.png`, this.scene.image())],
      [t("shownPoints"), () => board.download(`${name}.csv`,
        table.csvOf(this.scene.space, this.ids, data.columns))],
      [t("vectorsFile"), file("embedding/tensor", "f32")],
      [t("labelsFile"), file("embedding/metadata", "tsv")],
    ];
  }

  // What the shell tells.

  update(changed) {
    const before = this.item;
    this.list();
    const { item } = this;
    if (item !== before || !changed.embeddings?.[item?.run]?.includes(item?.tag)) return;
    if (this.method === "pca" || !this.data) {
      this.#load();
      return;
    }
    // What is being computed goes on: the reader decides when the new vectors are taken.
    this.old = this.methodPart.fresh = true;
    this.methodPart.show();
  }

  runsChanged() {
    this.list();
  }

  themeChanged() {
    if (this.data) this.#recolor();
  }

  close() {
    this.loads += 1;
    this.abort.abort();
    this.runner.clear();
    this.picture.close();
  }

  #expose() {
    const { board, scene } = this;
    board.expose("points", () => [...scene.space.points]);
    board.expose("pixel", (row) => {
      scene.space.place(); // the next picture of the screen may not have been drawn yet
      return [scene.space.x[this.#at(row)], scene.space.y[this.#at(row)]];
    });
    board.expose("run", () => {
      const { state, step, steps, cost } = this.runner;
      return { state, step, steps, cost };
    });
    board.expose("shown", () => this.data && {
      item: this.item, dimension: scene.space.dimension, count: scene.space.count,
      drawn: scene.drawn === scene.space.points, ids: this.ids && [...this.ids],
      labels: (scene.labels ?? []).map((at) => this.columns.text(this.#row(at))),
      chosen: this.chosen, near: this.near, found: this.found, marks: [...scene.marks],
      cursor: scene.cursor, zoom: scene.space.zoom, yaw: scene.space.yaw, of: [...scene.of],
      hidden: [...scene.hidden],
      groups: this.colors.groups.map(({ name, color, count }) => ({ name, color, count })),
    });
  }
}

const same = (one, other) => one.run === other.run && one.tag === other.tag;
