"""Operators against PaddlePaddle's schemas: names, slots, attributes and defaults."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from paddle.core.op import REQUIRED
from tests.ops.table import forward_operators

PROTOS = json.loads((Path(__file__).parents[1] / "data" / "op-protos.json").read_text("utf8"))


@pytest.mark.parametrize("op", forward_operators(), ids=lambda op: op.name)
def test_schema(op):
    if op.proto is not None:
        assert op.name not in PROTOS, f"{op.name} is an operator of PaddlePaddle; drop proto="
        assert len(op.proto) > 10, "say why the operator exists"
        return
    assert op.name in PROTOS, f"PaddlePaddle has no operator {op.name}; say why with proto="
    proto = PROTOS[op.name]
    _slots(op, op.inputs, proto["inputs"])
    _slots(op, op.outputs, proto["outputs"])
    for name, default in op.attrs.items():
        assert name in proto["attrs"], f"{op.name} has no attribute {name}: {list(proto['attrs'])}"
        expected = proto["attrs"][name]["defaults"]
        if expected and default is not REQUIRED:
            assert any(_same(default, e) for e in expected), (
                f"{op.name}.{name}: default {default!r}, but PaddlePaddle has {expected}"
            )


def _slots(op, mine, theirs):
    for slot in mine:
        assert slot.name in theirs, f"{op.name}: no slot {slot.name} among {list(theirs)}"
        assert slot.many == bool(theirs[slot.name].get("duplicable")), (
            f"{op.name}.{slot.name}: list?"
        )
    required = [n for n, s in theirs.items() if not (s.get("dispensable") or s.get("intermediate"))]
    missing = [n for n in required if n not in {s.name for s in mine}]
    assert not missing, f"{op.name}: slots {missing} are missing"


def _same(mine, theirs):
    if isinstance(mine, (tuple, list)):
        return list(mine) == theirs
    if isinstance(mine, float) or isinstance(theirs, float):
        return np.float32(mine) == np.float32(theirs)
    return type(mine) is type(theirs) and mine == theirs
