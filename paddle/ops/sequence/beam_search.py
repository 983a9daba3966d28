"""Beam search: walking back through the beams (gather tree)."""

from __future__ import annotations

import torch

from paddle.core.op import op


@op("gather_tree", "Ids Parents -> Out", infer="same", differentiable=False)
def gather_tree(ids, parents):
    if not ids.numel():
        return ids.clone()
    beam = torch.arange(ids.shape[2], device=ids.device, dtype=parents.dtype)
    beam = beam.expand(ids.shape[1], -1)
    steps = []
    for step in range(ids.shape[0] - 1, -1, -1):
        steps.append(torch.gather(ids[step], 1, beam.long()))
        beam = torch.gather(parents[step], 1, beam.long())
    return torch.stack(steps[::-1])
