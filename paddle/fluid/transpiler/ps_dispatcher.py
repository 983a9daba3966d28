"""Which parameter server gets which variable, under the path that 1.8.5 has it."""

from paddle.distributed.transpiler.ps_dispatcher import HashName, RoundRobin

__all__ = ["HashName", "RoundRobin"]
