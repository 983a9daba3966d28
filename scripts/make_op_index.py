"""Writes paddle/ops/_index.tsv: which family of the operator library defines which operators.

With it an operator's family is imported when the operator is first asked for, and no other.
"""

from __future__ import annotations

import collections
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from paddle import ops  # noqa: E402
from paddle.core.op import REGISTRY  # noqa: E402

TARGET = ROOT / "paddle" / "ops" / "_index.tsv"


def collect() -> dict[str, list[str]]:
    """Family -> its operators. The gradients that are derived from them belong to none."""
    families = collections.defaultdict(list)
    ops.load_all()
    for name, op in REGISTRY.items():
        if op.base is None and op.module.startswith(f"{ops.__name__}."):
            families[op.module.removeprefix(f"{ops.__name__}.")].append(name)
    return families


def text() -> str:
    """The file's contents: a family and its operators a line."""
    lines = [f"{family}\t{' '.join(sorted(names))}\n" for family, names in collect().items()]
    return "".join(sorted(lines))


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf8")
