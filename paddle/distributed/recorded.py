"""Collectives while a Program is recorded: each adds its operators to the current block.

The Tensors are Variables. What a function would write into gets its new value by the operator.
"""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.op import C
from paddle.distributed.env import ParallelEnv
from paddle.distributed.group import Group, get_group
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable

_KINDS = ("sum", "max", "min", "prod", "avg")


def _variable(api: str, name: str, value: Any) -> Variable:
    if not isinstance(value, Variable):
        raise TypeError(
            f"{api}({name}): expected a Variable of the Program that is recorded, but received "
            f"{type(value).__name__}."
        )
    return value


def _group(api: str, group: Any) -> Group:
    """The group that an argument stands for; the processes need not be connected yet."""
    if isinstance(group, Group):
        return group
    if group is not None and (isinstance(group, bool) or not isinstance(group, int)):
        raise TypeError(f"{api}(group): expected a Group or its number, but received {group!r}.")
    try:
        return get_group(group or 0)
    except PreconditionNotMetError:
        env = ParallelEnv()
        return Group(0, range(env.world_size), env.rank, None)


def _member(api: str, name: str, rank: Any, group: Group) -> int:
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError(f"{api}({name}): expected the number of a process, but received {rank!r}.")
    found = group.get_group_rank(rank)
    if found < 0:
        raise InvalidArgumentError(
            f"{api}({name}): expected one of the processes {group.ranks}, but received {rank}."
        )
    return found


def _listed(api: str, name: str, values: Any, count: int) -> list[Variable]:
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            f"{api}({name}): expected a list of Variables, but received {type(values).__name__}."
        )
    if len(values) != count:
        raise InvalidArgumentError(
            f"{api}({name}): expected one Variable for each of {count} processes, but received "
            f"{len(values)}."
        )
    return [_variable(api, name, value) for value in values]


def record(type: str, given: Variable | None, result: Variable | None, **attrs: Any) -> None:
    """Adds an operator to the current block.

    Args:
        type (str): its name.
        given (Variable, optional): what is in X.
        result (Variable, optional): what is in Out.
        **attrs: its attributes.
    """
    inputs = {} if given is None else {"X": [given]}
    outputs = {} if result is None else {"Out": [result]}
    default_main_program().current_block().append_op(type, inputs, outputs, attrs)


def made_like(given: Variable, suffix: str, shape: Any = None) -> Variable:
    """A new Variable of the current block, of the dtype of another one.

    Args:
        given (Variable): the other one.
        suffix (str): follows its name.
        shape (list[int], optional): the sizes; None: as the other one's.
    """
    return default_main_program().current_block().create_var(
        name=unique_name.generate(f"{given.name}.{suffix}"),
        shape=list(given.shape if shape is None else shape), dtype=given.dtype,
    )  # fmt: skip


def _rows(given: Variable, factor: int) -> list[int]:
    shape = list(given.shape)
    return [shape[0] * factor if shape[0] >= 0 else -1, *shape[1:]]


def all_reduce(tensor: Any, op: int, group: Any) -> None:
    """Records ``c_allreduce_sum``, ``_max``, ...; a mean is a sum that is scaled."""
    value, found = _variable("all_reduce", "tensor", tensor), _group("all_reduce", group)
    kind = _kind("all_reduce", op)
    name = "c_allreduce_" + ("sum" if kind == "avg" else kind)
    record(name, value, value, ring_id=found.id, use_calc_stream=True)
    if kind == "avg":
        record("scale", value, value, scale=1.0 / found.nranks)


def _kind(api: str, op: Any) -> str:
    if isinstance(op, bool) or not isinstance(op, int) or not 0 <= op < len(_KINDS):
        raise InvalidArgumentError(
            f"{api}(op): expected ReduceOp.SUM, MAX, MIN, PROD or AVG, but received {op!r}."
        )
    return _KINDS[op]


