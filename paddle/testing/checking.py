"""gradcheck: the gradients of a function beside differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle import tensor
from paddle.autograd import grad
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.testing.comparing import difference
from paddle.testing.gradients import by_element
from paddle.testing.programs import dynamic

__all__ = ["gradcheck"]


def gradcheck(
    func: Callable, inputs: Any, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    order: int = 1,
) -> bool:  # fmt: skip
    """Compares the gradients of a function with central differences, element by element.

    The results are added up with fixed random weights, and that number is differentiated.

    Args:
        func (callable): takes the inputs and returns a Tensor, or several.
        inputs (Tensor|list[Tensor]): its arguments. Those of float64 or complex128 with
            ``stop_gradient=False`` are checked.
        eps (float): how far an element is moved to either side. Default: 1e-6.
        atol (float): what a gradient may be off. Default: 1e-5.
        rtol (float): what it may be off besides, in parts of the expected one. Default: 1e-3.
        order (int): 2 checks the second derivatives too, and so on. Default: 1.

    Returns:
        bool: True.

    Raises:
        AssertionError: a gradient is wrong; the text shows the worst element.
        ValueError: no input is to be checked, or one has too few bits for differences.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.testing import gradcheck
            x = paddle.to_tensor([[0.5, 1.0], [1.5, 2.0]], dtype="float64", stop_gradient=False)
            print(gradcheck(lambda x: paddle.tanh(x) @ x, x, order=2))  # True
    """
    args = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    for i, arg in enumerate(args):
        if not isinstance(arg, Tensor):
            raise TypeError(
                f"gradcheck(inputs[{i}]): expected a Tensor, but received {type(arg).__name__}."
            )
    checked = [i for i, arg in enumerate(args) if not arg.stop_gradient]
    if not checked:
        raise InvalidArgumentError(
            "gradcheck(inputs): expected a Tensor with stop_gradient=False, but there is none."
        )
    for i in checked:
        if str(args[i].dtype) not in ("VarType.FP64", "VarType.COMPLEX128"):
            raise InvalidArgumentError(
                f"gradcheck(inputs[{i}]): expected float64 or complex128, for differences of fewer "
                f"bits are too coarse, but received {args[i].dtype}."
            )
    with dynamic():
        leaves = [_leaf(arg) for arg in args]
        for depth in range(order):
            weighted = _weighted(func, depth)
            _check(weighted, leaves, checked, (eps, atol, rtol), depth + 1)
            func = _gradients(weighted, checked)
    return True


def _leaf(arg: Tensor) -> Tensor:
    """A copy whose elements can be moved one by one; what is not checked stays as it is."""
    if arg.stop_gradient:
        return arg
    return tensor.to_tensor(arg.numpy(), place=arg.place, stop_gradient=False)


def _weighted(func: Callable, depth: int) -> Callable:
    """The function whose results are added up with weights that depend on the place alone."""

    def number(*args: Tensor) -> Tensor:
        outs = func(*args)
        total = None
        for k, out in enumerate(outs if isinstance(outs, (list, tuple)) else [outs]):
            if not isinstance(out, Tensor) or out.stop_gradient:
                continue
            weight = np.random.RandomState(7 + k + 100 * depth).uniform(0.5, 1.5, out.shape)
            real = out
            if "COMPLEX" in str(out.dtype):
                real = tensor.real(out) + 0.7 * tensor.imag(out)
            term = tensor.sum(real * tensor.to_tensor(weight).astype(real.dtype))
            total = term if total is None else total + term
        if total is None:
            raise AssertionError(
                "gradcheck(func): no result depends on the inputs that are to be checked"
                + ("" if not depth else f" in derivatives of order {depth}")
            )
        return total

    return number


def _gradients(number: Callable, checked: list[int]) -> Callable:
    def gradients(*args: Tensor) -> list[Any]:
        leaves = [args[i] for i in checked]
        return grad([number(*args)], leaves, create_graph=True, allow_unused=True)

    return gradients


def _check(
    number: Callable, leaves: list[Tensor], checked: list[int], limits: tuple, order: int
) -> None:
    eps, atol, rtol = limits
    found = grad([number(*leaves)], [leaves[i] for i in checked], allow_unused=True)

    def value() -> float:
        return float(number(*leaves))

    for i, got in zip(checked, found, strict=True):
        expected = by_element(value, leaves[i], eps)
        array = np.zeros_like(expected) if got is None else got.numpy()
        wrong = difference(array, expected, rtol, atol)
        if wrong is not None:
            raise AssertionError(
                f"gradcheck: gradient of order {order} of input {i}: {wrong}\n"
                f"  allowed: {atol:g} + {rtol:g} * |expected|"
            )


guard_module(globals())
