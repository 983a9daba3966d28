// UMAP in a worker: the library finds the neighbours, then moves the points step by step.
import { UMAP } from "../../vendor/umap.js";
import { random, rowsOf, serve } from "./loop.js";

serve((task) => {
  const { rows, dimension, settings, seed } = task;
  if (rows < 3) throw new Error("UMAP: fewer than three points");
  const umap = new UMAP({
    nComponents: dimension,
    nNeighbors: Math.max(2, Math.min(settings.neighbors, rows - 1)),
    minDist: settings.minDist,
    nEpochs: settings.steps,
    random: random(seed),
  });
  const steps = umap.initializeFit(rowsOf(task));
  return {
    steps,
    step() {
      umap.step();
      return null;
    },
    points: () => Float32Array.from(umap.getEmbedding().flat()),
  };
});
