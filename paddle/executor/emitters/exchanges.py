"""Emitters of exchanges between processes that go on while a plan computes, and of rings."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import torch

from paddle.core.dtype import torch_dtype
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.place import current_device
from paddle.core.rings import DONE, Communicator, Work, rings
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import EMPTY, Operator
from paddle.passes.overlap_exchanges import attribute, sending


class Begun:
    """An exchange that was begun.

    Args:
        work (Work): the exchange.
        results (list): buffers that hold the results when it is over.
        held (Tensor, optional): what has to live until then.
    """

    __slots__ = ("held", "results", "work")

    def __init__(self, work: Work, results: list[torch.Tensor], held: Any = None) -> None:
        self.work, self.results, self.held = work, results, held

    def finish(self) -> list[torch.Tensor]:
        """Waits until it is over and returns the results."""
        self.work.wait()
        self.held = None
        return self.results


def all_reduce(x: list[torch.Tensor], attrs: dict[str, Any]) -> Begun:
    """Begins to add up (multiply, ...) tensors of one dtype over a ring, as one flat buffer."""
    ring = rings.get(attrs["ring_id"])
    if ring.size == 1:
        return Begun(DONE, x)
    if len(x) == 1:
        flat = x[0].clone(memory_format=torch.contiguous_format)
        return Begun(ring.all_reduce_async(flat, attrs["op"]), [flat])
    flat = torch.cat([p.reshape(-1) for p in x])
    parts = flat.split([p.numel() for p in x])
    shaped = [part.view(p.shape) for part, p in zip(parts, x, strict=True)]
    return Begun(ring.all_reduce_async(flat, attrs["op"]), shaped)


def _member(name: str, number: int, ring: Communicator) -> int:
    if not 0 <= number < ring.size:
        raise InvalidArgumentError(
            f"{name}: expected a member of the ring, 0 to {ring.size - 1}, but received {number}."
        )
    return number


def reduce(x: list[torch.Tensor], attrs: dict[str, Any]) -> Begun:
    """Begins to add up (multiply, ...) a tensor for one member; the others keep theirs."""
    ring = rings.get(attrs["ring_id"])
    root = _member("c_reduce(root_id)", attrs["root"], ring)
    if ring.size == 1:
        return Begun(DONE, x)
    copied = x[0].clone(memory_format=torch.contiguous_format)
    work = ring.reduce_async(copied, root, attrs["op"])
    return Begun(work, [copied] if ring.rank == root else x, copied)


def broadcast(x: list[torch.Tensor], attrs: dict[str, Any]) -> Begun:
    """Begins to hand one member's tensor to all."""
    ring = rings.get(attrs["ring_id"])
    root = _member("c_broadcast(root)", attrs["root"], ring)
    if ring.size == 1:
        return Begun(DONE, x)
    if ring.rank == root:
        sent = x[0].contiguous()
        return Begun(ring.broadcast_async(sent, root), x, sent)
    got = torch.empty_like(x[0], memory_format=torch.contiguous_format)
    return Begun(ring.broadcast_async(got, root), [got])


_LARGEST_RANK = 9  # dimensions of a tensor whose shape is sent before it


def send(x: list[torch.Tensor], attrs: dict[str, Any]) -> Begun:
    """Begins to send a copy of a tensor to one member."""
    ring = rings.get(attrs["ring_id"])
    given = x[0]
    if attrs.get("count", 1) > 1:
        given = given.reshape(-1).chunk(attrs["count"])[attrs["part"]]
    if attrs.get("dynamic"):
        shape = torch.zeros(_LARGEST_RANK + 1, dtype=torch.int64, device=given.device)
        shape[: given.dim() + 1] = torch.tensor([given.dim(), *given.shape])
        ring.send_async(shape, attrs["peer"]).wait()
    copied = given.clone(memory_format=torch.contiguous_format)
    return Begun(ring.send_async(copied, attrs["peer"]), [], copied)


def receive(attrs: dict[str, Any]) -> torch.Tensor:
    """Receives a tensor that one member sends."""
    ring = rings.get(attrs["ring_id"])
    shape = list(attrs["out_shape"])
    device = current_device()
    if attrs["dynamic"]:
        told = ring.recv(
            torch.zeros(_LARGEST_RANK + 1, dtype=torch.int64, device=device), attrs["peer"]
        ).tolist()
        shape = told[1 : told[0] + 1]
    if any(n < 0 for n in shape):
        raise InvalidArgumentError(
            f"recv_v2(out_shape): expected sizes that are known, but received {shape}.",
            hint="set dynamic_shape on both sides, or build the Program with a fixed batch",
        )
    like = torch.zeros(shape, dtype=torch_dtype(attrs["dtype"]), device=device)
    if attrs["count"] > 1:
        chunk = like.view(-1).chunk(attrs["count"])[attrs["part"]]
        chunk.copy_(ring.recv(chunk, attrs["peer"]))
        return like
    return ring.recv(like, attrs["peer"])


_KINDS: dict[str, Callable[..., Begun]] = {
    "all_reduce": all_reduce, "reduce": reduce, "broadcast": broadcast, "send": send,
}  # fmt: skip


@emitter("exchange_begin")
def _begin(em: Emitter, op: Operator) -> None:
    work = em.temporary("exchange")
    em.works[op.outputs["Work"][0]] = work
    function = em.constant(_KINDS[op.attr("kind")], op.attr("kind"))
    attrs = em.constant(op.attr("told"), "told")
    names, ends = op.inputs["X"], op.attr("ends")
    # In a ring of one the results are what was given: a parameter may be updated before they end.
    given = [em.read(n) if n in ends else em.alias(n) for n in names]
    em.line(f"{work} = {function}([{', '.join(given)}], {attrs})")
    for name in ends:
        if name in names and not em.variable(name).persistable:
            em.line(f"{em.python_name(name)} = None")  # until the end gives it its new value


