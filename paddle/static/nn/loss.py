"""The losses that printed examples look for in paddle.static.nn: cross_entropy, mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.ir.variable import Variable
from paddle.static.nn.helper import FLOATS, INTS, StaticLayer

__all__ = ["cross_entropy", "mean"]


def cross_entropy(
    input: Any, label: Any, soft_label: bool = False, ignore_index: int = -100
) -> Variable:
    r"""Adds the cross entropy of probabilities: :math:`-\log p_{label}` for each row.

    It takes probabilities, such as a softmax gives; :func:`paddle.nn.functional.cross_entropy`
    takes scores.

    Args:
        input (Variable): probabilities, ``[N, ..., C]``, floating.
        label (Variable): ``[N, ..., 1]`` or ``[N, ...]``, int64 classes, or with ``soft_label`` the
            probability of each class, of the input's shape and dtype.
        soft_label (bool): :math:`-\sum_c label_c \log p_c` instead. Default: False.
        ignore_index (int): rows with this label count 0; not with ``soft_label``. Default: -100.

    Returns:
        Variable: ``[N, ..., 1]``, or ``[N, ...]`` beside such classes.

    Raises:
        ValueError: shapes or dtypes do not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                p = paddle.static.data("p", [None, 10])
                y = paddle.static.data("y", [None, 1], "int64")
                print(paddle.static.nn.cross_entropy(p, y).shape)  # (-1, 1)
            paddle.disable_static()
    """
    soft = soft_label is True
    layer = StaticLayer("cross_entropy", prefix="cross_entropy" if soft else "cross_entropy2")
    layer.flag("soft_label", soft_label)
    if isinstance(ignore_index, bool) or not isinstance(ignore_index, (int, np.integer)):
        raise layer.wrong("ignore_index", "an int", ignore_index)
    rank = len(layer.check("input", input, dtypes=FLOATS).shape)
    if rank < 2:
        raise layer.wrong("input", "at least 2 dimensions", list(input.shape))
    ranks = [rank] if soft else [rank, rank - 1]
    layer.check("label", label, ranks, (dtype_name(input.dtype),) if soft else INTS)
    wanted = (*input.shape[:-1], input.shape[-1] if soft else 1)[: len(label.shape)]
    if any(a != b and -1 not in (a, b) for a, b in zip(wanted, label.shape, strict=True)):
        raise InvalidArgumentError(
            f"{layer.api}(label): expected shape {list(wanted)} for input of shape "
            f"{list(input.shape)}, but received {list(label.shape)}."
        )
    if soft:
        return layer.call("cross_entropy", input, label, soft_label=True, ignore_index=ignore_index)
    return layer.call("cross_entropy2", input, label, ignore_index=ignore_index)[0]


def mean(x: Any, name: str | None = None) -> Variable:
    """Adds the mean of all elements.

    Args:
        x (Variable): any shape, floating.
        name (str, optional): the layer's name.

    Returns:
        Variable: ``[1]``.

    Raises:
        ValueError: x is not floating.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 3])
                print(paddle.static.nn.mean(x).shape)  # (1,)
            paddle.disable_static()
    """
    layer = StaticLayer("mean", name)
    layer.check("x", x, dtypes=FLOATS)
    return layer.call("mean", x)


guard_module(globals())
