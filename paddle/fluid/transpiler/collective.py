"""Programs that train by collective operators, under the path that 1.8.5 has them."""

from paddle.distributed.transpiler.collective import (
    GradAllReduce,
    LocalSGD,
    MultiThread,
    SingleProcessMultiThread,
)

__all__ = ["GradAllReduce", "LocalSGD", "MultiThread", "SingleProcessMultiThread"]
