"""Samples whose expected values are those of PaddlePaddle 1.8.5; works with Python 3.7 too.

``scripts/oracle/fluid_ops_185.py`` runs each as a Program of one operator and freezes what comes
out to ``tests/data/fluid/operators.npz``; ``tests/fluid/test_operators.py`` compares such Programs
here: values, levels and gradients.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tests.op_samples.sample import Sample

FILE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "fluid", "operators.npz"
)
_data: dict[str, Any] = {}


def frozen() -> dict[str, Any]:
    """All that was frozen, by ``sample/kind.slot``."""
    if not _data:
        with np.load(FILE) as file:
            _data.update(file)
    return _data


class As185:
    """What 1.8.5 gave for a sample, where else a reference in NumPy stands.

    Args:
        key (str): of the sample.
        outs (dict): slots of lists, and how many results are in each.
        only (str): the slots that are compared, blanks between them; empty: all.
        single (bool): 1.8.5 computes in float32 only.
        same (dict): output slots that have to be the variables of an input slot.
        grads (bool): gradients are compared.
    """

    fixed = True  # it is of these very values

    def __init__(
        self, key: str, outs: dict[str, int], only: str, single: bool, same: dict[str, str],
        grads: bool,
    ) -> None:  # fmt: skip
        self.key, self.outs, self.only, self.single, self.same = key, outs, only, single, same
        self.grads = grads

    def __call__(self, *inputs: Any, **attrs: Any) -> Any:
        from paddle.core.op import REGISTRY

        op = REGISTRY[self.key.split("-")[0]]
        found = [self._slot(s.name, s.many) for s in op.outputs if not s.writes]
        return found[0] if len(found) == 1 else tuple(found)

    def _slot(self, name: str, many: bool) -> Any:
        if self.only and name not in self.only.split():
            return None
        data = frozen()
        if many:
            count = self.outs[name]
            return [data[f"{self.key}/out.{name}_{i}"] for i in range(count)]
        return data.get(f"{self.key}/out.{name}")


def as_185(
    op: str, inputs: dict[str, Any], attrs: dict[str, Any] | None = None, note: str = "",
    outs: dict[str, int] | None = None, only: str = "", single: bool = False,
    same: dict[str, str] | None = None, grads: bool = True, **more: Any,
) -> Sample:  # fmt: skip
    """A sample that 1.8.5 runs; arguments as of :class:`Sample` and :class:`As185`."""
    key = op + "-" + note if note else op
    ref = As185(key, outs or {}, only, single, same or {}, grads)
    if single:
        more.setdefault("rtol", 1e-5)
        more.setdefault("atol", 1e-6)
    return Sample(op, inputs, attrs or {}, ref, note=note, **more)
