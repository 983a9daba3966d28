/**
 * Starts the board: reads the settings, builds the shell, opens the page that the address names.
 *
 * HOW TO WRITE A PAGE. Add its name to PAGES in js/pages.js and write js/pages/NAME.js:
 *
 *     // What the page shows, in one line.
 *     export const words = {en: {hint: "..."}, zh: {hint: "..."}}; // for board.t("hint")
 *     export const styles = ["css/NAME.css"];     // optional: loaded before the page opens
 *     export const usesRuns = true;               // optional: shows the side list of runs
 *     export async function open(root, board) {   // root is an empty <section>
 *       return {
 *         update(changed) {},   // {kind: {run: [tag, ...]}}: what has new records
 *         runsChanged() {},     // runs came, went, or were checked or unchecked
 *         themeChanged() {},    // colours changed (charts dress themselves; runs' colours do not)
 *         close() {},           // the reader leaves: dispose what `open` made
 *       };                      // every member is optional
 *     }
 *
 * A page that shows nothing but "no data" is drawn by the shell while no record of its kinds
 * exists; `open` is called when the first comes. The page is closed and opened again when the
 * language changes, so texts need no care. What `board` offers is described in js/board.js;
 * js/grid.js draws cards in groups (by the part of the tag before the first "/") lazily.
 * Tests read what a page gives to board.expose() in window.__board.pages[NAME].
 */
import * as api from "./api.js";
import { makeBoard } from "./board.js";
import { empty } from "./controls.js";
import { dressAll, count as chartCount, library } from "./charts.js";
import { add, el, fill } from "./dom.js";
import * as i18n from "./i18n.js";
import { Live } from "./live.js";
import { PAGES, kindsOf, pageNamed } from "./pages.js";
import { Runs } from "./runs.js";
import { Shell } from "./shell.js";
import * as state from "./state.js";
import * as theme from "./theme.js";

/** What the server was started with: in the first element of the page, and asked for. */
const given = document.documentElement.dataset;
const settings = {
  version: given.version ?? "", language: given.languageOption || null,
  theme: given.themeOption || null, logdirs: [], tabs: null, model: null,
};

const app = {
  settings, live: null, runs: null, shell: null,
  name: "", page: {}, opening: 0, waiting: false, missed: null,
};

async function start() {
  i18n.choose(settings.language);
  theme.start(settings.theme, () => {
    dressAll();
    app.runs?.draw();
    app.page.themeChanged?.();
  });
  state.read();
  app.live = new Live({ onChange: changed, onState: (name) => app.shell?.setState(name) });
  library().catch(() => {});
  const asked = api.get("settings").then((found) => Object.assign(settings, found), () => {});
  await Promise.all([asked, app.live.start()]);
  build();
  addEventListener("hashchange", route);
  await route();
}

/** Makes the shell, at the start and again when the language changes. */
function build() {
  const t = i18n.translator("shell");
  app.runs = new Runs({ t, onChange: runsChosen });
  app.runs.setRuns(app.live.runs, settings.logdirs);
  app.shell = new Shell({
    t, settings, runs: app.runs, pages: pages(),
    onLanguage(name) {
      i18n.setLanguage(name, settings.language);
      build();
      open(app.name);
    },
    onPause: (paused) => app.live.pause(paused),
  });
  document.body.replaceChildren();
  add(document.body, app.shell.elements);
  app.shell.setState(app.live.state);
}

/** The pages that this board offers: all, or those of --component_tabs. */
function pages() {
  const { tabs } = settings;
  if (!tabs?.length) return PAGES;
  return PAGES.filter((one) => one.kinds.some((kind) => tabs.includes(kind)));
}

function hasData(page) {
  return page.kinds.some((kind) => app.live.tags(kind).size > 0);
}

/** Opens what the address names; without a name the model, or the first page with data. */
async function route() {
  let name = state.read();
  if (!name) {
    const first = settings.model ? pageNamed("graph") : pages().find(hasData);
    name = (first ?? pages()[0] ?? PAGES[0]).name;
    history.replaceState(null, "", state.hashOf(name));
    state.read();
  }
  app.runs.read();
  app.runs.draw();
  await open(name);
}

