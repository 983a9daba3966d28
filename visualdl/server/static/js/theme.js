// Light and dark, and the colours of the runs in each.

const media = matchMedia("(prefers-color-scheme: dark)");
const CHOICES = ["auto", "light", "dark"];
// Hues of the first runs, far apart from each other; later ones follow the golden angle.
const HUES = [258, 48, 155, 345, 95, 215, 305, 22];

let choice = "auto";
let store = "visualdl.theme:";
let changed = () => {};

/** The theme in use, "light" or "dark". */
export const current = () => document.documentElement.dataset.theme;

/** What was chosen: "auto", "light" or "dark". */
export const chosen = () => choice;

/** Starts with the reader's choice, else the server's option, else the system's. */
export function start(option, onChange) {
  store = `visualdl.theme:${option ?? ""}`;
  choice = localStorage.getItem(store) || option || "auto";
  if (!CHOICES.includes(choice)) choice = "auto";
  apply();
  changed = onChange;
  media.addEventListener("change", apply);
}

/** Goes to the next choice (auto, light, dark) and remembers it. */
export function next() {
  set(CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length]);
}

/** Sets the choice and remembers it. */
export function set(name) {
  choice = CHOICES.includes(name) ? name : "auto";
  localStorage.setItem(store, choice);
  apply();
}

function apply() {
  const name = choice === "auto" ? (media.matches ? "dark" : "light") : choice;
  if (name === current()) return;
  document.documentElement.dataset.theme = name;
  changed(name);
}

/** The value of a CSS variable of the theme, for example "--text". */
export function variable(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colour of the run with this number, as "#rrggbb", readable on the theme's panels. */
export function colorOf(index) {
  const round = Math.floor(index / HUES.length);
  const hue = index < HUES.length ? HUES[index] : (258 + index * 137.508) % 360;
  const dark = current() === "dark";
  const light = (dark ? 0.74 : 0.56) + (round % 3 === 1 ? 0.08 : round % 3 === 2 ? -0.07 : 0);
  return oklch(light, dark ? 0.13 : 0.15, hue);
}

/** A colour between that of the lowest and that of the highest value, for `at` in 0..1. */
export function ramp(at) {
  const dark = current() === "dark";
  const part = Math.min(1, Math.max(0, at));
  return oklch(dark ? 0.45 + 0.4 * part : 0.8 - 0.42 * part, 0.13, 240 - 175 * part);
}

function oklch(light, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${linear.map(byte).join("")}`;
}

function byte(value) {
  const v = Math.min(1, Math.max(0, value));
  const curved = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
  return Math.round(curved * 255).toString(16).padStart(2, "0");
}
