"""Variable and Parameter: names in a Block, with shape and type, that stand for values to come."""

from __future__ import annotations

import functools
import importlib
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType, to_vartype, torch_dtype
from paddle.core.errors import InvalidArgumentError, OnlyInARunError, PreconditionNotMetError
from paddle.ir.operator import here

if TYPE_CHECKING:
    from paddle.ir.block import Block
    from paddle.ir.variable_methods import Methods  # what tensor/ and static/methods.py attach
else:
    Methods = object

DENSE = (VarType.LOD_TENSOR, VarType.SELECTED_ROWS, VarType.LOD_TENSOR_ARRAY)


# What a Tensor has and a Variable cannot have, and what to do instead.
_FETCH = "fetch it by Executor.run(program, feed=..., fetch_list=[variable])"
_PLACE = "the place of the Executor, or paddle.static.device_guard, says where it is computed"
_GRAD = "its gradient is another variable: see paddle.static.append_backward and gradients"
_SCOPE = "get and set what a scope holds by get_value() and set_value()"
_OF_TENSORS = {
    "place": _PLACE, "cpu": _PLACE, "cuda": _PLACE, "pin_memory": _PLACE,
    "to": _PLACE + "; astype() converts", "grad": _GRAD, "clear_grad": _GRAD,
    "value": _SCOPE, "get_tensor": _SCOPE, "copy_": _SCOPE,
    "inplace_version": _FETCH, "element_size": "see its dtype",
}  # fmt: skip
# What tensor arrays can do as lists: name -> function(array, ...). The module that fills it in lies
# above this one; ``import paddle`` says which it is.
LIST_METHODS: dict[str, Any] = {}
_ARGUMENTS = [
    "type", "name", "shape", "dtype", "lod_level", "capacity", "persistable", "error_clip",
    "stop_gradient", "is_data", "need_check_feed", "belong_to_optimizer", "initializer",
]  # fmt: skip
_EXTRAS = ("initializer", "is_distributed")  # what 1.x code passes besides


def _instead(
    usual: str,
    converted: str = "compute with paddle's functions instead, or return the Tensor and take its "
    "value outside",
) -> str:
    """What to do where a value is wanted: something else in a function that is converted."""
    from paddle.ir.recording.context import is_capturing

    if not is_capturing():
        return usual
    return f"a function that paddle.jit.to_static converts is recorded, not run: {converted}"


