"""Emitters of ``recurrent``: a block that runs once per slice of its inputs along time."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.executor.codegen import Emitter, emitter
from paddle.executor.emitters.block_saves import saved_for, saved_of
from paddle.executor.emitters.control_flow import (
    Sum,
    drop,
    forget,
    forward_block,
    prepare,
    restore,
    save,
    zeros,
)
from paddle.executor.emitters.outlining import indented
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator


def steps_of(*inputs: torch.Tensor) -> int:
    """The number of time steps, the first size of every input."""
    sizes = {x.shape[0] for x in inputs}
    if len(sizes) != 1:
        raise InvalidArgumentError(
            "recurrent: expected inputs with the same number of time steps, "
            f"but they have {sorted(sizes)}."
        )
    return sizes.pop()


def stacked(parts: list, reverse: bool) -> torch.Tensor:
    """The results of all steps in order of time."""
    if not parts:
        raise InvalidArgumentError("recurrent: expected at least one time step, but got none.")
    return torch.stack(parts[::-1] if reverse else parts)


def stacked_or_zeros(parts: list, reverse: bool, like: torch.Tensor) -> torch.Tensor:
    """The gradients of the slices; missing ones are zero. They were found last step first."""
    if all(p is None for p in parts):
        return torch.zeros_like(like)
    order = parts if reverse else parts[::-1]
    slices = [
        torch.zeros_like(like[t]) if p is None else p.reshape(like[t].shape)
        for t, p in enumerate(order)
    ]
    return torch.stack(slices)


def _locals(em: Emitter, names: list[str], block: Block) -> list[str]:
    return [em.python_name(n, block) for n in names]


def _mark(em: Emitter, names: list[str], block: Block) -> None:
    em.defined.update((em.owner(n, block).idx, n) for n in names)


@emitter("recurrent")
def _recurrent(em: Emitter, op: Operator) -> None:
    sub: Block = op.attrs["sub_block"]
    saved = saved_of(em, op)
    sequences = op.inputs.get("inputs", [])
    memories, states = op.attrs.get("ex_states", []), op.attrs.get("states", [])
    outputs = op.outputs.get("outputs", [])
    reverse = bool(op.attrs.get("reverse", False))
    values = [em.read(n) for n in sequences]
    prepare(em, sub)
    for name, first in zip(memories, op.inputs.get("initial_states", []), strict=True):
        em.line(f"{em.python_name(name, sub)} = {em.read(first)}")
    collected = [em.temporary(f"{n}_steps") for n in outputs]
    for local in collected:
        em.line(f"{local} = []")
    steps = em.write(op.outputs["step_scopes"][0]) if saved else ""
    if steps:
        em.line(f"{steps} = []")
    count, at = em.temporary("steps"), em.temporary("t")
    em.line(f"{count} = {em.constant(steps_of, 'steps_of')}({', '.join(values)})")
    order = f"range({count})"
    em.line(f"for {at} in {f'reversed({order})' if reverse else order}:")
    with indented(em):
        for local, value in zip(_locals(em, sequences, sub), values, strict=True):
            em.line(f"{local} = {value}[{at}]")
        _mark(em, [*sequences, *memories], sub)
        kept = [*(saved.kept if saved else ()), *states, *outputs, *memories]
        em.block(sub, kept=kept)
        for local, name in zip(collected, outputs, strict=True):
            em.line(f"{local}.append({em.read(name, sub)})")
        if saved:
            em.line(f"{steps}.append({save(em, saved, sub, [])})")
        for memory, state in zip(memories, states, strict=True):
            em.line(f"{em.python_name(memory, sub)} = {em.read(state, sub)}")
        drop(em, [n for n in dict.fromkeys(kept) if n not in memories], sub)
    forget(em, sub)
    for local, name in zip(collected, outputs, strict=True):
        em.line(f"{em.write(name)} = {em.constant(stacked, 'stacked')}({local}, {reverse})")
        em.line(f"del {local}")


@emitter("recurrent_grad")
def _recurrent_grad(em: Emitter, op: Operator) -> None:
    sub: Block = op.attrs["sub_block"]
    forward = forward_block(op)
    _declare_missing(em, sub)
    name, saved = saved_for(em, op)
    steps = em.read(name)
    reverse = bool(op.attrs.get("reverse", False))
    memories, states = op.attrs.get("ex_states", []), op.attrs.get("states", [])
    given = _output_gradients(em, op)
    made = {n for o in sub.ops for n in o.output_arg_names}
    prepare(em, sub)
    memories, states = _with_gradient(memories, states, sub)
    for memory in memories:  # what reaches a memory in a step reaches the state of the step before
        em.line(f"{_gradient(em, memory, sub)} = None")
    collected, sums = _collectors(em, op, made)
    count, at, now = em.temporary("steps"), em.temporary("t"), em.temporary("kept")
    em.line(f"{count} = len({steps})")
    order = f"range({count})" if reverse else f"reversed(range({count}))"
    em.line(f"for {at}, {now} in zip({order}, reversed({steps})):")
    with indented(em):
        done = restore(em, saved, forward, now)
        for inner, outer in given:
            em.line(f"{em.python_name(inner, sub)} = {outer} if {outer} is None else {outer}[{at}]")
        _mark(em, [inner for inner, _ in given], sub)
        _pass_states(em, memories, states, dict(given), sub)
        kept = [f"{n}@GRAD" for n in [*collected, *sums, *memories]]
        em.block(sub, kept=kept)
        for x, local in collected.items():
            em.line(f"{local}.append({_gradient(em, x, sub)})")
        for x, local in sums.items():
            em.line(f"{local}.add({_gradient(em, x, sub)})")
        if done:
            em.line("del " + ", ".join(done))
    _finish(em, op, collected, sums, reverse, made)
    forget(em, sub)
    forget(em, forward)


def _declare_missing(em: Emitter, sub: Block) -> None:
    """Makes the variables that PaddlePaddle makes when it runs: gradients of states."""
    for op in sub.ops:
        for name in [*op.input_arg_names, *op.output_arg_names]:
            try:
                em.owner(name, sub)
            except NotFoundError:
                sub.create_var(name=name)


def _with_gradient(memories: list[str], states: list[str], sub: Block) -> tuple[list, list]:
    """Leaves out the memories that no gradient reaches."""
    pairs = [
        (m, s)
        for m, s in zip(memories, states, strict=True)
        if sub._find_var_recursive(f"{m}@GRAD") is not None
    ]
    return [m for m, _ in pairs], [s for _, s in pairs]


def _gradient(em: Emitter, name: str, block: Block) -> str:
    return em.python_name(f"{name}@GRAD", block)


def _output_gradients(em: Emitter, op: Operator) -> list[tuple[str, str]]:
    """The gradients of the outputs: name in the gradient block, local of the whole sequence."""
    sub: Block = op.attrs["sub_block"]
    given = op.inputs.get("outputs@GRAD", [])
    found = []
    for name, grad in zip(op.inputs.get("outputs", []), given, strict=False):
        inner = f"{name}@GRAD"
        if grad == EMPTY or sub._find_var_recursive(inner) is None:
            continue
        value = em.read(grad)
        if em.python_name(inner, sub) == value:  # the slice must not take the sequence's place
            value = em.temporary(f"{name}_GRAD_all")
            em.line(f"{value} = {em.read(grad)}")
        found.append((inner, value))
    return found


def _pass_states(
    em: Emitter, memories: list[str], states: list[str], given: dict[str, str], sub: Block
) -> None:
    """The gradient of a state is that of the memory it became in the step after."""
    for memory, state in zip(memories, states, strict=True):
        if sub._find_var_recursive(f"{state}@GRAD") is None:
            continue
        target, source = _gradient(em, state, sub), _gradient(em, memory, sub)
        if f"{state}@GRAD" in given:
            source = f"{target} if {source} is None else {target} + {source}"
        em.line(f"{target} = {source}")
        _mark(em, [f"{state}@GRAD"], sub)
    for memory in memories:
        em.line(f"{_gradient(em, memory, sub)} = None")
        _mark(em, [f"{memory}@GRAD"], sub)


def _collectors(em: Emitter, op: Operator, made: set[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Starts lists for the gradients of the inputs' slices and sums for those of parameters."""
    collected, sums = {}, {}
    for x, g in _wanted(op, "inputs"):
        if f"{x}@GRAD" in made:
            collected[x] = em.temporary(f"{g}_steps")
            em.line(f"{collected[x]} = []")
    for x, g in _wanted(op, "parameters"):
        if f"{x}@GRAD" in made:
            sums[x] = em.temporary(f"{g}_sum")
            em.line(f"{sums[x]} = {em.constant(Sum, 'Sum')}()")
    return collected, sums


