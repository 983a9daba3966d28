// What keys do on the graph: walking along edges, folding, zooming.

const WAYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/**
 * Does what a key stands for.
 *
 * @param {string} key As in `KeyboardEvent.key`.
 * @param {Object} on model, selected, where (key -> its box), viewport, and the functions go,
 *   select, fold and search.
 * @returns {boolean} Whether it stands for something.
 */
export function walk(key, on) {
  const { viewport } = on;
  if (key === "+" || key === "=") viewport.zoom(1.3);
  else if (key === "-" || key === "_") viewport.zoom(0.77);
  else if (key === "f" || key === "F" || key === "0") viewport.fit();
  else if (key === "/") on.search();
  else if (!on.model) return false;
  else if (key === "Escape") on.select("");
  else if (key === "Enter" || key === " ") on.fold(on.selected);
  else if (key in WAYS) step(key, on);
  else return false;
  return true;
}

function step(key, on) {
  const { model, where, selected } = on;
  const here = where.get(selected);
  if (!here) {
    const first = [...where.keys()].filter((one) => !model.isOpen(one))
      .sort((a, b) => where.get(a).y - where.get(b).y)[0];
    if (first) on.go(first);
    return;
  }
  const [dx, dy] = WAYS[key];
  const linked = dy ? neighbours(model, selected, dy < 0 ? "in" : "out") : null;
  let best = null;
  for (const [one, box] of where) {
    if (one === selected || (model.isOpen(one) && !dy)) continue;
    if (linked ? !linked.has(one) : box.inside !== here.inside) continue;
    const [x, y] = [box.x - here.x, box.y - here.y];
    if (!linked && (x * dx <= 0 || Math.abs(y) > here.height / 2 + box.height / 2)) continue;
    const far = Math.abs(x) + Math.abs(y);
    if (!best || far < best.far) best = { one, far };
  }
  if (best) on.go(best.one);
}

function neighbours(model, key, way) {
  const own = new Set(model.members(key));
  const found = new Set();
  for (const at of model.flow(key, way, false).nodes) {
    if (!own.has(at)) found.add(model.seen(`n${at}`));
  }
  return found;
}
