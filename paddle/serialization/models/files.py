"""Single files of saved Programs: program files, tensor streams, pickled states."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import FrameworkError, InvalidArgumentError, MissingFileError
from paddle.ir.program import Program
from paddle.ir.versions import check_read
from paddle.serialization.files.atomic import FileSet, atomic_files
from paddle.serialization.files.seals import SaveSet, check_beside, read_sealed
from paddle.serialization.files.suffixes import INFO, OLD_INFO, PARAMS, PROGRAM, STREAMS
from paddle.serialization.pickles.packing import NAME_TABLE
from paddle.serialization.pickles.restoring import from_file_form
from paddle.serialization.program import proto
from paddle.serialization.tensor_stream import (
    Dense,
    plain,
    read_combined,
    read_dense,
    write_combined,
    write_tensor,
)

_AT_ONCE = 100  # files that are open until all of them are whole
SHOWN = 8  # files that a message names of a longer list

Values = dict[str, Dense]

_PIR_SUFFIX = ".json"
_PIR_HEAD = 4096  # bytes in which a PIR program says what it is
_PIR = re.compile(rb'\s*\{\s*"base_code"\s*:\s*\{([^}]{0,1024}"magic"\s*:\s*"pir"[^}]{0,1024})\}')
SAVE_AGAIN = "save the model again with PaddlePaddle 2.6 or earlier"


# -- paths ----------------------------------------------------------------------------------------


def without_suffix(path: str, *suffixes: str) -> str:
    """Returns a path without the first of the suffixes that it ends with."""
    return next((path.removesuffix(s) for s in suffixes if path.endswith(s)), path)


def beside(path: str) -> str:
    """Says what the folder of a path holds."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        return f"the folder '{folder}' does not exist"
    names = sorted(os.listdir(folder))
    if not names:
        return f"the folder '{folder}' is empty"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"the folder '{folder}' holds {', '.join(names[:SHOWN])}{more}"


def missing(where: str, path: str, hint: str | None = None) -> Exception:
    """The error for a file that is not there."""
    return MissingFileError(f"{where}: there is no file '{path}'; {beside(path)}.", hint=hint)


def file_of_variable(folder: str, name: str) -> str:
    """Returns the path of a variable's own file, which lies inside of the folder."""
    path = os.path.normpath(os.path.join(folder, name))
    root = os.path.join(os.path.normpath(folder), "")
    if os.path.normpath(folder) == ".":
        inside = not os.path.isabs(path) and path.split(os.sep)[0] != os.pardir
    else:
        inside = path.startswith(root)
    if not inside:
        raise InvalidArgumentError(
            f"variable {name!r} cannot have a file of its own: it would lie outside of '{folder}'.",
            hint="store all variables in one file",
        )
    return path


# -- one file -------------------------------------------------------------------------------------


def read_bytes(path: str, where: str) -> bytes:
    """Returns the content of a file."""
    if not os.path.isfile(path):
        raise missing(where, path)
    folder = os.path.dirname(path)
    tables = sorted(n for n in os.listdir(folder or ".") if n.endswith(".info"))
    check_file(path, [os.path.join(folder, name) for name in tables])
    with open(path, "rb") as file:
        return file.read()


def check_file(path: str, tables: Iterable[str] = ()) -> None:
    """Checks a program or a tensor stream against the checksums beside it, if there are any.

    Args:
        path (str): the file.
        tables (Iterable[str]): further files of its folder that may hold them: in a folder of 1.x
            the program does not tell how that of the parameters is called.
    """
    folder, name = os.path.split(path)
    prefix = without_suffix(path, PROGRAM, STREAMS)
    told = [(prefix + INFO, prefix)]
    stem, dot, method = name.removesuffix(PROGRAM).removesuffix(STREAMS).rpartition(".")
    if dot and method.isidentifier():  # a further method of a model
        other = os.path.join(folder, stem)
        told.append((other + INFO, other))
    base = os.path.join(folder, "")
    told += [(table, base) for table in (path + ".info", os.path.join(folder, OLD_INFO), *tables)]
    if not os.path.isfile(prefix + STREAMS):  # else the program belongs to that, for inference
        told.append((prefix + PARAMS, prefix))
    check_beside(path, told)


