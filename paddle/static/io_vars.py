"""Saving and loading chosen variables of a Program in the layouts of 1.x."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from paddle.core.guards import guard_module
from paddle.ir.inference import NO_VALUES, persistables
from paddle.ir.variable import Variable
from paddle.serialization.models.files import (
    read_separate,
    read_streams,
    streams,
    write_separate,
    write_streams,
)
from paddle.serialization.program_state import Stored, put_values
from paddle.static.io_arguments import checked_path, device_of, program_of, variables_of

__all__ = ["load_vars", "save_vars"]


def _chosen(
    program: Any, given: Any, predicate: Callable[[Variable], bool] | None, where: str
) -> dict[str, Variable]:
    """The variables to save or load by name."""
    if given is not None:
        listed = variables_of(given, "vars", where)
    elif predicate is None:
        listed = persistables(program_of(program, where))
    elif callable(predicate):
        listed = [v for v in program_of(program, where).list_vars() if predicate(v)]
    else:
        raise TypeError(
            f"{where}(predicate): expected a function of a Variable, "
            f"but received {type(predicate).__name__}."
        )
    return {v.name: v for v in listed if v.type not in NO_VALUES}


def save_vars(
    executor: Any,
    dirname: str | None,
    main_program: Any = None,
    vars: Any = None,
    predicate: Callable[[Variable], bool] | None = None,
    filename: str | None = None,
) -> bytes | None:
    """Saves variables of a Program, each to a file of its own name or all to one file.

    Args:
        executor (Executor): what ran the startup Program; the values are those of the global scope.
        dirname (str|None): the folder, made if need be; None returns the bytes of one file.
        main_program (Program, optional): where variables are looked for; None means the default.
        vars (list[Variable], optional): the variables; goes before ``predicate``.
        predicate (callable, optional): ``predicate(variable)`` says whether a variable is saved;
            with neither, all stored ones are.
        filename (str, optional): one file for all; None makes a file for each.

    Returns:
        bytes: what one file would hold, where ``dirname`` is None; else None.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                y = static.nn.fc(static.data("x", [None, 4]), 2, name="out")
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                static.save_vars(exe, folder, main)
                print(sorted(os.listdir(folder)))  # ['out.b_0', 'out.w_0']
                static.load_vars(exe, folder, main)
            paddle.disable_static()
    """
    where = "save_vars"
    device_of(executor, where)
    stored = Stored(_chosen(main_program, vars, predicate, where).values(), purpose=where)
    if dirname is None and filename is None:
        return streams(stored)
    folder = checked_path(dirname, f"{where}(dirname)")
    if filename is None:
        os.makedirs(folder, exist_ok=True)
        write_separate(folder, stored)
    elif len(stored):
        write_streams(os.path.join(folder, checked_path(filename, f"{where}(filename)")), stored)
    return None


def load_vars(
    executor: Any,
    dirname: str | None,
    main_program: Any = None,
    vars: Any = None,
    predicate: Callable[[Variable], bool] | None = None,
    filename: Any = None,
) -> None:
    """Loads variables of a Program from files of their own or from one file.

    Args:
        executor (Executor): on whose device values are put, in the global scope.
        dirname (str|None): the folder; None takes ``filename`` as the bytes of one file.
        main_program (Program, optional): where variables are looked for; None means the default.
        vars (list[Variable], optional): the variables; goes before ``predicate``.
        predicate (callable, optional): ``predicate(variable)`` says whether a variable is loaded;
            with neither, all stored ones are.
        filename (str|bytes, optional): the file of all variables, which must be exactly these; None
            reads a file for each.

    Raises:
        RuntimeError: (also a FileNotFoundError) files are not there; says what lies beside them.
        ValueError: a value does not fit its variable; lists all such, and nothing is set.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                y = static.nn.fc(static.data("x", [None, 4]), 2)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                static.save_vars(exe, folder, main, filename="all")
                static.load_vars(exe, folder, main, filename="all")
            paddle.disable_static()
    """
    where = "load_vars"
    device = device_of(executor, where)
    variables = _chosen(main_program, vars, predicate, where)
    if dirname is None:
        if not isinstance(filename, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"{where}: without dirname, expected the content of a file in filename as bytes, "
                f"but received {type(filename).__name__}."
            )
        values = read_streams(filename, variables, where)
    elif filename is None:
        values = read_separate(checked_path(dirname, f"{where}(dirname)"), variables, where)
    else:
        folder = checked_path(dirname, f"{where}(dirname)")
        path = os.path.join(folder, checked_path(filename, f"{where}(filename)"))
        values = read_streams(path, variables, where)
    put_values(variables, values, None, device, where, complete=True)


guard_module(globals())
