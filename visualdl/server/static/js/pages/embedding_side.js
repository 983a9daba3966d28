// The parts beside the picture: labels and colours with their groups, the chosen point, the search.
import { add, el, fill } from "../dom.js";
import { number } from "../format.js";
import { short } from "./embedding_labels.js";

/** How many neighbours can be asked for. */
export const COUNTS = [5, 10, 20, 50, 100];

const MOST_FOUND = 100;
const RAMP = 24; // colours in the bar of a scale

const part = (title, ...children) => el("section", {
  class: "card embedding-part", "aria-label": title,
}, el("h3", {}, title), children);

/** Which label stands beside a point, what colours it, and the groups of colours. */
export class ColorPart {
  /** `on` has `label(index)`, `color(index)`, `scale(yes)` and `hidden()`: groups hidden, shown. */
  constructor(board, on) {
    Object.assign(this, { board, on });
    this.choices = el("div", { class: "embedding-fields" });
    this.legend = el("div", { class: "embedding-legend" });
    this.element = part(board.t("asThey"), this.choices, this.legend);
  }

  /** Offers the columns (see js/pages/embedding_columns.js). */
  setColumns({ all, label, color, scale }) {
    const { board, on } = this;
    const t = board.t;
    const names = all.map((one, at) => [String(at), one.name]);
    const key = this.choices.contains(document.activeElement) ? document.activeElement : null;
    this.choices.hidden = !all.length;
    fill(this.choices,
      board.select(t("labelBy"), names, String(label), (at) => on.label(Number(at))),
      board.select(t("colorBy"), [["-1", t("oneColor")], ...names], String(color),
        (at) => on.color(Number(at))),
      all[color]?.numeric ? board.segmented(t("as"),
        [["groups", t("groups")], ["scale", t("scale")]], scale ? "scale" : "groups",
        (value) => on.scale(value === "scale")) : null);
    if (key) focusLike(this.choices, key);
  }

  /** Draws what the colours mean; `hidden` is the set of groups that are not shown. */
  draw(colors, hidden) {
    if (colors.kind === "none") fill(this.legend);
    else if (colors.kind === "scale") this.#ramp(colors);
    else this.#groups(colors, hidden);
  }

  #ramp({ least, most }) {
    const { board } = this;
    const stops = Array.from({ length: RAMP }, (_, at) => board.ramp(at / (RAMP - 1)));
    fill(this.legend, el("div", {
      class: "embedding-ramp", style: { background: `linear-gradient(90deg, ${stops.join(", ")})` },
    }), el("div", { class: "embedding-ends" }, el("span", {}, number(least)),
      el("span", {}, number(most))));
  }

  #groups({ groups, others }, hidden) {
    const { board, on } = this;
    const t = board.t;
    const focused = document.activeElement?.dataset?.group;
    const rows = groups.map((group, at) => {
      const name = group.rest ? t("others", others) : group.name.trim() || t("missing");
      const box = el("input", {
        type: "checkbox", checked: !hidden.has(at), dataset: { group: at },
        onchange: () => {
          if (box.checked) hidden.delete(at);
          else hidden.add(at);
          on.hidden();
        },
      });
      return el("li", { style: { "--run": group.color } }, el("label", { title: name }, box,
        el("span", { class: "run-name" }, short(name, 60)),
        el("span", { class: "muted" }, number(group.count))));
    });
    const all = el("button", {
      type: "button", class: "plain", onclick: () => {
        hidden.clear();
        on.hidden();
      },
    }, t("allGroups"));
    fill(this.legend, el("ul", { class: "run-rows" }, rows), hidden.size ? all : null);
    if (focused === undefined) return;
    this.legend.querySelector(`input[data-group="${focused}"]`)?.focus();
  }
}

