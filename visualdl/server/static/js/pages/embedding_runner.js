// Starts, pauses and stops t-SNE and UMAP, which run in a worker.

const FILES = { tsne: "../workers/tsne.js", umap: "../workers/umap.js" };

/**
 * One computation at a time. `state` is "idle", "preparing", "running", "paused", "done", "stopped"
 * or "failed".
 *
 * `onPoints(points, dimension)` gets a Float32Array for each picture, `onState()` is called when
 * `state`, `step`, `steps` or `cost` changed, `onFail(text)` when it ended with an error.
 */
export class Runner {
  constructor({ onPoints, onState, onFail }) {
    Object.assign(this, { onPoints, onState, onFail });
    this.worker = null;
    this.#reset("idle");
  }

  #reset(state) {
    Object.assign(this, { state, step: 0, steps: 0, cost: null });
  }

  get busy() {
    return this.worker !== null;
  }

  /** Ends what ran; the vectors of the next computation are on their way. */
  prepare() {
    this.#end();
    this.#reset("preparing");
    this.onState();
  }

  /**
   * Starts from the beginning; what ran before is ended.
   *
   * @param {string} method "tsne" or "umap".
   * @param {Object} task `{vectors, rows, columns, dimension, metric, settings, seed, start}`;
   *   `vectors` (Float32Array) goes over to the worker.
   */
  start(method, task) {
    this.prepare();
    const worker = new Worker(new URL(FILES[method], import.meta.url), { type: "module" });
    this.worker = worker;
    worker.onmessage = ({ data }) => this.worker === worker && this.#take(data, task);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.worker === worker) this.#fail(event.message || "worker");
    };
    worker.postMessage({ type: "start", ...task }, [task.vectors.buffer]);
    this.onState();
  }

  #take(data, task) {
    if (data.type === "begun") {
      this.steps = data.steps;
      if (this.state === "preparing") this.state = "running";
    } else if (data.type === "points") {
      Object.assign(this, { step: data.step, cost: data.cost });
      this.onPoints(data.points, task.dimension);
      requestAnimationFrame(() => this.worker?.postMessage({ type: "drawn" }));
    } else if (data.type === "done") {
      this.#end();
      this.state = "done";
    } else if (data.type === "failed") this.#fail(data.text);
    this.onState();
  }

  #fail(text) {
    this.#end();
    this.state = "failed";
    this.onFail(text);
    this.onState();
  }

  pause() {
    if (!this.worker || this.state === "paused") return;
    this.worker.postMessage({ type: "pause" });
    this.state = "paused";
    this.onState();
  }

  resume() {
    if (!this.worker || this.state !== "paused") return;
    this.worker.postMessage({ type: "resume" });
    this.state = this.steps ? "running" : "preparing";
    this.onState();
  }

  /** Ends it; the points stay where they are. */
  stop() {
    if (!this.worker) return;
    this.#end();
    this.state = "stopped";
    this.onState();
  }

  /** Ends it and forgets that it ran. */
  clear() {
    this.#end();
    this.#reset("idle");
  }

  #end() {
    this.worker?.terminate();
    this.worker = null;
  }
}
