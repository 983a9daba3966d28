// Places nodes and leads edges: each unfolded group is laid out by dagre by itself, then is a box
// in the group around it. Runs in a worker (graph_worker.js); knows no document.
import { Graph, layout } from "../../vendor/dagre.js";
import { layers } from "./graph_layers.js";

const HEAD = 28; // height of the title of an unfolded group
const PAD = 14;
const PORT = 10;
const MANY = 500; // items in one container from which a faster ranking is taken
const LARGE = 900; // and from which dagre would take too long, or too much of the stack

/**
 * Places a view.
 *
 * It is laid out from top to bottom; for a graph from left to right x and y change places, before
 * and after.
 *
 * @param {Array} containers `{key, items: [{key, width, height}], edges: [{id, from, to, port,
 *   label}], ins, outs}`; the first is the whole, key "".
 * @param {boolean} [across] From left to right.
 * @returns {{items: Array, edges: Array, width: number, height: number, across: boolean}} items
 *   with x, y (their middle), width, height; edges with their id and points.
 */
export function place(containers, across = false) {
  if (across) containers.forEach((one) => [...one.items, ...one.edges].forEach(turn));
  const all = new Map(containers.map((one) => [one.key, one]));
  const done = new Map();
  // Inner containers come after outer ones in the list, so going backwards is from the inside.
  for (const container of [...containers].reverse()) {
    done.set(container.key, inner(container, done, across));
  }
  const out = { items: [], edges: [] };
  const root = done.get("");
  flatten("", 0, 0, all, done, out);
  const made = { ...out, width: root.width, height: root.height, across };
  return across ? turned(made) : made;
}

/** Exchanges width and height of an item, or of an edge's label. */
function turn(one) {
  const box = "from" in one ? one.label : one;
  if (box) [box.width, box.height] = [box.height, box.width];
}

function turned(made) {
  const swap = (one) => Object.assign(one, { x: one.y, y: one.x });
  made.items.forEach((one) => Object.assign(swap(one), { width: one.height, height: one.width }));
  made.edges.forEach((edge) => {
    edge.points.forEach(swap);
    if (edge.label) swap(edge.label);
  });
  return { ...made, width: made.height, height: made.width };
}

