"""Opsets: which versions of ONNX's operator set are written, and what asks for a later one."""

from __future__ import annotations

OLDEST = 11  # before it, sizes of slices, pads and resizes had to be constants
NEWEST = 27  # of 28, onnxruntime 1.32 has a ReduceLogSumExp that overflows


class NeedsOpset(Exception):
    """A rule has no form for the opset that is being written; the model is begun anew.

    Attributes:
        opset (int): the earliest that will do.
        why (str): the operator that asks for it.
    """

    def __init__(self, opset: int, why: str) -> None:
        super().__init__(opset, why)
        self.opset = opset
        self.why = why
