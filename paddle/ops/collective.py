"""Operators by which processes exchange values: each has a ring, the number of a group.

Kernels look the group up in :mod:`paddle.core.rings` and exchange at once; plans begin what can go
on meanwhile and wait before the first reader (``paddle/passes/fuse_all_reduce.py``). On shapes
alone nothing is exchanged. In one process every ring has one member.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, define, op
from paddle.core.rings import Communicator, rings

REDUCTIONS = {"sum": 0, "max": 1, "min": 2, "prod": 3}
OF_1X = (0, 3, 1, 2)  # reduce_type of `allreduce` -> number of a reduction: sum, prod, max, min
# Operators that wait for a stream.
WAITS = ("c_sync_calc_stream", "c_sync_comm_stream", "c_wait_comm", "c_wait_compute")


def ring_of(number: int, buffer: torch.Tensor) -> Communicator:
    """The group that exchanges a buffer; a group of one where there are only shapes."""
    return rings.alone if buffer.is_meta else rings.get(number)


def result(got: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
    """What came, as a handle of its own where it is the very buffer that was given."""
    return got.view_as(got) if got is given else got


def members(name: str, count: int, ring: Communicator, buffer: torch.Tensor) -> int:
    """How many members a Program was written for; the ring has to have as many."""
    if count != ring.size and not buffer.is_meta:
        raise InvalidArgumentError(
            f"{name}(nranks): expected {ring.size}, the number of processes in the ring, but "
            f"received {count}."
        )
    return count


def positive(name: str, count: int) -> int:
    """Refuses a group of no processes."""
    if count < 1:
        raise InvalidArgumentError(f"{name}(nranks): expected at least 1, but received {count}.")
    return count


# -- reductions, to all and to one -----------------------------------------------------------------


def _define_reductions(kind: str, number: int) -> None:
    def all_reduce(x, *, ring_id=0, use_calc_stream=False, use_model_parallel=False):
        return result(ring_of(ring_id, x).all_reduce(x, number), x)

    def reduce(x, *, ring_id=0, root_id=0, use_calc_stream=False):
        return result(ring_of(ring_id, x).reduce(x, root_id, number), x)

    summed = kind == "sum"
    made = define(
        f"c_allreduce_{kind}", "X -> Out", all_reduce, infer="same", effects=True, lod="X",
        differentiable=summed,
    )  # fmt: skip
    define(
        f"c_reduce_{kind}", "X -> Out", reduce, infer="same", effects=True, lod="X",
        differentiable=False,
    )  # fmt: skip
    if summed:

        @made.grad()
        def _(d_out, *, ring_id, use_model_parallel):
            # Parts of one model, each of which has the whole gradient already.
            return d_out if use_model_parallel else ring_of(ring_id, d_out).all_reduce(d_out)


for _kind, _number in REDUCTIONS.items():
    _define_reductions(_kind, _number)


@op("mp_allreduce_sum", "X -> Out", infer="same", effects=True, lod="X")
def mp_allreduce_sum(x, *, ring_id=0, use_calc_stream=False):
    """The sum over parts of one model."""
    return result(ring_of(ring_id, x).all_reduce(x), x)


@mp_allreduce_sum.grad()
def _(d_out):
    return d_out


@op("allreduce", "X -> Out", infer="same", effects=True, lod="X", differentiable=False)
def allreduce(x, *, reduce_type=0, sync_mode=False):
    """The form of 1.8's dynamic mode: over all processes."""
    if not 0 <= reduce_type < len(OF_1X):
        raise InvalidArgumentError(
            f"allreduce(reduce_type): expected 0 to 3, but received {reduce_type}."
        )
    return result(ring_of(0, x).all_reduce(x, OF_1X[reduce_type]), x)


# -- from one to all, from all to all --------------------------------------------------------------


def _root(name: str, root: int, ring: Communicator, x: torch.Tensor) -> int:
    if root < 0 or (root >= ring.size and not x.is_meta):
        raise InvalidArgumentError(
            f"{name}(root): expected a member of the ring, 0 to {ring.size - 1}, but received "
            f"{root}."
        )
    return root


@op("c_broadcast", "X -> Out", infer="same", effects=True, lod="X", differentiable=False)
def c_broadcast(x, *, ring_id=0, root=0, use_calc_stream=False):
    """One member's X to all of them."""
    ring = ring_of(ring_id, x)
    return result(ring.broadcast(x, _root("c_broadcast", root, ring, x)), x)


# The form of 1.8's dynamic mode, among all processes; later releases call its slots x and out.
define(
    "broadcast", "X? x? -> Out? out?", None, effects=True, differentiable=False,
    attrs={"root": 0, "sync_mode": False, "ring_id": 0},
)  # fmt: skip


