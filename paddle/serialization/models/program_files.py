"""What paddle.save and paddle.load do with Programs, and with models saved from them."""

from __future__ import annotations

import os
from typing import Any

from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.serialization.files.atomic import atomic_write
from paddle.serialization.pickles.packing import NAME_TABLE
from paddle.serialization.pickles.restoring import array_to_tensor


def is_program(obj: Any) -> bool:
    """Whether an object is a Program; does not import what static graphs need."""
    return type(obj).__name__ == "Program" and hasattr(obj, "global_block")


def write_program(program: Any, path: str) -> None:
    """Writes a Program as the bytes of its wire format."""
    content = program.desc.serialize_to_string()
    with atomic_write(path) as file:
        file.write(content)


def read_program(path: str | bytes) -> Any:
    """Reads a Program from a file of its wire format, or from bytes."""
    from paddle.serialization.models import files

    return files.read_program(path, "paddle.load")


def read_tensor(path: str, as_numpy: bool) -> Any:
    """Reads the tensor of a file that holds just one."""
    from paddle.serialization.models import files

    try:
        value = files.read_one(path, "paddle.load")
    except FrameworkError as error:
        raise InvalidArgumentError(
            files.plain(error),
            hint="A file of several tensors has no names: load it with its program, "
            "paddle.load(prefix), or by paddle.static.load_program_state(path, var_list).",
        ) from error
    return value.array if as_numpy else array_to_tensor(value.array)


def read_one_of(file: Any) -> Any:
    """Reads the array of a tensor stream that begins where an open file is."""
    from paddle.serialization.models import files
    from paddle.serialization.tensor_stream import read_dense

    with files.naming(None, "paddle.load"):
        return read_dense(file).array


def is_model(path: str) -> bool:
    """Whether a path is a folder, or the prefix of program files."""
    from paddle.serialization.models import methods

    return os.path.isdir(path) or methods.prefix_of(path) is not None


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
    from paddle.serialization.models import layouts, methods

    where = "paddle.load"
    table: dict[str, Any] = {}
    named = any(names)
    is_folder = os.path.isdir(path) and methods.prefix_of(path) is None
    if named or not is_folder or layouts.is_old_folder(path):
        model = methods.read_model(path, *names, where)
        values, table = model.values, methods.structured_names(model.table)
    else:
        values = layouts.read_state(path, None, where)
    found: dict[str, Any] = {}
    for name, value in values.items():
        array = value.array
        found[table.get(name, name)] = array if as_numpy else array_to_tensor(array, name)
    if keep_names:
        found[NAME_TABLE] = {table.get(name, name): name for name in values}
    return found
