"""The three ways to clip gradients before an update."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.core.guards import Guarded
from paddle.core.tensor import Tensor, wrap
from paddle.ir.variable import Variable
from paddle.ops.optimizer import clip_gradients

__all__ = ["ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue"]


def _number(owner: Any, name: str, value: Any, positive: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentTypeError(
            f"{type(owner).__name__}({name}): expected a number, got {type(value).__name__}."
        )
    if value != value or (positive and value <= 0):
        wanted = "a positive number" if positive else "a number"
        raise InvalidArgumentError(
            f"{type(owner).__name__}({name}): expected {wanted}, but received {value}."
        )
    return float(value)


class ClipGradBase(Guarded):
    """Base of gradient clipping; parameters with ``need_clip=False`` are left alone."""

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        raise NotImplementedError("use ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm.")

    def __call__(self, params_grads: list) -> list:
        """Clips pairs of parameter and gradient.

        Args:
            params_grads (list): pairs (parameter, gradient Tensor or None).

        Returns:
            list: the pairs with clipped gradients; the given gradients are not changed.
        """
        if any(isinstance(p, Variable) for p, _ in params_grads):
            return self._recorded(params_grads)
        chosen = [
            i
            for i, (p, g) in enumerate(params_grads)
            if g is not None and getattr(p, "need_clip", True)
        ]
        result: list[tuple[Any, Tensor | None]] = list(params_grads)
        if chosen:
            clipped = self.apply([params_grads[i][1]._buf for i in chosen])
            for i, grad in zip(chosen, clipped, strict=True):
                result[i] = (params_grads[i][0], wrap(grad))
        return result

    def _recorded(self, params_grads: list) -> list:
        """Adds the clipping operators to the Program of the gradients."""
        chosen = [(p, g) for p, g in params_grads if g is not None and p.need_clip]
        clipped = dict(zip([p.name for p, _ in chosen], self.record(chosen), strict=True))
        return [(p, clipped.get(p.name, g)) for p, g in params_grads]

    def record(self, pairs: list) -> list:
        """Adds the clipping operators for pairs of Variables; returns the clipped gradients."""
        raise NotImplementedError("use ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm.")


class ClipGradByValue(ClipGradBase):
    """Clamps every element of every gradient into [min, max].

    Args:
        max (float): upper bound.
        min (float, optional): lower bound; None means ``-max``.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            clip = paddle.nn.ClipGradByValue(min=-1, max=1)
            opt = paddle.optimizer.SGD(0.1, parameters=layer.parameters(), grad_clip=clip)
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = _number(self, "max", max)
        self.min = -self.max if min is None else _number(self, "min", min)
        if self.min > self.max:
            raise InvalidArgumentError(
                f"ClipGradByValue: expected min <= max, but received {self.min} and {self.max}."
            )

    def __str__(self) -> str:
        return f"Gradient Clip By Value, min = {self.min:f}, max={self.max:f}"

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        return clip_gradients.by_value(grads, self.min, self.max)

    def record(self, pairs: list) -> list:
        """Adds the clipping operators for pairs of Variables; returns the clipped gradients."""
        return [recorded(p, g, "clip", {"min": self.min, "max": self.max}) for p, g in pairs]


class ClipGradByNorm(ClipGradBase):
    """Scales each gradient whose L2 norm exceeds ``clip_norm`` down to that norm.

    Args:
        clip_norm (float): the largest norm of one gradient.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            clip = paddle.nn.ClipGradByNorm(clip_norm=1.0)
            opt = paddle.optimizer.SGD(0.1, parameters=layer.parameters(), grad_clip=clip)
    """

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = _number(self, "clip_norm", clip_norm, positive=True)

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        return clip_gradients.by_norm(grads, self.clip_norm)

    def record(self, pairs: list) -> list:
        """Adds the clipping operators for pairs of Variables; returns the clipped gradients."""
        return [recorded(p, g, "clip_by_norm", {"max_norm": self.clip_norm}) for p, g in pairs]


class ClipGradByGlobalNorm(ClipGradBase):
    """Scales all gradients together so that their common L2 norm is at most ``clip_norm``.

    Args:
        clip_norm (float): the largest norm of all gradients together.
        group_name (str): name of the group in static Programs. Default: default_group.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            clip = paddle.nn.ClipGradByGlobalNorm(clip_norm=1.0)
            opt = paddle.optimizer.SGD(0.1, parameters=layer.parameters(), grad_clip=clip)
    """

    def __init__(self, clip_norm: float, group_name: str = "default_group") -> None:
        self.clip_norm = _number(self, "clip_norm", clip_norm, positive=True)
        self.group_name = group_name

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        return clip_gradients.by_global_norm(grads, self.clip_norm)

    def record(self, pairs: list) -> list:
        """Adds the clipping operators for pairs of Variables; returns the clipped gradients."""
        if not pairs:
            return []
        block = pairs[0][1].block.program.current_block()
        with block.program._optimized_guard(pairs[-1]):
            factor = self._factor(block, pairs)
        for param, grad in pairs:
            with block.program._optimized_guard((param, grad)):
                scale = factor if factor.dtype == grad.dtype else _cast(block, factor, grad.dtype)
                block.append_op("elementwise_mul", {"X": grad, "Y": scale}, {"Out": grad})
        return [g for _, g in pairs]

    def _factor(self, block: Any, pairs: list) -> Variable:
        """``clip_norm / max(clip_norm, norm of all)``; of half precision computed in float32."""
        squares = []
        for param, grad in pairs:
            with block.program._optimized_guard((param, grad)):
                if grad.dtype in (VarType.FP16, VarType.BF16):
                    grad = _cast(block, grad, VarType.FP32)
                squares.append(_result(block, "squared_l2_norm", {"X": grad}))
        if len({g.dtype for g in squares}) > 1:
            squares = [_cast(block, g, VarType.FP32) for g in squares]
        norm = _result(block, "sqrt", {"X": _result(block, "sum", {"X": squares})})
        limit = {"shape": [1], "value": self.clip_norm, "str_value": repr(self.clip_norm)}
        most = _result(block, "fill_constant", {}, {**limit, "dtype": int(norm.dtype)})
        larger = _result(block, "elementwise_max", {"X": most, "Y": norm})
        return _result(block, "elementwise_div", {"X": most, "Y": larger})


def _result(block: Any, type: str, inputs: dict, attrs: dict | None = None) -> Variable:
    """Adds an operator and returns the Variable of its result."""
    made = block.create_var(name=unique_name.generate(f"{type}.tmp"), stop_gradient=True)
    block.append_op(type, inputs, {"Out": made}, attrs)
    return made


def _cast(block: Any, var: Variable, dtype: VarType) -> Variable:
    attrs = {"in_dtype": int(var.dtype), "out_dtype": int(dtype)}
    return _result(block, "cast", {"X": var}, attrs)


def recorded(param: Variable, grad: Variable, type: str, attrs: dict[str, Any]) -> Variable:
    """Adds an operator on the gradient of one parameter and returns its result."""
    block = grad.block.program.current_block()
    with block.program._optimized_guard((param, grad)):
        made = _result(block, type, {"X": grad}, attrs)
    block.ops[-1]._set_attr("op_role_var", [param.name, made.name])
    return made