/** What is known about the chosen point, and the points nearest to it. */
export class ChosenPart {
  /** `on` has `choose(row)` (-1 lets go), `point(row)`, `metric(name)` and `count(number)`. */
  constructor(board, on, { metric, count }) {
    const t = board.t;
    Object.assign(this, { board, on });
    this.hint = el("p", { class: "muted" }, t("chooseHint"));
    this.about = el("div", {});
    this.list = el("div", {});
    this.near = el("div", { class: "embedding-near" },
      el("h4", {}, t("neighbors")),
      el("div", { class: "embedding-fields" },
        board.select(t("metric"), ["cosine", "euclidean"].map((one) => [one, t(one)]), metric,
          on.metric),
        board.select(t("count"), COUNTS.map((one) => [String(one), String(one)]),
          String(count), (value) => on.count(Number(value)))),
      this.list);
    this.element = part(t("chosen"), this.hint, this.about, this.near);
    this.missing = el("p", { class: "muted" }, t("notShown"));
    this.draw([]);
  }

  /** Shows what is known, `[[name, value], ...]`; nothing where no point is chosen. */
  draw(facts) {
    const { board, on } = this;
    const some = facts.length > 0;
    this.hint.hidden = some;
    this.about.hidden = this.near.hidden = !some;
    if (!some) return;
    fill(this.about, el("table", { class: "embedding-facts" }, el("tbody", {},
      facts.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name),
        el("td", {}, value))))),
    this.missing, board.button(board.t("letGo"), () => on.choose(-1)));
  }

  /** Says whether the chosen point is in the picture. */
  setShown(shown) {
    this.missing.hidden = shown;
  }

  /** Lists neighbours, `[{row, label, color, distance}]`; null while they are asked for. */
  setNear(near) {
    const { board } = this;
    this.list.setAttribute("aria-busy", String(near === null));
    if (near === null) return;
    if (!near.length) {
      fill(this.list, el("p", { class: "muted" }, board.t("noNeighbors")));
      return;
    }
    const far = near[near.length - 1].distance || 1;
    fill(this.list, el("ol", { class: "embedding-list" }, near.map((one) =>
      pointRow(one, this.on, el("span", { class: "embedding-distance number" },
        number(one.distance, 4)), Math.min(1, one.distance / far)))));
  }
}

/** The points that a search found. */
export class FoundPart {
  /** `on` has `choose(row)`, `point(row)` and `column(index)`. */
  constructor(board, on) {
    Object.assign(this, { board, on });
    this.where = el("div", { class: "embedding-fields" });
    this.count = el("p", { class: "muted", role: "status" });
    this.list = el("div", {});
    this.element = part(board.t("found"), this.where, this.count, this.list);
  }

  /** Offers the columns to search in. */
  setColumns({ all, searched }) {
    const { board, on } = this;
    const t = board.t;
    this.where.hidden = all.length < 2;
    fill(this.where, board.select(t("searchIn"), [["-1", t("everywhere")],
      ...all.map((one, at) => [String(at), one.name])], String(searched),
    (at) => on.column(Number(at))));
  }

  /** Lists what was found, null where nothing is searched; `tell(row)` gives label and colour. */
  draw(found, rows, tell) {
    const t = this.board.t;
    this.element.hidden = found === null;
    if (found === null) return;
    fill(this.count, t("foundOf", number(found.length), number(rows)));
    fill(this.list, el("ol", { class: "embedding-list" },
      found.slice(0, MOST_FOUND).map((row) => pointRow(tell(row), this.on))));
    if (found.length <= MOST_FOUND) return;
    add(this.list, el("p", { class: "muted" },
      t("moreFound", number(found.length - MOST_FOUND))));
  }
}

/** Gives the focus to the control that took the place of another. */
function focusLike(place, before) {
  const label = before.getAttribute("aria-label") ?? before.textContent;
  [...place.querySelectorAll("select, button")].find((one) =>
    (one.getAttribute("aria-label") ?? one.textContent) === label)?.focus();
}

/** A point as a button in a list; `share` (0..1) is drawn as a bar behind it. */
function pointRow({ row, label, unique, color }, on, more = null, share = 0) {
  return el("li", { style: { "--run": color, "--share": `${100 * share}%` } },
    el("button", {
      type: "button", class: "plain", dataset: { row }, title: short(label, 300),
      onclick: () => on.choose(row),
      onfocus: () => on.point(row), onblur: () => on.point(-1),
      onpointerenter: () => on.point(row), onpointerleave: () => on.point(-1),
    }, el("span", { class: "swatch" }), el("span", { class: "embedding-name" }, short(label, 60),
      unique ? null : el("span", { class: "muted" }, ` #${row}`)), more));
}
