// Makes elements: the only place where the board touches createElement.

const SVG = "http://www.w3.org/2000/svg";

/** Paths of the icons, drawn with strokes in a box of 16 x 16. */
const ICONS = {
  pin: "M6 2h4l-.6 4.5L12 9H4l2.6-2.5zM8 9v5",
  log: "M3 2.5v11h10.5M5 11c4 0 5-2 6-8",
  full: "M6 3H3v3M10 3h3v3M6 13H3v-3M10 13h3v-3",
  shrink: "M3 6h3V3M13 6h-3V3M3 10h3v3M13 10h-3v3",
  reset: "M3.5 8a4.5 4.5 0 1 1 1.4 3.2M3 12.5v-2.8h2.8",
  download: "M8 2.5v7M5 7l3 3 3-3M3 13h10",
  search: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8M10 10l3.5 3.5",
  sun: "M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5M8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5" +
    "M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  half: "M8 2a6 6 0 1 1 0 12 6 6 0 0 1 0-12M8 2v12M8 5h4.5M8 8h6M8 11h4.5",
  runs: "M2.5 4h1M2.5 8h1M2.5 12h1M6 4h7.5M6 8h7.5M6 12h7.5",
  help: "M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.7M8 12v.1",
  close: "M4 4l8 8M12 4l-8 8",
  pause: "M6 3.5v9M10 3.5v9",
  play: "M5 3.5l7 4.5-7 4.5z",
  link: "M6.5 9.5l3-3M7 4.5l1-1a2.5 2.5 0 0 1 4 3.5l-1.5 1.5" +
    "M9 11.5l-1 1a2.5 2.5 0 0 1-4-3.5L5.5 7.5",
  more: "M4 6l4 4 4-4",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
};

/**
 * Makes an element. Text is always set as text, never parsed.
 *
 * @param {string} tag Its name.
 * @param {Object} [props] `class`, `dataset`, `style` (an object), `onclick` and the like
 *   (listeners), `value` `checked` and the like (properties), anything else as an attribute;
 *   null, undefined and false leave it out.
 * @param {...(Node|string|number|Array|null)} children What it holds.
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(node, name, value);
  add(node, children);
  return node;
}

function setProp(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "class") node.className = value;
  else if (name === "dataset") Object.assign(node.dataset, value);
  else if (name === "style") setStyle(node, value);
  else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (PROPERTIES.has(name)) node[name] = value;
  else node.setAttribute(name, value === true ? "" : value);
}

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "open", "selected", "htmlFor",
  "indeterminate", "textContent", "tabIndex"]);

function setStyle(node, style) {
  for (const [name, value] of Object.entries(style)) {
    if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.style[name] = value;
  }
}

/** Appends children (nested lists are flattened, null is left out). */
export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Replaces what is inside of `node`. */
export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

/** Makes an SVG element with attributes. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return add(node, children);
}

/** One of the board's own icons, hidden from screen readers. */
export function icon(name) {
  const shape = svg("path", { d: ICONS[name] ?? ICONS.more });
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, shape);
}

/** Waits until `wait` ms have passed without a call, then calls once with the last arguments. */
export function debounce(wait, call) {
  let timer = 0;
  const later = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...args), wait);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}
