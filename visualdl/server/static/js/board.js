// Makes the `board` that a page gets: everything of the shell that a page may use.
import * as api from "./api.js";
import { chart, library } from "./charts.js";
import * as controls from "./controls.js";
import { icon } from "./dom.js";
import * as i18n from "./i18n.js";
import * as state from "./state.js";
import * as theme from "./theme.js";

const order = new Intl.Collator(undefined, { numeric: true }).compare;

/**
 * The board as the page `name` sees it.
 *
 * Asking: `get(route, params, {signal, as})`, `url(route, params)` (see js/api.js).
 * Words: `t(key, ...args)`, `language`, `theme` ("light" or "dark").
 * State in the address: `state.get(key, fallback)`, `state.set(key, value, fallback)`.
 * Runs: `runs()` the checked ones `[{name, label, color}]`, `color(run)`, `label(run)` the name to
 *   show (without the common folder; `name` is what routes want), `allRuns()` all names,
 *   `tags(kind)` -> `[{tag, runs: [name, ...]}]` over the checked runs, `index(kind)` ->
 *   Map(run -> Set(tags)) of all, `find(kind, route, text)` asks for tags with a text where a run
 *   has more than one answer names (true where that brought some).
 * Colours: `ramp(0..1)` from low to high, `variable("--accent")` of the theme.
 * Charts: `chart(element, option)` (see js/charts.js), `echarts()` the library.
 * Controls: `toolbar search select toggle segmented slider button iconButton menu card empty
 *   message download` (see js/controls.js).
 * Tests: `expose(name, value)` -> window.__board.pages[page][name].
 */
export function makeBoard(name, app) {
  const t = i18n.translator(name);
  const exposed = {};
  window.__board.pages[name] = exposed;
  return {
    get: api.get, url: api.url, t,
    get language() { return i18n.current(); },
    get theme() { return theme.current(); },
    state: { get: state.get, set: state.set, has: state.has, address: state.address },
    runs: () => app.runs.checked(),
    allRuns: () => app.live.runs.map((one) => one.run),
    color: (run) => app.runs.color(run),
    label: (run) => app.runs.label(run),
    index: (kind) => app.live.tags(kind),
    tags: (kind) => byTag(app, kind),
    find: (kind, route, text) => app.live.find(kind, route, text),
    ramp: theme.ramp, variable: theme.variable,
    expose: (key, value) => { exposed[key] = value; },
    chart, echarts: library,
    toolbar: (root, ...items) => controls.toolbar(root, items),
    search: (placeholder, onInput, options) =>
      controls.searchBox(t, placeholder, onInput, options),
    select: controls.select, toggle: controls.toggle, segmented: controls.segmented,
    slider: controls.slider, button: controls.textButton, iconButton: controls.iconButton,
    icon, menu: controls.menuButton, card: controls.card, empty: controls.empty,
    message: controls.message, download: controls.download,
  };
}

function byTag(app, kind) {
  const found = new Map();
  for (const [run, tags] of app.live.tags(kind)) {
    if (!app.runs.isChecked(run)) continue;
    for (const tag of tags) {
      if (found.has(tag)) found.get(tag).push(run);
      else found.set(tag, [run]);
    }
  }
  const all = [...found].map(([tag, runs]) => ({ tag, runs }));
  // Natural order costs 20 times as much: with very many tags the plain one has to do.
  if (all.length <= 20000) all.sort((a, b) => order(a.tag, b.tag));
  else all.sort((a, b) => (a.tag < b.tag ? -1 : 1));
  return all;
}
