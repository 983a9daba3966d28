"""The uniform distribution on an interval."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import to_vartype
from paddle.core.op import C
from paddle.distribution.arguments import (
    is_number,
    joined_shape,
    like_parameter,
    parameters,
    random_seed,
    sample_shape,
)
from paddle.distribution.base import Distribution
from paddle.tensor.arithmetic import cast


class Uniform(Distribution):
    r"""The distribution whose density is :math:`1 / (high - low)` between ``low`` and ``high``.

    Args:
        low (float|list|tuple|numpy.ndarray|Tensor): lower ends.
        high (float|list|tuple|numpy.ndarray|Tensor): upper ends; shapes broadcast. If one of the
            two is a Tensor, the other must be one too.
        name (str, optional): kept as the attribute ``name``.

    Raises:
        TypeError: a parameter is none of these, or a Tensor that is not float32 or float64.
        ValueError: one parameter is a Tensor and the other is not, or shapes do not broadcast.

    Examples:
        .. code-block:: python

            import paddle
            uniform = paddle.distribution.Uniform(0.0, [1.0, 4.0])
            print(uniform.sample([3]).shape)  # [3, 2]
            print(uniform.entropy().numpy())  # [0.        1.3862944]
            print(uniform.probs(paddle.to_tensor([0.5, 0.5])).numpy())  # [1.   0.25]
    """

    def __init__(self, low: Any, high: Any, name: str | None = None) -> None:
        self.name = name or "Uniform"
        self.all_arg_is_float = is_number(low) and is_number(high)
        self.low, self.high = parameters("Uniform", low=low, high=high)

    def sample(self, shape: list[int], seed: int = 0) -> Any:
        """Draws values.

        Args:
            shape (list|tuple): sizes that stand before the shape of the parameters.
            seed (int, optional): where to start a generator for this call; 0, the default, means
                the global one.

        Returns:
            Tensor: of shape ``shape`` + the parameters' shape, or ``shape`` alone where both
            parameters are numbers. Gradients reach parameters.

        Examples:
            .. code-block:: python

                import paddle
                print(paddle.distribution.Uniform(0.0, 1.0).sample([2, 3]).shape)  # [2, 3]
        """
        sizes = sample_shape("Uniform", shape)
        width = self.high - self.low
        ints, whole = (sizes, None) if self.all_arg_is_float else joined_shape(sizes, width)
        drawn = C.uniform_random(
            whole, shape=ints, min=0.0, max=1.0, seed=random_seed("Uniform", seed),
            dtype=to_vartype(width.dtype)
        )  # fmt: skip
        return drawn * width + self.low

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density at ``value``: -inf outside of the interval.

        Args:
            value (Tensor): broadcasts with the parameters.

        Returns:
            Tensor: of the parameters' type.

        Examples:
            .. code-block:: python

                import paddle
                uniform = paddle.distribution.Uniform(0.0, 2.0)
                print(uniform.log_prob(paddle.to_tensor([1.0, 3.0])).numpy())  # [-0.693 -inf]
        """
        value = like_parameter("Uniform.log_prob", value, self.low)
        return C.log(self._inside(value)) - C.log(self.high - self.low)

    def probs(self, value: Any) -> Any:
        """Returns the density at ``value``: 0 outside of the open interval.

        Args:
            value (Tensor): broadcasts with the parameters.

        Returns:
            Tensor: of the parameters' type.

        Examples:
            .. code-block:: python

                import paddle
                uniform = paddle.distribution.Uniform(0.0, 2.0)
                print(uniform.probs(paddle.to_tensor([1.0, 3.0])).numpy())  # [0.5 0. ]
        """
        value = like_parameter("Uniform.probs", value, self.low)
        return self._inside(value) / (self.high - self.low)

    def _inside(self, value: Any) -> Any:
        inside = C.logical_and(self.low < value, value < self.high)
        return cast(inside, to_vartype(self.low.dtype))

    def entropy(self) -> Any:
        r"""Returns the entropy, :math:`\log(high - low)`.

        Returns:
            Tensor: of the parameters' shape and type.

        Examples:
            .. code-block:: python

                import paddle
                print(paddle.distribution.Uniform(0.0, 1.0).entropy().numpy())  # [0.]
        """
        return C.log(self.high - self.low)
