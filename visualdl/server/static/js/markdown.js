// Draws Markdown as elements. No HTML is made from the text at any point: the parser's tokens
// become elements of a few known names, and links lead to web addresses only.
import MarkdownIt from "../vendor/markdown-it.js";
import { el } from "./dom.js";

const ELEMENTS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote",
  "table", "thead", "tbody", "tr", "th", "td", "em", "strong", "s", "hr", "br"]);
const ALIGNED = /^text-align:(left|center|right)$/;

const parser = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
// What is no link here stays the text that it is; the check is made again where links are drawn.
parser.validateLink = (address) => leadsToWeb(address);

/** Whether an address may be followed: http, https, or a place on this page. */
export function leadsToWeb(address) {
  return /^(https?:\/\/|#)/i.test(address.trim());
}

/**
 * Markdown as a list of nodes.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function markdown(text) {
  const root = document.createDocumentFragment();
  draw(parser.parse(text, {}), root);
  return [...root.childNodes];
}

/** Draws tokens into `root`, which is where tokens that close bring us back to. */
function draw(tokens, root) {
  const open = [root];
  const put = (node) => open[open.length - 1].append(node);
  for (const token of tokens) {
    if (token.type === "inline") {
      const inner = document.createDocumentFragment();
      draw(token.children ?? [], inner);
      put(inner);
    } else if (token.nesting === 1) {
      const node = token.hidden ? null : element(token);
      if (node) put(node);
      open.push(node ?? open[open.length - 1]);
    } else if (token.nesting === -1) {
      if (open.length > 1) open.pop();
    } else {
      put(single(token));
    }
  }
}

function element(token) {
  if (token.tag === "a") return link(token.attrGet("href") ?? "");
  if (!ELEMENTS.has(token.tag)) return el("span");
  const node = el(token.tag);
  const aligned = ALIGNED.exec(token.attrGet("style") ?? "");
  if (aligned) node.style.textAlign = aligned[1];
  const first = Number(token.attrGet("start"));
  if (token.tag === "ol" && Number.isInteger(first) && token.attrGet("start")) node.start = first;
  return node;
}

function link(address, ...children) {
  if (!leadsToWeb(address)) return el("span", {}, children);
  // The board keeps its own state behind the "#": such a link must not change it.
  if (address.trim().startsWith("#")) {
    return el("span", { class: "anchor", title: address }, children);
  }
  return el("a", {
    href: address, target: "_blank", rel: "noopener noreferrer nofollow", title: address,
  }, children);
}

function single(token) {
  if (token.type === "text") return document.createTextNode(token.content);
  if (token.type === "softbreak") return document.createTextNode("\n");
  if (token.type === "code_inline") return el("code", {}, token.content);
  if (token.type === "fence" || token.type === "code_block") {
    return el("pre", { tabIndex: 0 }, el("code", {}, token.content));
  }
  // A picture would be fetched from where it is; so it is a link.
  if (token.type === "image") {
    return link(token.attrGet("src") ?? "", token.content || token.attrGet("src") || "");
  }
  if (ELEMENTS.has(token.tag) && token.content === "") return el(token.tag);
  return document.createTextNode(token.content);
}
