"""``recurrent`` as a ``while`` loop, for derivatives of higher order.

The gradient of ``recurrent`` has a form of its own, with slices of sequences and memories. Where it
is differentiated, the operator is replaced by a loop that gathers the slices and puts the results
of its steps into tensor arrays, and its gradient by that of this loop.
"""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import UnimplementedError
from paddle.ir.autodiff.control_rewriting import outer_reads, outer_writes
from paddle.ir.autodiff.gradient_flow import flags_of
from paddle.ir.autodiff.gradient_makers import differentiate
from paddle.ir.autodiff.gradient_walk import GradientWalk
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator

_OF = "_loop_of"  # attribute of the operators that stand for a recurrent one: its scopes
_SLOTS = ("inputs", "initial_states", "parameters")


def rewrite_recurrent_gradient(op: Operator) -> None:
    """Replaces a ``recurrent_grad``, and the operator that it is the gradient of, by loops."""
    block, scopes = op.block, op.inputs["step_scopes"][0]
    for forward in block.ops:
        if forward.type == "recurrent" and scopes in forward.outputs.get("step_scopes", ()):
            _Loop(forward, scopes).write()
            break
    ops = [o for o in block.ops if o.attrs.get(_OF) == scopes]
    if not ops:
        raise UnimplementedError(
            "the derivative of second order through a recurrent operator inside of control flow "
            "does not exist." + (f"\n  {op.location}" if op.location else ""),
            hint="write the recurrence as paddle.static.nn.while_loop, whose gradients can be "
            "differentiated",
        )
    _derive_again(op, ops)
    old: Block = op.attrs.pop("sub_block", None)
    if old is not None:
        old.ops, old.vars, old.forward_block_idx = [], {}, -1


def _derive_again(op: Operator, ops: list[Operator]) -> None:
    """Puts the gradient operators of a loop in the place of one of a recurrent operator."""
    block, role = op.block, op.role
    wanted = {
        name: gradient
        for slot in _SLOTS
        for name, gradient in zip(
            op.inputs.get(slot, []), op.outputs.get(f"{slot}@GRAD", []), strict=False
        )
        if gradient != EMPTY
    }
    flags = flags_of(block, ops, lambda v, made: not made and v._name in wanted)
    walk = GradientWalk(block, ops, flags, block, location=op.location)
    for name, gradient in zip(op.inputs["outputs"], op.inputs["outputs@GRAD"], strict=True):
        if gradient != EMPTY:
            walk.start(name, gradient)
    walk.run(differentiate)
    for name, gradient in wanted.items():
        found = walk.found.get(name)
        if found is None:
            walk.emit("fill_zeros_like", {"X": [name]}, {"Out": [gradient]}, {})
        else:
            walk.emit("assign", {"X": [found]}, {"Out": [gradient]}, {})
    before = set(map(id, block.ops))
    walk.write()
    made = [o for o in block.ops if id(o) not in before]
    for step in made:
        step.attrs["op_role"] = role
    rest = [o for o in block.ops if id(o) in before]
    at = next(i for i, o in enumerate(rest) if o is op)
    last = made.pop()
    op.type, op.inputs, op.outputs = last.type, last.inputs, last.outputs
    sub = op.attrs["sub_block"]
    op.attrs = {**last.attrs, "sub_block": sub}
    block.ops = [*rest[:at], *made, *rest[at:]]


