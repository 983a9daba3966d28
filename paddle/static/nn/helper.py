"""What all layers of paddle.static.nn do: checks, names, parameters, bias, activation."""

from __future__ import annotations

import contextlib
import contextvars
import numbers
from collections.abc import Iterator, Sequence
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import recording
from paddle.core.op import REGISTRY, REQUIRED, C
from paddle.core.tensor import Tensor
from paddle.framework import by_name
from paddle.framework.param_attr import ParamAttr
from paddle.ir.current import default_main_program
from paddle.ir.recording.context import layer_name
from paddle.ir.recording.record import plain_attr
from paddle.ir.variable import Variable
from paddle.nn.initializer import Constant
from paddle.nn.layer.helper import activation_of
from paddle.nn.layer.parameters import make_parameter
from paddle.tensor.creation import zeros

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTS = ("int32", "int64")


_caller: contextvars.ContextVar[str] = contextvars.ContextVar("caller", default="")


@contextlib.contextmanager
def on_behalf_of(api: str) -> Iterator[None]:
    """Lets layers made inside speak of another API, whose functions run in dynamic mode too.

    Args:
        api (str): what stands before a function's name there, such as ``fluid.layers.``.
    """
    token = _caller.set(api)
    try:
        yield
    finally:
        _caller.reset(token)