def read_program(source: Any, where: str) -> Program:
    """Returns the Program of a file, or of bytes."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _parsed(bytes(source))
    content = read_bytes(source, where)
    with naming(source, where):
        return _parsed(content)


def _parsed(content: bytes) -> Program:
    told = later_format(content)
    if told:
        raise InvalidArgumentError(told, hint=SAVE_AGAIN)
    program = proto.from_bytes(content)
    check_read(program)
    return program


def later_format(content: bytes) -> str:
    """Says what a Program is that has the format of PaddlePaddle 3, PIR as JSON; "" if it is not.

    Args:
        content (bytes): the file, or how it begins.
    """
    found = _PIR.match(content)
    if not found:
        return ""
    version = re.search(rb'"version"\s*:\s*(\d{1,9})', found[1])
    stated = f", version {int(version[1])}" if version else ""
    return (
        f"expected a ProgramDesc, as PaddlePaddle 1.8 to 2.6 writes it, but it is a program of "
        f"PaddlePaddle 3: PIR as JSON{stated}."
    )


def check_not_later(path: str, where: str) -> None:
    """Raises InvalidArgumentError where a model of PaddlePaddle 3 lies under a name.

    Args:
        path (str): a prefix or a folder, in which a model of 2.x or 1.x was not found.
        where (str): the function that is called.
    """
    names = (path, without_suffix(path, PROGRAM, STREAMS) + _PIR_SUFFIX)
    for name in (*names, os.path.join(path, "__model__" + _PIR_SUFFIX)):
        if os.path.isfile(name):
            with open(name, "rb") as file:
                told = later_format(file.read(_PIR_HEAD))
            if told:
                raise InvalidArgumentError(f"{where}: '{name}': {told}", hint=SAVE_AGAIN)


@contextlib.contextmanager
def naming(path: Any, where: str, hint: str | None = None) -> Any:
    """Puts the name of a file before the text of an error about what it holds."""
    try:
        yield
    except FrameworkError as error:
        text, _, told = plain(error).partition("\n  [Hint: ")
        name = f"'{path}' ({os.path.getsize(path)} bytes)" if isinstance(path, str) else "the bytes"
        hints = "; ".join(h for h in (told.removesuffix("]"), hint) if h)
        raise InvalidArgumentError(f"{where}: {name}: {text}", hint=hints) from error


def read_streams(source: Any, names: Iterable[str], where: str) -> Values:
    """Reads one file (or bytes) of all variables; also one that ``paddle.save`` pickled."""
    names = sorted(set(names))
    if isinstance(source, (bytes, bytearray, memoryview)):
        with naming(None, where):
            return read_combined(io.BytesIO(source), names)
    if not os.path.isfile(source):
        raise missing(where, source)
    if is_pickle(source):
        return read_state_file(source)
    check_file(source)
    hint = f"{len(names)} variables were expected in this file; it may be of another model"
    with naming(source, where, hint), open(source, "rb") as file:
        return read_combined(file, names)


def read_separate(folder: str, names: Iterable[str], where: str) -> Values:
    """Reads a folder in which each variable has a file."""
    paths = {name: file_of_variable(folder, name) for name in sorted(set(names))}
    absent = [path for path in paths.values() if not os.path.isfile(path)]
    if absent:
        first = ", ".join(f"'{path}'" for path in absent[:SHOWN])
        raise MissingFileError(
            f"{where}: there are no files {first}{', ...' if len(absent) > SHOWN else ''} for "
            f"{len(absent)} of {len(paths)} variables; {beside(os.path.join(folder, '_'))}.",
            hint="where all variables lie in one file, name it (params_filename=, filename=)",
        )
    return {name: read_one(path, where) for name, path in paths.items()}


def read_one(path: str, where: str) -> Dense:
    """Reads a file of one variable."""
    check_file(path)
    with naming(path, where), open(path, "rb") as file:
        value = read_dense(file)
        if file.read(1):
            raise InvalidArgumentError(
                "expected one tensor, but more bytes follow it; the file holds several variables."
            )
    return value


def is_pickle(path: str) -> bool:
    """Whether a file is a pickle of protocol 2 or later."""
    with open(path, "rb") as file:
        return file.read(1) == b"\x80"


def read_state_file(path: str) -> Values:
    """Reads the arrays of a pickled dict; other entries are left out."""
    found = from_file_form(read_sealed(path), path, False, False)
    if not isinstance(found, dict):
        raise InvalidArgumentError(
            f"'{path}': expected a dict of arrays, but it holds a {type(found).__name__}."
        )
    made = {}
    for name, array in found.items():
        if isinstance(name, str) and name != NAME_TABLE and isinstance(array, np.ndarray):
            bits = array.dtype == np.uint16
            made[name] = Dense(array, [], VarType.BF16 if bits else to_vartype(array.dtype))
    return made


# -- writing --------------------------------------------------------------------------------------


def write_streams(
    path: str,
    values: Mapping[str, Dense],
    files: FileSet | None = None,
    names: Iterable[str] | None = None,
) -> None:
    """Writes one file of variables.

    Args:
        path (str): where.
        values (Mapping): name -> value.
        files (FileSet, optional): the files of which it is one.
        names (Iterable[str], optional): which variables; None means all.
    """
    if files is not None:
        write_combined(files.open(path), values, names)
        return
    with atomic_files(FileSet()) as alone:
        write_combined(alone.open(path), values, names)


def write_separate(folder: str, values: Mapping[str, Dense]) -> dict[str, tuple[int, int]]:
    """Writes a file for each variable; returns size and checksum of each."""
    paths = {name: file_of_variable(folder, name) for name in values}
    named, sums = list(paths.items()), {}
    for start in range(0, len(named), _AT_ONCE):
        with atomic_files(SaveSet(os.path.join(folder, ""))) as files:
            for name, path in named[start : start + _AT_ONCE]:
                value = values[name]
                write_tensor(files.open(path), value.array, value.lod, value.dtype)
        sums.update(files.sums())
    return sums


def streams(values: Mapping[str, Dense]) -> bytes:
    """Returns what a file of all variables would hold."""
    file = io.BytesIO()
    write_combined(file, values)
    return file.getvalue()
