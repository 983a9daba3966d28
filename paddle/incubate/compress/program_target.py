"""Programs that are pruned: their variables, attributes, and values in a scope."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from paddle.core.errors import PreconditionNotMetError
from paddle.executor.scope import Scope, global_scope
from paddle.incubate.compress.dependency import Dependencies
from paddle.incubate.compress.resizing import Kept, Undo, shrink
from paddle.incubate.compress.step import View
from paddle.ir.inference import persistables
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program


class ProgramTarget:
    """A Program that is pruned, and the scope with its values.

    Args:
        program (Program): of inference, or of training with its gradients and updates.
        scope (Scope|None): None: the global one.
        where (str): the function that is called, for error texts.
    """

    kind = "Program"

    def __init__(self, program: Program, scope: Scope | None, where: str) -> None:
        self.program, self._where = program, where
        self._scope = global_scope() if scope is None else scope
        self.given: dict[str, str] = {}
        self._view: View | None = None

    def _tensor(self, name: str) -> Any:
        held = self._scope.find_var(name)
        tensor = None if held is None else held.get_tensor().tensor
        if tensor is None:
            raise PreconditionNotMetError(
                f"{self._where}: the scope has no value of {name!r}.",
                hint="run the startup Program, or load the parameters, before",
            )
        return tensor

    def value(self, name: str) -> np.ndarray:
        """A parameter's value.

        Args:
            name (str): the variable.
        """
        return self._tensor(name).numpy()

    def dependencies(self) -> Dependencies:
        """What goes together; found anew."""
        self._view = view_of(self.program)
        return Dependencies([self._view])

    def change(self, kept: Mapping[str, Kept]) -> Undo:
        """Makes variables, attributes and values smaller; returns what takes it back.

        Args:
            kept (Mapping): parameter -> axis -> places that stay.
        """
        undo = Undo()
        state = _state_of(self.program)
        for name, axes in kept.items():
            for each in (name, *state.get(name, ())):
                shrink(self._tensor(each), axes, undo)
        shrink_program(self.program, kept, undo)
        return undo

    def check(self) -> None:
        """Programs hold all of their sizes, so there is nothing to run."""

    def forget_programs(self) -> None:
        """Nothing is recorded beside the Program."""


def view_of(program: Program) -> View:
    """Returns a Program as it is analysed.

    Args:
        program (Program): any.
    """
    names = [var.name for var in persistables(program)]
    return View(program, dict(zip(names, names, strict=True)))


def _state_of(program: Program) -> dict[str, list[str]]:
    """What optimizers keep of each parameter in its shape: parameter -> variables."""
    found: dict[str, list[str]] = {}
    block = program.global_block()
    for op in block.ops:
        params = op.inputs.get("Param", []) if op.role & Role.OPTIMIZE else []
        for slot, names in op.inputs.items():
            if slot in ("Param", "Grad") or len(names) != len(params):
                continue
            for param, name in zip(params, names, strict=True):
                var = block._find_var_recursive(name)
                if var is not None and var.persistable and name != param:
                    if list(var.shape) == list(block.var(param).shape):
                        found.setdefault(param, []).append(name)
    return found


def shrink_program(program: Program, kept: Mapping[str, Kept], undo: Undo) -> None:
    """Gives variables and attributes of a Program the sizes that they have with fewer channels.

    Args:
        program (Program): changed in place; values are not.
        kept (Mapping): parameter -> axis -> places that stay.
        undo (Undo): gets what puts it back.
    """
    view = view_of(program)
    found = Dependencies([view])
    staying = np.ones(len(found.roots), dtype=bool)
    for name, axes in kept.items():
        labels = found.parameters.get(name)
        for axis, places in axes.items():
            own = labels[axis] if labels is not None else None
            if own is not None:
                gone = np.setdiff1d(np.arange(len(own)), places)
                staying[np.isin(found.roots, found.roots[own[gone]])] = False
    state = _state_of(program)
    block = program.global_block()
    sizes = {n: _sizes(list(block._var_recursive(n).shape), labels, staying)
             for n, labels in view.labels.items()}  # fmt: skip
    for param, names in state.items():
        if param in sizes:
            sizes.update(dict.fromkeys(names, sizes[param]))
    for op in block.ops:
        _resize_attributes(op, view, sizes, undo)
    _follow(program, sizes, undo)


def _sizes(shape: list[int], labels: Any, staying: np.ndarray) -> list[int]:
    if not len(labels):  # a single value, whose declared shape is [1] and has no channels
        return shape
    return [
        n if own is None or n < 0 else int(staying[own].sum())
        for n, own in zip(shape, labels, strict=True)
    ]


def _follow(program: Program, sizes: dict[str, list[int]], undo: Undo) -> None:
    """Sets the new shapes, also of gradients and of what is computed of them."""
    block = program.global_block()
    before = {name: list(block._var_recursive(name).shape) for name in sizes}
    for op in block.ops:
        for name in op.output_arg_names:
            var = block._find_var_recursive(name)
            if name in sizes or var is None:
                continue
            base = name.partition("@GRAD")[0]
            sources = [base, *op.input_arg_names] if base != name else op.input_arg_names
            if not op.role & (Role.BACKWARD | Role.OPTIMIZE):
                continue
            for source in sources:
                if source in sizes and before[source] == list(var.shape):
                    sizes[name], before[name] = sizes[source], before[source]
                    break
    for name, shape in sizes.items():
        var = block._var_recursive(name)
        if list(var.shape) != shape:
            undo.attribute(var, "shape", shape)


def _resize_attributes(
    op: Operator, view: View, sizes: Mapping[str, list[int]], undo: Undo
) -> None:
    """Numbers of channels among an operator's attributes, or those of its gradient."""
    kind = op.type.removesuffix("_grad")
    made: dict[str, Any] = {}
    if "conv" in kind and "groups" in op.attrs and "Filter" in op.inputs:
        groups = _groups(op, view, sizes)
        if groups != op.attrs["groups"]:
            made["groups"] = groups
    elif kind in ("reshape", "reshape2") and op.attrs.get("shape"):
        names = op.outputs.get("Out") or [n.partition("@GRAD")[0] for n in op.inputs["Out@GRAD"]]
        after = sizes.get(names[0])
        asked = list(op.attrs["shape"])
        if after is not None:
            made["shape"] = [a if n > 0 and a >= 0 else n for n, a in zip(asked, after)]
    elif kind == "split" and op.attrs.get("sections"):
        axis = int(op.attrs.get("axis", 0))
        parts = [sizes.get(name) for name in op.outputs["Out"]]
        made["sections"] = [
            n if part is None else part[axis]
            for n, part in zip(op.attrs["sections"], parts, strict=True)
        ]
    for name, value in made.items():
        if value != op.attrs[name]:
            undo.later(partial(op._set_attr, name, op.attrs[name]))
            op._set_attr(name, value)


def _groups(op: Operator, view: View, sizes: Mapping[str, list[int]]) -> int:
    """The groups of a convolution; a depthwise one has fewer."""
    weight, groups = op.inputs["Filter"][0], int(op.attrs["groups"])
    before = list(op.block._var_recursive(weight).shape)
    after = sizes.get(weight)
    depthwise = groups > 1 and before[0 if "transpose" in op.type else 1] == (
        groups if "transpose" in op.type else 1
    )
    return groups if after is None or not depthwise else groups * after[0] // before[0]
