"""What of a Program is compared over the processes of a ring before it first runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import paddle.static as static
from paddle.core.rings import Alone, rings
from paddle.executor.agreement import agree
from tests.executor.building import building


class Listening(Alone):
    """A ring of two as one member sees it, which notes what is compared."""

    size = 2

    def __init__(self) -> None:
        self.told: list[str] = []

    def compare(self, text: str) -> None:
        self.told.append(text)


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Listening:
    made = Listening()
    monkeypatch.setattr(rings, "world_size", 2)
    monkeypatch.setitem(rings._rings, 0, made)
    return made


def compared(ring: Listening, main: static.Program) -> str:
    plan: Any = SimpleNamespace(program=main)
    agree(main, plan)
    return "".join(ring.told).partition("ring 0: ")[2]


def test_compressed_gradients(ring: Listening) -> None:
    with building() as (main, _):
        x, k = static.data("x", [4]), static.data("k", [1])
        main.global_block().append_op("dgc_allreduce", {"X": x, "k": k}, {"Out": x}, {})
    assert compared(ring, main) == "dgc_allreduce(float32[4])"


@pytest.mark.parametrize(
    ("kind", "attrs", "exchanges"),
    [
        ("c_identity", {}, False),
        ("c_identity_grad", {}, True),
        ("c_split", {"nranks": 2}, False),
        ("c_split_grad", {"nranks": 2}, True),
        ("c_concat", {"nranks": 2}, True),
        ("c_concat_grad", {"nranks": 2}, False),
        ("alltoall_grad", {}, True),
        ("c_sync_comm_stream", {}, False),
        ("send_v2", {"peer": 1}, False),
    ],
)
def test_gradients_that_exchange(
    ring: Listening, kind: str, attrs: dict[str, Any], exchanges: bool
) -> None:
    gradient = kind.endswith("_grad")
    with building() as (main, _):
        x, out = static.data("x", [4, 2]), static.data("out", [4, 2])
        inputs = {"Out@GRAD" if gradient else "X": [x]}
        outputs = {} if kind == "send_v2" else {"X@GRAD" if gradient else "Out": [out]}
        main.global_block().append_op(kind, inputs, outputs, attrs)
    told = ", ".join(["float32[4x2]", *(f"nranks={n}" for k, n in attrs.items() if k == "nranks")])
    assert compared(ring, main) == (f"{kind}({told})" if exchanges else "")
