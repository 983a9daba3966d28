// The side list of runs: which are shown, and in which colour.
import { el, fill, icon } from "./dom.js";
import { searchBox } from "./controls.js";
import * as state from "./state.js";
import { colorOf } from "./theme.js";

const MOST_ROWS = 400;

/**
 * The list of runs and what is checked in it.
 *
 * The choice is kept in the address: as `hide=` (all but these, the usual case: new runs are
 * shown as they come) or as `run=` (only these).
 */
export class Runs {
  constructor({ t, onChange }) {
    this.t = t;
    this.onChange = onChange;
    this.all = [];
    this.read();
    this.#build();
  }

  /** Takes the choice from the address. */
  read() {
    this.only = state.has("run") ? new Set(state.get("run", [])) : null;
    this.hidden = new Set(state.get("hide", []));
    this.pattern = state.get("find", "");
  }

  /** Sets the runs there are, `[{run, color_index}]`, of these folders. */
  setRuns(runs, folders) {
    const label = labels(runs.map((one) => one.run), folders);
    this.all = runs.map((one, at) => ({
      name: one.run, index: one.color_index ?? at, label: label(one.run),
    }));
    this.byName = new Map(this.all.map((one) => [one.name, one]));
    this.draw();
  }

  isChecked(name) {
    return this.only ? this.only.has(name) : !this.hidden.has(name);
  }

  /** The checked runs in their order: `[{name, label, color}]`. */
  checked() {
    return this.all.filter((one) => this.isChecked(one.name))
      .map((one) => ({ name: one.name, label: one.label, color: colorOf(one.index) }));
  }

  /** The name of a run as it is shown: without the folder that all have in common. */
  label(name) {
    return this.byName?.get(name)?.label ?? name;
  }

  color(name) {
    return colorOf(this.byName?.get(name)?.index ?? 0);
  }

  #build() {
    const t = this.t;
    this.rows = el("ul", { class: "run-rows" });
    this.count = el("span", { class: "muted", "aria-live": "polite" });
    const search = searchBox(t, t("findRuns"), (text, match) => {
      this.pattern = text;
      this.match = match;
      state.set("find", text, "");
      this.draw();
    }, { value: this.pattern, id: "find-runs" });
    this.match = search.match;
    const choose = (key, make) => el("button", {
      type: "button", class: "plain", onclick: () => this.#choose(make),
    }, t(key));
    this.element = el("aside", { class: "side", id: "runs", "aria-label": t("runs") },
      el("div", { class: "side-head" }, el("h2", {}, t("runs")), this.count),
      search,
      el("div", { class: "side-buttons" },
        choose("all", () => true), choose("none", () => false),
        choose("invert", (name) => !this.isChecked(name))),
      this.rows);
    this.draw();
  }

  #found() {
    return this.all.filter((one) => this.match(one.label));
  }

  /** Checks the found runs for which `want(name)` is true; the others that are found are not. */
  #choose(want) {
    const found = new Set(this.#found().map((one) => one.name));
    const after = this.all.filter((one) =>
      found.has(one.name) ? want(one.name) : this.isChecked(one.name));
    this.#keep(new Set(after.map((one) => one.name)));
  }

  #keep(names) {
    const unchecked = this.all.filter((one) => !names.has(one.name)).map((one) => one.name);
    const few = names.size < unchecked.length;
    this.only = few ? names : null;
    this.hidden = few ? new Set() : new Set(unchecked);
    state.set("run", this.only ? [...(names.size ? names : [""])] : null);
    state.set("hide", this.hidden.size ? [...this.hidden] : null);
    this.draw();
    this.onChange();
  }

  #set(name, on) {
    const names = new Set(this.checked().map((one) => one.name));
    if (on) names.add(name);
    else names.delete(name);
    this.#keep(names);
  }

  /** Draws the rows again, keeping the focus where it was. */
  draw() {
    const focused = document.activeElement?.dataset?.run;
    const found = this.#found();
    fill(this.rows, found.slice(0, MOST_ROWS).map((one) => this.#row(one)));
    if (found.length > MOST_ROWS) {
      this.rows.append(el("li", { class: "muted" },
        this.t("moreRuns", found.length - MOST_ROWS)));
    }
    const shown = this.all.filter((one) => this.isChecked(one.name)).length;
    fill(this.count, this.t("shownOf", shown, this.all.length));
    if (focused !== undefined) {
      this.rows.querySelector(`input[data-run="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  #row(one) {
    const box = el("input", {
      type: "checkbox", checked: this.isChecked(one.name), dataset: { run: one.name },
      onchange: (event) => this.#set(one.name, event.target.checked),
    });
    const only = el("button", {
      type: "button", class: "plain only", "aria-label": this.t("onlyThis", one.label),
      onclick: () => this.#keep(new Set([one.name])),
    }, this.t("only"));
    return el("li", { style: { "--run": colorOf(one.index) } },
      el("label", { title: one.name }, box, el("span", { class: "run-name" }, one.label)), only);
  }
}

/** A function that takes the folder off the names of runs which they have in common. */
function labels(names, folders) {
  const parents = folders.map((one) => one.replace(/\/+$/, ""));
  const inside = (folder) =>
    names.every((name) => name === folder || name.startsWith(`${folder}/`));
  let parent = parents.length > 0 ? parents.reduce(common) : "";
  if (!parent || !inside(parent)) return (name) => name;
  return (name) =>
    (name === parent ? name.split("/").at(-1) || name : name.slice(parent.length + 1));
}

/** The folder that two paths have in common, "" for none. */
function common(a, b) {
  const [left, right] = [a.split("/"), b.split("/")];
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return left.slice(0, at).join("/");
}

/** The button that shows or hides the side list. */
export function sideButton(t) {
  const button = el("button", {
    type: "button", class: "square side-toggle", "aria-controls": "runs", id: "side-toggle",
    onclick: () => toggleSide(t),
  }, icon("runs"));
  label(button, t);
  return button;
}

/** Shows or hides the side list. */
export function toggleSide(t) {
  const narrow = matchMedia("(max-width: 800px)").matches;
  const root = document.documentElement;
  const shown = narrow ? root.dataset.side === "open" : root.dataset.side !== "closed";
  root.dataset.side = shown ? "closed" : "open";
  label(document.getElementById("side-toggle"), t);
}

function label(button, t) {
  const narrow = matchMedia("(max-width: 800px)").matches;
  const side = document.documentElement.dataset.side;
  const shown = narrow ? side === "open" : side !== "closed";
  button.setAttribute("aria-expanded", String(shown));
  button.setAttribute("aria-label", t(shown ? "hideRuns" : "showRuns"));
  button.title = t(shown ? "hideRuns" : "showRuns");
}
