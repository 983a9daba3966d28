"""Prefetching: the next batch is copied to the device while the current one is worked on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from paddle.core.backends import backend_on
from paddle.core.tensor import Tensor, wrap
from paddle.io.dataloader.convert import map_leaves, to_device


def delivered(batches: Iterator[Any], device: torch.device, prefetch: bool) -> Iterator[Any]:
    """Batches on the device that a loader serves.

    Args:
        batches (Iterator): batches in main memory.
        device (torch.device): where they go to.
        prefetch (bool): whether a batch may be read and copied before it is asked for.
    """
    backend = backend_on(device)
    if backend.host:
        return batches
    if prefetch and backend.streams:
        return prefetched(batches, device)
    return (to_device(batch, device) for batch in batches)


def prefetched(batches: Iterator[Any], device: torch.device) -> Iterator[Any]:
    """Yields ``batches`` on ``device``, always one copy ahead of the user.

    Reading a batch on the CPU runs beside the device's work on the one before, because that work
    is only queued by the user's loop; the copy runs on a stream of its own. No thread is needed, so
    random numbers are drawn in the same order in every run.

    Args:
        batches (iterator): batches on the CPU. An error it raises comes after the batches that
            were read before.
        device (torch.device): one that has streams.
    """
    backend = backend_on(device)
    copies = backend.stream(device)
    held: list[tuple[Any, Any]] = []
    trouble: Exception | None = None
    try:
        for batch in batches:
            with backend.on_stream(copies):
                moved = to_device(batch, device)
                held.append((moved, copies.record_event()))
            if len(held) == 2:
                yield _arrived(*held.pop(0), device)
    except GeneratorExit:
        raise
    except Exception as error:
        trouble = error
    while held:
        yield _arrived(*held.pop(0), device)
    if trouble is not None:
        raise trouble


def _arrived(batch: Any, copied: Any, device: torch.device) -> Any:
    """Lets the user's stream wait for the copy and own its memory."""
    backend = backend_on(device)
    stream = backend.current_stream(device)
    stream.wait_event(copied)

    def own(field: Any) -> Any:
        if not isinstance(field, Tensor):
            return field
        backend.record_use(field._buf, stream)
        return wrap(field._buf, field.stop_gradient)

    return map_leaves(batch, own)
