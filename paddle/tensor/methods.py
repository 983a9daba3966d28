"""The one table of what Tensor can do: public functions become methods, by their own names.

Everything in ``__all__`` of the modules below takes a tensor first and is a method of the same
name; ``OPERATORS`` holds Python's operators. Nothing is written twice.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

from paddle.core.backends import choices, named
from paddle.core.dtype import NAMES as DTYPE_NAMES
from paddle.core.lod import HeldTensor
from paddle.core.op import C
from paddle.core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, current_place
from paddle.core.tensor import Tensor
from paddle.ir.recording.context import layer_name
from paddle.ir.variable import Variable
from paddle.tensor import (
    attribute,
    inplace,
    linalg,
    logic,
    manipulation,
    math,
    native_methods,
    search,
    stat,
    static,
)
from paddle.tensor.gradients import METHODS
from paddle.tensor.indexing import __getitem__, __setitem__
from paddle.tensor.operators import OPERATORS
from paddle.tensor.operators_1x import of_1x, written_for_1x
from paddle.tensor.to_tensor import to_tensor

MODULES = (attribute, inplace, linalg, logic, manipulation, math, search, stat)

# Functions that share a name with a property of Tensor, which wins.
PROPERTIES = frozenset({"shape"})


def astype(self: Tensor, dtype: Any) -> Tensor:
    """Returns the Tensor converted to another data type.

    Args:
        dtype (str|np.dtype|VarType): the new type.
    """
    return math.cast(self, dtype)


def clone(self: Tensor) -> Tensor:
    """Returns a copy through which gradients flow back."""
    return C.assign(self)


def _moved(self: Tensor, place: Any) -> Tensor:
    made = to_tensor(self.detach(), place=place)
    made.persistable = self.persistable
    made.stop_gradient = self.stop_gradient
    return made


def cpu(self: Tensor) -> Tensor:
    """Returns a copy in main memory."""
    return _moved(self, CPUPlace())


def cuda(self: Tensor, device_id: int = -1, blocking: bool = True) -> Tensor:
    """Returns a copy on a GPU.

    Args:
        device_id (int): number of the GPU; -1 means the current one.
        blocking (bool): kept for compatibility: the copy is always complete for later operators,
            which run in order.
    """
    if not isinstance(blocking, bool):
        raise TypeError(f"Tensor.cuda(blocking): expected a bool, got {type(blocking).__name__}.")
    if device_id in (None, -1):
        here = current_place()
        return _moved(self, here if here.is_gpu_place() else CUDAPlace(0))
    return _moved(self, CUDAPlace(device_id))


def get_tensor(self: Tensor) -> HeldTensor:
    """Returns what it holds, to be read and set in the way of 1.x; setting shows in it.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            x = paddle.ones([2, 3])
            x.value().get_tensor().set(np.zeros([4], "float32"), paddle.CPUPlace())
            print(x.shape)  # [4]
    """
    return HeldTensor(self)


def pin_memory(self: Tensor) -> Tensor:
    """Returns a copy in page-locked memory."""
    return _moved(self, CUDAPinnedPlace())


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Returns the Tensor on another device and/or of another type: ``x.to("cpu", "float64")``.

    Args:
        *args: a device (str or Place) and/or a dtype, or another Tensor to imitate.
        **kwargs: ``device``, ``dtype`` and ``blocking`` by name.
    """
    device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
    kwargs.pop("blocking", None)
    if kwargs:
        raise TypeError(f"Tensor.to: expected device, dtype or blocking, got {sorted(kwargs)}.")
    for arg in args:
        if isinstance(arg, Tensor):
            device, dtype = arg.place, arg.dtype
        elif hasattr(arg, "is_cpu_place") or (isinstance(arg, str) and _names_device(arg)):
            device = arg
        elif not isinstance(arg, bool):
            dtype = arg
    out = self if device is None else _moved(self, device)
    return out if dtype is None else astype(out, dtype)


def _names_device(text: str) -> bool:
    kind = text.split(":")[0].strip().lower()
    return kind in choices() or (kind not in DTYPE_NAMES and named(kind) is not None)


def _T(self: Tensor) -> Tensor:
    """The Tensor with its dimensions reversed."""
    return manipulation.transpose(self, list(range(self.ndim))[::-1])


def __iter__(self: Tensor) -> Iterator[Tensor]:
    return iter([self[i] for i in range(len(self))]) if len(self) < 64 else _rows(self)


def _rows(self: Tensor) -> Iterator[Tensor]:
    for i in range(len(self)):
        yield self[i]


def __contains__(self: Tensor, value: Any) -> bool:
    return bool((self == value).any())


def _recorded(name: str, function: Any) -> Any:
    """A Python operator on Variables: its results are called ``tmp_0``, ``tmp_1``, ..."""
    old = of_1x(name, function)

    @functools.wraps(function)
    def named(self: Any, other_var: Any) -> Any:
        with layer_name("tmp"):
            if self.block.program.of_1x and written_for_1x(inspect.currentframe()):
                return old(self, other_var)
            return function(self, other_var)

    del named.__wrapped__  # type: ignore[attr-defined]  # so that the parameter shows its name
    return named


def attach() -> None:
    """Puts everything on Tensor and Variable; called once, by ``import paddle``."""
    shared: dict[str, Any] = {}
    for module in MODULES:
        for name in module.__all__:
            if name not in PROPERTIES:
                shared[name] = getattr(module, name)
    for cls in (Tensor, Variable):
        for name, function in shared.items():
            if name not in cls.__dict__:
                setattr(cls, name, function)
        for function in (astype, clone):
            setattr(cls, function.__name__, function)
        setattr(cls, "T", property(_T))
    for name, function in OPERATORS.items():
        setattr(Tensor, name, function)
        two = callable(function) and function.__code__.co_argcount == 2
        setattr(Variable, name, _recorded(name, function) if two else function)
    own = (__getitem__, __setitem__, cpu, cuda, get_tensor, pin_memory, to, __iter__, __contains__)
    for function in own:
        setattr(Tensor, function.__name__, function)
    for name, member in (METHODS | native_methods.METHODS).items():
        setattr(Tensor, name, member)
    static.attach()
