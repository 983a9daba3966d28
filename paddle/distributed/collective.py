"""Collectives: values that the processes of a group exchange."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.backends import backend_of
from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import recording
from paddle.core.tensor import Tensor, wrap
from paddle.core.writes import replace_buffer, writable
from paddle.distributed import check, recorded
from paddle.distributed.group import Group, get_group

__all__ = [
    "ReduceOp", "all_gather", "all_reduce", "alltoall", "barrier", "broadcast", "recv", "reduce",
    "scatter", "send", "wait",
]  # fmt: skip

_DTYPES = (
    VarType.FP16, VarType.BF16, VarType.FP32, VarType.FP64, VarType.INT8, VarType.UINT8,
    VarType.INT32, VarType.INT64, VarType.BOOL, VarType.COMPLEX64, VarType.COMPLEX128,
)  # fmt: skip
_FLOATS = (VarType.FP16, VarType.BF16, VarType.FP32, VarType.FP64)
_COMPLEX = (VarType.COMPLEX64, VarType.COMPLEX128)


class ReduceOp:
    """What becomes of everybody's values: their sum, greatest, least, product or mean.

    The mean (AVG) is of later releases than 2.0.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            paddle.distributed.all_reduce(x, op=paddle.distributed.ReduceOp.SUM)
            print(x.numpy())  # [1. 2.]
    """

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


_OPS = ("SUM", "MAX", "MIN", "PROD", "AVG")


def _group(api: str, group: Any) -> Group:
    """The group that an argument stands for."""
    if isinstance(group, Group):
        found = group
    elif group is None or (isinstance(group, int) and not isinstance(group, bool)):
        found = get_group(group or 0)
    else:
        raise TypeError(f"{api}(group): expected a Group or its number, but received {group!r}.")
    if not found.is_member():
        raise PreconditionNotMetError(f"{api}(group): this process is not in {found}.")
    return found


def _tensor(api: str, name: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{api}({name}): expected a Tensor, but received {type(value).__name__}.")
    if value.dtype not in _DTYPES:
        known = ", ".join(dtype_name(t) for t in _DTYPES)
        raise TypeError(
            f"{api}({name}): expected one of the dtypes {known}, but received "
            f"{dtype_name(value.dtype)}."
        )
    return value


def _tensors(api: str, name: str, values: Any, group: Group) -> list[Tensor]:
    """A list with one Tensor for each process of the group, all of one kind."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            f"{api}({name}): expected a list of Tensors, but received {type(values).__name__}."
        )
    if len(values) != group.nranks:
        raise InvalidArgumentError(
            f"{api}({name}): expected one Tensor for each of {group.nranks} processes, but "
            f"received {len(values)}."
        )
    return [_tensor(api, name, value) for value in values]


def _member(api: str, name: str, rank: Any, group: Group) -> int:
    """The number within the group of the process that an argument names."""
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError(f"{api}({name}): expected the number of a process, but received {rank!r}.")
    found = group.get_group_rank(rank)
    if found < 0:
        raise InvalidArgumentError(
            f"{api}({name}): expected one of the processes {group.ranks}, but received {rank}."
        )
    return found


def _op(api: str, op: Any, value: Tensor) -> int:
    if isinstance(op, bool) or not isinstance(op, int) or not 0 <= op < len(_OPS):
        raise InvalidArgumentError(
            f"{api}(op): expected ReduceOp.SUM, MAX, MIN, PROD or AVG, but received {op!r}."
        )
    name = _OPS[op]
    if (name == "AVG" and value.dtype not in _FLOATS + _COMPLEX) or (
        name not in ("SUM", "AVG") and value.dtype in _COMPLEX
    ):
        raise InvalidArgumentError(
            f"{api}(op): ReduceOp.{name} is not defined for {dtype_name(value.dtype)}."
        )
    return op


def _agreed(api: str, group: Group, buffers: list[torch.Tensor], **details: Any) -> Any:
    """The group's backend, after its members were found to be about to do the same."""
    backend = group.backend
    if check.compares(backend):
        check.always_compare(backend, check.describe(api, buffers, **details))
    return backend


def _buffer(tensor: Tensor) -> torch.Tensor:
    return tensor._buf


def _put(tensor: Tensor, buffer: torch.Tensor) -> None:
    """Lets a Tensor stand for what came; what computed with it before keeps the old values."""
    before = _buffer(tensor)
    if buffer is before:
        return
    if getattr(before, "_shared_outside", False):
        writable(tensor).copy_(buffer)
    else:
        replace_buffer(tensor, buffer)


def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = 0) -> None:
    """Replaces everybody's Tensor by the sum (or another reduction) of all of them.

    Args:
        tensor (Tensor): of any type but int16; gets the result.
        op (ReduceOp): the reduction.
        group (int|Group): whose Tensors; 0: those of all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: no such reduction.
        OSError: another process died, or did not come to the call.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            paddle.distributed.all_reduce(x)
            print(x.numpy())  # [1. 2.]
    """
    if recording():
        return recorded.all_reduce(tensor, op, group)
    found, value = _group("all_reduce", group), _tensor("all_reduce", "tensor", tensor)
    kind = _op("all_reduce", op, value)
    backend = _agreed("all_reduce", found, [_buffer(value)], op=_OPS[kind])
    _put(value, backend.all_reduce(_buffer(value), kind))


