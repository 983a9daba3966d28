// What surrounds the pages: head with the pages and switches, side list, foot, keys.
import { message } from "./controls.js";
import { el, fill, icon } from "./dom.js";
import * as i18n from "./i18n.js";
import { sideButton, toggleSide } from "./runs.js";
import * as state from "./state.js";
import * as theme from "./theme.js";

const THEME_ICONS = { auto: "half", light: "sun", dark: "moon" };

/** The frame of the board; `elements` go into the body, `main` holds the page. */
export class Shell {
  constructor({ t, settings, runs, pages, onLanguage, onPause }) {
    Object.assign(this, { t, settings, runs, pages, onLanguage, onPause });
    this.main = el("main", { id: "main", tabIndex: -1 });
    this.layout = el("div", { class: "layout" }, runs.element, this.main);
    this.help = this.#help();
    const skip = el("a", { class: "skip", href: "#main" }, t("skip"));
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      this.main.focus();
    });
    this.elements = [skip, this.#head(), this.layout, this.#foot(), this.help];
    keys.shell = this;
  }

  #head() {
    const t = this.t;
    this.links = new Map(this.pages.map(({ name }) => [name, el("a", {}, t(name))]));
    for (const link of this.links.values()) {
      link.addEventListener("focus", () => this.#addresses());
      link.addEventListener("pointerenter", () => this.#addresses());
      link.addEventListener("pointerdown", () => this.#addresses());
    }
    this.side = sideButton(t);
    this.liveText = el("span", {}, t("live"));
    this.live = el("button", {
      type: "button", class: "live", id: "live", "aria-pressed": "true",
      onclick: () => this.onPause(this.live.dataset.state !== "paused"),
    }, el("i", { class: "dot", "aria-hidden": "true" }), this.liveText);
    const language = el("select", {
      id: "language", "aria-label": t("language"), title: t("language"),
      onchange: (event) => this.onLanguage(event.target.value),
    }, el("option", { value: "en", lang: "en" }, "English"),
    el("option", { value: "zh", lang: "zh-CN" }, "中文"));
    language.value = i18n.current();
    this.themeButton = el("button", {
      type: "button", class: "square", id: "theme", onclick: () => this.nextTheme(),
    });
    this.#drawTheme();
    const button = (id, name, key, onclick) => el("button", {
      type: "button", class: "square", id, title: t(key), "aria-label": t(key), onclick,
    }, icon(name));
    return el("header", { class: "top" },
      this.side,
      el("span", { class: "brand" }, mark(), "VisualDL"),
      el("nav", { class: "pages", "aria-label": t("pages") }, [...this.links.values()]),
      el("div", { class: "switches" }, this.live,
        button("copy", "link", "copyLink", () => this.#copy()), language, this.themeButton,
        button("help", "help", "help", () => this.help.showModal())));
  }

  #foot() {
    return el("footer", { class: "foot" },
      el("span", { id: "version" }, this.t("foot", `VisualDL ${this.settings.version}`)));
  }

  #help() {
    const t = this.t;
    const rows = [["/", "keySearch"], ["1 … 9", "keyPages"], ["r", "keyRuns"], ["t", "keyTheme"],
      ["← →", "keyArrows"], ["+ − 0", "keyZoom"], ["Esc", "keyEscape"], ["?", "keyHelp"]];
    const dialog = el("dialog", { class: "help", "aria-label": t("help") },
      el("h2", {}, t("help")),
      el("dl", {}, rows.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)),
        el("dd", {}, t(text))])),
      el("form", { method: "dialog" }, el("button", { class: "primary" }, t("close"))));
    return dialog;
  }

  nextTheme() {
    theme.next();
    this.#drawTheme();
  }

  #drawTheme() {
    const chosen = theme.chosen();
    const text = this.t("theme", this.t(chosen));
    fill(this.themeButton, icon(THEME_ICONS[chosen]));
    this.themeButton.title = text;
    this.themeButton.setAttribute("aria-label", text);
    this.themeButton.dataset.choice = chosen;
  }

  /** Brings the addresses of the links up to date: they carry the state of their pages. */
  #addresses() {
    for (const [name, link] of this.links) link.href = state.hashOf(name);
  }

  /** Marks the page that is open and those that have something to show. */
  setPage(name, hasData) {
    this.#addresses();
    for (const page of this.pages) {
      const link = this.links.get(page.name);
      link.classList.toggle("no-data", !page.always && !hasData(page));
      if (page.name === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (this.page !== name) this.#scrollTo(this.links.get(name));
    this.page = name;
    document.title = this.links.has(name) ? `${this.t(name)} · VisualDL` : "VisualDL";
  }

  /** Brings a link into sight where the row of pages is longer than the window is wide. */
  #scrollTo(link) {
    const row = link?.parentElement;
    if (!row) return;
    const room = (row.clientWidth - link.offsetWidth) / 2;
    row.scrollLeft = link.offsetLeft - row.offsetLeft - room;
  }

  setUsesRuns(uses) {
    this.layout.classList.toggle("without-side", !uses);
    this.side.hidden = !uses;
  }

  /** Shows whether data is live, being read, paused, or the server silent. */
  setState(name) {
    if (!name || name === "hidden") return;
    this.live.dataset.state = name;
    this.live.setAttribute("aria-pressed", String(name !== "paused"));
    fill(this.liveText, this.t(name));
    const hints = { paused: "pausedHint", offline: "offlineHint" };
    this.live.title = this.t(hints[name] ?? "liveHint");
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(state.address());
      message(this.t("copied"), "ok");
    } catch {
      message(this.t("notCopied"), "error");
    }
  }
}

function mark() {
  const image = el("img", { src: new URL("../css/mark.svg", import.meta.url), alt: "" });
  image.width = image.height = 22;
  return image;
}

/** Keys of the whole board; the shell that is shown is `keys.shell`. */
const keys = { shell: null };

const actions = {
  "/": () => (document.querySelector("main input[type=search]")
    ?? document.getElementById("find-runs"))?.focus(),
  "?": (shell) => shell.help.showModal(),
  r: (shell) => toggleSide(shell.t),
  t: (shell) => shell.nextTheme(),
};

const TYPING = "input:not([type=checkbox]):not([type=range]), select, textarea";

addEventListener("keydown", (event) => {
  if (event.target.matches?.(TYPING) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!keys.shell || keys.shell.help.open) return;
  const page = /^[1-9]$/.test(event.key) ? keys.shell.pages[Number(event.key) - 1] : null;
  if (!page && !actions[event.key]) return;
  event.preventDefault();
  if (page) location.hash = state.hashOf(page.name);
  else actions[event.key](keys.shell);
});
