"""Emitters of products of bytes, whose weights are packed once, when the plan is bound."""

from __future__ import annotations

from collections.abc import Callable

from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import EMPTY, Operator
from paddle.ops.quantization.int8 import prepared_conv2d, prepared_linear, prepared_quantize
from paddle.ops.quantization.int8_average import prepared_average
from paddle.ops.quantization.int8_steps import check_scale
from paddle.ops.quantization.int8_transposed import prepared_conv2d_transpose

_SCALES = ("Scale", "Step", "InScale", "OutScale", "ResidualScale")
_FIRST = 2  # the batch and the channels stand before the sizes of a picture


def _given(op: Operator, slot: str) -> str | None:
    names = op.inputs.get(slot) or [EMPTY]
    return None if names[0] == EMPTY else names[0]


def _bound(
    em: Emitter, op: Operator, prepare: Callable, slots: tuple[str, ...], **more
) -> str | None:
    """Writes the line that packs the weights; the name of the function that it gives."""
    names = [_given(op, slot) for slot in slots]
    if not all(em.is_bound(n) for n in names if n is not None):
        return None
    known = op.definition
    assert known is not None
    words = {k: op.attrs.get(k, d) for k, d in known.attrs.items()} | more
    checked = em.constant(check_scale, "check_scale")
    for slot, name in zip(slots, names, strict=True):
        if name is not None and slot in _SCALES:
            layer = em.literal(op.output_arg_names[0].partition("@")[0], "layer")
            em.before(f"{checked}({em.read(name)}, {em.literal(name, 'name')}, {layer})")
    function = em.temporary(op.type)
    args = ["None" if n is None else em.read(n) for n in names]
    args += [f"{key}={em.literal(value, key)}" for key, value in words.items()]
    called = em.constant(prepare, prepare.__name__)
    em.before(f"{function} = {called}({', '.join(args)})")
    return function


def _shape(em: Emitter, op: Operator) -> list[int] | None:
    """The shape of a convolution's input for one picture at least; None where a size is open."""
    sizes = list(em.variable(op.inputs["Input"][0]).shape)
    known = len(sizes) > _FIRST and -1 not in sizes[1:]
    return [max(sizes[0], 1), *sizes[1:]] if known else None


@emitter("int8_conv2d")
def _conv2d(em: Emitter, op: Operator) -> None:
    """The convolution with packed weights; with weights that change, the kernel."""
    slots = ("Filter", "Step", "Bias", "InScale", "OutScale", "ResidualScale")
    function = _bound(em, op, prepared_conv2d, slots, shape=_shape(em, op))
    if function is None:
        em.kernel(op)
        return
    residual = _given(op, "Residual")
    args = [em.read(op.inputs["Input"][0]), *([] if residual is None else [em.read(residual)])]
    em.line(f"{em.write(op.outputs['Output'][0])} = {function}({', '.join(args)})")


@emitter("int8_conv2d_transpose")
def _conv2d_transpose(em: Emitter, op: Operator) -> None:
    """The transposed convolution with packed weights; with weights that change, the kernel."""
    slots = ("Filter", "Step", "Bias", "InScale", "OutScale")
    function = _bound(em, op, prepared_conv2d_transpose, slots, shape=_shape(em, op))
    if function is None:
        em.kernel(op)
        return
    em.line(f"{em.write(op.outputs['Output'][0])} = {function}({em.read(op.inputs['Input'][0])})")


@emitter("int8_linear")
def _linear(em: Emitter, op: Operator) -> None:
    """The product with a packed weight; with a weight that changes, the kernel."""
    slots = ("W", "Step", "Bias", "InScale", "OutScale")
    residual = _given(op, "Residual")
    function = _bound(em, op, prepared_linear, slots, residual=residual is not None)
    if function is None:
        em.kernel(op)
        return
    args = [em.read(op.inputs["X"][0]), *([] if residual is None else [em.read(residual)])]
    em.line(f"{em.write(op.outputs['Out'][0])} = {function}({', '.join(args)})")


@emitter("int8_quantize")
def _quantize(em: Emitter, op: Operator) -> None:
    """The bytes by a factor made before; by a scale that changes, the kernel."""
    function = _bound(em, op, prepared_quantize, ("Scale",))
    if function is None:
        em.kernel(op)
        return
    em.line(f"{em.write(op.outputs['Out'][0])} = {function}({em.read(op.inputs['X'][0])})")


@emitter("int8_avg_pool2d")
def _average(em: Emitter, op: Operator) -> None:
    """The average by convolutions that are kept; by a scale that changes, the kernel."""
    function = _bound(em, op, prepared_average, ("InScale", "OutScale"))
    if function is None:
        em.kernel(op)
        return
    em.line(f"{em.write(op.outputs['Out'][0])} = {function}({em.read(op.inputs['X'][0])})")
