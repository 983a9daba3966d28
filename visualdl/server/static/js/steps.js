// Records of several runs along one axis (step, relative or wall time), and a slider over them.
import { el, fill, icon } from "./dom.js";
import { duration, time } from "./format.js";

/** The axes that a slider may follow. */
export const AXES = ["step", "relative", "wall"];

/**
 * The places where a slider can stand: the steps (or times) of all runs together.
 *
 * A run shows at a place its last record that is not after it. Where a run logged the same step
 * more than once, the step has as many places.
 */
export class Steps {
  constructor(axis = "step") {
    this.axis = axis;
    this.runs = new Map();
    this.places = [];
  }

  /** Sets the records of a run, `[{step, ms}, ...]` in the order they were logged. */
  setRun(run, records) {
    this.runs.set(run, this.#along(records));
    this.#join();
  }

  /** Leaves only the runs for which `keep(run)` is true. */
  keep(keep) {
    for (const run of [...this.runs.keys()]) if (!keep(run)) this.runs.delete(run);
    this.#join();
  }

  setAxis(axis) {
    if (axis === this.axis) return;
    this.axis = axis;
    for (const [run, found] of this.runs) this.runs.set(run, this.#along(found.records));
    this.#join();
  }

  #along(records) {
    const first = Math.min(...records.slice(0, 1).map((one) => one.ms));
    const value = { step: (one) => one.step, relative: (one) => one.ms - first,
      wall: (one) => one.ms }[this.axis];
    const order = records.map((one, index) => ({ value: value(one), nth: 0, index }))
      .sort((a, b) => a.value - b.value || a.index - b.index);
    order.forEach((one, at) => {
      if (at > 0 && order[at - 1].value === one.value) one.nth = order[at - 1].nth + 1;
    });
    return { records, order };
  }

  #join() {
    const most = new Map();
    for (const { order } of this.runs.values()) {
      for (const one of order) {
        if (!(most.get(one.value) >= one.nth)) most.set(one.value, one.nth);
      }
    }
    const values = [...most.keys()].sort((a, b) => a - b);
    this.places = values.flatMap((value) =>
      Array.from({ length: most.get(value) + 1 }, (_, nth) => ({ value, nth })));
  }

  /** The number of the last record of a run that is not after a place, -1 where there is none. */
  at(run, place) {
    const order = this.runs.get(run)?.order ?? [];
    if (!place) return -1;
    const found = last(order, (one) => compare(one, place) <= 0);
    return found < 0 ? -1 : order[found].index;
  }

  record(run, index) {
    return this.runs.get(run)?.records[index];
  }

  /** The number of the last place that is not after the one given; 0 where all are after it. */
  near(place) {
    return Math.max(0, last(this.places, (one) => compare(one, place) <= 0));
  }
}

const compare = (a, b) => a.value - b.value || a.nth - b.nth;

/** The number of the last element for which a test that turns from true to false is true. */
export function last(list, test) {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (test(list[middle])) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** A place as a text: "120", "4m 05s" or a date, with "#2" where the step came before. */
export function placeText(axis, place) {
  const forms = { step: String, relative: (ms) => duration(ms / 1000), wall: time };
  const text = forms[axis](place.value);
  return place.nth > 0 ? `${text} #${place.nth + 1}` : text;
}

/**
 * A slider over places with buttons for one back and one on.
 *
 * @param {string} label What it is called: "Step".
 * @param {{back: string, on: string}} names The names of its buttons.
 * @param {(at: number) => void} onMove Called when the reader moves it.
 * @returns {HTMLElement} with `show(count, at, text)`, which sets it without a call.
 */
export function placeSlider(label, names, onMove) {
  const range = el("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": label });
  const text = el("output", {});
  const move = (at) => {
    const to = Math.min(Number(range.max), Math.max(0, at));
    range.value = to;
    onMove(to);
  };
  const button = (name, title, by) => el("button", {
    type: "button", class: "square", title, "aria-label": title,
    onclick: () => move(Number(range.value) + by),
  }, icon(name));
  const back = button("left", names.back, -1);
  const on = button("right", names.on, 1);
  range.addEventListener("input", () => onMove(Number(range.value)));
  const name = el("span", {}, label);
  const node = el("div", { class: "places" }, name, back, range, on, text);
  node.range = range;
  node.show = (count, at, shown, axisName) => {
    range.max = Math.max(0, count - 1);
    range.value = at;
    range.disabled = count < 2;
    range.setAttribute("aria-valuetext", shown);
    if (axisName) {
      fill(name, axisName);
      range.setAttribute("aria-label", axisName);
    }
    back.disabled = at <= 0;
    on.disabled = at >= count - 1;
    fill(text, shown);
    text.title = count > 1 ? `${at + 1} / ${count}` : "";
    node.classList.toggle("single", count < 2);
  };
  return node;
}
