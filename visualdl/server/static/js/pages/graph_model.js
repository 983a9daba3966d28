// The graph page's model: groups that fold, what is visible now, and who feeds whom.

/** What the page draws of a model. Keys are "n12" for nodes, "g3" for groups, "" for all. */
export class GraphModel {
  /**
   * @param {Object} data What `graph/model` answered.
   * @param {string} grouping "scope", "layer", "block" or "none".
   */
  constructor(data, grouping) {
    this.data = data;
    this.nodes = data.nodes;
    this.tensors = data.tensors;
    this.edges = data.edges;
    this.grouping = grouping;
    this.groups = data.groupings[grouping] ?? [];
    this.home = this.nodes.map((node) => node.groups[grouping] ?? -1);
    this.inside = new Map([[-1, []]]);
    this.groups.forEach((group, at) => {
      this.inside.set(at, []);
      this.inside.get(group.parent).push(`g${at}`);
    });
    this.home.forEach((group, at) => this.inside.get(group).push(`n${at}`));
    this.open = new Set();
    this.into = this.nodes.map(() => []);
    this.from = this.nodes.map(() => []);
    this.edges.forEach(([source, target], at) => {
      this.from[source].push(at);
      this.into[target].push(at);
    });
    this.openFirst();
  }

  /** Unfolds groups that hide nearly everything, so that the first sight says something. */
  openFirst() {
    this.open.clear();
    for (let depth = 0; depth < 8; depth += 1) {
      const items = this.items();
      if (items.length >= 7) return;
      const large = items.filter((key) => key[0] === "g")
        .sort((a, b) => this.groupOf(b).operators - this.groupOf(a).operators)[0];
      if (!large || this.inside.get(number(large)).length > 30) return;
      this.open.add(number(large));
    }
  }

  /** The keys that are visible now, unfolded groups left out. */
  items() {
    const found = [];
    const waiting = [...this.inside.get(-1)];
    while (waiting.length) {
      const key = waiting.pop();
      if (key[0] === "g" && this.open.has(number(key))) waiting.push(...this.children(key));
      else found.push(key);
    }
    return found;
  }

  /** What lies in a group. */
  children(key) {
    return this.inside.get(number(key)) ?? [];
  }

  /** The facts of a group. */
  groupOf(key) {
    return this.groups[number(key)];
  }

  /** The group around a node or group: a key, "" for none. */
  parent(key) {
    const at = key[0] === "g" ? this.groups[number(key)].parent : this.home[number(key)];
    return at < 0 ? "" : `g${at}`;
  }

  /** The groups around a key, the outermost first. */
  around(key) {
    const found = [];
    for (let at = this.parent(key); at; at = this.parent(at)) found.unshift(at);
    return found;
  }

  /** The name of a group with those around it, as in "layer1/0/conv1". */
  path(key) {
    return [...this.around(key), key].map((one) => this.name(one)).join("/");
  }

  /** The name that is shown of a key. */
  name(key) {
    return key[0] === "g" ? this.groupOf(key).name : this.nodes[number(key)].name;
  }

  /** The name of a group, with that of the group around it where it is a mere number. */
  title(key) {
    const name = this.name(key);
    const around = this.parent(key);
    return around && /^\d+$/.test(name) ? `${this.name(around)}.${name}` : name;
  }

  /** Whether a key is a group that is unfolded. */
  isOpen(key) {
    return key[0] === "g" && this.open.has(number(key));
  }

  /** Folds or unfolds a group; what is inside keeps its state. */
  fold(key, open = !this.isOpen(key)) {
    if (open) this.open.add(number(key));
    else this.open.delete(number(key));
  }

  /** Folds or unfolds everything in a group, or in the model. */
  foldAll(open, key = "") {
    this.groups.forEach((_, at) => {
      const own = `g${at}`;
      if (key && own !== key && !this.around(own).includes(key)) return;
      if (open) this.open.add(at);
      else this.open.delete(at);
    });
  }

