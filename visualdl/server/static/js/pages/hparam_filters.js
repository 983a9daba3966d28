// The columns of hyper-parameters and metrics: which are shown, and which values pass.
import { el, fill } from "../dom.js";
import { number } from "../format.js";

const MOST_VALUES = 24;
const TEXTS = { NaN, Infinity, "-Infinity": -Infinity, nan: NaN, inf: Infinity, "-inf": -Infinity };

/**
 * The columns that sessions have: `[{key, name, kind, type, value(session)}]`.
 *
 * `kind` is "parameter" or "metric", `type` is "number" or "text", and `values` are the different
 * values of a text column.
 */
export function columnsOf(sessions) {
  const columns = new Map();
  for (const [part, kind] of [["hparams", "parameter"], ["metrics", "metric"]]) {
    for (const session of sessions) {
      for (const name of Object.keys(session[part] ?? {})) {
        const key = `${kind}:${name}`;
        if (columns.has(key)) continue;
        columns.set(key, column(sessions, part, kind, name, key));
      }
    }
  }
  return [...columns.values()];
}

function column(sessions, part, kind, name, key) {
  const plain = (session) => session[part]?.[name] ?? undefined;
  const found = sessions.map(plain).filter((value) => value !== undefined);
  const isNumber = (value) => typeof value === "number" || Object.hasOwn(TEXTS, value);
  const type = kind === "metric" || found.every(isNumber) ? "number" : "text";
  const value = type === "text"
    ? (session) => (plain(session) === undefined ? undefined : String(plain(session)))
    : (session) => (typeof plain(session) === "string" ? TEXTS[plain(session)] : plain(session));
  const values = type === "text" ? [...new Set(sessions.map(value).filter(Boolean))].sort() : [];
  return { key, name, kind, type, value, values };
}

/** The panel of columns and filters; what it holds is kept in the address. */
export class Filters {
  constructor(board, onChange) {
    this.board = board;
    this.onChange = onChange;
    this.hiddenColumns = new Set(board.state.get("without", []));
    this.ranges = new Map();
    this.excluded = new Map();
    for (const text of board.state.get("range", [])) {
      const [low, high, ...key] = text.split("~");
      this.ranges.set(key.join("~"), [low, high]);
    }
    for (const text of board.state.get("not", [])) {
      const at = text.indexOf("~");
      this.#excludedOf(text.slice(at + 1)).add(decodeURIComponent(text.slice(0, at)));
    }
    this.place = el("div", { class: "filter-grid" });
    this.element = el("details", { class: "card filters" },
      el("summary", {}, board.t("filters")),
      this.place,
      board.button(board.t("clearFilters"), () => this.#clear()));
  }

  setColumns(columns) {
    this.columns = columns;
    fill(this.place, columns.map((one) => this.#field(one)));
  }

  visible(column) {
    return !this.hiddenColumns.has(column.key);
  }

  /** Whether a session passes all filters. */
  admit(session, columns) {
    return columns.every((one) => {
      const value = one.value(session);
      const [low, high] = this.ranges.get(one.key) ?? ["", ""];
      if (one.type === "text") return !this.excluded.get(one.key)?.has(value);
      if (low === "" && high === "") return true;
      return (low === "" || value >= Number(low)) && (high === "" || value <= Number(high));
    });
  }

  #excludedOf(key) {
    if (!this.excluded.has(key)) this.excluded.set(key, new Set());
    return this.excluded.get(key);
  }

  #field(column) {
    const { board } = this;
    const show = board.toggle(column.name, this.visible(column), (on) => {
      if (on) this.hiddenColumns.delete(column.key);
      else this.hiddenColumns.add(column.key);
      this.#keep();
    });
    show.input.setAttribute("aria-label", board.t("show", column.name));
    show.append(el("small", { class: "muted" }, board.t(column.kind)));
    return el("div", { class: "filter" }, show,
      column.type === "number" ? this.#range(column) : this.#texts(column));
  }

  #range(column) {
    const { t } = this.board;
    const pair = this.ranges.get(column.key) ?? ["", ""];
    const input = (at, text, label) => el("input", {
      type: "number", step: "any", value: pair[at], placeholder: text, "aria-label": label,
      oninput: (event) => {
        pair[at] = event.target.value;
        this.ranges.set(column.key, pair);
        this.#keep();
      },
    });
    return el("div", { class: "range" }, input(0, t("from"), t("least", column.name)), "–",
      input(1, t("to"), t("most", column.name)));
  }

  #texts(column) {
    const out = this.#excludedOf(column.key);
    return el("div", { class: "texts" }, column.values.slice(0, MOST_VALUES).map((value) =>
      this.board.toggle(value, !out.has(value), (on) => {
        if (on) out.delete(value);
        else out.add(value);
        this.#keep();
      })));
  }

  #keep() {
    const { state } = this.board;
    const list = (values) => (values.length ? values : null);
    state.set("without", list([...this.hiddenColumns]));
    state.set("range", list([...this.ranges].filter(([, pair]) => pair.some((one) => one !== ""))
      .map(([key, pair]) => `${pair[0]}~${pair[1]}~${key}`)));
    state.set("not", list([...this.excluded].flatMap(([key, values]) =>
      [...values].map((value) => `${encodeURIComponent(value)}~${key}`))));
    this.onChange();
  }

  #clear() {
    this.hiddenColumns.clear();
    this.ranges.clear();
    this.excluded.clear();
    this.setColumns(this.columns ?? []);
    this.#keep();
  }
}

/** The value of a cell as text. */
export function cellText(value) {
  return value === undefined ? "" : typeof value === "number" ? number(value, 6) : String(value);
}
