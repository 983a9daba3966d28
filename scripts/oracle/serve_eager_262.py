"""Runs calls of the public API eagerly for another process: the server of eager_in_262.py.

The same functions run the calls there (with PaddlePaddle 2.6.2) and here. A request is a pair
(table, name); the answer is ("returned", [(dtype, array) of each tensor]) or ("raised", message).
Arrays travel as bytes of .npy files, for the two processes have different releases of NumPy;
bfloat16 travels as float32. What a layer creates gets values that depend on its order and shape.
"""

from __future__ import annotations

import importlib.util
import io
import os
import pickle
import struct
import sys
import warnings
from pathlib import Path

import numpy as np

import paddle

HERE = Path(__file__).resolve().parent
CALLS = HERE.parents[1] / "tests" / "static"
TABLES = {
    "tensor": CALLS / "calls_tensor.py",
    "functional": CALLS / "calls_functional.py",
    "layer": CALLS / "calls_layer.py",
    "random": CALLS / "calls_random.py",
    "more": HERE / "eager_calls.py",
    "wrong": HERE / "eager_wrong.py",
}


def module_of(path):
    """A module by its file: the package around it needs what only one of the two has."""
    spec = importlib.util.spec_from_file_location("oracle_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VALUES = module_of(CALLS / "values.py")


class Calls:
    """The tables, and how one call of them is run."""

    def __init__(self):
        self.tables = {name: module_of(path).CALLS for name, path in TABLES.items()}
        self.created = 0
        original = paddle.nn.Layer.create_parameter

        def create_parameter(*args, **kwargs):
            made = original(*args, **kwargs)
            constant = made is not None and (made.numpy() == 1).all()  # the scales of norms stay
            if made is not None and not constant:
                state = np.random.RandomState(self.created)
                made.set_value(state.uniform(-0.7, 0.7, made.shape).astype("float32"))
                self.created += 1
            return made

        paddle.nn.Layer.create_parameter = create_parameter

    def outcome(self, table, name):
        """What a call gives: ("returned", [(dtype, array)]) or ("raised", message)."""
        paddle.seed(7)
        self.created = 0
        call = self.tables[table][name]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                arrays = VALUES.arrays_for(call)
                found = call(**{k: paddle.to_tensor(v) for k, v in arrays.items()})
                return "returned", [plain(v) for v in flat(found)]
        except Exception as error:
            return "raised", "%s: %s" % (type(error).__name__, error)


def flat(found):
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (list, tuple)):
        return [v for part in found for v in flat(part)]
    return [] if found is None else [found]


def plain(value):
    """(name of the dtype, array) of a tensor, or of a number or a text."""
    if not isinstance(value, paddle.Tensor):
        return type(value).__name__, np.asarray(value)
    name = dtype_of(value)
    return name, (value.astype("float32") if name == "bfloat16" else value).numpy()


def dtype_of(tensor):
    text = str(tensor.dtype)
    if text.startswith("VarType."):
        from paddle.core.dtype import dtype_name

        return dtype_name(tensor.dtype)
    return text.replace("paddle.", "")


def packed(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def main():
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what calls print does not belong to the answers
    calls = Calls()
    while True:
        head = sys.stdin.buffer.read(8)
        if not head:
            return
        request = pickle.loads(sys.stdin.buffer.read(struct.unpack("<q", head)[0]))
        kind, found = calls.outcome(*request)
        if kind == "returned":
            found = [(name, packed(array)) for name, array in found]
        data = pickle.dumps((kind, found))
        out.write(struct.pack("<q", len(data)) + data)
        out.flush()


if __name__ == "__main__":
    main()