def reduce(tensor: Any, dst: int, op: Any = ReduceOp.SUM, group: Any = 0) -> None:
    """Replaces one process's Tensor by the sum (or another reduction) of everybody's.

    Args:
        tensor (Tensor): as for :func:`all_reduce`.
        dst (int): the process that gets the result.
        op (ReduceOp): the reduction.
        group (int|Group): whose Tensors; 0: those of all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: no such reduction or process.
        OSError: another process died, or did not come to the call.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            paddle.distributed.reduce(x, dst=0)
            print(x.numpy())  # [1. 2.]
    """
    if recording():
        return recorded.reduce(tensor, dst, op, group)
    found, value = _group("reduce", group), _tensor("reduce", "tensor", tensor)
    member = _member("reduce", "dst", dst, found)
    kind = _op("reduce", op, value)
    backend = _agreed("reduce", found, [_buffer(value)], dst=dst, op=_OPS[kind])
    _put(value, backend.reduce(_buffer(value), member, kind))


def broadcast(tensor: Any, src: int, group: Any = 0) -> None:
    """Replaces everybody's Tensor by that of one process.

    Args:
        tensor (Tensor): as for :func:`all_reduce`.
        src (int): the process whose Tensor it is.
        group (int|Group): who gets it; 0: all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: no such process.
        OSError: another process died, or did not come to the call.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            paddle.distributed.broadcast(x, src=0)
            print(x.numpy())  # [1. 2.]
    """
    if recording():
        return recorded.broadcast(tensor, src, group)
    found, value = _group("broadcast", group), _tensor("broadcast", "tensor", tensor)
    member = _member("broadcast", "src", src, found)
    backend = _agreed("broadcast", found, [_buffer(value)], src=src)
    _put(value, backend.broadcast(_buffer(value), member))


def all_gather(tensor_list: list, tensor: Any, group: Any = 0) -> None:
    """Appends everybody's Tensor to a list.

    Args:
        tensor_list (list): gets one Tensor of each process, in their order.
        tensor (Tensor): that of this process; as for :func:`all_reduce`.
        group (int|Group): whose Tensors; 0: those of all processes.

    Raises:
        TypeError: no list, no Tensor, or of another dtype.
        OSError: another process died, or did not come to the call.

    Examples:
        .. code-block:: python

            import paddle
            everybody = []
            paddle.distributed.all_gather(everybody, paddle.to_tensor([1.0, 2.0]))
            print(len(everybody), everybody[0].numpy())  # 1 [1. 2.]
    """
    if recording():
        return recorded.all_gather(tensor_list, tensor, group)
    found, value = _group("all_gather", group), _tensor("all_gather", "tensor", tensor)
    if not isinstance(tensor_list, list):
        raise TypeError(
            f"all_gather(tensor_list): expected a list, got {type(tensor_list).__name__}."
        )
    backend = _agreed("all_gather", found, [_buffer(value)])
    parts = backend.all_gather(_buffer(value))
    tensor_list.extend(wrap(b.clone() if b is _buffer(value) else b) for b in parts)


def scatter(tensor: Any, tensor_list: Any = None, src: int = 0, group: Any = 0) -> None:
    """Gives every process one of the Tensors that one process has.

    Args:
        tensor (Tensor): gets the result; as for :func:`all_reduce`.
        tensor_list (list[Tensor]): on ``src`` one Tensor for each process; elsewhere not needed.
        src (int): the process that has them.
        group (int|Group): who gets one; 0: all processes.

    Raises:
        TypeError: no Tensors, or of another dtype.
        ValueError: no such process, or not one Tensor for each.
        OSError: another process died, or did not come to the call.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([2])
            paddle.distributed.scatter(x, [paddle.to_tensor([1.0, 2.0])], src=0)
            print(x.numpy())  # [1. 2.]
    """
    if recording():
        return recorded.scatter(tensor, tensor_list, src, group)
    found, value = _group("scatter", group), _tensor("scatter", "tensor", tensor)
    member, given = _member("scatter", "src", src, found), []
    if found.rank == member:
        given = _tensors("scatter", "tensor_list", tensor_list, found)
        for other in given:
            if other.shape != value.shape or other.dtype is not value.dtype:
                raise InvalidArgumentError(
                    f"scatter(tensor_list): expected Tensors of shape {value.shape} and dtype "
                    f"{dtype_name(value.dtype)}, as tensor has them, but received one of shape "
                    f"{other.shape} and dtype {dtype_name(other.dtype)}."
                )
    backend = _agreed("scatter", found, [_buffer(value)], src=src)
    got = backend.scatter([_buffer(t) for t in given], _buffer(value), member)
    _put(value, got.clone() if any(got is _buffer(t) for t in given) else got)


