"""Helpers of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import pslib

__all__ = ["FileSystem", "MPIHelper"]

FileSystem = pslib("paddle.fluid.distributed.helper.FileSystem")
MPIHelper = pslib("paddle.fluid.distributed.helper.MPIHelper")
