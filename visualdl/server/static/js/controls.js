// The controls of toolbars and cards; every one is a real button, select or input.
import { add, debounce, el, fill, icon } from "./dom.js";

/**
 * A function that tells whether a text matches what was searched: a regular expression without
 * regard to case, or null where `text` is not one.
 */
export function matcher(text) {
  if (!text) return () => true;
  try {
    const pattern = new RegExp(text, "iu");
    return (name) => pattern.test(name);
  } catch {
    return null;
  }
}

/**
 * A field to search in. `onInput(text, match)` is called while the reader types; a pattern that
 * is not valid is marked, and its text looked for as it is.
 *
 * @returns {HTMLElement} with the members `input` and `match` (the test at this time).
 */
export function searchBox(t, placeholder, onInput, { value = "", id = null } = {}) {
  const input = el("input", {
    type: "search", id, placeholder, "aria-label": placeholder, value, spellcheck: "false",
    autocomplete: "off",
  });
  const box = el("div", { class: "search", role: "search" }, icon("search"), input);
  const test = () => {
    const match = matcher(input.value);
    input.classList.toggle("wrong", match === null);
    input.title = match === null ? t("badPattern") : "";
    input.setAttribute("aria-invalid", String(match === null));
    const plain = input.value.toLowerCase();
    box.match = match ?? ((name) => name.toLowerCase().includes(plain));
  };
  const tell = debounce(150, () => onInput(input.value, box.match));
  input.addEventListener("input", () => {
    test();
    tell();
  });
  test();
  box.input = input;
  return box;
}

/** A button with an icon; its name is read aloud and shown as a hint. */
export function iconButton(name, label, onClick, { pressed = null, id = null } = {}) {
  const button = el("button", {
    type: "button", class: "square", id, title: label, "aria-label": label, onclick: onClick,
  }, icon(name));
  if (pressed !== null) button.setAttribute("aria-pressed", String(pressed));
  return button;
}

/** A button with a text. */
export function textButton(text, onClick, { kind = "" } = {}) {
  return el("button", { type: "button", class: kind, onclick: onClick }, text);
}

/** A labelled select. `options` is a list of `[value, text]`. */
export function select(label, options, value, onChange, { hideLabel = false } = {}) {
  const choice = el("select", {
    "aria-label": label, onchange: (event) => onChange(event.target.value),
  }, options.map(([name, text]) => el("option", { value: name }, text)));
  choice.value = value;
  const box = el("label", { class: "control" },
    hideLabel ? null : el("span", {}, label), choice);
  box.input = choice;
  return box;
}

/** A labelled check box. */
export function toggle(label, checked, onChange, { title = null } = {}) {
  const input = el("input", {
    type: "checkbox", checked, onchange: (event) => onChange(event.target.checked),
  });
  const box = el("label", { class: "control check", title }, input, el("span", {}, label));
  box.input = input;
  return box;
}

/** A row of buttons of which one is pressed. `options` is a list of `[value, text]`. */
export function segmented(label, options, value, onChange) {
  const buttons = options.map(([name, text]) => el("button", {
    type: "button", "aria-pressed": String(name === value), dataset: { value: name },
    onclick: () => choose(name),
  }, text));
  const choose = (name) => {
    for (const one of buttons) {
      one.setAttribute("aria-pressed", String(one.dataset.value === String(name)));
    }
    onChange(name);
  };
  return el("div", { class: "control" }, el("span", {}, label),
    el("div", { class: "segmented", role: "group", "aria-label": label }, buttons));
}

/** A labelled slider with its value beside it, which can be typed as well. */
export function slider(label, { min, max, step, value }, onInput) {
  const range = el("input", { type: "range", min, max, step, "aria-label": label });
  const number = el("input", { type: "number", min, max, step, "aria-label": label });
  range.value = number.value = value;
  const tell = debounce(60, onInput);
  range.addEventListener("input", () => {
    number.value = range.value;
    tell(Number(range.value));
  });
  number.addEventListener("input", () => {
    const typed = Number(number.value);
    if (number.value === "" || !(typed >= min && typed <= max)) return;
    range.value = typed;
    tell(typed);
  });
  const box = el("div", { class: "control slider" }, el("span", {}, label), range, number);
  box.input = range;
  return box;
}

/** A bar of controls at the top of `root`. */
export function toolbar(root, controls) {
  const bar = add(el("div", { class: "toolbar", role: "toolbar" }), controls);
  root.append(bar);
  return bar;
}

/**
 * A card: a title, actions at its right, a body.
 *
 * @returns {HTMLElement} an article with the members `body`, `head` and `actions`.
 */
export function card(title, { body = [], actions = [] } = {}) {
  const name = typeof title === "string" ? el("h3", { title }, title) : title;
  const bar = el("div", { class: "card-actions" }, actions);
  const head = el("header", { class: "card-head" }, name, bar);
  const inner = el("div", { class: "card-body" }, body);
  const node = el("article", { class: "card" }, head, inner);
  return Object.assign(node, { body: inner, head, actions: bar });
}

/** Keeps the focus inside of an element that covers all others, when Tab would leave it. */
export function stayInside(event, element) {
  if (event.key !== "Tab") return;
  const all = [...element.querySelectorAll("input, select, button, [tabindex='0']")]
    .filter((one) => !one.disabled && one.offsetParent !== null);
  const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to.focus();
}

/** A place that holds nothing yet: a title and a sentence or more. */
export function empty(title, ...text) {
  return el("div", { class: "empty" }, el("h2", {}, title), text.map((one) =>
    one instanceof Node ? one : el("p", {}, one)));
}

/** Shows a text for some seconds; `kind` is "info", "ok" or "error". */
export function message(text, kind = "info") {
  let place = document.getElementById("messages");
  if (!place) {
    place = el("div", { id: "messages", "aria-live": "polite" });
    document.body.append(place);
  }
  for (const old of place.children) if (old.textContent === text) old.remove();
  const note = el("div", { class: `note ${kind}`, role: kind === "error" ? "alert" : "status" },
    text);
  place.append(note);
  setTimeout(() => note.remove(), kind === "error" ? 8000 : 3000);
  return note;
}

/** Saves a Blob, or what an address (also a data: one) gives, under a name. */
export function download(name, source) {
  const address = source instanceof Blob ? URL.createObjectURL(source) : String(source);
  const link = el("a", { href: address, download: name.replace(/[\\/:*?"<>|]+/g, "_") });
  document.body.append(link);
  link.click();
  link.remove();
  if (source instanceof Blob) setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/**
 * A button that opens a menu. `items()` gives `[text, onClick]` pairs when it opens.
 */
export function menuButton(name, label, items) {
  const list = el("div", { class: "menu", role: "menu", hidden: true });
  const button = iconButton(name, label, () => (list.hidden ? open() : close()));
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  const box = el("div", { class: "menu-box" }, button, list);
  const outside = (event) => {
    if (!box.contains(event.target)) close();
  };
  function open() {
    fill(list, items().map(([text, onClick]) => el("button", {
      type: "button", role: "menuitem", class: "plain", title: text,
      onclick: () => {
        close();
        button.focus();
        onClick();
      },
    }, text)));
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside);
    list.querySelector("button")?.focus();
  }
  function close() {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside);
  }
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
      button.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const all = [...list.querySelectorAll("button")];
      const step = event.key === "ArrowDown" ? 1 : -1;
      all[(all.indexOf(document.activeElement) + step + all.length) % all.length]?.focus();
    }
  });
  return box;
}
