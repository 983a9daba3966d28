"""How far results may lie apart that differ by rounding alone."""

from __future__ import annotations

from typing import Any

import numpy as np


def close(found: Any, wanted: Any, *, terms: int, least: float = 0.0, name: str = "") -> None:
    """Fails unless two results of the same formula agree as far as rounding lets them.

    Which numbers a sum adds up first depends on the processor and the library. A sum of n numbers
    is off by at most n roundings of numbers as large as those that it adds, and what cancels out
    leaves a small sum of large numbers. So every element may be off by ``terms`` units in the last
    place of the largest element, however small it is itself.

    Args:
        found (array): what was computed.
        wanted (array): the frozen answer; one of integers has to be met exactly.
        terms (int): how many additions lie behind an element, one after the other.
        least (float): how large the numbers are at least that are added, where the results are all
            smaller: gradients that cancel out.
        name (str): what is compared, for the message.
    """
    found, wanted = np.asarray(found), np.asarray(wanted)
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, wanted, err_msg=name)
        return
    unit = max(np.finfo(a.dtype).eps for a in (found, wanted) if a.dtype.kind in "fc")
    sizes = np.abs(wanted[np.isfinite(wanted)])
    off = terms * unit * max(float(sizes.max(initial=0.0)), least)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=off, err_msg=name)
