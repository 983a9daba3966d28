"""Switch: the first block whose condition holds runs, as a chain of ``with`` blocks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.op import C
from paddle.ir.control.blocks import check_condition, location, need_static
from paddle.ir.control.conditional import ConditionalBlock


class Switch:
    """Chooses one of several blocks: the first whose condition is true, else the default.

    Args:
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            from paddle.static.control import Switch
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                step = static.data("step", [1])
                rate = paddle.zeros([1])
                with Switch() as switch:
                    with switch.case(step < 10.0):
                        paddle.assign(paddle.full([1], 1.0), output=rate)
                    with switch.default():
                        paddle.assign(paddle.full([1], 0.1), output=rate)
                exe = static.Executor()
                print(exe.run(feed={"step": [20.0]}, fetch_list=[rate])[0])  # [0.1]
            paddle.disable_static()
    """

    def __init__(self, name: str | None = None) -> None:
        need_static("Switch", "use Python's if")
        self._inside = False
        self._none_before: list[Any] = []  # per case: no case up to this one holds

    @contextlib.contextmanager
    def case(self, condition: Any) -> Iterator[None]:
        """The context that runs if its condition is the first that holds.

        Args:
            condition (Variable): one boolean.
        """
        self._check("case")
        check_condition("Switch.case", "condition", condition)
        other = C.logical_not(condition)
        if not self._none_before:
            self._none_before.append(other)
            chosen = condition
        else:
            before = self._none_before[-1]
            self._none_before.append(C.logical_and(before, other))
            chosen = C.logical_and(before, condition)
        with ConditionalBlock([chosen], is_scalar_condition=True).block():
            yield

    @contextlib.contextmanager
    def default(self) -> Iterator[None]:
        """The context that runs if no condition holds."""
        self._check("default")
        if not self._none_before:
            raise InvalidArgumentError(f"Switch.default: there is no case before it.{location()}")
        with ConditionalBlock([self._none_before[-1]], is_scalar_condition=True).block():
            yield

    def _check(self, what: str) -> None:
        if not self._inside:
            raise PreconditionNotMetError(
                f"Switch.{what}: expected to be called inside of 'with Switch() as switch:'."
            )

    def __enter__(self) -> Switch:
        self._inside = True
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> bool:
        self._inside = False
        return exc_type is None
