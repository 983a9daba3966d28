// The graph page: models as graphs that fold by layer, with search, details and upload.
import { el, fill, svg } from "../dom.js";
import { empty, iconButton, menuButton, segmented, select, textButton, toggle }
  from "../controls.js";
import { Drawing, boxOf, labelOf } from "./graph_draw.js";
import { showDetails } from "./graph_details.js";
import { asPng, asSvg } from "./graph_export.js";
import { GraphModel } from "./graph_model.js";
import { dropZone, fileButton, send } from "./graph_upload.js";
import { Overview } from "./graph_overview.js";
import { Viewport } from "./graph_viewport.js";
import { searchControl } from "./graph_search.js";
import { walk } from "./graph_keys.js";

export { words } from "./graph_words.js";
export const styles = ["css/graph.css"];
export const usesRuns = false;

const SHOWN = ["shapes", "names", "attributes", "parameters"];

/** Opens the page. */
export async function open(root, board) {
  const page = new GraphPage(root, board);
  await page.start();
  return {
    update: () => page.refresh(),
    themeChanged: () => page.themeChanged(),
    close: () => page.close(),
  };
}

class GraphPage {
  constructor(root, board) {
    this.root = root;
    this.board = board;
    this.t = board.t;
    this.state = board.state;
    this.selected = "";
    this.way = "off";
    this.ticket = 0;
    this.stop = new AbortController();
    this.shown = { shapes: true, names: false, attributes: false, parameters: false };
    for (const name of this.state.get("show", [])) this.shown[name] = true;
    if (this.state.get("plain", false)) this.shown.shapes = false;
    this.across = this.state.get("across", false);
  }

  async start() {
    this.#build();
    this.worker = new Worker(new URL("./graph_worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.#placed(data);
    this.worker.onerror = () => this.#fail(this.t("readFailed"));
    await this.refresh();
    this.#expose();
  }

  close() {
    this.stop.abort();
    this.worker?.terminate();
    this.viewport.close();
  }

  /** Draws what is no SVG again, in the theme's colours. */
  themeChanged() {
    this.map.forget();
    this.viewport.apply();
  }

  /** Asks which models there are; opens the first where none is open. */
  async refresh() {
    try {
      this.models = await this.board.get("graph/models", {}, { signal: this.stop.signal });
    } catch (error) {
      if (error.name !== "AbortError") this.#fail(error.message);
      return;
    }
    const names = this.models.map((one) => one.run);
    const label = (one) => (one.source === "upload" ? this.t("uploaded", one.file)
      : one.source === "model" ? one.file : `${one.run} / ${one.file}`);
    fill(this.choice.input, this.models.map((one) =>
      el("option", { value: one.run }, label(one))));
    const wanted = this.name ?? this.state.get("model", "");
    const name = names.includes(wanted) ? wanted : names[0];
    this.choice.hidden = !names.length;
    if (name === undefined) {
      this.name = undefined;
      this.#blank();
    } else {
      this.choice.input.value = name;
      const found = this.models.find((one) => one.run === name);
      const stamp = `${name} ${found.time} ${found.size} ${found.file}`;
      if (stamp !== this.stamp) await this.load(name, stamp);
    }
  }

  /** Opens a model. */
  async load(name, stamp = null) {
    const again = name === this.name;
    this.name = name;
    this.stamp = stamp ?? this.stamp;
    this.state.set("model", name);
    this.#busy(this.t("loading"));
    let data;
    try {
      data = await this.board.get("graph/model", { run: name }, { signal: this.stop.signal });
    } catch (error) {
      if (error.name !== "AbortError") this.#fail(error.message);
      return;
    }
    if (name !== this.name) return;
    const first = !this.data;
    this.data = data;
    this.#grouped(first || again ? this.state.get("group", data.grouping) : data.grouping,
      first ? this.state.get("open", []) : []);
    const wanted = first ? this.state.get("node", "") : "";
    if (wanted) this.go(this.#keyOf(wanted));
  }

  #grouped(name, open = []) {
    const groupings = [...Object.keys(this.data.groupings)
      .filter((one) => this.data.groupings[one].length), "none"];
    const grouping = groupings.includes(name) ? name : this.data.grouping;
    this.model = new GraphModel(this.data, grouping);
    if (open.length) this.model.open.clear(); // the address says what was unfolded, and no more
    for (const path of open) {
      const at = this.model.groups.findIndex((_, one) => this.model.path(`g${one}`) === path);
      if (at >= 0) this.model.fold(`g${at}`, true);
    }
    fill(this.grouping.input, groupings.map((one) => el("option", { value: one }, this.t(one))));
    this.grouping.input.value = grouping;
    this.grouping.hidden = groupings.length < 2;
    this.selected = "";
    this.searching.model(this.model);
    this.after = () => this.viewport.fit({ readable: true });
    this.layout();
    this.#details();
  }

  #keyOf(name) {
    const at = this.model.nodes.findIndex((node) => node.name === name);
    if (at >= 0) return `n${at}`;
    const group = this.model.groups.findIndex((_, one) => this.model.path(`g${one}`) === name);
    return group >= 0 ? `g${group}` : "";
  }

