"""Layers that draw random numbers, dropout among them."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.fluid.layers.common import API, check_value, is_static, sizes
from paddle.fluid.layers.results import recorded, stored
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.current import default_main_program

__all__ = [
    "dropout", "gaussian_random", "randint", "randn", "randperm", "uniform_random",
]  # fmt: skip


def dropout(
    x: Any, dropout_prob: Any, is_test: Any = False, seed: int | None = None,
    name: str | None = None, dropout_implementation: str = "downgrade_in_infer",
) -> Any:  # fmt: skip
    """Sets elements to zero by chance.

    Args:
        x (Variable): floating.
        dropout_prob (float): the chance.
        is_test (bool): nothing is set to zero. Default: False.
        seed (int, optional): for numbers that repeat; None means the Program's.
        name (str, optional): what the results are named after.
        dropout_implementation (str): ``'downgrade_in_infer'``: in tests all is multiplied by
            ``1 - dropout_prob``; ``'upscale_in_train'``: what is left is divided by that while
            training, which is what 2.0 does. Default: downgrade_in_infer.

    Returns:
        Variable: of the shape of x.

    Raises:
        ValueError: a chance outside of [0, 1], or an unknown implementation.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3])
            print(fluid.layers.dropout(x, 0.5).name)  # dropout_0.tmp_0
            paddle.disable_static()
    """
    check_value("dropout", "x", x)
    if not isinstance(dropout_prob, (int, float)) or not 0 <= dropout_prob <= 1:
        raise InvalidArgumentError(
            f"{API}dropout(dropout_prob): expected a number in [0, 1], but received "
            f"{dropout_prob!r}."
        )
    if dropout_implementation not in ("downgrade_in_infer", "upscale_in_train"):
        raise InvalidArgumentError(
            f"{API}dropout(dropout_implementation): expected 'downgrade_in_infer' or "
            f"'upscale_in_train', but received {dropout_implementation!r}."
        )
    if not seed and is_static():
        seed = default_main_program().random_seed or None
    return LayerHelper("dropout", name=name).call(
        "dropout", x, None, dropout_prob=float(dropout_prob), is_test=bool(is_test),
        dropout_implementation=dropout_implementation, fix_seed=seed is not None, seed=seed or 0,
    )[0]  # fmt: skip


def uniform_random(
    shape: Any, dtype: Any = "float32", min: float = -1.0, max: float = 1.0, seed: int = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Numbers of equal chance in ``[min, max)``.

    Args:
        shape (list|tuple|Variable): the sizes, of which some may be Variables.
        dtype (str|VarType): float32 or float64. Default: float32.
        min (float): the smallest. Default: -1.
        max (float): the end. Default: 1.
        seed (int): for numbers that repeat; 0: others each time. Default: 0.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the numbers.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            print(fluid.layers.uniform_random([2, 3]).shape)  # (2, 3)
            paddle.disable_static()
    """
    helper = LayerHelper("uniform_random", name=name)
    wanted = sizes(helper.name, shape, "uniform_random", "shape", dtype=VarType.INT64)
    return helper.call(
        "uniform_random", wanted.whole, wanted.parts, shape=wanted.ints,
        dtype=int(to_vartype(dtype)), min=float(min), max=float(max), seed=seed,
    )  # fmt: skip


def gaussian_random(
    shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = "float32",
    name: str | None = None,
) -> Any:  # fmt: skip
    """Numbers of a normal distribution.

    Args:
        shape (list|tuple|Variable): the sizes, of which some may be Variables.
        mean (float): their mean. Default: 0.
        std (float): their standard deviation. Default: 1.
        seed (int): for numbers that repeat; 0: others each time. Default: 0.
        dtype (str|VarType): float32 or float64. Default: float32.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the numbers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.gaussian_random([2, 3]).shape)  # (2, 3)
    """
    return _normal("gaussian_random", shape, mean, std, seed, dtype, name)


def _normal(
    layer: str, shape: Any, mean: float, std: float, seed: int, dtype: Any, name: str | None
) -> Any:
    helper = LayerHelper(layer, name=name)
    wanted = sizes(helper.name, shape, layer, "shape", dtype=VarType.INT64)
    return helper.call(
        "gaussian_random", wanted.whole, wanted.parts, shape=wanted.ints, mean=float(mean),
        std=float(std), seed=seed, dtype=int(to_vartype(dtype)),
    )  # fmt: skip


