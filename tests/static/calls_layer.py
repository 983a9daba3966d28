"""Layers made and called inside the call, for both modes."""

from __future__ import annotations

import paddle
import paddle.nn as nn
import paddle.nn.initializer as init

_ACTIVATIONS = (
    "ELU", "GELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "PReLU", "ReLU", "ReLU6", "SELU", "Sigmoid", "Softmax", "Softplus", "Softshrink",
    "Softsign", "Swish", "Tanh", "Tanhshrink", "ThresholdedReLU",
)  # fmt: skip


def _eval(layer):
    layer.eval()
    return layer


def _twice(layer, x):
    """Two calls in training, then one in evaluation: running statistics are carried on."""
    first, second = layer(x), layer(x * 2.0 + 1.0)
    layer.eval()
    return [first, second, layer(x)]


def _filled(initializer, shape, dtype="float32"):
    return paddle.create_parameter(
        shape, dtype, attr=paddle.ParamAttr(initializer=initializer)
    ) * 1.0  # fmt: skip


class _Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2D(4, 6, 3, padding=1), nn.BatchNorm2D(6), nn.ReLU())
        self.heads = nn.LayerList([nn.Linear(6, 3), nn.Linear(6, 2)])
        self.scales = nn.ParameterList([self.create_parameter([6], is_bias=True)])
        self.register_buffer("shift", paddle.ones([6]))

    def forward(self, image):
        x = self.body(image).mean(axis=[2, 3]) + self.shift + self.scales[0]
        return [head(x) for head in self.heads]


