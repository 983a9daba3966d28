"""The optimizer of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import pslib

__all__ = ["DownpourSGD"]

DownpourSGD = pslib("paddle.fluid.distributed.downpour.DownpourSGD")
