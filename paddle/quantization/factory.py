"""Factories of quanters and observers: arguments now, an object for each layer later."""

from __future__ import annotations

import abc
import sys
from collections.abc import Callable
from typing import Any

from paddle.nn.layer.layers import Layer

__all__ = ["ClassWithArguments", "ObserverFactory", "QuanterFactory", "quanter"]


class ClassWithArguments(abc.ABC):
    """A class and the arguments that objects of it will be made with.

    Args:
        *args: positional arguments.
        **kwargs: arguments by name.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._args, self._kwargs = args, kwargs

    @property
    def args(self) -> tuple:
        """The positional arguments."""
        return self._args

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name."""
        return self._kwargs

    @abc.abstractmethod
    def _get_class(self) -> type:
        """The class that objects are made of."""

    def __str__(self) -> str:
        shown = [repr(arg) for arg in self._args]
        shown += [f"{name}={value!r}" for name, value in self._kwargs.items()]
        return f"{type(self).__name__}({', '.join(shown)})"

    __repr__ = __str__


class QuanterFactory(ClassWithArguments):
    """Makes a quanter for each layer; a subclass says of which class, by ``_get_class``."""

    def _instance(self, layer: Layer) -> Layer:
        return self._get_class()(layer, *self._args, **self._kwargs)


ObserverFactory = QuanterFactory


def quanter(class_name: str) -> Callable[[type], type]:
    """Declares a factory beside a class of quanters.

    Args:
        class_name (str): the factory's name, in the module of the class. It takes the arguments of
            the class but the first, the layer, which QAT and PTQ pass.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization import BaseQuanter, QuantConfig, quanter

            @quanter("Clipper")
            class ClipperLayer(BaseQuanter):
                def __init__(self, layer, top=1.0):
                    super().__init__()
                    self.top = top
                def forward(self, input):
                    return paddle.clip(input, -self.top, self.top)
                def scales(self):
                    return paddle.to_tensor([self.top])
                def zero_points(self):
                    return None
                def quant_axis(self):
                    return -1
                def bit_length(self):
                    return 8

            config = QuantConfig(activation=Clipper(top=6.0), weight=None)
            print(config.global_config.activation)  # Clipper(top=6.0)
    """
    if not isinstance(class_name, str) or not class_name.isidentifier():
        raise TypeError(f"quanter(class_name): expected a name for a class, got {class_name!r}.")

    def declare(target: type) -> type:
        if not (isinstance(target, type) and issubclass(target, Layer)):
            raise TypeError(f"quanter({class_name!r}): expected a class of Layers, got {target!r}.")
        module = sys.modules[target.__module__]
        members = {
            "__module__": target.__module__,
            "__doc__": target.__doc__,
            "_get_class": lambda self: target,
        }
        setattr(module, class_name, type(class_name, (QuanterFactory,), members))
        if hasattr(module, "__all__"):
            module.__all__.append(class_name)
        return target

    return declare
