"""LoD at run time: which rows of a buffer belong to one image or sequence.

Programs of 1.x say which variables have a LoD; most operators hand that of an input on. The
few operators that look at them (region pooling, suppression, alignment) find them as ``_lod``.
"""

from __future__ import annotations

from typing import Any


def share_lod(out: Any, *sources: Any) -> None:
    """Gives a result the LoD of the first source that has one, unless it has its own.

    Args:
        out (torch.Tensor): the result; something else has no LoD.
        *sources (torch.Tensor): inputs of the operator.
    """
    if getattr(out, "_lod", None) or not hasattr(out, "shape"):
        return
    for source in sources:
        lod = getattr(source, "_lod", None)
        if lod and out.shape and lod[-1][-1] == out.shape[0]:
            out._lod = lod
            return
