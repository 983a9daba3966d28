"""Arrays of the caller as buffers of a run, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from paddle.core.convert import tensor_of
from paddle.core.dtype import FROM_TORCH, VarType, dtype_name, torch_dtype
from paddle.core.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionNotMetError,
    UnimplementedError,
)
from paddle.core.lod import LoDTensor
from paddle.core.tensor import Tensor, wrap
from paddle.ir.variable import Variable

_from_numpy = torch.from_numpy
_contiguous = torch.contiguous_format


def buffer_of(array: np.ndarray) -> torch.Tensor:
    """Returns a buffer with a copy of an array; uint16 is bfloat16, as in all of PaddlePaddle."""
    flags = array.flags
    try:
        if flags.writeable and array.dtype != np.uint16:
            if flags.c_contiguous:
                return _from_numpy(array).clone()
            return _from_numpy(array).clone(memory_format=_contiguous)
    except (TypeError, ValueError):  # steps or numbers that torch does not have
        pass
    return tensor_of(array, None, "cpu")._buf


def shared_buffer_of(array: np.ndarray) -> torch.Tensor:
    """Returns a buffer in the memory of an array, whose contents may change later.

    Raises:
        InvalidTypeError: torch does not have the array's data type.
        InvalidArgumentError: the array's elements lie in a way that torch does not have.
    """
    if any(step < 0 or step % array.itemsize for step in array.strides):
        raise InvalidArgumentError(
            f"share_external_data: memory with the steps {array.strides} (bytes) cannot be shared.",
            hint="share np.ascontiguousarray(array), or use copy_from_cpu",
        )
    source = array if array.flags.writeable else np.asarray(_Writeable(array))
    try:
        if array.dtype == np.uint16:
            return _from_numpy(source.view(np.int16)).view(torch.bfloat16)
        return _from_numpy(source)
    except (TypeError, ValueError):
        raise InvalidTypeError(
            f"share_external_data: memory of type {array.dtype} cannot be shared; a model takes "
            "numbers in the byte order of the machine."
        ) from None


class _Writeable:
    """A read-only array as one that says it can be written to, which nothing here does."""

    def __init__(self, array: np.ndarray) -> None:
        facts = array.__array_interface__
        self.__array_interface__ = {**facts, "data": (facts["data"][0], False)}
        self.array = array


def buffer_of_tensor(tensor: Tensor | LoDTensor) -> Any:
    """Returns the buffer of a Tensor, which the Tensor goes on using."""
    if isinstance(tensor, LoDTensor):
        if tensor.tensor is None:
            raise PreconditionNotMetError("the LoDTensor holds no memory: nothing was set yet.")
    held: Any = tensor.tensor if isinstance(tensor, LoDTensor) else tensor
    return held._buf


def array_of(buffer: Any) -> Any:
    """Returns an array of its own with the contents of a buffer; a list for a tensor array."""
    if isinstance(buffer, list):
        return [array_of(b) for b in buffer]
    try:
        return buffer.numpy().copy()
    except (TypeError, RuntimeError):  # on another device, or bfloat16
        array = wrap(buffer, True).numpy()
        return array if buffer.dim() else array.reshape(())


def memory_of(buffer: Any) -> np.ndarray:
    """Returns a contiguous array over the memory of a buffer; a copy only where there is none.

    Args:
        buffer (torch.Tensor|np.ndarray): what a handle holds; bfloat16 becomes uint16, as in all
            of PaddlePaddle.
    """
    if isinstance(buffer, np.ndarray):  # ONNX Runtime's
        return np.ascontiguousarray(buffer)
    if isinstance(buffer, list):
        raise UnimplementedError(
            f"a tensor array of {len(buffer)} elements has no memory of its own; copy_to_cpu "
            "returns the list."
        )
    try:
        array = buffer.numpy()
    except (TypeError, RuntimeError):  # on another device, or bfloat16
        held = buffer.detach().cpu()
        array = (held.view(torch.uint16) if held.dtype is torch.bfloat16 else held).numpy()
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def arrays_sharing(buffers: Sequence[torch.Tensor]) -> list[np.ndarray]:
    """Returns arrays in the memory of buffers, where NumPy has their data types."""
    try:
        return [buffer.numpy() for buffer in buffers]
    except (TypeError, RuntimeError):
        return [array_of(buffer) for buffer in buffers]


def buffers_sharing(arrays: Sequence[np.ndarray]) -> list[torch.Tensor]:
    """Returns buffers in the memory of arrays that nobody else has."""
    try:
        return [_from_numpy(array) for array in arrays]
    except (TypeError, ValueError):
        return [buffer_of(np.asarray(array)) for array in arrays]


def tensor_of_buffer(buffer: Any) -> Any:
    """Returns a Tensor of a buffer; a list of them for a tensor array.

    The memory may be that of a weight or an input: by a handle of its own on it, a write to the
    Tensor copies it first.
    """
    if isinstance(buffer, list):
        return [tensor_of_buffer(b) for b in buffer]
    return wrap(buffer.detach(), True)


def lod_of(buffer: Any) -> list[list[int]]:
    """Returns the LoD of a buffer as offsets."""
    return [list(level) for level in getattr(buffer, "_lod", ())]


def with_lod(buffer: torch.Tensor, lod: list[list[int]]) -> torch.Tensor:
    """Returns the same memory as a buffer with a LoD."""
    made = buffer.detach()
    if lod:
        setattr(made, "_lod", lod)
    return made


def on_device(buffer: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Returns a buffer with the same contents on a device."""
    return buffer if buffer.device == device else buffer.to(device)


