"""The rows the benchmarks give and how they are printed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass

UNITS = {"us": 1e6, "ms": 1e3, "s": 1.0, "MB": 1.0, "": 1.0}


@dataclass
class Row:
    """One line of the table.

    Attributes:
        group: file of benchmarks it comes from.
        name: the workload.
        threads: how many threads computed.
        clock: ``cpu``, ``wall``, or what else was measured.
        unit: of ``ours`` and ``torch``.
        ours: median of pypaddle, in ``unit``.
        torch: median of torch, in ``unit``; None where there is no counterpart.
        value: what is compared with the target.
        kind: ``ratio`` (ours/torch), ``more`` (ours - torch, in ``unit``) or ``value`` (ours).
        target: the most that ``value`` may be; None: for information.
        note: a remark.
    """

    group: str
    name: str
    threads: int
    clock: str
    unit: str
    ours: float
    torch: float | None
    value: float
    kind: str = "ratio"
    target: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """``ok`` or ``MISSED``, or nothing where there is no target."""
        if self.target is None:
            return ""
        return "ok" if self.value <= self.target else "MISSED"

    def cells(self) -> list[str]:
        return [
            self.group,
            self.name,
            str(self.threads),
            self.clock,
            f"{number(self.ours)} {self.unit}",
            "-" if self.torch is None else f"{number(self.torch)} {self.unit}",
            self._with_unit(self.value),
            "" if self.target is None else self._with_unit(self.target),
            self.verdict,
            self.note,
        ]

    def _with_unit(self, value: float) -> str:
        if self.kind == "ratio":
            return f"{value:.2f}"
        sign = "+" if self.kind == "more" else ""
        return f"{value:{sign}.2f} {self.unit}"

    def record(self) -> dict:
        """What goes into the JSON file."""
        return {**asdict(self), "verdict": self.verdict}


def number(value: float) -> str:
    """Three significant digits."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


HEAD = ["group", "workload", "thr", "clock", "ours", "torch", "result", "target", "", "note"]


def markdown(rows: Iterable[Row]) -> str:
    """The table in Markdown, which reads well in a terminal too."""
    lines = [HEAD, *[row.cells() for row in rows]]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(HEAD))]
    out = []
    for line in lines:
        padded = (cell + " " * (w - _width(cell)) for cell, w in zip(line, widths, strict=True))
        out.append("| " + " | ".join(padded) + " |")
    out.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(out)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
