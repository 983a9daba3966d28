"""Conversion: the operators of a Program in their order, each by the rule of its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import UnimplementedError
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.onnx.folding import computed, folded
from paddle.onnx.graph import Graph, Model
from paddle.onnx.rules.registry import rule_of
from paddle.onnx.step import Refused, Step


class Conversion:
    """Converts blocks, and gathers what cannot be converted.

    Args:
        model (Model): what nodes and constants go to.
        read (set[str]): the variables that somebody reads.
    """

    def __init__(self, model: Model, read: set[str]) -> None:
        self.model = model
        self.read = read
        self.problems: dict[tuple[str, str], list[Operator]] = {}  # type, why -> operators

    def convert(self, block: Block, graph: Graph, env: dict[str, str]) -> None:
        """Converts the operators of a block.

        Args:
            block (Block): the block.
            graph (Graph): where the nodes go.
            env (dict): variable -> value; gets what the operators write.
        """
        for op in block.ops:
            step = Step(op, graph, self, env)
            rule = rule_of(op.type)
            try:
                made: Any = folded(step, large=rule is None)
                if made is None:
                    _refuse_complex(step)
                    if rule is None:
                        raise Refused("ONNX has no operator for it, and no rule composes one")
                    made = _by_slots(step, rule(graph, step))
            except Refused as refused:
                self.problems.setdefault((op.type, str(refused)), []).append(op)
                made = {slot: [""] * len(names) for slot, names in op.outputs.items()}
            self._bind(op, made, env)

    computed = staticmethod(computed)

    def _bind(
        self, op: Operator, made: Mapping[str, list[str | None]], env: dict[str, str]
    ) -> None:
        """Lets variables stand for what a rule made; those without a value are not there."""
        for slot, names in op.outputs.items():
            for name, value in zip(names, made.get(slot, ()), strict=False):
                if name == EMPTY or value is None:
                    continue
                env[name] = value
                var = op.block._find_var_recursive(name)
                if var is not None:
                    self.model.dtypes.setdefault(value, var.dtype)

    def raise_problems(self, where: str) -> None:
        """Raises one error that names all operators that could not be converted."""
        if not self.problems:
            return
        parts = []
        for (type, why), ops in self.problems.items():
            times = "once" if len(ops) == 1 else f"{len(ops)} times"
            at = next((op.location for op in ops if op.location is not None), None)
            parts.append(f"\n  {type} ({times}): {why}.")
            if at is not None:
                parts.append(f"\n    {str(at).replace(chr(10), chr(10) + '    ')}")
        types = len({type for type, _ in self.problems})
        raise UnimplementedError(
            f"{where}: {types} operator{'s' * (types > 1)} cannot be expressed in ONNX:"
            + "".join(parts),
            hint="leave the results out that need them (output_spec), compute them by other "
            "functions, or give the operator a rule: @paddle.onnx.rules.rule('name')",
        )


def _refuse_complex(step: Step) -> None:
    for name in {*step.op.input_arg_names, *step.op.output_arg_names}:
        var = step.op.block._find_var_recursive(name)
        if var is not None and var.dtype in (VarType.COMPLEX64, VarType.COMPLEX128):
            raise Refused("ONNX's operators take no complex numbers")


def _by_slots(step: Step, made: Any) -> Mapping[str, list[str | None]]:
    """What a rule returned: output slot -> values."""
    if isinstance(made, Mapping):
        return {k: v if isinstance(v, list) else [v] for k, v in made.items()}
    known = step.op.declared
    assert known is not None
    slots = [slot.name for slot in known.outputs]
    listed = made if isinstance(made, tuple) else (made,)
    return {
        slot: value if isinstance(value, list) else [value]
        for slot, value in zip(slots, listed, strict=False)
    }
