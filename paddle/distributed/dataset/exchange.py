"""Records go from trainer to trainer, as bytes of their columns; each arrives exactly once.

A message holds records in columns: a header of int64 numbers (how many records; bytes of their
names; for each column how many values each record has, or -1 where that differs, and how many
values there are), and behind it, for each column, the counts where they differ and the values; and
the names, with line ends between them.
"""

from __future__ import annotations

import time
import zlib
from typing import Any

import numpy as np
import torch

from paddle.core.errors import ExternalError, InvalidArgumentError, PreconditionNotMetError
from paddle.core.rings import Communicator, rings
from paddle.distributed.dataset.records import FLOAT, Block, Column, Slot, Table, join

AT_ONCE = 1 << 16
"""Records that a trainer sends in one round, where nobody says another number."""
_SUM, _MAX = 0, 1
_VARIOUS = -1


def trainers(fleet: Any, api: str) -> Communicator:
    """The group of trainers; without a fleet this process alone.

    Args:
        fleet (Fleet|None): knows the trainers; the module ``paddle.distributed.fleet`` will do.
        api (str): who asks, for errors.
    """
    if fleet is None:
        return rings.alone
    count = getattr(fleet, "worker_num", None)
    if not callable(count):
        raise TypeError(
            f"{api}(fleet): expected paddle.distributed.fleet or None, but received "
            f"{type(fleet).__name__}."
        )
    number = count()
    if number == 1:
        return rings.alone
    maker = getattr(getattr(fleet, "fleet", fleet), "_role_maker", None)
    worlds = getattr(maker, "_worlds", None)
    if worlds is not None:  # beside a parameter server the trainers have a group of their own
        return worlds.communicator("worker")
    found = rings.get(0)
    if found.size != number:
        raise PreconditionNotMetError(
            f"{api}(fleet): expected a group of {number} trainers, as fleet.worker_num() says, but "
            f"the group of all processes has {found.size}."
        )
    return found


def total(number: int, group: Communicator) -> int:
    """The sum of everybody's number.

    Args:
        number (int): of this process.
        group (Communicator): the processes.
    """
    return int(group.all_reduce(torch.tensor([number]), _SUM)[0])


def targets(table: Table, group: Communicator) -> np.ndarray:
    """To whom each record goes: in turn, so that all get as many, give or take one.

    Args:
        table (Table): records in random order.
        group (Communicator): the trainers.
    """
    sizes = group.numbers(table.size)
    first = sum(sizes[: group.rank])
    return (first + np.arange(table.size)) % group.size


def targets_by_name(table: Table, group: Communicator) -> np.ndarray:
    """To whom each record goes: those of one name to the same trainer.

    Args:
        table (Table): records with names.
        group (Communicator): the trainers.
    """
    return np.array([zlib.crc32(name.encode()) % group.size for name in table.ids], np.int64)


def exchanged(
    table: Table, target: np.ndarray, group: Communicator, at_once: int = AT_ONCE, pause: float = 0
) -> Table:
    """The records that all trainers have for this one.

    Args:
        table (Table): the records of this one.
        target (np.ndarray): to whom each goes.
        group (Communicator): the trainers; all call this.
        at_once (int): records that are sent in one round.
        pause (float): seconds between rounds.
    """
    _compare(table.slots, group)
    mine = -(-table.size // at_once)
    rounds = int(group.all_reduce(torch.tensor([mine]), _MAX)[0])
    got: list[Block] = []
    for number in range(rounds):
        if number and pause:
            time.sleep(pause)
        first = number * at_once
        part = target[first : first + at_once]
        messages = [
            packed(table.order(first + np.flatnonzero(part == to))) for to in range(group.size)
        ]
        got += [unpacked(m, table.slots) for m in _all_to_all(messages, group)]
    return Table(join(got or [_nothing(table.slots)], table.slots), table.slots)


def _compare(slots: list[Slot], group: Communicator) -> None:
    """Refuses trainers whose records have other slots, before any record is sent."""
    text = ", ".join(f"{slot.name} {slot.kind}" for slot in slots)
    mine = zlib.crc32(text.encode())
    marks = group.numbers(mine)
    if len(set(marks)) > 1:
        same = [rank for rank, mark in enumerate(marks) if mark == mine]
        raise InvalidArgumentError(
            "global_shuffle: expected the same slots on all trainers, but those of trainers "
            f"{same} are {text}, and others have others."
        )


def _all_to_all(messages: list[np.ndarray], group: Communicator) -> list[np.ndarray]:
    sizes = group.all_to_all([torch.tensor([len(m)]) for m in messages])
    like = [torch.empty(int(n), dtype=torch.uint8) for n in sizes]
    return [b.numpy() for b in group.all_to_all([torch.from_numpy(m) for m in messages], like)]


def packed(table: Table) -> np.ndarray:
    """Records as bytes.

    Args:
        table (Table): the records.
    """
    names = "\n".join(table.ids).encode()
    header, parts = [table.size, len(names)], []
    for column in table.columns:
        same = isinstance(column.counts, int)
        header += [column.counts if same else _VARIOUS, len(column.values)]
        parts += [] if same else [np.asarray(column.counts, np.int64)]
        parts.append(column.values)
    buffers = [np.array(header, np.int64), *parts, np.frombuffer(names, np.uint8)]
    return np.concatenate([np.ascontiguousarray(b).view(np.uint8) for b in buffers])


def unpacked(message: np.ndarray, slots: list[Slot]) -> Block:
    """Bytes as records; the lengths have to add up to the message.

    Args:
        message (np.ndarray): what :func:`packed` made.
        slots (list[Slot]): the used slots.
    """
    cut = _Cut(message)
    size, text, *columns = cut.next(np.int64, 2 + 2 * len(slots)).tolist()
    found = []
    for slot, same, values in zip(slots, columns[::2], columns[1::2], strict=True):
        counts = cut.next(np.int64, size) if same == _VARIOUS else same
        held = size * same if same != _VARIOUS else int(counts.sum())
        if held != values or np.min(counts, initial=1) < 1:
            raise _torn(f"slot {slot.name!r} has {values} values for counts of {held}")
        found.append(
            Column(cut.next(np.float32 if slot.kind == FLOAT else np.int64, values), counts)
        )
    names = cut.next(np.uint8, text).tobytes().decode()
    cut.end()
    ids = names.split("\n") if names else []
    if ids and len(ids) != size:
        raise _torn(f"{len(ids)} names for {size} records")
    return Block(size, found, ids=ids)


class _Cut:
    """Takes arrays off a message, one behind the other."""

    def __init__(self, message: np.ndarray) -> None:
        self._message, self._at = message, 0

    def next(self, dtype: Any, count: int) -> np.ndarray:
        size = count * np.dtype(dtype).itemsize
        if not 0 <= size <= len(self._message) - self._at:
            raise _torn(f"it ends after {len(self._message)} bytes")
        part = self._message[self._at : self._at + size]
        self._at += size
        return part.copy().view(dtype)

    def end(self) -> None:
        if self._at != len(self._message):
            raise _torn(f"{len(self._message) - self._at} bytes are left over")


def _torn(what: str) -> Exception:
    return ExternalError(f"global_shuffle: a message of another trainer is broken: {what}.")


def _nothing(slots: list[Slot]) -> Block:
    empty = [np.empty(0, np.float32 if slot.kind == FLOAT else np.int64) for slot in slots]
    return Block(0, [Column(values, np.empty(0, np.int64)) for values in empty])
