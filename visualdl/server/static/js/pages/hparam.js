// Hyper-parameters: a table to sort and filter, parallel axes, a scatter chart.
import { debounce, el, fill } from "../dom.js";
import { parallelOption, scatterOption } from "./hparam_charts.js";
import { columnsOf, Filters } from "./hparam_filters.js";
import { drawTable } from "./hparam_table.js";
import { words } from "./hparam_words.js";

/** Pixels that the labels of a parallel axis need; where there are fewer, the chart scrolls. */
const AXIS_WIDTH = 80;

export { words };
export const styles = ["css/hparam.css"];
export const usesRuns = true;

const AGAIN = 1500; // metrics follow the scalars: they are asked for again at most so often

/** Opens the page. */
export async function open(root, board) {
  const page = new HparamPage(root, board);
  await page.load();
  return page;
}

class HparamPage {
  constructor(root, board) {
    this.board = board;
    this.sessions = [];
    this.columns = [];
    this.selected = null;
    this.abort = new AbortController();
    this.view = board.state.get("chart", "parallel");
    this.color = board.state.get("color", "");
    this.log = board.state.get("log", false);
    this.axes = [board.state.get("x", ""), board.state.get("y", "")];
    this.sort = { column: board.state.get("sort", ""), down: board.state.get("down", false) };
    this.filters = new Filters(board, () => this.draw());
    this.again = debounce(AGAIN, () => this.load());
    this.#build(root);
    board.expose("rows", () => this.shown());
    board.expose("columns", () => this.columns);
    board.expose("option", () => this.chart?.echarts?.getOption() ?? null);
  }

  #build(root) {
    const { board } = this;
    const t = board.t;
    const search = board.search(t("find"), (text, match) => {
      this.match = match;
      board.state.set("search", text, "");
      this.draw();
    }, { value: board.state.get("search", "") });
    this.match = search.match;
    this.choices = el("span", { class: "choices" });
    const views = ["parallel", "scatter", "table"].map((key) => [key, t(key)]);
    board.toolbar(root,
      search,
      board.segmented(t("chart"), views, this.view, (view) => {
        this.view = view;
        this.selected = null;
        board.state.set("chart", view, "parallel");
        this.draw();
      }),
      this.choices,
      board.toggle(t("log"), this.log, (on) => {
        this.log = on;
        board.state.set("log", on, false);
        this.draw();
      }),
      board.menu("download", t("download"), () => this.#downloads()));
    this.plot = el("div", { class: "hparam-plot", role: "img" });
    this.chartCard = el("div", { class: "card hparam-chart" }, this.plot);
    this.note = el("p", { class: "muted hparam-note", "aria-live": "polite" });
    this.place = el("div", { class: "hparam-table" });
    root.append(this.chartCard, this.filters.element,
      el("div", { class: "card" }, this.note, this.place));
  }

  async load() {
    try {
      const { signal } = this.abort;
      const sessions = await this.board.get("hparams/list", { shown: 1 }, { signal });
      this.sessions = sessions ?? [];
    } catch (error) {
      if (error.name !== "AbortError") this.board.message(error.message, "error");
      return;
    }
    const columns = columnsOf(this.sessions);
    const same = JSON.stringify(columns) === JSON.stringify(this.columns);
    this.columns = columns;
    if (!same) {
      this.filters.setColumns(columns);
      this.#drawChoices();
    }
    this.draw();
  }

  #drawChoices() {
    const { board, columns } = this;
    const t = board.t;
    const metrics = columns.filter((one) => one.kind === "metric");
    const names = columns.map((one) => [one.key, one.name]);
    const known = (key, otherwise) =>
      (columns.some((one) => one.key === key) ? key : otherwise?.key ?? "");
    this.color = known(this.color, metrics[0]);
    this.axes = [known(this.axes[0], columns[0]), known(this.axes[1], metrics[0] ?? columns[1])];
    const keep = (key, apply) => (value) => {
      apply(value);
      board.state.set(key, value);
      this.draw();
    };
    const numeric = columns.filter((one) => one.type === "number")
      .map((one) => [one.key, one.name]);
    this.axisChoices = [
      board.select(t("across"), names, this.axes[0], keep("x", (key) => { this.axes[0] = key; })),
      board.select(t("up"), names, this.axes[1], keep("y", (key) => { this.axes[1] = key; })),
    ];
    fill(this.choices,
      board.select(t("color"), [["", t("byRun")], ...numeric], this.color,
        keep("color", (key) => { this.color = key; })),
      this.axisChoices);
  }