def _rows(name: str, shape: Any, count: int) -> int:
    """How many rows each of so many members has of a tensor; -1 where that is not known."""
    positive(name, count)
    if not len(shape) or (shape[0] >= 0 and shape[0] % count):
        raise InvalidArgumentError(
            f"{name}: expected X of a number of rows that {count} processes can divide among "
            f"them, but received shape {list(shape)}."
        )
    return shape[0] // count if shape[0] >= 0 else -1


def _gathered(inputs: list, attrs: dict) -> list[Spec]:
    x, count = inputs[0], positive("c_allgather", attrs["nranks"])
    rows = x.shape[0] * count if x.shape and x.shape[0] >= 0 else -1
    return [Spec((rows, *x.shape[1:]), x.dtype)]


@op("c_allgather", "X -> Out", infer=_gathered, effects=True)
def c_allgather(x, *, ring_id=0, use_calc_stream=False, nranks=REQUIRED):
    """The rows of all members below each other."""
    ring = ring_of(ring_id, x)
    members("c_allgather", positive("c_allgather", nranks), ring, x)
    parts = [x] * nranks if x.is_meta else ring.all_gather(x)
    return torch.cat([p.reshape(-1) if not p.dim() else p for p in parts])


@c_allgather.grad()
def _(d_out, *, ring_id, nranks):
    ring = ring_of(ring_id, d_out)
    return ring.reduce_scatter(list(d_out.chunk(nranks))) if ring.size > 1 else d_out


def _scattered(name: str):
    def rule(inputs: list, attrs: dict) -> list[Spec]:
        x = inputs[0]
        return [Spec((_rows(name, x.shape, attrs["nranks"]), *x.shape[1:]), x.dtype)]

    return rule


@op("c_reducescatter", "X -> Out", infer=_scattered("c_reducescatter"), effects=True,
    differentiable=False)  # fmt: skip
def c_reducescatter(x, *, ring_id=0, nranks=1, use_calc_stream=False):
    """To each member its part of the rows of the sum of all X."""
    rows, ring = _rows("c_reducescatter", x.shape, nranks), ring_of(ring_id, x)
    members("c_reducescatter", nranks, ring, x)
    if x.is_meta:
        return x[:rows]
    return result(ring.reduce_scatter(list(x.split(max(rows, 1)))[:nranks] or [x]), x)


@op("c_scatter", "X -> Out", infer=_scattered("c_scatter"), effects=True, differentiable=False)
def c_scatter(x, *, ring_id=0, root=0, nranks=0, use_calc_stream=False):
    """To each member its part of the rows of one member's X; all X have one shape."""
    rows, ring = _rows("c_scatter", x.shape, nranks), ring_of(ring_id, x)
    members("c_scatter", nranks, ring, x)
    _root("c_scatter", root, ring, x)
    parts = [x[i * rows : (i + 1) * rows] for i in range(nranks)]
    return parts[0] if x.is_meta else ring.scatter(parts, parts[0], root)


def _same_rows(inputs: list, attrs: dict) -> list[Spec]:
    if not inputs[0].shape:
        raise InvalidArgumentError("alltoall: expected X with rows, but received a number.")
    return [inputs[0]]


@op("alltoall", "X -> Out", infer=_same_rows, effects=True)
def alltoall(x, *, ring_id=0, use_calc_stream=False):
    """Part i of the rows goes to member i; what came from member i is part i of the result."""
    return _exchanged(x, ring_id)


def _exchanged(x: torch.Tensor, ring_id: int) -> torch.Tensor:
    ring = ring_of(ring_id, x)
    if ring.size == 1:
        return x.view_as(x)
    _rows("alltoall", x.shape, ring.size)
    return torch.cat(ring.all_to_all(list(x.chunk(ring.size))))


@alltoall.grad()
def _(d_out, *, ring_id):
    return _exchanged(d_out, ring_id)


def _part(inputs: list, attrs: dict) -> list[Spec]:
    _place("partial_allgather", inputs[0].shape, attrs["rank"], attrs["nranks"])
    return [inputs[0]]


def _place(name: str, shape: Any, rank: int, nranks: int) -> int:
    """How many elements a member has of a tensor that all have together."""
    positive(name, nranks)
    numel = -1 if -1 in shape else torch.Size(shape).numel()
    if (numel >= 0 and numel % nranks) or not 0 <= rank < nranks:
        raise InvalidArgumentError(
            f"{name}: expected X of a number of elements that {nranks} processes can divide, and "
            f"rank to be one of them, but received shape {list(shape)} and rank {rank}."
        )
    return numel // nranks


