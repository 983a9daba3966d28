"""Distributions of 1.x: uniform, normal, over classes, and normal of several dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.fluid.layers import rows
from paddle.fluid.layers.common import is_static, is_value
from paddle.tensor.to_tensor import to_tensor

__all__ = ["Categorical", "MultivariateNormalDiag", "Normal", "Uniform"]


def _layer(name: str) -> Any:
    return rows.find(name)


class _Distribution:
    """What distributions have in common."""

    def sample(self) -> Any:
        """Draws from the distribution.

        Raises:
            NotImplementedError: where there is no way.
        """
        raise NotImplementedError(f"{type(self).__name__}.sample: there is none in 1.8 either.")

    def entropy(self) -> Any:
        """Returns the entropy."""
        raise NotImplementedError(f"{type(self).__name__}.entropy: there is none in 1.8 either.")

    def kl_divergence(self, other: Any) -> Any:
        """Returns the divergence from another distribution of the kind.

        Args:
            other (Distribution): the other one.
        """
        raise NotImplementedError(
            f"{type(self).__name__}.kl_divergence: there is none in 1.8 either."
        )

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density.

        Args:
            value (Variable): where.
        """
        raise NotImplementedError(f"{type(self).__name__}.log_prob: there is none in 1.8 either.")

    def _numbers(self, **given: Any) -> list[Any]:
        """Numbers, lists and arrays as Tensors of one shape; Tensors as they are."""
        self._plain = all(isinstance(v, (int, float)) for v in given.values())
        if any(is_value(v) for v in given.values()):
            found = [v if is_value(v) else self._made(np.asarray(v, "float32").reshape(
                np.shape(v) or (1,))) for v in given.values()]  # fmt: skip
            return found
        for name, value in given.items():
            if not isinstance(value, (int, float, list, tuple, np.ndarray)):
                raise TypeError(
                    f"{type(self).__name__}({name}): expected a number, a list, an array or a "
                    f"Variable, but received {type(value).__name__}."
                )
        arrays = [np.asarray(v, "float32") for v in given.values()]
        shaped = np.broadcast_arrays(*[a.reshape(a.shape or (1,)) for a in arrays])
        return [self._made(np.ascontiguousarray(a)) for a in shaped]

    @staticmethod
    def _made(array: np.ndarray) -> Any:
        return _layer("assign")(array) if is_static() else to_tensor(array)

    def _checked(self, other: Any) -> None:
        if not isinstance(other, type(self)):
            raise TypeError(
                f"{type(self).__name__}.kl_divergence(other): expected a {type(self).__name__}, "
                f"but received {type(other).__name__}."
            )

    @staticmethod
    def _shape(shape: Any) -> list[int]:
        if not isinstance(shape, (list, tuple)):
            raise TypeError(f"sample(shape): expected a list, but received {type(shape).__name__}.")
        return [int(n) for n in shape]


