// Makes elements: the only place where the board touches createElement.

const SVG = "http://www.w3.org/2000/svg";

/** Paths of the icons, drawn with strokes in a box of 16 x 16. */
const ICONS = {
  pin: "M6 2h4l-.6 4.5L12 9H4l2.600-2.500zM8 9v5",
  log: "M3 2.500v11h10.500M5 11c4 0 5-2 6-8",
  full: "M6 3H3v3M10 3h3v3M6 13H3v-3M10 13h3v-3",
  shrink: "M3 6h3V3M13 6h-3V3M3 10h3v3M13 10h-3v3",
  reset: "M3.500 8a4.500 4.500 0 1 1 1.400 3.200M3 12.500v-2.800h2.800",
  download: "M8 2.500v7M5 7l3 3 3-3M3 13h10",
  search: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8M10 10l3.500 3.500",
  sun: "M8 5.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5M8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500" +
    "M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1",
  moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500z",
  half: "M8 2a6 6 0 1 1 0 12 6 6 0 0 1 0-12M8 2v12M8 5h4.500M8 8h6M8 11h4.500",
  runs: "M2.500 4h1M2.500 8h1M2.500 12h1M6 4h7.500M6 8h7.500M6 12h7.500",
  help: "M5.800 6a2.200 2.200 0 1 1 3.200 2c-.7.4-1 .8-1 1.700M8 12v.1",
  close: "M4 4l8 8M12 4l-8 8",
  pause: "M6 3.500v9M10 3.500v9",
  play: "M5 3.500l7 4.500-7 4.500z",
  link: "M6.500 9.500l3-3M7 4.500l1-1a2.500 2.500 0 0 1 4 3.500l-1.500 1.500M9 11.500l-1 1a2.500 2.500 0 0 1-4-3.500L5.500 7.500",
  more: "M4 6l4 4 4-4",
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
