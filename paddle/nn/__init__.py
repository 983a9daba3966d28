"""Layers, containers, initializers and gradient clipping."""

from paddle.nn import functional, initializer, utils
from paddle.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from paddle.nn.decode import BeamSearchDecoder, dynamic_decode
from paddle.nn.layer import loss
from paddle.nn.layer.activation import *  # noqa: F403
from paddle.nn.layer.common import *  # noqa: F403
from paddle.nn.layer.container import *  # noqa: F403
from paddle.nn.layer.conv import *  # noqa: F403
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.loss import *  # noqa: F403
from paddle.nn.layer.norm import *  # noqa: F403
from paddle.nn.layer.padding import *  # noqa: F403
from paddle.nn.layer.pooling import *  # noqa: F403
from paddle.nn.layer.rnn import *  # noqa: F403
from paddle.nn.layer.transformer import *  # noqa: F403
from paddle.nn.layer.upsample import *  # noqa: F403
from paddle.nn.layer.vision import *  # noqa: F403

# Names as the guide misprints them, and what was meant.
_MEANT = {
    "Dropout2d": "Dropout2D",
    "Dropout3d": "Dropout3D",
    "HSigmoid": "Hardsigmoid (the activation) or HSigmoidLoss (the hierarchical loss)",
    "L1LossMarginRankingLoss": "L1Loss or MarginRankingLoss",
    "Pad3d": "Pad3D",
}


def __getattr__(name: str) -> object:
    hint = f"; did you mean {_MEANT[name]}?" if name in _MEANT else ""
    raise AttributeError(f"module 'paddle.nn' has no attribute {name!r}{hint}")
