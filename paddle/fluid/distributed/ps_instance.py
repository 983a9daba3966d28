"""Processes of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["PaddlePSInstance"]

PaddlePSInstance = servers("paddle.fluid.distributed.ps_instance.PaddlePSInstance")
