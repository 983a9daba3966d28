"""Tensor: a handle on one buffer, with the few methods that need no operator.

Mathematical methods and Python operators are attached by :mod:`paddle.tensor.methods` from one
table. What a write to a buffer means for others is in :mod:`paddle.core.writes`.
"""

from __future__ import annotations

import copy as _copy
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from paddle.core import unique_name
from paddle.core.dtype import FROM_TORCH, VarType
from paddle.core.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    OutOfRangeError,
    PreconditionNotMetError,
)
from paddle.core.place import Place, place_of
from paddle.core.writes import share_outside, updatable

if TYPE_CHECKING:
    from paddle.core.tensor_methods import Methods  # what paddle.tensor.methods attaches
else:
    Methods = object

_new: Any = object.__new__


class Tensor(Methods):
    """A multi-dimensional array that operators work on and gradients flow through.

    Made by :func:`paddle.to_tensor` and by operators, not by calling the class with data; it
    accepts one array-like for convenience.

    Attributes:
        stop_gradient (bool): True (the default) where no gradient is needed.
        persistable (bool): whether saving a model includes it.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
            (x * x).sum().backward()
            print(x.grad.numpy())  # [2. 4.]
    """

    __slots__ = {
        "__dict__": "what is rarely set, and whatever a user sets",
        "__weakref__": "for the handles that share memory by detach",
        "_buf": "the buffer",
        "_dt": "its torch dtype; asking the buffer costs more than a slot",
        "_edge": "where it came from on the tape",
        "stop_gradient": "True (the default) where no gradient is needed.",
    }

    # Rarely set, so they live on the class until an instance gets its own.
    _name: str | None = None
    _grad: Any = None  # the accumulated gradient of a leaf
    _hooks: dict[int, Any] | None = None
    _family: list[weakref.ref] | None = None
    _place: Place | None = None
    persistable: bool = False
    is_parameter: bool = False

    __module__ = "paddle"  # where users find it

    _buf: torch.Tensor
    _dt: torch.dtype
    _edge: Any
    stop_gradient: bool

    @property
    def shape(self) -> list[int]:
        """The size of every dimension; a scalar has shape ``[1]``."""
        return list(self._buf.shape)

    @property
    def dtype(self) -> VarType:
        """The element type, printed as ``VarType.FP32``."""
        return FROM_TORCH[self._dt]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._buf.dim()

    def dim(self) -> int:
        """Returns the number of dimensions."""
        return self._buf.dim()

    ndimension = dim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._buf.numel()

    @property
    def place(self) -> Place:
        """Where the buffer lives."""
        return self._place or place_of(self._buf)

    @property
    def name(self) -> str:
        """A name that is unique in the process; made when first asked for."""
        if self._name is None:
            self._name = unique_name.generate("dygraph_tmp")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def type(self) -> VarType:
        """The kind of variable: always a dense tensor."""
        return VarType.LOD_TENSOR

    @property
    def block(self) -> Any:
        """The block of a static Variable; an eager Tensor belongs to none."""
        return None

    @property
    def inplace_version(self) -> int:
        """How often the buffer was written to."""
        return self._buf._version

    @property
    def is_leaf(self) -> bool:
        """True when no recorded operator made this Tensor."""
        return self._edge is None

    def element_size(self) -> int:
        """Returns the bytes of one element."""
        return self._buf.element_size()

    # -- reading ----------------------------------------------------------------------------

    def numpy(self) -> np.ndarray:
        """Returns the value as a NumPy array of its own memory (bfloat16 as uint16 bits)."""
        buf = self._buf
        try:
            return buf.numpy().copy()
        except (TypeError, RuntimeError):
            return _host_array(buf)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if copy is False:
            raise ValueError("Tensor.__array__: NumPy asked to share, but numpy() is a copy.")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def item(self, *args: int) -> Any:
        """Returns one element as a Python number; without arguments there must be just one.

        Args:
            *args (int): a flat position, or one index per dimension.
        """
        if args:
            if len(args) not in (1, self._buf.dim()):
                raise InvalidArgumentError(
                    f"Tensor.item: expected 1 or {self._buf.dim()} indices for shape {self.shape}, "
                    f"but received {len(args)}."
                )
            try:
                return self.numpy().item(*args)
            except IndexError as error:
                raise OutOfRangeError(f"Tensor.item: {error}.") from None
        if self._buf.numel() != 1:
            raise InvalidArgumentError(
                f"Tensor.item: expected a Tensor with one element, but it has shape {self.shape}.",
                hint="give the position: x.item(0)",
            )
        return self._buf.item()

    def tolist(self) -> list:
        """Returns the value as nested lists."""
        return self._buf.tolist()

    def value(self) -> Tensor:
        """Returns itself (1.x code asks a variable for its value)."""
        return self

    def detach(self) -> Tensor:
        """Returns a Tensor outside of the graph that shares this one's memory.

        Writing to either shows in both; it is the one exception to the rule that memory is never
        visibly shared.
        """
        other = wrap(self._buf)
        family = self._family
        if family is None:
            family = self._family = [weakref.ref(self)]
        family[:] = [ref for ref in family if ref() is not None]
        other._family = family
        family.append(weakref.ref(other))
        other._place = self._place
        return other

    # -- writing ----------------------------------------------------------------------------

    def set_value(self, value: Any) -> None:
        """Replaces the contents by an array or Tensor of the same shape; dtype is converted.

        Args:
            value (np.ndarray|Tensor|list|number): the new contents.

        Raises:
            ValueError: the shape differs.
        """
        new = value._buf if isinstance(value, Tensor) else None
        if new is None:
            array = np.asarray(value)
            if array.dtype.kind not in "biufc":
                raise ArgumentTypeError(
                    f"Tensor.set_value(value): expected numbers, but received dtype {array.dtype}."
                )
            native = array.dtype.newbyteorder("=")
            new = torch.from_numpy(np.require(array, native, ["C", "W"]))
            if array.dtype == np.uint16 and self._buf.dtype is torch.bfloat16:
                new = new.view(torch.bfloat16)
        if new.dim() == 0:
            new = new.reshape(1)
        if new.shape != self._buf.shape:
            raise InvalidArgumentError(
                f"Tensor.set_value(value): expected shape {self.shape}, "
                f"but received {list(new.shape)}, for {self._name or 'this Tensor'}."
            )
        updatable(self).copy_(new)

    def copy_(self, src: Tensor, blocking: bool = True) -> Tensor:
        """Copies the contents of ``src`` into this Tensor.

        Args:
            src (Tensor): of the same shape.
            blocking (bool): False lets a copy between devices run on; only there is a difference.
        """
        if not isinstance(src, Tensor) or src.shape != self.shape:
            got = src.shape if isinstance(src, Tensor) else type(src).__name__
            raise InvalidArgumentError(
                f"Tensor.copy_(src): expected a Tensor of shape {self.shape}, but received {got}."
            )
        updatable(self).copy_(src._buf, non_blocking=not blocking)
        return self

    # -- Python protocol --------------------------------------------------------------------

    def __len__(self) -> int:
        return self._buf.shape[0]

    def __bool__(self) -> bool:
        return bool(self._single("bool"))

    __nonzero__ = __bool__

    def __float__(self) -> float:
        return float(self._single("float"))

    def __int__(self) -> int:
        return int(self._single("int"))

    __long__ = __int__

    def __index__(self) -> int:
        if self._buf.dtype.is_floating_point or self._buf.dtype.is_complex:
            raise TypeError(f"an index must be an integer Tensor, but this one is {self.dtype}.")
        return int(self._single("an index"))

    def __complex__(self) -> complex:
        return complex(self._single("complex"))

    def _single(self, what: str) -> Any:
        if self._buf.numel() != 1:
            raise InvalidArgumentError(
                f"Only a Tensor with one element can be used as {what}, "
                f"but this one has shape {self.shape}.",
                hint="reduce it first, for instance by .all(), .any(), .sum() or an index",
            )
        return self._buf.item()

    def __format__(self, spec: str) -> str:
        return (
            format(str(self), spec)
            if not spec or self._buf.numel() != 1
            else format(self._buf.item(), spec)
        )

    __hash__ = object.__hash__  # by identity, without a Python call: backward asks per leaf

    def __repr__(self) -> str:
        from paddle.core.printing import tensor_to_string

        return tensor_to_string(self)

    __str__ = __repr__

    def to_string(self, throw_on_error: bool, with_details: bool = False) -> str:
        """The text that is printed, as 1.x calls it.

        Args:
            throw_on_error (bool): of interest for Variables of a Program only.
            with_details (bool): of interest for Variables of a Program only.
        """
        return str(self)

    def __reduce__(self) -> Any:
        state = {
            k: v
            for k, v in self.__dict__.items()
            if k not in ("_family", "_grad", "_hooks", "_place")
        }
        return _rebuild, (type(self), self.numpy(), self.dtype.name, self.stop_gradient, state)

    def __deepcopy__(self, memo: dict) -> Tensor:
        if self._edge is not None:
            raise PreconditionNotMetError(
                "Only leaf Tensors can be deep-copied, but this one was made by an operator that "
                "is recorded for backward.",
                hint="use x.detach() or x.clone()",
            )
        other = memo[id(self)] = _new(type(self))
        other._rebind(self._buf.clone())
        other.stop_gradient = self.stop_gradient
        other._edge = None
        for key, value in self.__dict__.items():
            if key == "_name":
                other._name = unique_name.generate(value)
            elif key not in ("_family", "_grad", "_hooks"):
                other.__dict__[key] = _copy.deepcopy(value, memo)
        return other

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        share_outside(self)
        return self._buf.__dlpack__(stream=stream, **options)

    def __dlpack_device__(self) -> Any:
        return self._buf.__dlpack_device__()

    def _rebind(self, buf: torch.Tensor) -> None:
        """Lets the handle stand for another buffer; whoever shares the old one keeps it."""
        self._buf = buf
        self._dt = buf.dtype

    def _share_buffer_to(self, other: Tensor) -> None:
        other._rebind(self._buf)

    def _is_initialized(self) -> bool:
        return True