  /** Lays out what is visible now; `then` is called when it is drawn. */
  layout(then = null) {
    this.#busy(this.t("placing"));
    const { containers, segments } = this.model.view();
    this.segments = segments;
    this.boxes = new Map();
    const sent = [...containers.values()].map((container) => ({
      key: container.key,
      width: container.key ? 60 + 7 * this.model.name(container.key).length : 0,
      ins: [...container.ins], outs: [...container.outs],
      items: container.items.map((key) => {
        const box = boxOf(this.model, key, this.shown, this.t);
        this.boxes.set(key, box);
        return { key, width: box.width, height: box.height };
      }),
      edges: [...container.edges.values()].map((edge) => ({
        ...edge,
        label: this.shown.shapes && !/^(in|out)/.test(`${edge.from}`) && !edge.to.startsWith("out")
          ? labelOf(this.model, segments[edge.id], this.t) : null,
      })),
    }));
    const earlier = this.after;
    this.after = then ?? earlier;
    this.ticket += 1;
    this.worker.postMessage({ ticket: this.ticket, containers: sent, across: this.across });
  }

  #placed({ ticket, placed, error }) {
    if (ticket !== this.ticket) return;
    if (error) {
      this.#fail(error);
      return;
    }
    this.#busy("");
    this.empty.hidden = true;
    this.drawing.set(this.model, placed, this.boxes);
    this.done = ticket;
    const { after } = this;
    this.after = null;
    after?.();
    this.drawing.render(this.viewport.seen());
    this.#mark();
    this.viewport.apply();
  }

  /** Folds or unfolds a group; its title stays where it is on the screen. */
  fold(key, open = undefined) {
    if (!key || key[0] !== "g") return;
    const top = (item) => ({ x: item.x, y: item.y - item.height / 2 });
    const before = this.drawing.where?.get(key);
    this.model.fold(key, open);
    this.layout(() => {
      const now = this.drawing.where.get(key);
      if (before && now) this.viewport.keep(top(before), top(now));
    });
    this.#keep();
    this.#details();
  }

  #foldAll(open, key = "") {
    this.model.foldAll(open, key);
    this.layout(key ? () => this.#centre(key) : () => this.viewport.fit({ readable: true }));
    this.#keep();
    this.#details();
  }

  /** Selects a node or group, unfolds what hides it and brings it into the middle. */
  go(key) {
    if (!key) return;
    const hidden = this.model.reveal(key);
    this.select(key);
    const there = () => this.#centre(key);
    if (hidden || this.done !== this.ticket) {
      this.layout(there);
      this.#keep();
    } else there();
  }

  #centre(key) {
    const item = this.drawing.where.get(key);
    if (!item) return;
    const high = this.model.isOpen(key) ? item.y - item.height / 2 + 80 : item.y;
    this.viewport.centre(item.x, high);
  }

  /** Selects a key; "" lets go. */
  select(key) {
    this.selected = key;
    const group = key && key[0] === "g";
    this.state.set("node", !key ? "" : group ? this.model.path(key) : this.model.name(key));
    if (key) this.#panel(true);
    this.#details();
    this.#mark();
    if (key) this.canvas.setAttribute("aria-activedescendant", `graph-${key}`);
    else this.canvas.removeAttribute("aria-activedescendant");
  }

  #mark() {
    if (!this.model) return;
    const marked = { selected: this.selected, nodes: null, edges: null, near: new Set() };
    if (this.selected) {
      const on = this.way !== "off";
      const way = { in: "in", out: "out" }[this.way] ?? "both";
      const flow = this.model.flow(this.selected, way, on);
      const edges = new Set();
      this.segments.forEach((stands, id) => {
        if (stands.some((edge) => flow.edges.has(edge))) edges.add(id);
      });
      if (on) {
        const nodes = new Set();
        for (const at of flow.nodes) {
          nodes.add(this.model.seen(`n${at}`));
          this.model.around(`n${at}`).forEach((group) => nodes.add(group));
        }
        marked.nodes = nodes;
        marked.edges = edges;
      } else marked.near = edges;
    }
    this.drawing.mark(marked);
  }

  #details() {
    if (!this.model) return;
    showDetails(this.panel, this.model, this.selected, {
      t: this.t, go: (key) => this.go(key), fold: (key) => this.fold(key),
      unfoldInside: (key) => this.#foldAll(true, key), close: () => this.#panel(false),
    });
  }

  #panel(open) {
    this.main.classList.toggle("with-panel", open);
    this.panel.hidden = !open;
    this.facts.setAttribute("aria-pressed", String(open));
  }

  /** Notes in the address what is unfolded, unless that is far too much. */
  #keep() {
    const open = [...this.model.open].map((at) => this.model.path(`g${at}`));
    this.state.set("open", open.length <= 40 ? open : []);
  }

  #build() {
    const { t } = this;
    this.choice = select(t("model"), [], "", (name) => {
      this.stamp = null;
      this.load(name).then(() => this.refresh());
    });
    this.grouping = select(t("groupBy"), [], "", (name) => {
      this.state.set("group", name);
      this.#grouped(name);
      this.#keep();
    });
    this.flow = segmented(t("flow"), [["off", t("flowOff")], ["in", t("flowIn")],
      ["out", t("flowOut")], ["both", t("flowBoth")]], "off", (way) => {
      this.way = way;
      this.#mark();
    });
    this.flow.title = t("flowTip");
    const show = el("details", { class: "graph-show" }, el("summary", {}, t("show")),
      el("div", {}, SHOWN.map((name) => toggle(
        t(name === "parameters" ? "parametersWord" : name), this.shown[name], (on) => {
          this.shown[name] = on;
          this.state.set("show", SHOWN.filter((one) => one !== "shapes" && this.shown[one]));
          this.state.set("plain", !this.shown.shapes);
          if (this.model) this.layout();
        })), toggle(t("across"), this.across, (on) => {
        this.across = on;
        this.state.set("across", on, false);
        if (this.model) this.layout(() => this.viewport.fit({ readable: true }));
      })));
    this.searching = searchControl(t, (key) => this.go(key));
    this.facts = iconButton("help", t("details"), () => this.#panel(this.panel.hidden),
      { pressed: true });
    const zoom = el("div", { class: "graph-zoom", role: "group" },
      textButton("+", () => this.viewport.zoom(1.3)),
      textButton("−", () => this.viewport.zoom(0.77)),
      iconButton("full", t("fit"), () => this.viewport.fit()));
    [["zoomIn", 0], ["zoomOut", 1]].forEach(([name, at]) => {
      zoom.children[at].setAttribute("aria-label", t(name));
      zoom.children[at].title = t(name);
    });
    const bar = this.board.toolbar(this.root, [
      this.choice, fileButton(t, (file) => this.upload(file)), this.grouping,
      el("div", { class: "graph-folds" }, textButton(t("foldAll"), () => this.#foldAll(false)),
        textButton(t("unfoldAll"), () => this.#foldAll(true))),
      this.flow, show, this.searching.node,
      menuButton("download", t("saveAs"), () => [["PNG", () => this.#save("png")],
        ["SVG", () => this.#save("svg")]]),
      this.facts,
    ]);
    bar.classList.add("graph-bar");
    this.canvas = svg("svg", { class: "graph-canvas", tabindex: 0, role: "application",
      "aria-label": t("canvas") });
    this.drawing = new Drawing(this.canvas);
    this.status = el("div", { class: "graph-status", role: "status", hidden: true });
    this.empty = el("div", { class: "graph-empty", hidden: true });
    this.panel = el("aside", { class: "graph-panel", "aria-label": t("details") });
    const place = el("div", { class: "graph-place" }, this.canvas, zoom, this.status, this.empty);
    this.main = el("div", { class: "graph-main with-panel" }, place, this.panel);
    this.root.classList.add("graph-page");
    this.root.append(this.main);
    if (this.root.clientWidth < 760) this.#panel(false);
    this.#height();
    window.addEventListener("resize", () => this.#height(), { signal: this.stop.signal });
    this.map = new Overview(t("map"), (x, y) => this.viewport.centre(x, y, 0));
    place.append(this.map.node);
    this.viewport = new Viewport(this.canvas, {
      world: () => this.drawing.world,
      size: () => this.drawing.size ?? { width: 1, height: 1 },
      onChange: () => {
        this.drawing.render(this.viewport.seen());
        this.map.show(this.drawing, this.viewport.window());
      },
      onTap: (event) => this.#tap(event),
    });
    this.canvas.addEventListener("dblclick", (event) => this.fold(keyAt(event.target)));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    dropZone(this.root, t, (file) => this.upload(file), this.stop.signal);
  }

  /** Lets the page end where the window does, so that it need not scroll. */
  #height() {
    const top = this.root.getBoundingClientRect().top + window.scrollY;
    const end = document.querySelector("footer")?.offsetHeight ?? 0;
    this.root.style.setProperty("--graph-top", `${Math.ceil(top + end + 30)}px`);
  }

  #tap(event) {
    this.canvas.focus({ preventScroll: true });
    const key = keyAt(event.target);
    if (key && event.target.closest(".sign")) {
      this.select(key);
      this.fold(key);
    } else this.select(key);
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const done = walk(event.key, {
      model: this.model, selected: this.selected, where: this.drawing.where ?? new Map(),
      go: (key) => {
        this.select(key);
        this.#centre(key);
      },
      select: (key) => this.select(key), fold: (key) => this.fold(key),
      viewport: this.viewport, search: () => this.searching.focus(),
    });
    if (done) event.preventDefault();
  }

  /** Sends a file to the server and opens it. */
  async upload(file) {
    this.#busy(this.t("loading"));
    try {
      await send(this.board, file, this.stop.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.#busy("");
      this.board.message(error.message, "error");
      return;
    }
    this.data = this.data ?? null;
    this.name = "manual_input_model";
    this.stamp = null;
    await this.refresh();
    if (this.stamp === null) await this.load(this.name);
  }

  async #save(kind) {
    if (!this.drawing.size) return;
    const name = this.data.name.replace(/\.(pdmodel|onnx|log)$/, "");
    const style = getComputedStyle(this.canvas);
    const ground = style.getPropertyValue("--graph-ground").trim() || "#fff";
    try {
      const made = kind === "png" ? await asPng(this.drawing, ground)
        : new Blob([asSvg(this.drawing, ground).text], { type: "image/svg+xml" });
      this.board.download(`${name}.${kind}`, made);
    } catch (error) {
      this.board.message(error.message, "error");
    }
    this.viewport.apply();
  }

  #busy(text) {
    this.status.textContent = text;
    this.status.hidden = !text;
  }

  #blank() {
    this.#busy("");
    this.model = null;
    this.#panel(false);
    this.drawing.set({ isOpen: () => false }, { items: [], edges: [], width: 1, height: 1 }, null);
    fill(this.empty, empty(this.t("nothing"), this.t("nothingText"),
      fileButton(this.t, (file) => this.upload(file))));
    this.empty.hidden = false;
  }

  #fail(text) {
    this.#busy("");
    fill(this.empty, empty(this.t("readFailed"), text,
      fileButton(this.t, (file) => this.upload(file))));
    this.empty.hidden = false;
    this.drawing.set({ isOpen: () => false }, { items: [], edges: [], width: 1, height: 1 }, null);
    this.model = null;
    this.stamp = null;
  }

  #expose() {
    const told = {
      model: () => this.model, data: () => this.data, drawing: () => this.drawing,
      selected: () => this.selected, settled: () => this.done === this.ticket,
      go: (name) => this.go(this.#keyOf(name)), keyOf: (name) => this.#keyOf(name),
      viewport: () => this.viewport, marked: () => this.drawing.marked,
    };
    for (const [name, value] of Object.entries(told)) this.board.expose(name, value);
  }
}

function keyAt(target) {
  return target.closest("[data-key]")?.dataset.key ?? "";
}
