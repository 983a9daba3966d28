"""paddle.save and paddle.load with open files in place of paths: io.BytesIO, open(path, "rb")."""

from __future__ import annotations

import io
import os
from typing import Any

from paddle.core import flags
from paddle.core.errors import InvalidArgumentError
from paddle.serialization.pickles.object_writing import write_object
from paddle.serialization.pickles.reader import read_pickle
from paddle.serialization.pickles.restoring import array_to_tensor, from_file_form


def is_program(obj: Any) -> bool:
    """Whether an object is a Program; does not import what static graphs need."""
    return type(obj).__name__ == "Program" and hasattr(obj, "global_block")


def is_file(value: Any, method: str) -> bool:
    """Whether something is an open file that takes, or gives, bytes.

    Args:
        value: what was given in place of a path.
        method (str): what it must have: ``"read"`` or ``"write"``.

    Raises:
        TypeError: it is a file of text, or opened for the other direction.
    """
    if not callable(getattr(value, method, None)):
        return False
    text = isinstance(value, io.TextIOBase)
    allowed = getattr(value, "readable" if method == "read" else "writable", None)
    if text or (allowed is not None and not allowed()):
        mode = "rb" if method == "read" else "wb"
        where = "load" if method == "read" else "save"
        what = "one of text" if text else f"one without {method}()"
        raise TypeError(
            f'paddle.{where}: expected a binary file, io.BytesIO or open(path, "{mode}"), but '
            f"received {what}, {type(value).__name__}."
        )
    return True


def save(obj: Any, file: Any, protocol: int) -> None:
    """Writes an object at the place where a file is; what follows may be written by others.

    Args:
        obj (object): what :func:`paddle.save` takes.
        file: a binary file, open for writing.
        protocol (int): 2, 3 or 4.
    """
    if is_program(obj):
        file.write(obj.desc.serialize_to_string())
        return
    write_object(obj, file, protocol, _name(file))


def load(file: Any, as_numpy: bool, keep_names: bool) -> Any:
    """Reads the object that begins where a file is, and leaves the file behind it.

    Args:
        file: a binary file, open for reading; of one that cannot seek the rest is read.
        as_numpy (bool): arrays in place of Tensors.
        keep_names (bool): keep the table of the variables' names.
    """
    name = _name(file)
    if flags.get("FLAGS_require_checksums"):
        raise InvalidArgumentError(
            f"paddle.load of {name!r}: an open file is not checked against checksums, and "
            "FLAGS_require_checksums is set.",
            hint="load it by its path",
        )
    seekable = getattr(file, "seekable", None)
    if seekable is None or not seekable():
        file = io.BytesIO(file.read())
    head = file.read(4)
    file.seek(-len(head), os.SEEK_CUR)
    if head[:1] == b"\n" or head == b"\0\0\0\0":
        from paddle.serialization.models import object_loading

        if head[:1] == b"\n":
            return object_loading.read_program(file.read())
        array = object_loading.read_one_of(file)
        return array if as_numpy else array_to_tensor(array)
    loaded = read_pickle(name, file)
    try:
        return from_file_form(loaded, name, not as_numpy, keep_names)
    except RecursionError:
        raise InvalidArgumentError(f"the file '{name}' is nested too deeply") from None


def _name(file: Any) -> str:
    """What a file is called in error texts."""
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else f"<{type(file).__name__}>"