class Parameter(Tensor):
    """A Tensor that an optimizer trains.

    Attributes:
        trainable (bool): whether it takes part in training; the opposite of ``stop_gradient``.
        optimize_attr (dict): ``learning_rate``, a factor on the optimizer's.
        regularizer: a decay of its own, going before the optimizer's.
        need_clip (bool): whether gradient clipping applies.
    """

    __slots__ = ()
    is_parameter = True
    persistable = True
    optimize_attr: dict[str, Any]
    regularizer: Any = None
    need_clip: bool = True
    do_model_average: Any = None
    is_distributed: bool = False

    def __init__(self, shape: Any, dtype: Any = "float32", **options: Any) -> None:
        from paddle.core.dtype import torch_dtype
        from paddle.core.place import current_device

        sizes = list(shape) or [1]
        self._rebind(torch.zeros(sizes, dtype=torch_dtype(dtype), device=current_device()))
        adopt(self, **options)

    @property
    def trainable(self) -> bool:
        """Whether an optimizer changes it."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"Parameter.trainable: expected a bool, but received {type(value).__name__}."
            )
        self.stop_gradient = not value


def adopt(param: Parameter, **options: Any) -> Parameter:
    """Gives a parameter that has its buffer everything else."""
    param._edge = None
    param._name = options.get("name") or unique_name.generate("_param")
    param.stop_gradient = not options.get("trainable", True)
    param.optimize_attr = options.get("optimize_attr") or {"learning_rate": 1.0}
    param.regularizer = options.get("regularizer")
    param.need_clip = options.get("need_clip", True)
    param.do_model_average = options.get("do_model_average")
    return param


def parameter(buf: torch.Tensor, **options: Any) -> Parameter:
    """Makes a Parameter around a buffer."""
    made = _new(Parameter)
    made._rebind(buf)
    return adopt(made, **options)


def wrap(buf: torch.Tensor, stop_gradient: bool = True) -> Tensor:
    """Makes a Tensor around a buffer; a scalar gets shape ``[1]``."""
    made = _new(Tensor)
    made._buf = buf if buf.dim() else buf.reshape(1)
    made._dt = buf.dtype
    made.stop_gradient = stop_gradient
    made._edge = None
    return made


def from_numpy(array: np.ndarray) -> Tensor:
    """Makes a CPU Tensor that shares the memory of a writable C-ordered array."""
    return wrap(torch.from_numpy(array))


def _host_array(buf: torch.Tensor) -> np.ndarray:
    """The slow way to NumPy: other devices, bfloat16, lazy conjugation."""
    buf = buf.detach().cpu().resolve_conj().resolve_neg()
    if buf.dtype is torch.bfloat16:
        return buf.contiguous().view(torch.int16).numpy().view(np.uint16).copy()
    return buf.numpy().copy()


def _rebuild(cls: type, array: np.ndarray, dtype: str, stop_gradient: bool, state: dict) -> Tensor:
    """Undoes pickling; the buffer goes to the current device."""
    from paddle.core.place import current_device

    buf = torch.from_numpy(array)
    if dtype == "BF16":
        buf = buf.view(torch.bfloat16)
    made = _new(cls)
    made._rebind(buf.to(current_device()))
    made.stop_gradient = stop_gradient
    made._edge = None
    made.__dict__.update(state)
    return made


def ones_like(tensor: Tensor) -> Tensor:
    """Makes a Tensor of ones like another, outside of the graph."""
    return wrap(torch.ones_like(tensor._buf))


def zeros_of(meta: tuple, like: Tensor) -> Tensor:
    """Makes zeros of a given (shape, dtype) on the device of another Tensor."""
    return wrap(torch.zeros(meta[0], dtype=meta[1], device=like._buf.device))
