"""Writes paddle/ops/_index.tsv and _traits.tsv: what is known of operators without importing them.

By the first, family -> operators, the family of an operator is imported when that is first asked
for, and no other. The second lists the operators that declare some trait.
"""

from __future__ import annotations

import collections
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from paddle import ops  # noqa: E402
from paddle.core.op import REGISTRY, OpDef  # noqa: E402

TARGET = ROOT / "paddle" / "ops" / "_index.tsv"
TRAITS = ROOT / "paddle" / "ops" / "_traits.tsv"
LISTED = ("amp",)  # the traits of which somebody asks who has them


def _library() -> list[OpDef]:
    """All operators. The gradients that are derived from them belong to none of the families."""
    ops.load_all()
    inside = f"{ops.__name__}."
    return [op for op in REGISTRY.values() if op.base is None and op.module.startswith(inside)]


def text() -> str:
    """The contents of the index: a family and its operators a line."""
    families = collections.defaultdict(list)
    for op in _library():
        families[op.module.removeprefix(f"{ops.__name__}.")].append(op.name)
    return "".join(sorted(f"{at}\t{' '.join(sorted(names))}\n" for at, names in families.items()))


def traits_text() -> str:
    """The contents of the other file: a trait, its value and the operators a line."""
    found = collections.defaultdict(list)
    for op in _library():
        for trait in LISTED:
            value = getattr(op, trait)
            if value is not None:
                found[trait, value].append(op.name)
    return "".join(
        sorted(f"{t}\t{v}\t{' '.join(sorted(names))}\n" for (t, v), names in found.items())
    )


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf8")
    TRAITS.write_text(traits_text(), encoding="utf8")
