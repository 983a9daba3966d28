"""The initializers for parameters whose ParamAttr names none."""

from __future__ import annotations

from paddle.nn.initializer.base import Initializer

_weight: Initializer | None = None
_bias: Initializer | None = None


def set_global_initializer(
    weight_init: Initializer | None, bias_init: Initializer | None = None
) -> None:
    """Sets the initializers of all parameters made from now on.

    They go before a layer's own defaults, and behind the initializer in a ParamAttr.

    Args:
        weight_init (Initializer|None): for weights; None goes back to the layers' defaults.
        bias_init (Initializer|None): for biases; None goes back to the layers' defaults.

    Examples:
        .. code-block:: python

            import paddle
            I = paddle.nn.initializer
            I.set_global_initializer(I.Uniform(), I.Constant(1.0))
            print(paddle.nn.Linear(2, 2).bias.numpy().tolist())  # [1.0, 1.0]
            I.set_global_initializer(None)
            print(paddle.nn.Linear(2, 2).bias.numpy().tolist())  # [0.0, 0.0]
    """
    global _weight, _bias
    for argument, given in (("weight_init", weight_init), ("bias_init", bias_init)):
        if given is not None and not isinstance(given, Initializer):
            raise TypeError(
                f"set_global_initializer({argument}): expected an Initializer or None, "
                f"but received {type(given).__name__}."
            )
    _weight, _bias = weight_init, bias_init


def global_initializer(is_bias: bool) -> Initializer | None:
    """Returns what :func:`set_global_initializer` set."""
    return _bias if is_bias else _weight