def kind_of(buffer: torch.Tensor) -> VarType:
    """Returns the data type of a buffer."""
    return FROM_TORCH[buffer.dtype]


class ExpectedInput:
    """What a model expects of one input.

    Args:
        var (Variable): the fed variable.

    Attributes:
        name (str): the variable.
        kind (VarType): its data type.
        dims (tuple): its sizes; -1 is any.
        dtype (torch.dtype): the data type of buffers.
        rank (int): its number of dimensions; -1 is any.
    """

    def __init__(self, var: Variable) -> None:
        self.name = var.name
        self.kind = var.dtype
        self.dims: tuple[int, ...] = tuple(var.shape)
        self.dtype = torch_dtype(var.dtype)
        self.rank = -1 if var.lod_level or not self.dims else len(self.dims)

    def checked(self, buffer: torch.Tensor, advice: Callable[[str], str] | None = None) -> Any:
        """Returns a buffer as the model takes it.

        Args:
            buffer (torch.Tensor): what was given.
            advice (callable, optional): makes of a data type's name what to do instead.

        Raises:
            InvalidTypeError: its data type is another one.
            InvalidArgumentError: it has another number of dimensions.
        """
        if buffer.dtype is not self.dtype:
            wanted = dtype_name(self.kind)
            raise InvalidTypeError(
                f"input {self.name!r}: expected {wanted}, but received "
                f"{dtype_name(FROM_TORCH[buffer.dtype])}.",
                hint=advice(wanted) if advice else f"give array.astype({wanted!r})",
            )
        if self.rank not in (-1, buffer.dim()):
            if not buffer.dim() and self.rank == 1:
                return buffer.reshape(1)
            raise InvalidArgumentError(
                f"input {self.name!r}: expected {self.rank} dimensions, "
                f"{list(self.dims)} (-1: any size), but received {list(buffer.shape)}."
            )
        return buffer

    def unlike(self, buffer: torch.Tensor) -> str | None:
        """Says how a buffer's sizes differ from those that the model states; None: they do not."""
        sizes = list(buffer.shape)
        if len(sizes) != len(self.dims):
            return None
        if all(want in (-1, got) for want, got in zip(self.dims, sizes, strict=True)):
            return None
        return f"{self.name!r} is stated as {list(self.dims)}, and {sizes} came"
