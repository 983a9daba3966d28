"""`LogWriter` under the place that VisualDL 2 has it, for scripts that name it so."""

from visualdl.writer import LogWriter

__all__ = ["LogWriter"]
