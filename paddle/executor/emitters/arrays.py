"""Emitters of tensor arrays: Python lists that the generated function changes in place."""

from __future__ import annotations

from typing import Any

import torch

from paddle.analysis.marks import HOISTED
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.executor.codegen import Emitter, emitter
from paddle.executor.emitters.control_flow import add_arrays, is_array, zeros
from paddle.ir.autodiff.control_rewriting import MAYBE
from paddle.ir.operator import Operator

_LARGEST = 1 << 24  # a position beyond this is an error rather than an array of that many elements


def position(index: torch.Tensor) -> int:
    """The number in an index of one element."""
    if index.numel() != 1:
        raise InvalidArgumentError(
            "a position in a tensor array is expected to be one number, but it has shape "
            f"{list(index.shape)}."
        )
    return int(index)


def write(array: list, index: torch.Tensor, value: Any) -> None:
    """Puts a value into an array, which grows as needed."""
    at = position(index)
    if not 0 <= at < _LARGEST:
        raise OutOfRangeError(
            f"array_write: expected a position from 0 to {_LARGEST - 1}, but got {at}."
        )
    while len(array) <= at:
        array.append(None)
    array[at] = value


def element(array: list, index: torch.Tensor) -> Any:
    """A value of an array, None where there is none."""
    at = position(index)
    return array[at] if 0 <= at < len(array) else None


def read_or_zeros(array: list, index: torch.Tensor, like: Any) -> Any:
    """Takes a value out of an array; zeros of the form of ``like`` where there is none."""
    found = element(array, index)
    return zeros(like) if found is None else found


def read(array: list, index: torch.Tensor) -> Any:
    """Takes a value out of an array."""
    found = element(array, index)
    if found is not None:
        return found
    at = position(index)
    if 0 <= at < len(array):
        raise OutOfRangeError(f"array_read: nothing was written at position {at} of the array.")
    raise OutOfRangeError(
        f"array_read: expected a position below the array's length {len(array)}, but got {at}."
    )


def length(array: list) -> torch.Tensor:
    """The number of elements."""
    return torch.tensor([len(array)], dtype=torch.int64)