CALLS = {
    **{name: (lambda c: lambda x: c()(x))(getattr(nn, name)) for name in _ACTIVATIONS},
    "Maxout": lambda image: nn.Maxout(2)(image),
    "PReLU_channels": lambda image: nn.PReLU(4)(image),
    # common
    "Linear": lambda x: nn.Linear(3, 5)(x),
    "Linear_no_bias": lambda b: nn.Linear(5, 2, bias_attr=False)(b),
    "Bilinear": lambda x, col: nn.Bilinear(3, 1, 4)(x, col),
    "Embedding": lambda label: nn.Embedding(6, 4)(label),
    "Embedding_padding": lambda label1: nn.Embedding(6, 4, padding_idx=2)(label1),
    "CosineSimilarity": lambda x, y: nn.CosineSimilarity()(x, y),
    "PairwiseDistance": lambda x, y: nn.PairwiseDistance(keepdim=True)(x, y),
    "Flatten": lambda b: nn.Flatten()(b),
    "Identity": lambda b: nn.Identity()(b),
    "Dropout": lambda x: _eval(nn.Dropout(0.3))(x),
    "Dropout2D": lambda image: _eval(nn.Dropout2D())(image),
    "Dropout3D": lambda volume: _eval(nn.Dropout3D())(volume),
    "AlphaDropout": lambda x: _eval(nn.AlphaDropout())(x),
    # convolution, pooling, padding
    "Conv1D": lambda line: nn.Conv1D(4, 2, 3, padding_mode="circular", padding=1)(line),
    "Conv2D": lambda image: nn.Conv2D(4, 6, 3, stride=2, padding="SAME")(image),
    "Conv2D_groups": lambda image: nn.Conv2D(4, 8, 3, groups=4)(image),
    "Conv3D": lambda volume: nn.Conv3D(2, 3, 2)(volume),
    "Conv1DTranspose": lambda line: nn.Conv1DTranspose(4, 2, 3)(line),
    "Conv2DTranspose": lambda image: nn.Conv2DTranspose(4, 2, 3, stride=2)(image, [14, 14]),
    "Conv3DTranspose": lambda volume: nn.Conv3DTranspose(2, 3, 2)(volume),
    "AvgPool1D": lambda line: nn.AvgPool1D(2)(line),
    "AvgPool2D": lambda image: nn.AvgPool2D(2)(image),
    "AvgPool3D": lambda volume: nn.AvgPool3D(2, 2)(volume),
    "MaxPool1D": lambda line: nn.MaxPool1D(2, return_mask=True)(line),
    "MaxPool2D": lambda image: nn.MaxPool2D(2, return_mask=True)(image),
    "MaxPool3D": lambda volume: nn.MaxPool3D(2, 2, 0)(volume),
    "AdaptiveAvgPool1D": lambda line: nn.AdaptiveAvgPool1D(2)(line),
    "AdaptiveAvgPool2D": lambda image: nn.AdaptiveAvgPool2D([None, 2])(image),
    "AdaptiveAvgPool3D": lambda volume: nn.AdaptiveAvgPool3D(2)(volume),
    "AdaptiveMaxPool1D": lambda line: nn.AdaptiveMaxPool1D(2, return_mask=True)(line),
    "AdaptiveMaxPool2D": lambda image: nn.AdaptiveMaxPool2D(2)(image),
    "AdaptiveMaxPool3D": lambda volume: nn.AdaptiveMaxPool3D(2)(volume),
    "Pad1D": lambda line: nn.Pad1D([1, 2])(line),
    "Pad2D": lambda image: nn.Pad2D(1, mode="reflect")(image),
    "Pad3D": lambda volume: nn.Pad3D(1, mode="replicate")(volume),
    "Upsample": lambda image: nn.Upsample(scale_factor=2, mode="bilinear")(image),
    "UpsamplingNearest2D": lambda image: nn.UpsamplingNearest2D(scale_factor=2)(image),
    "UpsamplingBilinear2D": lambda image: nn.UpsamplingBilinear2D(size=[9, 9])(image),
    "PixelShuffle": lambda image: nn.PixelShuffle(2)(image),
    # norm
    "BatchNorm": lambda image: _twice(nn.BatchNorm(4, act="relu"), image),
    "BatchNorm1D": lambda x: _twice(nn.BatchNorm1D(3, momentum=0.5), x),
    "BatchNorm1D_line": lambda line: _twice(nn.BatchNorm1D(4), line),
    "BatchNorm2D": lambda image: _twice(nn.BatchNorm2D(4, weight_attr=False), image),
    "BatchNorm2D_last": lambda last: _twice(nn.BatchNorm2D(4, data_format="NHWC"), last),
    "BatchNorm2D_global": lambda image: _twice(nn.BatchNorm2D(4, use_global_stats=True), image),
    "BatchNorm3D": lambda volume: _twice(nn.BatchNorm3D(2), volume),
    "SyncBatchNorm": lambda image: _twice(nn.SyncBatchNorm(4), image),
    "running_statistics": lambda image: _statistics(nn.BatchNorm2D(4), image),
    "GroupNorm": lambda image: nn.GroupNorm(2, 4)(image),
    "InstanceNorm1D": lambda line: nn.InstanceNorm1D(4)(line),
    "InstanceNorm2D": lambda image: nn.InstanceNorm2D(4, weight_attr=False, bias_attr=False)(image),
    "InstanceNorm3D": lambda volume: nn.InstanceNorm3D(2)(volume),
    "LayerNorm": lambda b: nn.LayerNorm([3, 5])(b),
    "LocalResponseNorm": lambda image: nn.LocalResponseNorm(3)(image),
    "SpectralNorm": lambda w: nn.SpectralNorm([3, 5], power_iters=2)(w),
    # recurrent; more of them in tests/nn/test_rnn.py
    "SimpleRNNCell": lambda x: nn.SimpleRNNCell(3, 2)(x),
    "LSTMCell": lambda x: nn.LSTMCell(3, 2)(x),
    "GRUCell": lambda x: nn.GRUCell(3, 2)(x),
    "RNNCellBase": lambda x: nn.RNNCellBase().get_initial_states(x, [[2], [-1, 3]]),
    "RNN": lambda b: nn.RNN(nn.GRUCell(5, 2), is_reverse=True)(b),
    "BiRNN": lambda b: nn.BiRNN(nn.GRUCell(5, 2), nn.LSTMCell(5, 3))(b),
    "SimpleRNN": lambda b: nn.SimpleRNN(5, 2, activation="relu")(b),
    "LSTM": lambda b: nn.LSTM(5, 2, 2, direction="bidirect")(b),
    "GRU": lambda b: nn.GRU(5, 2, time_major=True)(b),
    "BeamSearchDecoder": lambda x: _searched(x),
    "MultiHeadAttention": lambda b: nn.MultiHeadAttention(5, 1)(b, b, b),
    "TransformerEncoderLayer": lambda b: nn.TransformerEncoderLayer(5, 5, 7, 0.0)(b),
    "TransformerEncoder": lambda b: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(5, 1, 7, 0.0, normalize_before=True), 2, nn.LayerNorm(5)
    )(b),
    "TransformerDecoderLayer": lambda b: nn.TransformerDecoderLayer(5, 1, 7, 0.0)(b, b),
    "TransformerDecoder": lambda b: nn.TransformerDecoder(
        nn.TransformerDecoderLayer(5, 1, 7, 0.0, "gelu"), 2
    )(b, b),
    "Transformer": lambda b: nn.Transformer(5, 1, 1, 1, 7, 0.0)(b, b),
    # losses
    "BCELoss": lambda prob, ones_or_not: nn.BCELoss()(prob, ones_or_not),
    "BCEWithLogitsLoss": lambda x, ones_or_not: nn.BCEWithLogitsLoss()(x, ones_or_not),
    "CrossEntropyLoss": lambda x, label: nn.CrossEntropyLoss()(x, label),
    "CTCLoss": lambda b, rows: nn.CTCLoss()(
        b.transpose([1, 0, 2])[:, :2], rows.unsqueeze(1) + 1, rows * 0 + 3, rows * 0 + 1
    ),
    "HSigmoidLoss": lambda x, label: nn.HSigmoidLoss(3, 4)(x, label),
    "KLDivLoss": lambda x, prob: nn.KLDivLoss()(x, prob),
    "L1Loss": lambda x, y: nn.L1Loss()(x, y),
    "MarginRankingLoss": lambda x, y, ones_or_not: nn.MarginRankingLoss()(x, y, ones_or_not),
    "MSELoss": lambda x, y: nn.MSELoss()(x, y),
    "NLLLoss": lambda x, label: nn.NLLLoss()(x, label),
    "SmoothL1Loss": lambda x, y: nn.SmoothL1Loss()(x, y),
    # made of others
    "net": lambda image: _Net()(image),
    # initializers
    "Constant": lambda: _filled(init.Constant(0.1), [2, 3], "float64"),
    "Normal": lambda: _filled(init.Normal(1.0, 2.0), [5, 3]),
    "TruncatedNormal": lambda: _filled(init.TruncatedNormal(), [5, 3]),
    "Uniform": lambda: _filled(init.Uniform(0.0, 3.0), [5, 3]),
    "XavierNormal": lambda: _filled(init.XavierNormal(), [5, 3]),
    "XavierUniform": lambda: _filled(init.XavierUniform(fan_in=7), [5, 3, 2, 2]),
    "KaimingNormal": lambda: _filled(init.KaimingNormal(), [5, 3]),
    "KaimingUniform": lambda: _filled(init.KaimingUniform(), [5, 3]),
    "Assign": lambda: _filled(init.Assign([[1.0, 2.0]]), [1, 2], "float64"),
    "Assign_half": lambda: _filled(init.Assign([[1.0, 2.0]]), [1, 2], "float16"),
    "Bilinear_init": lambda: _filled(init.Bilinear(), [2, 1, 4, 4]),
    "Dirac": lambda: _filled(init.Dirac(), [3, 2, 3]),
    "Orthogonal": lambda: _filled(init.Orthogonal(2.0), [3, 4]),
}  # fmt: skip


def _statistics(layer, x):
    layer(x)
    layer(x * 2.0)
    return [v * 1.0 for v in layer.state_dict().values()]


def _searched(x):
    decoder = nn.BeamSearchDecoder(
        nn.GRUCell(4, 3), 0, 1, 2, embedding_fn=nn.Embedding(5, 4), output_fn=nn.Linear(3, 5)
    )
    ids, states, lengths = nn.dynamic_decode(decoder, x, max_step_num=2, return_length=True)
    return [ids, states.log_probs, lengths]