class Uniform(_Distribution):
    """Equal density between two numbers.

    Args:
        low (float|list|np.ndarray|Variable): the lower ends.
        high (float|list|np.ndarray|Variable): the upper ends.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                print(fluid.layers.Uniform(0.0, 2.0).entropy().numpy())  # [0.6931472]
    """

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = self._numbers(low=low, high=high)

    def sample(self, shape: Any, seed: int = 0) -> Any:  # type: ignore[override]
        """Draws numbers.

        Args:
            shape (list[int]): how many, in front of the shape of the ends.
            seed (int): for numbers that repeat. Default: 0.
        """
        batch = self.low + self.high
        shape = self._shape(shape)
        if -1 in batch.shape:
            target = [*shape, *batch.shape]
            zeros = _layer("fill_constant_batch_size_like")(
                batch, target, batch.dtype, 0.0, output_dim_idx=len(shape)
            )
            sizes = _layer("shape")(zeros)
            drawn = _layer("uniform_random")(sizes, min=0.0, max=1.0, seed=seed)
            add = _layer("elementwise_add")  # their first dimensions do not belong together
            wide = _layer("elementwise_sub")(add(zeros, self.high), self.low)
            return add(drawn * wide, self.low)
        drawn = _layer("uniform_random")([*shape, *batch.shape], min=0.0, max=1.0, seed=seed)
        made = drawn * (self.high - self.low) + self.low
        return _layer("reshape")(made, shape) if self._plain and shape else made

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density; minus infinity outside.

        Args:
            value (Variable): where.
        """
        above = _layer("cast")(_layer("less_than")(self.low, value), value.dtype)
        below = _layer("cast")(_layer("less_than")(value, self.high), value.dtype)
        return _layer("log")(above * below) - _layer("log")(self.high - self.low)

    def entropy(self) -> Any:
        """Returns the entropy."""
        return _layer("log")(self.high - self.low)


class Normal(_Distribution):
    """The normal distribution.

    Args:
        loc (float|list|np.ndarray|Variable): the mean.
        scale (float|list|np.ndarray|Variable): the standard deviation.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                print(fluid.layers.Normal(0.0, 1.0).entropy().numpy())  # [1.4189385]
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = self._numbers(loc=loc, scale=scale)

    def sample(self, shape: Any, seed: int = 0) -> Any:  # type: ignore[override]
        """Draws numbers.

        Args:
            shape (list[int]): how many, in front of the shape of the parameters.
            seed (int): for numbers that repeat. Default: 0.
        """
        batch = self.loc + self.scale
        shape = self._shape(shape)
        if -1 in batch.shape:
            target = [*shape, *batch.shape]
            zeros = _layer("fill_constant_batch_size_like")(
                batch, target, batch.dtype, 0.0, output_dim_idx=len(shape)
            )
            sizes = _layer("shape")(zeros)
            drawn = _layer("gaussian_random")(sizes, mean=0.0, std=1.0, seed=seed)
            add = _layer("elementwise_add")  # their first dimensions do not belong together
            return add(drawn * add(zeros, self.scale), self.loc)
        drawn = _layer("gaussian_random")([*shape, *batch.shape], mean=0.0, std=1.0, seed=seed)
        made = drawn * self.scale + self.loc
        return _layer("reshape")(made, shape) if self._plain and shape else made

    def entropy(self) -> Any:
        """Returns the entropy."""
        zeros = (self.loc + self.scale) * 0.0
        return zeros + (0.5 + 0.5 * math.log(2 * math.pi)) + _layer("log")(self.scale + zeros)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density.

        Args:
            value (Variable): where.
        """
        variance = self.scale * self.scale
        off = value - self.loc
        constant = math.log(math.sqrt(2.0 * math.pi))
        return (off * off) * -1.0 / (variance * 2.0) - _layer("log")(self.scale) - constant

    def kl_divergence(self, other: Any) -> Any:
        """Returns the divergence from another normal distribution.

        Args:
            other (Normal): the other one.
        """
        self._checked(other)
        ratio = self.scale / other.scale
        ratio = ratio * ratio
        off = (self.loc - other.loc) / other.scale
        return (ratio + off * off - 1.0 - _layer("log")(ratio)) * 0.5


class Categorical(_Distribution):
    """Classes, each with its chance.

    Args:
        logits (list|np.ndarray|Variable): scores, ``[..., classes]``; softmax makes chances of
            them.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                print(fluid.layers.Categorical([1.0, 1.0]).entropy().numpy())  # [0.6931472]
    """

    def __init__(self, logits: Any) -> None:
        (self.logits,) = self._numbers(logits=logits)

    def parts(self) -> tuple[Any, Any]:
        """Scores below the largest, and the sum of their exponentials."""
        logits = self.logits - _layer("reduce_max")(self.logits, dim=-1, keep_dim=True)
        return logits, _layer("reduce_sum")(_layer("exp")(logits), dim=-1, keep_dim=True)

    def entropy(self) -> Any:
        """Returns the entropy."""
        logits, total = self.parts()
        chances = _layer("exp")(logits) / total
        terms = chances * (logits - _layer("log")(total))
        return _layer("reduce_sum")(terms, dim=-1, keep_dim=True) * -1.0

    def kl_divergence(self, other: Any) -> Any:
        """Returns the divergence from another distribution over the same classes.

        Args:
            other (Categorical): the other one.
        """
        self._checked(other)
        logits, total = self.parts()
        theirs, their_total = other.parts()
        chances = _layer("exp")(logits) / total
        log = _layer("log")
        terms = chances * (logits - log(total) - theirs + log(their_total))
        return _layer("reduce_sum")(terms, dim=-1, keep_dim=True)


class MultivariateNormalDiag(_Distribution):
    """Normal in several dimensions that do not depend on one another.

    Args:
        loc (list|np.ndarray|Variable): the mean, ``[k]``.
        scale (list|np.ndarray|Variable): a diagonal matrix, ``[k, k]``, of the variances.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                made = fluid.layers.MultivariateNormalDiag(
                    np.zeros([2], "float32"), np.eye(2, dtype="float32"))
                print(made.entropy().numpy())  # [2.837877]
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        (self.loc,) = self._numbers(loc=loc)
        (self.scale,) = self._numbers(scale=scale)
        if len(self.scale.shape) != 2:
            raise InvalidArgumentError(
                "MultivariateNormalDiag(scale): expected a matrix, but received shape "
                f"{list(self.scale.shape)}."
            )

    def _off_diagonal(self, scale: Any) -> Any:
        """Ones beside the diagonal."""
        count = scale.shape[0]
        ones = _layer("ones")([count, count], "float32")
        return ones - _layer("diag")(_layer("ones")([count], "float32"))

    def _det(self, scale: Any) -> Any:
        return _layer("reduce_prod")(scale + self._off_diagonal(scale))

    def _inv(self, scale: Any) -> Any:
        beside = self._off_diagonal(scale)
        return _layer("elementwise_pow")(scale, beside * 2.0 - 1.0)

    def entropy(self) -> Any:
        """Returns the entropy."""
        count = self.scale.shape[0]
        constant = count * (1.0 + math.log(2 * math.pi))
        return (_layer("log")(self._det(self.scale)) + constant) * 0.5

    def kl_divergence(self, other: Any) -> Any:
        """Returns the divergence from another such distribution.

        Args:
            other (MultivariateNormalDiag): the other one.
        """
        self._checked(other)
        inverse = self._inv(other.scale)
        spread = _layer("reduce_sum")(inverse * self.scale)
        off = other.loc - self.loc
        distance = _layer("matmul")(_layer("matmul")(off, inverse), off)
        log = _layer("log")
        volume = log(self._det(other.scale)) - log(self._det(self.scale))
        return (spread + distance - float(self.scale.shape[0]) + volume) * 0.5
