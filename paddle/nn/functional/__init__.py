"""Functions of neural networks, without parameters of their own."""

from paddle.nn.functional.activation import *  # noqa: F403
from paddle.nn.functional.common import *  # noqa: F403
from paddle.nn.functional.conv import *  # noqa: F403
from paddle.nn.functional.decoding import *  # noqa: F403
from paddle.nn.functional.input import *  # noqa: F403
from paddle.nn.functional.interpolate import *  # noqa: F403
from paddle.nn.functional.loss import *  # noqa: F403
from paddle.nn.functional.norm import *  # noqa: F403
from paddle.nn.functional.pad import *  # noqa: F403
from paddle.nn.functional.pooling import *  # noqa: F403
from paddle.nn.functional.vision import *  # noqa: F403
from paddle.tensor.creation import assign
