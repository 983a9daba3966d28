"""Random tensors; all of them follow :func:`paddle.seed`."""

from __future__ import annotations

from typing import Any

from paddle.core import dtype as _dtype
from paddle.core.dtype import FLOATING, VarType, dtype_name, to_vartype
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, check_not_negative
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import is_variable, read_dims, read_int, shape_of, shapes_fit, wrong_type

__all__ = [
    "bernoulli", "multinomial", "normal", "rand", "randint", "randn", "randperm",
    "standard_normal", "uniform",
]  # fmt: skip


def _floating(dtype: Any, api: str) -> VarType:
    """The type of a random tensor; None means the default type."""
    if dtype is None:
        return _dtype._default
    found = to_vartype(dtype)
    if found not in FLOATING:
        raise InvalidTypeError(
            f"{api}(dtype): expected float16, bfloat16, float32 or float64, "
            f"but received {dtype_name(found)}."
        )
    return found


def _shape(shape: Any, api: str) -> Any:
    dims = read_dims(shape, api, "shape")
    if dims.whole is None and dims.parts is None and any(n < 0 for n in dims.ints):
        raise InvalidArgumentError(
            f"{api}: shape is expected to hold no negative size, but received {dims.ints}."
        )
    return dims


def bernoulli(x: Tensor, name: str | None = None) -> Tensor:
    """Draws 1 with the probability that ``x`` gives for each element, else 0.

    Args:
        x (Tensor): probabilities in [0, 1], of a floating type.
        name (str, optional): has no effect.

    Returns:
        Tensor: 0s and 1s, like ``x`` in shape and type.

    Raises:
        ValueError: a probability lies outside of [0, 1].

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0, 1.0])
            print(paddle.bernoulli(x).numpy())  # [0. 1. 1.]
    """
    return C.bernoulli(x)


def multinomial(
    x: Tensor, num_samples: int = 1, replacement: bool = False, name: str | None = None
) -> Tensor:
    """Draws categories with probabilities in proportion to the given weights.

    Args:
        x (Tensor): weights, of shape [categories] or [distributions, categories]; they need not
            add up to 1.
        num_samples (int, optional): how many to draw from each distribution. Default: 1.
        replacement (bool, optional): whether a category may be drawn again. Default: False.
        name (str, optional): has no effect.

    Returns:
        Tensor: int64, of shape [num_samples] or [distributions, num_samples].

    Raises:
        ValueError: negative weights, or fewer categories with a positive weight than are to be
            drawn without replacement.

    Examples:
        .. code-block:: python

            import paddle
            weights = paddle.to_tensor([0.0, 3.0, 0.0, 1.0])
            drawn = paddle.multinomial(weights, num_samples=2)
            print(sorted(drawn.tolist()))  # [1, 3]
    """
    return C.multinomial(
        x, num_samples=read_int(num_samples, "multinomial", "num_samples"),
        replacement=bool(replacement)
    )  # fmt: skip


def standard_normal(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Draws from the normal distribution of mean 0 and standard deviation 1.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        dtype (str|np.dtype, optional): a floating type; None means the default type.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.standard_normal([2, 3]).shape)  # [2, 3]
    """
    return _gaussian("standard_normal", shape, 0.0, 1.0, dtype)


def randn(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Draws from the normal distribution of mean 0 and standard deviation 1.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        dtype (str|np.dtype, optional): a floating type; None means the default type.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.randn([2, 3], dtype="float64").dtype)  # VarType.FP64
    """
    return _gaussian("randn", shape, 0.0, 1.0, dtype)


def _gaussian(api: str, shape: Any, mean: float, std: float, dtype: Any) -> Tensor:
    kind = _floating(dtype, api)
    ints, whole, parts = _shape(shape, api)
    return C.gaussian_random(whole, parts, shape=ints, mean=mean, std=std, dtype=kind)


def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: str | None = None) -> Tensor:
    """Draws from normal distributions.

    Args:
        mean (float|Tensor, optional): the mean, or one for every element. Default: 0.0.
        std (float|Tensor, optional): the standard deviation, or one for every element.
            Default: 1.0.
        shape (list|tuple|Tensor, optional): sizes of the result; only used where neither ``mean``
            nor ``std`` is a Tensor, which say it themselves. Default: None, one number.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the type of ``mean`` or ``std``, else of the default type.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.normal(shape=[2, 3]).shape)  # [2, 3]
            mean = paddle.to_tensor([1.0, 2.0, 3.0])
            print(paddle.normal(mean, 0.5).shape)  # [3]
    """
    given = [t for t in (mean, std) if isinstance(t, Tensor) or is_variable(t)]
    for arg, value in (("mean", mean), ("std", std)):
        if not isinstance(value, (int, float)) and not any(value is t for t in given):
            raise wrong_type("normal", arg, value, "a float or a Tensor")
    if not given:
        check_not_negative("normal", std=std)
        return _gaussian("normal", [1] if shape is None else shape, float(mean), float(std), None)
    kind = _floating(given[0].dtype, "normal")
    if len(given) == 2 and not shapes_fit(mean.shape, std.shape):
        raise InvalidArgumentError(
            f"normal: mean and std are expected to have one shape, but received {mean.shape} and "
            f"{std.shape}."
        )
    ints, whole, _ = shape_of(given[0])
    drawn = C.gaussian_random(whole, shape=ints, dtype=kind)
    return drawn * std + mean


