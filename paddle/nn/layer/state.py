"""Take a layer's state out, put it back, convert it to another type or device."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

import numpy as np

from paddle.core.convert import tensor_of
from paddle.core.dtype import dtype_name, torch_dtype
from paddle.core.errors import ArgumentTypeError, InvalidArgumentError, PreconditionNotMetError
from paddle.core.old_names import also_named
from paddle.core.place import Place, expected_names, named_place, to_torch_device
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.nn.layer.traversal import Traversal

# paddle.load(..., keep_name_table=True) leaves this table among the entries.
_NAME_TABLE = "StructuredToParameterName@@"


class LayerStateDict(Traversal):
    """The part of Layer that deals with the values of parameters and buffers."""

    def state_dict(
        self,
        destination: dict | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
    ) -> dict[str, Tensor]:
        """Returns all parameters and persistable buffers by their dotted names.

        Args:
            destination (dict|None): is filled and returned; None makes a new one.
            include_sublayers (bool): False keeps to the layer's own.
            structured_name_prefix (str): put before every name.

        Returns:
            dict: the Tensors themselves, no copies.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(("fc", paddle.nn.Linear(2, 2)))
                print(list(net.state_dict()))  # ['fc.weight', 'fc.bias']
        """
        found: dict[str, Tensor] = OrderedDict() if destination is None else destination
        for name, param in self._parameters.items():
            if param is not None:
                found[structured_name_prefix + name] = param
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistable_buffer_names_set:
                found[structured_name_prefix + name] = buffer
        if include_sublayers:
            for name, layer in self._sub_layers.items():
                if layer is not None:
                    below = layer.state_dict(found, True, f"{structured_name_prefix}{name}.")
                    if below is not found:  # an override that makes a dict of its own
                        found.update(below)
        return found

    @also_named(stat_dict="state_dict")  # as 1.x has it
    def set_state_dict(
        self,
        state_dict: dict[str, Any],
        include_sublayers: bool = True,
        use_structured_name: bool = True,
    ) -> tuple[list[str], list[str]]:
        """Sets parameters and persistable buffers from a dict; data types are converted.

        An entry is looked for under both names of a parameter, the dotted one (``fc.weight``) and
        its own (``linear_0.w_0``). Whatever is missing, of another shape or left over is told in
        one warning; the rest is loaded.

        Args:
            state_dict (dict): name to Tensor or NumPy array, as :meth:`state_dict` and
                ``paddle.load`` return it.
            include_sublayers (bool): False keeps to the layer's own.
            use_structured_name (bool): which name goes first: True the dotted one.

        Returns:
            tuple: two lists. The names that were not loaded, because they are missing or of
            another shape; and the entries of ``state_dict`` that were not used.

        Examples:
            .. code-block:: python

                import paddle
                a, b = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)
                missing, unexpected = b.set_state_dict(a.state_dict())
                print(missing, unexpected)  # [] []
        """
        if not hasattr(state_dict, "keys") or not hasattr(state_dict, "__getitem__"):
            raise TypeError(
                "set_state_dict(state_dict): expected a dict of names to Tensors or arrays, "
                f"but received {type(state_dict).__name__}."
            )
        missing: list[str] = []
        complaints: list[str] = []
        used: set[Any] = set()
        own = self.state_dict(include_sublayers=include_sublayers)
        plan = []
        for structured, target in own.items():
            names = (structured, target.name) if use_structured_name else (target.name, structured)
            key = next((n for n in names if n in state_dict), None)
            if key is None:
                complaints.append(f"Skip loading for {names[0]}: not found in the given dict.")
            else:
                value = _as_value(key, state_dict[key])
                got = list(value.shape) or [1]
                if got == list(target.shape):
                    used.add(key)
                    plan.append((target, value))
                    continue
                complaints.append(
                    f"Skip loading for {names[0]}: expected shape {list(target.shape)}, "
                    f"but received {got}."
                )
            missing.append(names[0])
        for target, value in plan:
            if not isinstance(target, Tensor):  # a Variable, whose scope takes what it is given
                value = tensor_of(value, target.dtype, None)
            target.set_value(value)
        unexpected = [k for k in state_dict if k not in used and k != _NAME_TABLE]
        _warn(self, complaints, missing, unexpected, len(own))
        return missing, unexpected

    # Names of the same method in earlier releases.
    set_dict = load_dict = set_state_dict

    def to(self, device: Any = None, dtype: Any = None, blocking: bool | None = None) -> Any:
        """Moves parameters and buffers to a device, or casts the floating ones; in place.

        Args:
            device (str|Place|None): ``"cpu"``, ``"gpu:0"``, a place; None leaves them there.
            dtype (str|VarType|None): a floating type; None leaves it.
            blocking (bool|None): False lets copies between devices run on; None means True.

        Returns:
            the layer itself.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Linear(2, 2).to(dtype="float64")
                print(layer.weight.dtype)  # VarType.FP64
        """
        if blocking is not None and not isinstance(blocking, bool):
            raise TypeError(
                f"to(blocking): expected a bool or None, but received {type(blocking).__name__}."
            )
        options: dict[str, Any] = {"non_blocking": blocking is False}
        if device is not None:
            options["device"] = to_torch_device(_place(device))
        kind = None if dtype is None else torch_dtype(dtype)
        if kind is not None and not kind.is_floating_point:
            raise TypeError(f"to(dtype): expected a floating type or None, but received {dtype!r}.")
        for tensor in [*self.parameters(), *self.buffers()]:
            _convert(tensor, kind, options)
        if dtype is not None:
            for _, layer in self.named_sublayers(include_self=True):
                layer._dtype = dtype_name(dtype)
        return self

    def astype(self, dtype: Any = None) -> Any:
        """Casts the floating parameters and buffers in place; None leaves them.

        Args:
            dtype (str|VarType|None): a floating type.

        Returns:
            the layer itself.

        Examples:
            .. code-block:: python

                import paddle
                print(paddle.nn.Linear(2, 2).astype("float64").bias.dtype)  # VarType.FP64
        """
        return self.to(dtype=dtype)

    def float(self) -> Any:
        """Casts the floating parameters and buffers to float32 in place.

        Returns:
            the layer itself.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Linear(2, 2).to(dtype="float64")
                print(layer.float().weight.dtype)  # VarType.FP32
        """
        return self.to(dtype="float32")


def _place(device: Any) -> Place:
    """Reads what ``to`` takes as a device."""
    if isinstance(device, Place):
        return device
    if not isinstance(device, str):
        raise ArgumentTypeError(
            "to(device): expected a device string, a place or None, "
            f"but received {type(device).__name__}."
        )
    place = named_place(device)
    if place is None:
        raise InvalidArgumentError(
            f"to(device): expected {expected_names()}, but received {device!r}."
        )
    return place


def _as_value(key: Any, value: Any) -> Any:
    """Checks an entry of a state dict: a Tensor, or what makes an array of numbers."""
    if isinstance(value, Tensor):
        return value
    array = np.asarray(value) if not isinstance(value, dict) else None
    if array is None or array.dtype.kind not in "biufc":
        raise TypeError(
            f"set_state_dict(state_dict): expected a Tensor or a numeric array for {key!r}, "
            f"but received {type(value).__name__}."
        )
    return array


def _warn(
    layer: Any, complaints: list[str], missing: list[str], unexpected: list[Any], total: int
) -> None:
    """Says in one warning what was not loaded and what was not used."""
    unused = [k for k in unexpected if k not in missing]
    if unused:
        complaints = [*complaints, f"Not used: {', '.join(map(str, unused))}."]
    if complaints:
        head = (
            f"set_state_dict: {total - len(missing)} of {total} entries of "
            f"{type(layer).__name__} were loaded."
        )
        warnings.warn("\n  ".join([head, *complaints]), stacklevel=outside())


def _convert(tensor: Tensor, kind: Any, options: dict[str, Any]) -> None:
    """Gives a Tensor, and its gradient, a buffer of another type or on another device."""
    if not isinstance(tensor, Tensor):
        raise PreconditionNotMetError(
            f"Layer.to: {tensor.name} is a parameter of a static Program, whose place the Executor "
            "decides and whose type is fixed.",
            hint="use paddle.set_default_dtype before the layer is made",
        )
    if "device" in options:
        tensor.__dict__.pop("_place", None)
    if kind is not None and tensor._dt.is_floating_point:
        options = {**options, "dtype": kind}
    tensor._rebind(tensor._buf.to(**options))
    if isinstance(tensor._grad, Tensor):  # not where it was cleared: zeros of whatever type
        _convert(tensor._grad, kind, options)
