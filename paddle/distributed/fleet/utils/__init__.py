"""fleet.utils: files on this machine and in HDFS, and predictions over parameter servers."""

from paddle.core.not_yet import NotYet
from paddle.distributed.fleet.utils.fs import HDFSClient, LocalFS

# ---- until helper PSF's part is merged -----------------------------------------------------------
DistributedInfer = NotYet(
    "paddle.distributed.fleet.utils.DistributedInfer",
    "load the model by paddle.static.load_inference_model",
)
# --------------------------------------------------------------------------------------------------

__all__ = ["DistributedInfer", "HDFSClient", "LocalFS"]
