"""split: a linear layer or an embedding whose weight is cut over the processes."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.distributed.parallel import get_world_size
from paddle.nn.layer.common import Embedding, Linear

__all__ = ["split"]


def split(
    x: Any,
    size: Any,
    operation: str,
    axis: int = 0,
    num_partitions: int = 1,
    gather_out: bool = True,
    weight_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """Applies a new linear layer or embedding whose weight is cut over the processes.

    In one process the weight is whole. Each call makes a weight of its own, as in a Program; in
    dynamic mode use the classes of ``paddle.nn`` for a layer that is to be trained.

    Args:
        x (Tensor): the input.
        size (tuple[int]): rows and columns of the whole weight.
        operation (str): ``'linear'`` or ``'embedding'``.
        axis (int): along which the weight is cut; of an embedding only 0.
        num_partitions (int): into how many parts: as many as there are processes.
        gather_out (bool): whether everybody gets the whole result.
        weight_attr (ParamAttr, optional): of the weight.
        bias_attr (ParamAttr|bool, optional): of the bias; False: there is none.
        name (str, optional): of the layer.

    Returns:
        Tensor: the result.

    Raises:
        ValueError: an argument has another value than those named, or ``num_partitions`` is not
            the number of processes.
        NotImplementedError: there are several processes.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.ones([2, 8])
            print(paddle.distributed.split(x, (8, 4), 'linear').shape)  # [2, 4]
    """
    if operation not in ("linear", "embedding"):
        raise InvalidArgumentError(
            f"split(operation): expected 'linear' or 'embedding', but received {operation!r}."
        )
    numbers = list(size) if isinstance(size, (list, tuple)) else []
    if len(numbers) != 2 or not all(type(n) is int and n > 0 for n in numbers):
        raise InvalidArgumentError(
            f"split(size): expected two positive ints, rows and columns, but received {size!r}."
        )
    axes = (0, 1) if operation == "linear" else (0,)
    if isinstance(axis, bool) or axis not in axes:
        raise InvalidArgumentError(
            f"split(axis): expected {' or '.join(map(str, axes))} for {operation!r}, but received "
            f"{axis!r}."
        )
    count = get_world_size()
    if isinstance(num_partitions, bool) or num_partitions != count:
        raise InvalidArgumentError(
            f"split(num_partitions): expected the number of processes, {count}, but received "
            f"{num_partitions!r}."
        )
    if count > 1:
        raise UnimplementedError(
            "split: weights cut over several processes are not part of this version.",
            hint="use the classes of paddle.nn and DataParallel",
        )
    rows, columns = numbers
    if operation == "linear":
        return Linear(rows, columns, weight_attr, bias_attr, name=name)(x)
    return Embedding(rows, columns, weight_attr=weight_attr, name=name)(x)
