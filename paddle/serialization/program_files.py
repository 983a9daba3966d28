"""What the operators save, save_combine, load and load_combine of a Program do."""

from __future__ import annotations

import math
import os
from typing import IO, Any

import numpy as np
import torch

from paddle.core.dtype import VarType
from paddle.core.errors import (
    FrameworkError,
    InvalidArgumentError,
    MissingFileError,
    PreconditionNotMetError,
    UnimplementedError,
)
from paddle.core.levels import levels_on, put_levels
from paddle.core.place import current_device
from paddle.core.selected_rows import Rows
from paddle.serialization.files.atomic import atomic_write
from paddle.serialization.tensor_stream import (
    Dense,
    plain,
    read_dense,
    write_selected_rows,
    write_tensor,
)


class Saved:
    """Writes values to a file each time it is called.

    Args:
        attrs (dict): attributes of the operator.
        operator (str): its name.
        names (list[str]): the variables; a combined file has them in this order.
    """

    def __init__(self, attrs: dict[str, Any], operator: str, names: list[str]) -> None:
        self.operator, self.names = operator, names
        self.path = _path(attrs, operator)
        self.overwrite = attrs.get("overwrite", True)
        self.half = attrs.get("save_as_fp16", False)
        if attrs.get("save_to_memory"):
            raise UnimplementedError(
                f"{operator}(save_to_memory): expected False: bytes are no variables here.",
                hint="paddle.static.serialize_persistables gives them",
            )

    def __call__(self, values: tuple[Any, ...]) -> None:
        """Writes the file anew."""
        if not self.overwrite and os.path.exists(self.path):
            raise PreconditionNotMetError(
                f"{self.operator}: {self.path!r} exists, and overwrite is False."
            )
        with atomic_write(self.path) as file:
            for name, value in zip(self.names, values, strict=True):
                try:
                    self._write(file, value)
                except FrameworkError as error:
                    raise InvalidArgumentError(
                        f"{self.operator}: variable {name!r}: {plain(error)}"
                    ) from error

    def _write(self, file: IO[bytes], value: Any) -> None:
        if isinstance(value, Rows):
            rows = value.index.tolist()
            write_selected_rows(file, rows, value.shape[0], *self._array(value.values))
        elif isinstance(value, torch.Tensor):
            array, kind = self._array(value)
            write_tensor(file, array, levels_on(value) or (), kind)
        else:
            raise InvalidArgumentError(
                f"expected a tensor to save, but received {type(value).__name__}."
            )

    def _array(self, value: torch.Tensor) -> tuple[np.ndarray, Any]:
        value = value.detach().cpu()
        if self.half and value.is_floating_point():
            value = value.to(torch.float16)
        if value.dtype is torch.bfloat16:
            return value.view(torch.uint16).numpy(), VarType.BF16
        return value.numpy(), None


class Loaded:
    """Reads values from a file each time it is called.

    Args:
        attrs (dict): attributes of the operator.
        operator (str): its name.
        names (list[str]): the variables, in the order of the file.
        kinds (list): the element type each variable has; None: that of the file.
    """

    def __init__(
        self, attrs: dict[str, Any], operator: str, names: list[str], kinds: list[Any]
    ) -> None:
        self.operator, self.names, self.kinds = operator, names, kinds
        self.path = _path(attrs, operator)
        self.half = attrs.get("load_as_fp16", False)
        self.seek = int(attrs.get("seek", -1))
        self.shape = [int(n) for n in attrs.get("shape", ())]
        if attrs.get("model_from_memory"):
            raise UnimplementedError(
                f"{operator}(model_from_memory): expected False: bytes are no variables here.",
                hint="paddle.static.deserialize_persistables takes them",
            )

    def __call__(self) -> list[torch.Tensor]:
        """Reads the whole file."""
        if not os.path.isfile(self.path):
            raise MissingFileError(f"{self.operator}: there is no file {self.path!r}.")
        with open(self.path, "rb") as file:
            found = [self._next(file, n) for n in self.names]
            if file.read(1):
                raise InvalidArgumentError(
                    f"{self.operator}: expected {self.path!r} to end behind {len(found)} "
                    "variable(s), but there is more.",
                    hint="the file belongs to another program, which has more variables",
                )
        return [self._buffer(d, k) for d, k in zip(found, self.kinds, strict=True)]

    def _next(self, file: IO[bytes], name: str) -> Dense:
        try:
            return read_dense(file)
        except FrameworkError as error:
            raise InvalidArgumentError(
                f"{self.operator}: {self.path!r}, variable {name!r}: {plain(error)}"
            ) from error

    def _buffer(self, dense: Dense, kind: Any) -> torch.Tensor:
        array = dense.array if self.seek < 0 else self._part(dense.array)
        bits = torch.from_numpy(np.require(array, requirements=["C", "W"]))
        if dense.dtype == VarType.BF16:
            bits = bits.view(torch.bfloat16)
        if self.half and bits.is_floating_point():
            bits = bits.to(torch.float16)
        elif kind is torch.float16 and bits.dtype is torch.float32:
            bits = bits.to(kind)
        made = bits.to(current_device())
        if dense.lod:
            put_levels(made, dense.lod)
        return made

    def _part(self, array: np.ndarray) -> np.ndarray:
        """Elements from ``seek`` on in the shape that the operator says."""
        count = math.prod(self.shape)
        if self.seek + count > array.size:
            raise InvalidArgumentError(
                f"{self.operator}: expected {count} elements behind element {self.seek} of "
                f"{self.path!r}, but it has {array.size}."
            )
        return array.reshape(-1)[self.seek : self.seek + count].reshape(self.shape)


def _path(attrs: dict[str, Any], operator: str) -> str:
    path = attrs.get("file_path")
    if not path:
        raise InvalidArgumentError(
            f"{operator}(file_path): expected the path of a file, but received {path!r}."
        )
    return str(path)
