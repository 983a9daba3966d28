"""Every operator sample, recorded into a Program and run by the Executor, equals eager mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.op import REGISTRY
from paddle.ir.variable import Variable
from paddle.testing.cases import feed_of, variables
from tests.op_samples.sample import Sample
from tests.ops.table import ERRORS, SAMPLES, call, feed_levels, identities, tensors
from tests.static.harness import run, shape_fits, static

# Slots that say the rank of a result: their size is known in any Program.
SAYS_RANK = frozenset(
    ["ShapeTensor", "Shape", "AxesTensor", "RepeatTimes", "ExpandTimes", "OutputShape"]
)
# Samples whose result's rank or number depends on a first dimension, or that match it to another.
NEEDS_SIZE = (
    "unbind", "unstack", "gather_nd-one", "larger_stays", "einsum-ij,jk->ik", "einsum-ii->i",
)  # fmt: skip

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=identities(SAMPLES))


def _variables(sample: Sample, feed: dict[str, np.ndarray], batch: bool) -> list[Any]:
    # How many rows are in sequences is not known before they are there.
    return variables(sample, feed, lambda slot: batch and slot not in SAYS_RANK)


def _leaves(outs: list[Any]) -> list[Any]:
    return [leaf for o in outs for leaf in (o if isinstance(o, list) else [o])]


def _eager(sample: Sample) -> tuple[list[Any], dict[str, np.ndarray]]:
    paddle.seed(2021)
    args = tensors(sample)
    outs = _leaves(call(sample, args))
    op = REGISTRY[sample.op]
    written = {s.writes for s in op.outputs if s.writes}
    after = {
        s.name: a.numpy() for s, a in zip(op.inputs, args, strict=True)
        if s.name in written and a is not None and not s.many
    }  # fmt: skip
    return [o if o is None else o.numpy() for o in outs], after


# Operators of our own whose further results are for their gradient only: a Program has none.
ONE_RESULT = ("scaled_dot_product_attention",)


@each_sample
@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
def test_recorded_equals_eager(sample, batch):
    if batch and any(part in str(sample) for part in NEEDS_SIZE):
        pytest.skip("a size that the operator must know")
    expected, written = _eager(sample)
    if sample.op in ONE_RESULT:
        expected = [expected[0], *[None] * (len(expected) - 1)]
    feed = feed_of(sample)
    with static() as (main, startup):
        paddle.seed(2021)
        outs = _leaves(call(sample, _variables(sample, feed, batch)))
    assert all(o is not None for o, e in zip(outs, expected, strict=True) if e is not None)
    fetch = [o for o, e in zip(outs, expected, strict=True) if e is not None]
    assert all(isinstance(o, Variable) for o in fetch)
    named = [main.global_block().var(name) for name in written]
    got = run(main, startup, feed_levels(sample, main, feed), fetch + named)
    wanted = [e for e in expected if e is not None]
    for var, e, g in zip(fetch, wanted, got, strict=False):
        assert shape_fits(var.shape, e.shape), f"{var.name}: {var.shape} does not fit {e.shape}"
        assert paddle.to_tensor(e).dtype == var.dtype or e.dtype == np.uint16
        _same(sample, g, e)
    for g, (name, e) in zip(got[len(fetch) :], written.items(), strict=True):
        _same(sample, g, e, name)


WORDS_DIFFER = ("linear", "matmul_v2", "getitem", "setitem")  # as several operators say it
# A tensor of another type is converted; the number of learning rates is not looked at in a run.
# An update of what was fed does not run, so what only its data would tell is not seen.
# What a quantizing operator reads of its outputs is there in a Program, if not eagerly.
NOT_REFUSED = (
    "linear-TypeError",
    "momentum-ValueError",
    "dgc_momentum-ValueError",
    "fake_channel_wise_quantize_abs_max-NotImplementedError",
    "fake_quantize_range_abs_max-NotImplementedError",
)


@pytest.mark.parametrize("wrong", ERRORS, ids=identities(ERRORS))
@pytest.mark.filterwarnings("ignore:The dtype of left and right")
def test_wrong_calls_are_refused(wrong):
    """As the Program is built, or, where it takes the data to know, in the run."""
    if str(wrong) in NOT_REFUSED:
        pytest.skip("works in a Program")
    sample = Sample(wrong.op, wrong.inputs, wrong.attrs, levels=wrong.levels)
    feed = feed_of(sample)
    words = None if wrong.op in WORDS_DIFFER else wrong.match
    with pytest.raises(wrong.raises, match=words):
        with static() as (main, startup):
            outs = _leaves(call(sample, _variables(sample, feed, False)))
        run(main, startup, feed_levels(sample, main, feed), [o for o in outs if o is not None])


def _same(sample: Sample, got: np.ndarray, expected: np.ndarray, name: str = "output") -> None:
    assert got.shape == expected.shape, f"{name}: {got.shape} != {expected.shape}"
    assert got.dtype == expected.dtype, f"{name}: {got.dtype} != {expected.dtype}"
    if sample.check is None:  # what is drawn differs from run to run
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12, err_msg=name)
