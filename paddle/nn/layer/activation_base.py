"""The base of activation layers."""

from __future__ import annotations

from typing import Any

from paddle.core.docstrings import Template
from paddle.nn.layer.layers import Layer

layer = Template(
    """
    import paddle
    layer = paddle.nn.{name}()
    print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())  # {}
    """,
    name="shown when the layer is printed.",
)


class Activation(Layer):
    """Base: prints the settings that were given under their own names."""

    _settings: tuple[str, ...] = ()

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__()
        self._name = name
        self._settings = tuple(settings)
        for key, value in settings.items():
            object.__setattr__(self, f"_{key}", value)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        parts = [f"{key}={getattr(self, '_' + key)}" for key in self._settings]
        return ", ".join(parts + ([f"name={self._name}"] if self._name else []))