def uniform(
    shape: Any, dtype: Any = None, min: float = -1.0, max: float = 1.0, seed: int = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Draws numbers evenly from ``[min, max)``.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        dtype (str|np.dtype, optional): a floating type; None means the default type.
        min (float, optional): lower end. Default: -1.0.
        max (float, optional): upper end. Default: 1.0.
        seed (int, optional): 0 draws from the generator that :func:`paddle.seed` sets; any other
            number always gives the same result.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.uniform([100], min=0.0, max=2.0)
            print(bool((x >= 0).all()), bool((x < 2).all()))  # True True
            a, b = paddle.uniform([2], seed=7), paddle.uniform([2], seed=7)
            print(bool((a == b).all()))  # True
    """
    kind = _floating(dtype, "uniform")
    ints, whole, parts = _shape(shape, "uniform")
    return C.uniform_random(
        whole, parts, shape=ints, dtype=kind, min=float(min), max=float(max),
        seed=read_int(seed, "uniform", "seed"),
    )  # fmt: skip


def rand(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Draws numbers evenly from ``[0, 1)``.

    Args:
        shape (list|tuple|Tensor): sizes; entries may be Tensors of one integer.
        dtype (str|np.dtype, optional): a floating type; None means the default type.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.rand([2, paddle.to_tensor(3)]).shape)  # [2, 3]
    """
    kind = _floating(dtype, "rand")
    ints, whole, parts = _shape(shape, "rand")
    return C.uniform_random(whole, parts, shape=ints, dtype=kind, min=0.0, max=1.0)


def randint(
    low: int = 0, high: int | None = None, shape: Any = [1], dtype: Any = None,  # noqa: B006
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Draws integers evenly from ``[low, high)``, or from ``[0, low)`` without ``high``.

    Args:
        low (int, optional): the lowest number. Default: 0.
        high (int, optional): one above the highest number. Default: None.
        shape (list|tuple|Tensor, optional): sizes; entries may be Tensors of one integer.
            Default: [1].
        dtype (str|np.dtype, optional): int32 or int64; None means int64.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type asked for.

    Raises:
        ValueError: the range is empty.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.randint(-5, 5, [100])
            print(bool((x >= -5).all()), bool((x < 5).all()))  # True True
            print(paddle.randint(10).shape)  # [1]
    """
    low = read_int(low, "randint", "low")
    if high is None:
        if low <= 0:
            raise InvalidArgumentError(
                f"randint: without high, low is expected to be positive, but received {low}."
            )
        low, high = 0, low
    ints, whole, parts = _shape(shape, "randint")
    return C.randint(
        whole, parts, low=low, high=read_int(high, "randint", "high"), shape=ints,
        dtype=_integer(dtype, "randint"),
    )  # fmt: skip


def _integer(dtype: Any, api: str) -> VarType:
    found = VarType.INT64 if dtype is None else to_vartype(dtype)
    if found not in (VarType.INT32, VarType.INT64):
        raise TypeError(f"{api}(dtype): expected int32 or int64, but received {dtype_name(found)}.")
    return found


def randperm(n: int, dtype: Any = "int64", name: str | None = None) -> Tensor:
    """Returns the numbers from 0 to ``n - 1`` in random order.

    Args:
        n (int): how many, at least 1.
        dtype (str|np.dtype, optional): int32, int64, float32 or float64. Default: int64.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape [n].

    Examples:
        .. code-block:: python

            import paddle
            print(sorted(paddle.randperm(5).tolist()))  # [0, 1, 2, 3, 4]
    """
    n = read_int(n, "randperm", "n")
    if n < 1:
        raise InvalidArgumentError(f"randperm: n is expected to be positive, but received {n}.")
    kind = to_vartype(dtype)
    if kind not in (VarType.INT32, VarType.INT64, VarType.FP32, VarType.FP64):
        raise TypeError(
            "randperm(dtype): expected int32, int64, float32 or float64, "
            f"but received {dtype_name(kind)}."
        )
    return C.randperm(n=n, dtype=kind)


guard_module(globals(), checks=False)