class StaticLayer:
    """One call of a layer function: ``fc_0`` with ``fc_0.w_0``, ``fc_0.tmp_0``, ...

    Args:
        kind (str): the function's name.
        name (str|None): the user's name for the layer; None makes a unique one.
        prefix (str|None): what parameters are named after where that is not the function.
        api (str): what the function is called in errors, before its name.
    """

    def __init__(
        self,
        kind: str,
        name: str | None = None,
        prefix: str | None = None,
        api: str = "static.nn.",
    ) -> None:
        caller = _caller.get()
        self.api = (caller or api) + kind
        self.eager = not recording()
        if self.eager and not caller:
            raise PreconditionNotMetError(
                f"paddle.{self.api} adds to a static Program, but dynamic mode is on.",
                hint="call paddle.enable_static() first, or use the class in paddle.nn",
            )
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{self.api}(name): expected a str or None, got {name!r}.")
        self.kind = kind
        self.name = unique_name.generate(prefix or kind) if name is None else name

    # -- checks of arguments ---------------------------------------------------------------------

    def wrong(self, argument: str, expected: str, got: Any) -> InvalidArgumentError:
        """The error for an argument whose value does not fit."""
        return InvalidArgumentError(
            f"{self.api}({argument}): expected {expected}, but received {got!r}."
        )

    def check(
        self,
        argument: str,
        value: Any,
        ranks: Sequence[int] = (),
        dtypes: Sequence[str] = (),
    ) -> Variable:
        """Returns an argument that has to be a Variable, of certain ranks and element types."""
        if not isinstance(value, Tensor if self.eager else Variable):
            kind = "Tensor" if self.eager else "Variable"
            raise TypeError(
                f"{self.api}({argument}): expected a {kind}, but received {type(value).__name__}."
            )
        if ranks and len(value.shape) not in ranks:
            counts = " or ".join(map(str, ranks))
            raise InvalidArgumentError(
                f"{self.api}({argument}): expected a Variable of {counts} dimensions, "
                f"but received shape {list(value.shape)}."
            )
        if dtypes and dtype_name(value.dtype) not in dtypes:
            raise InvalidArgumentError(
                f"{self.api}({argument}): expected dtype {' or '.join(dtypes)}, "
                f"but received {dtype_name(value.dtype)}."
            )
        return value  # type: ignore[return-value]

    def count(self, argument: str, value: Any, least: int = 1) -> int:
        """Returns an argument that has to be an int of a certain size."""
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError(f"{self.api}({argument}): expected an int, but received {value!r}.")
        if value < least:
            raise self.wrong(argument, f"an int >= {least}", value)
        return int(value)

    def flag(self, argument: str, value: Any) -> bool:
        """Returns an argument that has to be a bool."""
        if not isinstance(value, bool):
            raise TypeError(f"{self.api}({argument}): expected a bool, but received {value!r}.")
        return value

    def size(self, value: Variable, axis: int, argument: str) -> int:
        """Returns a size that a parameter needs; raises where only a run can tell it."""
        if value.shape[axis] < 0:
            raise InvalidArgumentError(
                f"{self.api}({argument}): expected a known size of dimension "
                f"{axis % len(value.shape)}, because a parameter depends on it, "
                f"but received shape {list(value.shape)}.",
                hint="give it in static.data(shape=...), or reshape",
            )
        return int(value.shape[axis])

    # -- operators -------------------------------------------------------------------------------

    def call(self, op: str, *args: Any, **attrs: Any) -> Any:
        """Adds one operator; its results are named after the layer."""
        with layer_name(self.name):
            return getattr(C, op)(*args, **attrs)

    def fresh(self, dtype: Any, stop_gradient: bool = False, named: bool = True) -> Variable:
        """Makes a variable for a result, named after the layer unless PaddlePaddle does not."""
        if self.eager:
            return zeros([1], dtype)  # type: ignore[return-value]
        name = unique_name.generate(self.name + ".tmp") if named else None
        block = default_main_program().current_block()
        return block.create_var(name=name, dtype=dtype, stop_gradient=stop_gradient)

    def append(self, op: str, inputs: dict[str, Any], outputs: dict[str, Any], **attrs: Any) -> Any:
        """Adds an operator whose results exist already, which sets the order of their names."""
        if self.eager:
            by_name.trace(self.api, op, inputs, outputs, attrs)
            return
        known = {k: v for k, v in REGISTRY[op].attrs.items() if v is not REQUIRED}
        default_main_program().current_block().append_op(
            type=op,
            inputs=inputs,
            outputs=outputs,
            attrs={k: plain_attr(v) for k, v in {**known, **attrs}.items()},
        )

    # -- parameters ------------------------------------------------------------------------------

    def parameter(self, attr: Any, shape: list[int], dtype: Any, is_bias: bool = False,
                  default: Any = None) -> Any:  # fmt: skip
        """Makes a parameter, or returns None where ``attr`` is False."""
        return make_parameter(shape, attr, dtype, is_bias, default, self.name)

    def weight(self, argument: str, attr: Any, shape: list[int], dtype: Any,
               default: Any = None, is_bias: bool = False) -> Any:  # fmt: skip
        """Makes a parameter that cannot be left out."""
        if attr is False:
            raise self.wrong(argument, "a ParamAttr or None", False)
        return self.parameter(attr, shape, dtype, is_bias, default)

    def state(self, name: str | None, shape: list[int], dtype: Any, initial: Any,
              do_model_average: bool = True) -> Any:  # fmt: skip
        """Makes a parameter that is not trained, such as a running mean."""
        initializer = initial if callable(initial) else Constant(initial)
        attr = ParamAttr(name, initializer, trainable=False, do_model_average=do_model_average)
        made = make_parameter(shape, attr, dtype, False, None, self.name)
        assert made is not None
        made.stop_gradient = True
        return made

    def bias(self, out: Any, attr: Any, size: int, axis: int, dtype: Any = None) -> Any:
        """Adds a bias along an axis, unless ``attr`` is False."""
        made = self.parameter(attr, [size], dtype or out.dtype, is_bias=True)
        return out if made is None else self.call("elementwise_add", out, made, axis=axis)

    def activate(self, out: Any, act: Any) -> Any:
        """Applies an activation given by its name, or by a dict with its attributes."""
        if act is None:
            return out
        kind, attrs = activation_of(self.api, act)
        return self.call(kind, out, **attrs)


def known_size(value: int, api: str, what: str) -> int:
    """Returns a size that a parameter needs; raises where it is unknown."""
    if value is None or value < 0:
        raise InvalidArgumentError(
            f"static.nn.{api}: {what} has to be known when the Program is built, but it is -1.",
            hint="give it in static.data(shape=...), or reshape",
        )
    return int(value)
