"""Compares users' functions and layers: eager, converted, with an InputSpec, saved and loaded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import paddle
from paddle.core.pytree import leaves
from paddle.static import InputSpec

Case = tuple[Any, ...]


class Snippet:
    """A function, or a class of Layers, and the arguments to try it with.

    Args:
        target: the function or class.
        cases: argument tuples; arrays become Tensors.
        spec: "auto" (sizes that differ between the cases are unknown), a list, or None for none.
        save: whether it is saved and loaded too; needs a spec.
        grad: whether gradients are compared.
        near: tolerance.
    """

    def __init__(self, target: Any, cases: Sequence[Case], spec: Any = "auto", save: bool = True,
                 grad: bool = True, near: float = 1e-5) -> None:  # fmt: skip
        self.target, self.cases, self.grad, self.near = target, list(cases), grad, near
        self.name = target.__name__
        self.trained: dict[int, list[bool]] = {}
        self.spec = self._auto() if spec == "auto" else spec
        self.save = save and self.spec is not None

    def _auto(self) -> list[InputSpec] | None:
        if any(not isinstance(a, np.ndarray) for case in self.cases for a in case):
            return None
        if len({len(case) for case in self.cases}) > 1:
            return None
        found = []
        for i, same in enumerate(zip(*self.cases, strict=True)):
            shapes = [a.shape for a in same]
            if len({len(s) for s in shapes}) > 1:
                return None
            dims = [s[0] if len(set(s)) == 1 else None for s in zip(*shapes, strict=True)]
            found.append(InputSpec(dims, str(same[0].dtype), name=f"in_{i}"))
        return found

    def make(self) -> Any:
        """Returns a new layer (its parameters the same every time), or the function."""
        paddle.seed(5)
        return self.target() if inspect.isclass(self.target) else self.target

    def run(self, callee: Callable, case: Case, layer: Any) -> list[np.ndarray]:
        """Calls it; returns all results and gradients."""
        tensors = [tensor(a) if isinstance(a, np.ndarray) else a for a in case]
        before = [np.array(a) for a in case if isinstance(a, np.ndarray)]
        paddle.seed(3)
        outputs = callee(*tensors)
        found = [array(v) for v in leaves(outputs)]
        self.tensors = [isinstance(v, paddle.Tensor) for v in leaves(outputs)]
        for old, new in zip(before, [t for t in tensors if isinstance(t, paddle.Tensor)],
                            strict=True):  # fmt: skip
            found.append(new.numpy())
            np.testing.assert_array_equal(old, new.numpy(), err_msg="an argument was changed")
        if not self.grad:
            return found
        total = None
        # A conditional block as a whole has a gradient: zeros where eager Tensors have none.
        known = self.trained.setdefault(id(case), [getattr(v, "stop_gradient", True)
                                                   for v in leaves(outputs)])  # fmt: skip
        for value, stopped in zip(leaves(outputs), known, strict=True):
            if not stopped and not value.stop_gradient:
                part = (value * paddle.cos(value)).sum()
                total = part if total is None else total + part
        if total is None:
            return found
        total.backward()
        holders = [t for t in tensors if isinstance(t, paddle.Tensor)]
        if isinstance(layer, paddle.nn.Layer):
            holders += layer.parameters()
        for holder in holders:
            if not holder.stop_gradient:
                got = holder.grad
                found.append(np.zeros(holder.shape) if got is None else array(got))
                holder.clear_gradient()
        return found

    def check(self, folder: Any) -> None:
        """Runs all ways and compares."""
        eager = self.make()
        expected = [self.run(eager, case, eager) for case in self.cases]
        one = self.make()
        self._compare("converted", paddle.jit.to_static(one), expected, one)
        if self.spec is None:
            return
        two = self.make()
        static = paddle.jit.to_static(two, input_spec=self.spec)
        self._compare("with InputSpec", static, expected, two)
        if self.save:
            path = str(folder / self.name)
            plain, three = self.make(), self.make()
            if isinstance(plain, paddle.nn.Layer):
                plain.eval()
                three.eval()
            expected = [self.run(plain, case, plain) for case in self.cases]
            static = paddle.jit.to_static(three, input_spec=self.spec)
            self.run(static, self.cases[0], three)  # says which results are Tensors
            three = self.make()
            if isinstance(three, paddle.nn.Layer):
                three.eval()
            static = paddle.jit.to_static(three, input_spec=self.spec)
            paddle.jit.save(static, path, input_spec=self.spec)
            self._loaded(paddle.jit.load(path), expected)

    def _compare(self, how: str, callee: Callable, expected: list, layer: Any) -> None:
        for case, want in zip(self.cases, expected, strict=True):
            got = self.run(callee, case, layer)
            self._same(f"{self.name}, {how}", got, want)

    def _same(self, how: str, got: list, want: list) -> None:
        assert len(got) == len(want), (how, len(got), len(want))
        for i, (a, b) in enumerate(zip(got, want, strict=True)):
            assert a.shape == b.shape, (how, i, a.shape, b.shape)
            kinds = a.dtype.kind, b.dtype.kind
            assert a.dtype == b.dtype or (b.dtype == np.float64 and kinds[0] == "f"), (how, i)
            if kinds[1] in "UO":
                assert a.tolist() == b.tolist(), (how, i)
                continue
            np.testing.assert_allclose(a, b, self.near, self.near, err_msg=f"{how}, {i}")

    def _loaded(self, loaded: Any, expected: list) -> None:
        loaded.eval()
        for case, want in zip(self.cases, expected, strict=True):
            outputs = loaded(*[tensor(a) for a in case])
            got = [array(v) for v in leaves(outputs)]
            only = [w for w, tensor in zip(want, self.tensors, strict=False) if tensor]
            self._same(f"{self.name}, loaded", got, only)


def tensor(value: np.ndarray) -> paddle.Tensor:
    """A Tensor that records gradients if it is of floats."""
    made = paddle.to_tensor(value)
    made.stop_gradient = value.dtype.kind != "f"
    return made


def array(value: Any) -> np.ndarray:
    """Any result as an array; numbers have shape [1], as Tensors of one number have."""
    if isinstance(value, paddle.Tensor):
        return value.numpy()
    if isinstance(value, (bool, int, float)):
        return np.array([value])
    return np.array(value, dtype=object) if value is None else np.array([str(value)])


def floats(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Normal numbers."""
    return (np.random.RandomState(seed).randn(*shape) * scale).astype("float32")


def ints(*shape: int, high: int, low: int = 0, seed: int = 0) -> np.ndarray:
    """Whole numbers from low to high - 1."""
    return np.random.RandomState(seed).randint(low, high, shape).astype("int64")


class Snippets(list):
    """The snippets of a file."""

    def add(self, *cases: Case, **options: Any) -> Callable:
        """Decorates a function or class: adds it."""

        def put(target: Any) -> Any:
            self.append(Snippet(target, cases, **options))
            return target

        return put
