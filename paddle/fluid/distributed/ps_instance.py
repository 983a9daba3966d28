"""Processes of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import pslib

__all__ = ["PaddlePSInstance"]

PaddlePSInstance = pslib("paddle.fluid.distributed.ps_instance.PaddlePSInstance")
