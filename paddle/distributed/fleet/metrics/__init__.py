"""fleet.metrics: what was counted on every worker, as one number for all of them."""

from paddle.distributed.fleet.metrics.metric import acc, auc, mae, max, min, mse, rmse, sum

__all__ = ["acc", "auc", "mae", "max", "min", "mse", "rmse", "sum"]
