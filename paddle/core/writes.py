"""Writes to buffers: copies of what is shared, and the marks by which backward notices them.

Kernels may return views, so a buffer whose memory is shared is copied before it is written to, and
no write through one Tensor shows in another. A write leaves the number of its moment on the
buffer; recorded calls are numbered on the same scale. There are two kinds of them. After a *write*
(``x[0] = 1``) backward of an earlier call that saved the buffer is an error. After an *update*
(``set_value``, a step of an optimizer) it computes with the new values, as in PaddlePaddle, unless
``FLAGS_check_overwritten`` is set.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from paddle.core.tensor import Tensor

sequence = count().__next__  # numbers recorded calls and writes on one scale


class Writes:
    """Numbers of the latest ones anywhere: backward looks closer only where one came later."""

    last = -1  # of both kinds
    update = -1
    warned = False  # that backward computes with updated values: told once


writes = Writes()
_use_count = torch._C._storage_Use_Count  # type: ignore[attr-defined]


def writable(tensor: Tensor) -> torch.Tensor:
    """Returns the Tensor's buffer after making sure that a write shows nowhere else.

    Other views of the memory (made by reshape, slices, ... or held for backward) keep the old
    contents. Tensors related by :meth:`Tensor.detach` stay related.
    """
    buf = unshared(tensor)
    stamp(buf)
    return buf


def stamp(buf: torch.Tensor) -> None:
    """Notes that a buffer is written to now, for backward to find out."""
    buf._written = writes.last = sequence()  # type: ignore[attr-defined]


def updatable(tensor: Tensor) -> Any:
    """The counterpart of :func:`writable` for an update: backward goes on with the new values."""
    before = tensor._buf
    buf: Any = unshared(tensor)
    buf._updated = writes.last = writes.update = sequence()
    if buf is not before:
        before._replaced = buf._updated, buf  # type: ignore[attr-defined]
    return buf


def unshared(tensor: Tensor) -> torch.Tensor:
    """Returns the Tensor's buffer, copied first if its memory is shared; see :func:`writable`."""
    buf = tensor._buf
    # One use is the buffer itself, one the storage object made to ask.
    if _use_count(buf.untyped_storage()._cdata) <= 2 and buf.is_contiguous():
        return buf
    if getattr(buf, "_shared_outside", False):
        return buf
    replacement = buf.clone(memory_format=torch.contiguous_format)
    replace_buffer(tensor, replacement)
    return replacement


def replace_buffer(tensor: Tensor, replacement: torch.Tensor) -> None:
    """Gives a Tensor new contents, and so those detached from it that still share."""
    before = tensor._buf
    tensor._rebind(replacement)
    if (
        tensor._family is None
        or replacement.shape != before.shape
        or replacement.dtype is not before.dtype
    ):
        return
    for ref in tensor._family:
        other = ref()
        if other is not None and other._buf is before:
            other._buf = replacement


def share_outside(tensor: Tensor) -> None:
    """Marks memory handed to another library: writes must stay visible there."""
    writable(tensor)._shared_outside = True  # type: ignore[attr-defined]


def last_write(buf: Any) -> int:
    """The number of the latest write to a buffer, of either kind; -1 if there was none."""
    return max(getattr(buf, "_written", -1), getattr(buf, "_updated", -1))


def written_since(buf: Any, moment: int) -> bool:
    """Says whether a write, no update, came after a moment."""
    return getattr(buf, "_written", -1) > moment


def updated_since(buf: Any, moment: int) -> bool:
    """Says whether an update overwrote the buffer after a moment."""
    return getattr(buf, "_updated", -1) > moment


def newest(buf: Any, moment: int) -> Any:
    """The buffer that holds what its owner was updated to after a moment; else ``buf`` itself.

    An update of shared memory gives the owner another buffer. In PaddlePaddle, where views are
    copies or see the update too, the owner has one memory all the time.
    """
    since, replacement = getattr(buf, "_replaced", (-1, None))
    while since > moment:
        buf = replacement
        since, replacement = getattr(buf, "_replaced", (-1, None))
    return buf
