"""Compares the Tensors of a call with input_spec, and puts an InputSpec in the place of each."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.jit.calls.cache_key import is_array
from paddle.static.input import InputSpec


class _Any:
    """Stands in the place of a spec where none was given."""

    def __repr__(self) -> str:
        return "<any value>"


ANY: Any = _Any()


def check_input_spec(function: str, input_spec: Any) -> tuple | None:
    """Returns ``input_spec`` as a tuple, with an InputSpec for each Tensor and array in it.

    Raises:
        TypeError: it is no list or tuple.
    """
    if input_spec is None:
        return None
    if not isinstance(input_spec, (list, tuple)):
        raise TypeError(
            f"{function}(input_spec): expected a list or tuple, one entry per argument, "
            f"but received {type(input_spec).__name__}."
        )
    return tuple(_specs_only(input_spec))


def _specs_only(pytree: Any) -> Any:
    if isinstance(pytree, (list, tuple, dict)):
        return _mapped(pytree, _specs_only)
    if isinstance(pytree, Tensor):
        return InputSpec.from_tensor(pytree)
    if is_array(pytree):
        return InputSpec.from_numpy(pytree)
    return pytree


# -- pytrees ------------------------------------------------------------------------------------


def _mapped(pytree: Any, function: Callable[[Any], Any]) -> Any:
    """The same kind of pytree with what ``function`` makes of the values."""
    if isinstance(pytree, dict):
        return _with_items(pytree, {k: function(v) for k, v in pytree.items()})
    return _with_elements(pytree, [function(v) for v in pytree])


def _with_items(like: dict, items: dict) -> dict:
    if type(like) is dict:
        return items
    made = copy.copy(like)  # keeps what a defaultdict makes
    made.update(items)
    return made


def _with_elements(like: Any, values: list) -> Any:
    if hasattr(like, "_fields"):
        return type(like)(*values)
    return values if type(like) is list else type(like)(values)


def leaves_of(pytree: Any) -> Iterator[Any]:
    if isinstance(pytree, dict):
        for value in pytree.values():
            yield from leaves_of(value)
    elif isinstance(pytree, (list, tuple)):
        for value in pytree:
            yield from leaves_of(value)
    else:
        yield pytree


class TensorNames:
    """Names for inputs that have none: each is given once."""

    def __init__(self, function: str, leaves: list[Any]) -> None:
        self._used: set[str] = set()
        for leaf in leaves:
            if isinstance(leaf, InputSpec) and leaf.name is not None:
                if leaf.name in self._used:
                    raise InvalidArgumentError(
                        f"{function}(input_spec): expected a name of its own for every InputSpec, "
                        f"but two are named {leaf.name!r}."
                    )
                self._used.add(leaf.name)

    def new(self, wanted: str) -> str:
        """``wanted``, with a number if it is taken."""
        name, number = wanted, 0
        while name in self._used:
            number += 1
            name = f"{wanted}_{number}"
        self._used.add(name)
        return name


def with_names(spec: Any, name: str, names: TensorNames) -> Any:
    """Names the InputSpecs of a pytree after their argument, as ``x_0``, or their key."""
    if isinstance(spec, dict):
        return _with_items(
            spec, {k: with_names(v, _of_key(name, k), names) for k, v in spec.items()}
        )
    if isinstance(spec, (list, tuple)):
        return _with_elements(
            spec, [with_names(v, f"{name}_{i}", names) for i, v in enumerate(spec)]
        )
    if isinstance(spec, InputSpec) and spec.name is None:
        spec = copy.copy(spec)
        spec.name = names.new(name)
    return spec


def _of_key(name: str, key: Any) -> str:
    return key if isinstance(key, str) else f"{name}_{key}"


class SpecMatch:
    """Replaces the Tensors of a call by InputSpecs, after comparing them with ``input_spec``."""

    def __init__(self, function: str, specs: dict[str, Any], tensors: list[Tensor]) -> None:
        self._function = function
        self._tensors = iter(tensors)
        self._names = TensorNames(function, list(leaves_of(specs)))
        self.specs: list[InputSpec] = []

    def __call__(self, value: Any, spec: Any, name: str, path: str) -> Any:
        if isinstance(value, dict):
            of = self._items(value, spec, path)
            return _with_items(
                value,
                {k: self(v, of[k], _of_key(name, k), f"{path}[{k!r}]") for k, v in value.items()},
            )
        if isinstance(value, (list, tuple)):
            specs = self._elements(value, spec, path)
            pytree = [self(v, specs[i], f"{name}_{i}", f"{path}[{i}]") for i, v in enumerate(value)]
            return _with_elements(value, pytree)
        if isinstance(value, InputSpec):
            named = value.name or self._names.new(name)
            return self._input(value.shape, value.dtype, named, value.stop_gradient)
        if isinstance(value, Tensor) or is_array(value):
            return self._tensor(next(self._tensors), spec, name, path)
        if isinstance(spec, (InputSpec, dict, list, tuple)):
            self._refuse(path, spec, f"{value!r}"[:200])
        return value

    def _input(self, shape: Any, dtype: Any, name: str, stop: bool) -> InputSpec:
        made = InputSpec(tuple(shape) or (1,), dtype, name)
        made.stop_gradient = stop
        self.specs.append(made)
        return made

    def _tensor(self, tensor: Tensor, spec: Any, name: str, path: str) -> InputSpec:
        shape, dtype, stop = tensor.shape, tensor.dtype, tensor.stop_gradient
        if isinstance(spec, InputSpec):
            if not _fits(shape, dtype, spec):
                self._refuse(path, spec, _tensor_text(shape, dtype))
            return self._input(spec.shape, spec.dtype, spec.name or name, stop)
        if isinstance(spec, (dict, list, tuple)):
            self._refuse(path, spec, _tensor_text(shape, dtype))
        return self._input(shape, dtype, self._names.new(name), stop)

    def _items(self, value: dict, spec: Any, path: str) -> Any:
        if isinstance(spec, InputSpec) or (
            isinstance(spec, (dict, list, tuple))
            and (not isinstance(spec, dict) or set(spec) != set(value))
        ):
            self._refuse(path, spec, f"a dict with keys {list(value)}")
        return spec if isinstance(spec, dict) else dict.fromkeys(value, ANY)

    def _elements(self, value: Any, spec: Any, path: str) -> Any:
        if isinstance(spec, (InputSpec, dict)) or (
            isinstance(spec, (list, tuple)) and len(spec) != len(value)
        ):
            self._refuse(path, spec, f"a {type(value).__name__} of {len(value)}")
        return spec if isinstance(spec, (list, tuple)) else [ANY] * len(value)

    def _refuse(self, path: str, spec: Any, got: str) -> None:
        if isinstance(spec, InputSpec):
            expected = _tensor_text(spec.shape, spec.dtype)
        elif isinstance(spec, dict):
            expected = f"a dict with keys {list(spec)}"
        else:
            expected = f"a {type(spec).__name__} of {len(spec)}"
        raise InvalidArgumentError(
            f"{self._function}({path}): expected {expected}, as its input_spec says, "
            f"but received {got}."
        )


def _fits(shape: list[int], dtype: VarType, spec: InputSpec) -> bool:
    wanted = spec.shape or (1,)
    return (
        spec.dtype is dtype
        and len(wanted) == len(shape)
        and all(w in (-1, s) for w, s in zip(wanted, shape, strict=True))
    )


def _tensor_text(shape: Any, dtype: VarType) -> str:
    return f"a Tensor of shape {list(shape)} and dtype {dtype_name(dtype)}"
