"""Moves batches from a worker process to the trainer; large ones in memory both can see."""

from __future__ import annotations

import os
import pickle
from multiprocessing.connection import Connection
from typing import Any

import torch

# Below this size, one more copy is cheaper than a memory file.
_SMALL = 1 << 16
_ALIGN = 64


def send(conn: Connection, message: Any, share: bool) -> None:
    """Sends a message; arrays in it travel beside the pickle.

    Args:
        conn (Connection): one end of a duplex pipe.
        message (Any): anything that can be pickled.
        share (bool): whether large arrays go through a memory file. It has no name: whatever
            happens to either process, nothing of it is left behind.
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    blocks = [buffer.raw() for buffer in buffers]
    sizes = [block.nbytes for block in blocks]
    if not share or sum(sizes) < _SMALL or not hasattr(os, "memfd_create"):
        conn.send_bytes(pickle.dumps((head, [bytearray(b) for b in blocks], None), protocol=5))
        return
    from multiprocessing import reduction

    fd = os.memfd_create("paddle-batch", os.MFD_CLOEXEC)
    try:
        _write(fd, blocks)
        conn.send_bytes(pickle.dumps((head, None, sizes), protocol=5))
        reduction.send_handle(conn, fd, os.getppid())
    finally:
        os.close(fd)


def receive(conn: Connection) -> Any:
    """Returns the next message; its arrays are writable and belong to the caller alone.

    Raises:
        EOFError: the other side is gone.
    """
    head, blocks, sizes = pickle.loads(conn.recv_bytes())
    if sizes is not None:
        from multiprocessing import reduction

        fd = reduction.recv_handle(conn)
        try:
            blocks = _read(fd, sizes)
        finally:
            os.close(fd)
    return pickle.loads(head, buffers=blocks)


def _offsets(sizes: list[int]) -> list[int]:
    """Where each block starts, and as the last number where all end."""
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + -(-size // _ALIGN) * _ALIGN)
    return starts


def _write(fd: int, blocks: list[memoryview]) -> None:
    starts = _offsets([block.nbytes for block in blocks])
    os.ftruncate(fd, starts[-1])
    for block, start in zip(blocks, starts, strict=False):
        done = 0
        while done < block.nbytes:
            done += os.pwrite(fd, block[done:], start + done)


def _read(fd: int, sizes: list[int]) -> list[memoryview]:
    starts = _offsets(sizes)
    # torch maps the file without keeping a descriptor, which mmap.mmap would: a list of a
    # thousand batches must not use up the process's files.
    whole: Any = torch.from_file(f"/proc/self/fd/{fd}", True, starts[-1], dtype=torch.uint8).numpy()
    view = memoryview(whole)
    return [view[start : start + size] for start, size in zip(starts, sizes, strict=False)]
