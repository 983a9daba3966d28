// Draws a placed graph as SVG: boxes of groups, edges, nodes. What is far outside is not drawn.
import { svg } from "../dom.js";
import { familyOf, number, shapeText } from "./graph_model.js";

const TITLE = "600 12px system-ui, sans-serif";
const LINE = "11px system-ui, sans-serif";
const FEW = 1200; // elements that are simply all drawn
const LONGEST = 44; // characters of a line

let pen = null;

/** The width of a text in pixels. */
function widthOf(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return pen.measureText(text).width;
}

function cut(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** Attributes that say nothing of the computation. */
const INTERNAL = new Set(["op_role", "op_role_var", "op_namescope", "op_callstack", "op_device",
  "with_quant_attr", "use_mkldnn", "use_cudnn", "use_quantizer", "mkldnn_data_type", "is_test"]);

/** Whether an attribute is of interest only to who debugs PaddlePaddle. */
export function isInternal(name) {
  return INTERNAL.has(name) || name.startsWith("__") || name.includes("mkldnn")
    || name.includes("cudnn");
}

const TELLING = ["kernel_shape", "ksize", "strides", "paddings", "pads", "dilations", "groups",
  "group", "axis", "shape", "perm", "pooling_type", "num_heads", "epsilon", "keepdim"];

/**
 * What stands in a node's box, and how large that is.
 *
 * @param {GraphModel} model
 * @param {string} key
 * @param {{names: boolean, attributes: boolean, parameters: boolean}} shown
 * @param {Function} t Gives words.
 */
export function boxOf(model, key, shown, t) {
  const lines = [];
  let title;
  let family = "group";
  if (key[0] === "g") {
    const group = model.groupOf(key);
    title = model.title(key);
    const count = t("nOperators", group.operators.toLocaleString());
    lines.push(group.kind ? `${group.kind} · ${count}` : count);
    if (shown.parameters && group.parameters) {
      lines.push(t("nParameters", group.parameters.toLocaleString()));
    }
  } else {
    const node = model.nodes[number(key)];
    family = familyOf(node);
    title = node.kind === "operator" ? node.type : node.name;
    if (node.kind !== "operator") {
      const tensor = model.tensors[[...node.outputs, ...node.inputs][0][1][0]];
      lines.push([t(node.kind), shapeText(tensor.shape)].filter(Boolean).join(" · "));
    } else {
      if (shown.names) lines.push(node.name);
      if (shown.parameters) {
        for (const [slot, list] of node.inputs) {
          for (const at of list) {
            const tensor = model.tensors[at];
            if (tensor.parameter) lines.push(`${slot} ${shapeText(tensor.shape)}`);
          }
        }
      }
      if (shown.attributes) {
        for (const [name, , text] of node.attributes) {
          if (TELLING.includes(name) && text && text !== "[]") lines.push(`${name} ${text}`);
        }
      }
    }
  }
  title = cut(title);
  const texts = lines.slice(0, 9).map(cut);
  const widths = [widthOf(title, TITLE) + (key[0] === "g" ? 22 : 0),
    ...texts.map((text) => widthOf(text, LINE))];
  return {
    title, lines: texts, family,
    width: Math.max(64, Math.ceil(Math.max(...widths)) + 26),
    height: texts.length ? 30 + texts.length * 15 : 28,
  };
}

/** The text at an edge, and its size: the shape of its tensor, or how many there are. */
export function labelOf(model, edges, t) {
  const tensors = [...new Set(edges.map((at) => model.edges[at][2]))];
  const text = tensors.length > 1
    ? t("nTensors", tensors.length) : cut(shapeText(model.tensors[tensors[0]].shape));
  return text ? { text, width: Math.ceil(widthOf(text, LINE)) + 8, height: 16 } : null;
}

/** A smooth line through points, along the graph's direction at each of them. */
export function line(points, across) {
  let made = `M${round(points[0].x)} ${round(points[0].y)}`;
  for (let at = 1; at < points.length; at += 1) {
    const [a, b] = [points[at - 1], points[at]];
    if (Math.abs(across ? a.y - b.y : a.x - b.x) < 0.5) made += `L${round(b.x)} ${round(b.y)}`;
    else if (across) {
      const middle = round((a.x + b.x) / 2);
      made += `C${middle} ${round(a.y)} ${middle} ${round(b.y)} ${round(b.x)} ${round(b.y)}`;
    } else {
      const middle = round((a.y + b.y) / 2);
      made += `C${round(a.x)} ${middle} ${round(b.x)} ${middle} ${round(b.x)} ${round(b.y)}`;
    }
  }
  return made;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

/** The picture in an SVG element. */
export class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.world = svg("g", { class: "world" });
    this.layers = ["groups", "edges", "labels", "nodes"].map((name) => svg("g", { class: name }));
    this.world.append(...this.layers);
    canvas.replaceChildren(markers(), this.world);
    this.live = new Map();
    this.items = [];
    this.edges = [];
    this.marked = { selected: "", nodes: null, edges: null, near: new Set() };
  }

  /** Takes a new layout; `boxes` gives what stands in each visible node. */
  set(model, placed, boxes) {
    this.model = model;
    this.boxes = boxes;
    this.across = Boolean(placed.across);
    this.size = { width: placed.width, height: placed.height };
    this.items = placed.items;
    this.where = new Map(placed.items.map((item) => [item.key, item]));
    this.edges = placed.edges.map((edge) => ({ ...edge, ...bounds(edge.points) }));
    for (const made of this.live.values()) made.forEach((node) => node.remove());
    this.live.clear();
  }

  /** Draws what touches a rectangle, or all of it. */
  render(rect) {
    const all = !rect || this.items.length + this.edges.length < FEW;
    const wanted = new Set();
    const near = (left, top, right, bottom) => all
      || (right > rect.left && left < rect.right && bottom > rect.top && top < rect.bottom);
    for (const item of this.items) {
      const [w, h] = [item.width / 2, item.height / 2];
      if (!near(item.x - w, item.y - h, item.x + w, item.y + h)) continue;
      wanted.add(item.key);
      if (!this.live.has(item.key)) this.#add(item.key, this.#item(item));
    }
    for (const edge of this.edges) {
      if (!near(edge.left, edge.top, edge.right, edge.bottom)) continue;
      wanted.add(edge.id);
      if (!this.live.has(edge.id)) this.#add(edge.id, this.#edge(edge));
    }
    if (!all) {
      for (const [key, made] of this.live) {
        if (wanted.has(key)) continue;
        made.forEach((node) => node.remove());
        this.live.delete(key);
      }
    }
  }

  /** Shows what is selected and what is lit; see `GraphModel.flow`. */
  mark(marked) {
    this.marked = marked;
    this.canvas.classList.toggle("lit", Boolean(marked.nodes));
    for (const key of this.live.keys()) this.#dress(key);
  }

  #add(key, made) {
    this.live.set(key, made);
    this.#dress(key);
  }

  #dress(key) {
    const { selected, nodes, edges, near } = this.marked;
    for (const node of this.live.get(key)) {
      if (typeof key === "number") {
        node.classList.toggle("on", Boolean(edges?.has(key) || near.has(key)));
        if (node.classList.contains("arrow")) {
          const on = node.classList.contains("on") ? "-on" : "";
          node.setAttribute("marker-end", `url(#arrow${on})`);
        }
      } else {
        node.classList.toggle("selected", key === selected);
        node.classList.toggle("on", Boolean(nodes?.has(key)));
      }
    }
  }

  #item(item) {
    const open = this.model.isOpen(item.key);
    const made = open ? this.#open(item) : this.#closed(item);
    made.dataset.key = item.key;
    made.id = `graph-${item.key}`;
    this.layers[open ? 0 : 3].append(made);
    return [made];
  }

  #open(item) {
    const { x, y, width, height, key } = item;
    const group = this.model.groupOf(key);
    const [left, top] = [x - width / 2, y - height / 2];
    const name = this.model.title(key);
    const title = cut(group.kind && group.kind !== name ? `${name} · ${group.kind}` : name);
    const fits = Math.max(3, Math.floor((width - 44) / 7));
    const text = title.length > fits ? `${title.slice(0, fits - 1)}…` : title;
    const depth = this.model.around(key).length % 2;
    return svg("g", { class: `group open depth${depth}`, role: "img", "aria-label": title },
      svg("rect", { x: left, y: top, width, height, rx: 8 }),
      svg("text", { x: left + 30, y: top + 18, class: "title" }, text),
      sign(left + 17, top + 14, false));
  }

  #closed(item) {
    const { x, y, width, height, key } = item;
    const box = this.boxes.get(key);
    const [left, top] = [round(x - width / 2), round(y - height / 2)];
    const group = key[0] === "g";
    const made = svg("g", {
      class: `${group ? "group closed" : "node"} family-${box.family}`, role: "img",
      "aria-label": [box.title, ...box.lines].join(", "),
    });
    if (group) {
      made.append(svg("rect", { class: "behind", x: left + 4, y: top + 4, width, height, rx: 6 }));
    }
    made.append(svg("rect", { class: "box", x: left, y: top, width, height, rx: 6 }));
    const middle = group ? x + 9 : x;
    made.append(svg("text", { x: middle, y: top + 18, class: "title" }, box.title));
    box.lines.forEach((text, at) => {
      made.append(svg("text", { x, y: top + 34 + at * 15, class: "line" }, text));
    });
    if (group) made.append(sign(left + 15, top + 14, true));
    return made;
  }

  #edge(edge) {
    const ends = !edge.to.startsWith("out") && !this.model.isOpen(edge.to);
    const path = svg("path", {
      class: ends ? "edge arrow" : "edge", d: line(edge.points, this.across), "data-edge": edge.id,
    });
    this.layers[1].append(path);
    if (!edge.label) return [path];
    const { x, y, text: words } = edge.label;
    const text = svg("text", { class: "label", x: round(x), y: round(y) + 4 }, words);
    this.layers[2].append(text);
    return [path, text];
  }

}

function sign(x, y, plus) {
  const cross = plus ? `M${x - 3.5} ${y}h7M${x} ${y - 3.5}v7` : `M${x - 3.5} ${y}h7`;
  return svg("g", { class: "sign" },
    svg("circle", { cx: x, cy: y, r: 7.5 }), svg("path", { d: cross }));
}

function markers() {
  const arrow = (id) => svg("marker", {
    id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto",
    markerUnits: "userSpaceOnUse",
  }, svg("path", { d: "M0 .8L7.500 4 0 7.200z" }));
  return svg("defs", {}, arrow("arrow"), arrow("arrow-on"));
}

function bounds(points) {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  return {
    left: Math.min(...xs) - 60, right: Math.max(...xs) + 60,
    top: Math.min(...ys) - 20, bottom: Math.max(...ys) + 20,
  };
}
