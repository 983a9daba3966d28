// Asks the server: one bounded queue of requests, answers checked, errors as Error(msg).

import { translator } from "./i18n.js";

const AT_ONCE = 6;
const base = new URL(document.documentElement.dataset.api || "api/", document.baseURI);

let running = 0;
const waiting = [];
const count = { sent: 0, most: 0 };

/**
 * The address of a route.
 *
 * @param {string} route For example "scalar/list".
 * @param {Object} [params] Query parameters; a list repeats its key, null leaves it out.
 */
export function url(route, params = {}) {
  const address = new URL(route, base);
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) address.searchParams.append(name, one);
    }
  }
  return address.href;
}

/**
 * Asks the server and gives `data` of its answer.
 *
 * At most six requests are under way at once; the others wait in the order they came.
 *
 * @param {string} route
 * @param {Object} [params] As in `url`.
 * @param {{signal?: AbortSignal, as?: "json"|"text"|"buffer"|"blob"}} [options] `as` other than
 *   "json" gives the body as it is.
 * @returns {Promise<any>}
 * @throws {Error} with the server's message; `error.name` is "AbortError" after an abort and
 *   `error.offline` is true where there was no answer.
 */
export async function get(route, params = {}, { signal, as = "json" } = {}) {
  await turn(signal); // from here on one of the places is ours
  count.sent += 1;
  count.most = Math.max(count.most, running);
  try {
    return await ask(url(route, params), signal, as);
  } finally {
    leave();
  }
}

/** How many requests were sent, and the most that were under way at once. */
export function traffic() {
  return { ...count };
}

function turn(signal) {
  signal?.throwIfAborted();
  if (running < AT_ONCE) {
    running += 1;
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const place = {};
    const giveUp = () => {
      waiting.splice(waiting.indexOf(place), 1);
      reject(signal.reason);
    };
    place.go = () => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    waiting.push(place);
  });
}

/** Gives the place to the next that waits, or takes it away. */
function leave() {
  const next = waiting.shift();
  if (next) next.go();
  else running -= 1;
}

const noAnswer = (address) => translator("shell")("noAnswer", new URL(address).host);

async function ask(address, signal, as) {
  let answer;
  try {
    answer = await fetch(address, { signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw Object.assign(new Error(noAnswer(address)), { offline: true });
  }
  if (as !== "json" && answer.ok) {
    return as === "text" ? answer.text() : as === "blob" ? answer.blob() : answer.arrayBuffer();
  }
  let body = null;
  try {
    body = await answer.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  if (body?.status === 0 && answer.ok) return body.data;
  const text = body?.msg || `${answer.status} ${answer.statusText}`;
  throw Object.assign(new Error(text), { status: answer.status });
}