  /** Unfolds what hides a key. Returns whether something had to be. */
  reveal(key) {
    const hidden = this.around(key).filter((group) => !this.isOpen(group));
    hidden.forEach((group) => this.fold(group, true));
    return hidden.length > 0;
  }

  /** What of a key is visible: itself, or the folded group that hides it. */
  seen(key) {
    return this.around(key).find((group) => !this.isOpen(group)) ?? key;
  }

  /** The numbers of the nodes that a key stands for. */
  members(key) {
    if (key[0] === "n") return [number(key)];
    return this.children(key).flatMap((one) => this.members(one));
  }

  /**
   * Follows edges from a key.
   *
   * @param {string} key
   * @param {"in"|"out"|"both"} way What feeds it, what it feeds, or both.
   * @param {boolean} far All the way, or the next nodes alone.
   * @returns {{nodes: Set<number>, edges: Set<number>}}
   */
  flow(key, way, far = true) {
    const start = new Set(this.members(key));
    const nodes = new Set(start);
    const edges = new Set();
    const follow = (lists, end) => {
      const seen = new Set(start);
      const waiting = [...start];
      while (waiting.length) {
        for (const edge of lists[waiting.pop()]) {
          const next = this.edges[edge][end];
          if (!start.has(next) || !start.has(this.edges[edge][1 - end])) edges.add(edge);
          nodes.add(next);
          if (!seen.has(next) && far) waiting.push(next);
          seen.add(next);
        }
      }
    };
    if (way !== "out") follow(this.into, 0);
    if (way !== "in") follow(this.from, 1);
    return { nodes, edges };
  }

  /**
   * What is visible, as containers within each other, for the layout.
   *
   * A container has items, edges between them, and ports where edges of its outside come in and go
   * out. Edges are numbered; `segments[id]` lists the model's edges for which each stands.
   */
  view() {
    const containers = new Map();
    const segments = [];
    const visit = (key) => {
      const made = { key, items: [], edges: new Map(), ins: new Set(), outs: new Set() };
      containers.set(key, made);
      for (const child of key ? this.children(key) : this.inside.get(-1)) {
        made.items.push(child);
        if (this.isOpen(child)) visit(child);
      }
    };
    visit("");
    const paths = this.nodes.map((_, at) => {
      const key = `n${at}`;
      const around = this.around(key);
      const shut = around.findIndex((group) => !this.isOpen(group));
      return shut < 0 ? [...around, key] : around.slice(0, shut + 1);
    });
    const segment = (container, from, to, edge) => {
      const key = `${from}>${to}`;
      const found = containers.get(container).edges.get(key);
      if (found) segments[found.id].push(edge);
      else {
        containers.get(container).edges.set(key, { id: segments.length, from, to });
        segments.push([edge]);
      }
    };
    this.edges.forEach(([source, target], edge) => {
      const [a, b] = [paths[source], paths[target]];
      let depth = 0;
      while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth += 1;
      if (depth === a.length || depth === b.length) return;
      segment(depth ? a[depth - 1] : "", a[depth], b[depth], edge);
    });
    this.#ports(containers, segments, paths, segment);
    return { containers, segments };
  }