class Variable(Methods):
    """A named value of a static Program; an Executor gives it contents when it runs.

    Made by :func:`paddle.static.data` and by every public function in static mode. It has the
    methods and Python operators of a Tensor, which add operators to the Program.

    Args:
        block (Block): where it belongs.
        type (VarType): the kind of variable. Default: LOD_TENSOR.
        name (str|None): None makes a unique one.
        shape (list[int]|tuple[int]|None): sizes, -1 (or None) where unknown.
        dtype (str|VarType|None): element type.
        lod_level (int|None): number of LoD levels; 0 for a dense tensor.
        capacity (int|None): kept for 1.x code; queues are not variables here.
        persistable (bool|None): whether the value outlives a run, as parameters do.
        error_clip: clips the gradient of this variable as backward is built.
        stop_gradient (bool): no gradient is computed for it. Default: False.
        is_data (bool): whether it is fed. Default: False.
        need_check_feed (bool): whether the Executor checks what is fed. Default: False.
        belong_to_optimizer (bool): whether an optimizer made it. Default: False.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            x = paddle.static.data("x", [None, 3], "float32")
            print(x.shape, (x + 1.0).shape)  # (-1, 3) (-1, 3)
            paddle.disable_static()
    """

    is_parameter = False
    # Stands for a number of Python (a counter, a size): beside another type it takes that one.
    _weak = False
    # What a file said of it, as bytes of its message, or as it was stated (``paddle/ir/raw.py``).
    raw_fields: bytes | dict[str, Any] | None = None

    def __init__(
        self,
        block: Block,
        type: Any = VarType.LOD_TENSOR,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        lod_level: int | None = None,
        capacity: int | None = None,
        persistable: bool | None = None,
        error_clip: Any = None,
        stop_gradient: bool = False,
        is_data: bool = False,
        need_check_feed: bool = False,
        belong_to_optimizer: bool = False,
        **kwargs: Any,
    ) -> None:
        for key in kwargs:
            if key not in _EXTRAS:
                raise TypeError(
                    f"Variable: unexpected argument {key!r}; expected some of {_ARGUMENTS}.{here()}"
                )
        self.block = block
        self._type = _kind(type)
        self._name = unique_name.generate("_generated_var") if name is None else str(name)
        self._dtype = None if dtype is None else to_vartype(dtype)
        self._dims = () if shape is None else sizes(shape, self._name)
        self._lod_level = lod_level or 0
        self.capacity = capacity
        self._persistable = bool(persistable)
        self.error_clip = error_clip
        self._stop_gradient = bool(stop_gradient)
        self.is_data = is_data
        self.need_check_feed = need_check_feed
        self.belong_to_optimizer = belong_to_optimizer
        self.op: Any = None  # the operator that made it last
        for key, value in kwargs.items():
            setattr(self, key, value)

    # -- what it is -------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name, unique within the Program."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        if value != self._name:
            self.block._rename_var(self._name, value)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes; -1 where only a run can tell."""
        return self._dims

    @shape.setter
    def shape(self, value: Any) -> None:
        self._dims = sizes(value, self._name)
        self.block.note_change()

    @property
    def dtype(self) -> VarType:
        """The element type."""
        if self._dtype is None:
            return VarType.FP32
        return self._dtype

    @dtype.setter
    def dtype(self, value: Any) -> None:
        self._dtype = to_vartype(value)
        self.block.note_change()

    @property
    def _dt(self) -> Any:
        """The element type as the kernels call it."""
        return torch_dtype(self.dtype)

    @property
    def persistable(self) -> bool:
        """Whether the value stays in the scope after a run."""
        return self._persistable

    @persistable.setter
    def persistable(self, value: bool) -> None:
        self._persistable = bool(value)
        self.block.note_change()

    @property
    def stop_gradient(self) -> bool:
        """Whether backward computes no gradient for it and for what comes before it."""
        return self._stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        self._stop_gradient = bool(value)

    @property
    def lod_level(self) -> int:
        """The number of LoD levels of sequences; 0 for a dense tensor."""
        return self._lod_level

    @lod_level.setter
    def lod_level(self, value: int) -> None:
        if not isinstance(value, int) or value < 0:
            raise InvalidArgumentError(
                f"the lod_level of {self._name!r}: expected an int >= 0, but received {value!r}."
                f"{here()}"
            )
        self._lod_level = value
        self.block.note_change()

    @property
    def type(self) -> VarType:
        """The kind of variable: ``VarType.LOD_TENSOR`` for a tensor."""
        return self._type

    @type.setter
    def type(self, value: Any) -> None:
        self._type = value
        self.block.note_change()

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._dims)

    def dim(self) -> int:
        """Returns the number of dimensions."""
        return len(self._dims)

    ndimension = dim

    @property
    def grad_name(self) -> str:
        """The name its gradient has in the Program."""
        return self._name + "@GRAD"

    @property
    def is_leaf(self) -> bool:
        """Whether no operator made it."""
        return self.op is None

    # -- what only a run can answer ----------------------------------------------------------

    def _only_at_run_time(self, what: str) -> Exception:
        return OnlyInARunError(
            f"{what}: Variable {self._name!r} of a static Program has no value before a run."
            f"{here()}",
            hint=_instead("fetch it: Executor.run(program, feed=..., fetch_list=[variable])"),
        )

    def numpy(self) -> Any:
        """Raises: a Variable has no value; fetch it by ``Executor.run``."""
        raise self._only_at_run_time("Variable.numpy")

    def item(self, *args: int) -> Any:
        """Raises: a Variable has no value; fetch it by ``Executor.run``."""
        raise self._only_at_run_time("Variable.item")

    def tolist(self) -> Any:
        """Raises: a Variable has no value; fetch it by ``Executor.run``."""
        raise self._only_at_run_time("Variable.tolist")

    def gradient(self) -> Any:
        """Raises: gradients of a Program are variables; see :func:`paddle.static.gradients`."""
        raise self._only_at_run_time("Variable.gradient")

    def clear_gradient(self) -> None:
        """Raises: gradients of a Program are computed anew by every run."""
        raise self._only_at_run_time("Variable.clear_gradient")

    def backward(self, retain_graph: bool = False) -> None:
        """Raises: in static mode backward is built by :func:`paddle.static.append_backward`."""
        raise PreconditionNotMetError(
            f"Variable.backward: {self._name!r} belongs to a static Program.{here()}",
            hint=_instead(
                "use optimizer.minimize(loss) or paddle.static.append_backward(loss)",
                "return the loss and call backward() on it outside, or use paddle.grad",
            ),
        )

    def __bool__(self) -> bool:
        if self.block.program.of_1x:  # 1.x asks `if attn_bias:` for whether there is one
            if self.dtype == VarType.BOOL:
                warnings.warn(
                    f"Variable {self._name!r} of a Program of 1.x is always true as a Python "
                    f"condition: its value is known only in a run.{here()}",
                    RuntimeWarning,
                    stacklevel=2,
                )
            return True
        raise OnlyInARunError(
            f"Variable {self._name!r} of a static Program cannot be a Python condition: "
            f"its value is known only in a run.{here()}",
            hint=_instead("use paddle.static.nn.cond or paddle.static.nn.while_loop"),
        )

    __nonzero__ = __bool__

    def __float__(self) -> float:
        raise self._only_at_run_time("float")

    def __int__(self) -> int:
        raise self._only_at_run_time("int")

    def __complex__(self) -> complex:
        raise self._only_at_run_time("complex")

    def __format__(self, spec: str) -> str:
        if spec:
            raise self._only_at_run_time(f"format(variable, {spec!r})")
        return str(self)

    def __getattr__(self, name: str) -> Any:
        # Only what is not found comes here. Of a Tensor that is what needs a value or a device.
        if self.__dict__.get("_type") == VarType.LOD_TENSOR_ARRAY and name in LIST_METHODS:
            return functools.partial(LIST_METHODS[name], self)
        if name in _OF_TENSORS:
            raise AttributeError(
                f"'Variable' object has no attribute {name!r}: Variable "
                f"{self.__dict__.get('_name')!r} of a static Program has no value and no device; "
                f"{_OF_TENSORS[name]}.{here()}"
            )
        raise AttributeError(f"'{self.__class__.__name__}' object has no attribute {name!r}")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.block.program.of_1x and dtype is None:  # libraries of 1.x put them into arrays
            made = np.empty([], object)
            made[()] = self
            return made
        raise self._only_at_run_time("numpy.array")

    def __len__(self) -> int:
        if not self._dims or self._dims[0] < 0:
            raise self._only_at_run_time("len")
        return self._dims[0]

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict) -> Variable:
        raise PreconditionNotMetError(
            f"Variable {self._name!r} cannot be copied apart from its Program.{here()}",
            hint="use Program.clone()",
        )

    def describe(self) -> dict[str, Any]:
        """What a copy in another block needs."""
        info = {"lod_level": self.lod_level, "error_clip": self.error_clip}
        info |= {"need_check_feed": self.need_check_feed, "is_data": self.is_data}
        return info | {
            "type": self.type,
            "name": self._name,
            "shape": None if self._dtype is None and not self._dims else self._dims,
            "dtype": self._dtype,
            "persistable": self._persistable,
            "stop_gradient": self.stop_gradient,
            "belong_to_optimizer": self.belong_to_optimizer,
        }


class Parameter(Variable):
    """A persistable Variable that an optimizer trains.

    Attributes:
        trainable (bool): whether it takes part in training.
        optimize_attr (dict): ``learning_rate``, a factor on the optimizer's.
        regularizer: a decay of its own, going before the optimizer's.
        need_clip (bool): whether gradient clipping applies.
    """

    is_parameter = True

    def __init__(self, block: Block, shape: Any, dtype: Any, **options: Any) -> None:
        if shape is None or dtype is None:
            raise InvalidArgumentError(
                f"Parameter {options.get('name')!r}: expected a shape and a dtype, but received "
                f"{shape!r} and {dtype!r}.{here()}"
            )
        dims = sizes(shape, str(options.get("name")))
        if not dims or any(n <= 0 for n in dims):
            raise InvalidArgumentError(
                f"Parameter {options.get('name')!r}: expected a shape of positive sizes, "
                f"but received {list(dims)}.{here()}"
            )
        self.trainable = bool(options.pop("trainable", True))
        self.optimize_attr = options.pop("optimize_attr", None) or {"learning_rate": 1.0}
        self.regularizer = options.pop("regularizer", None)
        self.do_model_average = options.pop("do_model_average", None)
        self.need_clip = options.pop("need_clip", True)
        self.is_distributed = options.pop("is_distributed", False)
        options.pop("initializer", None)
        options.pop("persistable", None)
        stop = options.pop("stop_gradient", not self.trainable)
        super().__init__(
            block, shape=dims, dtype=dtype, persistable=True, stop_gradient=stop, **options
        )

    def describe(self) -> dict[str, Any]:
        """What a copy in another block needs, and what makes it a parameter."""
        kept = ("trainable", "optimize_attr", "regularizer", "do_model_average", "need_clip")
        return super().describe() | {k: getattr(self, k) for k in (*kept, "is_distributed")}


def _kind(value: Any) -> VarType:
    try:
        return VarType(value)
    except ValueError:
        raise InvalidArgumentError(
            f"Variable(type): expected a VarType, but received {value!r}.{here()}"
        ) from None


def sizes(shape: Any, name: str) -> tuple[int, ...]:
    """Returns a shape as a tuple; None in it becomes -1."""
    dims = []
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        raise TypeError(
            f"the shape of {name!r}: expected a list or tuple, but received {shape!r}.{here()}"
        )
    for n in shape:
        n = -1 if n is None else n
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise TypeError(
                f"the shape of {name!r}: expected integers, -1 or None, but received {shape!r}."
                f"{here()}"
            )
        dims.append(int(n))
    if any(n < -1 for n in dims):
        raise InvalidArgumentError(
            f"the shape of {name!r}: expected sizes >= 0, or -1 for unknown, but received {dims}."
            f"{here()}"
        )
    return tuple(dims)


def list_method(name: str) -> Any:
    """What a tensor array does as a list."""
    if not LIST_METHODS:
        importlib.import_module(list_methods_from[0])
    return LIST_METHODS[name]


list_methods_from: list[str] = []


def is_variable(value: Any) -> bool:
    """Says whether a value is a Variable of a Program."""
    return isinstance(value, Variable)
