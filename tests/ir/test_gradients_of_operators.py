"""Every differentiable operator sample: its gradients in a Program equal the eager ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.op import REGISTRY
from paddle.ir.autodiff.backward import gradients
from tests.op_samples.sample import Sample
from tests.ops.table import SAMPLES, call, feed_levels, identities, tensors
from tests.static.harness import data, run, static


def _differentiated(sample: Sample) -> bool:
    op = REGISTRY[sample.op]
    given = [sample.inputs.get(s.name) for s in op.inputs if _wanted(sample, s)]
    floats = [v for v in _flat(given) if v is not None and np.asarray(v).dtype.kind == "f"]
    return bool(op.grad_outputs and floats) and sample.check is None


def _flat(values: list[Any]) -> list[Any]:
    return [v for item in values for v in (item if isinstance(item, list) else [item])]


def _wanted(sample: Sample, slot: Any) -> bool:
    return slot.differentiable and (sample.grad is None or slot.name in sample.grad)


CHOSEN = [s for s in SAMPLES if _differentiated(s)]
# Gradients of gradients: one sample of each operator.
TWICE = {id(s) for s in {s.op: s for s in CHOSEN[::-1] if s.orders >= 2}.values()}


def _floats(values: list[Any]) -> list[Any]:
    return [v for v in values if v is not None and v.dtype in ("float32", "float64")]


def _leaves(sample: Sample, args: list[Any]) -> list[Any]:
    """The inputs to differentiate by; sets their stop_gradient."""
    found = []
    for slot, arg in zip(REGISTRY[sample.op].inputs, args, strict=True):
        for value in _flat([arg]):
            if value is not None:
                wanted = _wanted(sample, slot) and value.dtype in ("float32", "float64")
                value.stop_gradient = not wanted
                found += [value] if wanted else []
    return found


def _outputs(sample: Sample, outs: Any) -> list[Any]:
    op = REGISTRY[sample.op]
    kept = [s for s in op.outputs if not s.writes]
    carried = {op.outputs[i].name for i in op.grad_outputs}
    return _floats(_flat([o for s, o in zip(kept, outs, strict=True) if s.name in carried]))


def _seed_of(index: int, shape: list[int]) -> np.ndarray:
    return np.random.RandomState(index).uniform(0.5, 1.5, shape)


def _eager(sample: Sample) -> tuple[list[Any], list[Any], list[np.ndarray]]:
    """First and second gradients, and what came in from behind."""
    args = tensors(sample)
    leaves = _leaves(sample, args)
    outs = _outputs(sample, call(sample, args))
    seeds = [_seed_of(i, o.shape).astype(o.numpy().dtype) for i, o in enumerate(outs)]
    if not outs or not leaves:
        return [], [], seeds
    given = [paddle.to_tensor(s) for s in seeds]
    first = paddle.grad(outs, leaves, given, create_graph=True, allow_unused=True)
    second: list[Any] = [None] * len(leaves)
    used = [g for g in first if g is not None and not g.stop_gradient]
    if used and id(sample) in TWICE:
        ones = [paddle.ones_like(g) for g in used]
        second = paddle.grad([g * g for g in used], leaves, ones, allow_unused=True)
    return first, second, seeds


@pytest.mark.parametrize("sample", CHOSEN, ids=identities(CHOSEN))
def test_gradients_equal_eager(sample):
    first, second, seeds = _eager(sample)
    if not first:
        pytest.skip("nothing to differentiate in this sample")
    feed: dict[str, np.ndarray] = {}
    with static() as (main, startup):

        def make(name: str, value: Any) -> Any:
            if value is None:
                return None
            if isinstance(value, list):
                return [make(f"{name}_{i}", v) for i, v in enumerate(value)]
            feed[name] = np.asarray(value).reshape(np.shape(value) or (1,))
            return data(name, feed[name], stop_gradient=False)

        args = [make(s.name, sample.inputs.get(s.name)) for s in REGISTRY[sample.op].inputs]
        leaves = _leaves(sample, args)
        outs = _outputs(sample, call(sample, args))
        feed |= {f"seed_{i}": value for i, value in enumerate(seeds)}
        got = gradients(outs, leaves, [data(f"seed_{i}", v) for i, v in enumerate(seeds)])
        used = [g for g in got if g is not None]
        again: list[Any] = [None] * len(leaves)
        if used and id(sample) in TWICE:
            again = gradients([g * g for g in used], leaves)
    feed = feed_levels(sample, main, feed)
    _compare(main, startup, feed, got + again, [*first, *second], sample)


def _compare(main, startup, feed, found, expected, sample) -> None:
    both = [(v, e) for v, e in zip(found, expected, strict=True) if v is not None]
    for v, e in zip(found, expected, strict=True):
        if v is None and e is not None:
            assert not np.any(e.numpy()), "a gradient is missing in the Program"
    values = run(main, startup, feed, [v for v, _ in both])
    for value, (_, wanted) in zip(values, both, strict=True):
        wanted = np.zeros_like(value) if wanted is None else wanted.numpy()
        np.testing.assert_allclose(
            value, wanted, rtol=max(sample.rtol, 1e-6), atol=max(sample.atol, 1e-8), equal_nan=True
        )
