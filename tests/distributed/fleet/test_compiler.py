"""Which strategies go together: the longest chain, and what is said of the rest."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import pytest

import paddle
import paddle.distributed.fleet as fleet
from paddle.distributed.fleet import compiler
from paddle.distributed.fleet.meta_optimizers import TABLE
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer


def _meta(switch: str, *wraps: str, why_not: str = "") -> type[MetaOptimizer]:
    class Made(MetaOptimizer):
        name = switch
        may_wrap = frozenset(wraps)

        def asked(self, context: Context) -> bool:
            return switch == "graph_execution" or super().asked(context)

        def obstacle(self, context: Context) -> str:
            return why_not

        def disable(self, strategy: Any) -> None:
            if switch != "graph_execution":
                super().disable(strategy)

    return Made


PLAIN = "graph_execution"
TOY = [
    _meta("sharding", "amp", "recompute"), _meta("localsgd", "amp"),
    _meta("amp", "recompute", PLAIN), _meta("recompute", "lars", "dgc", PLAIN), _meta("dgc"),
    _meta("lars", PLAIN), _meta("lamb", PLAIN, why_not="the optimizer is no Adam"), _meta(PLAIN),
]  # fmt: skip


def _chosen(*switches: str) -> tuple[list[str], Context]:
    strategy = fleet.DistributedStrategy()
    for name in switches:
        setattr(strategy, name, True)
    context = Context(None, None, None, strategy, None, None)  # type: ignore[arg-type]
    return [meta.name for meta in compiler.choose(context, TOY)], context


@pytest.fixture(autouse=True)
def nothing_told() -> None:
    compiler._told.clear()


@pytest.mark.parametrize(
    ("switches", "chain"),
    [
        ((), [PLAIN]),
        (("amp", "recompute"), ["amp", "recompute", PLAIN]),
        (("sharding", "amp", "recompute"), ["sharding", "amp", "recompute"]),
        (("recompute", "dgc"), ["recompute", "dgc"]),
        (("amp", "recompute", "lars"), ["amp", "recompute", PLAIN]),
        (("localsgd", "dgc"), ["localsgd"]),
        (("dgc",), ["dgc"]),
    ],
)
@pytest.mark.filterwarnings("ignore:fleet")
def test_chains(switches: tuple[str, ...], chain: list[str]) -> None:
    got, context = _chosen(*switches)
    assert got == chain
    for name in switches:
        assert getattr(context.strategy, name) == (name in chain)


def test_what_is_left_out_is_told_once() -> None:
    with pytest.warns(UserWarning) as caught:
        _, context = _chosen("amp", "dgc", "lamb")
    text = str(caught[0].message)
    assert "strategy.lamb is left out, because the optimizer is no Adam." in text
    assert "strategy.dgc is left out, because it does not go together with amp." in text
    assert caught[0].filename == __file__ and not context.strategy.lamb
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _chosen("amp", "dgc", "lamb")


def test_the_table() -> None:
    """Who may wrap another one stands before it; names are switches, each once."""
    names = [kind.name for kind in TABLE]
    assert len(set(names)) == len(names) and names[-1] == PLAIN
    strategy = fleet.DistributedStrategy()
    for i, kind in enumerate(TABLE):
        assert kind.name == PLAIN or isinstance(getattr(strategy, kind.name), bool)
        assert not {n for n in names[: i + 1] if n in kind.may_wrap}, kind.name
        assert kind.__doc__


def test_order_of_calls() -> None:
    seen: list[str] = []

    class Outer(_meta("amp", "recompute")):  # type: ignore[misc]
        def apply(self, context: Context) -> None:
            seen.append("apply amp")

        def rewrite(self, context: Context) -> None:
            seen.append("rewrite amp")

    class Inner(_meta("recompute")):  # type: ignore[misc]
        def apply(self, context: Context) -> None:
            seen.append("apply recompute")
            context.optimizer = self

        def minimize(self, *args: Any) -> tuple[list, list]:
            seen.append("minimize")
            return ["op"], ["pair"]

        def rewrite(self, context: Context) -> None:
            seen.append(f"rewrite recompute {context.optimize_ops}")

    from paddle.distributed.fleet.runtime import CollectiveRuntime

    strategy = fleet.DistributedStrategy()
    strategy.amp = strategy.recompute = True
    loss: Any = SimpleNamespace(block=SimpleNamespace(program=paddle.static.Program()))
    context = Context(loss, None, None, strategy, None, None)  # type: ignore[arg-type]
    before, compiler.TABLE = compiler.TABLE, (Outer, Inner)
    try:
        made = CollectiveRuntime(fleet.PaddleCloudRoleMaker(True)).minimize(context)
    finally:
        compiler.TABLE = before
    assert made == (["op"], ["pair"]) and context.applied == [Inner, Outer]
    assert seen == ["apply recompute", "apply amp", "minimize", "rewrite recompute ['op']",
                    "rewrite amp"]  # fmt: skip


def test_why_a_job_that_is_not_collective_leaves_amp_out() -> None:
    nothing: Any = None
    alone, strategy = fleet.PaddleCloudRoleMaker(), fleet.DistributedStrategy()
    context = Context(nothing, nothing, alone, strategy, None, None)
    (amp,) = [kind for kind in TABLE if kind.name == "amp"]
    assert "without is_collective=True" in amp().obstacle(context)
    context.role_maker = fleet.UserDefinedRoleMaker(
        current_id=0, role=fleet.Role.WORKER, worker_num=2, server_endpoints=["127.0.0.1:36011"]
    )
    assert amp().obstacle(context) == "the job has parameter servers"
