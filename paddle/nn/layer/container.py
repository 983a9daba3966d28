"""Layers and parameters in sequence, in lists and in dicts."""

from __future__ import annotations

import operator
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from paddle.core.errors import OutOfRangeError
from paddle.core.tensor import Parameter
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.members import PARAMETERS

__all__ = ["LayerDict", "LayerList", "ParameterList", "Sequential"]


def _position(owner: Any, index: Any, size: int, *, end: bool = False) -> int:
    """Turns an index, which may count from the end, into a position.

    Args:
        owner (Layer): the container, for the error's text.
        index (int): what the user gave.
        size (int): the container's length.
        end (bool): whether the position behind the last one counts too.
    """
    name = type(owner).__name__
    try:
        found = operator.index(None if isinstance(index, bool) else index)  # type: ignore[arg-type]
    except TypeError:
        came = type(index).__name__
        raise TypeError(f"{name}: expected an int as index, but received {came}.") from None
    if not -size <= found < size + end:
        raise OutOfRangeError(
            f"{name}: expected an index from {-size} to {size - 1 + end}, but received {found}."
        )
    return found + size if found < 0 else found


def _renumber(registry: Any, members: Iterable[Any]) -> None:
    """Makes ``members`` the contents, named "0", "1", ... in order."""
    kept = list(members)
    registry.clear()
    for i, member in enumerate(kept):
        registry[str(i)] = member


class Sequential(Layer):
    """Layers that are computed one after the other, each with the result of the one before.

    Args:
        *layers (Layer|tuple): layers, which are named "0", "1", ..., or (name, layer) pairs.

    Examples:
        .. code-block:: python

            import paddle
            net = paddle.nn.Sequential(paddle.nn.Linear(10, 1), paddle.nn.Linear(1, 2))
            print(net(paddle.ones([30, 10])).shape)  # [30, 2]
            named = paddle.nn.Sequential(
                ("first", paddle.nn.Linear(10, 1)), ("second", paddle.nn.Linear(1, 2))
            )
            print(named["first"] is named[0])  # True
    """

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        for i, item in enumerate(layers):
            name, layer = str(i), item
            if isinstance(item, (tuple, list)):
                if len(item) != 2 or not isinstance(item[0], str):
                    raise TypeError(
                        f"Sequential: expected a Layer or a (name, Layer) pair as argument {i}, "
                        f"but received a {type(item).__name__} of {len(item)}; "
                        "give a list of layers as Sequential(*layers)."
                    )
                name, layer = item
                if name in self._sub_layers:
                    raise KeyError(f"Sequential: the name {name!r} is given twice.")
            if not isinstance(layer, Layer):
                raise TypeError(
                    f"Sequential: expected a Layer or a (name, Layer) pair as argument {i}, "
                    f"but received {type(layer).__name__}."
                )
            self.add_sublayer(name, layer)

    def _name(self, key: Any) -> str:
        """The name behind a name or a position."""
        if isinstance(key, str):
            if key not in self._sub_layers:
                raise KeyError(f"Sequential has {list(self._sub_layers)}, but no {key!r}.")
            return key
        return list(self._sub_layers)[_position(self, key, len(self._sub_layers))]

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, slice):
            return type(self)(*list(self._sub_layers.values())[name])
        return self._sub_layers[self._name(name)]

    def __setitem__(self, name: Any, layer: Layer) -> None:
        behind = not isinstance(name, str) and name == len(self)
        known = str(name) if behind or isinstance(name, str) else self._name(name)
        if known in self._sub_layers:
            self._put_sublayer(f"Sequential[{name!r}]", known, layer)
        else:
            self.add_sublayer(known, layer)

    def __delitem__(self, name: Any) -> None:
        if isinstance(name, slice):
            for key in list(self._sub_layers)[name]:
                del self._sub_layers[key]
        else:
            del self._sub_layers[self._name(name)]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(list(self._sub_layers.values()))

    def forward(self, input: Any) -> Any:
        for layer in self._sub_layers.values():
            input = layer(input)
        return input


