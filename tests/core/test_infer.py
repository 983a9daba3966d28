"""Shapes and dtypes without running: by rule, and by the kernel on meta buffers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle
from paddle.core.dtype import VarType, to_vartype
from paddle.core.infer import (
    NeedsData,
    Spec,
    broadcast_shapes,
    checked_infer,
    infer,
    infer_by_meta,
)
from paddle.core.op import REGISTRY, OpDef, Slot
from tests.ops.table import SAMPLES

F32, I64, BOOL = VarType.FP32, VarType.INT64, VarType.BOOL


def operator(kernel, inputs="X", outputs="Out", rule=None, **attrs):
    """An operator that is not registered."""
    slots = [Slot.parse(t) for t in inputs.split()]
    return OpDef("probe", slots, [Slot.parse(t) for t in outputs.split()], attrs, kernel,
                 [s.name.lower() for s in slots], infer=rule)  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "out"),
    [
        ((2, 3), (2, 3), (2, 3)),
        ((2, 3), (3,), (2, 3)),
        ((2, 1, 4), (3, 1), (2, 3, 4)),
        ((1,), (5, 1), (5, 1)),
        ((-1, 3), (3,), (-1, 3)),
        ((-1, 3), (1, 3), (-1, 3)),
        ((-1, 3), (4, 3), (4, 3)),
        ((-1,), (-1,), (-1,)),
        ((1,), (-1,), (-1,)),
        ((0, 3), (1, 3), (0, 3)),
    ],
)
def test_broadcast_shapes(a, b, out):
    assert broadcast_shapes(a, b) == out == broadcast_shapes(b, a)


def test_broadcast_mismatch_names_both_shapes():
    with pytest.raises(
        ValueError, match=r"\[2, 3, 4\] and \[2, 3, 6\] differ in dimension 2: expected 4 and 6"
    ):
        broadcast_shapes((2, 3, 4), (2, 3, 6))


@pytest.mark.parametrize(
    ("rule", "specs", "out"),
    [
        ("same", [Spec((-1, 3), F32)], Spec((-1, 3), F32)),
        ("broadcast", [Spec((-1, 3), F32), Spec((3,), I64)], Spec((-1, 3), F32)),
        ("compare", [Spec((-1, 3), F32), Spec((3,), F32)], Spec((-1, 3), BOOL)),
        ("to_bool", [Spec((2, 3), F32)], Spec((2, 3), BOOL)),
        (lambda inputs, attrs: [Spec((attrs["n"],), I64)], [Spec((2,), F32)], Spec((7,), I64)),
    ],
)
def test_rules(rule, specs, out):
    assert infer(operator(None, rule=rule, n=7), specs, {}) == [out]


def test_same_serves_every_output():
    spec = Spec((2,), F32)
    assert infer(operator(None, outputs="Out Extra~", rule="same"), [spec], {}) == [spec, spec]


def test_axis_of_an_elementwise_rule():
    specs = [Spec((2, 3, 4), F32), Spec((3,), F32)]
    assert infer(operator(None, rule="broadcast", axis=1), specs, {}) == [Spec((2, 3, 4), F32)]


@pytest.mark.parametrize(
    ("kernel", "shape", "out"),
    [
        (lambda x: x.sum(), (2, 3), (1,)),
        (lambda x: x.t(), (-1, 3), (3, -1)),
        (lambda x: x.reshape(x.shape[0], -1), (-1, 3, 4), (-1, 12)),
        (lambda x: x.reshape(-1, 12), (-1, 3, 4), (-1, 12)),
        (lambda x: torch.cat([x, x]), (-1, 3), (-1, 3)),
        (lambda x: x[:5], (-1, 3), (5, 3)),
        (lambda x: x[::2], (-1, 3), (-1, 3)),
        (lambda x: x.mean(0), (-1, 3), (3,)),
        (lambda x: x.unsqueeze(0), (-1, -1), (1, -1, -1)),
        (lambda x: torch.zeros(4), (-1, 3), (4,)),
    ],
)
def test_by_meta(kernel, shape, out):
    assert infer(operator(kernel), [Spec(shape, F32)], {}) == [Spec(out, F32)]


def test_meta_finds_dtypes_attributes_and_lists():
    kernel = lambda xs, y, *, k: ([x.argmax(-1) for x in xs], None if y is None else y > k)
    probe = operator(kernel, "X* Y?", "Out* Mask?~", k=0)
    specs = [[Spec((-1, 3), F32), Spec((2, 3), F32)], None]
    assert infer(probe, specs, {"k": 1}) == [[Spec((-1,), I64), Spec((2,), I64)], None]
    assert infer(probe, [[Spec((2, 3), F32)], Spec((4,), F32)], {})[1] == Spec((4,), BOOL)


def test_results_that_depend_on_data():
    probe = operator(lambda x: x.nonzero())
    with pytest.raises(NotImplementedError, match="probe's result depends on the data"):
        infer(probe, [Spec((2, 3), F32)], {})


def test_rule_and_meta_agree_on_real_operators():
    from paddle.core.op import REGISTRY

    for name, specs in (
        ("relu", [Spec((-1, 3), F32)]),
        ("elementwise_add", [Spec((-1, 3), F32), Spec((3,), F32)]),
        ("softmax", [Spec((-1, 3), F32)]),
    ):
        found = REGISTRY[name]
        assert infer(found, specs, {}) == infer_by_meta(found, specs, dict(found.attrs))


def test_inference_neither_records_nor_keeps():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    infer(operator(lambda x: x * 2), [Spec((2,), F32)], {})
    (x * 2).backward()
    assert x.grad.tolist() == [2]


@pytest.mark.parametrize("rank", [4, 5, 6])
def test_all_sizes_may_be_unknown(rank):
    """Stand-ins for so many sizes at once must not make tensors beyond what torch can count."""
    block = paddle.static.Program().global_block()
    block.create_var(name="x", shape=[-1] * rank, dtype="float32")
    for type, attrs in (("maxout", {"groups": 2}), ("cumsum", {}), ("reduce_sum", {"dim": [0]})):
        if type != "maxout" or rank == 4:
            block.append_op(type, {"X": "x"}, {"Out": f"{type}_out"}, attrs)
            assert set(block.var(f"{type}_out").shape) == {-1}
    if rank == 4:
        block.create_var(name="y", shape=[-1] * rank, dtype="float32")
        block.append_op("kron", {"X": "x", "Y": "y"}, {"Out": "product"})
        assert block.var("product").shape == (-1,) * rank
    unknown = [Spec((-1,) * rank, VarType.FP32)]
    [told] = infer_by_meta(REGISTRY["cumsum"], unknown, REGISTRY["cumsum"].attrs)
    assert told.shape == (-1,) * rank


def test_no_operator_refuses_sizes_that_are_not_known():
    """But for those whose number of results, or of dimensions, is such a size."""
    refused = {}
    last = {sample.op: sample for sample in reversed(SAMPLES)}
    for name, sample in last.items():
        op = REGISTRY[name]
        inputs = [_unknown(sample.inputs.get(slot.name)) for slot in op.inputs]
        try:
            checked_infer(op, inputs, dict(sample.attrs))
        except NeedsData:
            pass
        except Exception as error:
            if "size is unknown" not in str(error) and "of known size" not in str(error):
                refused[name] = str(error)
    assert refused == {}


def _unknown(value):
    if value is None or isinstance(value, (list, tuple)):
        return value and [_unknown(one) for one in value]
    return Spec((-1,) * np.ndim(value) or (1,), to_vartype(str(np.asarray(value).dtype)))
