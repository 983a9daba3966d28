"""Layer, the base class of everything that has parameters and a forward computation."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType, dtype_name, get_default_dtype, numpy_dtype
from paddle.core.errors import UnimplementedError
from paddle.core.failed_call import failed_forward
from paddle.core.mode import recording
from paddle.core.tensor import Tensor, from_numpy
from paddle.nn.layer.hooks import HookRemoveHelper, check_hook
from paddle.nn.layer.parameters import make_parameter
from paddle.nn.layer.state import LayerStateDict

__all__ = ["Layer"]

_ndarray = np.ndarray


class Layer(LayerStateDict):
    """A part of a network: parameters, sublayers, and how to compute with them.

    Subclasses make their members in ``__init__``, after calling ``super().__init__()``, and
    override :meth:`forward`. Parameters and layers that are assigned to attributes are registered
    by themselves; a Tensor becomes a buffer that is not saved.

    Args:
        name_scope (str|None): where the names of parameters begin; None takes the class's name,
            ``BatchNorm2D`` as ``batch_norm2d``. A number is appended.
        dtype (str): the type of the parameters made by :meth:`create_parameter`; float32, which
            is what layers have that were told none, follows ``paddle.set_default_dtype``.

    Attributes:
        training (bool): whether the layer is in training mode, as :meth:`train` sets it.

    Examples:
        .. code-block:: python

            import paddle

            class Net(paddle.nn.Layer):
                def __init__(self):
                    super().__init__()
                    self.hidden = paddle.nn.Linear(4, 3)
                    self.scale = self.create_parameter([1])

                def forward(self, x):
                    return self.hidden(x) * self.scale

            net = Net()
            print(net(paddle.ones([2, 4])).shape)  # [2, 3]
            print([name for name, _ in net.named_parameters()])
            # ['scale', 'hidden.weight', 'hidden.bias']
    """

    training: bool

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32") -> None:
        if name_scope is not None and not isinstance(name_scope, str):
            raise TypeError(
                "Layer(name_scope): expected a str or None, "
                f"but received {type(name_scope).__name__}."
            )
        self._start_members()
        self.training = True
        self._full_name = unique_name.generate(name_scope or _snake_case(type(self).__name__))
        self._dtype: str | None = None if dtype is None else dtype_name(dtype)
        if self._dtype == "float32":
            self._dtype = get_default_dtype()
        self._forward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
        self._forward_post_hooks: OrderedDict[int, Callable] = OrderedDict()

    # -- computing ----------------------------------------------------------------------------

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes :meth:`forward` with the hooks around it; NumPy arrays become Tensors."""
        for value in inputs:
            if type(value) is _ndarray:
                inputs = tuple([_to_tensor(v) for v in inputs])
                break
        if kwargs:
            kwargs = {k: _to_tensor(v) for k, v in kwargs.items()}
        if self._forward_pre_hooks:
            inputs = self._before(inputs)
        try:
            outputs = self.forward(*inputs, **kwargs) if kwargs else self.forward(*inputs)
        except Exception as error:
            raised = failed_forward(self, inputs, kwargs, error)
            if raised is None:
                raise
            raise raised from error
        if self._forward_post_hooks:
            for hook in list(self._forward_post_hooks.values()):
                changed = hook(self, inputs, outputs)
                if changed is not None:
                    outputs = changed
        return outputs

    def _before(self, inputs: tuple) -> tuple:
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        return inputs

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes the layer's result; every subclass that is called overrides this.

        Args:
            *inputs: what the layer is called with.
            **kwargs: the same by keyword.
        """
        raise NotImplementedError(f"{type(self).__name__} must override forward().")

    def backward(self, *inputs: Any) -> None:
        """Is not for layers: gradients come from forward, by ``loss.backward()``."""
        raise ValueError(
            f"{type(self).__name__}.backward: a Layer has no backward of its own; call backward() "
            "on the loss, or write a paddle.autograd.PyLayer."
        )

    def register_forward_pre_hook(self, hook: Callable) -> HookRemoveHelper:
        """Calls ``hook(layer, inputs)`` before each forward.

        Args:
            hook (callable): gets the positional inputs as a tuple; what it returns, unless None,
                takes their place.

        Returns:
            An object whose ``remove()`` takes the hook off.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.ReLU()
                handle = layer.register_forward_pre_hook(lambda layer, inputs: inputs[0] + 1)
                print(layer(paddle.zeros([1])))  # 1
                handle.remove()
                print(layer(paddle.zeros([1])))  # 0
        """
        check_hook("register_forward_pre_hook", hook)
        return HookRemoveHelper(self._forward_pre_hooks, hook)

    def register_forward_post_hook(self, hook: Callable) -> HookRemoveHelper:
        """Calls ``hook(layer, inputs, outputs)`` after each forward.

        Args:
            hook (callable): what it returns, unless None, takes the place of the outputs.

        Returns:
            An object whose ``remove()`` takes the hook off.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.ReLU()
                handle = layer.register_forward_post_hook(lambda layer, x, out: out * 2)
                print(layer(paddle.ones([1])))  # 2
                handle.remove()
        """
        check_hook("register_forward_post_hook", hook)
        return HookRemoveHelper(self._forward_post_hooks, hook)

    # -- mode ---------------------------------------------------------------------------------

    def train(self) -> None:
        """Sets the layer and all below it to training mode.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Dropout(0.5)
                layer.train()
                print(layer.training)  # True
        """
        for _, layer in self.named_sublayers(include_self=True):
            layer.training = True

    def eval(self) -> None:
        """Sets the layer and all below it to evaluation mode: no dropout, fixed statistics.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Dropout(0.5)
                layer.eval()
                print(layer(paddle.ones([4])).numpy().tolist())  # [1.0, 1.0, 1.0, 1.0]
        """
        for _, layer in self.named_sublayers(include_self=True):
            layer.training = False

    # -- making members -----------------------------------------------------------------------

    @property
    def _helper(self) -> Any:
        """What layers that are written like 2.0's own build operators with."""
        from paddle.nn.layer.helper import LayerObjectHelper

        return LayerObjectHelper(self)

    def full_name(self) -> str:
        """Returns the layer's unique name, such as ``linear_0``.

        Examples:
            .. code-block:: python

                import paddle
                with paddle.utils.unique_name.guard():
                    print(paddle.nn.Linear(2, 2).full_name())  # linear_0
        """
        return self._full_name

    def create_parameter(
        self,
        shape: Sequence[int],
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Any = None,
    ) -> Any:
        """Makes a parameter; assigning it to an attribute registers it.

        Args:
            shape (list[int]): its shape.
            attr (ParamAttr|str|Initializer|None|bool): what the user wants of it; False: None.
            dtype (str|VarType|None): its type; None takes the layer's.
            is_bias (bool): whether it is a bias, which decides on its name and first value.
            default_initializer (Initializer|None): fills it where ``attr`` names no initializer;
                None means Constant(0) for a bias and XavierUniform for a weight.

        Returns:
            Parameter, or None where ``attr`` is False.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Layer(name_scope="my")
                print(layer.create_parameter([2, 3]).shape)  # [2, 3]
        """
        if dtype is None:
            dtype = self._parameter_dtype()
        return make_parameter(shape, attr, dtype, is_bias, default_initializer, self._full_name)

    def _parameter_dtype(self) -> str:
        """The layer's type, which follows the default one unless it is another than float32."""
        own = self._dtype
        return get_default_dtype() if own is None or own == "float32" else own

    def create_variable(
        self,
        name: str | None = None,
        persistable: bool | None = None,
        dtype: Any = None,
        type: Any = None,
    ) -> Tensor:
        """Makes an empty Tensor, to be filled later.

        Args:
            name (str|None): its name; None makes one from the layer's.
            persistable (bool|None): whether saving a model includes it.
            dtype (str|VarType|None): its type; None takes the layer's.
            type (VarType|None): the kind of variable, as 1.x has it: only LOD_TENSOR.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Layer()
                print(layer.create_variable(dtype="int64").dtype)  # VarType.INT64
        """
        if type not in (None, VarType.LOD_TENSOR):
            raise UnimplementedError(
                f"create_variable(type): expected LOD_TENSOR, but received {type}.",
                hint="other kinds are made by paddle.static.Program().global_block().create_var",
            )
        kind = self._parameter_dtype() if dtype is None else dtype
        if recording():
            from paddle.ir.current import default_main_program

            block: Any = default_main_program().current_block()
            return block.create_var(
                name=name or unique_name.generate(f"{self._full_name}._generated_var"),
                persistable=persistable,
                dtype=kind,
            )
        made = from_numpy(np.zeros([0], numpy_dtype(kind)))
        made.name = name or unique_name.generate(f"{self._full_name}._generated_var")
        made.persistable = bool(persistable)
        return made

    def create_tensor(
        self, name: str | None = None, persistable: bool | None = None, dtype: Any = None
    ) -> Tensor:
        """Makes an empty Tensor, to be filled later; the same as :meth:`create_variable`.

        Args:
            name (str|None): its name; None makes one from the layer's.
            persistable (bool|None): whether saving a model includes it.
            dtype (str|VarType|None): its type; None takes the layer's.

        Examples:
            .. code-block:: python

                import paddle
                print(paddle.nn.Layer().create_tensor(name="table").name)  # table
        """
        return self.create_variable(name, persistable, dtype)

    # -- printing -----------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Returns what the layer's printed form has in its parentheses; override to say more."""
        return ""

    def __repr__(self) -> str:
        text = self.extra_repr()
        for name, layer in self._sub_layers.items():
            text += f"\n({name}): {layer!r}".replace("\n", "\n  ")
        return f"{type(self).__name__}({text}{chr(10) if self._sub_layers else ''})"


def _to_tensor(value: Any) -> Any:
    """Makes a Tensor of a numeric NumPy array; anything else stays what it is."""
    if type(value) is _ndarray and value.dtype.kind in "biufc":
        if recording():
            from paddle.core.constants import array

            return array(value)
        return Tensor(value)
    return value


def _snake_case(name: str) -> str:
    """``BatchNorm2D`` -> ``batch_norm2d``: a word begins at a capital after a small letter."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
