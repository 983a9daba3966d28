// Words in English and Chinese: by option of the server, by browser, by switch.
import { shellWords } from "./words.js";

const tables = { shell: shellWords };
let language = "en";

/** The language in use, "en" or "zh". */
export const current = () => language;

/**
 * Chooses the language: what the reader chose, else the server's option, else the browser's.
 *
 * @param {string|null} option What `--language` says; a choice counts as long as it is the same.
 */
export function choose(option) {
  const kept = localStorage.getItem(`visualdl.language:${option ?? ""}`);
  setLanguage(kept || option || browserLanguage());
}

/** Changes the language, and remembers it when `option` is given. */
export function setLanguage(name, option) {
  language = String(name).toLowerCase().startsWith("zh") ? "zh" : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  if (option !== undefined) localStorage.setItem(`visualdl.language:${option ?? ""}`, language);
}

function browserLanguage() {
  const known = (navigator.languages ?? []).find((name) => /^(en|zh)\b/i.test(name));
  return known ?? "en";
}

/** Adds the words of a page, `{en: {key: text}, zh: {key: text}}`. */
export function addWords(page, words) {
  tables[page] = words ?? {};
}

/**
 * A function that gives the text of a key: the page's own words first, then the shell's.
 *
 * Texts may hold `{0}`, `{1}`, ... for the arguments. A text that is missing in Chinese is given
 * in English, one that is missing altogether as its key.
 */
export function translator(page) {
  return (key, ...args) => {
    const text = find(page, key) ?? find("shell", key) ?? key;
    return text.replace(/\{(\d)\}/g, (_, at) => args[at] ?? "");
  };
}

function find(page, key) {
  return tables[page]?.[language]?.[key] ?? tables[page]?.en?.[key];
}
