// The search of the graph page: a field, a list of what was found, steps from one to the next.
import { debounce, el, fill, icon } from "../dom.js";
import { iconButton } from "../controls.js";
import { number } from "./graph_model.js";

const LISTED = 80;

/**
 * Makes the control.
 *
 * @param {Function} t Gives words.
 * @param {Function} go Called with the key that was chosen.
 * @returns {{node: HTMLElement, model: Function, focus: Function}}
 */
export function searchControl(t, go) {
  let model = null;
  let found = [];
  let at = -1;
  const input = el("input", {
    type: "search", placeholder: t("search"), "aria-label": t("search"), spellcheck: "false",
    autocomplete: "off", role: "combobox", "aria-expanded": "false", "aria-controls": "graph-found",
  });
  const list = el("ul", { id: "graph-found", role: "listbox", class: "graph-found", hidden: true });
  const count = el("small", { role: "status" });
  const steps = el("span", { class: "graph-steps", hidden: true }, count,
    iconButton("left", t("previous"), () => step(-1)),
    iconButton("right", t("next"), () => step(1)));
  const node = el("div", { class: "search graph-search", role: "search" }, icon("search"), input,
    steps, list);

  function look() {
    found = model ? model.find(input.value) : [];
    at = -1;
    tell();
    fill(list, found.slice(0, LISTED).map((key, place) => el("li", {
      role: "option", id: `graph-found-${place}`, dataset: { place },
      onpointerdown: (event) => {
        event.preventDefault();
        choose(place);
        shut();
      },
    }, rowOf(model, key))));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
  }

  function tell() {
    steps.hidden = !input.value.trim();
    const words = at < 0 ? t("hits", found.length) : t("found", at + 1, found.length);
    count.textContent = found.length ? words : t("notFound");
  }

  function choose(place) {
    at = place;
    tell();
    list.querySelectorAll("li").forEach((row, one) => {
      row.setAttribute("aria-selected", String(one === place));
      if (one === place) row.scrollIntoView({ block: "nearest" });
    });
    go(found[place]);
  }

  function step(by) {
    if (found.length) choose((at + by + found.length + (at < 0 && by < 0 ? 1 : 0)) % found.length);
  }

  function shut() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }

  const later = debounce(120, look);
  input.addEventListener("input", later);
  input.addEventListener("blur", shut);
  input.addEventListener("focus", () => { list.hidden = !found.length || at >= 0; });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      later.cancel();
      if (at < 0 && !found.length) look();
      step(event.key === "ArrowUp" || event.shiftKey ? -1 : 1);
      if (event.key === "Enter") shut();
    } else if (event.key === "Escape") shut();
  });
  return {
    node,
    model(next) {
      model = next;
      if (input.value) look();
      shut();
    },
    focus: () => input.focus(),
  };
}

function rowOf(model, key) {
  const place = model.around(key).map((group) => model.name(group)).join("/");
  if (key[0] === "g") {
    const group = model.groupOf(key);
    const words = [group.kind, place].filter(Boolean).join(" · ");
    return [el("b", {}, group.name), el("small", {}, words)];
  }
  const node = model.nodes[number(key)];
  const name = node.kind === "operator" ? node.type : node.name;
  return [el("b", {}, name), el("small", {}, [node.name, place].filter(Boolean).join(" · "))];
}
