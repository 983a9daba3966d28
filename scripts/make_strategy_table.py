"""Writes what the switches of all strategies do into docs/static.md.

python scripts/make_strategy_table.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "static.md"
BEGIN = "<!-- strategies: made by scripts/make_strategy_table.py -->"
END = "<!-- end of strategies -->"


def with_table(text: str) -> str:
    """Returns the document with the tables of the package between the two marks."""
    sys.path.insert(0, str(ROOT))
    from paddle.distributed.fleet.base import strategy_effects
    from paddle.static.strategy import effects_table

    head, _, rest = text.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise SystemExit(f"{DOCUMENT}: the marks {BEGIN!r} and {END!r} are missing")
    tables = f"{effects_table()}\n\n{strategy_effects.effects_table()}"
    return f"{head}{BEGIN}\n\n{tables}\n\n{END}{tail}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf8")), "utf8")
