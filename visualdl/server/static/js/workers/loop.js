// Runs an algorithm step by step inside a worker, and sends where its points are as they move.

const FRAME = 40; // ms between two pictures, at least

/**
 * Makes this worker obey `{type: "start", ...}`, "pause", "resume" and "drawn".
 *
 * @param {(task: Object) => {steps: number, step: () => number|null, points: () => Float32Array}}
 *   make Prepares the algorithm; `step` moves the points once and may give the cost.
 *
 * It answers with `{type: "begun", steps}`, `{type: "points", points, step, cost}` for each picture
 * and `{type: "done"}` or `{type: "failed", text}`. A picture is sent only when the one before was
 * drawn, so a slow or hidden page is not flooded.
 */
export function serve(make) {
  const run = { what: null, at: 0, steps: 0, cost: null, paused: false, drawn: true, sent: 0 };
  let timer = 0;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(turn);
  };

  const send = () => {
    const points = run.what.points();
    run.drawn = false;
    run.sent = performance.now();
    postMessage({ type: "points", points, step: run.at, cost: run.cost }, [points.buffer]);
  };

  const turn = () => {
    if (!run.what || run.paused) return;
    try {
      const until = performance.now() + FRAME / 2;
      do {
        run.cost = run.what.step() ?? run.cost;
        run.at += 1;
      } while (run.at < run.steps && performance.now() < until);
      const last = run.at >= run.steps;
      if (last || (run.drawn && performance.now() - run.sent >= FRAME)) send();
      if (last) {
        run.what = null;
        postMessage({ type: "done", step: run.at });
      } else soon();
    } catch (error) {
      fail(error);
    }
  };

  const fail = (error) => {
    run.what = null;
    postMessage({ type: "failed", text: String(error?.message ?? error) });
  };

  const start = (task) => {
    try {
      run.what = make(task);
      run.steps = run.what.steps;
      postMessage({ type: "begun", steps: run.steps });
      send();
      soon();
    } catch (error) {
      fail(error);
    }
  };

  const orders = {
    start,
    pause() {
      run.paused = true;
      if (run.what) send();
    },
    resume() {
      run.paused = false;
      soon();
    },
    drawn() {
      run.drawn = true;
    },
  };
  addEventListener("message", ({ data }) => orders[data.type]?.(data));
}

/** Numbers in 0..1 that are the same each time for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * The rows of a task, ready for distances: what is not finite is 0; for "cosine" each has length
 * 1, else all are scaled by one number, so that the typical length is 1.
 */
export function rowsOf({ vectors, rows, columns, metric }) {
  const lengths = new Float64Array(rows);
  let all = 0;
  for (let row = 0; row < rows; row += 1) {
    for (let at = row * columns; at < (row + 1) * columns; at += 1) {
      if (!Number.isFinite(vectors[at])) vectors[at] = 0;
      lengths[row] += vectors[at] * vectors[at];
    }
    all += lengths[row];
  }
  const typical = Math.sqrt(all / rows) || 1;
  const result = [];
  for (let row = 0; row < rows; row += 1) {
    const part = vectors.subarray(row * columns, (row + 1) * columns);
    const length = metric === "cosine" ? Math.sqrt(lengths[row]) || 1 : typical;
    for (let at = 0; at < columns; at += 1) part[at] /= length;
    result.push(part);
  }
  return result;
}
