"""Files in HDFS, as 1.x has them: importable, and refused on use."""

from paddle.fluid.refused import files

__all__ = ["HDFSClient", "multi_download", "multi_upload"]

HDFSClient = files("paddle.fluid.contrib.utils.hdfs_utils.HDFSClient")
multi_download = files("paddle.fluid.contrib.utils.hdfs_utils.multi_download")
multi_upload = files("paddle.fluid.contrib.utils.hdfs_utils.multi_upload")
