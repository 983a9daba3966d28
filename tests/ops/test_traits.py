"""What operators declare of themselves is what the samples show."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

import paddle
from paddle.core.derive import gradient_of, gradient_operator
from paddle.core.dispatch import py
from paddle.core.op import REGISTRY, InPlace, OpDef
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
