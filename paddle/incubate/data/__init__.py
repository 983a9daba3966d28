"""Help for data of unequal length: padding, batches of similar length, shares of a stream."""

from paddle.incubate.data.buckets import BucketBatchSampler
from paddle.incubate.data.padding import PadCollate, pad_batch
from paddle.incubate.data.streams import worker_share

__all__ = ["BucketBatchSampler", "PadCollate", "pad_batch", "worker_share"]
