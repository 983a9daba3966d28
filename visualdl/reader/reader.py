"""`LogReader` under the place that VisualDL 2 has it, for scripts that name it so."""

from visualdl.reader import LogReader

__all__ = ["LogReader"]
