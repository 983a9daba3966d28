"""split: a linear layer or an embedding whose weight is cut over the processes."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.distributed.group import get_group
from paddle.distributed.parallel import get_rank, get_world_size
from paddle.nn.functional import linear
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

    Each process has a part of the weight, and all get the same ``x``. In one process the weight is
    whole. Each call makes a weight of its own, as in a Program; in dynamic mode use the classes of
    ``paddle.nn`` for a layer that is to be trained.

    - ``'linear'``, axis 0: the rows are cut, and with them the last dimension of ``x``, unless it
      is this process's part already. The results are summed up, and the bias is added, which every
      process has.
    - ``'linear'``, axis 1: the columns are cut, and the bias. The results stand beside each other.
    - ``'embedding'``: the rows are cut; the last process may have fewer.

    Args:
        x (Tensor): the input.
        size (tuple[int]): rows and columns of the whole weight.
        operation (str): ``'linear'`` or ``'embedding'``.
        axis (int): along which the weight is cut; of an embedding only 0.
        num_partitions (int): into how many parts: as many as there are processes.
        gather_out (bool): whether everybody gets the whole result of ``'linear'``; False leaves
            each process its own part: a summand without the bias (axis 0), or its columns (axis 1).
        weight_attr (ParamAttr, optional): of the part of the weight.
        bias_attr (ParamAttr|bool, optional): of the bias; False: there is none.
        name (str, optional): of the layer.

    Returns:
        Tensor: the result.

    Raises:
        ValueError: an argument has another value than those named, the parts of a linear layer
            would not be equal, or ``num_partitions`` is not the number of processes.
        RuntimeError: there are several processes and ``init_parallel_env`` was not called.

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
    rows, columns = numbers
    if count > 1:
        if not recording():
            get_group(0)  # raises where the processes are not connected
        if operation == "embedding":
            return _embedding(x, rows, columns, count, weight_attr)
        cut = numbers[axis]
        if cut % count:
            raise InvalidArgumentError(
                f"split(size): expected a number that {count} processes can divide at {axis}, but "
                f"received {size!r}."
            )
        numbers[axis] = cut // count
        layer = Linear(numbers[0], numbers[1], weight_attr, bias_attr, name=name)
        by_rows = axis == 0
        return (_by_rows if by_rows else _by_columns)(x, layer, cut, count, gather_out)
    if operation == "linear":
        return Linear(rows, columns, weight_attr, bias_attr, name=name)(x)
    return Embedding(rows, columns, weight_attr=weight_attr, name=name)(x)


def _by_rows(x: Any, layer: Linear, cut: int, count: int, gather_out: bool) -> Any:
    layer.weight.is_distributed = True
    width = x.shape[-1]
    if width == cut:
        x = C.c_split(x, rank=get_rank(), nranks=count, ring_id=0)
    elif width != cut // count:
        raise InvalidArgumentError(
            f"split(x): expected a last dimension of {cut}, or of {cut // count} for a part, but "
            f"received shape {list(x.shape)}."
        )
    out = linear(x, layer.weight)
    if not gather_out:
        return out
    out = C.c_allreduce_sum(out, ring_id=0, use_calc_stream=True, use_model_parallel=True)
    return out if layer.bias is None else out + layer.bias


def _by_columns(x: Any, layer: Linear, cut: int, count: int, gather_out: bool) -> Any:
    layer.weight.is_distributed = True
    if layer.bias is not None:
        layer.bias.is_distributed = True
    out = layer(C.c_identity(x, ring_id=0))
    return C.c_concat(out, rank=get_rank(), nranks=count, ring_id=0) if gather_out else out


def _embedding(x: Any, rows: int, columns: int, count: int, weight_attr: Any) -> Any:
    part = -(-rows // count)
    first = part * get_rank()
    if rows <= part * (count - 1):
        raise InvalidArgumentError(
            f"split(size): expected rows for each of {count} processes, but received {rows}."
        )
    table = Embedding(min(part, rows - first), columns, weight_attr=weight_attr)
    table.weight.is_distributed = True
    out = C.c_embedding(table.weight, x, start_index=first, vocab_size=rows)
    return C.c_allreduce_sum(out, ring_id=0, use_calc_stream=True, use_model_parallel=True)
