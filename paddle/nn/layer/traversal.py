"""Walk over a layer and everything below it: sublayers, parameters, buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from paddle.core.tensor import Parameter, Tensor
from paddle.nn.layer.members import Members

if TYPE_CHECKING:
    from paddle.nn.layer.layers import Layer


class Traversal(Members):
    """The part of Layer that lists what it consists of; what is shared is listed once."""

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """Yields (name, layer) for the direct sublayers.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(("fc", paddle.nn.Linear(2, 2)))
                print([name for name, _ in net.named_children()])  # ['fc']
        """
        seen = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and layer not in seen:
                seen.add(layer)
                yield name, layer

    def children(self) -> Iterator[Layer]:
        """Yields the direct sublayers.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
                print(len(list(net.children())))  # 2
        """
        for _, layer in self.named_children():
            yield layer

    def named_sublayers(
        self,
        prefix: str = "",
        include_sublayers: bool = True,
        include_self: bool = False,
        layers_set: set | None = None,
    ) -> Iterator[tuple[str, Layer]]:
        """Yields (dotted name, layer) for all layers below this one, each before its own.

        Args:
            prefix (str): put before every name.
            include_sublayers (bool): False yields at most the layer itself.
            include_self (bool): whether to begin with the layer itself, named ``prefix``.
            layers_set (set|None): layers to leave out; those yielded are added.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(("body", paddle.nn.Sequential(paddle.nn.ReLU())))
                print([name for name, _ in net.named_sublayers()])  # ['body', 'body.0']
        """
        seen = set() if layers_set is None else layers_set
        if include_self and self not in seen:
            seen.add(self)
            yield prefix, self  # type: ignore[misc]
        if not include_sublayers:
            return
        for name, layer in self._sub_layers.items():
            if layer is not None:
                yield from layer.named_sublayers(
                    prefix=f"{prefix}.{name}" if prefix else name,
                    include_self=True,
                    layers_set=seen,
                )

    def sublayers(self, include_sublayers: bool = True, include_self: bool = False) -> list[Layer]:
        """Returns all layers below this one.

        Args:
            include_sublayers (bool): False returns an empty list.
            include_self (bool): put this layer first (2.1 and later).

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(paddle.nn.Sequential(paddle.nn.ReLU()))
                print(len(net.sublayers()))  # 2
        """
        named = self.named_sublayers("", include_sublayers, include_self)
        return [layer for _, layer in named]

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yields (dotted name, parameter) of this layer and those below it.

        Args:
            prefix (str): put before every name.
            include_sublayers (bool): False keeps to the layer's own.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(("fc", paddle.nn.Linear(2, 2)))
                print([name for name, _ in net.named_parameters()])  # ['fc.weight', 'fc.bias']
        """
        return self._walk("_parameters", prefix, include_sublayers)

    def parameters(self, include_sublayers: bool = True) -> list[Parameter]:
        """Returns the parameters of this layer and those below it.

        Args:
            include_sublayers (bool): False keeps to the layer's own.

        Examples:
            .. code-block:: python

                import paddle
                print(len(paddle.nn.Linear(2, 2).parameters()))  # 2
        """
        return [p for _, p in self._walk("_parameters", "", include_sublayers)]

    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yields (dotted name, buffer) of this layer and those below it.

        Args:
            prefix (str): put before every name.
            include_sublayers (bool): False keeps to the layer's own.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Sequential(paddle.nn.ReLU())
                net[0].register_buffer("count", paddle.zeros([1]))
                print([name for name, _ in net.named_buffers()])  # ['0.count']
        """
        return self._walk("_buffers", prefix, include_sublayers)

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """Returns the buffers of this layer and those below it.

        Args:
            include_sublayers (bool): False keeps to the layer's own.

        Examples:
            .. code-block:: python

                import paddle
                print(len(paddle.nn.Linear(2, 2).buffers()))  # 0
        """
        return [b for _, b in self._walk("_buffers", "", include_sublayers)]

    def _walk(self, registry: str, prefix: str, deep: bool) -> Iterator[tuple[str, Any]]:
        layers = (
            self.named_sublayers(prefix=prefix, include_self=True) if deep else [(prefix, self)]
        )
        seen = set()  # by identity: a Tensor's == compares elements
        for place, layer in layers:
            for name, held in layer.__dict__[registry].items():
                if held is not None and id(held) not in seen:
                    seen.add(id(held))
                    yield f"{place}.{name}" if place else name, held

    def apply(self, fn: Callable[[Any], Any]) -> Any:
        """Calls ``fn(layer)`` on everything below this layer, then on the layer itself.

        Args:
            fn (callable): takes a layer; often it sets parameters.

        Returns:
            the layer itself.

        Examples:
            .. code-block:: python

                import paddle

                def clear_bias(layer):
                    if isinstance(layer, paddle.nn.Linear):
                        layer.bias.set_value(paddle.zeros([2]))

                net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2))
                net.apply(clear_bias)
        """
        if not callable(fn):
            raise TypeError(f"apply(fn): expected a function, but received {type(fn).__name__}.")
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    def clear_gradients(self) -> None:
        """Clears the gradients of all parameters that are trained.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Linear(2, 2)
                layer(paddle.ones([1, 2])).sum().backward()
                layer.clear_gradients()
                print(layer.weight.gradient())  # all zero
        """
        for param in self.parameters():
            if not param.stop_gradient:
                param.clear_gradient()
