"""Functions on tensors, grouped as in PaddlePaddle; all of them are in ``paddle`` too."""

from paddle.tensor import (
    attribute,
    creation,
    linalg,
    logic,
    manipulation,
    math,
    random,
    search,
    stat,
)
from paddle.tensor.array import array_length, array_read, array_write, create_array
from paddle.tensor.attribute import *  # noqa: F403
from paddle.tensor.creation import *  # noqa: F403
from paddle.tensor.linalg import *  # noqa: F403
from paddle.tensor.logic import *  # noqa: F403
from paddle.tensor.manipulation import *  # noqa: F403
from paddle.tensor.math import *  # noqa: F403
from paddle.tensor.random import *  # noqa: F403
from paddle.tensor.search import *  # noqa: F403
from paddle.tensor.stat import *  # noqa: F403

_MODULES = (attribute, creation, linalg, logic, manipulation, math, random, search, stat)
__all__ = sorted({name for module in _MODULES for name in module.__all__})
