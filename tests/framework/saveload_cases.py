"""Objects that paddle.save and paddle.load must carry, built from NumPy values alone."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

DTYPES = [
    "bool", "int8", "uint8", "int16", "int32", "int64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
BFLOAT16_BITS = np.array([0x3F80, 0xC020, 0x7F80, 0], "uint16")  # 1, -2.5, inf, 0


def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """A few numbers, the same wherever they are made."""
    count = int(np.prod(shape))
    return (
        ((np.arange(count) * 37) % 101 - (0 if dtype == "uint8" else 50))
        .reshape(shape)
        .astype(dtype)
    )


def build(tensor: Any) -> dict[str, Any]:
    """All cases; ``tensor(array, name, bf16=False)`` makes a Tensor, or hands back the array."""
    weight = tensor(values("float32", (3, 4)), "linear_0.w_0")
    bias = tensor(values("float32", (4,)), "linear_0.b_0")
    state = {"weight": weight, "sub.bias": bias, "bn._mean": tensor(values("float32", (2,)), "m")}
    optimizer = {
        "linear_0.w_0_moment1_0": tensor(values("float32", (3, 4)), "linear_0.w_0_moment1_0"),
        "linear_0.w_0_beta1_pow_acc_0": tensor(
            np.array([0.9], "float32"), "linear_0.w_0_beta1_pow_acc_0"
        ),
        "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.05},
    }
    return {
        "state": state,
        "ordered": OrderedDict(state),
        "optimizer": optimizer,
        "dtypes": {d: tensor(values(d, (2, 3)), f"t_{d}") for d in DTYPES},
        "bf16": {"b": tensor(BFLOAT16_BITS, "b_0", bf16=True)},
        "shapes": {
            "empty": tensor(values("float32", (0, 3)), "e_0"),
            "one": tensor(values("int64", (1,)), "o_0"),
            "deep": tensor(values("int32", (1, 2, 1, 3, 1)), "d_0"),
        },
        "large": {"w": tensor(values("float32", (150, 200)), "big_0")},
        "bare": weight,
        "bare_bf16": tensor(BFLOAT16_BITS, "b_0", bf16=True),
        "nested": {
            "model": state,
            "epoch": 7,
            "parts": [weight, ("x", 1.5, bias), {"k": [None, True, "text", 10**20]}],
            "tied": [weight, weight],
        },
        "tuple": (bias, "a", 2),
        "plain": {"a": [1, 2.5, None], "b": ("x", False), "c": {"d": {1, 2}}},
        "number": 3,
        "text": "π and \x00",
        "arrays": {"a": values("float64", (2, 2)), "b": [values("int64", (3,))]},
        "mixed": {"a": values("float64", (2, 2)), "t": bias},
    }


def same(got: Any, want: Any) -> bool:
    """Equality of type and value; Tensors count as their arrays."""
    if hasattr(got, "numpy") and not isinstance(got, np.ndarray):
        got = got.numpy()
    if isinstance(want, np.ndarray):
        return (
            isinstance(got, np.ndarray)
            and got.dtype == want.dtype
            and got.shape == want.shape
            and np.array_equal(got, want)
        )
    if isinstance(want, dict):
        return (
            isinstance(got, dict)
            and list(got) == list(want)
            and all(same(got[k], want[k]) for k in want)
        )
    if type(got) is not type(want):
        return False
    if isinstance(want, (list, tuple)):
        return len(got) == len(want) and all(map(same, got, want))
    return bool(got == want)


def as_array(array: np.ndarray, name: str, bf16: bool = False) -> np.ndarray:
    """The ``tensor`` argument of :func:`build` that gives the expected values."""
    return array
