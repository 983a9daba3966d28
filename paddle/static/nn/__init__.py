"""Layers of static graphs: functions that add operators and make their parameters."""

from __future__ import annotations

from paddle.ir.control.functions import case, cond, switch_case, while_loop
from paddle.static.nn.basic import embedding, fc, sparse_embedding
from paddle.static.nn.common import bilinear_tensor_product, prelu, row_conv
from paddle.static.nn.conv import conv2d, conv2d_transpose, conv3d, conv3d_transpose
from paddle.static.nn.data_norm import data_norm
from paddle.static.nn.deform import deform_conv2d
from paddle.static.nn.detection import multi_box_head
from paddle.static.nn.loss import cross_entropy, mean
from paddle.static.nn.norm import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    spectral_norm,
)
from paddle.static.nn.sampling import crf_decoding, nce
from paddle.static.nn.sequence import (
    sequence_concat,
    sequence_conv,
    sequence_enumerate,
    sequence_expand,
    sequence_expand_as,
    sequence_first_step,
    sequence_last_step,
    sequence_pad,
    sequence_pool,
    sequence_reshape,
    sequence_reverse,
    sequence_scatter,
    sequence_slice,
    sequence_softmax,
    sequence_unpad,
)
from paddle.static.py_func import py_func

__all__ = [
    "batch_norm", "bilinear_tensor_product", "case", "cond", "conv2d", "conv2d_transpose", "conv3d",
    "conv3d_transpose", "crf_decoding", "cross_entropy", "data_norm", "deform_conv2d",
    "embedding", "fc", "group_norm", "instance_norm", "layer_norm", "mean", "multi_box_head",
    "nce", "prelu", "py_func", "row_conv", "sequence_concat", "sequence_conv",
    "sequence_enumerate", "sequence_expand", "sequence_expand_as", "sequence_first_step",
    "sequence_last_step", "sequence_pad", "sequence_pool", "sequence_reshape", "sequence_reverse",
    "sequence_scatter", "sequence_slice", "sequence_softmax", "sequence_unpad",
    "sparse_embedding", "spectral_norm", "switch_case", "while_loop",
]  # fmt: skip
