"""The optimizer of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["DownpourSGD"]

DownpourSGD = servers("paddle.fluid.distributed.downpour.DownpourSGD")
