"""Functions that turn class numbers into vectors."""

from __future__ import annotations

from paddle.autograd.by_rows import look_up
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, check_tensors
from paddle.core.mode import GRAD, get_mode, recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import is_variable, read_int

__all__ = ["embedding", "one_hot"]


def one_hot(x: Tensor, num_classes: int, name: str | None = None) -> Tensor:
    """Vectors that are 1 at a class number and 0 elsewhere.

    Args:
        x (Tensor): int32 or int64 class numbers, any shape.
        num_classes (int): the number of classes.
        name (str, optional): has no effect.

    Returns:
        Tensor: float32, the shape of ``x`` and one dimension of ``num_classes`` more.

    Raises:
        ValueError: a number outside of the classes.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.nn.functional.one_hot(paddle.to_tensor([0, 2]), 3).numpy())
            # [[1. 0. 0.]
            #  [0. 0. 1.]]
    """
    if isinstance(num_classes, Tensor):
        num_classes = read_int(num_classes, "one_hot", "num_classes")
    by_variable = is_variable(num_classes)
    if isinstance(num_classes, bool) or not (by_variable or isinstance(num_classes, int)):
        raise TypeError(
            f"one_hot(num_classes): expected an int, but received {type(num_classes).__name__}."
        )
    if not by_variable and num_classes < 1:
        raise InvalidArgumentError(f"one_hot(num_classes): expected at least 1, got {num_classes}.")
    check_tensors("one_hot", x=x)
    if x.dtype not in (VarType.INT32, VarType.INT64):
        raise InvalidTypeError(f"one_hot(x): expected int32 or int64, but received {x.dtype}.")
    if by_variable:
        return C.one_hot_v2(x, num_classes)
    return C.one_hot_v2(x, None, depth=num_classes)


def embedding(
    x: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Looks up rows of a table.

    Args:
        x (Tensor): int32 or int64 row numbers, any shape.
        weight (Tensor): the table, shape [rows, width].
        padding_idx (int, optional): this row gives zeros and gets no gradient; negative counts
            from the end.
        sparse (bool): the gradient of ``weight`` is kept as the rows that occur. SGD, and Adam with
            ``lazy_mode``, then update these rows only, so that a step takes no longer for a larger
            table. To all else it looks like a dense gradient. Default: False.
        name (str, optional): has no effect.

    Returns:
        Tensor: the shape of ``x`` and one dimension of ``width`` more.

    Raises:
        IndexError: a number that is no row of the table.

    Examples:
        .. code-block:: python

            import paddle
            table = paddle.to_tensor([[0.0, 0.0], [1.0, 2.0]])
            print(paddle.nn.functional.embedding(paddle.to_tensor([1, 0]), table).numpy())
            # [[1. 2.]
            #  [0. 0.]]
    """
    if padding_idx is None:
        return _look_up(x, weight, -1, sparse)
    if isinstance(padding_idx, bool) or not isinstance(padding_idx, int):
        raise TypeError(
            f"embedding(padding_idx): expected an int or None, got {type(padding_idx).__name__}."
        )
    rows = weight.shape[0]
    if not -rows <= padding_idx < rows:
        raise InvalidArgumentError(
            f"embedding(padding_idx): expected -{rows} <= padding_idx < {rows}, "
            f"but received {padding_idx}."
        )
    return _look_up(x, weight, padding_idx % rows, sparse)


def _look_up(x: Tensor, weight: Tensor, padding_idx: int, sparse: bool) -> Tensor:
    # What made a table out of others needs its gradient dense.
    if sparse and get_mode() & GRAD and not recording():
        if weight._edge is None and not weight.stop_gradient:
            return look_up(x, weight, padding_idx)
    return C.lookup_table_v2(x, weight, padding_idx=padding_idx, is_sparse=sparse)
