"""Fleet of 1.x: files in HDFS: importable, and refused on use."""

from paddle.fluid.refused import files

__all__ = ["HDFSClient"]

HDFSClient = files("paddle.fluid.incubate.fleet.utils.hdfs.HDFSClient")
