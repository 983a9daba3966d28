"""Where a model comes from: files in any layout of any release, or bytes in memory."""

from __future__ import annotations

import os
from typing import Any

from paddle.core.errors import FrameworkError, InvalidArgumentError, PreconditionNotMetError
from paddle.serialization.files.suffixes import PROGRAM, STREAMS
from paddle.serialization.models.files import read_program
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.tensor_stream import plain

WHERE = "create_predictor"


class ModelSource:
    """The part of a Config that says which model is run."""

    def __init__(self) -> None:
        self._model_dir = ""
        self._prog_file = ""
        self._params_file = ""
        self._buffers: tuple[bytes, bytes] | None = None

    def set_model(self, *model: str, **named: str) -> None:
        """Sets which model is run.

        Args:
            *model (str): ``model_dir``: the folder of a 1.x model, in which the program is called
                ``__model__``, or the prefix of a 2.x model; or ``prog_file, params_file``: the
                program and the file of all parameters, in any folders.
        """
        given = _arguments(model, named)
        self._buffers = None
        if len(given) == 1:
            self._model_dir, self._prog_file, self._params_file = given[0], "", ""
        else:
            self._model_dir, (self._prog_file, self._params_file) = "", given

    def set_prog_file(self, x: str) -> None:
        """Sets the file of the program.

        Args:
            x (str): the file; where only that is set, the parameters lie beside it.
        """
        self._prog_file, self._buffers = _path(x, "set_prog_file"), None

    def set_params_file(self, x: str) -> None:
        """Sets the file of all parameters.

        Args:
            x (str): the file.
        """
        self._params_file, self._buffers = _path(x, "set_params_file"), None

    def set_model_buffer(
        self, prog_buffer: bytes, prog_buffer_size: int, params_buffer: bytes,
        params_buffer_size: int,
    ) -> None:  # fmt: skip
        """Sets a model that is in memory.

        Args:
            prog_buffer (bytes): what the program file would hold.
            prog_buffer_size (int): how many of its bytes count.
            params_buffer (bytes): what the file of all parameters would hold.
            params_buffer_size (int): how many of its bytes count.
        """
        self._buffers = (
            _first(prog_buffer, prog_buffer_size, "prog_buffer"),
            _first(params_buffer, params_buffer_size, "params_buffer"),
        )
        self._model_dir = self._prog_file = self._params_file = ""

    def model_dir(self) -> str:
        """Returns the folder or prefix; empty where files or bytes were set."""
        return self._model_dir

    def prog_file(self) -> str:
        """Returns the file of the program; empty where a folder or bytes were set."""
        return self._prog_file

    def params_file(self) -> str:
        """Returns the file of the parameters; empty where a folder or bytes were set."""
        return self._params_file

    def model_from_memory(self) -> bool:
        """Says whether the model is in memory."""
        return self._buffers is not None

    def read_model(self) -> SavedModel:
        """Reads the model.

        Raises:
            PreconditionNotMetError: no model was set.
            MissingFileError: a file is not there.
            InvalidArgumentError: a file is damaged, of another kind, or of another model.
        """
        if self._buffers is not None:
            return self._read_files(*self._buffers)
        if not self._prog_file and not self._model_dir:
            raise PreconditionNotMetError(
                f"{WHERE}: the Config names no model.",
                hint="Config(prog_file, params_file), or config.set_model(folder_or_prefix)",
            )
        if not self._prog_file:
            return SavedModel.read(self._model_dir, WHERE, forward_only=True)
        program = self._in_folder(self._prog_file)
        if self._params_file:
            return self._read_files(program, self._in_folder(self._params_file))
        if program.endswith(PROGRAM) and os.path.isfile(program.removesuffix(PROGRAM) + STREAMS):
            return SavedModel.read(program, WHERE, forward_only=True)
        folder, name = os.path.split(program)
        return SavedModel.read(folder or ".", WHERE, (name, None), forward_only=True)

    def _in_folder(self, path: str) -> str:
        """A path as it is, or one in the folder of the model."""
        inside = os.path.join(self._model_dir, path)
        return inside if os.path.isfile(inside) or not os.path.isfile(path) else path

    def _read_files(self, program: Any, params: Any) -> SavedModel:
        try:
            if isinstance(program, bytes):
                return SavedModel.from_bytes(program, params, WHERE)
            folder, name = os.path.split(program)
            names = name, os.path.abspath(params)
            return SavedModel.read(folder or ".", WHERE, names, forward_only=True)
        except FrameworkError as error:
            if not _is_program(params) or _is_program(program):
                raise
            raise InvalidArgumentError(
                f"{WHERE}: the program was expected first and the parameters second, but "
                f"{_named(params)} holds a program, and {_named(program)} does not "
                f"({plain(error).splitlines()[0]})",
                hint="exchange the two",
            ) from error


def _arguments(model: tuple, named: dict[str, str]) -> list[str]:
    """The one or two paths that were given, by position or by name."""
    names = ("model_dir",) if "model_dir" in named else ("prog_file", "params_file")
    unknown = [n for n in named if n not in names]
    values = [*model, *(named[n] for n in names[len(model) if model else 0 :] if n in named)]
    if unknown or not 1 <= len(values) <= 2 or len(values) != len(model) + len(named):
        raise TypeError(
            "set_model: expected model_dir, or prog_file and params_file, but received "
            f"{len(model)} arguments{f' and {sorted(named)}' if named else ''}."
        )
    return [_path(value, "set_model") for value in values]


def _path(value: Any, where: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{where}: expected a path, but received {type(value).__name__}.")
    return os.fspath(value)


def _first(data: Any, size: int, name: str) -> bytes:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"set_model_buffer({name}): expected bytes, but received {type(data).__name__}."
        )
    content = bytes(data)
    if not isinstance(size, int) or not 0 <= size <= len(content):
        raise InvalidArgumentError(
            f"set_model_buffer({name}_size): expected 0 to {len(content)}, the number of bytes, "
            f"but received {size!r}."
        )
    return content[:size]


def _is_program(source: Any) -> bool:
    """Whether a file, or bytes, hold a Program with operators."""
    try:
        return bool(read_program(source, WHERE).global_block().ops)
    except (FrameworkError, OSError):
        return False


def _named(source: Any) -> str:
    return f"'{source}'" if isinstance(source, str) else f"a buffer of {len(source)} bytes"