def reduce(tensor: Any, dst: int, op: int, group: Any) -> None:
    """Records ``c_reduce_sum``, ``_max``, ..."""
    value, found = _variable("reduce", "tensor", tensor), _group("reduce", group)
    root, kind = _member("reduce", "dst", dst, found), _kind("reduce", op)
    if kind == "avg":
        raise InvalidArgumentError(
            "reduce(op): there is no operator that takes the mean to one process.",
            hint="reduce the sum, and scale it there",
        )
    record(f"c_reduce_{kind}", value, value, ring_id=found.id, root_id=root, use_calc_stream=True)


def broadcast(tensor: Any, src: int, group: Any) -> None:
    """Records ``c_broadcast``."""
    value, found = _variable("broadcast", "tensor", tensor), _group("broadcast", group)
    root = _member("broadcast", "src", src, found)
    record("c_broadcast", value, value, ring_id=found.id, root=root, use_calc_stream=True)


def all_gather(tensor_list: Any, tensor: Any, group: Any) -> None:
    """Records ``c_allgather`` and ``split``."""
    value, found = _variable("all_gather", "tensor", tensor), _group("all_gather", group)
    if not isinstance(tensor_list, list):
        raise TypeError(
            f"all_gather(tensor_list): expected a list, got {type(tensor_list).__name__}."
        )
    out = made_like(value, "c_allgather", _rows(value, found.nranks))
    record("c_allgather", value, out, ring_id=found.id, nranks=found.nranks, use_calc_stream=True)
    tensor_list.extend(_parts(out, found.nranks))


def _parts(value: Variable, count: int) -> list[Any]:
    if count == 1:
        return [value]
    if value.shape[0] >= 0:
        return list(C.split(value, num=count, axis=0))
    raise InvalidArgumentError(
        f"all_gather, alltoall: expected Variables of a known number of rows, but received shape "
        f"{list(value.shape)}.",
        hint="record c_allgather by paddle.static, or give the data a fixed batch",
    )


def scatter(tensor: Any, tensor_list: Any, src: int, group: Any) -> None:
    """Records ``concat`` and ``c_scatter``; who has nothing to give gives as much."""
    value, found = _variable("scatter", "tensor", tensor), _group("scatter", group)
    root = _member("scatter", "src", src, found)
    given = [value] * found.nranks
    if found.rank == root:
        given = _listed("scatter", "tensor_list", tensor_list, found.nranks)
    joined = C.concat(given, axis=0)
    record("c_scatter", joined, value, ring_id=found.id, root=root, nranks=found.nranks,
           use_calc_stream=True)  # fmt: skip


def alltoall(in_tensor_list: Any, out_tensor_list: Any, group: Any) -> None:
    """Records ``concat``, ``alltoall`` and ``split``."""
    found = _group("alltoall", group)
    given = _listed("alltoall", "in_tensor_list", in_tensor_list, found.nranks)
    if not isinstance(out_tensor_list, list):
        kind = type(out_tensor_list).__name__
        raise TypeError(f"alltoall(out_tensor_list): expected a list, but received {kind}.")
    joined = C.concat(given, axis=0)
    out = made_like(joined, "alltoall")
    record("alltoall", joined, out, ring_id=found.id, use_calc_stream=True)
    out_tensor_list.extend(_parts(out, found.nranks))


def barrier(group: Any) -> None:
    """Records ``barrier``."""
    found = _group("barrier", group)
    value = C.fill_constant(shape=[1], dtype=2, value=0.0)
    record("barrier", value, value, ring_id=found.id)


def send(tensor: Any, dst: int, group: Any) -> None:
    """Records ``send_v2``."""
    value, found = _variable("send", "tensor", tensor), _group("send", group)
    peer = _member("send", "dst", dst, found)
    record(
        "send_v2",
        value,
        None,
        ring_id=found.id,
        peer=peer,
        use_calc_stream=True,
        dynamic_shape=-1 in value.shape,
    )


def recv(tensor: Any, src: int, group: Any) -> None:
    """Records ``recv_v2``; without a known shape that is sent, too."""
    value, found = _variable("recv", "tensor", tensor), _group("recv", group)
    peer = _member("recv", "src", src, found)
    record(
        "recv_v2", None, value, ring_id=found.id, peer=peer, dtype=int(value.dtype),
        out_shape=list(value.shape), use_calc_stream=True, dynamic_shape=-1 in value.shape,
    )  # fmt: skip