class LayerList(Layer):
    """Layers in a list; they are registered, and computed as the owner's forward says.

    Args:
        sublayers (iterable[Layer]|None): the first contents.

    Examples:
        .. code-block:: python

            import paddle

            class Net(paddle.nn.Layer):
                def __init__(self):
                    super().__init__()
                    self.steps = paddle.nn.LayerList([paddle.nn.Linear(3, 3) for _ in range(4)])

                def forward(self, x):
                    for step in self.steps:
                        x = step(x)
                    return x

            print(Net()(paddle.ones([2, 3])).shape)  # [2, 3]
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None) -> None:
        super().__init__()
        if sublayers is not None:
            self._extend("LayerList(sublayers)", sublayers)

    def __getitem__(self, idx: Any) -> Any:
        layers = list(self._sub_layers.values())
        if isinstance(idx, slice):
            return type(self)(layers[idx])
        return layers[_position(self, idx, len(layers))]

    def __setitem__(self, idx: int, sublayer: Layer) -> None:
        at = str(_position(self, idx, len(self)))
        self._sub_layers[at] = self._layer(f"LayerList[{idx}]", sublayer)

    def __delitem__(self, idx: Any) -> None:
        layers = list(self._sub_layers.values())
        del layers[idx if isinstance(idx, slice) else _position(self, idx, len(layers))]
        _renumber(self._sub_layers, layers)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(list(self._sub_layers.values()))

    @staticmethod
    def _layer(where: str, layer: Any) -> Layer:
        if not isinstance(layer, Layer):
            raise TypeError(f"{where}: expected a Layer, but received {type(layer).__name__}.")
        return layer

    def append(self, sublayer: Layer) -> LayerList:
        """Puts a layer behind the last one.

        Args:
            sublayer (Layer): the layer.

        Returns:
            the list itself.

        Examples:
            .. code-block:: python

                import paddle
                layers = paddle.nn.LayerList()
                layers.append(paddle.nn.Linear(2, 2))
                print(len(layers))  # 1
        """
        self._sub_layers[str(len(self))] = self._layer("LayerList.append(sublayer)", sublayer)
        return self

    def insert(self, index: int, sublayer: Layer) -> None:
        """Puts a layer before the one at a position.

        Args:
            index (int): the position, up to the length of the list; may count from the end.
            sublayer (Layer): the layer.

        Examples:
            .. code-block:: python

                import paddle
                layers = paddle.nn.LayerList([paddle.nn.ReLU(), paddle.nn.ReLU()])
                layers.insert(1, paddle.nn.Linear(2, 2))
                print(layers[1])
        """
        layers = list(self._sub_layers.values())
        at = _position(self, index, len(layers), end=True)
        layers.insert(at, self._layer("LayerList.insert(sublayer)", sublayer))
        _renumber(self._sub_layers, layers)

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        """Puts several layers behind the last one.

        Args:
            sublayers (iterable[Layer]): the layers.

        Returns:
            the list itself.

        Examples:
            .. code-block:: python

                import paddle
                layers = paddle.nn.LayerList([paddle.nn.ReLU()])
                layers.extend([paddle.nn.Linear(2, 2), paddle.nn.ReLU()])
                print(len(layers))  # 3
        """
        return self._extend("LayerList.extend(sublayers)", sublayers)

    def _extend(self, where: str, sublayers: Any) -> LayerList:
        if not hasattr(sublayers, "__iter__") or isinstance(sublayers, (str, dict)):
            raise TypeError(
                f"{where}: expected a list of Layers, but received {type(sublayers).__name__}."
            )
        # All are checked before the first is taken.
        for layer in [self._layer(where, layer) for layer in sublayers]:
            self.append(layer)
        return self


class ParameterList(Layer):
    """Parameters in a list; they are registered, so that an optimizer finds them.

    Args:
        parameters (iterable[Parameter]|None): the first contents.

    Examples:
        .. code-block:: python

            import paddle

            class Net(paddle.nn.Layer):
                def __init__(self):
                    super().__init__()
                    self.weights = paddle.nn.ParameterList(
                        [self.create_parameter([2, 2]) for _ in range(3)]
                    )

                def forward(self, x):
                    for w in self.weights:
                        x = paddle.matmul(x, w)
                    return x

            print(len(Net().parameters()))  # 3
    """

    def __init__(self, parameters: Iterable[Parameter] | None = None) -> None:
        super().__init__()
        if parameters is None:
            return
        if not hasattr(parameters, "__iter__") or isinstance(parameters, (str, dict)):
            raise TypeError(
                "ParameterList(parameters): expected a list of Parameters, "
                f"but received {type(parameters).__name__}."
            )
        for parameter in parameters:
            self.append(parameter)

    def __getitem__(self, idx: Any) -> Any:
        held = list(self._parameters.values())
        if isinstance(idx, slice):
            return type(self)(held[idx])
        return held[_position(self, idx, len(held))]

    def __setitem__(self, idx: int, param: Parameter) -> None:
        self.add_parameter(str(_position(self, idx, len(self))), self._parameter(param))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(list(self._parameters.values()))

    @staticmethod
    def _parameter(parameter: Any) -> Any:
        if not isinstance(parameter, PARAMETERS):
            raise TypeError(
                f"ParameterList: expected a Parameter, but received {type(parameter).__name__}."
            )
        return parameter

    def append(self, parameter: Parameter) -> ParameterList:
        """Puts a parameter behind the last one.

        Args:
            parameter (Parameter): the parameter.

        Returns:
            the list itself.

        Examples:
            .. code-block:: python

                import paddle
                held = paddle.nn.ParameterList()
                held.append(paddle.create_parameter([2], "float32"))
                print(len(held))  # 1
        """
        self.add_parameter(str(len(self)), self._parameter(parameter))
        return self


class LayerDict(Layer):
    """Layers by name; they are registered, and the order is that of insertion.

    Args:
        sublayers (dict|iterable|None): the first contents: a dict of layers or (name, layer)
            pairs.

    Examples:
        .. code-block:: python

            import paddle
            heads = paddle.nn.LayerDict({"age": paddle.nn.Linear(4, 1)})
            heads["kind"] = paddle.nn.Linear(4, 3)
            print(heads["kind"](paddle.ones([2, 4])).shape)  # [2, 3]
    """

    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key: str) -> Layer:
        if key not in self._sub_layers:
            raise KeyError(f"LayerDict has {list(self._sub_layers)}, but no {key!r}.")
        return self._sub_layers[key]

    def __setitem__(self, key: str, sublayer: Layer) -> None:
        if not isinstance(key, str) or not key:
            raise TypeError(
                f"LayerDict: expected a non-empty str as key, but received {key!r} "
                f"of type {type(key).__name__}."
            )
        if not isinstance(sublayer, Layer):
            raise TypeError(
                f"LayerDict[{key!r}]: expected a Layer, but received {type(sublayer).__name__}."
            )
        # Not add_sublayer: a key such as "keys" is fine here, it is only read by [].
        self._sub_layers[key] = sublayer

    def __delitem__(self, key: str) -> None:
        self[key]
        del self._sub_layers[key]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sub_layers)

    def __contains__(self, key: object) -> bool:
        return key in self._sub_layers

    def clear(self) -> None:
        """Removes all layers."""
        self._sub_layers.clear()

    def pop(self, key: str) -> Layer:
        """Removes a layer and returns it.

        Args:
            key (str): its name.
        """
        layer = self[key]
        del self._sub_layers[key]
        return layer

    def keys(self) -> KeysView[str]:
        """Returns the names."""
        return self._sub_layers.keys()

    def items(self) -> ItemsView[str, Layer]:
        """Returns the (name, layer) pairs."""
        return self._sub_layers.items()

    def values(self) -> ValuesView[Layer]:
        """Returns the layers."""
        return self._sub_layers.values()

    def update(self, sublayers: Any) -> None:
        """Sets layers from a dict or from (name, layer) pairs; names that exist are replaced.

        Args:
            sublayers (dict|iterable): the layers.

        Examples:
            .. code-block:: python

                import paddle
                layers = paddle.nn.LayerDict({"a": paddle.nn.ReLU()})
                layers.update([("b", paddle.nn.Tanh())])
                print(list(layers.keys()))  # ['a', 'b']
        """
        if isinstance(sublayers, (Mapping, LayerDict)):
            pairs = list(sublayers.items())
        elif hasattr(sublayers, "__iter__") and not isinstance(sublayers, str):
            pairs = list(sublayers)
        else:
            raise TypeError(
                "LayerDict.update(sublayers): expected a dict or (name, Layer) pairs, "
                f"but received {type(sublayers).__name__}."
            )
        for pair in pairs:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise TypeError(
                    f"LayerDict.update(sublayers): expected (name, Layer) pairs, got {pair!r}."
                )
            self[pair[0]] = pair[1]
