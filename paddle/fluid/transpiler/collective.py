"""Programs that train by collective operators, under the path that 1.8.5 has them."""

from paddle.distributed.transpiler.collective import GradAllReduce, LocalSGD

__all__ = ["GradAllReduce", "LocalSGD"]
