"""Gradients of control flow: each block gets a gradient block, walked like the Program itself.

``while`` leads to ``while_grad``, ``conditional_block`` to ``conditional_block_grad`` and
``recurrent`` to ``recurrent_grad``; their sub-block has ``forward_block_idx`` set and runs once for
each time that the forward block ran, last one first, among the values of that time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import PreconditionNotMetError, UnimplementedError
from paddle.ir.autodiff.control_rewriting import MAYBE
from paddle.ir.autodiff.gradient_flow import Flags, carries, flags_of
from paddle.ir.autodiff.gradient_makers import differentiate, grad_maker
from paddle.ir.autodiff.gradient_walk import GradientPart, GradientWalk
from paddle.ir.autodiff.snapshots import snapshot
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator, Role
from paddle.ir.variable import Variable


@dataclass(eq=False)
class BlockWalk(GradientWalk):
    """The walk through a sub-block.

    Attributes:
        outer: the walk that met the operator with the sub-block.
        keeps_starts: whether the gradient block sees outer variables that the block overwrites
            with their values from before: so it is in loops.
        final: variables of which the value from before the block has a gradient.
    """

    outer: GradientWalk | None = None
    keeps_starts: bool = False
    final: set[str] = field(default_factory=set)

    def complete(self, name: str) -> str:
        """Notes which gradients are left at the start of the block."""
        if self.at < 0:
            self.final.add(name)
        return super().complete(name)

    def value(self, name: str, written: bool = False) -> str:
        """The name under which the gradient block finds a value; it is copied where need be."""
        if name.endswith("@GRAD"):
            return self.name_of(name)
        if name in self.block.vars:
            if self._writers.get(name, -1) < self.at + written:
                return self.name_of(name)
        elif name not in self._writers:
            assert self.outer is not None
            return self.outer.value(name)
        elif not written and self._is_start(name):
            return name
        return snapshot(self.ops[self.at], name, written)

    def name_of(self, name: str) -> str:
        """The same; gradients among the values have another name: the block makes its own."""
        if not name.endswith("@GRAD"):
            return super().name_of(name)
        op = self.ops[self.at]
        return snapshot(op, name, name not in op.input_arg_names)

    def _is_start(self, name: str) -> bool:
        """Whether the current operator reads the value from before the iteration."""
        if not self.keeps_starts or is_array(self.block._var_recursive(name)):
            return False
        writers = [i for i, op in enumerate(self.ops) if name in op.output_arg_names]
        updated = any(name in self.ops[i].input_arg_names for i in writers)
        return not updated and self.at <= writers[0]


def is_array(var: Variable) -> bool:
    """Says whether a variable is a tensor array."""
    return var.type == VarType.LOD_TENSOR_ARRAY


# -- parts of the makers ---------------------------------------------------------------------------


@contextmanager
def _discarding(walk: GradientWalk) -> Iterator[list[Block]]:
    """Removes the blocks that were added since, if the body raises."""
    blocks = walk.target.program.blocks
    count = len(blocks)
    try:
        yield blocks
    except BaseException:
        del blocks[count:]
        raise


def _flags(walk: GradientWalk, sub: Block, sources: set[str]) -> list[Flags]:
    return flags_of(sub, sub.ops, lambda v, made: not made and v._name in sources, walk.blocked)


def _open(walk: GradientWalk, sub: Block, flags: list[Flags], loop: bool) -> BlockWalk:
    """Starts the walk through a sub-block, with a new block for its gradient operators."""
    program = walk.target.program
    target = Block(program, len(program.blocks), walk.target.idx)
    target._set_forward_block_idx(sub.idx)
    program.blocks.append(target)
    inner = BlockWalk(sub, list(sub.ops), flags, target, outer=walk, keeps_starts=loop)
    inner.location, inner.blocked = walk.ops[walk.at].location, walk.blocked
    return inner


def _sources(walk: GradientWalk, op: Operator, *slots: str) -> set[str]:
    """The variables of input slots that want a gradient."""
    found = set()
    for slot in slots:
        pairs = zip(op.inputs.get(slot, []), walk.needs_grad(slot), strict=False)
        found |= {name for name, want in pairs if want}
    return found


def _spread(
    walk: GradientWalk, sub: Block, sources: set[str], pairs: list[tuple[str, str]]
) -> list[Flags]:
    """Flags of a loop's operators: what an iteration makes wanted is wanted in the next one.

    Args:
        walk (GradientWalk): the walk around.
        sub (Block): the body.
        sources: outer variables that want a gradient; it grows.
        pairs: (variable at the start, variable that it becomes at the end).
    """
    writers = {n: i for i, op in enumerate(sub.ops) for n in op.output_arg_names}
    while True:
        flags = _flags(walk, sub, sources)
        more = {a for a, b in pairs if a not in sources and b in writers and flags[writers[b]]}
        more = {n for n in more if not sub._var_recursive(n).stop_gradient}
        if not more:
            return flags
        sources |= more


def _parts(walk: GradientWalk, op: Operator, slot: str, wanted: set[str]) -> list[str]:
    """Names for the gradients of some variables of an input slot, the others left empty."""
    return _named_parts(walk, op.inputs.get(slot, []), wanted)


def _named_parts(walk: GradientWalk, given: list[str], wanted: set[str]) -> list[str]:
    """Names for the gradients of some variables, the others left empty."""
    names = [EMPTY] * len(given)
    for i, name in enumerate(given):
        if name in wanted and name not in given[:i]:
            walk.add(name, GradientPart(names, i))
    return names


def _zeros(walk: GradientWalk, name: str) -> str:
    """The gradient of a value that nothing after the current operator depends on."""
    gradient = walk.gradient_name(name)
    walk.emit("fill_zeros_like", {"X": [walk.name_of(name)]}, {"Out": [gradient]}, {})
    return gradient


def _named(walk: GradientWalk, name: str, gradient: str | None) -> str:
    """The gradient of a loop's result under the name that the gradient of its start will have.

    By these names PaddlePaddle tells what goes from iteration to iteration.
    """
    if gradient is None:
        return _zeros(walk, name)
    usual = walk.gradient_name(name)
    if gradient != usual:
        walk.emit("assign", {"X": [gradient]}, {"Out": [usual]}, {})
    return usual


def _renamed(walk: GradientWalk, sub: Block, name: str, gradient: str) -> str:
    """The gradient of what a block overwrites, under a name that the block does not use."""
    var = walk.block._var_recursive(name)
    if is_array(var) and not any(_replaces(op, name) for op in sub.ops):
        return gradient  # changed in place, it keeps its name
    made = walk.target.create_var(
        name=walk.target.unused_name(f"{gradient}@AFTER"), type=var.type, shape=var._dims,
        dtype=var.dtype,
    )  # fmt: skip
    walk.emit("assign", {"X": [gradient]}, {"Out": [made._name]}, {})
    return made._name


def _replaces(op: Operator, name: str) -> bool:
    """Whether an operator makes a new array, where others change the one that there is."""
    changes = op.type == "write_to_array" or name in op.input_arg_names
    return name in op.output_arg_names and not changes


def _common(op: Operator) -> dict[str, Any]:
    return {k: op.attrs[k] for k in ("op_namescope", "op_device") if k in op.attrs}


# -- loops -----------------------------------------------------------------------------------------


@grad_maker("while")
def _while(op: Operator, walk: GradientWalk) -> None:
    if op.attrs.get("is_test"):
        raise PreconditionNotMetError(
            f"the loop was built with is_test=True and has no gradient.\n  {op.location or ''}",
            hint="build it with is_test=False",
        )
    sub: Block = op.attrs["sub_block"]
    condition = op.inputs["Condition"][0]
    names = [n for n in op.outputs.get("Out", []) if n != condition]
    # 1.x does not name what the body only writes among the inputs.
    read = list(dict.fromkeys([*op.inputs.get("X", []), *names]))
    carried = [n for n in names if carries(op.block._var_recursive(n))]
    given = {n: g for n in carried if (g := walk.incoming(n)) is not None}
    sources = _sources(walk, op, "X")
    _spread(walk, sub, sources, [(n, n) for n in carried])
    with _discarding(walk) as blocks:
        count, live = len(blocks), [n for n in carried if n in given]
        while True:
            # Anew each time: a walk may have put copies of values into the body.
            inner = _open(walk, sub, _flags(walk, sub, sources), loop=True)
            for name in live:
                inner.start(name, inner.gradient_name(name))
            inner.run(differentiate)
            more = [n for n in carried if n in inner.final and n not in live]
            if not more:
                break
            live += more  # what one iteration passes to the one before starts from zero
            del blocks[count:]
        for name in live:
            if name not in inner.final:  # an iteration does not use what the one before left
                out = {"Out": [inner.gradient_name(name)]}
                inner.emit("fill_zeros_like", {"X": [name]}, out, {})  # type: ignore[arg-type]
        inner.write()
        if not live:
            del blocks[count:]
            return
        grads = _named_parts(walk, read, set(live) | (sources & inner.final))
        walk.emit(
            "while_grad",
            {
                "X": read,
                "Out": list(op.outputs["Out"]),
                "Out@GRAD": [_named(walk, n, given.get(n)) for n in live],
                "StepScopes": list(op.outputs["StepScopes"]),
            },
            {"X@GRAD": grads},
            {
                "sub_block": inner.target,
                "is_test": False,
                "original_output_grad": [inner.gradient_name(n) for n in live],
                **_common(op),
            },
        )


@grad_maker("recurrent")
def _recurrent(op: Operator, walk: GradientWalk) -> None:
    sub: Block = op.attrs["sub_block"]
    states = list(zip(op.attrs["ex_states"], op.attrs["states"], strict=True))
    first = dict(zip(op.inputs.get("initial_states", []), op.attrs["ex_states"], strict=False))
    outs = [n for n in op.outputs["outputs"] if walk.incoming(n) is not None]
    sources = _sources(walk, op, "inputs", "parameters", "initial_states")
    inside = {first.get(n, n) for n in sources}
    flags = _spread(walk, sub, inside, states)
    states = [(m, s) for m, s in states if m in inside]
    with _discarding(walk) as blocks:
        count = len(blocks)
        inner = _open(walk, sub, flags, loop=True)
        for name in dict.fromkeys([*outs, *(s for _, s in states)]):
            inner.start(name, inner.gradient_name(name))
        inner.run(differentiate)
        inner.write()
        found = {n for n in sources if first.get(n, n) in inner.final}
        if not found:
            del blocks[count:]
            return
        outputs = {f"{s}@GRAD": _parts(walk, op, s, found)
                   for s in ("inputs", "initial_states", "parameters")}  # fmt: skip
        inputs: dict[str, Any] = {s: list(n) for s, n in op.inputs.items()}
        inputs["outputs"] = list(op.outputs["outputs"])
        inputs["outputs@GRAD"] = [
            walk.incoming(n) or _zeros(walk, n) for n in op.outputs["outputs"]
        ]
        inputs["step_scopes"] = inputs["step_scopes@GRAD"] = list(op.outputs["step_scopes"])
        attrs = {k: v for k, v in op.attrs.items() if k != "op_role"}
        walk.emit("recurrent_grad", inputs, outputs, {**attrs, "sub_block": inner.target})  # type: ignore[arg-type]


@grad_maker("rnn_memory_helper")
def _memory_helper(op: Operator, walk: GradientWalk) -> None:
    gradient = walk.incoming(op.outputs["Out"][0])
    inputs = {**op.inputs, **op.outputs, "Out@GRAD": [gradient]}
    attrs = {"dtype": op.attrs.get("dtype", int(VarType.FP32))}
    walk.emit("rnn_memory_helper_grad", inputs, {"X@GRAD": walk.outgoing("X")}, attrs)  # type: ignore[arg-type]


# -- conditions ------------------------------------------------------------------------------------


def _has_value(walk: GradientWalk, name: str) -> bool:
    """Says whether a variable may have a value before the current operator writes it."""
    var = walk.block._var_recursive(name)
    if var.persistable or var.is_data or var.block is not walk.block:
        return True
    return any(name in op.output_arg_names for op in walk.ops[: walk.at])


@grad_maker("conditional_block")
def _conditional_block(op: Operator, walk: GradientWalk) -> None:
    sub: Block = op.attrs["sub_block"]
    given = {n: g for n in op.outputs["Out"] if (g := walk.incoming(n)) is not None}
    read = list(op.inputs.get("Input", []))
    # 1.x does not name what the block only writes among the inputs; it may have a value before.
    read += [n for n in given if n not in read and _has_value(walk, n)]
    passed = {n for n in given if n in read}
    for name in passed:
        given[name] = _renamed(walk, sub, name, given[name])
    sources = _sources(walk, op, "Input")
    with _discarding(walk) as blocks:
        count = len(blocks)
        inner = _open(walk, sub, _flags(walk, sub, sources), loop=False)
        for name, gradient in given.items():
            inner.start(name, gradient)
        inner.run(differentiate)
        for name in sorted(passed - inner.final):
            if name in inner.found:  # that is of a value in between, this one of the value before
                out = {"Out": [inner.gradient_name(name)]}
                inner.emit("fill_zeros_like", {"X": [name]}, out, {})  # type: ignore[arg-type]
        inner.write()
        # What the block may have overwritten keeps its gradient where the block does not run.
        found = (sources & inner.final) | passed
        if not found:
            del blocks[count:]
            return
        grads = _named_parts(walk, read, found)
        walk.emit(
            "conditional_block_grad",
            {
                "Cond": list(op.inputs["Cond"]),
                "Input": read,
                "Out": list(given),
                "Out@GRAD": list(given.values()),
                "Scope": list(op.outputs["Scope"]),
            },
            {"Input@GRAD": grads},
            {
                "sub_block": inner.target,
                "is_scalar_condition": bool(op.attrs.get("is_scalar_condition", False)),
                **_common(op),
            },
        )


@grad_maker("select_input")
def _select_input(op: Operator, walk: GradientWalk) -> None:
    gradient = walk.incoming(op.outputs["Out"][0])
    names = _parts(walk, op, "X", set(op.inputs["X"]))
    inputs = {"X": [gradient], "Mask": [walk.value(op.inputs["Mask"][0])]}
    walk.emit("select_output", inputs, {"Out": names}, _common(op))  # type: ignore[arg-type]


@grad_maker("select_output")
def _select_output(op: Operator, walk: GradientWalk) -> None:
    came = {n: g for n in op.outputs["Out"] if (g := walk.incoming(n)) is not None}
    source = op.inputs["X"][0]
    nothing = EMPTY
    if len(came) < len(op.outputs["Out"]):
        var = walk.block._var_recursive(source)
        nothing = walk.target.create_var(
            name=walk.target.unused_name(f"{source}.zeros"), shape=var._dims, dtype=var.dtype
        )._name
        walk.emit("fill_zeros_like", {"X": [walk.name_of(source)]}, {"Out": [nothing]}, {})
    inputs = {
        "X": [came.get(n, nothing) for n in op.outputs["Out"]],
        "Mask": [walk.value(op.inputs["Mask"][0])],
    }
    walk.emit("select_input", inputs, {"Out": walk.outgoing("X")}, _common(op))  # type: ignore[arg-type]


@grad_maker("split_lod_tensor")
def _split(op: Operator, walk: GradientWalk) -> None:
    names = [op.outputs[s][0] for s in ("OutTrue", "OutFalse")]
    yes, no = (walk.incoming(n) or _zeros(walk, n) for n in names)
    mask = [walk.value(op.inputs["Mask"][0])]
    inputs = {"X": [walk.name_of(op.inputs["X"][0])], "Mask": mask}
    inputs |= {"InTrue": [yes], "InFalse": [no]}
    out = {"Out": walk.outgoing("X")}
    walk.emit("merge_lod_tensor", inputs, out, {"level": op.attrs.get("level", 0), **_common(op)})  # type: ignore[arg-type]


@grad_maker("merge_lod_tensor")
def _merge(op: Operator, walk: GradientWalk) -> None:
    gradient = walk.incoming(op.outputs["Out"][0])
    inputs = {"X": [gradient], "Mask": [walk.value(op.inputs["Mask"][0])]}
    outputs = {
        "OutTrue": walk.outgoing("InTrue"),
        "OutFalse": walk.outgoing("InFalse"),
    }
    walk.emit("split_lod_tensor", inputs, outputs, {"level": op.attrs.get("level", 0)})  # type: ignore[arg-type]


# -- tensor arrays ---------------------------------------------------------------------------------


@grad_maker("write_to_array")
def _write_to_array(op: Operator, walk: GradientWalk) -> None:
    """The element has the gradient that the array has there; what it replaced has none."""
    array, value = op.outputs["Out"][0], op.inputs["X"][0]
    gradient = walk.incoming(array)
    assert gradient is not None
    index = walk.value(op.inputs["I"][0])
    like = walk.name_of(value)
    if any(walk.needs_grad("X")):
        inputs = {"X": [gradient], "I": [index], "X_W": [like]}
        walk.emit("read_from_array", inputs, {"Out": walk.outgoing("X")}, _common(op))  # type: ignore[arg-type]
    var = walk.block._var_recursive(value)
    nothing = walk.target.create_var(
        name=walk.target.unused_name(f"{array}.zeros"), type=var.type, shape=var._dims,
        dtype=var.dtype,
    )._name  # fmt: skip
    maybe = {k: op.attrs[k] for k in (MAYBE,) if k in op.attrs}
    walk.emit("fill_zeros_like", {"X": [like]}, {"Out": [nothing]}, maybe)
    walk.emit("write_to_array", {"X": [nothing], "I": [index]}, {"Out": [gradient]}, _common(op))
    walk.start(array, gradient)


@grad_maker("read_from_array")
def _read_from_array(op: Operator, walk: GradientWalk) -> None:
    gradient = walk.incoming(op.outputs["Out"][0])
    if not any(walk.needs_grad("X")):
        return
    inputs = {"X": [gradient], "I": [walk.value(op.inputs["I"][0])]}
    walk.emit("write_to_array", inputs, {"Out": walk.outgoing("X")}, _common(op))  # type: ignore[arg-type]


@grad_maker("tensor_array_to_tensor")
def _tensor_array_to_tensor(op: Operator, walk: GradientWalk) -> None:
    inputs = {s: list(n) for s, n in (op.inputs | op.outputs).items()}
    inputs["Out@GRAD"] = [walk.incoming(op.outputs["Out"][0]) or EMPTY]
    attrs = {k: op.attrs[k] for k in ("axis", "use_stack") if k in op.attrs}
    outputs = {"X@GRAD": walk.outgoing("X")}
    walk.emit("tensor_array_to_tensor_grad", inputs, outputs, attrs)  # type: ignore[arg-type]


@grad_maker("tensor_array_to_tensor_grad")
def _tensor_array_to_tensor_grad(op: Operator, walk: GradientWalk) -> None:
    """The elements are put together again; those that nothing depends on are zero."""
    array = op.outputs["X@GRAD"][0]
    inputs = {"X": [walk.incoming(array)], "X_W": [walk.value(array, True)]}
    attrs = {k: op.attrs[k] for k in ("axis", "use_stack") if k in op.attrs}
    sizes = walk.target.create_var(
        name=walk.target.unused_name(f"{array}.sizes"), dtype="int32", stop_gradient=True
    )
    outputs = {"Out": walk.outgoing("Out@GRAD"), "OutIndex": [sizes._name]}
    walk.emit("tensor_array_to_tensor", inputs, outputs, attrs)  # type: ignore[arg-type]


# -- Python functions ------------------------------------------------------------------------------


@grad_maker("print")
def _print(op: Operator, walk: GradientWalk) -> None:
    gradient = walk.incoming(op.outputs["Out"][0])
    attrs = {k: v for k, v in op.attrs.items() if k != "op_role"}
    outputs = {"Out": walk.outgoing("In")}
    walk.emit("print", {"In": [gradient]}, outputs, {**attrs, "is_forward": False})  # type: ignore[list-item]


@grad_maker("py_func")
def _py_func(op: Operator, walk: GradientWalk) -> None:
    """Another py_func: it gets inputs and results, but for those left out, then gradients."""
    number = op.attrs.get("backward_callable_id", -1)
    of_another = bool(op.role & Role.BACKWARD)  # it is the gradient of a py_func
    if number < 0 and of_another and any(n.endswith("@GRAD") for n in op.input_arg_names):
        raise UnimplementedError(
            "the backward_func of a py_func has no gradient of its own, so the derivative of "
            f"second order does not exist.\n  {op.location or ''}",
            hint="write the function as a paddle.autograd.PyLayer, or with paddle's functions",
        )
    if number < 0:
        return
    skipped = set(op.attrs.get("backward_skip_vars", ()))
    values = [walk.value(n) for n in op.inputs["X"] if n not in skipped]
    values += [walk.value(n, True) for n in op.outputs["Out"] if n not in skipped]
    values += [walk.incoming(n) or EMPTY for n in op.outputs["Out"]]
    attrs = {"forward_callable_id": number, "backward_callable_id": -1, "backward_skip_vars": []}
    walk.emit("py_func", {"X": values}, {"Out": walk.outgoing("X")}, {**attrs, **_common(op)})
