"""Layers, containers, initializers and gradient clipping."""

from paddle.nn import functional, initializer
from paddle.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from paddle.nn.layer.activation import *  # noqa: F403
from paddle.nn.layer.common import *  # noqa: F403
from paddle.nn.layer.container import *  # noqa: F403
from paddle.nn.layer.conv import *  # noqa: F403
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.loss import *  # noqa: F403
from paddle.nn.layer.norm import *  # noqa: F403
from paddle.nn.layer.padding import *  # noqa: F403
from paddle.nn.layer.pooling import *  # noqa: F403
from paddle.nn.layer.upsample import *  # noqa: F403
from paddle.nn.layer.vision import *  # noqa: F403
