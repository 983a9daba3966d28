"""What operators declare of themselves is what the samples show."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch

import paddle
from paddle.amp.lists import custom, lacks_half
from paddle.core.derive import gradient_of, gradient_operator
from paddle.core.levels import levels_on
from paddle.core.op import REGISTRY, OpDef, py
from paddle.core.traits import InPlace
from paddle.executor.lod_propagation import ARRAY, JOINED, OWN, handed_on
from paddle.ir.operator import Operator
from tests.ops.table import forward_operators, tensors
from tests.ops.test_random_trait import samples_by_operator

BY_OPERATOR = samples_by_operator()


def buffers(sample):
    """The sample's inputs as a kernel takes them."""

    def buffer(value):
        if isinstance(value, list):
            return [buffer(part) for part in value]
        return None if value is None else value._buf

    return [buffer(value) for value in tensors(sample)]


def run(op: OpDef, args, attrs):
    """Calls a kernel; one value per output slot."""
    outs = op.kernel(*args, **{py(k): v for k, v in attrs.items()})
    return [outs] if len(op.outputs) == 1 else list(outs)


def flat(values):
    parts = [p for v in values for p in (v if isinstance(v, (list, tuple)) else [v])]
    return [p for p in parts if isinstance(p, torch.Tensor) and p.numel()]


def memory(values):
    return {part.untyped_storage().data_ptr() for part in flat(values)}


@pytest.mark.parametrize(
    "op", [op for op in REGISTRY.values() if op.base is None and op.lod], ids=lambda op: op.name
)
def test_levels_go_on_from_slots_that_there_are(op):
    if op.lod not in (OWN, ARRAY, JOINED):
        assert set(op.lod.split()) <= {slot.name for slot in op.inputs}
    for sample in BY_OPERATOR.get(op.name, ()):
        outs = flat(run(op, buffers(sample), {**op.attrs, **sample.attrs}))
        if op.lod != OWN:
            assert not any(levels_on(out) for out in outs), "who hands them on is the plan"
        elif sample.levels:
            assert all(levels[-1][-1] in (out.shape[0], 0) for out in outs
                       if (levels := levels_on(out)))  # fmt: skip


APART = {
    "box_decoder_and_assign": "each output has the levels of another input",
    "box_coder": "those of PriorBox count for axis 1 alone",
    "expand": "it was tried with times that a tensor says: there 1.8.5 gives none",
    "split": "the same of sections",
}


