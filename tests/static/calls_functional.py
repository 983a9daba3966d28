"""Calls of paddle.nn.functional, for both modes."""

from __future__ import annotations

import paddle
import paddle.nn.functional as F

_PLAIN = (
    "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_sigmoid", "log_softmax", "relu", "relu6", "selu", "sigmoid", "softmax", "softplus",
    "softshrink", "softsign", "swish", "tanh", "tanhshrink", "thresholded_relu", "normalize",
)  # fmt: skip

CALLS = {
    **{name: (lambda f: lambda x: f(x))(getattr(F, name)) for name in _PLAIN},
    "elu_": lambda x: F.elu_(x * 1.0, 0.5),
    "relu_": lambda x: F.relu_(x * 1.0),
    "softmax_": lambda x: F.softmax_(x * 1.0, axis=0),
    "softmax_dtype": lambda x: F.softmax(x, axis=0, dtype="float64"),
    "log_softmax_dtype": lambda x: F.log_softmax(x, axis=0, dtype="float64"),
    "gelu_tanh": lambda x: F.gelu(x, approximate=True),
    "maxout": lambda image: F.maxout(image, 2, axis=1),
    "prelu_one": lambda x, scalar: F.prelu(x, scalar),
    "prelu_channels": lambda image, c4: F.prelu(image, c4),
    # common
    "linear": lambda x, w: F.linear(x, w),
    "linear_bias": lambda b, spd, v: F.linear(b.transpose([0, 2, 1]), spd, v),
    "bilinear": lambda x, col, w: F.bilinear(x, col, w[:2, :3].reshape([2, 3, 1])),
    "bilinear_bias": lambda x, col, w: F.bilinear(x, col, w[:2, :3].reshape([2, 3, 1]), w[:1, :2]),
    "cosine_similarity": lambda x, y: F.cosine_similarity(x, y, axis=1),
    "label_smooth": lambda soft: F.label_smooth(soft, epsilon=0.2),
    "label_smooth_prior": lambda soft, w: F.label_smooth(soft, prior_dist=w[:1, :3]),
    "diag_embed": lambda x: F.diag_embed(x, offset=1),
    "one_hot": lambda label: F.one_hot(label, 3),
    "one_hot_2d": lambda label1: F.one_hot(label1, 4),
    "one_hot_variable": lambda label, one: F.one_hot(label, one + 1),
    "embedding": lambda label, table: F.embedding(label, table),
    "embedding_padding": lambda label1, table: F.embedding(label1, table, padding_idx=-6),
    "dropout_off": lambda x: F.dropout(x, 0.5, training=False),
    "dropout_down": lambda x: F.dropout(x, 0.5, training=False, mode="downscale_in_infer"),
    "dropout_axis_off": lambda x: F.dropout(x, 0.5, axis=0, training=False),
    "dropout_all": lambda x: F.dropout(x, 1.0, axis=[0, 1]),
    "alpha_dropout_off": lambda x: F.alpha_dropout(x, 0.5, training=False),
    "alpha_dropout_all": lambda x: F.alpha_dropout(x, 1.0),
    "gather_tree": lambda tree: F.gather_tree(tree, tree * 0),
    # convolution
    "conv1d": lambda line, w1, c6: F.conv1d(line, w1, c6, padding=1, stride=2),
    "conv1d_last": lambda line_last, w1: F.conv1d(line_last, w1, data_format="NLC"),
    "conv2d": lambda image, w2: F.conv2d(image, w2, padding="SAME", stride=2),
    "conv2d_bias": lambda image, w2, c6: F.conv2d(image, w2, c6, dilation=2, padding=[1, 2]),
    "conv2d_last": lambda last, w2, c6: F.conv2d(last, w2, c6, data_format="NHWC"),
    "conv2d_groups": lambda image, w2: F.conv2d(image, w2[:, :2], groups=2),
    "conv2d_depthwise": lambda image, wd, c4: F.conv2d(image, wd, c4, groups=4),
    "conv3d": lambda volume, w3, v: F.conv3d(volume, w3, v, padding=1),
    "conv3d_last": lambda volume_last, w3, v: F.conv3d(volume_last, w3, v, data_format="NDHWC"),
    "conv1d_transpose": lambda line, wt1, c6: F.conv1d_transpose(line, wt1, c6, stride=2),
    "conv2d_transpose": lambda image, wt2, c6: F.conv2d_transpose(
        image, wt2, c6, stride=2, output_padding=1
    ),
    "conv2d_transpose_size": lambda image, wt2: F.conv2d_transpose(
        image, wt2, stride=2, output_size=[14, 13]
    ),
    "conv2d_transpose_last": lambda last, wt2, c6: F.conv2d_transpose(
        last, wt2, c6, data_format="NHWC"
    ),
    "conv2d_transpose_depthwise": lambda image, wd, c4: F.conv2d_transpose(image, wd, c4, groups=4),
    "conv3d_transpose": lambda volume, wt3, v: F.conv3d_transpose(volume, wt3, v, stride=2),
    # pooling
    "avg_pool1d": lambda line: F.avg_pool1d(line, 2, stride=1, padding=1),
    "max_pool1d": lambda line: F.max_pool1d(line, 3, return_mask=True),
    "avg_pool2d": lambda image: F.avg_pool2d(image, 3, 2, padding="SAME"),
    "avg_pool2d_ceil": lambda image: F.avg_pool2d(image, 4, 4, ceil_mode=True, exclusive=False),
    "avg_pool2d_divisor": lambda image: F.avg_pool2d(image, 2, divisor_override=3),
    "max_pool2d": lambda last: F.max_pool2d(last, 2, data_format="NHWC"),
    "max_pool2d_mask": lambda image: F.max_pool2d(image, 2, return_mask=True, ceil_mode=True),
    "avg_pool3d": lambda volume: F.avg_pool3d(volume, 2),
    "max_pool3d": lambda volume: F.max_pool3d(volume, 2, return_mask=True),
    "adaptive_avg_pool1d": lambda line: F.adaptive_avg_pool1d(line, 3),
    "adaptive_max_pool1d": lambda line: F.adaptive_max_pool1d(line, 4, return_mask=True),
    "adaptive_avg_pool2d": lambda image: F.adaptive_avg_pool2d(image, [2, None]),
    "adaptive_max_pool2d": lambda image: F.adaptive_max_pool2d(image, 2),
    "adaptive_avg_pool3d": lambda volume: F.adaptive_avg_pool3d(volume, 2),
    "adaptive_max_pool3d": lambda volume: F.adaptive_max_pool3d(volume, [2, 1, None]),
    # norm
    "batch_norm": lambda image, c4, pos: F.batch_norm(
        image, paddle.zeros([4]), paddle.ones([4]), c4, c4, training=True
    ),
    "batch_norm_eval": lambda last, c4: F.batch_norm(
        last, c4, c4 * c4 + 1.0, c4, c4, data_format="NHWC"
    ),
    "layer_norm": lambda b: F.layer_norm(b, [3, 5]),
    "layer_norm_weights": lambda x, v: F.layer_norm(x, 3, v, v),
    "instance_norm": lambda image, c4: F.instance_norm(image, weight=c4, bias=c4),
    "instance_norm_last": lambda last: F.instance_norm(last, data_format="NHWC"),
    "local_response_norm": lambda image: F.local_response_norm(image, 3),
    "local_response_norm_last": lambda last: F.local_response_norm(last, 2, data_format="NHWC"),
    "normalize_axis": lambda b: F.normalize(b, p=1, axis=2),
    # images
    "pad": lambda image: F.pad(image, [1, 2, 0, 1], value=0.5),
    "pad_reflect": lambda line: F.pad(line, [2, 1], mode="reflect", data_format="NCL"),
    "pad_all": lambda x: F.pad(x, [0, 1, 2, 0]),
    "pad_volume": lambda volume_last: F.pad(
        volume_last, [1, 0, 0, 1, 2, 2], mode="circular", data_format="NDHWC"
    ),
    "pad_replicate": lambda last: F.pad(last, [1, 1, 2, 2], mode="replicate", data_format="NHWC"),
    "pad_variable": lambda image, sizes: F.pad(image, paddle.concat([sizes, sizes])),
    "unfold": lambda image: F.unfold(image, 3, strides=2, paddings=1),
    "pixel_shuffle": lambda image: F.pixel_shuffle(image, 2),
    "grid_sample": lambda image, grid: F.grid_sample(image, grid, mode="nearest"),
    "affine_grid": lambda theta: F.affine_grid(theta, [4, 3, 5, 6]),
    "temporal_shift": lambda image: F.temporal_shift(image, 2),
    "interpolate_nearest": lambda image: F.interpolate(image, scale_factor=2),
    "interpolate_bilinear": lambda image: F.interpolate(image, size=[9, 8], mode="bilinear"),
    "interpolate_bicubic": lambda image: F.interpolate(
        image, scale_factor=[1.5, 2.0], mode="bicubic", align_corners=True
    ),
    "interpolate_linear": lambda line_last: F.interpolate(
        line_last, size=[5], mode="linear", data_format="NWC"
    ),
    "interpolate_trilinear": lambda volume: F.interpolate(volume, size=[3, 6, 5], mode="trilinear"),
    "interpolate_area": lambda image: F.interpolate(image, size=[3, 2], mode="area"),
    "interpolate_variable": lambda image, sizes: F.interpolate(image, size=sizes),
    "interpolate_variables": lambda image, one: F.interpolate(image, size=[one, one + 3]),
    "interpolate_scale_variable": lambda image, scalar: F.interpolate(
        image, scale_factor=scalar + 1.3
    ),
    "upsample": lambda image: F.upsample(image, scale_factor=2, mode="bilinear"),
    # losses
    "square_error_cost": lambda x, y: F.square_error_cost(x, y),
    "mse_loss": lambda x, y: F.mse_loss(x, y),
    "l1_loss": lambda x, y: F.l1_loss(x, y, reduction="sum"),
    "smooth_l1_loss": lambda x, y: F.smooth_l1_loss(x, y, delta=0.5, reduction="none"),
    "kl_div": lambda x, prob: F.kl_div(x, prob, reduction="batchmean"),
    "log_loss": lambda prob, ones_or_not: F.log_loss(prob, ones_or_not),
    "binary_cross_entropy": lambda prob, ones_or_not, v: F.binary_cross_entropy(
        prob, ones_or_not, weight=v
    ),
    "binary_cross_entropy_with_logits": lambda x, ones_or_not, v: (
        F.binary_cross_entropy_with_logits(x, ones_or_not, v, "none", v)
    ),
    "sigmoid_focal_loss": lambda x, ones_or_not, scalar: F.sigmoid_focal_loss(
        x, ones_or_not, normalizer=scalar
    ),
    "dice_loss": lambda prob, label1: F.dice_loss(prob, label1),
    "cross_entropy": lambda x, label: F.cross_entropy(x, label),
    "cross_entropy_none": lambda x, label1: F.cross_entropy(x, label1, reduction="none"),
    "cross_entropy_weight": lambda x, label, class_weight: F.cross_entropy(
        x, label, class_weight, ignore_index=1
    ),
    "cross_entropy_sum": lambda x, label, class_weight: F.cross_entropy(
        x, label, class_weight, reduction="sum"
    ),
    "cross_entropy_ignored": lambda x, label: F.cross_entropy(x, label, ignore_index=2),
    "cross_entropy_soft": lambda x, soft, class_weight: F.cross_entropy(
        x, soft, class_weight, soft_label=True
    ),
    "cross_entropy_axis": lambda b: F.cross_entropy(
        b, paddle.cast(b[:, 0] > 0, "int64"), axis=1, reduction="none"
    ),
    "softmax_with_cross_entropy": lambda x, label1: F.softmax_with_cross_entropy(
        x, label1, return_softmax=True
    ),
    "nll_loss": lambda x, label, class_weight: F.nll_loss(x, label, class_weight),
    "margin_ranking_loss": lambda x, y, ones_or_not: F.margin_ranking_loss(
        x, y, ones_or_not * 2 - 1, margin=0.1
    ),
    "npair_loss": lambda x, y, label: F.npair_loss(x, y, label),
    "ctc_loss": lambda b, rows: F.ctc_loss(
        b.transpose([1, 0, 2])[:, :2], rows.unsqueeze(1) + 1, rows * 0 + 3, rows * 0 + 1
    ),
    "hsigmoid_loss": lambda x, label, w: F.hsigmoid_loss(x, label, 4, w.t()[:3]),
    # metrics
    "accuracy": lambda x, label1: paddle.metric.accuracy(x, label1, k=2),
    "accuracy_counts": lambda x, label: _counted(x, label),
    "Accuracy": lambda x, label: paddle.metric.Accuracy(topk=(1, 2)).compute(x, label),
    "Accuracy_first": lambda x, label1: paddle.metric.Accuracy().compute(x, label1),
}


def _counted(x, label):
    correct, total = paddle.zeros([1], "int32"), paddle.zeros([1], "int32")
    share = paddle.metric.accuracy(x, label, correct=correct, total=total)
    return [share, correct + 0, total + 0]
