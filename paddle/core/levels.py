"""Where the levels of sequences (LoD) lie on a buffer: lists of offsets, the outermost first."""

from __future__ import annotations

from typing import Any

Levels = list[list[int]]

_NAME = "_lod"  # of the attribute; most buffers have none


def levels_on(buffer: Any) -> Levels | None:
    """Returns the levels of a buffer; None or nothing: its rows are not split into sequences.

    Args:
        buffer (torch.Tensor): or something else, which has none.
    """
    return getattr(buffer, _NAME, None)


def put_levels(buffer: Any, levels: Levels) -> None:
    """Says how the rows of a buffer are split into sequences.

    Args:
        buffer (torch.Tensor): the rows; only this object, no view of it, has the levels then.
        levels: offsets, each list beginning with 0.
    """
    setattr(buffer, _NAME, levels)
