"""While: a block of a Program that runs as long as a condition holds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.block import Block
from paddle.ir.control.blocks import (
    check_condition,
    location,
    need_static,
    reads,
    step_scopes,
    sub_block,
    writes,
)


class While:
    """A loop of a static Program in the form of a ``with`` block.

    The block has to write the condition anew, else the loop would never end. Prefer
    :func:`paddle.static.nn.while_loop`.

    Args:
        cond (Variable): one boolean; the block runs while it is true.
        is_test (bool): keep nothing for a backward pass. Default: False.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            from paddle.static.control import While
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                i = paddle.full([1], 0, "int64")
                n = paddle.full([1], 10, "int64")
                going = paddle.less_than(i, n)
                with While(going).block():
                    paddle.increment(i)
                    paddle.assign(paddle.less_than(i, n), output=going)
                print(static.Executor().run(fetch_list=[i])[0])  # [10]
            paddle.disable_static()
    """

    def __init__(self, cond: Any, is_test: bool = False, name: str | None = None) -> None:
        need_static("While", "use Python's while")
        if not isinstance(is_test, bool):
            raise TypeError(f"While(is_test): expected a bool, but got {type(is_test).__name__}.")
        self.cond_var = check_condition("While", "cond", cond)
        self.is_test = is_test

    @contextlib.contextmanager
    def block(self) -> Iterator[Block]:
        """The context whose operators are repeated."""
        with sub_block() as block:
            yield block
            if self.cond_var.name not in writes(block):
                raise InvalidArgumentError(
                    f"While: the block never writes its condition {self.cond_var.name!r}, so the "
                    f"loop would never end.{location()}",
                    hint="end the block with paddle.assign(new_condition, output=condition)",
                )
        self.finish(block)

    def finish(self, block: Block) -> None:
        """Adds the operator that repeats a block which is complete."""
        parent = block.parent_block
        assert parent is not None
        outs, condition = writes(block), self.cond_var.name
        read = [n for n in dict.fromkeys([*reads(block), *outs]) if n != condition]
        parent.append_op(
            type="while",
            inputs={"X": read, "Condition": [self.cond_var]},
            outputs={"Out": outs, "StepScopes": [step_scopes(parent)]},
            attrs={
                "sub_block": block,
                "is_test": self.is_test,
                "skip_eager_deletion_vars": [],
            },
        )
