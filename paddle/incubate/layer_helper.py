"""LayerHelper: what layer functions in the style of 1.x and 2.0 make operators with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle import tensor
from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.framework.param_attr import ParamAttr
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.program import Program
from paddle.ir.recording.context import layer_name, naming_order
from paddle.ir.variable import Parameter, Variable
from paddle.nn.layer.helper import LayerObjectHelper, activation_of
from paddle.nn.layer.parameters import make_parameter


class LayerHelper(LayerObjectHelper):
    """Makes parameters, results and operators for a function that was written like 2.0's own.

    Such a function hands over its arguments, and the helper finds ``name``, ``param_attr``,
    ``bias_attr``, ``act`` and the inputs among them. In static mode it records, in dynamic mode it
    runs.

    Args:
        layer_type (str): what names are built from.
        **kwargs: the function's arguments, ``**locals()``.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.incubate import LayerHelper

            def double(x, name=None):
                helper = LayerHelper("double", **locals())
                out = helper.create_variable_for_type_inference(dtype=x.dtype)
                helper.append_op(
                    type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"scale": 2.0})
                return out

            print(double(paddle.ones([2])).numpy())  # [2. 2.]
    """

    def __init__(self, layer_type: str, **kwargs: Any) -> None:
        self._type = layer_type
        self.kwargs = kwargs
        given = kwargs.get("name")
        self._name = unique_name.generate(layer_type) if given is None else given

    @property
    def name(self) -> str:
        """The name that was given, or one made of ``layer_type``."""
        return self._name

    @property
    def layer_type(self) -> str:
        """What names are built from."""
        return self._type

    @property
    def main_program(self) -> Program:
        """The Program that operators are added to."""
        return default_main_program()

    @property
    def startup_program(self) -> Program:
        """The Program that fills parameters."""
        return default_startup_program()

    # -- arguments of the function ----------------------------------------------------------------

    def multiple_input(self, input_param_name: str = "input") -> list[Any]:
        """Returns an argument as a list.

        Args:
            input_param_name (str): the argument. Default: input.
        """
        given = self.kwargs.get(input_param_name, [])
        return list(given) if isinstance(given, (list, tuple)) else [given]

    def input(self, input_param_name: str = "input") -> Any:
        """Returns an argument that is one Tensor or Variable, alone or in a list.

        Args:
            input_param_name (str): the argument. Default: input.
        """
        given = self.multiple_input(input_param_name)
        if len(given) != 1:
            raise InvalidArgumentError(
                f"{self._type}: expected one input as {input_param_name!r}, "
                f"but received {len(given)}."
            )
        return given[0]

    def input_dtype(self, input_param_name: str = "input") -> Any:
        """Returns the data type of an argument; several Tensors must have the same.

        Args:
            input_param_name (str): the argument. Default: input.
        """
        kinds = {value.dtype for value in self.multiple_input(input_param_name)}
        if len(kinds) > 1:
            raise InvalidArgumentError(
                f"{self._type}: expected inputs of one data type as {input_param_name!r}, "
                f"but received {sorted(map(str, kinds))}."
            )
        return kinds.pop() if kinds else None

    @property
    def param_attr(self) -> Any:
        """The argument ``param_attr`` as a ParamAttr, or False."""
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self) -> Any:
        """The argument ``bias_attr`` as a ParamAttr, or False."""
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def multiple_param_attr(self, length: int) -> list[Any]:
        """Returns ``param_attr`` for each of several inputs.

        Args:
            length (int): how many inputs.
        """
        given = self.param_attr
        listed = given if isinstance(given, list) else [given]
        if len(listed) == 1 and length > 1:
            # One attr serves all; a name belongs to one parameter only.
            return [ParamAttr._to_attr(self.kwargs.get("param_attr")) for _ in range(length)]
        if len(listed) != length:
            raise InvalidArgumentError(
                f"{self._type}(param_attr): expected {length} of them, one for each input, "
                f"but received {len(listed)}."
            )
        return listed

    def iter_inputs_and_params(self, input_param_name: str = "input") -> Iterator[tuple[Any, Any]]:
        """Goes over the inputs and the ``param_attr`` of each.

        Args:
            input_param_name (str): the argument. Default: input.
        """
        inputs = self.multiple_input(input_param_name)
        yield from zip(inputs, self.multiple_param_attr(len(inputs)), strict=True)

    def is_instance(self, param_name: str, cls: Any) -> None:
        """Refuses an argument of another class.

        Args:
            param_name (str): the argument.
            cls (type): what it has to be.
        """
        given = self.kwargs[param_name]
        if not isinstance(given, cls):
            raise TypeError(
                f"{self._type}({param_name}): expected {getattr(cls, '__name__', cls)}, "
                f"but received {type(given).__name__}."
            )

    # -- parameters and variables -----------------------------------------------------------------

    def create_parameter(  # type: ignore[override]
        self, attr: Any, shape: Any, dtype: Any = None, is_bias: bool = False,
        default_initializer: Any = None, stop_gradient: bool = False,
    ) -> Any:  # fmt: skip
        """Makes a parameter, and in static mode records how it is filled.

        Args:
            attr (ParamAttr): how; False makes none.
            shape (list[int]): its shape.
            dtype (str, optional): None means the default data type.
            is_bias (bool): it starts at zero. Default: False.
            default_initializer (Initializer, optional): where ``attr`` has none.
            stop_gradient (bool): it gets no gradient. Default: False.
        """
        made = make_parameter(shape, attr, dtype, is_bias, default_initializer, self._name)
        if made is not None and stop_gradient:
            made.stop_gradient = True
        return made

    def get_parameter(self, name: str) -> Any:
        """Returns a parameter of the main Program.

        Args:
            name (str): its name.
        """
        found = self.main_program.global_block().var(name)
        if not isinstance(found, Parameter):
            raise InvalidArgumentError(
                f"LayerHelper.get_parameter: {name!r} is a variable, but no parameter."
            )
        return found

    def create_variable(self, *args: Any, **kwargs: Any) -> Variable:
        """Makes a variable in the current block; takes what ``Block.create_var`` does."""
        return self.main_program.current_block().create_var(*args, **kwargs)

    def create_global_variable(
        self, persistable: bool = False, *args: Any, **kwargs: Any
    ) -> Variable:
        """Makes a variable in the global block.

        Args:
            persistable (bool): it outlives a run. Default: False.
            *args: none.
            **kwargs: what ``Block.create_var`` takes.
        """
        block = self.main_program.global_block()
        return block.create_var(
            *args, persistable=persistable, **{"name": unique_name.generate(f"{self._name}.tmp")}
            | kwargs,
        )  # fmt: skip

    def create_or_get_global_variable(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Returns a variable of the global block, and whether it was made now.

        Args:
            name (str): its name.
            *args: see :meth:`create_global_variable`.
            **kwargs: see :meth:`create_global_variable`.
        """
        block = self.main_program.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(*args, name=name, **kwargs), True

    def set_variable_initializer(self, var: Any, initializer: Any) -> Any:
        """Lets the startup Program fill a variable.

        Args:
            var (Variable): of the main Program.
            initializer (Initializer): how.
        """
        block = self.startup_program.global_block()
        return block.create_var(
            name=var.name, type=var.type, dtype=var.dtype, shape=var.shape, persistable=True,
            initializer=initializer,
        )  # fmt: skip

    def to_variable(self, value: Any, name: str | None = None) -> Any:
        """Makes a Tensor of an array; a Tensor stays as it is.

        Args:
            value (np.ndarray|Tensor): the value.
            name (str, optional): its name.
        """
        if isinstance(value, (Tensor, Variable)):
            return value
        made = tensor.to_tensor(np.asarray(value))
        if name is not None:
            made.name = name
        return made

    def call(self, operator: str, *inputs: Any, order: Any = "", **attrs: Any) -> Any:
        """Runs or records an operator; its results are named after the layer, as 1.x names them.

        Args:
            operator (str): its name.
            *inputs (Tensor|Variable): one for each of its input slots; None where there is none.
            order (str): output slots in the order in which their variables are named, if that is
                not the operator's.
            **attrs: its attributes.

        Returns:
            What the operator returns: one result, or a tuple of them.
        """
        function = getattr(C, operator)
        if not recording():
            return function(*inputs, **attrs)
        with layer_name(self._name), naming_order(order):
            return function(*inputs, **attrs)

    # -- what many layers end with ----------------------------------------------------------------

    def append_bias_op(self, input_var: Any, dim_start: int = 1, dim_end: int | None = None) -> Any:
        """Adds a bias made by ``bias_attr``, unless that is False.

        Args:
            input_var (Tensor|Variable): what it is added to.
            dim_start (int): the bias has the sizes from this dimension on. Default: 1.
            dim_end (int, optional): and up to this one, which is not included.
        """
        size = list(input_var.shape[dim_start:dim_end])
        bias = self.create_parameter(self.bias_attr, size, input_var.dtype, is_bias=True)
        return (
            input_var
            if bias is None
            else self.call("elementwise_add", input_var, bias, axis=dim_start)
        )

    def append_activation(self, input_var: Any, act: Any = None) -> Any:
        """Applies the activation named by the argument ``act``; None: none.

        Args:
            input_var (Tensor|Variable): its input.
            act (str|dict, optional): in place of the function's argument; a dict has attributes
                beside the ``type``.
        """
        act = self.kwargs.get("act") if act is None else act
        if act is None:
            return input_var
        kind, attrs = activation_of(self._type, act)
        attrs = {n: v for n, v in attrs.items() if not n.startswith("use_")}
        return self.call(kind, input_var, **attrs)

    def __repr__(self) -> str:
        mode = "static" if recording() else "dynamic"
        return f"<LayerHelper {self._name} in {mode} mode>"
