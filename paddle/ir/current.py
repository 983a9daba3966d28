"""The Programs that are being built: the defaults and the guards that change them.

Guards concern the thread that entered them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.core.backends import choices, named
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import expected_names
from paddle.core.setting import Setting
from paddle.ir.operator import here
from paddle.ir.program import Program, device_mark, name_scopes

_main = Setting("default main program", Program())
_startup = Setting("default startup program", Program())


def default_main_program() -> Program:
    """Returns the Program to which public functions add operators in static mode.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.static.default_main_program().num_blocks)  # 1
    """
    return _main.get()


def default_startup_program() -> Program:
    """Returns the Program that gives parameters their first values; run it once.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.static.default_startup_program().num_blocks)  # 1
    """
    return _startup.get()


def switch_main_program(program: Program) -> Program:
    """Makes a Program the default main one and returns the one before."""
    return _main.switch(program)


def switch_startup_program(program: Program) -> Program:
    """Makes a Program the default startup one and returns the one before."""
    return _startup.switch(program)


def _check(value: Any, argument: str) -> None:
    if not isinstance(value, Program):
        raise TypeError(
            f"program_guard({argument}): expected a Program, but received {type(value).__name__}."
            f"{here()}"
        )


@contextlib.contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Makes given Programs the default ones inside a ``with`` block, for this thread.

    Args:
        main_program (Program): the main Program.
        startup_program (Program, optional): the startup Program; None keeps the current one.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [2, 3])
            print(list(main.global_block().vars))  # ['x']
            paddle.disable_static()
    """
    _check(main_program, "main_program")
    if startup_program is not None:
        _check(startup_program, "startup_program")
    started = default_startup_program() if startup_program is None else startup_program
    with _main.guard(main_program), _startup.guard(started):
        yield


@contextlib.contextmanager
def name_scope(prefix: str | None = None) -> Iterator[None]:
    """Marks the operators added inside with a name, for reading and drawing the Program.

    Args:
        prefix (str): the name; scopes pytree.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [2])
                with paddle.static.name_scope("encoder"):
                    y = x + 1.0
            print(main.global_block().ops[0].attr("op_namescope"))  # /encoder/
            paddle.disable_static()
    """
    if not isinstance(prefix, str) or not prefix:
        raise InvalidArgumentError(
            f"name_scope(prefix): expected a name, but got {prefix!r}.{here()}"
        )
    names, used = name_scopes.get(), default_main_program()._scope_counts
    parent = "/".join(names)
    count = used.get((parent, prefix), 0)
    used[parent, prefix] = count + 1
    with name_scopes.guard((*names, prefix if not count else f"{prefix}_{count}")):
        yield


@contextlib.contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Says on which device the operators added inside run.

    Args:
        device (str|None): ``"cpu"``, ``"gpu"``, ``"xpu"`` or the name of a plug-in's devices, with
            or without a number: ``"gpu:1"``; None leaves it to the Executor's place.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                with paddle.static.device_guard("cpu"):
                    x = paddle.ones([2])
            print(main.global_block().ops[0].attr("op_device"))  # cpu
            paddle.disable_static()
    """
    if device is not None and not isinstance(device, str):
        raise TypeError(
            f"device_guard(device): expected a str or None, but got {type(device).__name__}."
            f"{here()}"
        )
    kind, _, index = (device or "").partition(":")
    known = (kind in ("xpu", "") or named(kind)) and (not index or index.isdigit())
    if device is not None and not known:
        raise InvalidArgumentError(
            f"device_guard(device): expected {expected_names('<number>')}, but got {device!r}."
            f"{here()}"
        )
    if kind in choices() and choices()[kind].host and index:
        raise InvalidArgumentError(f"device_guard(device): {kind!r} takes no number.{here()}")
    with device_mark.guard(device or ""):
        yield
