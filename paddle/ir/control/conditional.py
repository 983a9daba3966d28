"""ConditionalBlock: a block of a Program that runs only if a condition holds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from paddle.ir.block import Block
from paddle.ir.control.blocks import (
    need_static,
    reads,
    step_scopes,
    sub_block,
    writes,
)
from paddle.ir.operator import Operator


class ConditionalBlock:
    """Runs operators under a condition.

    Args:
        inputs (list[Variable]): the condition.
        is_scalar_condition (bool): the condition is one boolean; else the block runs if nothing
            that it reads is empty. Default: False.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            from paddle.static.control import ConditionalBlock
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [1])
                out = paddle.zeros([1])
                with ConditionalBlock([x > 0.0], is_scalar_condition=True).block():
                    paddle.assign(x * 2.0, output=out)
                exe = static.Executor()
                print(exe.run(feed={"x": [3.0]}, fetch_list=[out])[0])  # [6.]
            paddle.disable_static()
    """

    def __init__(
        self, inputs: Sequence[Any], is_scalar_condition: bool = False, name: str | None = None
    ) -> None:
        need_static("ConditionalBlock", "use Python's if")
        self.inputs = list(inputs)
        self.is_scalar_condition = is_scalar_condition

    @contextlib.contextmanager
    def block(self) -> Iterator[Block]:
        """The context whose operators run under the condition."""
        with sub_block() as block:
            yield block
        self.finish(block)

    def finish(self, block: Block) -> Operator:
        """Adds the operator that runs a block which is complete."""
        parent = block.parent_block
        assert parent is not None
        names = {v.name for v in self.inputs}
        return parent.append_op(
            type="conditional_block",
            inputs={
                "Cond": self.inputs,
                "Input": [n for n in reads(block) if n not in names],
            },
            outputs={"Out": writes(block), "Scope": [step_scopes(parent)]},
            attrs={
                "sub_block": block,
                "is_scalar_condition": self.is_scalar_condition,
                "skip_eager_deletion_vars": [],
            },
        )
