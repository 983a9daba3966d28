"""Collectives: values that the processes of a group exchange."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.backends import backend_of
from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.core.mode import no_grad, recording
from paddle.core.tensor import Tensor, wrap
from paddle.distributed.group import Group, get_group

__all__ = [
    "ReduceOp", "all_gather", "all_reduce", "alltoall", "barrier", "broadcast", "recv", "reduce",
    "scatter", "send", "wait",
]  # fmt: skip

_DTYPES = (VarType.FP16, VarType.FP32, VarType.FP64, VarType.INT32, VarType.INT64)


class ReduceOp:
    """What becomes of everybody's values: their sum, greatest, least or product.

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


_OPS = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD)


def _group(api: str, group: Any) -> Group:
    """The group that an argument stands for."""
    if recording():
        raise UnimplementedError(
            f"{api}: exchange between processes inside of a Program is not part of this version.",
            hint="leave the call out: in one process it changes nothing",
        )
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


def _op(api: str, op: Any) -> int:
    if isinstance(op, bool) or op not in _OPS:
        raise InvalidArgumentError(
            f"{api}(op): expected ReduceOp.SUM, MAX, MIN or PROD, but received {op!r}."
        )
    return op


def _put(tensor: Tensor, buffer: torch.Tensor) -> None:
    """Writes what came into the Tensor that was given for it."""
    if buffer is not tensor._buf:
        with no_grad():
            tensor.set_value(wrap(buffer))


def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = 0) -> None:
    """Replaces everybody's Tensor by the sum (or another reduction) of all of them.

    Args:
        tensor (Tensor): float16, float32, float64, int32 or int64; gets the result.
        op (ReduceOp): the reduction.
        group (int|Group): whose Tensors; 0: those of all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: no such reduction.
        NotImplementedError: in static mode, or with several processes.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            paddle.distributed.all_reduce(x)
            print(x.numpy())  # [1. 2.]
    """
    found, value = _group("all_reduce", group), _tensor("all_reduce", "tensor", tensor)
    _put(value, found.backend.all_reduce(value._buf, _op("all_reduce", op)))


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
        NotImplementedError: in static mode, or with several processes.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            paddle.distributed.reduce(x, dst=0)
            print(x.numpy())  # [1. 2.]
    """
    found, value = _group("reduce", group), _tensor("reduce", "tensor", tensor)
    member = _member("reduce", "dst", dst, found)
    _put(value, found.backend.reduce(value._buf, member, _op("reduce", op)))


def broadcast(tensor: Any, src: int, group: Any = 0) -> None:
    """Replaces everybody's Tensor by that of one process.

    Args:
        tensor (Tensor): as for :func:`all_reduce`.
        src (int): the process whose Tensor it is.
        group (int|Group): who gets it; 0: all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: no such process.
        NotImplementedError: in static mode, or with several processes.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            paddle.distributed.broadcast(x, src=0)
            print(x.numpy())  # [1. 2.]
    """
    found, value = _group("broadcast", group), _tensor("broadcast", "tensor", tensor)
    _put(value, found.backend.broadcast(value._buf, _member("broadcast", "src", src, found)))


def all_gather(tensor_list: list, tensor: Any, group: Any = 0) -> None:
    """Appends everybody's Tensor to a list.

    Args:
        tensor_list (list): gets one Tensor of each process, in their order.
        tensor (Tensor): that of this process; as for :func:`all_reduce`.
        group (int|Group): whose Tensors; 0: those of all processes.

    Raises:
        TypeError: no list, no Tensor, or of another dtype.
        NotImplementedError: in static mode, or with several processes.

    Examples:
        .. code-block:: python

            import paddle
            everybody = []
            paddle.distributed.all_gather(everybody, paddle.to_tensor([1.0, 2.0]))
            print(len(everybody), everybody[0].numpy())  # 1 [1. 2.]
    """
    found, value = _group("all_gather", group), _tensor("all_gather", "tensor", tensor)
    if not isinstance(tensor_list, list):
        raise TypeError(
            f"all_gather(tensor_list): expected a list, got {type(tensor_list).__name__}."
        )
    tensor_list.extend(wrap(b.clone()) for b in found.backend.all_gather(value._buf))


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
        NotImplementedError: in static mode, or with several processes.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([2])
            paddle.distributed.scatter(x, [paddle.to_tensor([1.0, 2.0])], src=0)
            print(x.numpy())  # [1. 2.]
    """
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
    _put(value, found.backend.scatter([t._buf for t in given], value._buf, member))