def _measured():
    """(operator, inputs that were tried with levels, those that gave them to a result of 1.8.5)."""
    text = (Path(__file__).parents[1] / "data" / "levels-1.8.5.tsv").read_text("utf8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [(op, set(tried.split()), set(given.split())) for op, tried, given in rows]


MEASURED = _measured()


@pytest.mark.parametrize("row", MEASURED, ids=[row[0] for row in MEASURED])
def test_levels_go_on_as_they_did_in_1_8_5(row):
    name, tried, given = row
    rule = handed_on(REGISTRY[name])
    if name in APART or rule in (OWN, ARRAY):
        return
    assert set(("X" if rule == JOINED else rule or "").split()) & tried == given


def gradient_calls(op: OpDef):
    """The gradient operator with arguments and attributes, for every sample of numbers."""
    for sample in BY_OPERATOR[op.name]:
        call = _gradient_call(op, sample)
        if all(p.is_floating_point() for p in flat(call[1][: len(op.grad_outputs)])):
            yield call


def _gradient_call(op: OpDef, sample):
    attrs = {**op.attrs, **sample.attrs}
    args = buffers(sample)
    outs = run(op, args, attrs)
    named = dict(zip([s.name for s in op.inputs], args, strict=True))
    named |= dict(zip([s.name for s in op.outputs], outs, strict=True))
    made = gradient_operator(op)
    grads = [outs[i].clone() for i in op.grad_outputs]
    values = [named[slot.name] for slot in made.inputs[len(grads) :]]
    found = {}
    for name in made.attrs:
        if name.startswith("needs_grad"):
            found[name] = tuple(
                [True] * len(v) if s.many else v is not None and s.differentiable
                for s, v in zip(op.inputs, args, strict=True)
            )
        elif "." in name:
            given = named[name.partition(".")[0]]
            found[name] = None if given is None else given.shape
        else:
            found[name] = attrs[name]
    return made, [*grads, *values], found


def check_no_alias(op, args, attrs):
    """Asserts that no declared output lies in memory that something else can see."""
    inputs = {s.name: v if s.many else [v] for s, v in zip(op.inputs, args, strict=True)}
    declared = op.unaliased(inputs, attrs)
    assert set(declared) <= {s.name for s in op.outputs}, op
    outs, again = run(op, args, attrs), run(op, args, attrs)
    for i, slot in enumerate(op.outputs):
        if slot.name in declared:
            others = memory([*args, *again, *outs[:i], *outs[i + 1 :]])
            assert not memory([outs[i]]) & others, f"{op.name}({attrs}): {slot.name} is shared"
    return bool(declared)


# -- memory ----------------------------------------------------------------------------------------


def test_results_without_alias_share_no_memory():
    seen = set()
    for op in forward_operators():
        for sample in BY_OPERATOR.get(op.name, ()) if op.no_alias else ():
            if check_no_alias(op, buffers(sample), sample.attrs):
                seen.add(op.name)
    assert seen == {op.name for op in forward_operators() if op.no_alias}
    assert {"conv2d", "matmul_v2", "relu", "scale", "sum", "batch_norm"} <= seen


def test_gradients_without_alias_share_no_memory():
    with_gradients = [op for op in forward_operators() if op.differentiable]
    declaring = [op for op in with_gradients if gradient_operator(op).no_alias]
    seen = set()
    for op in declaring:
        told = [check_no_alias(*call) for call in gradient_calls(op)]
        seen |= {op.name} if any(told) else set()
    assert seen == {op.name for op in declaring}
    assert {"conv2d", "matmul_v2", "relu", "pool2d"} <= seen


def test_a_view_is_found_out():
    wrong = copy.copy(REGISTRY["reshape2"])
    wrong.no_alias = "Out"
    sample = next(s for s in BY_OPERATOR["reshape2"] if np.size(s.inputs["X"]))
    with pytest.raises(AssertionError, match=r"reshape2.*Out is shared"):
        check_no_alias(wrong, buffers(sample), sample.attrs)


def test_what_an_alias_depends_on():
    total = REGISTRY["sum"]
    assert total.unaliased({"X": ["a", "b"]}, {}) == ["Out"] and not total.unaliased({"X": [1]}, {})
    pool = gradient_operator(REGISTRY["pool2d"])
    assert pool.unaliased({}, {"pooling_type": "max"}) == ["X@GRAD"]
    assert pool.unaliased({}, {"pooling_type": "avg"}) == []
    assert REGISTRY["reshape2"].unaliased({"X": ["a"]}, {}) == []


def check_in_place(op: OpDef, form: InPlace, args, attrs):
    """Asserts that the form writes what the kernel computes into its first operand."""
    (expected,) = run(op, args, attrs)[:1]
    given = [p.clone() for p in flat(args)]
    used = {} if len(given) > 1 else {py(k): v for k, v in attrs.items() if k in op.attrs}
    result = form.function(*given, **used)
    torch.testing.assert_close(result, expected, rtol=0, atol=0, equal_nan=True)
    alike = all(p.shape == given[0].shape and p.dtype is given[0].dtype for p in given)
    assert (result.data_ptr() == given[0].data_ptr()) == alike, op
    return alike


def calls_in_place():
    """Every call of the samples that may run in place."""
    for op in forward_operators():
        grad = gradient_of(op).inplace if op.differentiable else None
        calls = [(op, buffers(s), s.attrs) for s in BY_OPERATOR[op.name] if op.inplace]
        for made, args, attrs in [*calls, *(gradient_calls(op) if grad else ())]:
            form = made.inplace
            if made.inputs[0].many:  # the terms of a sum: two of them
                if len(args[0]) < 2:
                    continue
                args = [args[0][:2]]
            fits = flat(args) and all(attrs.get(k, v) == v for k, v in form.only.items())
            if fits and all(p.is_floating_point() or form.any_dtype for p in flat(args)):
                yield made, form, args, attrs


def test_in_place_forms_write_what_the_kernel_computes():
    seen = set()
    for op, form, args, attrs in calls_in_place():
        aligned = len(op.inputs) < 2 or op.base or args[0].shape == args[1].shape
        if aligned and check_in_place(op, form, args, attrs):
            seen.add(op.name)
    assert seen == {op.name for op, *_ in calls_in_place()} and len(seen) >= 17


def test_what_an_in_place_form_needs_is_an_attribute():
    for op in forward_operators():
        for made in (op, gradient_operator(op)) if op.differentiable else (op,):
            assert made.inplace is None or set(made.inplace.only) <= set(made.attrs), made


def test_a_wrong_in_place_form_is_found_out():
    args = [torch.rand(3)]
    with pytest.raises(AssertionError):
        check_in_place(REGISTRY["tanh"], InPlace(torch.sigmoid_), args, {})
    with pytest.raises(AssertionError):
        check_in_place(REGISTRY["tanh"], InPlace(torch.tanh), args, {})


# -- what passes and plans ask ---------------------------------------------------------------------


def test_memoized_results_depend_on_the_inputs_alone():
    memoized = [op for op in forward_operators() if op.memoize]
    assert memoized
    for op in memoized:
        assert not op.random and not op.effects and not any(s.writes for s in op.outputs)
        for sample in BY_OPERATOR[op.name]:
            args = buffers(sample)
            before = [p.clone() for p in flat(args)]
            first, second = (flat(run(op, args, sample.attrs)) for _ in range(2))
            assert all(map(torch.equal, first, second)) and all(
                map(torch.equal, before, flat(args))
            )


def test_operators_with_effects_are_never_dead_code():
    from paddle.passes.dead_code import has_effect, remove_dead_code

    declared = {op.name for op in REGISTRY.values() if op.effects}
    assert {"print", "assert", "py_func"} <= declared
    program = paddle.static.Program()
    block = program.global_block()
    for name in sorted(declared):
        block.ops.append(Operator(block, name))
        assert has_effect(block.ops[-1])
    block.ops.append(Operator(block, "relu"))
    remove_dead_code(program, [], [])
    assert {op.type for op in block.ops} == declared


def test_running_statistics_do_not_change_what_training_computes():
    declared = [op for op in forward_operators() if op.statistics]
    assert {"batch_norm", "sync_batch_norm"} == {op.name for op in declared}
    for op in declared:
        written = [s.writes for s in op.outputs if s.writes]
        at = [i for i, s in enumerate(op.inputs) if s.name in written]
        trained = 0
        for sample in BY_OPERATOR[op.name]:
            if sample.attrs.get("is_test") or sample.attrs.get("use_global_stats"):
                continue
            args = buffers(sample)
            if any(s.name == "MomentumTensor" and a is not None
                   for s, a in zip(op.inputs, args, strict=True)):  # fmt: skip
                continue
            others = [a + 1 if i in at else a for i, a in enumerate(args)]
            before = [others[i].clone() for i in at]
            fixed = {**sample.attrs, op.statistics: 1.0}
            outs, again = run(op, args, sample.attrs), run(op, others, fixed)
            kept = [i for i, s in enumerate(op.outputs) if not s.writes]
            pairs = zip(flat([outs[i] for i in kept]), flat([again[i] for i in kept]), strict=True)
            assert all(torch.equal(a, b) for a, b in pairs), op
            for i, old in zip(at, before, strict=True):
                torch.testing.assert_close(others[i], old, rtol=1e-12, atol=0)
            trained += 1
        assert trained


def test_a_bias_that_is_split_off_is_added():
    declared = [op for op in forward_operators() if op.split_bias]
    assert declared
    for op in declared:
        at = [s.name for s in op.inputs].index("Bias")
        seen = 0
        for sample in BY_OPERATOR[op.name]:
            args = buffers(sample)
            if args[at] is None:
                continue
            (whole,) = run(op, args, sample.attrs)
            args[at], bias = None, args[at]
            (plain,) = run(op, args, sample.attrs)
            last = sample.attrs.get("data_format", "").endswith("C")
            shape = [-1] if last else [-1] + [1] * (plain.dim() - 2)
            torch.testing.assert_close(whole, plain + bias.reshape(shape))
            seen += 1
        assert seen, op


# -- mixed precision -------------------------------------------------------------------------------


def in_type(value, dtype):
    if isinstance(value, list):
        return [in_type(part, dtype) for part in value]
    return value.to(dtype) if value is not None and value.is_floating_point() else value


def results_in(op, sample, change):
    """The types of the floating results when the operands have others."""
    args = [change(s, a) for s, a in zip(op.inputs, buffers(sample), strict=True)]
    outs = run(op, args, sample.attrs)
    pairs = [(s, o) for s, o in zip(op.outputs, outs, strict=True) if not s.writes]
    return [o.dtype for s, v in pairs for o in flat([v]) if o.is_floating_point()]


@pytest.mark.parametrize(
    ("kind", "dtype"), [("white", torch.bfloat16), ("black", torch.float32)], ids=["white", "black"]
)
def test_operators_of_a_list_of_mixed_precision_compute_in_its_type(kind, dtype):
    for op in [op for op in forward_operators() if op.amp == kind]:
        seen = set()
        for sample in BY_OPERATOR[op.name]:
            if any(np.iscomplexobj(v) for v in sample.inputs.values()):
                continue
            seen |= set(results_in(op, sample, lambda slot, value: in_type(value, dtype))[:1])
        assert seen == {dtype}, op
        assert kind != "white" or not lacks_half(op)


def test_norms_take_data_of_16_bits_beside_factors_of_32():
    for op in [op for op in forward_operators() if op.amp == "norm"]:
        for sample in BY_OPERATOR[op.name]:
            found = results_in(op, sample, lambda slot, value: in_type(
                value, torch.bfloat16 if slot.name == "X" else torch.float32))  # fmt: skip
            assert not found or found[0] is torch.bfloat16, op


def test_the_lists_of_mixed_precision_are_what_operators_declare():
    declared = {kind: set() for kind in ("white", "black", "norm", None)}
    for op in forward_operators():
        declared[op.amp].add(op.name)
    white, black = custom("the test", None, None)
    assert white == declared["white"] and black == declared["black"]


# -- what the conversion of functions asks ---------------------------------------------------------

EXTREMES = (0.0, -1.0, float("inf"), float("nan"), 3e38)


@pytest.mark.parametrize("value", EXTREMES)
def test_speculatable_operators_fail_for_no_values(value):
    def extreme(part):
        if part is None or isinstance(part, list):
            return part and [extreme(p) for p in part]
        if part.dtype is torch.bool:
            return torch.full_like(part, bool(value))
        if part.is_floating_point() or part.is_complex():
            return torch.full_like(part, value)
        limits = torch.iinfo(part.dtype)
        whole = {0.0: 0, -1.0: limits.min}.get(value, limits.max)
        return torch.full_like(part, whole)

    for op in [op for op in forward_operators() if op.speculatable]:
        assert not op.random and not op.effects and not any(s.writes for s in op.outputs)
        for sample in BY_OPERATOR[op.name]:
            args = buffers(sample)
            if op.speculatable == "floats" and not all(a.is_floating_point() for a in flat(args)):
                continue
            data = [a if s.name.startswith("Shape") else extreme(a)
                    for s, a in zip(op.inputs, args, strict=True)]  # fmt: skip
            run(op, data, sample.attrs)


def test_arithmetic_makes_one_number_of_numbers():
    for op in [op for op in forward_operators() if op.arithmetic]:
        for dtype in (torch.float32, torch.int64):
            args = [torch.full([1], 2, dtype=dtype) if not s.optional else None for s in op.inputs]
            (out,) = run(op, args, {})
            assert out.shape == (1,) and out.dtype is dtype, op


# -- scalars of rank 0 -----------------------------------------------------------------------------


def one_element(value, shape):
    if isinstance(value, list):
        return [one_element(part, shape) for part in value]
    return value if value is None or not value.numel() else value.reshape(-1)[0].reshape(shape)


def test_rank_0_gives_what_shape_1_gives():
    for op in [op for op in forward_operators() if op.rank0 and not op.random]:
        for sample in BY_OPERATOR[op.name]:
            args = buffers(sample)
            try:
                expected = flat(run(op, [one_element(a, [1]) for a in args], sample.attrs))
            except Exception:
                continue  # a number is not what it takes
            found = flat(run(op, [one_element(a, []) for a in args], sample.attrs))
            for a, b in zip(found, expected, strict=True):
                assert torch.equal(a.reshape(-1).nan_to_num(), b.reshape(-1).nan_to_num()), sample


# -- linearity -------------------------------------------------------------------------------------


def moved(value):
    """Other numbers of the same kind."""
    return [moved(v) for v in value] if isinstance(value, list) else torch.rand_like(value)


def plus(a, b):
    pairs = zip(a, b, strict=True) if isinstance(a, list) else ()
    return [x + y for x, y in pairs] if isinstance(a, list) else a + b


def check_linear(op, args, attrs):
    """Asserts f(a + b) = f(a) + f(b) for every set of inputs that is declared."""
    inputs = {s.name: a if s.many else [a] for s, a in zip(op.inputs, args, strict=True)}
    names = [s.name for s in op.inputs]
    checked = 0
    for together in op.linear_in(inputs, attrs):
        at = [names.index(n) for n in together if args[names.index(n)] is not None]
        if not flat([args[i] for i in at]) or any(
            not p.is_floating_point() for p in flat([args[i] for i in at])
        ):
            continue
        others = {i: moved(args[i]) for i in at}
        second = [others.get(i, a) for i, a in enumerate(args)]
        both = [plus(a, others[i]) if i in at else a for i, a in enumerate(args)]
        results = [flat(run(op, given, attrs)) for given in (args, second, both)]
        for a, b, total in zip(*results, strict=True):
            torch.testing.assert_close(total, a + b)
        checked += 1
    return checked


def test_linear_operators_keep_sums():
    for op in [op for op in forward_operators() if op.linear]:
        assert sum(check_linear(op, buffers(s), s.attrs) for s in BY_OPERATOR[op.name]), op


def test_what_is_not_linear_is_found_out():
    wrong = copy.copy(REGISTRY["square"])
    wrong.linear = "X"
    with pytest.raises(AssertionError):
        check_linear(wrong, [torch.rand(3, 2)], {})
    assert REGISTRY["scale"].linear_in({}, {"bias": 1.0}) == []
    assert REGISTRY["scale"].linear_in({}, {}) == [["X"]]
    assert REGISTRY["matmul_v2"].linear_in({}, {}) == [["X"], ["Y"]]
    assert REGISTRY["elementwise_add"].linear_in({}, {}) == [["X", "Y"]]


# -- operators without a kernel --------------------------------------------------------------------


def test_operators_without_a_kernel_are_declared_but_not_called():
    from paddle.core.op import C, computed
    from paddle.ir.operator import declared, definition

    for op in [op for op in REGISTRY.values() if not op.has_kernel]:
        assert declared(op.name) is op and definition(op.name) is None and computed(op.name) is None
        with pytest.raises(AttributeError, match=op.name):
            getattr(C, op.name)
    assert declared("while_grad") is REGISTRY["while_grad"]
    assert declared("relu_grad") is definition("relu_grad") is not None
    assert declared("print_grad") is None
