"""IfElse: rows of a batch for which a condition holds go one way, the others another."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.ir.control.blocks import location, need_static
from paddle.ir.control.conditional import ConditionalBlock
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable


class IfElse:
    """Computes with the rows of a batch in one of two ways and puts the results together.

    Args:
        cond (Variable): bool, one element per row: shape [N, 1].
        name (str, optional): prefix of the names made.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            from paddle.static.control import IfElse
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [None, 1])
                ways = IfElse(x > paddle.zeros_like(x))
                with ways.true_block():
                    ways.output(ways.input(x) * 10.0)
                with ways.false_block():
                    ways.output(ways.input(x) - 1.0)
                out, = ways()
                result, = static.Executor().run(feed={"x": [[1.0], [-1.0]]}, fetch_list=[out])
                print(result.tolist())  # [[10.0], [-2.0]]
            paddle.disable_static()
    """

    def __init__(self, cond: Any, name: str | None = None) -> None:
        need_static("IfElse", "use paddle.where")
        if not isinstance(cond, Variable):
            raise TypeError(f"IfElse(cond): expected a Variable, but got {type(cond).__name__}.")
        if cond.dtype != VarType.BOOL:
            raise TypeError(
                f"IfElse(cond): expected a bool Variable, but got {cond.dtype}.{location()}"
            )
        self.cond = cond
        self.name = unique_name.generate("ifelse") if name is None else name
        self._inside: bool | None = None  # which block is open
        self._inputs: dict[str, tuple[Variable, Variable]] = {}
        self._outputs: dict[bool, list[Variable]] = {}
        self._open: tuple[Any, Any] | None = None

    def input(self, x: Variable) -> Variable:
        """Returns the rows of a variable that belong to the block which is open.

        Args:
            x (Variable): of as many rows as the condition.
        """
        side = self._side("input")
        parts = self._inputs.get(x.name)
        if parts is None:
            parent = self._parent()
            parts = self._inputs[x.name] = (self._part(parent, x), self._part(parent, x))
            parent.append_op(
                type="split_lod_tensor",
                inputs={"X": [x], "Mask": [self.cond]},
                outputs={"OutTrue": [parts[0]], "OutFalse": [parts[1]]},
                attrs={"level": 0},
            )
        return parts[0 if side else 1]

    def _part(self, parent: Any, x: Variable) -> Variable:
        return parent.create_var(
            name=unique_name.generate(f"ifelse_input{self.name}"), dtype=x.dtype
        )

    def _parent(self) -> Any:
        parent = default_main_program().current_block().parent_block
        assert parent is not None
        return parent

    def _side(self, what: str) -> bool:
        if self._inside is None:
            raise PreconditionNotMetError(
                f"IfElse.{what}: expected to be called inside of true_block or false_block."
            )
        return self._inside

    @contextlib.contextmanager
    def _branch(self, side: bool) -> Iterator[None]:
        if self._inside is not None:
            raise PreconditionNotMetError("IfElse: its blocks cannot be inside of each other.")
        if side in self._outputs:
            raise PreconditionNotMetError("IfElse: each of its blocks can be written only once.")
        conditional = ConditionalBlock([self.cond])
        self._inside, self._outputs[side] = side, []
        try:
            with conditional.block():
                yield
                if not self._outputs[side]:
                    raise InvalidArgumentError(
                        f"IfElse: a block is expected to call output(...).{location()}"
                    )
        finally:
            self._inside = None

    def true_block(self) -> Any:
        """The context for the rows where the condition holds."""
        return self._branch(True)

    def false_block(self) -> Any:
        """The context for the other rows."""
        return self._branch(False)

    def output(self, *outs: Variable) -> None:
        """Says what the open block computes, in the same order in both blocks.

        Args:
            *outs (Variable): with one row per row of the inputs.
        """
        side = self._side("output")
        for out in outs:
            if not isinstance(out, Variable):
                raise TypeError(
                    f"IfElse.output: expected Variables, but received {type(out).__name__}."
                )
            made = self._parent().create_var(
                name=unique_name.generate(f"{self.name}_output"), dtype=out.dtype, shape=out.shape
            )
            default_main_program().current_block().append_op(
                type="assign", inputs={"X": [out]}, outputs={"Out": [made]}
            )
            self._outputs[side].append(made)

    def __call__(self) -> list[Variable]:
        """Returns what the blocks computed, rows in their original order."""
        if set(self._outputs) != {True, False}:
            raise PreconditionNotMetError(
                "IfElse: expected both true_block and false_block before its call."
            )
        yes, no = self._outputs[True], self._outputs[False]
        if len(yes) != len(no):
            raise InvalidArgumentError(
                "IfElse: expected the same number of outputs from both blocks, but true_block "
                f"has {len(yes)} and false_block {len(no)}.{location()}"
            )
        block = default_main_program().current_block()
        merged = []
        for a, b in zip(yes, no, strict=True):
            out = block.create_var(
                name=unique_name.generate("merge_lod_tensor") + ".tmp_0", dtype=a.dtype
            )
            block.append_op(
                type="merge_lod_tensor",
                inputs={"X": [self.cond], "Mask": [self.cond], "InTrue": [a], "InFalse": [b]},
                outputs={"Out": [out]},
                attrs={"level": 0},
            )
            merged.append(out)
        return merged
