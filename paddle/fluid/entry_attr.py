"""When a parameter server of 2.0 adds a row to a table; see ``paddle.distributed``."""

from paddle.distributed.entry_attr import CountFilterEntry, ProbabilityEntry

__all__ = ["CountFilterEntry", "ProbabilityEntry"]
