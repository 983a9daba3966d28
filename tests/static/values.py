"""Arrays that the tables of calls take by name: a parameter called ``x`` gets ``VALUES["x"]``."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

_rng = np.random.RandomState(5)


def _floats(*shape: int, low: float = -1.5, high: float = 1.5) -> np.ndarray:
    return _rng.uniform(low, high, shape).astype("float32")


_square = _floats(3, 3)

VALUES: dict[str, np.ndarray] = {
    # of 4 rows; the first dimension may be unknown
    "x": _floats(4, 3),
    "y": _floats(4, 3),
    "pos": _floats(4, 3, low=0.3, high=2.0),
    "prob": _floats(4, 3, low=0.05, high=0.95),
    "small": _floats(4, 3, low=-0.9, high=0.9),
    "n": _rng.randint(-5, 6, (4, 3)).astype("int64"),
    "k": _rng.randint(1, 5, (4, 3)).astype("int64"),
    "i32": _rng.randint(0, 9, (4, 3)).astype("int32"),
    "f64": _floats(4, 3).astype("float64"),
    "m": np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]], "bool"),
    "m2": np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0], [1, 0, 0]], "bool"),
    "col": _floats(4, 1),
    "b": _floats(4, 3, 5),
    "rows": np.array([2, 0], "int64"),
    "label": np.array([2, 0, 1, 2], "int64"),
    "label1": np.array([[2], [0], [1], [2]], "int64"),
    "soft": np.full((4, 3), 1 / 3, "float32"),
    "ones_or_not": np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]], "float32"),
    "z": (_floats(4, 3) + 1j * _floats(4, 3)).astype("complex64"),
    "image": _floats(4, 4, 6, 6),
    "last": _floats(4, 6, 6, 4),
    "volume": _floats(4, 2, 4, 4, 4),
    "volume_last": _floats(4, 4, 4, 4, 2),
    "line": _floats(4, 4, 8),
    "line_last": _floats(4, 8, 4),
    "theta": _floats(4, 2, 3),
    "grid": _floats(4, 5, 5, 2, low=-0.95, high=0.95),
    # always of known shape
    "v": _floats(3),
    "w": _floats(3, 5),
    "square": _square,
    "spd": _square @ _square.T + np.eye(3, dtype="float32"),
    "one": np.array([2], "int64"),
    "one32": np.array([2], "int32"),
    "scalar": np.array([0.7], "float32"),
    "sizes": np.array([3, 4], "int32"),
    "w2": _floats(6, 4, 3, 3),
    "wt2": _floats(4, 6, 3, 3),
    "w1": _floats(6, 4, 3),
    "wt1": _floats(4, 6, 3),
    "w3": _floats(3, 2, 2, 2, 2),
    "wt3": _floats(2, 3, 2, 2, 2),
    "wd": _floats(4, 1, 3, 3),
    "c4": _floats(4),
    "c6": _floats(6),
    "class_weight": _floats(3, low=0.2, high=1.0),
    "table": _floats(6, 5),
    "tree": _rng.randint(0, 2, (3, 2, 2)).astype("int64"),
}
FIXED = frozenset(list(VALUES)[list(VALUES).index("v") :])


def arrays_for(call: Callable) -> dict[str, np.ndarray]:
    """The arrays that a call's parameters name."""
    return {name: VALUES[name] for name in inspect.signature(call).parameters}
