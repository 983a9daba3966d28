"""Exchange between the processes of 1.x, as its own code and scripts call it: by operators."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.distributed.recorded import made_like, record
from paddle.incubate.layer_helper import LayerHelper

_KINDS = {"sum": 0, "prod": 1, "max": 2, "min": 3}


def _settled(name: str, x: Any) -> Any:
    """Settles the mode, which is static for all of these."""
    LayerHelper(name)
    if isinstance(x, Tensor):
        raise TypeError(f"{name}(x): expected a Variable of a Program, but received a Tensor.")
    return x


def _kind(name: str, reduce_type: str) -> str:
    if reduce_type not in _KINDS:
        raise TypeError(
            f"{name}(reduce_type): expected sum, prod, max or min, but received {reduce_type!r}."
        )
    return reduce_type


def _allreduce(x: Any, out: Any = None, reduce_type: str = "sum", sync_mode: bool = False) -> Any:
    """The sum (product, ...) of x over all processes."""
    kind = _KINDS[_kind("_allreduce", reduce_type)]
    out = made_like(_settled("_allreduce", x), "tmp") if out is None else out
    record("allreduce", x, out, reduce_type=kind, sync_mode=sync_mode)
    return out


def _broadcast(x: Any, root: int, sync_mode: bool = False) -> Any:
    """Gives x the value that one process has."""
    record("broadcast", _settled("_broadcast", x), x, sync_mode=sync_mode, root=root)
    return x


def _c_allreduce(
    x: Any, out: Any = None, reduce_type: str = "sum", ring_id: int = 0,
    use_calc_stream: bool = False,
) -> Any:  # fmt: skip
    """The sum (product, ...) of x over a ring."""
    name = f"c_allreduce_{_kind('_c_allreduce', reduce_type)}"
    out = made_like(_settled("_c_allreduce", x), name) if out is None else out
    record(name, x, out, ring_id=ring_id, use_calc_stream=use_calc_stream)
    return out


def _c_broadcast(x: Any, root: int = 0, ring_id: int = 0, use_calc_stream: bool = False) -> Any:
    """Gives x the value that one member of a ring has."""
    _settled("_c_broadcast", x)
    record("c_broadcast", x, x, root=root, ring_id=ring_id, use_calc_stream=use_calc_stream)
    return x


def _c_allgather(x: Any, nranks: int, ring_id: int = 0, use_calc_stream: bool = False) -> Any:
    """The rows of all members of a ring."""
    shape = list(_settled("_c_allgather", x).shape)
    shape[0] = shape[0] * nranks if shape[0] > 0 else shape[0]
    out = made_like(x, "c_allgather", shape)
    told = {"ring_id": ring_id, "use_calc_stream": use_calc_stream}
    record("c_allgather", x, out, nranks=nranks, **told)
    return out


def _c_reducescatter(x: Any, nranks: int, ring_id: int = 0, use_calc_stream: bool = False) -> Any:
    """This member's part of the rows of the sum over a ring."""
    shape = list(_settled("_c_reducescatter", x).shape)
    if shape[0] > 0 and shape[0] % nranks:
        raise InvalidArgumentError(
            f"_c_reducescatter(nranks): expected a divisor of {shape[0]} rows, but received "
            f"{nranks}."
        )
    shape[0] = shape[0] // nranks if shape[0] > 0 else shape[0]
    out = made_like(x, "c_reducescatter", shape)
    told = {"ring_id": ring_id, "use_calc_stream": use_calc_stream}
    record("c_reducescatter", x, out, nranks=nranks, **told)
    return out


def _c_sync_calc_stream(x: Any) -> Any:
    """x, once it is computed."""
    record("c_sync_calc_stream", _settled("_c_sync_calc_stream", x), x)
    return x


def _c_sync_comm_stream(x: Any, ring_id: int) -> Any:
    """x, once it is exchanged."""
    record("c_sync_comm_stream", _settled("_c_sync_comm_stream", x), x, ring_id=ring_id)
    return x
