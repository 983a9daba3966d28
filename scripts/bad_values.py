"""What scripts/bad_calls.py puts in the place of good arguments: about thirty kinds of nonsense."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import paddle


class Unknown:
    """An object of a class that no function knows."""

    def __repr__(self) -> str:
        return "<Unknown>"


def _generator() -> Iterator[int]:
    yield from (1, 2)


def _tensor(shape: list[int], dtype: str) -> Any:
    """A Tensor of ones, or in static mode a Variable that is fed."""
    if paddle.in_dynamic_mode():
        return paddle.to_tensor(np.ones(shape, dtype))
    block = paddle.static.default_main_program().global_block()
    name = "bad_" + dtype + "_" + "x".join(map(str, shape))
    if block.has_var(name):
        return block.var(name)
    return block.create_var(name=name, shape=shape, dtype=dtype, is_data=True)


PLAIN = {
    "None": None,
    "''": "",
    "'nonsense'": "nonsense",
    "b'bytes'": b"bytes",
    "True": True,
    "-1": -1,
    "0": 0,
    "-7": -7,
    "2**31": 2**31,
    "2**63": 2**63,
    "-2**63": -(2**63),
    "0.5": 0.5,
    "-0.5": -0.5,
    "1e308": 1e308,
    "nan": math.nan,
    "inf": math.inf,
    "1j": 1j,
    "[]": [],
    "[None]": [None],
    "[-1]": [-1],
    "['a']": ["a"],
    "[1.5, 2]": [1.5, 2],
    "ragged": [[1], [2, 3]],
    "(2**31, 2**31)": (2**31, 2**31),
    "{}": {},
    "{'a': None}": {"a": None},
    "int": int,
}


def values() -> dict[str, Any]:
    """The nonsense by the name it is reported under, made for the mode the process is in."""
    return {
        **PLAIN,
        "object()": Unknown(),
        "lambda": lambda: None,
        "generator": _generator(),
        "array of objects": np.array([None, "a"], dtype=object),
        "array of texts": np.array(["a", "b"]),
        "array of float64": np.ones([2, 3]),
        "bool[2, 3]": _tensor([2, 3], "bool"),
        "int64[1]": _tensor([1], "int64"),
        "float32[2]": _tensor([2], "float32"),
        "float32[0, 3]": _tensor([0, 3], "float32"),
        "float32[1, 2, 1, 2, 1, 2]": _tensor([1, 2, 1, 2, 1, 2], "float32"),
        "complex64[2, 3]": _tensor([2, 3], "complex64"),
        "[object()]": [Unknown()],
    }
