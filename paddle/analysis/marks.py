"""Marks: attributes by which analyses and passes tell the executor what they found."""

from __future__ import annotations

HOISTED = "_hoisted"  # the results are the same in every run: computed when the plan is bound
DROPS = "_drops"  # variables that nothing after the operator needs
