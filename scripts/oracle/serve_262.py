"""Runs Programs in PaddlePaddle 2.6.2 for another process, which asks over standard input.

A message is its length in 8 bytes and a pickle of plain objects; arrays travel as bytes of .npy
files, for the two processes have different releases of NumPy. A request is a dict:
  main, startup   serialised Programs (startup may be None)
  params, feeds   values by name; fetches: names
  steps           how often main runs; rates: None, or (variable, its value before each step)
  differentiate   None, or names of targets and inputs: 2.6.2 adds gradients, which are fetched
  after           names of variables to read from the scope when it is over
The answer has fetches (one list per step) and after, or error.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
import sys

import numpy as np

import paddle
from paddle import base


def packed(array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array))
    return buffer.getvalue()


def unpacked(data: bytes):
    return np.load(io.BytesIO(data))


def receive(stream):
    head = stream.read(8)
    return pickle.loads(stream.read(struct.unpack("<q", head)[0])) if head else None


def send(stream, message) -> None:
    data = pickle.dumps(message)
    stream.write(struct.pack("<q", len(data)) + data)
    stream.flush()


def set_value(scope, name: str, value) -> None:
    scope.var(name).get_tensor().set(value, base.CPUPlace())


def fetched(value):
    """An array, the list of those of a tensor array, or None for what was not computed."""
    if isinstance(value, (list, base.core.LoDTensorArray)):
        return [packed(v) for v in value]
    array = np.asarray(value)
    return None if array.dtype == object else packed(array)


def answer(request: dict) -> dict:
    scope = base.core.Scope()
    executor = base.Executor(base.CPUPlace())
    main = base.Program.parse_from_string(request["main"])
    runs = []
    with base.scope_guard(scope):
        if request["startup"]:
            executor.run(base.Program.parse_from_string(request["startup"]))
        if request.get("differentiate"):
            targets, inputs = request["differentiate"]
            block = main.global_block()
            found = paddle.static.gradients(
                [block.var(n) for n in targets], [block.var(n) for n in inputs]
            )
            request["fetches"] = [v.name for v in found if v is not None]
        for name, value in request["params"].items():
            set_value(scope, name, unpacked(value))
        feeds = {name: unpacked(value) for name, value in request["feeds"].items()}
        for step in range(request["steps"]):
            if request["rates"]:
                name, values = request["rates"]
                set_value(scope, name, np.array(values[step], "float32").reshape([1]))
            found = executor.run(main, feed=feeds, fetch_list=request["fetches"])
            runs.append([fetched(v) for v in found])
        after = {n: packed(scope.find_var(n).get_tensor()) for n in request["after"]}
    return {"fetches": runs, "after": after}


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what operators print does not belong to the answers
    paddle.enable_static()
    while True:
        request = receive(sys.stdin.buffer)
        if request is None:
            return
        try:
            message = answer(request)
        except Exception as error:
            message = {"error": f"{type(error).__name__}: {error}"}
        send(out, message)


if __name__ == "__main__":
    main()
