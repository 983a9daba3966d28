"""Samples of the operator of ``x[...] = value``, each beside the assignment it stands for."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints

X = f64(4, 5, 6, key="x")
END = 2147483647


def _assigns(item, value=None):
    """A reference that makes the assignment with NumPy; the value is the tensor if None."""

    def run(x, tensor=None, first=None, last=None, by=None, **attrs):
        out = x.copy()
        out[item] = tensor if value is None else value
        return out

    return run


def _set(note, item, axes, starts, ends, value, x=X, tensors=None, **attrs):
    attrs = {"axes": axes, "starts": starts, "ends": ends, **attrs}
    inputs = {"Input": x, **(tensors or {})}
    if isinstance(value, np.ndarray):
        return Sample("set_value", inputs | {"ValueTensor": value}, attrs, _assigns(item),
                      note=note)  # fmt: skip
    return Sample("set_value", inputs, attrs, _assigns(item, value), note=note)


def _ones(*numbers):
    return [np.int64([n]) for n in numbers]


SAMPLES = [
    _set("rows", np.s_[1:3], [0], [1], [3], 7.5, values=[7.5], shape=[1], steps=[1]),
    _set("tensor", np.s_[:, -2:], [1], [-2], [END], f64(1, 6, key="v"), steps=[1]),
    _set("full_tensor", np.s_[1:3], [0], [1], [3], f64(2, 5, 6, key="v")),
    _set("int", np.s_[1, :, 2], [0, 2], [1, 2], [2, 3], f64(5, key="v"), decrease_axes=[0, 2]),
    _set("one", np.s_[0:1, 1:2, 2], [0, 1, 2], [0, 1, 2], [1, 2, 3], f64(1, 1, key="v"),
         decrease_axes=[0, 1, 2]),
    _set("new_axes", np.s_[:, None, 2, None, ::2], [1, 2], [2, 0], [3, END],
         f64(4, 1, 1, 3, key="v"), steps=[1, 2], decrease_axes=[1], none_axes=[1, 2]),
    _set("new_first", np.s_[None, 0, None, 1:3], [0, 1], [0, 1], [1, 3], f64(6, key="v"),
         steps=[1, 1], decrease_axes=[0], none_axes=[0, 2]),
    _set("backward", np.s_[::-1], [0], [END], [-1], f64(4, 1, 1, key="v"), steps=[-1]),
    _set("backward_part", np.s_[3:0:-2, 1], [0, 1], [3, 1], [0, 2], f64(2, 6, key="v"),
         steps=[-2, 1], decrease_axes=[1]),
    _set("backward_far", np.s_[2:-10:-1], [0], [2], [-10], f64(3, 1, 1, key="v"), steps=[-1]),
    _set("leading_one", np.s_[:, 0, ::2], [1, 2], [0, 0], [1, END], f64(1, 4, 3, key="v"),
         steps=[1, 2], decrease_axes=[1]),
    _set("several", np.s_[:2, 0, :3], [0, 1, 2], [0, 0, 0], [2, 1, 3], np.arange(6.0).reshape(2, 3),
         decrease_axes=[1]),
    _set("list", np.s_[0, 0, :3], [0, 1, 2], [0, 0, 0], [1, 1, 3], [1.0, 2.0, 3.0],
         decrease_axes=[0, 1], values=[1.0, 2.0, 3.0], shape=[3]),
    _set("nothing", np.s_[2:2], [0], [2], [2], 7.0, values=[7.0], shape=[1]),
    _set("fp32", np.s_[1], [0], [1], [2], 2.5, fp32_values=[2.5], shape=[1]),
    _set("fp64", np.s_[1], [0], [1], [2], 2.5, fp64_values=[2.5], shape=[1], dtype=6),
    _set("int64", np.s_[1:], [0], [1], [END], 3, ints(4), int64_values=[3], shape=[1], dtype=3),
    _set("int32", np.s_[1:], [0], [1], [END], 3, ints(4, dtype="int32"), int32_values=[3],
         shape=[1], dtype=2),
    _set("bool", np.s_[1:], [0], [1], [END], True, ints(4) > 9, bool_values=[1], shape=[1],
         dtype=0),
    _set("tensor_bounds", np.s_[1:4:2, 2:5], [0, 1], [-1, 2], [-1, 5], f64(6, key="v"),
         steps=[1, 1], tensors={"StartsTensorList": _ones(1, 2), "EndsTensorList": _ones(4, 5),
                                "StepsTensorList": _ones(2, 1)}),
]  # fmt: skip
for _sample in SAMPLES:
    if "StartsTensorList" in _sample.inputs:
        _sample.static_shape = False  # the shape is known, but shapes alone cannot run the kernel

ERRORS = [
    ErrorSample("set_value", {"Input": X, "ValueTensor": f64(2)},
                {"axes": [0], "starts": [0], "ends": [1]}, ValueError,
                r"a value of shape \[2\] cannot be broadcast to the place of shape \[1, 5, 6\]"),
    ErrorSample("set_value", {"Input": X}, {"axes": [0], "starts": [0], "ends": [1]}, ValueError,
                "expected a value"),
    ErrorSample("set_value", {"Input": X}, {"axes": [0], "starts": [0, 1], "ends": [1],
                "values": [1.0]}, ValueError, "as many starts, ends and steps"),
    ErrorSample("set_value", {"Input": X}, {"axes": [0], "starts": [0], "ends": [1], "steps": [0],
                "values": [1.0]}, ValueError, "differ from 0"),
    ErrorSample("set_value", {"Input": X}, {"axes": [3], "starts": [0], "ends": [1],
                "values": [1.0]}, ValueError, "axes is expected to be in range"),
    ErrorSample("set_value", {"Input": X}, {"axes": [0], "starts": [0], "ends": [2],
                "decrease_axes": [0], "values": [1.0]}, ValueError, "expected to have one element"),
]  # fmt: skip
