// The state of the view, kept in the address: `#/page?key=value&...`.
import { debounce } from "./dom.js";

// These belong to the whole board and follow the reader from page to page.
const SHARED = ["run", "hide", "find"];

let page = "";
let params = new URLSearchParams();
const others = new Map(); // what the pages visited before had set

const write = debounce(120, () => history.replaceState(null, "", address()));

/** Reads the address. Returns the name of the page it asks for, "" for none. */
export function read() {
  const [path, query = ""] = splitHash(location.hash.replace(/^#\/?/, ""));
  write.cancel();
  if (page) others.set(page, params);
  page = decode(path);
  params = new URLSearchParams(query);
  return page;
}

function splitHash(hash) {
  const at = hash.indexOf("?");
  return at < 0 ? [hash] : [hash.slice(0, at), hash.slice(at + 1)];
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a page, with the state it had and the state that all pages share. */
export function hashOf(name) {
  const out = new URLSearchParams(name === page ? params : (others.get(name) ?? ""));
  for (const key of SHARED) {
    out.delete(key);
    for (const value of params.getAll(key)) out.append(key, value);
  }
  const query = out.toString();
  return `#/${encodeURIComponent(name)}${query ? `?${query}` : ""}`;
}

/** The address as it is now, ready to be shared. */
export function address() {
  return location.href.replace(/#.*$/, "") + hashOf(page);
}

/**
 * The value of a key, of the type of `fallback`: a number, boolean, list of strings or string.
 *
 * @param {string} key
 * @param {any} [fallback] What it is while the address does not name it.
 */
export function get(key, fallback = "") {
  if (!params.has(key)) return fallback;
  if (Array.isArray(fallback)) return params.getAll(key).filter((text) => text !== "");
  const text = params.get(key);
  if (typeof fallback === "boolean") return text === "1";
  if (typeof fallback !== "number") return text;
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : fallback;
}

/** Whether the address names the key. */
export const has = (key) => params.has(key);

/** Sets a key; null (and what equals `fallback`, where given) takes it out of the address. */
export function set(key, value, fallback) {
  params.delete(key);
  const plain = value === null || value === undefined || value === fallback;
  if (!plain) {
    for (const one of Array.isArray(value) ? value : [value]) {
      params.append(key, typeof one === "boolean" ? (one ? "1" : "0") : String(one));
    }
  }
  write();
}