  /** The sessions to show: those of checked runs that match, sorted. */
  shown() {
    const checked = new Set(this.board.runs().map((one) => one.name));
    const rows = this.sessions.filter((one) => checked.has(one.name) && this.#matches(one) &&
      this.filters.admit(one, this.columns));
    const column = this.columns.find((one) => one.key === this.sort.column);
    const sign = this.sort.down ? -1 : 1;
    rows.sort((a, b) => compare(column ? column.value(a) : a.name,
      column ? column.value(b) : b.name, sign));
    return rows;
  }

  #matches(one) {
    return this.match(this.board.label(one.name)) || this.columns.some((column) => {
      const value = column.value(one);
      return value !== undefined && this.match(`${column.name}=${value}`);
    });
  }

  draw() {
    const rows = this.shown();
    const columns = this.columns.filter((one) => this.filters.visible(one));
    this.#drawChart(rows, columns);
    this.#drawTable(rows);
  }

  #drawTable(rows) {
    const columns = this.columns.filter((one) => this.filters.visible(one));
    const chosen = this.selected ? rows.filter((one) => this.selected.has(one.name)) : rows;
    drawTable(this.place, chosen, columns, {
      board: this.board, sort: this.sort, paint: this.#paint(rows),
      onSort: (key) => this.#sortBy(key),
    });
    const t = this.board.t;
    fill(this.note, t("found", chosen.length, this.sessions.length),
      this.selected ? [" · ", t("selected", chosen.length), " ",
        el("button", { type: "button", class: "plain", onclick: () => this.#clearSelection() },
          t("clearSelection"))] : null);
  }

  /** A function from a session to its colour. */
  #paint(rows) {
    const column = this.columns.find((one) => one.key === this.color);
    if (!column) return (one) => this.board.color(one.name);
    const values = rows.map(column.value).filter(Number.isFinite);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (one) => {
      const value = column.value(one);
      if (!Number.isFinite(value)) return this.board.variable("--muted");
      return this.board.ramp(high > low ? (value - low) / (high - low) : 0.5);
    };
  }

  #drawChart(rows, columns) {
    const { board, view } = this;
    const t = board.t;
    for (const one of this.axisChoices ?? []) one.hidden = view !== "scatter";
    this.chartCard.hidden = view === "table";
    if (view === "table") {
      this.#disposeChart();
      return;
    }
    if (!this.chart) {
      this.chart = board.chart(this.plot, {});
      this.chart.on("axisareaselected", () => this.#select());
    }
    const how = { paint: this.#paint(rows), log: this.log, board };
    this.plot.style.minWidth = view === "parallel" ? `${AXIS_WIDTH * columns.length}px` : "";
    if (view === "parallel") {
      this.chart.set(parallelOption(rows, columns, how), { whole: true });
      this.plot.setAttribute("aria-label", t("parallelOf", rows.length));
      this.drawnRows = rows;
    } else {
      const [x, y] = this.axes.map((key) => this.columns.find((one) => one.key === key));
      this.chart.set(x && y ? scatterOption(rows, x, y, this.columns, how) : {}, { whole: true });
      this.plot.setAttribute("aria-label", t("scatterOf", x?.name, y?.name, rows.length));
    }
  }

  #select() {
    const model = this.chart.echarts.getModel().getSeriesByIndex(0);
    if (!model) return;
    const active = model.getRawIndicesByActiveState("active");
    const names = active.map((at) => this.drawnRows[at]?.name);
    const some = names.length > 0 && names.length < this.drawnRows.length;
    this.selected = some ? new Set(names) : null;
    this.#drawTable(this.drawnRows);
  }

  #clearSelection() {
    this.selected = null;
    this.draw();
  }

  #sortBy(key) {
    this.sort = { column: key, down: this.sort.column === key && !this.sort.down };
    this.board.state.set("sort", key, "");
    this.board.state.set("down", this.sort.down, false);
    this.draw();
  }

  #downloads() {
    const { board } = this;
    const t = board.t;
    const list = [[t("csv"), () =>
      board.download("hyper-parameters.csv", board.url("hparams/data", { type: "csv" }))]];
    if (this.chart) {
      list.push([t("png"), () => board.download("hyper-parameters.png", this.chart.image())]);
    }
    return list;
  }

  update(changed) {
    if (changed.hyper_parameters) this.load();
    else if (changed.scalar) this.again();
  }

  runsChanged() {
    this.load();
  }

  themeChanged() {
    this.draw();
  }

  #disposeChart() {
    this.chart?.dispose();
    this.chart = null;
  }

  close() {
    this.abort.abort();
    this.again.cancel();
    this.#disposeChart();
  }
}

/** Compares values of a column: numbers by size, texts by name, what is missing always last. */
function compare(a, b, sign) {
  const missing = (value) => value === undefined || value === null || Number.isNaN(value);
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
}
