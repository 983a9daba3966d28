// Cards in groups that fold, made as they are wanted and shown only while they are in sight.
import { el, fill, icon } from "./dom.js";

const FIRST_CARDS = 24;
const FIRST_GROUPS = 40;
const MARGIN = "400px";

/**
 * Groups items by the part of their tag before the first "/".
 *
 * @param {Array<{tag: string}>} items In the order they shall have.
 * @param {string} other The name of the group of tags without "/".
 * @returns {Array<{name: string, items: Array}>}
 */
export function byPrefix(items, other) {
  const groups = new Map();
  for (const item of items) {
    const at = item.tag.indexOf("/");
    const name = at > 0 ? item.tag.slice(0, at) : other;
    if (groups.has(name)) groups.get(name).push(item);
    else groups.set(name, [item]);
  }
  return [...groups].map(([name, list]) => ({ name, items: list }));
}

/**
 * A grid of cards in groups.
 *
 * `make(item)` is called for an item (an object with a `key`) when its card is first needed and
 * gives `{element, show(), hide(), close(), change(item)}`: `show` when it scrolls into view,
 * `hide` when it leaves, `change` when `set` brings the same key again, `close` at its end; all
 * but `element` are optional. Items of groups that are long come in steps, by a button.
 */
export class Grid {
  constructor(root, board, make) {
    this.root = root;
    this.board = board;
    this.make = make;
    this.cards = new Map();
    this.limits = new Map();
    this.mostGroups = FIRST_GROUPS;
    this.folded = new Set(board.state.get("fold", []));
    this.observer = new IntersectionObserver((entries) => this.#seen(entries), {
      rootMargin: MARGIN,
    });
    this.sections = new Map();
    this.drawn = "";
  }

  /** Shows these groups, `[{name, items: [{key, ...}]}]`; cards that stay are kept. */
  set(groups) {
    this.groups = groups;
    const wanted = new Set();
    const shown = groups.slice(0, this.mostGroups).map((group) => {
      const limit = this.limits.get(group.name) ?? FIRST_CARDS;
      const items = group.items.slice(0, limit);
      for (const item of items) wanted.add(item.key);
      return { ...group, items, left: group.items.length - items.length, all: group.items.length };
    });
    for (const [key, card] of this.cards) if (!wanted.has(key)) this.#drop(key, card);
    for (const group of shown) {
      for (const item of group.items) this.cards.get(item.key)?.change?.(item);
    }
    const picture = JSON.stringify(shown.map((one) => [one.name, one.all,
      one.items.map((item) => item.key)]));
    if (picture === this.drawn) return;
    this.drawn = picture;
    this.#draw(shown, groups.length);
  }

  /** The cards that are in sight now. */
  *visible() {
    for (const card of this.cards.values()) if (card.seen) yield card;
  }

  close() {
    this.observer.disconnect();
    for (const [key, card] of this.cards) this.#drop(key, card);
  }

  #drop(key, card) {
    this.observer.unobserve(card.element);
    this.cards.delete(key);
    if (card.seen) card.hide?.();
    card.close?.();
    if (card.element.classList.contains("full")) {
      document.documentElement.classList.remove("has-full"); // with it no page can be scrolled
    }
    card.element.remove();
  }

  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = target.gridCard;
      if (!card || card.seen === isIntersecting || !this.cards.has(card.key)) continue;
      card.seen = isIntersecting;
      if (isIntersecting) card.show?.();
      else if (!target.classList.contains("full")) card.hide?.();
      else card.seen = true;
    }
  }

  #card(item) {
    if (!this.cards.has(item.key)) {
      const card = this.make(item);
      card.key = item.key;
      card.seen = false;
      card.element.gridCard = card;
      this.cards.set(item.key, card);
      this.observer.observe(card.element);
    }
    return this.cards.get(item.key).element;
  }

  #draw(shown, total) {
    const names = new Set(shown.map((one) => one.name));
    for (const name of this.sections.keys()) if (!names.has(name)) this.sections.delete(name);
    const nodes = shown.map((group) => this.#section(group));
    if (total > shown.length) {
      nodes.push(this.#more(total - shown.length, () => { this.mostGroups += FIRST_GROUPS; }));
    }
    place(this.root, nodes);
  }

  #section(group) {
    if (!this.sections.has(group.name)) {
      const count = el("span", { class: "muted" });
      const grid = el("div", { class: "grid" });
      const node = el("details", { class: "group", open: !this.folded.has(group.name) },
        el("summary", {}, icon("more"), el("span", { class: "name" }, group.title ?? group.name),
          count),
        grid);
      node.addEventListener("toggle", () => this.#fold(group.name, !node.open));
      this.sections.set(group.name, { node, grid, count });
    }
    const { node, grid, count } = this.sections.get(group.name);
    fill(count, String(group.all));
    node.classList.toggle("of-one", group.all === 1);
    place(grid, group.items.map((item) => this.#card(item)));
    node.querySelector(":scope > .more")?.remove();
    if (group.left > 0) {
      node.append(this.#more(group.left, () => {
        this.limits.set(group.name, (this.limits.get(group.name) ?? FIRST_CARDS) * 2);
      }));
    }
    return node;
  }

  #more(left, grow) {
    return el("button", {
      type: "button", class: "more",
      onclick: () => {
        grow();
        this.set(this.groups);
      },
    }, this.board.t("more", left));
  }

  #fold(name, folded) {
    if (folded === this.folded.has(name)) return;
    if (folded) this.folded.add(name);
    else this.folded.delete(name);
    this.board.state.set("fold", this.folded.size ? [...this.folded] : null);
  }
}

/** Makes `nodes` the children of `root`, moving only those that are not in their place. */
function place(root, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...root.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (root.children[at] !== node) root.insertBefore(node, root.children[at] ?? null);
  });
}