class _Loop:
    """A recurrent operator on its way to becoming a loop."""

    def __init__(self, op: Operator, scopes: str) -> None:
        self.op, self.block, self.scopes = op, op.block, scopes
        self.body: Block = op.attrs["sub_block"]
        self.before: list[Operator] = []
        self.first: list[Operator] = []
        self.last: list[Operator] = []
        self.after: list[Operator] = []

    def write(self) -> None:
        """Exchanges the operator for the loop."""
        op, body = self.op, self.body
        step, at, count, going = self._count()
        for name in op.inputs.get("inputs", []):
            self._slice(name, at)
        memories = zip(op.attrs["ex_states"], op.attrs["states"], strict=True)
        for (memory, state), start in zip(
            memories, op.inputs.get("initial_states", []), strict=True
        ):
            held = self._var(f"{memory}.held", like=start)
            self._add(self.before, "assign", {"X": [start]}, {"Out": [held]})
            self._add(self.first, "assign", {"X": [held]}, {"Out": [memory]})
            self._add(self.last, "assign", {"X": [state]}, {"Out": [held]})
        for name in op.outputs["outputs"]:
            self._collect(name, at)
        self._add(self.last, "increment", {"X": [step]}, {"Out": [step]}, step=1.0)
        compared = {"X": [step], "Y": [count]}, {"Out": [going]}
        self._add(self.last, "less_than", *compared, axis=-1)
        self._add(self.before, "less_than", *compared, axis=-1)
        for inner in body.ops:
            if inner.type == "rnn_memory_helper":  # it marks a state for the recurrent operator
                inner.type = "assign"
                inner.inputs, inner.outputs = (
                    {"X": inner.inputs["X"]},
                    {"Out": inner.outputs["Out"]},
                )
        body.ops = [*self.first, *body.ops, *self.last]
        written = outer_writes(body)
        read = dict.fromkeys([*outer_reads(body), *written])
        kept = self.block.create_var(
            name=self.block.unused_name("scopes"), type=VarType.STEP_SCOPES
        )
        self._add(
            self.before,
            "while",
            {"X": [n for n in read if n != going], "Condition": [going]},
            {"Out": written, "StepScopes": [kept._name]},
            sub_block=body, is_test=False, skip_eager_deletion_vars=[],
        )  # fmt: skip
        index = next(i for i, o in enumerate(self.block.ops) if o is op)
        self.block.ops[index : index + 1] = [*self.before, *self.after]
        self.block.note_change()

    def _count(self) -> tuple[str, str, str, str]:
        """The number of the step, the place in the sequences, their length, the condition."""
        sizes = self._var("sizes", dtype="int32")
        count, wide = self._var("count", dtype="int32"), self._var("count", [1], "int64")
        step, going = self._var("step", [1], "int64"), self._var("going", [1], "bool")
        source = self.op.inputs["inputs"][0]
        self._add(self.before, "shape", {"Input": [source]}, {"Out": [sizes]})
        cut = {"axes": [0], "starts": [0], "ends": [1], "decrease_axis": [], "infer_flags": [1]}
        self._add(self.before, "slice", {"Input": [sizes]}, {"Out": [count]}, **cut)
        kinds = {"in_dtype": int(VarType.INT32), "out_dtype": int(VarType.INT64)}
        self._add(self.before, "cast", {"X": [count]}, {"Out": [wide]}, **kinds)
        zero = {"shape": [1], "value": 0.0, "dtype": int(VarType.INT64)}
        self._add(self.before, "fill_constant", {}, {"Out": [step]}, **zero)
        at = self._var("at", [1], "int64", inside=True)
        if self.op.attrs.get("reverse"):
            left = self._var("left", [1], "int64", inside=True)
            difference = {"X": [wide], "Y": [step]}, {"Out": [left]}
            self._add(self.first, "elementwise_sub", *difference, axis=-1)
            less = {"scale": 1.0, "bias": -1.0, "bias_after_scale": True}
            self._add(self.first, "scale", {"X": [left]}, {"Out": [at]}, **less)
        else:
            self._add(self.first, "assign", {"X": [step]}, {"Out": [at]})
        return step, at, wide, going

    def _slice(self, name: str, at: str) -> None:
        """What a step sees of a sequence has the sequence's name inside of the block."""
        var = self.block._var_recursive(name)
        whole = self._var(f"{name}.whole", like=name)
        self._add(self.before, "assign", {"X": [name]}, {"Out": [whole]})
        gathered = {"X": [whole], "Index": [at]}
        if len(var._dims) == 1:
            self._add(self.first, "gather", gathered, {"Out": [name]})
            return
        one = self._var(f"{name}.one", [1, *var._dims[1:]], var.dtype, inside=True)
        shape = self._var(f"{name}.shape", [0, 1, *var._dims[1:]], var.dtype, inside=True)
        self.body.vars[one].stop_gradient = False
        self._add(self.first, "gather", gathered, {"Out": [one]})
        slots = {"X": [one]}, {"Out": [name], "XShape": [shape]}
        self._add(self.first, "squeeze2", *slots, axes=[0])

    def _collect(self, name: str, at: str) -> None:
        """The results of the steps in order of time."""
        inner = self.body._var_recursive(name)
        array = self.block.create_var(
            name=self.block.unused_name(f"{name}.steps"), type=VarType.LOD_TENSOR_ARRAY,
            shape=inner._dims, dtype=inner.dtype,
        )._name  # fmt: skip
        sizes = self._var(f"{name}.sizes", dtype="int32")
        self._add(self.last, "write_to_array", {"X": [name], "I": [at]}, {"Out": [array]})
        outputs = {"Out": [name], "OutIndex": [sizes]}
        self._add(
            self.after, "tensor_array_to_tensor", {"X": [array]}, outputs, axis=0, use_stack=True
        )

    def _var(
        self, name: str, shape: Any = None, dtype: Any = None, like: str = "", inside: bool = False
    ) -> str:
        block = self.body if inside else self.block
        options: dict[str, Any] = {"shape": shape, "dtype": dtype, "stop_gradient": True}
        if like:
            var = self.block._var_recursive(like)
            options = {"shape": var._dims, "dtype": var.dtype, "stop_gradient": var.stop_gradient}
        return block.create_var(name=block.unused_name(name), **options)._name

    def _add(
        self, to: list[Operator], type: str, inputs: dict, outputs: dict, **attrs: Any
    ) -> None:
        inside = to is self.first or to is self.last
        attrs["op_role"] = self.op.role
        if not inside:
            attrs[_OF] = self.scopes
        block = self.body if inside else self.block
        to.append(Operator(block, type, inputs, outputs, attrs, self.op.location))
