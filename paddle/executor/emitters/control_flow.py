"""Emitters of control flow: ``if`` and ``while`` of the generated function.

Variables of a sub-block are locals of the function, as those of the global block; what a block
writes outside of itself is the outer local rebound. Gradients run the gradient block once per
iteration, last one first, on the values of it that :mod:`paddle.executor.emitters.block_saves`
kept.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.executor.codegen import Emitter, emitter
from paddle.executor.emitters.block_saves import BlockSaves, outer_writes, saved_for, saved_of
from paddle.executor.emitters.outlining import indented
from paddle.executor.lod_propagation import share_lod
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator

# -- what the generated function calls -----------------------------------------------------------


def truth(condition: Any) -> bool:
    """The value of a condition: one boolean."""
    if condition is None or condition.numel() != 1:
        found = "no value" if condition is None else f"shape {list(condition.shape)}"
        raise InvalidArgumentError(
            f"a condition of control flow is expected to have one element, but it has {found}.",
            hint="reduce it by paddle.all or paddle.any",
        )
    return bool(condition)


def choice(mask: torch.Tensor) -> int:
    """The position that a mask of select_input or select_output asks for."""
    if mask is None or mask.numel() != 1:
        found = "no value" if mask is None else f"shape {list(mask.shape)}"
        raise InvalidArgumentError(
            f"the mask of a choice is expected to have one element, but it has {found}."
        )
    return int(mask)


def filled(*inputs: Any) -> bool:
    """Whether no input is empty: the condition of a block that works on parts of a batch."""
    return all(x is not None and x.numel() for x in inputs)


def zeros(like: Any) -> Any:
    """The gradient of a value that nothing depends on; None of one that was never computed."""
    if like is None:
        return None
    return [] if isinstance(like, list) else torch.zeros_like(like)


class Sum:
    """Adds up the gradients of one value over iterations."""

    __slots__ = ("_owned", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self._owned = False

    def add(self, part: Any) -> None:
        """Adds a gradient; None counts as zero."""
        if part is None:
            return
        if self.value is None:
            self.value = list(part) if isinstance(part, list) else part
        elif isinstance(part, list):
            self.value = add_arrays([self.value, part])
        elif self._owned and isinstance(part, torch.Tensor):
            self.value.add_(part)
        else:
            self.value = self.value + part
            self._owned = isinstance(self.value, torch.Tensor)

    def total(self, like: Any) -> Any:
        """The sum, with the levels of sequences that the value has; zeros if nothing was added."""
        if self.value is None:
            return zeros(like)
        share_lod(self.value, like)
        return self.value


def add_arrays(arrays: list[list]) -> list:
    """The sum of tensor arrays, element by element; missing ones count as zero."""
    made: list[Any] = [None] * max(map(len, arrays))
    for array in arrays:
        for i, part in enumerate(array):
            if part is None or made[i] is None:
                made[i] = made[i] if part is None else part
            elif isinstance(part, list):
                made[i] = add_arrays([made[i], part])
            else:
                made[i] = made[i] + part
    return made


# -- parts of the emitters -------------------------------------------------------------------------


def prepare(em: Emitter, block: Block) -> None:
    """Gives every outer variable that a block may write a value: the one it has, else None."""
    for name in outer_writes(block):
        owner = em.owner(name, block)
        key = (owner.idx, name)
        if key in em.defined:
            continue
        if name in em.inplace_scope:
            em.read(name, block)
        elif owner.vars[name]._persistable:
            em.load_if_there(name, block)
        else:
            em.line(f"{em.python_name(name, block)} = None")
            em.defined.add(key)


def save(em: Emitter, saved: BlockSaves, block: Block, starts: list[str]) -> str:
    """The tuple of what is saved at the end of a block."""
    parts = [em.read(n, block) for n in saved.values]
    parts += [f"{em.read(n, block)}.shape" for n in saved.shapes]
    return "(" + "".join(f"{p}, " for p in [*parts, *starts]) + ")"


def restore(em: Emitter, saved: BlockSaves, block: Block, source: str) -> list[str]:
    """Writes the line that unpacks what was saved; returns the Python names it assigns."""
    targets = []
    for name in saved.values:
        em.defined.add((block.idx, name))
        targets.append(em.python_name(name, block))
    for name in saved.shapes:
        shape = em.temporary(f"{name}_shape")
        em.shapes[block.idx, name] = shape
        targets.append(shape)
    starts = [em.python_name(n, block) for n in saved.starts]
    if targets or starts:
        em.line("".join(f"{t}, " for t in [*targets, *starts]) + f"= {source}")
    elif source.endswith(")"):
        em.line(source)
    return targets


def forget(em: Emitter, block: Block) -> None:
    """Notes that the variables of a block have no value any more."""
    em.defined.difference_update([k for k in em.defined if k[0] == block.idx])
    for key in [k for k in em.shapes if k[0] == block.idx]:
        del em.shapes[key]


def drop(em: Emitter, names: list[str], block: Block) -> None:
    """Frees variables of a block that were kept to its end."""
    done = [em.python_name(n, block) for n in names if (block.idx, n) in em.defined]
    if done:
        em.line("del " + ", ".join(done))


def forward_block(gradient: Operator) -> Block:
    """The block whose gradient an operator's sub-block computes."""
    sub: Block = gradient.attrs["sub_block"]
    blocks = sub.program.blocks
    if not 0 <= sub.forward_block_idx < len(blocks):
        raise InvalidArgumentError(
            f"operator {gradient.type}: block {sub.idx} does not say of which block it is the "
            f"gradient (forward_block_idx is {sub.forward_block_idx})."
        )
    return blocks[sub.forward_block_idx]


