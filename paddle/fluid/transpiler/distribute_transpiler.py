"""DistributeTranspiler and its config, under the path that 1.8.5 has them."""

from paddle.distributed.transpiler.config import DistributeTranspilerConfig
from paddle.distributed.transpiler.distribute_transpiler import (
    DistributeTranspiler,
    slice_variable,
)

__all__ = ["DistributeTranspiler", "DistributeTranspilerConfig", "slice_variable"]