  /** Leads edges that begin or end inside of unfolded groups through ports in their borders. */
  #ports(containers, segments, paths, segment) {
    const sets = new Map();
    const crossing = [...containers.values()].flatMap((container) => [...container.edges.values()]);
    for (const edge of crossing) {
      const stands = [...segments[edge.id]];
      const tensors = [...new Set(stands.map((at) => this.edges[at][2]))].sort((a, b) => a - b);
      const name = tensors.join();
      if (!sets.has(name)) sets.set(name, sets.size);
      edge.port = sets.get(name);
      if (this.isOpen(edge.from)) {
        for (const at of stands) this.#lead(paths[this.edges[at][0]], edge.from, (group, child) => {
          containers.get(group).outs.add(edge.port);
          segment(group, child, `out${edge.port}`, at);
        });
      }
      if (this.isOpen(edge.to)) {
        for (const at of stands) this.#lead(paths[this.edges[at][1]], edge.to, (group, child) => {
          containers.get(group).ins.add(edge.port);
          segment(group, `in${edge.port}`, child, at);
        });
      }
    }
    for (const container of containers.values()) {
      for (const edge of container.edges.values()) {
        if (edge.port !== undefined) continue;
        edge.port = Number((edge.to.startsWith("out") ? edge.to.slice(3) : edge.from.slice(2)));
      }
    }
  }

  #lead(path, start, each) {
    for (let at = path.indexOf(start); at < path.length - 1; at += 1) each(path[at], path[at + 1]);
  }

  /** Keys whose name, kind or tensors hold a text, in the order of the model; groups first. */
  find(text, most = 200) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const found = [];
    this.groups.forEach((group, at) => {
      const names = [group.name, group.kind, this.path(`g${at}`)];
      if (names.some((name) => name.toLowerCase().includes(wanted))) found.push(`g${at}`);
    });
    for (const node of this.nodes) {
      if (found.length >= most) break;
      const tensors = [...node.inputs, ...node.outputs].flatMap(([, list]) => list);
      const names = [node.name, node.type, ...tensors.map((at) => this.tensors[at].name)];
      if (names.some((name) => name.toLowerCase().includes(wanted))) found.push(`n${node.id}`);
    }
    return found.slice(0, most);
  }

  /** Which tensors go into a group from outside, and which go out. */
  borders(key) {
    const members = new Set(this.members(key));
    const ins = new Set();
    const outs = new Set();
    for (const node of members) {
      for (const edge of this.into[node]) {
        if (!members.has(this.edges[edge][0])) ins.add(this.edges[edge][2]);
      }
      for (const edge of this.from[node]) {
        if (!members.has(this.edges[edge][1])) outs.add(this.edges[edge][2]);
      }
    }
    return { ins: [...ins], outs: [...outs] };
  }
}

/** The number in a key. */
export function number(key) {
  return Number(key.slice(1));
}

/** A shape as text: "?×64×56×56"; "" where nothing is known. */
export function shapeText(shape) {
  if (!shape) return "";
  if (!shape.length) return "[]";
  return shape.map((size) => (typeof size === "number" && size < 0 ? "?" : size)).join("×");
}

const FAMILIES = [
  ["loss", /loss|cross_entropy|^accuracy$|crossentropy|^auc$/i],
  ["convolution", /conv/i],
  ["norm", /norm|lrn/i],
  ["pooling", /pool|interp|resize|upsample/i],
  ["attention", /attention|lstm|gru|rnn|embedding|lookup_table|gather/i],
  ["activation", /relu|sigmoid|tanh|elu|swish|silu|mish|softmax|softplus|softsign|dropout/i],
  ["linear", /^(mul|matmul|fc|gemm|bmm|linear|addmm|mv|dot)(_|$|[a-z0-9]*$)|matmul/i],
  ["shape", /transpose|flatten|squeeze|concat|split|slice|stack|expand|tile|pad|shape|cast/i],
  ["control", /^(while|if|loop|scan|conditional_block|recurrent|select_|switch|print|assert)/i],
  ["constant", /fill_|constant|^assign|range|random|one_hot/i],
  ["optimizer", /^(sgd|momentum|adam|adamw|lamb|adagrad|rmsprop|ftrl|lars)/i],
  ["arithmetic", /elementwise|scale|sum|mean|reduce|add|sub|mul|div|pow|sqrt|exp|log|m[ai][xn]/i],
];

/** The family of an operator, which gives its colour. */
export function familyOf(node) {
  if (node.kind !== "operator") return node.kind;
  return FAMILIES.find(([, pattern]) => pattern.test(node.type))?.[0] ?? "other";
}