def _given(out: Any, made: Any, operator: str, operands: list, attrs: dict) -> Any:
    if out is not None and is_static():
        return recorded(out, operator, operands, attrs)
    return stored(out, made())


def randn(
    shape: Any, out: Any = None, dtype: Any = None, device: Any = None,
    stop_gradient: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """Numbers of the standard normal distribution.

    Args:
        shape (list|tuple): the sizes.
        out (Variable, optional): takes the result.
        dtype (str, optional): None means float32.
        device (str, optional): ``'cpu'`` or ``'gpu'``; the run's place computes it.
        stop_gradient (bool): no gradient is computed for it. Default: True.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the numbers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.randn([2, 3]).shape)  # (2, 3)
    """
    kind = int(to_vartype("float32" if dtype is None else dtype))
    attrs = {"shape": list(shape), "mean": 0.0, "std": 1.0, "seed": 0, "dtype": kind}
    made = _given(out, lambda: _normal("randn", shape, 0.0, 1.0, 0, dtype or "float32", name),
                  "gaussian_random", [None, None], attrs)  # fmt: skip
    made.stop_gradient = stop_gradient
    return made


def randint(
    low: int, high: int | None = None, shape: Any = None, out: Any = None, dtype: Any = None,
    device: Any = None, stop_gradient: bool = False, seed: int = 0, name: str | None = None,
) -> Any:  # fmt: skip
    """Integers of equal chance in ``[low, high)``; with ``low`` alone in ``[0, low)``.

    Args:
        low (int): the smallest, or the end.
        high (int, optional): the end.
        shape (list|tuple|Variable, optional): the sizes; None means ``[1]``.
        out (Variable, optional): takes the result.
        dtype (str, optional): int32 or int64; None means int64.
        device (str, optional): ``'cpu'`` or ``'gpu'``; the run's place computes it.
        stop_gradient (bool): no gradient is computed for it. Default: False.
        seed (int): for numbers that repeat; 0: others each time. Default: 0.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the numbers.

    Raises:
        ValueError: nothing lies between.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.randint(0, 10, shape=[2, 3]).shape)  # (2, 3)
    """
    if high is None:
        low, high = 0, low
    if low >= high:
        raise InvalidArgumentError(
            f"{API}randint(low): expected less than high = {high}, but received {low}."
        )
    helper = LayerHelper("randint", name=name)
    wanted = sizes(helper.name, [1] if shape is None else shape, "randint", "shape",
                   dtype=VarType.INT64)  # fmt: skip
    attrs = {"low": low, "high": high, "shape": wanted.ints, "seed": seed,
             "dtype": int(to_vartype("int64" if dtype is None else dtype))}  # fmt: skip
    operands = [wanted.whole, wanted.parts]
    made = _given(out, lambda: helper.call("randint", *operands, **attrs), "randint", operands,
                  attrs)  # fmt: skip
    made.stop_gradient = stop_gradient
    return made


def randperm(
    n: int, out: Any = None, dtype: Any = "int64", device: Any = None, stop_gradient: bool = True,
    seed: int = 0,
) -> Any:  # fmt: skip
    """The integers below ``n`` in random order.

    Args:
        n (int): how many.
        out (Variable, optional): takes the result.
        dtype (str): int32 or int64. Default: int64.
        device (str, optional): ``'cpu'`` or ``'gpu'``; the run's place computes it.
        stop_gradient (bool): no gradient is computed for it. Default: True.
        seed (int): for numbers that repeat; 0: others each time. Default: 0.

    Returns:
        Variable: ``[n]``.

    Raises:
        ValueError: n is below 1.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.randperm(5).shape)  # (5,)
    """
    if n < 1:
        raise InvalidArgumentError(f"{API}randperm(n): expected an int >= 1, but received {n}.")
    helper = LayerHelper("randperm")
    attrs = {"n": n, "dtype": int(to_vartype(dtype)), "seed": seed}
    made = _given(out, lambda: helper.call("randperm", **attrs), "randperm", [], attrs)
    made.stop_gradient = stop_gradient
    return made


guard_module(globals())
