// t-SNE in a worker: the library's steps, its gradient computed over pairs once and without waste.
import { TSNE } from "../../vendor/tsne.js";
import { random, rowsOf, serve } from "./loop.js";

const EXAGGERATED = 100; // steps in which the library pulls neighbours together harder
const COST_EVERY = 10;

/** The library's class; each pair is visited once and the big tables are made once. */
class Pairs extends TSNE {
  constructor({ perplexity, dim, epsilon, seed, start }) {
    super({ perplexity, dim, epsilon });
    this.next = random(seed);
    this.start = start;
  }

  randn(mu, std) {
    const away = Math.sqrt(-2 * Math.log(1 - this.next()));
    return mu + std * away * Math.cos(2 * Math.PI * this.next());
  }

  /** Begins where PCA put the points, made very small: the same data give the same picture. */
  initSolution() {
    super.initSolution();
    const { N, dim, start } = this;
    this.near = new Float64Array(N * N);
    this.flat = new Float64Array(N * dim);
    if (!start || start.length !== N * dim) return;
    let size = 0;
    for (const value of start) size += value * value;
    const scale = 1e-4 / (Math.sqrt(size / start.length) || 1);
    for (let i = 0; i < N; i += 1) {
      for (let d = 0; d < dim; d += 1) {
        this.Y[i][d] = start[i * dim + d] * scale + this.randn(0, 1e-6);
      }
    }
  }

  costGrad(Y) {
    const { N, dim, P, near, flat } = this;
    for (let i = 0; i < N; i += 1) for (let d = 0; d < dim; d += 1) flat[i * dim + d] = Y[i][d];
    const sum = this.#nearness();
    const more = this.iter < EXAGGERATED ? 4 : 1;
    const withCost = this.iter % COST_EVERY === 1 || N < 400;
    this.own ??= P.reduce((total, part) => total + (part > 1e-50 ? part * Math.log(part) : 0), 0);
    const grad = Y.map(() => new Array(dim).fill(0));
    let cost = this.own; // so that it is the divergence of the picture from the vectors
    for (let i = 0; i < N; i += 1) {
      const mine = grad[i];
      for (let j = i + 1; j < N; j += 1) {
        const at = i * N + j;
        const part = near[at] / sum;
        if (withCost) cost -= 2 * P[at] * Math.log(Math.max(part, 1e-100));
        const force = 4 * (more * P[at] - part) * near[at];
        const theirs = grad[j];
        for (let d = 0; d < dim; d += 1) {
          const pull = force * (flat[i * dim + d] - flat[j * dim + d]);
          mine[d] += pull;
          theirs[d] -= pull;
        }
      }
    }
    return { cost: withCost ? cost : null, grad };
  }

  #nearness() {
    const { N, dim, near, flat } = this;
    let sum = 0;
    for (let i = 0; i < N; i += 1) {
      for (let j = i + 1; j < N; j += 1) {
        let distance = 0;
        for (let d = 0; d < dim; d += 1) {
          const along = flat[i * dim + d] - flat[j * dim + d];
          distance += along * along;
        }
        near[i * N + j] = 1 / (1 + distance);
        sum += near[i * N + j];
      }
    }
    return 2 * sum;
  }
}

serve((task) => {
  const { rows, dimension, settings, seed, start } = task;
  if (rows < 2) throw new Error("t-SNE: fewer than two points");
  const perplexity = Math.max(1, Math.min(settings.perplexity, (rows - 1) / 3));
  const tsne = new Pairs({
    perplexity, dim: dimension, epsilon: Math.max(10, rows / 16), seed, start,
  });
  tsne.initDataRaw(rowsOf(task));
  return {
    steps: settings.steps,
    step: () => tsne.step(),
    points: () => Float32Array.from(tsne.getSolution().flat()),
  };
});