async function open(name) {
  const turn = ++app.opening;
  closePage();
  app.name = name;
  app.shell.setPage(name, hasData);
  const known = pageNamed(name);
  const t = i18n.translator(name);
  const root = el("section", { class: `page page-${name}`, "aria-label": known ? t(name) : name });
  fill(app.shell.main, root);
  if (!known) {
    add(root, empty(t("missingPage", name)));
    return;
  }
  if (!hasData(known) && !known.always) {
    showEmpty(root, known);
    return;
  }
  app.waiting = false;
  try {
    const module = await import(`./pages/${name}.js`);
    await Promise.all((module.styles ?? []).map(loadStyle));
    if (turn !== app.opening) return;
    i18n.addWords(name, module.words);
    app.missed = []; // what changes while the page reads what it shows first
    app.shell.setUsesRuns(Boolean(module.usesRuns));
    const page = await module.open(root, makeBoard(name, app));
    if (turn !== app.opening) {
      page?.close?.();
      return;
    }
    app.page = page ?? {};
    for (const call of app.missed) call(app.page);
  } catch (error) {
    if (turn !== app.opening) return;
    console.error(error);
    fill(root, empty(t("pageFailed", error.message)));
  }
  if (turn === app.opening) app.missed = null;
}

/** Tells the page something, as soon as it is open. */
function tell(call) {
  if (app.missed) app.missed.push(call);
  else call(app.page);
}

function closePage() {
  try {
    app.page.close?.();
  } catch (error) {
    console.error(error);
  }
  app.page = {};
  app.missed = null;
  handle.pages = {};
}

function showEmpty(root, page) {
  const t = i18n.translator(page.name);
  app.waiting = true;
  app.shell.setUsesRuns(app.live.runs.length > 0);
  if (app.live.runs.length > 0) {
    add(root, empty(t("noData"), t("noDataText", t(page.name))));
    return;
  }
  const folders = settings.logdirs.length ? settings.logdirs : [t("folder")];
  const [before, after = ""] = t("emptyText", "\0").split("\0");
  const names = folders.map((one, at) => [at ? ", " : "", el("code", {}, one)]);
  add(root, empty(t("emptyTitle"), el("p", { role: "status" }, before, names, after),
    t("emptyHow"), el("pre", {}, EXAMPLE.replace("FOLDER", folders[0]))));
}

const EXAMPLE = `from visualdl import LogWriter

with LogWriter("FOLDER/first") as writer:
    for step in range(100):
        writer.add_scalar(tag="loss", step=step, value=1 / (step + 1))`;

function changed({ changed: what, runsChanged }) {
  if (!app.shell) return;
  app.shell.setPage(app.name, hasData);
  if (runsChanged) app.runs.setRuns(app.live.runs, settings.logdirs);
  if (!app.name) return;
  const page = pageNamed(app.name);
  if (page && !page.always && hasData(page) === app.waiting) open(app.name);
  else if (app.waiting && runsChanged) open(app.name);
  else {
    if (runsChanged) tell((page) => page.runsChanged?.());
    if (Object.keys(what).length > 0) tell((page) => page.update?.(what));
  }
}

function runsChosen() {
  app.shell.setPage(app.name, hasData);
  tell((page) => page.runsChanged?.());
}

const styleSheets = new Map();

function loadStyle(path) {
  if (!styleSheets.has(path)) {
    styleSheets.set(path, new Promise((resolve) => {
      const link = el("link", { rel: "stylesheet", href: new URL(`../${path}`, import.meta.url) });
      link.onload = resolve;
      link.onerror = resolve;
      document.head.append(link);
    }));
  }
  return styleSheets.get(path);
}

/** What tests read; nothing of the board depends on it. */
const handle = {
  pages: {},
  get page() { return app.name; },
  get state() { return app.live?.state; },
  get runs() { return app.runs?.checked().map((one) => one.name); },
  get polls() { return app.live?.asked; },
  get traffic() { return api.traffic(); },
  get charts() { return chartCount(); },
  kindsOf,
};
window.__board = handle;

start();
