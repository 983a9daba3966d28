"""Helpers of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["FileSystem", "MPIHelper"]

FileSystem = servers("paddle.fluid.distributed.helper.FileSystem")
MPIHelper = servers("paddle.fluid.distributed.helper.MPIHelper")
