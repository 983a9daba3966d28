"""Static or dynamic: 1.x is static by default, 2.0 dynamic; what is made first decides.

When ``paddle.fluid`` is first used and no mode was chosen, the mode is open: a hook stands where
static mode has its own, so the first operator call, or the first question for the mode, comes here.
The hook looks who asks, settles the mode and is gone; from then on nothing costs anything. A name
of fluid that only makes sense in static mode settles it to static, an eager Tensor to dynamic;
``program_guard`` and ``dygraph.guard`` set it for their block; ``enable_static`` and
``disable_static`` win.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.core.mode import (
    current_hook,
    hooked,
    recording,
    set_open,
    set_recording,
    undecided,
)
from paddle.core.op import C, py
from paddle.core.tensor import Tensor
from paddle.framework.mode import Choice
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.variable import Variable

_DYNAMIC = ("paddle.fluid.dygraph", "paddle.fluid.framework", "paddle.fluid.mode")
"""Parts of fluid that do not say static when they are called while the mode is open."""

_MAKERS = ("paddle.tensor.", "paddle.nn.")
"""Modules that ask for the mode in order to make something; others only want to know."""


class Open:
    """The hook of an open mode: settles it by the first thing that is made."""

    undecided = True

    @property
    def records(self) -> bool:
        """The answer to ``recording()``: static if a function of fluid asks."""
        frame = sys._getframe(2)  # who called recording()
        static, tensors = _asked_by(frame)
        if tensors or not static:
            if tensors or frame.f_globals.get("__name__", "").startswith(_MAKERS):
                settle_dynamic(_place(frame))
            return False
        _start()
        return True

    def __call__(self, op: Any, args: tuple, attrs: dict[str, Any]) -> Any:
        """The first operator that is called: records it, or runs it."""
        frame = sys._getframe(1)
        kinds = [type(value) for value in _flat(args)]
        if not any(issubclass(kind, Tensor) for kind in kinds) and (
            any(issubclass(kind, Variable) for kind in kinds) or _asked_by(frame) == (True, False)
        ):
            _start()
        else:
            settle_dynamic(_place(frame))
        return getattr(C, op.name)(*args, **{py(name): value for name, value in attrs.items()})


class _Settled:
    """Where dynamic mode came from, if by an eager Tensor; for texts of errors."""

    where = ""


_OPEN = Open()


def reopen() -> None:
    """Forgets what was chosen and made, as at the start of a process; for tests."""
    Choice.made, _Settled.where = False, ""
    set_recording(None)
    set_recording(_OPEN)


def is_open() -> bool:
    """Whether nothing has settled the mode yet."""
    return undecided() is not None


def in_dygraph_mode() -> bool:
    """Whether operators run at once; while the mode is open they do not, as 1.x has it.

    It is ``fluid.in_dygraph_mode``. ``fluid.framework.in_dygraph_mode``, which 2.x code imports, is
    2.0's and takes an open mode for dynamic.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                print(fluid.in_dygraph_mode())  # True
    """
    return not is_open() and not recording()


def prefer_static() -> None:
    """Settles an open mode to static; a mode that is settled stays as it is."""
    if is_open():
        _start()


def settle_dynamic(where: str = "") -> None:
    """Settles an open mode to dynamic.

    Args:
        where (str): what did so, for texts of errors.
    """
    if is_open():
        _Settled.where = where
        set_recording(None)


def settle_static(api: str) -> None:
    """Called by what only static mode has, before it makes anything.

    Args:
        api (str): the name that the user called, for the error's text.

    Raises:
        RuntimeError: dynamic mode was chosen, or eager Tensors have been made.
    """
    prefer_static()
    if recording():
        note_programs()
        return
    if _Settled.where and not Choice.made:
        why = f"the first eager Tensor was made ({_Settled.where})"
    else:
        why = "a guard, enable_dygraph() or disable_static() chose it"
    raise PreconditionNotMetError(
        f"{api} builds a static Program, but dynamic mode is on: {why}.",
        hint="call paddle.enable_static() before, or build inside `with fluid.program_guard(...)`",
    )


def note_programs() -> None:
    """Notes of the default Programs that they are of 1.x; see ``Program.of_1x``."""
    default_main_program().of_1x = default_startup_program().of_1x = True


@contextlib.contextmanager
def static_block() -> Iterator[None]:
    """Static mode for a block, unless dynamic mode was chosen or a guard is around it."""
    if not is_open() and (Choice.made or not _Settled.where):
        yield
        return
    from paddle.ir.recording.static_mode import record

    with hooked(record):
        yield


def _start() -> None:
    from paddle.ir.recording.static_mode import start

    start()


def _asked_by(frame: FrameType | None) -> tuple[bool, bool]:
    """Whether the user called a function of fluid, and whether with eager Tensors."""
    static = tensors = False
    while frame is not None:
        name = frame.f_globals.get("__name__", "paddle.")
        if not name.startswith("paddle") and name not in ("contextlib", "functools"):
            break
        if name.startswith(_DYNAMIC):
            return False, False
        if name.startswith(("paddle.fluid", "paddle.incubate.layer_helper")):
            static = True
            tensors |= any(isinstance(value, Tensor) for value in _flat(frame.f_locals.values()))
        frame = frame.f_back
    return static, static and tensors


def _flat(values: Any) -> Iterator[Any]:
    """The values, and those in lists, tuples and dicts among them."""
    for value in values:
        if type(value) in (list, tuple):
            yield from value
        elif type(value) is dict:
            yield from value.values()
        else:
            yield value


def _place(frame: FrameType | None) -> str:
    """File and line of the user's code."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "paddle.")
        if not name.startswith("paddle") and name not in ("contextlib", "functools"):
            return f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return "an operator was called"


def _open() -> None:
    """Opens the mode, once, unless it was chosen or something else has hooked it."""
    if not Choice.made and current_hook() is None:
        set_open(_OPEN)  # a thread may be the first to use fluid


_open()
