"""Writes which parameters PaddleSlim 2.2.2 prunes together in some networks, as JSON.

    python tests/incubate/compress/slim_plans.py FOLDER RESULT.json

FOLDER holds the package, as `pip install --target` puts it there. It calls `numpy.product` and
`numpy.float`, which NumPy 2 has no more; they are put back. The result that is kept is
`data/paddleslim_plans.json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import paddle
from paddle.vision import models

sys.path.append(str(Path(__file__).resolve().parent))


def networks() -> dict[str, tuple[Any, list[int]]]:
    """The networks, with values that are always the same, and the shapes of their inputs."""
    import nets

    return {
        "lenet": (nets.settle(models.LeNet()), [1, 1, 28, 28]),
        "resnet18": (nets.settle(models.resnet18(num_classes=4)), [1, 3, 32, 32]),
        "mobilenet_v1": (
            nets.settle(models.mobilenet_v1(scale=0.25, num_classes=4)),
            [1, 3, 32, 32],
        ),
        "mobilenet_v2": (
            nets.settle(models.mobilenet_v2(scale=0.25, num_classes=4)),
            [1, 3, 32, 32],
        ),
        "grouped": (nets.settle(nets.Grouped()), [1, 3, 6, 6]),
    }


def plan(net: Any, shape: list[int]) -> dict[str, Any]:
    """What goes together, and what stays of half of the channels by each criterion.

    ``together`` has parameter -> the parameters that lose channels with it, and their axes;
    ``kept`` has criterion -> parameter -> places.
    """
    import paddleslim

    names = {p.name: name for name, p in [*net.named_parameters(), *net.named_buffers()]}
    together: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for criterion in ("L1Norm", "L2Norm", "FPGM"):
        pruner = getattr(paddleslim, f"{criterion}FilterPruner")(net, shape)
        own = kept.setdefault(criterion, {})
        for each in pruner.collections:
            master = names[each.master["name"]]
            details = [d for d in each.all_pruning_details() if d.name in names]
            together[master] = sorted(map(list, {(names[d.name], d.axis) for d in details}))
            own[master] = np.flatnonzero(pruner.cal_mask(0.5, each)).tolist()
    return {"together": together, "kept": kept}


def main(folder: str, target: str) -> None:
    """Writes the plans."""
    for name, value in (("product", np.prod), ("float", float)):
        if not hasattr(np, name):
            setattr(np, name, value)
    sys.path.insert(0, folder)
    paddle.disable_static()
    plans = {name: plan(net, shape) for name, (net, shape) in networks().items()}
    Path(target).write_text(json.dumps(plans, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
