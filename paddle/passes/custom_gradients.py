"""Takes away what only gradients are made of, which have been added by now."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.ir.autodiff.custom_operators import remove_custom_gradients
from paddle.ir.program import Program


def drop_custom_gradients(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Leaves the values of a PyLayer's results, as ``assign``, and no hooks.

    Matches ``custom_gradient`` and ``gradient_hook`` in every block.
    """
    remove_custom_gradients(program)
