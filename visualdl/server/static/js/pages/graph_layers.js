// A plain layout in layers for what is too large or too deep for dagre: linear time, no recursion.

const GAP = { x: 24, y: 56 };
const THREAD = 10; // width that an edge takes where it passes a layer
const MOST_THREADS = 40000;
const SWEEPS = 6;

/**
 * Places boxes in layers.
 *
 * @param {Map<string, {width: number, height: number}>} boxes
 * @param {Array<{from: string, to: string}>} edges
 * @param {{first: Set<string>, last: Set<string>}} at Boxes for the first and the last layer.
 * @returns {{node: Function, edge: Function}} As dagre's graph answers after its layout.
 */
export function layers(boxes, edges, at) {
  const names = [...boxes.keys()];
  const number = new Map(names.map((name, one) => [name, one]));
  const ends = edges.map(({ from, to }) => [number.get(from), number.get(to)]);
  const rank = ranks(names, ends, number, at);
  const cells = names.map((name, one) => ({
    rank: rank[one], width: boxes.get(name).width, height: boxes.get(name).height, x: 0,
    ins: [], outs: [],
  }));
  const routes = thread(cells, ends);
  const rows = [];
  for (const cell of cells) (rows[cell.rank] ??= []).push(cell);
  const full = rows.filter(Boolean);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const row of down ? full : [...full].reverse()) arrange(row, down, sweep < SWEEPS - 2);
  }
  let y = 0;
  for (const row of full) {
    const height = row.reduce((most, cell) => Math.max(most, cell.height), 0);
    for (const cell of row) cell.y = y + height / 2;
    y += height + GAP.y;
  }
  const lines = new Map(edges.map(({ from, to }, one) => [`${from}>${to}`, lead(routes[one])]));
  return {
    node: (name) => cells[number.get(name)],
    edge: (from, to) => lines.get(`${from}>${to}`),
  };
}

/** The layer of each box: one below the lowest of those that feed it. */
function ranks(names, ends, number, at) {
  const waits = new Array(names.length).fill(0);
  const outs = names.map(() => []);
  for (const [from, to] of ends) {
    outs[from].push(to);
    waits[to] += 1;
  }
  const rank = new Array(names.length).fill(1);
  const done = new Array(names.length).fill(false);
  const queue = names.map((_, one) => one).filter((one) => !waits[one]);
  let next = 0;
  for (let seen = 0; seen < names.length; seen += 1) {
    if (seen === queue.length) { // a circle: begin with what comes first in the model
      while (done[next]) next += 1;
      done[next] = true;
      queue.push(next);
    }
    const one = queue[seen];
    done[one] = true;
    for (const to of outs[one]) {
      if (done[to]) continue;
      rank[to] = Math.max(rank[to], rank[one] + 1);
      waits[to] -= 1;
      if (!waits[to]) {
        done[to] = true;
        queue.push(to);
      }
    }
  }
  const fed = new Set(ends.map(([, to]) => to));
  names.forEach((_, one) => { // what nobody feeds stands right above its first reader
    if (!fed.has(one) && outs[one].length) {
      rank[one] = Math.max(1, outs[one].reduce((least, to) => Math.min(least, rank[to]), 1e9) - 1);
    }
  });
  const low = rank.reduce((most, one) => Math.max(most, one), 1) + 1;
  for (const name of at.first) rank[number.get(name)] = 0;
  for (const name of at.last) rank[number.get(name)] = low;
  return rank;
}

/** Gives long edges a place in each layer that they pass, as long as these are not too many. */
function thread(cells, ends) {
  const spans = ends.reduce((sum, [from, to]) =>
    sum + Math.max(0, Math.abs(cells[to].rank - cells[from].rank) - 1), 0);
  return ends.map(([from, to]) => {
    const route = [cells[from]];
    const step = Math.sign(cells[to].rank - cells[from].rank);
    if (spans <= MOST_THREADS) {
      for (let at = cells[from].rank + step; step && at !== cells[to].rank; at += step) {
        const cell = { rank: at, width: THREAD, height: 1, x: 0, ins: [], outs: [], thread: true };
        cells.push(cell);
        route.push(cell);
      }
    }
    route.push(cells[to]);
    for (let at = 1; at < route.length; at += 1) {
      const [a, b] = step < 0 ? [route[at], route[at - 1]] : [route[at - 1], route[at]];
      a.outs.push(b);
      b.ins.push(a);
    }
    return route;
  });
}

/** Orders a row by where its neighbours are, and moves each cell towards them. */
function arrange(row, down, sort) {
  for (const cell of row) {
    const near = down ? cell.ins : cell.outs;
    cell.wish = near.length ? near.reduce((sum, one) => sum + one.x, 0) / near.length : cell.x;
  }
  if (sort) row.sort((a, b) => a.wish - b.wish);
  let shift = 0;
  let right = -Infinity;
  for (const cell of row) {
    cell.x = Math.max(cell.wish, right + cell.width / 2);
    right = cell.x + cell.width / 2 + (cell.thread ? THREAD : GAP.x);
    shift += cell.x - cell.wish;
  }
  shift /= row.length;
  for (const cell of row) cell.x -= shift;
}

function lead(route) {
  const side = (cell, other) => ({
    x: cell.x, y: cell.y + (Math.sign(other.y - cell.y) * cell.height) / 2,
  });
  const last = route.length - 1;
  const points = route.map((cell, at) => {
    if (at === 0) return side(cell, route[1]);
    return at === last ? side(cell, route[last - 1]) : { x: cell.x, y: cell.y };
  });
  const [a, b] = [points[Math.floor(last / 2)], points[Math.ceil((last + 1) / 2)] ?? points[last]];
  return { points, x: (a.x + b.x) / 2 + 6, y: (a.y + b.y) / 2 };
}
