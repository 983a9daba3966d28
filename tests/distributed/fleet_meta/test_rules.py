"""Which strategies go together, as 2.0's white lists say, and what is said of the others."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import paddle
from paddle.distributed.fleet import compiler, meta_optimizers
from paddle.distributed.fleet.meta_optimizers import TABLE
from tests.distributed.fleet_meta.test_programs import _static, build, strategies  # noqa: F401 (a fixture)

# From 2.0's classes; what it calls GraphExecutionOptimizer is left out, and so is sync_batch_norm,
# which is no class there.
WHITE = {
    "amp": {"lars", "lamb", "recompute"},
    "recompute": {"lars", "lamb", "dgc"},
    "gradient_merge": {"amp", "lars", "lamb", "recompute"},
    "lars": set(),
    "lamb": set(),
    "dgc": set(),
    "localsgd": set(),
    "adaptive_localsgd": set(),
    "fp16_allreduce": {"lars", "lamb", "recompute", "localsgd", "gradient_merge",
                       "adaptive_localsgd"},
    "sharding": {"recompute", "amp", "lars", "lamb"},
    "pipeline": {"recompute", "amp"},
}  # fmt: skip
OWN_EXCHANGE = {"localsgd", "adaptive_localsgd", "sharding", "pipeline"}
OURS = {"sync_batch_norm", "graph_execution"}
EXTRA = {"gradient_merge": {"gradient_merge_configs": {"k_steps": 2}}}


@pytest.fixture(autouse=True)
def _tell_again() -> Any:
    compiler._told.clear()
    yield
    compiler._told.clear()


def asked(*names: str) -> Any:
    """Programs of a job with some strategies, on an optimizer that fits the first of them."""
    switches: dict = {}
    for name in names:
        switches |= {name: True, **EXTRA.get(name, {})}
    if "lamb" in names:
        rule = paddle.optimizer.Adam(0.1)
    else:
        rule = paddle.optimizer.Momentum(0.1)
    return build(switches, rule, devices="pipeline" in names, width=4096 if "dgc" in names else 4)


def test_white_lists() -> None:
    table = {kind.name: kind for kind in TABLE}
    assert table.keys() == WHITE.keys() | OURS
    for name, white in WHITE.items():
        assert table[name].may_wrap - OURS == white, name
        assert ("graph_execution" in table[name].may_wrap) == (name not in OWN_EXCHANGE), name


def test_who_wraps_another_stands_before_it() -> None:
    order = [kind.name for kind in TABLE]
    for at, kind in enumerate(TABLE):
        assert kind.may_wrap <= set(order[at + 1 :]), kind.name


@pytest.mark.parametrize("name", sorted(WHITE))
def test_alone(name: str) -> None:
    made = asked(name)
    assert strategies(made) == ([name] if name in OWN_EXCHANGE else ["graph_execution", name])
    assert not [text for text in made.told if text.startswith("fleet:")]


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations(sorted(WHITE), 2)))
def test_pairs(a: str, b: str) -> None:
    made = asked(a, b)
    applied = set(strategies(made)) - OURS
    (told,) = [t for t in made.told if t.startswith("fleet:")] or [""]
    if b in WHITE[a] or a in WHITE[b]:
        assert applied == {a, b} and not told
        return
    (kept,) = applied
    (left,) = {a, b} - applied
    assert f"strategy.{left} is left out, because" in told
    assert not getattr(made.strategy, left)
    if "lamb" not in (a, b) or {a, b} & {"amp", "recompute", "gradient_merge", "fp16_allreduce"}:
        assert f"does not go together with {kept}" in told


def test_longer_chains() -> None:
    assert strategies(asked("gradient_merge", "amp", "recompute", "lamb")) == [
        "graph_execution", "lamb", "recompute", "amp", "gradient_merge",
    ]  # fmt: skip
    assert strategies(asked("sharding", "amp", "recompute", "lars")) == [
        "lars", "recompute", "amp", "sharding",
    ]  # fmt: skip
    assert strategies(asked("pipeline", "amp", "recompute")) == ["recompute", "amp", "pipeline"]
    made = asked("localsgd", "amp", "recompute")
    assert strategies(made) == ["graph_execution", "recompute", "amp"]
    assert "strategy.localsgd is left out" in made.told[-1]


@pytest.mark.parametrize(
    ("switches", "optimizer", "why"),
    [
        ({"lars": True}, "SGD", "the optimizer is SGD, not Momentum"),
        ({"lamb": True}, "AdamW", "the optimizer is AdamW, not Adam"),
        ({"dgc": True}, "Adam", "the optimizer is Adam, not Momentum"),
        ({"localsgd": True}, "Adam", "the optimizer is Adam, not SGD or Momentum"),
        ({"adaptive_localsgd": True}, "Lamb", "not SGD or Momentum"),
        ({"gradient_merge": True}, "SGD", '"k_steps"] is 1'),
        ({"recompute": True, "recompute_configs": {"checkpoints": []}}, "SGD", "is empty"),
        ({"pipeline": True}, "SGD", "the Program has no sections"),
    ],
)
def test_what_a_strategy_needs(switches: dict, optimizer: str, why: str) -> None:
    made = build(switches, getattr(paddle.optimizer, optimizer)(learning_rate=0.1))
    (told,) = [t for t in made.told if t.startswith("fleet:")]
    assert why in told and strategies(made) == ["graph_execution"]


@pytest.mark.parametrize("name", ["dgc", "localsgd", "adaptive_localsgd", "sharding"])
def test_one_process_is_not_enough(name: str) -> None:
    made = build({name: True}, paddle.optimizer.Momentum(0.1), count=1)
    assert strategies(made) == ["graph_execution"]
    assert "there is one process only" in made.told[-1]


def test_a_clip_that_dgc_cannot_do() -> None:
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    made = build({"dgc": True}, paddle.optimizer.Momentum(0.1, grad_clip=clip), width=4096)
    assert "ClipGradByGlobalNorm, not ClipGradByNorm" in made.told[-1]


def test_sections_that_do_not_fit() -> None:
    made = build({"pipeline": True}, paddle.optimizer.SGD(0.1), count=3, devices=True)
    assert "2 sections do not fit 3 processes" in made.told[-1]


def test_names_of_2_0() -> None:
    from paddle.distributed.fleet.meta_optimizers.amp_optimizer import AMPOptimizer
    from paddle.distributed.fleet.meta_optimizers.localsgd_optimizer import (
        AdaptiveLocalSGDOptimizer,
    )

    assert AMPOptimizer is meta_optimizers.AMPOptimizer
    assert AdaptiveLocalSGDOptimizer is meta_optimizers.AdaptiveLocalSGDOptimizer
    for name in [
        "AMP", "AdaptiveLocalSGD", "DGC", "FP16AllReduce", "GradientMerge", "GraphExecution",
        "Lamb", "Lars", "LocalSGD", "ParameterServer", "ParameterServerGraph", "Pipeline",
        "Recompute", "Sharding",
    ]:  # fmt: skip
        found = getattr(meta_optimizers, f"{name}Optimizer")
        assert found.__name__ == f"{name}Optimizer"


def test_parameter_servers_are_rewritten_elsewhere() -> None:
    made = asked("amp")
    meta = meta_optimizers.ParameterServerOptimizer()
    assert meta.obstacle(made) == "the job has no parameter servers"
    with pytest.raises(RuntimeError, match="rewritten by its runtime"):
        meta.rewrite(made)
