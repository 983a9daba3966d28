"""Runs models in onnxruntime, and operators of samples as models."""

from __future__ import annotations

import dataclasses
import re
import warnings
from typing import Any

import numpy as np
import onnxruntime

from paddle.core.errors import UnimplementedError
from paddle.core.op import REGISTRY
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.recording.shapes import infer_outputs
from paddle.ir.variable import Variable
from paddle.onnx.model import to_onnx
from tests.op_samples.sample import Sample
from tests.ops.table import call, tensors


def run(proto: Any, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Runs a ModelProto, its bytes, or a file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    content = proto.SerializeToString() if hasattr(proto, "SerializeToString") else proto
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session.run(None, {k: v for k, v in feed.items()
                              if k in {i.name for i in session.get_inputs()}})  # fmt: skip


# Inputs that are weights, and so stored, in a model whose sizes are open.
_WEIGHTS = {"Filter", "Bias", "Scale", "Mean", "Variance", "W", "Weight", "Alpha", "norm_weight",
            "norm_bias", "WeightList"}  # fmt: skip


class NotRecorded(Exception):
    """An operator that cannot be recorded with open sizes."""


class OneOperator:
    """A Program of one operator, made of a sample.

    Attributes:
        open: how many dimensions of what is fed are unknown to the Program.
        expected: variable of an output -> the Tensor that an eager call gives.
        proto: the model, once it is written.
    """

    def __init__(self, sample: Sample, dtype: str = "float32", open: int = 0) -> None:
        self.open = open
        self.op = REGISTRY[sample.op]
        # In a test these scales come from what training has left, which a sample has not.
        if "is_test" in self.op.attrs and "channel_wise" not in sample.op:
            sample = dataclasses.replace(sample, attrs={**sample.attrs, "is_test": True})
        self.sample = sample
        self.args = tensors(sample, dtype)
        before = tensors(sample, dtype)
        self.expected: dict[str, Any] = {}
        outputs: dict[str, list[str]] = {}
        results = call(sample, self.args)
        slots = [s for s in self.op.outputs if not s.writes]
        for slot, result in zip(slots, results, strict=True):
            listed = result if isinstance(result, list) else [result]
            names = [f"{slot.name}_{i}" for i, r in enumerate(listed) if r is not None]
            self.expected |= dict(zip(names, [r for r in listed if r is not None], strict=True))
            if names:
                outputs[slot.name] = names
        self.args = before
        self.inputs: dict[str, list[str]] = {}
        self.feed: dict[str, Any] = {}
        for slot, arg in zip(self.op.inputs, self.args, strict=True):
            listed = arg if isinstance(arg, list) else [arg]
            names = [f"{slot.name}.{i}" for i, a in enumerate(listed) if a is not None]
            self.feed |= dict(zip(names, [a for a in listed if a is not None], strict=True))
            if names:
                self.inputs[slot.name] = names
        self.outputs = outputs

    def program(self, constants: set[str]) -> Program:
        """The Program; the named inputs are stored, the others are fed."""
        made = Program()
        block = made.global_block()
        for name, tensor in {**self.feed, **self.expected}.items():
            shape = tensor.shape
            if name in self.feed and name not in constants:
                shape = [-1 if i < self.open else n for i, n in enumerate(shape)]
            block.vars[name] = Variable(
                block, name=name, shape=shape, dtype=tensor.dtype,
                persistable=name in constants, is_data=name in self.feed,
            )  # fmt: skip
        attrs = {k: list(v) if isinstance(v, tuple) else v for k, v in self.sample.attrs.items()}
        op = Operator(block, self.sample.op, self.inputs, self.outputs, attrs)
        block.ops.append(op)
        if self.open:
            try:
                infer_outputs(op)
            except Exception as error:  # with sizes that are not known
                raise NotRecorded from error
        return made

    def export(self, opset: int) -> Any:
        """Writes the model: everything is fed, or else what the rule wants to know is stored."""
        first = self.op.inputs[0].name if self.op.inputs else ""
        optional = {s.name for s in self.op.inputs if s.optional}
        own = {n for s, ns in self.inputs.items() if s in _WEIGHTS for n in ns if self.open}
        choices = [own, own | {n for s, ns in self.inputs.items() if s in optional for n in ns},
                   {n for s, ns in self.inputs.items() if s != first for n in ns}]  # fmt: skip
        error = None
        for constants in choices:
            try:
                return self._exported(constants, opset)
            except UnimplementedError as caught:
                error = caught
        raise error

    def _exported(self, constants: set[str], opset: int) -> Any:
        fetches = list(self.expected)
        values = {n: self.feed[n].numpy() for n in constants}
        while True:
            feeds = [n for n in self.feed if n not in constants]
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message=r".*opset_version")
                    self.proto = to_onnx(self.program(constants), values, feeds, fetches, opset)
                self.fetches = fetches
                return self.proto
            except UnimplementedError as error:
                lacking = re.findall(r"no value for output '([^']+)'", str(error))
                fetches = [n for n in fetches if n not in lacking]
                if not lacking or not fetches:
                    raise

    def results(self) -> list[np.ndarray]:
        """What the model gives for the sample's inputs."""
        return run(self.proto, {n: t.numpy() for n, t in self.feed.items()})

    def check_shapes(self) -> list[np.ndarray]:
        """Runs the model and compares dtypes and shapes of what it gives with the eager call."""
        results = self.results()
        for name, result in zip(self.fetches, results, strict=True):
            want = self.expected[name].numpy()
            assert result.dtype == want.dtype, f"{name}: {result.dtype} != {want.dtype}"
            assert result.shape == want.shape, f"{name}: {result.shape} != {want.shape}"
        return results

    def check(self, rtol: float, atol: float) -> None:
        """Runs the model and compares what it gives with the eager call."""
        for name, result in zip(self.fetches, self.check_shapes(), strict=True):
            want = self.expected[name].numpy()
            if want.dtype.kind == "f":
                scale = float(np.nanmax(np.abs(np.where(np.isfinite(want), want, 0)), initial=0))
                np.testing.assert_allclose(
                    result, want, rtol, max(atol, rtol * scale), err_msg=name
                )
            else:
                np.testing.assert_array_equal(result, want, err_msg=name)