def alltoall(in_tensor_list: Any, out_tensor_list: list, group: Any = 0) -> None:
    """Sends every process one Tensor and gets one from each. Not in 2.0.

    Args:
        in_tensor_list (list[Tensor]): one Tensor for each process.
        out_tensor_list (list): gets one Tensor from each process.
        group (int|Group): the processes; 0: all.

    Raises:
        TypeError: no lists, no Tensors, or of another dtype.
        ValueError: not one Tensor for each process.
        OSError: another process died, or did not come to the call.

    Examples:
        .. code-block:: python

            import paddle
            got = []
            paddle.distributed.alltoall([paddle.to_tensor([1.0, 2.0])], got)
            print(got[0].numpy())  # [1. 2.]
    """
    if recording():
        return recorded.alltoall(in_tensor_list, out_tensor_list, group)
    found = _group("alltoall", group)
    given = _tensors("alltoall", "in_tensor_list", in_tensor_list, found)
    if not isinstance(out_tensor_list, list):
        kind = type(out_tensor_list).__name__
        raise TypeError(f"alltoall(out_tensor_list): expected a list, but received {kind}.")
    first = given[0]
    for other in given:
        if other.shape != first.shape or other.dtype is not first.dtype:
            raise InvalidArgumentError(
                f"alltoall(in_tensor_list): expected Tensors of one shape and dtype, but received "
                f"{first.shape} {dtype_name(first.dtype)} and {other.shape} "
                f"{dtype_name(other.dtype)}."
            )
    buffers = [_buffer(t) for t in given]
    parts = _agreed("alltoall", found, buffers[:1]).all_to_all(buffers)
    out_tensor_list.extend(
        wrap(b.clone() if b is mine else b) for b, mine in zip(parts, buffers, strict=True)
    )


def _peer(api: str, name: str, tensor: Any, rank: Any, group: Any) -> tuple[Group, Tensor, int]:
    """The group, the Tensor and the member that is to be sent to or received from."""
    found, value = _group(api, group), _tensor(api, "tensor", tensor)
    member = _member(api, name, rank, found)
    if member == found.rank:
        alone = ", and there is no other" if found.nranks == 1 else ""
        raise InvalidArgumentError(
            f"{api}({name}): expected the number of another process, but {rank} is this process"
            f"{alone}.",
            hint="call it only where paddle.distributed.get_world_size() is greater than 1",
        )
    return found, value, member


def send(tensor: Any, dst: int = 0, group: Any = 0) -> None:
    """Sends a Tensor to another process, which has to receive it. Not in 2.0.

    Args:
        tensor (Tensor): as for :func:`all_reduce`.
        dst (int): the other process.
        group (int|Group): to which both belong; 0: all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: there is no such process, or it is this one.

    Examples:
        .. code-block:: python

            import paddle
            if paddle.distributed.get_world_size() > 1:
                paddle.distributed.send(paddle.ones([2]), dst=1)
    """
    if recording():
        return recorded.send(tensor, dst, group)
    found, value, member = _peer("send", "dst", tensor, dst, group)
    found.backend.send(_buffer(value), member)


def recv(tensor: Any, src: int = 0, group: Any = 0) -> None:
    """Receives a Tensor that another process sends. Not in 2.0.

    Args:
        tensor (Tensor): gets the values; as for :func:`all_reduce`.
        src (int): the other process.
        group (int|Group): to which both belong; 0: all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: there is no such process, or it is this one.

    Examples:
        .. code-block:: python

            import paddle
            if paddle.distributed.get_world_size() > 1:
                paddle.distributed.recv(paddle.ones([2]), src=1)
    """
    if recording():
        return recorded.recv(tensor, src, group)
    found, value, member = _peer("recv", "src", tensor, src, group)
    _put(value, found.backend.recv(_buffer(value), member))


def barrier(group: Any = 0) -> None:
    """Waits until every process has come here.

    Args:
        group (int|Group): the processes; 0: all.

    Examples:
        .. code-block:: python

            import paddle
            paddle.distributed.barrier()
    """
    if recording():
        return recorded.barrier(group)
    _agreed("barrier", _group("barrier", group), []).barrier()


def wait(tensor: Any, group: Any = 0, use_calc_stream: bool = True) -> None:
    """Waits until a Tensor is there: what computes or exchanges it has ended. Not in 2.0.

    Args:
        tensor (Tensor): the Tensor.
        group (int|Group): the processes that exchange it.
        use_calc_stream (bool): whether computing is waited for, or the exchange; here one stream
            does both.

    Examples:
        .. code-block:: python

            import paddle
            paddle.distributed.wait(paddle.ones([2]))
    """
    if recording():
        return  # whoever reads a value waits for it
    _group("wait", group)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"wait(tensor): expected a Tensor, but received {type(tensor).__name__}.")
    backend_of(_buffer(tensor)).wait(_buffer(tensor).device)
