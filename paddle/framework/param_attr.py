"""ParamAttr: what a user can say about a parameter that a layer makes."""

from __future__ import annotations

from typing import Any

from paddle.core.guards import Guarded


class ParamAttr(Guarded):
    """Describes a parameter: name, first value, how it is trained.

    Given to a layer as ``weight_attr`` or ``bias_attr``. There a str stands for
    ``ParamAttr(name=...)``, an initializer for ``ParamAttr(initializer=...)``, a regularizer for
    ``ParamAttr(regularizer=...)``, and False means that there shall be no such parameter.

    Args:
        name (str|None): the parameter's name; None makes a unique one.
        initializer (Initializer|None): gives the first value; None leaves it to the layer.
        learning_rate (float): a factor on the optimizer's learning rate.
        regularizer (L1Decay|L2Decay|None): goes before the optimizer's ``weight_decay``.
        trainable (bool): False keeps the parameter as it is.
        do_model_average (bool): whether ModelAverage takes it into account.
        need_clip (bool): whether gradient clipping applies to it.

    Examples:
        .. code-block:: python

            import paddle
            attr = paddle.ParamAttr(
                name="weight",
                initializer=paddle.nn.initializer.Constant(0.5),
                learning_rate=0.1,
            )
            layer = paddle.nn.Linear(2, 1, weight_attr=attr, bias_attr=False)
            print(layer.weight.name, layer.weight.numpy().tolist())  # weight [[0.5], [0.5]]
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ) -> None:
        _check("name", name, (str, type(None)), "a str or None")
        if name == "":
            raise ValueError("ParamAttr(name): expected a name or None, but received ''.")
        if initializer is not None and not callable(initializer):
            raise _wrong("initializer", initializer, "an Initializer or None")
        if isinstance(learning_rate, (bool, str)) or not hasattr(learning_rate, "__float__"):
            raise _wrong("learning_rate", learning_rate, "a float")
        if isinstance(regularizer, (bool, int, float, str, list, tuple, dict)):
            raise _wrong("regularizer", regularizer, "paddle.regularizer.L1Decay, L2Decay or None")
        _check("trainable", trainable, bool, "a bool")
        _check("do_model_average", do_model_average, bool, "a bool")
        _check("need_clip", need_clip, bool, "a bool")
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    def __repr__(self) -> str:
        return f"ParamAttr({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"

    @staticmethod
    def _to_attr(arg: Any) -> Any:
        """Turns what layers take as ``weight_attr`` into a ParamAttr, or False for no parameter.

        Args:
            arg (ParamAttr|str|Initializer|regularizer|bool|None|list): a list gives a list.
        """
        if isinstance(arg, ParamAttr):
            return arg
        if arg is None or arg is True:
            return ParamAttr()
        if arg is False:
            return False
        if isinstance(arg, str):
            return ParamAttr(name=arg)
        if isinstance(arg, (list, tuple)):
            return [ParamAttr._to_attr(a) for a in arg]
        if _is_a(arg, "Initializer"):
            return ParamAttr(initializer=arg)
        if _is_a(arg, *_REGULARIZERS):
            return ParamAttr(regularizer=arg)
        raise TypeError(
            "attr: expected a ParamAttr, a name, an Initializer, a regularizer, None or False, "
            f"but received {type(arg).__name__} {arg!r}."
        )


_REGULARIZERS = ("L1Decay", "L2Decay", "WeightDecayRegularizer")


def _is_a(arg: Any, *names: str) -> bool:
    """Whether a value is of a class by its name: these classes lie above this module."""
    return not {kind.__name__ for kind in type(arg).__mro__}.isdisjoint(names)


def _wrong(argument: str, value: Any, expected: str) -> TypeError:
    return TypeError(
        f"ParamAttr({argument}): expected {expected}, "
        f"but received {type(value).__name__} {value!r}."
    )


def _check(argument: str, value: Any, kind: Any, expected: str) -> None:
    if not isinstance(value, kind):
        raise _wrong(argument, value, expected)