def is_array(em: Emitter, name: str, block: Block | None = None) -> bool:
    """Whether a variable is a tensor array."""
    return em.owner(name, block).vars[name].type == VarType.LOD_TENSOR_ARRAY


# -- conditional blocks ----------------------------------------------------------------------------


@emitter("conditional_block")
@emitter("conditional_block_infer")
def _conditional_block(em: Emitter, op: Operator) -> None:
    sub: Block = op.attrs["sub_block"]
    saved = saved_of(em, op)
    prepare(em, sub)
    for name in op.outputs.get("Out", []):
        if name != EMPTY and not em.is_defined(name):
            em.line(f"{em.write(name)} = None")
            em.maybe.add(name)
    if saved is not None:
        scope = em.write(op.outputs["Scope"][0])
        em.line(f"{scope} = None")
    em.line(f"if {_condition(em, op)}:")
    with indented(em):
        em.block(sub, kept=saved.kept if saved else ())
        if saved is not None:
            em.line(f"{scope} = {save(em, saved, sub, [])}")
            drop(em, saved.kept, sub)
    forget(em, sub)


def _condition(em: Emitter, op: Operator) -> str:
    if op.attrs.get("is_scalar_condition", False):
        return f"{em.constant(truth, 'truth')}({em.read(op.inputs['Cond'][0])})"
    names = op.inputs.get("Input") or op.inputs["Cond"]
    inputs = ", ".join(em.read(n) for n in names if not is_array(em, n))
    return f"{em.constant(filled, 'filled')}({inputs})"


@emitter("conditional_block_grad")
def _conditional_block_grad(em: Emitter, op: Operator) -> None:
    sub: Block = op.attrs["sub_block"]
    forward = forward_block(op)
    scope_name, saved = saved_for(em, op)
    scope = em.read(scope_name)
    slot = "Input@GRAD" if op.outputs.get("Input@GRAD") else "X@GRAD"
    sources = op.inputs.get("Input") or op.inputs.get("X") or []
    pairs = [(x, g) for x, g in zip(sources, op.outputs.get(slot, []), strict=False) if g != EMPTY]
    inside = {x: _inner_gradient(em, x, sub) for x, _ in pairs}
    passed = _passed(em, op)
    prepare(em, sub)
    results = [(em.read(x), em.python_name(g)) for x, g in pairs]
    em.line(f"if {scope} is not None:")
    with indented(em):
        restore(em, saved, forward, scope)
        em.block(sub, kept=[f"{x}@GRAD" for x, _ in pairs])
        for (x, _), (value, result) in zip(pairs, results, strict=True):
            found = inside[x]
            if found is None and x in passed and is_array(em, x):
                em.line(f"{result} = {passed[x]}")  # changed in place
            elif found is None or not em.is_defined(f"{x}@GRAD", sub):
                em.line(f"{result} = {em.constant(zeros, 'zeros')}({value})")
            elif found != result:
                em.line(f"{result} = {found}")
    forget(em, sub)
    forget(em, forward)
    if results:
        em.line("else:")
        with indented(em):
            for (x, _), (value, result) in zip(pairs, results, strict=True):
                if x not in passed:
                    em.line(f"{result} = {em.constant(zeros, 'zeros')}({value})")
                elif passed[x] != result:
                    em.line(f"{result} = {passed[x]}")
    for _, g in pairs:
        em.define(g)


def _passed(em: Emitter, op: Operator) -> dict[str, str]:
    """What the block overwrites, if it runs: its gradient passes where it does not."""
    given = zip(op.inputs.get("Out", []), op.inputs.get("Out@GRAD", []), strict=False)
    read = op.inputs.get("Input") or []
    return {n: em.read(g) for n, g in given if g != EMPTY and n in read}


def _inner_gradient(em: Emitter, name: str, block: Block) -> str | None:
    """The local of a variable's gradient that a gradient block computes, None where it does not.

    There may be one of the same name outside: that of the value after the block.
    """
    if not any(f"{name}@GRAD" in op.output_arg_names for op in block.ops):
        return None
    return em.python_name(f"{name}@GRAD", block)


# -- loops -----------------------------------------------------------------------------------------


