"""Checks of what the functions that save and load Programs are given."""

from __future__ import annotations

import os
from typing import Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.executor.executor import Executor
from paddle.ir.current import default_main_program
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.serialization.files.suffixes import PROGRAM
from paddle.serialization.models.files import without_suffix


def options(given: dict[str, Any], known: tuple[str, ...], where: str) -> list[Any]:
    """Returns the values of keyword arguments in the order of their names; None where left out."""
    for name in given:
        if name not in known:
            raise InvalidArgumentError(
                f"{where}: there is no option {name!r}; the options are {', '.join(known)}."
            )
    return [given.get(name) for name in known]


def checked_path(path: Any, where: str) -> str:
    """Returns a path as text.

    Args:
        path (str|os.PathLike): what the user gave.
        where (str): function and argument, for the error.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{where}: expected a str, but received {type(path).__name__}.")
    return os.fsdecode(path)


def checked_prefix(path: Any, where: str) -> str:
    """Returns a path of the form folder/name, to which suffixes are added."""
    prefix = checked_path(path, where)
    if not os.path.basename(prefix):
        raise InvalidArgumentError(
            f"{where}: expected the form folder/name, but received {prefix!r}, whose name is empty."
        )
    return prefix


def program_prefix(path: Any, where: str) -> str:
    """Returns the prefix of a model, which may be given by its program file."""
    return without_suffix(checked_prefix(path, where), PROGRAM)


def refuse_folder(prefix: str, where: str) -> None:
    """Raises if the prefix of a model that is to be written is a folder."""
    if os.path.isdir(prefix):
        raise InvalidArgumentError(
            f"{where}: expected the form folder/name, but {prefix!r} is a folder.",
            hint=f"add a name: {os.path.join(prefix, 'model')!r}",
        )


def model_filenames(given: dict[str, Any], where: str, content: bool = False) -> tuple[Any, Any]:
    """Returns the options ``model_filename`` and ``params_filename``.

    Args:
        given (dict): all options.
        where (str): the function that is called.
        content (bool): without a path, they are the contents of the files. Default: False.
    """
    keys = ("model_filename", "params_filename")
    model, params = options(given, keys, where)
    if content:
        return _content(model, keys[0], where), _content(params, keys[1], where, b"")
    for key, value in zip(keys, (model, params), strict=True):
        if value is not None and not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"{where}({key}): expected a str, but got {type(value).__name__}.")
    return model, params


def _content(value: Any, key: str, where: str, default: Any = None) -> bytes:
    value = default if value is None else value
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"{where}: without a path, expected the content in {key} as bytes, "
            f"but received {type(value).__name__}."
        )
    return bytes(value)


def program_of(program: Any, where: str) -> Program:
    """Returns a Program; None means the default one, a CompiledProgram that which it runs."""
    if program is None:
        return default_main_program()
    inner = getattr(program, "_program", program)
    if not isinstance(inner, Program):
        raise ArgumentTypeError(
            f"{where}(program): expected a Program or CompiledProgram, "
            f"but received {type(program).__name__}."
        )
    return inner


def variables_of(given: Any, name: str, where: str) -> list[Variable]:
    """Returns a list of Variables that was given as one, or as a single Variable."""
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    for i, item in enumerate(listed):
        if not isinstance(item, Variable):
            at = f"{name}[{i}]" if isinstance(given, (list, tuple)) else name
            hint = f"; use program.global_block().var({item!r})" if isinstance(item, str) else ""
            raise TypeError(
                f"{where}: expected {at} to be a Variable, "
                f"but received {type(item).__name__}{hint}."
            )
    return listed


def ends_of(feed_vars: Any, fetch_vars: Any, where: str) -> tuple[list[Variable], list[Variable]]:
    """Returns inputs and outputs as lists."""
    feeds = variables_of(feed_vars, "feed_vars", where)
    fetches = variables_of(fetch_vars, "fetch_vars", where)
    if not fetches:
        raise InvalidArgumentError(f"{where}(fetch_vars): expected at least one Variable.")
    return feeds, fetches


def device_of(executor: Any, where: str) -> Any:
    """Returns the device on which an Executor runs."""
    if not isinstance(executor, Executor):
        raise TypeError(
            f"{where}(executor): expected a paddle.static.Executor, "
            f"but received {type(executor).__name__}."
        )
    return executor._device
