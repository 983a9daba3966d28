"""Finds what a path stands for: every layout in which 1.x and 2.x save models and parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.ir.inference import persistables
from paddle.ir.program import Program
from paddle.serialization.files.seals import check_together
from paddle.serialization.models.files import (
    OPT,
    PARAMS,
    PROGRAM,
    SHOWN,
    STREAMS,
    MissingFileError,
    Values,
    checked_path,
    is_pickle,
    missing,
    plain,
    read_one,
    read_program,
    read_separate,
    read_state_file,
    read_streams,
    without_suffix,
)
from paddle.serialization.tensor_stream import Dense

OLD_PROGRAM, OLD_PARAMS = "__model__", "__params__"


class Model(NamedTuple):
    """Where a saved inference model is; bytes in place of a path are the content itself."""

    program: Any
    params: Any  # one file of all variables; None: they lie in a file each
    folder: str


# -- inference models -----------------------------------------------------------------------------


def find_model(path: Any, model_filename: Any, params_filename: Any, where: str) -> Model:
    """Returns where an inference model is.

    Args:
        path (str|None): a prefix (2.x), a folder (1.x), or None: the names are the contents.
        model_filename (str|bytes|None): the program file in a folder.
        params_filename (str|bytes|None): the file of all variables in a folder.
        where (str): the function that is called, for error texts.
    """
    if path is None:
        return Model(_content(model_filename, "model_filename", where),
                     _content(params_filename, "params_filename", where, b""), "")  # fmt: skip
    for key, value in (("model_filename", model_filename), ("params_filename", params_filename)):
        if value is not None and not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"{where}({key}): expected a str, but got {type(value).__name__}.")
    name = checked_path(path, where)
    if model_filename is None and params_filename is None:
        prefix = without_suffix(name, PROGRAM, STREAMS)
        if os.path.isfile(prefix + PROGRAM):
            return Model(prefix + PROGRAM, prefix + STREAMS, os.path.dirname(prefix))
    if not os.path.isdir(name):
        wanted = os.path.join(name, model_filename) if model_filename else name + PROGRAM
        raise missing(where, wanted, _near(name))
    program = os.path.join(name, model_filename or OLD_PROGRAM)
    if not os.path.isfile(program):
        others = [n for n in sorted(os.listdir(name)) if n.endswith(PROGRAM)]
        hint = "name the program file: model_filename=..."
        if others and model_filename is None:
            hint = f"give the prefix: {os.path.join(name, without_suffix(others[0], PROGRAM))!r}"
        raise missing(where, program, hint)
    return Model(program, params_filename and os.path.join(name, params_filename), name)


def _content(value: Any, key: str, where: str, default: Any = None) -> bytes:
    value = default if value is None else value
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"{where}: without a path, expected the content in {key} as bytes, "
            f"but received {type(value).__name__}."
        )
    return bytes(value)


def _near(name: str) -> str | None:
    if os.path.isfile(name + PARAMS):
        return f"'{name}{PARAMS}' is of static.save: load it by paddle.static.load"
    return None


def read_values(model: Model, program: Program, where: str) -> Values:
    """Reads the variables that a Program stores."""
    names = [v.name for v in persistables(program)]
    if not names:
        return {}
    if model.params is not None:
        if isinstance(model.params, str) and not os.path.isfile(model.params):
            raise missing(where, model.params, _near(without_suffix(model.params, STREAMS)))
        return read_streams(model.params, names, where)
    combined = os.path.join(model.folder, OLD_PARAMS)
    if os.path.isfile(combined) and OLD_PARAMS not in names:
        return read_streams(combined, names, where)
    return read_separate(model.folder, names, where)


# -- states of any layout -------------------------------------------------------------------------


def read_state(path: str, variables: Mapping[str, Any] | None, where: str) -> Values:
    """Reads the values that lie under a path, in whatever layout they do.

    Args:
        path (str): a prefix, a file or a folder.
        variables (Mapping|None): which ones; None means all, where the layout tells the names.
        where (str): the function that is called, for error texts.
    """
    prefix = without_suffix(path, PARAMS, OPT, PROGRAM, STREAMS)
    if os.path.isfile(prefix + PARAMS):
        files = [f for f in (prefix + PARAMS, prefix + OPT) if os.path.isfile(f)]
        if len(files) > 1:
            hint = "save again, or name one file, with its suffix"
            check_together(files[0], files[1], where, hint)
        found = {n: v for file in files for n, v in read_state_file(file).items()}
        return chosen(found, variables, files[0], where)
    if os.path.isfile(prefix + PROGRAM) and not is_old_folder(path):
        model = find_model(prefix, None, None, where)
        found = read_values(model, read_program(model.program, where), where)
        return chosen(found, variables, str(model.params), where)
    if os.path.isdir(path):
        return _read_folder(path, variables, where)
    if not os.path.isfile(path):
        raise missing(where, prefix + PARAMS)
    if is_pickle(path):
        return chosen(read_state_file(path), variables, path, where)
    if variables is None:
        raise InvalidArgumentError(
            f"{where}: '{path}' holds tensors without their names.",
            hint="give the variables that it holds: var_list=program.all_parameters(), say",
        )
    return read_streams(path, variables, where)


def is_old_folder(path: str) -> bool:
    """Whether a path is a folder of 1.x, though a prefix of that name may exist too."""
    return os.path.isfile(os.path.join(path, OLD_PROGRAM))


def chosen(found: Values, variables: Mapping | None, path: str, where: str) -> Values:
    """Returns the values that were asked for."""
    if variables is None:
        return found
    absent = [name for name in variables if name not in found]
    if absent:
        raise InvalidArgumentError(
            f"{where}: '{path}' has no {', '.join(map(repr, absent[:SHOWN]))}; it holds "
            f"{', '.join(map(repr, sorted(found)[:SHOWN]))}{', ...' if len(found) > SHOWN else ''}."
        )
    return {name: found[name] for name in variables}


def _read_folder(folder: str, variables: Mapping | None, where: str) -> Values:
    if is_old_folder(folder):
        model = find_model(folder, None, None, where)
        program = read_program(model.program, where)
        return chosen(read_values(model, program, where), variables, folder, where)
    if variables is not None:
        return read_separate(folder, variables, where)
    programs, files = [], {}
    for below, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(below, name)
            if name.startswith("."):
                continue
            if _is_program(path):
                programs.append(path)
            else:
                files[os.path.relpath(path, folder).replace(os.sep, "/")] = path
    if not files:
        raise MissingFileError(f"{where}: the folder '{folder}' holds no parameter files.")
    if len(programs) == 1 and len(files) == 1:  # a model whose files have names of their own
        named = {v.name for v in persistables(read_program(programs[0], where))}
        if set(files) != named:
            return read_streams(next(iter(files.values())), named, where)
    return {name: _read_named(path, where) for name, path in files.items()}


def _read_named(path: str, where: str) -> Dense:
    """Reads a file whose name is its variable's."""
    try:
        return read_one(path, where)
    except FrameworkError as error:
        raise InvalidArgumentError(
            plain(error),
            hint="give the path of the file and the variables in it: "
            "load_program_state(file, var_list)",
        ) from error


def _is_program(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(1) == b"\n"