@op("partial_allgather", "X -> Out", infer=_part, effects=True, differentiable=False)
def partial_allgather(x, *, ring_id=0, use_calc_stream=False, nranks=REQUIRED, rank=REQUIRED):
    """The whole of a tensor of which every member has one part in its place."""
    ring = ring_of(ring_id, x)
    count = _place("partial_allgather", x.shape, rank, nranks)
    members("partial_allgather", nranks, ring, x)
    if ring.size == 1:
        return x.view_as(x)
    mine = x.reshape(-1)[rank * count : (rank + 1) * count]
    return torch.cat(ring.all_gather(mine)).view(x.shape)


@op("barrier", "X -> Out", infer="same", effects=True, differentiable=False)
def barrier(x, *, ring_id=0):
    """Waits until all members have come here."""
    ring_of(ring_id, x).barrier()
    return x.view_as(x)


# -- waiting: kernels exchange at once, so there is nothing to wait for ----------------------------


@op("c_sync_calc_stream", "X -> Out", infer="same", effects=True, differentiable=False)
def c_sync_calc_stream(x):
    """X, once it is computed."""
    return x.view_as(x)


def _same_list(inputs: list, attrs: dict) -> list:
    return [list(inputs[0])]


def _wait_for(x, *, ring_id=0):
    return [part.view_as(part) for part in x]


for _name in WAITS[1:]:
    define(_name, "X* -> Out*", _wait_for, infer=_same_list, effects=True, differentiable=False)


@op("depend", "X Dep* -> Out", infer="same", lod="X", differentiable=False)
def depend(x, dep):
    """X, once Dep is there: it orders operators for engines that do not keep their order."""
    return x.view_as(x)


# -- left by passes --------------------------------------------------------------------------------


@op("all_reduce_list", "X* -> Out*", infer=_same_list, effects=True, differentiable=False,
    proto="left by a pass of a plan; a Program holds c_allreduce_sum")  # fmt: skip
def all_reduce_list(x, *, ring_id=0, reduction=0):
    """The sums (4: means) over the members of several tensors of one dtype, exchanged as one."""
    ring = rings.alone if any(p.is_meta for p in x) else rings.get(ring_id)
    if ring.size == 1:
        return [p.view_as(p) for p in x]
    flat = torch.cat([p.reshape(-1) for p in x])
    ring.all_reduce_async(flat, reduction).wait()
    parts = flat.split([p.numel() for p in x])
    return [part.view(p.shape) for part, p in zip(parts, x, strict=True)]


def _gathered_rows(inputs: list, attrs: dict) -> list:
    ids, values = inputs
    sizes = [(-1, 1) if column else (-1,) for column in attrs["columns"]]
    return [
        [Spec(size, i.dtype) for size, i in zip(sizes, ids, strict=True)],
        [Spec((-1, v.shape[-1]), v.dtype) for v in values],
    ]


@op(
    "gather_rows",
    "Ids* Values* -> AllIds* AllValues*",
    infer=_gathered_rows,
    effects=True,
    differentiable=False,
    proto="left by a pass of a plan; a Program holds c_allreduce_sum",
)
def gather_rows(ids, values, *, ring_id=0, columns=()):
    """Row numbers and rows of all members, for several tables by three exchanges."""
    numbers = [i.reshape(-1) for i in ids]
    rows = [v.reshape(-1, v.shape[-1]) for v in values]
    ring = ring_of(ring_id, ids[0])
    if ring.size > 1:
        counts = torch.tensor([len(n) for n in numbers], device=ids[0].device)
        sizes = torch.stack(ring.all_gather(counts)).tolist()
        numbers = _joined_parts(ring, numbers, sizes)
        rows = _joined_parts(ring, rows, sizes)
    shaped = [n.unsqueeze(1) if c else n for n, c in zip(numbers, columns, strict=True)]
    return shaped, rows


def _joined_parts(ring: Communicator, parts: list, sizes: list[list[int]]) -> list[torch.Tensor]:
    """For each tensor the rows of all members; ``sizes`` has the rows of each, by member."""
    widths = [p.shape[1:].numel() for p in parts]
    flat = torch.cat([p.reshape(-1) for p in parts])
    lengths = [[n * w for n, w in zip(counts, widths, strict=True)] for counts in sizes]
    longest = max(sum(one) for one in lengths)
    padded = flat.new_zeros(longest)
    padded[: flat.numel()] = flat
    all_padded = zip(ring.all_gather(padded), lengths, strict=True)
    got = [p[: sum(one)].split(one) for p, one in all_padded]
    return [
        torch.cat([member[i].view(-1, *part.shape[1:]) for member in got])
        for i, part in enumerate(parts)
    ]
