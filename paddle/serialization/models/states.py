"""States: values of variables by name, in whatever layout they lie under a path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from paddle.core.errors import FrameworkError, InvalidArgumentError, MissingFileError
from paddle.ir.inference import persistables
from paddle.serialization.files.seals import check_together
from paddle.serialization.files.suffixes import OPT, PARAMS, PROGRAM, STREAMS
from paddle.serialization.models.files import (
    SHOWN,
    Values,
    is_pickle,
    missing,
    read_one,
    read_program,
    read_separate,
    read_state_file,
    read_streams,
    without_suffix,
)
from paddle.serialization.models.layouts import is_old_folder
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.tensor_stream import Dense, plain


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
            check_together(
                files[0], files[1], where, "save again, or name one file, with its suffix"
            )
        found = {n: v for file in files for n, v in read_state_file(file).items()}
        return chosen(found, variables, files[0], where)
    if os.path.isfile(prefix + PROGRAM) and not is_old_folder(path):
        held = SavedModel.read(prefix, where, forward_only=True).values
        return chosen(held, variables, prefix + STREAMS, where)
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


def chosen(found: Mapping[str, Dense], variables: Mapping | None, path: str, where: str) -> Values:
    """Returns the values that were asked for."""
    if variables is None:
        return dict(found)
    absent = [name for name in variables if name not in found]
    if absent:
        raise InvalidArgumentError(
            f"{where}: '{path}' has no {', '.join(map(repr, absent[:SHOWN]))}; it holds "
            f"{', '.join(map(repr, sorted(found)[:SHOWN]))}{', ...' if len(found) > SHOWN else ''}."
        )
    return {name: found[name] for name in variables}


def _read_folder(folder: str, variables: Mapping | None, where: str) -> Values:
    if is_old_folder(folder):
        found = SavedModel.read(folder, where, forward_only=True).values
        return chosen(found, variables, folder, where)
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
