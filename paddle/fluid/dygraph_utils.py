"""What layers of dynamic mode end with: a bias and an activation, by 1.x's private names."""

from __future__ import annotations

from typing import Any

from paddle.core.op import C
from paddle.framework import by_name

__all__: list[str] = []


def _append_activation_in_dygraph(
    input: Any, act: str | None = None, use_cudnn: bool | None = None,
    use_mkldnn: bool | None = None,
) -> Any:  # fmt: skip
    """Returns what the operator named ``act`` makes of a Tensor; without one the Tensor.

    Args:
        input (Tensor): what goes in.
        act (str, optional): the operator: ``"relu"``.
        use_cudnn (bool, optional): says nothing here, where ATen chooses the kernel.
        use_mkldnn (bool, optional): as ``use_cudnn``.
    """
    if not act:
        return input
    where = "_append_activation_in_dygraph(act)"
    op = by_name.operator(where, act)
    return by_name.call(where, op, [input] + [None] * (len(op.inputs) - 1), {})


def _append_bias_in_dygraph(
    input: Any, bias: Any = None, axis: int = 1, use_mkldnn: bool = False
) -> Any:
    """Returns the sum of a Tensor and a bias; without one the Tensor.

    Args:
        input (Tensor): what goes in.
        bias (Tensor, optional): what is added.
        axis (int): the dimension of ``input`` at which those of ``bias`` begin. Default: 1.
        use_mkldnn (bool): says nothing here, where ATen chooses the kernel.
    """
    return input if bias is None else C.elementwise_add(input, bias, axis=axis)
