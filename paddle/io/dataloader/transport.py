"""Moves tasks to a worker process and batches back; large ones in memory both can see.

A block of memory goes round: with a batch from the worker to the trainer, and, once nothing
stands on it any more, back to the worker. A worker that has no block, or too small a
one, makes another. So nobody ever waits for memory, and soon no new memory is needed.
"""

from __future__ import annotations

import os
import pickle
from multiprocessing.connection import Connection
from typing import Any

from paddle.io.dataloader.shared_block import AVAILABLE, Arena, SharedBlock, aligned

# Below this size, one more copy is cheaper than memory that both see.
_SMALL = 1 << 16
# An array below this size is a part of the message: it must not keep a whole block busy.
_APART = 1 << 14
# Of batches that a user keeps, the blocks of so many are watched in case they become free.
_WATCHED = 8


class WorkerEnd:
    """A worker's end of its pipe.

    Args:
        conn (Connection): one end of a duplex pipe.
        share (bool): whether large arrays go through shared memory.
    """

    def __init__(self, conn: Connection, share: bool) -> None:
        self._conn = conn
        self._share = share and AVAILABLE
        self._blocks: dict[int, SharedBlock] = {}
        self._idle: list[int] = []
        self._outgrown: list[int] = []
        self._made = 0
        self._number = -1
        self._arena: Arena | None = None

    def empty(self, shape: Any, dtype: Any) -> Any:
        """Returns an array in the memory that the next batch goes through, or None."""
        arena = self._open_arena()
        return None if arena is None else arena.empty(shape, dtype)

    def returned(self, back: list[int], forget: list[int]) -> None:
        """Takes blocks back; another thread may make a batch meanwhile.

        Args:
            back (list): blocks that the trainer does not need any more.
            forget (list): blocks that will not come back.
        """
        for old in forget:
            self._blocks.pop(old, None)
        self._idle.extend(back)

    def _open_arena(self) -> Arena | None:
        """Returns the place of the next message in an idle block, if there is one."""
        while self._arena is None and self._idle:
            self._number = self._idle.pop()
            if self._blocks[self._number].busy:
                # The user's code kept a batch that it had made: that one stays as it is.
                self._drop(self._number)
            else:
                self._arena = Arena(self._blocks[self._number])
        return self._arena

    def _drop(self, number: int) -> None:
        del self._blocks[number]
        self._outgrown.append(number)

    def send(self, message: Any, share: bool = True) -> None:
        """Sends a message; large arrays in it travel beside the pickle.

        Args:
            message (Any): anything that can be pickled.
            share (bool): False where it may not go through shared memory.
        """
        if not (share and self._share):
            self._conn.send_bytes(pickle.dumps((pickle.dumps(message, protocol=5), None), 5))
            return
        apart: list[memoryview] = []

        def in_message(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < _APART:
                return True
            apart.append(raw)
            return False

        head = pickle.dumps(message, protocol=5, buffer_callback=in_message)
        if sum(raw.nbytes for raw in apart) < _SMALL:
            self._conn.send_bytes(pickle.dumps((head, [bytearray(raw) for raw in apart]), 5))
            return
        arena = self._open_arena()
        self._arena = None
        where = None if arena is None else _placed(arena, apart)
        if where is not None:
            self._conn.send_bytes(pickle.dumps((head, (self._number, None, where, [])), 5))
            return
        if arena is not None:
            self._drop(self._number)
        self._send_in_new_block(head, apart)

    def done(self) -> None:
        """Says that the message is over: a block that it did not go in is idle again."""
        if self._arena is not None:
            self._arena = None
            self._idle.append(self._number)

    def _send_in_new_block(self, head: bytes, apart: list[memoryview]) -> None:
        from multiprocessing import reduction

        needed = sum(aligned(raw.nbytes) for raw in apart)
        # Batches differ in size; what is not touched takes no memory.
        size = aligned(2 * needed)
        file = os.memfd_create("paddle-batch", os.MFD_CLOEXEC)
        try:
            where = _written(file, apart, size)
            number, self._made = self._made, self._made + 1
            outgrown, self._outgrown = self._outgrown, []
            self._blocks[number] = SharedBlock(file, size)
            self._conn.send_bytes(pickle.dumps((head, (number, size, where, outgrown)), 5))
            reduction.send_handle(self._conn, file, os.getppid())
        finally:
            os.close(file)


def _placed(arena: Arena, apart: list[memoryview]) -> list[tuple[int, int]] | None:
    """Copies what does not lie in the arena's block to it; None where there is no room."""
    where = []
    for raw in apart:
        start = arena.offset(raw)
        if start is None:
            start = arena.used
            piece = arena.piece(raw.nbytes)
            if piece is None:
                return None
            piece[:] = raw
        where.append((start, raw.nbytes))
    return where


def _written(file: int, apart: list[memoryview], size: int) -> list[tuple[int, int]]:
    """Writes to a new file: dearer to touch through its mapping for the first time."""
    os.ftruncate(file, size)
    where, start = [], 0
    for raw in apart:
        done = 0
        while done < raw.nbytes:
            done += os.pwrite(file, raw[done:], start + done)
        where.append((start, raw.nbytes))
        start += aligned(raw.nbytes)
    return where


class TrainerEnd:
    """The trainer's end of the pipe to one worker.

    Args:
        conn (Connection): one end of a duplex pipe.
    """

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.due = 0
        """How many tasks were not answered yet."""
        self._blocks: dict[int, SharedBlock] = {}
        self._with_worker: set[int] = set()

    def ask(self, task: Any) -> None:
        """Sends a task, which will be answered."""
        self.due += 1
        self._send((task, *self._over()))

    def give_back(self) -> None:
        """Returns the blocks on which nothing stands any more."""
        back, forget = self._over()
        if back or forget:
            self._send((back, forget))

    def _over(self) -> tuple[list[int], list[int]]:
        """Takes out the blocks that the worker gets back, and those that it may forget."""
        back: list[int] = []
        forget: list[int] = []
        lent = [n for n in self._blocks if n not in self._with_worker]
        for position, number in enumerate(lent):
            block = self._blocks[number]
            needed = len(self._with_worker) < self.due
            if block.seen_by_forks or (
                len(lent) - position > _WATCHED if block.busy else not needed
            ):
                # Its memory is free once nobody stands on it.
                del self._blocks[number]
                forget.append(number)
            elif not block.busy:
                self._with_worker.add(number)
                back.append(number)
        return back, forget

    def tell(self, message: Any) -> None:
        """Sends a message that is not answered."""
        self._send((message, [], []))

    def _send(self, message: Any) -> None:
        try:
            self.conn.send(message)
        except (BrokenPipeError, ConnectionResetError):
            pass  # found out, and explained, when its reply is due

    def receive(self) -> Any:
        """Returns the next reply; its arrays are writable and belong to the caller alone.

        Raises:
            EOFError: the worker is gone.
        """
        head, rest = pickle.loads(self.conn.recv_bytes())
        self.due -= 1
        if not isinstance(rest, tuple):
            return pickle.loads(head, buffers=rest)
        number, size, where, outgrown = rest
        for old in outgrown:
            self._with_worker.discard(old)
            self._blocks.pop(old, None)
        if size is not None:
            self._map(number, size)
        self._with_worker.discard(number)
        memory = self._blocks[number].lend()
        return pickle.loads(head, buffers=[memory[at : at + count] for at, count in where])

    def _map(self, number: int, size: int) -> None:
        from multiprocessing import reduction

        file = reduction.recv_handle(self.conn)
        try:
            self._blocks[number] = SharedBlock(file, size)
        finally:
            os.close(file)

    def close(self) -> None:
        """Closes the pipe, which ends the worker."""
        self.conn.close()
        self._blocks.clear()
