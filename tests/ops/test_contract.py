"""One suite over the one table: what every operator must satisfy."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

import paddle
from paddle.core import dry_run
from paddle.core.errors import UnimplementedError
from paddle.core.infer import Spec, _by_runs, _run_dry, infer, infer_by_meta
from paddle.core.op import REGISTRY
from paddle.core.random import torch_generator
from paddle.testing.comparing import array_of, check_close
from paddle.testing.gradients import along, derivative, float_slots
from tests.ops.table import ERRORS, SAMPLES, arrays, call, forward_operators, identities, tensors

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=identities(SAMPLES))
EPSILON = {1: 1e-6, 2: 1e-5, 3: 1e-4}
TOLERANCE = {1: 1e-5, 2: 1e-4, 3: 2e-3}


@pytest.fixture(autouse=True)
def _seeded():
    paddle.seed(2021)


def test_every_operator_has_a_sample():
    sampled = {s.op for s in SAMPLES}
    missing = sorted(op.name for op in forward_operators() if op.name not in sampled)
    assert not missing, f"operators without a sample in tests/op_samples: {missing}"
    unknown = sorted(sampled - set(REGISTRY))
    assert not unknown, f"samples of operators that do not exist: {unknown}"


def test_there_are_at_least_150_operators():
    assert len(forward_operators()) >= 150


def _compare(out: Any, expected: Any, rtol: float, atol: float, where: str) -> None:
    if expected is None:
        return
    if isinstance(out, list):
        assert len(out) == len(expected), where
        for i, (o, e) in enumerate(zip(out, expected, strict=True)):
            _compare(o, e, rtol, atol, f"{where}[{i}]")
        return
    expected = np.asarray(expected)
    expected = expected.reshape(1) if expected.ndim == 0 else expected
    assert out.shape == list(expected.shape), f"{where}: shape {out.shape} != {expected.shape}"
    got = array_of(out)
    assert got.dtype.kind == expected.dtype.kind or {got.dtype.kind, expected.dtype.kind} <= set(
        "iu"
    ), f"{where}: dtype {got.dtype} != {expected.dtype}"
    boolean = got.dtype.kind == "b"
    check_close(got, expected, 0.0 if boolean else rtol, 0.0 if boolean else atol, where)


def _reference(sample: Any, dtype: str | None) -> list:
    expected = sample.ref(*copy.deepcopy(arrays(sample, dtype)), **sample.attrs)
    slots = [s for s in REGISTRY[sample.op].outputs if not s.writes]
    return [expected] if len(slots) == 1 else list(expected)


@each_sample
def test_forward(sample):
    args = tensors(sample)
    before = copy.deepcopy([_values(a) for a in args])
    outs = call(sample, args)
    if sample.check is not None:
        sample.check(outs, sample.inputs, sample.attrs)
    elif sample.ref is not None:
        for i, (o, e) in enumerate(zip(outs, _reference(sample, None), strict=True)):
            _compare(o, e, sample.rtol, sample.atol, f"output {i}")
    written = {s.writes for s in REGISTRY[sample.op].outputs if s.writes}
    _compare_written(sample, args, None, sample.rtol, sample.atol)
    for slot, arg, old in zip(REGISTRY[sample.op].inputs, args, before, strict=True):
        if slot.name not in written:
            np.testing.assert_equal(_values(arg), old, err_msg=f"input {slot.name} was changed")
    given = {id(t._buf) for a in args if a is not None for t in (a if isinstance(a, list) else [a])}
    for out in outs:
        for tensor in out if isinstance(out, list) else [out]:
            if tensor is not None:
                assert id(tensor._buf) not in given, "the kernel returned an input"
                assert tensor._dt is tensor._buf.dtype, "the Tensor says another dtype than it has"


def _compare_written(sample: Any, args: list, dtype: str | None, rtol: float, atol: float) -> None:
    """Compares the inputs that an operator writes to with what the sample says."""
    if sample.written is None:
        assert sample.ref or sample.check, f"{sample.op}: a sample needs ref, check or written"
        return
    op = REGISTRY[sample.op]
    expected = sample.written(*copy.deepcopy(arrays(sample, dtype)), **sample.attrs)
    assert set(expected) == {s.writes for s in op.outputs if s.writes}
    for slot, arg in zip(op.inputs, args, strict=True):
        if slot.name in expected and arg is not None:
            _compare(arg, expected[slot.name], rtol, atol, f"written {slot.name}")


def _values(arg: Any) -> Any:
    if arg is None:
        return None
    return [a.numpy() for a in arg] if isinstance(arg, list) else arg.numpy()


@each_sample
def test_low_precision(sample):
    if sample.ref is None and sample.written is None:
        pytest.skip("random operator")
    floating = any(
        np.asarray(a).dtype.kind == "f"
        for v in sample.inputs.values() if v is not None
        for a in (v if isinstance(v, list) else [v])
    )  # fmt: skip
    if not floating:
        pytest.skip("no floating input")
    loose = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}
    for dtype in sample.dtypes:
        args = tensors(sample, dtype)
        outs = call(sample, args)
        tolerance = loose[dtype]
        _compare_written(
            sample, args, dtype, max(tolerance, sample.rtol), max(tolerance, sample.atol)
        )
        expected = _reference(sample, dtype) if sample.ref else outs
        for i, (o, e) in enumerate(zip(outs, expected, strict=True)):
            if e is not None and o is not None and not isinstance(o, list):
                # The bits of bfloat16 are unsigned, but what is compared are floats.
                same = "f" if str(o.dtype) == "VarType.BF16" else o.numpy().dtype.kind
                e = np.asarray(e)
                e = e.astype(same) if same in "iub" and e.dtype.kind == "f" else e
            _compare(o, e, max(tolerance, sample.rtol), max(tolerance, sample.atol), f"{dtype} {i}")


@each_sample
@pytest.mark.parametrize("order", [1, 2, 3])
def test_gradient(sample, order):
    op = REGISTRY[sample.op]
    chosen = float_slots(sample, sample.grad)
    if not op.grad_outputs or not chosen:
        pytest.skip("no gradient")
    if order > sample.orders:
        pytest.skip("not smooth enough")
    shapes = [np.shape(a) for i in chosen for a in _listed(sample, i)]
    state = np.random.RandomState(3)
    directions = [[state.uniform(-1, 1, s) for s in shapes] for _ in range(3)]
    functional = derivative(sample, order, directions[1:], sample.grad)
    analytic, numeric = along(functional, directions[0], EPSILON[order])
    scale = max(1.0, abs(numeric), abs(analytic))
    assert abs(analytic - numeric) < TOLERANCE[order] * scale, (
        f"derivative {order} of {sample.op}: {analytic} by the tape, {numeric} by differences"
    )


def _listed(sample: Any, position: int) -> list:
    value = sample.inputs[REGISTRY[sample.op].inputs[position].name]
    return value if isinstance(value, list) else [value]


def _spec(tensor: Any) -> Any:
    if tensor is None:
        return None
    if isinstance(tensor, list):
        return [_spec(t) for t in tensor]
    return Spec(tuple(tensor.shape), tensor.dtype)


def _raw_specs(outs: list, op: Any) -> list:
    return [_spec(o) for o in outs]


@each_sample
def test_shape_rule_gives_the_real_shape(sample):
    if not sample.static_shape:
        pytest.skip("the shape depends on the data")
    op = REGISTRY[sample.op]
    args = tensors(sample)
    real = _raw_specs(call(sample, args), op)
    inferred = infer(op, [_spec(a) for a in args], sample.attrs)
    returned = [s for s, slot in zip(inferred, op.outputs, strict=True) if not slot.writes]
    for slot, a, b in zip([s for s in op.outputs if not s.writes], returned, real, strict=True):
        if b is None:
            continue
        assert a == b, f"{slot.name}: the rule says {a}, the result is {b}"


@each_sample
def test_shape_rule_agrees_with_meta(sample):
    op = REGISTRY[sample.op]
    if op.infer is None or not sample.static_shape:
        pytest.skip("meta is the rule")
    if all(slot.writes for slot in op.outputs):
        pytest.skip("writes into its inputs only")
    specs = [_spec(a) for a in tensors(sample)]
    attrs = {**op.attrs, **sample.attrs}
    by_rule = infer(op, specs, sample.attrs)
    for slot, a, b in zip(op.outputs, by_rule, infer_by_meta(op, specs, attrs), strict=True):
        if a is not None and b is not None and not slot.writes:
            assert a == b, f"{slot.name}: the rule says {a}, meta says {b}"


@each_sample
def test_dry_run_agrees_with_meta(sample):
    op = REGISTRY[sample.op]
    if not any(sample.inputs.get(slot.name) is not None for slot in op.inputs):
        pytest.skip("nothing lies on the meta device")
    specs = [_spec(a) for a in tensors(sample)]
    attrs = {**op.attrs, **sample.attrs}
    state = torch_generator(torch.device("cpu")).get_state()
    try:
        dry = _by_runs(op, specs, attrs, _run_dry, dry_run.STAND_INS)
    except dry_run.ReadsData:
        pytest.skip("the kernel looks at values")
    except dry_run.NotTold as untold:
        assert sample.op in ("lu_unpack",), untold  # zeros are no pivots
        return
    finally:
        assert torch.equal(state, torch_generator(torch.device("cpu")).get_state())
    try:
        meta = infer_by_meta(op, specs, attrs)
    except UnimplementedError:
        return  # an optimizer's merged kernel, which has no form for the meta device
    assert dry == meta


@each_sample
def test_shape_rule_with_an_unknown_batch(sample):
    """With its first dimension unknown, a result may only become less certain, never wrong."""
    op = REGISTRY[sample.op]
    if not sample.static_shape or op.infer is None or not op.inputs:
        pytest.skip("no rule")
    if sample.op == "unbind" or sample.note == "larger_stays":
        # The size says how many results there are; an axis to squeeze is taken to have size 1.
        pytest.skip("a size that the operator must know")
    args = tensors(sample)
    specs = [_spec(a) for a in args]
    first = specs[0]
    if first is None or isinstance(first, list) or len(first.shape) < 2:
        pytest.skip("no batch dimension")
    known = infer(op, specs, sample.attrs)
    specs[0] = Spec((-1, *first.shape[1:]), first.dtype)
    for a, b in zip(infer(op, specs, sample.attrs), known, strict=True):
        if isinstance(a, Spec) and isinstance(b, Spec):
            assert len(a.shape) == len(b.shape), f"rank differs: {a} and {b}"
            assert all(m in (-1, n) for m, n in zip(a.shape, b.shape, strict=True)), f"{a} and {b}"


@pytest.mark.parametrize("error", ERRORS, ids=identities(ERRORS))
def test_bad_input(error):
    with pytest.raises(error.raises, match=error.match) as caught:
        call(error, tensors(error))
    assert f"operator < {error.op} > error" in str(caught.value)


@pytest.mark.parametrize("op", forward_operators(), ids=lambda op: op.name)
def test_not_a_tensor_is_named(op):
    required = [s for s in op.inputs if not s.optional]
    if not required:
        pytest.skip("takes no tensor")
    from paddle.core.op import REQUIRED, C, py

    attrs = {py(a): 1 for a, default in op.attrs.items() if default is REQUIRED}
    with pytest.raises(TypeError, match=f"{op.name}: argument {op.inputs[0].name} expects"):
        getattr(C, op.name)(*["not a tensor"] * len(op.inputs), **attrs)
