"""fleet.utils: files on this machine and in HDFS, and predictions over parameter servers."""

from paddle.distributed.fleet.utils.fs import HDFSClient, LocalFS
from paddle.distributed.fleet.utils.ps_util import DistributedInfer

__all__ = ["DistributedInfer", "HDFSClient", "LocalFS"]
