"""WeightNormParamAttr: a weight rebuilt in every run from a direction and a length."""

from __future__ import annotations

import numbers
from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.framework.param_attr import ParamAttr
from paddle.ir.current import program_guard
from paddle.ir.recording.context import layer_name
from paddle.ir.recording.lowering import write
from paddle.nn.initializer.base import Initializer

__all__ = ["WeightNormParamAttr"]


class WeightNormParamAttr(ParamAttr):
    r"""Describes a weight by its direction v and its length g: :math:`w = g \, v / \|v\|`.

    A layer given this as its ``param_attr`` makes two parameters, ``<name>_v`` and ``<name>_g``,
    and operators that compute the weight from them in every run; an optimizer trains the two. The
    startup Program sets g to the length of v, so that at first the weight is v. It works in static
    mode only; in dynamic mode use :func:`paddle.nn.utils.weight_norm`.

    Args:
        dim (int, optional): the dimension of the weight along which each slice has a length of its
            own; None means one length for the whole weight.
        name (str, optional): the start of both names; None makes a unique one.
        initializer (Initializer, optional): gives v its first value.
        learning_rate (float): a factor on the optimizer's learning rate. Default: 1.0.
        regularizer (L1Decay|L2Decay, optional): goes before the optimizer's ``weight_decay``.
        trainable (bool): False keeps both as they are. Default: True.
        do_model_average (bool): whether averages over steps include both. Default: False.
        need_clip (bool): whether gradient clipping applies. Default: True.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 5])
                attr = paddle.static.WeightNormParamAttr(dim=1, name="hidden")
                paddle.static.nn.fc(x, 3, weight_attr=attr, bias_attr=False)
            print([(p.name, p.shape) for p in main.all_parameters()])
            # [('hidden_v', (5, 3)), ('hidden_g', (1, 3))]
            paddle.disable_static()
    """

    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = False,
        need_clip: bool = True,
    ) -> None:
        if dim is not None and (isinstance(dim, bool) or not isinstance(dim, numbers.Integral)):
            raise TypeError(f"WeightNormParamAttr(dim): expected an int or None, got {dim!r}.")
        super().__init__(
            name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip
        )
        self.dim = dim

    def _build(self, shape: Any, dtype: Any, is_bias: bool, default: Any, prefix: str) -> Any:
        """Makes both parameters and records the weight."""
        from paddle.nn.layer.parameters import make_parameter

        if not recording():
            raise PreconditionNotMetError(
                "WeightNormParamAttr makes a static Program compute a weight, but dynamic mode is "
                "on.",
                hint="use paddle.nn.utils.weight_norm(layer), or paddle.enable_static()",
            )
        rank = len(shape)
        if self.dim is not None and not 0 <= self.dim < rank:
            raise InvalidArgumentError(
                f"WeightNormParamAttr(dim): expected a dimension in [0, {rank - 1}] of a weight of "
                f"shape {list(shape)}, or None, but received {self.dim}."
            )
        name = self.name or unique_name.generate(f"{prefix}.b" if is_bias else f"{prefix}.w")
        v = make_parameter(
            shape, self._attr(name + "_v", self.initializer), dtype, is_bias, default, prefix
        )
        lengths = [n if i == self.dim else 1 for i, n in enumerate(shape)]
        g = make_parameter(
            lengths, self._attr(name + "_g", _LengthOf(v, self.dim)), dtype, False, None, prefix
        )
        with layer_name(name + ".weight_norm"):
            scale = C.elementwise_div(g, length(v, self.dim), axis=-1)
            return C.elementwise_mul(v, scale, axis=-1)

    def _attr(self, name: str, initializer: Any) -> ParamAttr:
        return ParamAttr(
            name, initializer, self.learning_rate, self.regularizer, self.trainable,
            self.do_model_average, self.need_clip,
        )  # fmt: skip


class _LengthOf(Initializer):
    """Gives a variable the length of another one, which the same Program fills before."""

    def __init__(self, source: Any, dim: int | None) -> None:
        self._source = source.name
        self._dim = dim

    def __call__(self, var: Any, block: Any = None) -> None:
        source = block._var_recursive(self._source)
        with program_guard(block.program), layer_name(var.name):
            write(var, "assign", [length(source, self._dim)], {}, block)


def length(v: Any, dim: int | None) -> Any:
    """Records the Euclidean length of v, or of each slice along ``dim``; sizes of 1 remain."""
    axes = [i for i in range(len(v.shape)) if i != dim]
    total = C.square(v)
    if axes:
        total = C.reduce_sum(total, dim=axes, keep_dim=True, reduce_all=dim is None)
    return C.sqrt(total)


guard_module(globals())