/** Lays one container out; its own size is that of what it holds. */
function inner(container, done, across) {
  if (container.items.length > LARGE) return plain(container, done, across);
  const graph = new Graph();
  const many = container.items.length > MANY;
  graph.setGraph({
    rankdir: "TB", nodesep: 22, ranksep: 34, edgesep: 14,
    ranker: many ? "longest-path" : "network-simplex",
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const item of container.items) {
    const box = done.get(item.key);
    graph.setNode(item.key, {
      width: box ? box.width : item.width, height: box ? box.height : item.height,
    });
  }
  for (const port of container.ins) graph.setNode(`in${port}`, { width: PORT, height: 1 });
  for (const port of container.outs) graph.setNode(`out${port}`, { width: PORT, height: 1 });
  for (const edge of container.edges) {
    graph.setEdge(edge.from, edge.to, edge.label
      ? { width: edge.label.width, height: edge.label.height, labelpos: "r", labeloffset: 3 } : {});
  }
  hold(graph, container);
  try {
    layout(graph);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return plain(container, done, across);
  }
  const head = container.key ? HEAD : 0;
  return finished(container, graph, across ? 0 : head, across ? head : 0);
}

/** Lays a container out without dagre. */
function plain(container, done, across) {
  const boxes = new Map();
  const first = new Set(container.ins.map((port) => `in${port}`));
  const last = new Set(container.outs.map((port) => `out${port}`));
  for (const item of container.items) boxes.set(item.key, done.get(item.key) ?? item);
  for (const port of [...first, ...last]) boxes.set(port, { width: PORT, height: 1 });
  const graph = layers(boxes, container.edges, { first, last });
  const head = container.key ? HEAD : 0;
  return finished(container, graph, across ? 0 : head, across ? head : 0);
}

/** Keeps ports of the way in above everything and those of the way out below it. */
function hold(graph, container) {
  const free = (names) => container.items.map((item) => item.key).filter((key) => names(key));
  if (container.outs.length) {
    graph.setNode("below", { width: 1, height: 1 });
    for (const port of container.outs) graph.setEdge(`out${port}`, "below", { weight: 3 });
    for (const key of free((key) => !graph.successors(key).length)) {
      graph.setEdge(key, "below", { weight: 0 });
    }
  }
  if (container.ins.length) {
    graph.setNode("above", { width: 1, height: 1 });
    for (const port of container.ins) graph.setEdge("above", `in${port}`, { weight: 3 });
    for (const key of free((key) => !graph.predecessors(key).length)) {
      graph.setEdge("above", key, { weight: 0 });
    }
  }
}

function finished(container, graph, top, before) {
  let [left, right, high, low] = [Infinity, -Infinity, Infinity, -Infinity];
  const reach = (x, y, width = 0, height = 0) => {
    left = Math.min(left, x - width / 2);
    right = Math.max(right, x + width / 2);
    high = Math.min(high, y - height / 2);
    low = Math.max(low, y + height / 2);
  };
  for (const item of container.items) {
    const node = graph.node(item.key);
    reach(node.x, node.y, node.width, node.height);
  }
  for (const edge of container.edges) {
    const made = graph.edge(edge.from, edge.to);
    for (const point of made.points) {
      const port = edge.from.startsWith("in") || edge.to.startsWith("out");
      reach(point.x, port ? Math.min(Math.max(point.y, high), low) : point.y, 6);
    }
    if (edge.label) reach(made.x, made.y, edge.label.width, edge.label.height);
  }
  if (!Number.isFinite(left)) [left, right, high, low] = [0, 40, 0, 20];
  const gapIn = container.ins.length ? 16 : 0;
  const gapOut = container.outs.length ? 16 : 0;
  const shift = { x: PAD + before - left, y: top + PAD + gapIn - high };
  return {
    graph, shift,
    width: Math.max(right - left + 2 * PAD + before, before ? 0 : container.width ?? 0),
    height: Math.max(low - high + top + 2 * PAD + gapIn + gapOut, before ? container.width : 0),
  };
}

/** Turns places inside of containers into places on the whole page. */
function flatten(key, x, y, all, done, out) {
  const container = all.get(key);
  const { graph, shift, height } = done.get(key);
  const at = (point) => ({ x: x + point.x + shift.x, y: y + point.y + shift.y });
  const rims = new Map(); // where ports of this container's unfolded groups are
  for (const item of container.items) {
    const node = graph.node(item.key);
    const middle = at(node);
    const { width, height: high } = node;
    out.items.push({ key: item.key, ...middle, width, height: high, inside: key });
    if (done.has(item.key)) {
      const [left, top] = [middle.x - node.width / 2, middle.y - node.height / 2];
      rims.set(item.key, { left, top, bottom: top + node.height, inner: done.get(item.key) });
      flatten(item.key, left, top, all, done, out);
    }
  }
  for (const edge of container.edges) {
    const made = graph.edge(edge.from, edge.to);
    const points = made.points.map(at);
    ends(points, edge, graph, at, rims, y, y + height);
    out.edges.push({
      id: edge.id, from: edge.from, to: edge.to, inside: key, points,
      label: edge.label ? { text: edge.label.text, ...at(made) } : null,
    });
  }
}

/** Puts the ends of an edge on the borders: ports of this container, or of a group inside. */
function ends(points, edge, graph, at, rims, top, bottom) {
  const last = points.length - 1;
  const from = graph.node(edge.from);
  const to = graph.node(edge.to);
  const rimFrom = rims.get(edge.from);
  const rimTo = rims.get(edge.to);
  const port = (rim, name) => rim.left + rim.inner.graph.node(name).x + rim.inner.shift.x;
  if (edge.from.startsWith("in")) points[0] = { x: at(from).x, y: top };
  else if (rimFrom) points[0] = { x: port(rimFrom, `out${edge.port}`), y: rimFrom.bottom };
  else points[0] = straight(points[0], at(from), from, 1);
  if (edge.to.startsWith("out")) points[last] = { x: at(to).x, y: bottom };
  else if (rimTo) points[last] = { x: port(rimTo, `in${edge.port}`), y: rimTo.top };
  else points[last] = straight(points[last], at(to), to, -1);
}

/** Lets an edge meet a node at its lower or upper side, spread a little around the middle. */
function straight(point, middle, node, side) {
  const most = node.width / 2 - 10;
  const off = Math.max(-most, Math.min(most, point.x - middle.x)) * 0.6;
  return { x: middle.x + off, y: middle.y + (side * node.height) / 2 };
}