def alltoall(in_tensor_list: Any, out_tensor_list: list, group: Any = 0) -> None:
    """Sends every process one Tensor and gets one from each. Not in 2.0.

    Args:
        in_tensor_list (list[Tensor]): one Tensor for each process.
        out_tensor_list (list): gets one Tensor from each process.
        group (int|Group): the processes; 0: all.

    Raises:
        TypeError: no lists, no Tensors, or of another dtype.
        ValueError: not one Tensor for each process.
        NotImplementedError: in static mode, or with several processes.

    Examples:
        .. code-block:: python

            import paddle
            got = []
            paddle.distributed.alltoall([paddle.to_tensor([1.0, 2.0])], got)
            print(got[0].numpy())  # [1. 2.]
    """
    found = _group("alltoall", group)
    given = _tensors("alltoall", "in_tensor_list", in_tensor_list, found)
    if not isinstance(out_tensor_list, list):
        kind = type(out_tensor_list).__name__
        raise TypeError(f"alltoall(out_tensor_list): expected a list, but received {kind}.")
    out_tensor_list.extend(
        wrap(b.clone()) for b in found.backend.all_to_all([t._buf for t in given])
    )


def _refuse_alone(api: str, name: str, tensor: Any, rank: Any, group: Any) -> None:
    """Between two processes: what is asked for is checked, then there is nobody to talk to."""
    found = _group(api, group)
    _tensor(api, "tensor", tensor)
    _member(api, name, rank, found)
    raise InvalidArgumentError(
        f"{api}({name}): expected the number of another process, but {rank} is this process, and "
        "there is no other.",
        hint="call it only where paddle.distributed.get_world_size() is greater than 1",
    )


def send(tensor: Any, dst: int = 0, group: Any = 0) -> None:
    """Sends a Tensor to another process; in a process alone it raises. Not in 2.0.

    Args:
        tensor (Tensor): as for :func:`all_reduce`.
        dst (int): the other process.
        group (int|Group): to which both belong; 0: all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: there is no such other process.

    Examples:
        .. code-block:: python

            import paddle
            if paddle.distributed.get_world_size() > 1:
                paddle.distributed.send(paddle.ones([2]), dst=1)
    """
    _refuse_alone("send", "dst", tensor, dst, group)


def recv(tensor: Any, src: int = 0, group: Any = 0) -> None:
    """Receives a Tensor from another process; in a process alone it raises. Not in 2.0.

    Args:
        tensor (Tensor): gets the values; as for :func:`all_reduce`.
        src (int): the other process.
        group (int|Group): to which both belong; 0: all processes.

    Raises:
        TypeError: no Tensor, or of another dtype.
        ValueError: there is no such other process.

    Examples:
        .. code-block:: python

            import paddle
            if paddle.distributed.get_world_size() > 1:
                paddle.distributed.recv(paddle.ones([2]), src=1)
    """
    _refuse_alone("recv", "src", tensor, src, group)


def barrier(group: Any = 0) -> None:
    """Waits until every process has come here.

    Args:
        group (int|Group): the processes; 0: all.

    Examples:
        .. code-block:: python

            import paddle
            paddle.distributed.barrier()
    """
    _group("barrier", group).backend.barrier()


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
    _group("wait", group)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"wait(tensor): expected a Tensor, but received {type(tensor).__name__}.")
    backend_of(tensor._buf).wait(tensor._buf.device)