@emitter("while")
def _while(em: Emitter, op: Operator) -> None:
    sub: Block = op.attrs["sub_block"]
    saved = saved_of(em, op)
    condition = em.read(op.inputs["Condition"][0])
    prepare(em, sub)
    steps = ""
    if saved is not None:
        steps = em.write(op.outputs["StepScopes"][0])
        em.line(f"{steps} = []")
    em.line(f"while {em.constant(truth, 'truth')}({condition}):")
    with indented(em):
        if em.limit:
            em.line(f"{em.limit}.step()")
        starts = []
        for name in saved.starts if saved else ():
            starts.append(em.temporary(f"{name}_start"))
            em.line(f"{starts[-1]} = {em.read(name, sub)}")
        em.block(sub, kept=saved.kept if saved else ())
        if saved is not None:
            em.line(f"{steps}.append({save(em, saved, sub, starts)})")
            drop(em, saved.kept, sub)
            if starts:
                em.line("del " + ", ".join(starts))
    forget(em, sub)


@emitter("while_grad")
def _while_grad(em: Emitter, op: Operator) -> None:
    sub: Block = op.attrs["sub_block"]
    forward = forward_block(op)
    name, saved = saved_for(em, op)
    steps = em.read(name)
    carried = _linked(em, op, sub)
    prepare(em, sub)
    ends = _keep_ends(em, saved, forward)
    sums = _sums(em, op, sub, carried)
    many = len(saved.readers) > 1
    em.line(f"for {steps}_now in reversed({steps}):" if many else f"while {steps}:")
    with indented(em):
        source = f"{steps}_now" if many else f"{steps}.pop()"
        done = restore(em, saved, forward, source)
        em.block(sub, kept=[*carried, *(n for n, _, _ in sums.values())], linked=carried)
        for inner, total, _ in sums.values():
            em.line(f"{total}.add({em.read(inner, sub)})")
        if done:
            em.line("del " + ", ".join(done))
    for local, end in ends:
        em.line(f"{local} = {end}")
    for x, g in zip(op.inputs["X"], op.outputs["X@GRAD"], strict=False):
        if g == EMPTY:
            continue
        if f"{x}@GRAD" in carried:
            inner_local = em.python_name(f"{x}@GRAD", sub)
            if inner_local != em.python_name(g):
                em.line(f"{em.python_name(g)} = {inner_local}")
        elif x in sums:
            em.line(f"{em.python_name(g)} = {sums[x][1]}.total({em.read(x)})")
        else:
            em.line(f"{em.python_name(g)} = {em.constant(zeros, 'zeros')}({em.read(x)})")
        em.define(g)
    forget(em, sub)
    forget(em, forward)


def _linked(em: Emitter, op: Operator, sub: Block) -> list[str]:
    """Hands the gradients of what the loop computed to the gradient block; returns their names."""
    outside = [n for n in op.inputs.get("Out@GRAD", []) if n != EMPTY]
    inside = op.attrs.get("original_output_grad") or outside
    names = []
    for inner, outer in zip(inside, outside, strict=False):
        owner = em.owner(inner, sub)
        local, value = em.python_name(inner, sub), em.read(outer)
        if is_array(em, outer):
            em.line(f"{local} = list({value})")
        elif local != value:
            em.line(f"{local} = {value}")
        em.defined.add((owner.idx, inner))
        names.append(inner)
    return names


def _keep_ends(em: Emitter, saved: BlockSaves, forward: Block) -> list[tuple[str, str]]:
    """Puts aside what the loop left in variables that the gradient block sees as they were."""
    ends = []
    for name in saved.starts:
        if (em.owner(name, forward).idx, name) in em.defined:
            local = em.python_name(name, forward)
            end = em.temporary(f"{local}_end")
            em.line(f"{end} = {local}")
            ends.append((local, end))
    return ends


def _sums(
    em: Emitter, op: Operator, sub: Block, carried: list[str]
) -> dict[str, tuple[str, str, str]]:
    """Starts the sums over iterations: variable -> (its inner gradient, the sum, the gradient)."""
    sums = {}
    made = {n for o in sub.ops for n in o.output_arg_names}
    for x, g in zip(op.inputs["X"], op.outputs["X@GRAD"], strict=False):
        inner = f"{x}@GRAD"
        if g == EMPTY or inner in carried or inner not in made or inner not in sub.vars:
            continue
        total = em.temporary(f"{x}_sum")
        em.line(f"{total} = {em.constant(Sum, 'Sum')}()")
        sums[x] = (inner, total, g)
    return sums


# -- choosing among values -------------------------------------------------------------------------


@emitter("select_input")
def _select_input(em: Emitter, op: Operator) -> None:
    names = op.inputs["X"]
    mask = em.read(op.inputs["Mask"][0])
    values = [em.alias(n) for n in names]
    target = em.write(op.outputs["Out"][0])
    index = f"{em.constant(choice, 'choice')}({mask})"
    if is_array(em, names[0]):
        values = [f"{v} and list({v})" for v in values]
    em.line(f"{target} = ({', '.join(values)},)[{index}]")


@emitter("select_output")
def _select_output(em: Emitter, op: Operator) -> None:
    mask, value = em.read(op.inputs["Mask"][0]), em.read(op.inputs["X"][0])
    index = em.temporary("chosen")
    em.line(f"{index} = {em.constant(choice, 'choice')}({mask})")
    for i, name in enumerate(op.outputs["Out"]):
        if name != EMPTY:
            em.line(f"{em.write(name)} = {value} if {index} == {i} else None")