def join(
    array: list, axis: int, use_stack: bool, like: list | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """All elements in one tensor, and the size of each along the axis.

    Where another array of the same elements is given, those that are missing are zero.
    """
    if like is not None:
        given = [*array, *[None] * (len(like) - len(array))]
        array = [zeros(b) if a is None else a for a, b in zip(given, like, strict=True)]
    parts = [a for a in array if a is not None]
    if not parts:
        raise InvalidArgumentError("tensor_array_to_tensor: the array is empty.")
    sizes = torch.tensor([_size(a, axis) for a in parts], dtype=torch.int32)
    return (torch.stack if use_stack else torch.cat)(parts, axis), sizes


def _size(part: torch.Tensor, axis: int) -> int:
    """The size along an axis; elements that are stacked along a new last one have none there."""
    return part.shape[axis] if -part.dim() <= axis < part.dim() else 1


def join_gradient(grad: torch.Tensor, sizes: torch.Tensor, axis: int, use_stack: bool) -> list:
    """The gradient of every element of the array, by the sizes that the elements had."""
    if use_stack:
        return list(torch.unbind(grad, axis))
    return list(torch.split(grad, sizes.tolist(), axis))


def present(*parts: Any) -> Any:
    """The sum of the gradients that there are; None if there is none."""
    found = [p for p in parts if p is not None]
    if not found:
        return None
    if len(found) == 1:  # `sum` of several declares no alias, so what follows may overwrite it
        return found[0].clone()
    total = found[0]
    for part in found[1:]:
        total = total + part
    return total


@emitter("write_to_array")
def _write_to_array(em: Emitter, op: Operator) -> None:
    name = op.inputs["X"][0]
    value, index = em.read(name), em.read(op.inputs["I"][0])
    if em.variable(name)._persistable:  # may be overwritten in place later
        value = f"{value}.clone()"
    elif is_array(em, name):
        value = f"list({value})"
    array = em.write(op.outputs["Out"][0])
    em.line(f"{em.constant(write, 'array_write')}({array}, {index}, {value})")


@emitter("read_from_array")
def _read_from_array(em: Emitter, op: Operator) -> None:
    args = [em.read(op.inputs["X"][0]), em.read(op.inputs["I"][0])]
    like = [em.read(n) for n in op.inputs.get("X_W", [])]
    if like:
        function = em.constant(read_or_zeros, "array_read_or_zeros")
    elif op.attrs.get(MAYBE):
        function = em.constant(element, "array_element")
    else:
        function = em.constant(read, "array_read")
    args += like
    em.line(f"{em.write(op.outputs['Out'][0])} = {function}({', '.join(args)})")


@emitter("lod_array_length")
def _lod_array_length(em: Emitter, op: Operator) -> None:
    array = em.read(op.inputs["X"][0])
    function = em.constant(length, "array_length")
    em.line(f"{em.write(op.outputs['Out'][0])} = {function}({array})")


@emitter("tensor_array_to_tensor")
def _tensor_array_to_tensor(em: Emitter, op: Operator) -> None:
    args = f"{em.read(op.inputs['X'][0])}, {op.attr('axis')}, {bool(op.attr('use_stack'))}"
    args += "".join(f", {em.read(n)}" for n in op.inputs.get("X_W", []))
    targets = [em.write(n) for s in ("Out", "OutIndex") for n in op.outputs.get(s, [])]
    call = f"{em.constant(join, 'array_join')}({args})"
    em.line(f"{', '.join(targets)} = {call}" + ("" if len(targets) == 2 else "[0]"))


@emitter("tensor_array_to_tensor_grad")
def _tensor_array_to_tensor_grad(em: Emitter, op: Operator) -> None:
    # Not by the array: it may have been changed since.
    grad, sizes = em.read(op.inputs["Out@GRAD"][0]), em.read(op.inputs["OutIndex"][0])
    args = f"{grad}, {sizes}, {op.attr('axis')}, {bool(op.attr('use_stack'))}"
    function = em.constant(join_gradient, "array_join_grad")
    em.line(f"{em.write(op.outputs['X@GRAD'][0])} = {function}({args})")


# -- ordinary operators that also work on arrays ---------------------------------------------------


@emitter("assign")
def _assign(em: Emitter, op: Operator) -> None:
    """A copy; values that nothing overwrites in place need none."""
    if not op.inputs.get("X"):
        em.kernel(op)
        return
    source, target = op.inputs["X"][0], op.outputs["Out"][0]
    if is_array(em, source):
        value = em.read(source)
        em.line(f"{em.write(target)} = list({value})")
    elif op.attrs.get(HOISTED) or any(em.variable(n)._persistable for n in (source, target)):
        em.kernel(op)
    else:
        value = em.read(source)
        em.line(f"{em.write(target)} = {value}")


@emitter("sum")
def _sum(em: Emitter, op: Operator) -> None:
    names = op.inputs["X"]
    if any(is_array(em, n) for n in names):
        parts = ", ".join(em.read(n) for n in names)
        function = em.constant(add_arrays, "array_sum")
        em.line(f"{em.write(op.outputs['Out'][0])} = {function}([{parts}])")
    elif op.attrs.get(MAYBE) or any(_may_be_missing(op, n) for n in names):
        parts = ", ".join(em.read(n) for n in names)
        em.line(f"{em.write(op.outputs['Out'][0])} = {em.constant(present, 'present')}({parts})")
    else:
        em.kernel(op)


def _may_be_missing(op: Operator, name: str) -> bool:
    """Whether a gradient is that of a value that select_input may not have chosen."""
    return any(o.type == "select_output" and name in o.output_arg_names for o in op.block.ops)


@emitter("fill_zeros_like")
def _fill_zeros_like(em: Emitter, op: Operator) -> None:
    source = op.inputs["X"][0]
    value = em.read(source)
    if is_array(em, source):
        em.line(f"{em.write(op.outputs['Out'][0])} = [None] * len({value})")
    elif op.attrs.get(MAYBE):
        em.line(f"{em.write(op.outputs['Out'][0])} = {em.constant(zeros, 'zeros')}({value})")
    else:
        em.kernel(op)
