"""The operations of a Program, by the formulas of paddle.flops, with all or some channels."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from paddle.hapi import flop_count
from paddle.incubate.compress.dependency import forward_ops
from paddle.incubate.compress.step import View
from paddle.ir.operator import Operator

_CONVOLUTIONS = ("conv2d", "conv3d", "depthwise_conv2d")


class FlopCounter:
    """Counts the operations of a forward pass for one sample.

    Args:
        view (View): the Program, with the channels of its variables.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._block = view.program.global_block()
        self._counts: list[tuple[str, Callable[[], int]]] = []
        self._staying: np.ndarray | None = None
        convolved: set[str] = set()
        for op in forward_ops(view):
            self._add(op, convolved)

    def count(self, staying: np.ndarray | None = None) -> int:
        """Returns the number of operations.

        Args:
            staying (np.ndarray, optional): for each channel whether it is there; None: all are.
        """
        self._staying = staying
        return sum(each() for _, each in self._counts)

    def by_parameter(self, staying: np.ndarray | None = None) -> dict[str, int]:
        """Returns the operations of products with each weight.

        Args:
            staying (np.ndarray, optional): for each channel whether it is there; None: all are.
        """
        self._staying = staying
        found: dict[str, int] = {}
        for variable, each in self._counts:
            name = self._view.stored.get(variable)
            if name is not None:
                found[name] = found.get(name, 0) + each()
        return found

    def _add(self, op: Operator, convolved: set[str]) -> None:
        kind = op.type
        if "conv" in kind and kind in (*_CONVOLUTIONS, *(f"{c}_transpose" for c in _CONVOLUTIONS)):
            out, weight = op.output("Output")[0], op.input("Filter")[0]
            convolved.add(out)
            self._put(weight, lambda: flop_count.of_convolution(
                self._size(out), self._weights(op, weight), bool(op.input("Bias"))
            ))  # fmt: skip
        elif kind == "elementwise_add" and op.input("X")[0] in convolved:
            added = op.output("Out")[0]
            if op.input("Y")[0] in self._view.stored:
                self._put("", lambda: self._size(added))
        elif kind in ("matmul", "matmul_v2", "mul", "fc"):
            self._add_product(op)
        elif kind in ("batch_norm", "sync_batch_norm"):
            source = op.input("X")[0]
            self._put("", lambda: flop_count.of_batch_norm(self._size(source)))
        elif kind in ("pool2d", "pool3d") and op.attr("pooling_type") == "avg":
            self._add_average(op)
        elif kind == "leaky_relu":
            made = op.output("Out")[0]
            self._put("", lambda: self._size(made))

    def _put(self, weight: str, count: Callable[[], int]) -> None:
        self._counts.append((weight, count))

    def _add_product(self, op: Operator) -> None:
        out = op.output("Out")[0]
        if op.type in ("mul", "fc"):
            weight, axis = op.input("W" if op.type == "fc" else "Y")[0], 0
        else:
            flipped = op.attrs.get("trans_y", op.attrs.get("transpose_Y", False))
            weight, axis = op.input("Y")[0], -1 if flipped else -2
        self._put(weight, lambda: flop_count.of_product(self._size(out), self._axes(weight)[axis]))

    def _add_average(self, op: Operator) -> None:
        source, made = op.input("X")[0], op.output("Out")[0]
        if not op.attrs.get("adaptive"):
            self._put("", lambda: self._size(made))
            return
        before, after = self._axes(source)[2:], self._axes(made)[2:]
        window = math.prod(max(a // b, 1) for a, b in zip(before, after, strict=True))
        self._put("", lambda: flop_count.of_adaptive_pool(self._size(made), window))

    def _weights(self, op: Operator, weight: str) -> int:
        """How many weights a value of a convolution takes."""
        sizes = self._axes(weight)
        if "transpose" not in op.type:
            return math.prod(sizes[1:])
        groups = max(int(op.attr("groups") or 1), 1)
        return max(sizes[0] // groups, 1) * math.prod(sizes[2:])

    def _axes(self, name: str) -> list[int]:
        var = self._block._find_var_recursive(name)
        sizes = [] if var is None else [max(int(n), 1) for n in var.shape]
        labels = self._view.labels.get(name)
        if labels is None or self._staying is None:
            return sizes
        staying = self._staying
        return [
            n if own is None else int(staying[own].sum())
            for n, own in zip(sizes, labels, strict=True)
        ]

    def _size(self, name: str) -> int:
        return math.prod(self._axes(name))
