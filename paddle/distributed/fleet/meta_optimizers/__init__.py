"""The meta-optimizers, each a file; TABLE has them in the order in which they wrap one another."""

from __future__ import annotations

from paddle.distributed.fleet.meta_optimizers.adaptive_localsgd import AdaptiveLocalSGDOptimizer
from paddle.distributed.fleet.meta_optimizers.amp import AMPOptimizer
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.dgc import DGCOptimizer
from paddle.distributed.fleet.meta_optimizers.fp16_allreduce import FP16AllReduceOptimizer
from paddle.distributed.fleet.meta_optimizers.gradient_merge import GradientMergeOptimizer
from paddle.distributed.fleet.meta_optimizers.graph_execution import GraphExecutionOptimizer
from paddle.distributed.fleet.meta_optimizers.lamb import LambOptimizer
from paddle.distributed.fleet.meta_optimizers.lars import LarsOptimizer
from paddle.distributed.fleet.meta_optimizers.localsgd import LocalSGDOptimizer
from paddle.distributed.fleet.meta_optimizers.parameter_server import (
    ParameterServerGraphOptimizer,
    ParameterServerOptimizer,
)
from paddle.distributed.fleet.meta_optimizers.pipeline import PipelineOptimizer
from paddle.distributed.fleet.meta_optimizers.recompute import RecomputeOptimizer
from paddle.distributed.fleet.meta_optimizers.sharding import ShardingOptimizer
from paddle.distributed.fleet.meta_optimizers.sync_batch_norm import SyncBatchNormOptimizer

__all__ = [
    "TABLE",
    "AMPOptimizer",
    "AdaptiveLocalSGDOptimizer",
    "Context",
    "DGCOptimizer",
    "FP16AllReduceOptimizer",
    "GradientMergeOptimizer",
    "GraphExecutionOptimizer",
    "LambOptimizer",
    "LarsOptimizer",
    "LocalSGDOptimizer",
    "MetaOptimizer",
    "ParameterServerGraphOptimizer",
    "ParameterServerOptimizer",
    "PipelineOptimizer",
    "RecomputeOptimizer",
    "ShardingOptimizer",
    "SyncBatchNormOptimizer",
]

# From the outermost to the innermost: whoever may wrap another one stands before it.
TABLE: tuple[type[MetaOptimizer], ...] = (
    PipelineOptimizer,
    ShardingOptimizer,
    FP16AllReduceOptimizer,
    GradientMergeOptimizer,
    LocalSGDOptimizer,
    AdaptiveLocalSGDOptimizer,
    AMPOptimizer,
    RecomputeOptimizer,
    DGCOptimizer,
    LarsOptimizer,
    LambOptimizer,
    SyncBatchNormOptimizer,
    GraphExecutionOptimizer,
)