@emitter("exchange_end")
def _end(em: Emitter, op: Operator) -> None:
    work = em.works[op.inputs["Work"][0]]
    names = op.outputs.get("Out") or []
    targets = f"[{', '.join(em.write(n) for n in names)}] = " if names else ""
    em.line(f"{targets}{work}.finish()")
    em.line(f"{work} = None")


# -- without the pass that begins and ends exchanges -----------------------------------------------


def _send(em: Emitter, op: Operator) -> None:
    told = em.constant(sending(op), "told")
    em.line(f"{em.constant(send, 'send')}([{em.read(op.inputs['X'][0])}], {told}).finish()")


def _receive(em: Emitter, op: Operator) -> None:
    told = {**sending(op), "dtype": attribute(op, "dtype"), "out_shape": attribute(op, "out_shape")}
    target = em.write(op.outputs["Out"][0])
    em.line(f"{target} = {em.constant(receive, 'receive')}({em.constant(told, 'told')})")


for _name in ("send_v2", "partial_send"):
    emitter(_name)(_send)
for _name in ("recv_v2", "partial_recv"):
    emitter(_name)(_receive)


@emitter("broadcast")
def _broadcast(em: Emitter, op: Operator) -> None:
    source = (op.inputs.get("X") or op.inputs["x"])[0]
    target = (op.outputs.get("Out") or op.outputs["out"])[0]
    told = em.constant(
        {"ring_id": op.attrs.get("ring_id", 0), "root": attribute(op, "root")}, "told"
    )
    given = em.read(source) if source == target else em.alias(source)
    call = f"{em.constant(broadcast, 'broadcast')}([{given}], {told}).finish()[0]"
    em.line(f"{em.write(target)} = {call}")


@emitter("nop")
def _nop(em: Emitter, op: Operator) -> None:
    """Orders operators of other engines."""


# -- rings -----------------------------------------------------------------------------------------


def meeting(endpoint: str, others: list[str], rank: int) -> torch.Tensor:
    """What stands for NCCL's id: the addresses of the members, in their order, as bytes.

    An operator names its own address and the others'; which place is its own follows from rank.
    """
    listed = list(others)
    listed.insert(min(max(rank, 0), len(listed)), endpoint)
    return torch.frombuffer(bytearray(json.dumps(listed).encode()), dtype=torch.uint8)


def _generate(em: Emitter, op: Operator) -> None:
    made = meeting(
        attribute(op, "endpoint"), list(attribute(op, "other_endpoints")), attribute(op, "rank")
    )
    em.line(f"{em.write(op.outputs['Out'][0])} = {em.constant(made, 'meeting')}")


for _name in ("c_gen_nccl_id", "c_gen_xccl_id"):
    emitter(_name)(_generate)


def connect(told: torch.Tensor | None, number: int, rank: int, count: int, given: str) -> None:
    """Connects the members of a ring."""
    listed = [e for e in given.split(",") if e]
    if told is not None and told.dtype is torch.uint8:
        listed = json.loads(told.numpy().tobytes())
    if count <= 1:
        return
    if listed and len(listed) != count:
        raise InvalidArgumentError(
            f"c_comm_init(nranks): expected {len(listed)}, as many as there are endpoints, but "
            f"received {count}."
        )
    rings.connect(number, listed, rank)


@emitter("c_comm_init")
def _init(em: Emitter, op: Operator) -> None:
    names = op.inputs.get("X") or []
    told = em.read(names[0]) if names and names[0] != EMPTY else "None"
    numbers = f"{attribute(op, 'ring_id')}, {attribute(op, 'rank')}, {attribute(op, 'nranks')}"
    given = op.attrs.get("endpoints") or ""
    em.line(f"{em.constant(connect, 'connect')}({told}, {numbers}, {given!r})")


@emitter("gen_nccl_id")
def _generate_all(em: Emitter, op: Operator) -> None:
    """1.8's form for several trainers: the ring of all of them, at once."""
    trainers, rank = list(attribute(op, "trainers")), int(attribute(op, "trainer_id"))
    made = torch.frombuffer(bytearray(json.dumps(trainers).encode()), dtype=torch.uint8)
    em.line(f"{em.write(op.outputs['NCCLID'][0])} = {em.constant(made, 'meeting')}")
    if len(trainers) > 1:
        em.line(f"{em.constant(connect, 'connect')}(None, 0, {rank}, {len(trainers)}, "
                f"{','.join(trainers)!r})")  # fmt: skip


@emitter("c_comm_init_all")
def _init_all(em: Emitter, op: Operator) -> None:
    devices = list(attribute(op, "devices") or ())
    if len(devices) > 1:
        raise UnimplementedError(
            f"c_comm_init_all(devices): one process works on one device, but received {devices}.",
            hint="start a process for each device by python -m paddle.distributed.launch",
        )


@emitter("c_comm_init_multitrainer")
def _init_trainers(em: Emitter, op: Operator) -> None:
    names = op.inputs.get("X") or []
    told = em.read(names[0]) if names and names[0] != EMPTY else "None"
    numbers = (
        f"{attribute(op, 'ring_id')}, {attribute(op, 'trainer_id')}, {attribute(op, 'ntrainers')}"
    )
    em.line(f"{em.constant(connect, 'connect')}({told}, {numbers}, '')")