def _wanted(op: Operator, slot: str) -> list[tuple[str, str]]:
    pairs = zip(op.inputs.get(slot, []), op.outputs.get(f"{slot}@GRAD", []), strict=False)
    return [(x, g) for x, g in pairs if g != EMPTY]


def _finish(
    em: Emitter, op: Operator, collected: dict[str, str], sums: dict[str, str], reverse: bool,
    made: set[str],
) -> None:  # fmt: skip
    sub: Block = op.attrs["sub_block"]
    nothing = em.constant(zeros, "zeros")
    for x, g in _wanted(op, "inputs"):
        value = f"{nothing}({em.read(x)})"
        if x in collected:
            function = em.constant(stacked_or_zeros, "stacked_or_zeros")
            value = f"{function}({collected[x]}, {reverse}, {em.read(x)})"
        em.line(f"{em.write(g)} = {value}")
    for x, g in _wanted(op, "parameters"):
        value = f"{sums[x]}.total({em.read(x)})" if x in sums else f"{nothing}({em.read(x)})"
        em.line(f"{em.write(g)} = {value}")
    memory_of = dict(zip(op.inputs.get("initial_states", []), op.attrs["ex_states"], strict=False))
    for x, g in _wanted(op, "initial_states"):
        value = f"{nothing}({em.read(x)})"
        if f"{memory_of[x]}@GRAD" in made:
            local = _gradient(em, memory_of[x], sub)
            value = f"{value} if {local} is None else {local}"
        em.line(f"{em.write(g)} = {value}")


@emitter("rnn_memory_helper")
def _memory_helper(em: Emitter, op: Operator) -> None:
    value = em.read(op.inputs["X"][0])
    em.line(f"{em.write(op.outputs['Out'][0])} = {value}")


def gradient_or_zeros(grad: Any, like: torch.Tensor) -> torch.Tensor:
    """The gradient of a memory; zero in the last step."""
    return torch.zeros_like(like) if grad is None else grad


@emitter("rnn_memory_helper_grad")
def _memory_helper_grad(em: Emitter, op: Operator) -> None:
    names = op.outputs.get("X@GRAD") or [EMPTY]
    if names[0] == EMPTY:
        return
    grads = [n for n in op.inputs.get("Out@GRAD", []) if n != EMPTY]
    grad = em.read(grads[0]) if grads else "None"
    value = em.read(op.inputs["X"][0])
    function = em.constant(gradient_or_zeros, "gradient_or_zeros")
    em.line(f"{em.write(names[0])} = {function}({grad}, {value})")
