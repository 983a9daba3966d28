"""What paddle.load makes of files that are no pickles: Programs, tensors, saved models."""

from __future__ import annotations

import os
from typing import Any

from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.ir.program import Program
from paddle.serialization.models import files, layouts
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.models.states import read_state
from paddle.serialization.pickles.packing import NAME_TABLE
from paddle.serialization.pickles.restoring import array_to_tensor
from paddle.serialization.tensor_stream import plain, read_dense

_WHERE = "paddle.load"


def read_program(path: str | bytes) -> Program:
    """Reads a Program from a program file, or from bytes."""
    return files.read_program(path, _WHERE)


def read_tensor(path: str, as_numpy: bool) -> Any:
    """Reads the tensor of a file that holds just one."""
    try:
        value = files.read_one(path, _WHERE)
    except FrameworkError as error:
        raise InvalidArgumentError(
            plain(error),
            hint="A file of several tensors has no names: load it with its program, "
            "paddle.load(prefix), or by paddle.static.load_program_state(path, var_list).",
        ) from error
    return value.array if as_numpy else array_to_tensor(value.array)


def read_one_of(file: Any) -> Any:
    """Reads the array of a tensor stream that begins where an open file is."""
    with files.naming(None, _WHERE):
        return read_dense(file).array


def is_model(path: str) -> bool:
    """Whether a path is a folder, or the prefix of program files."""
    return os.path.isdir(path) or layouts.prefix_of(path) is not None


def read_model_state(
    path: str, names: tuple[Any, Any], as_numpy: bool, keep_names: bool
) -> dict[str, Any]:
    """Reads the parameters of a saved model, or of a folder with a file for each.

    Args:
        path (str): the folder or prefix.
        names (tuple): the names of program file and parameter file in a folder, or None.
        as_numpy (bool): arrays in place of Tensors.
        keep_names (bool): add the table of the variables' names.

    Returns:
        dict: name of the variable, or of the Layer's parameter where the model tells it -> value.
    """
    table: dict[str, str] = {}
    is_folder = os.path.isdir(path) and layouts.prefix_of(path) is None
    if any(names) or not is_folder or layouts.is_old_folder(path):
        model = SavedModel.read(path, _WHERE, names)
        values, table = model.values, model.structured_names
    else:
        values = read_state(path, None, _WHERE)
    found: dict[str, Any] = {}
    for name, value in values.items():
        array = value.array
        found[table.get(name, name)] = array if as_numpy else array_to_tensor(array, name)
    if keep_names:
        found[NAME_TABLE] = {table.get(name, name): name for name in values}
    return found
