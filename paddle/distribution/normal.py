"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.dtype import to_vartype
from paddle.core.errors import check_not_negative
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


class Normal(Distribution):
    r"""The normal distribution.

    .. math::

        p(x) = \frac{1}{\sigma \sqrt{2 \pi}} e^{-(x - \mu)^2 / 2 \sigma^2}

    Args:
        loc (float|list|tuple|numpy.ndarray|Tensor): means.
        scale (float|list|tuple|numpy.ndarray|Tensor): standard deviations; shapes broadcast. If
            one of the two is a Tensor, the other must be one too.
        name (str, optional): kept as the attribute ``name``.

    Raises:
        TypeError: a parameter is none of these, or a Tensor that is not float32 or float64.
        ValueError: one parameter is a Tensor and the other is not, or shapes do not broadcast.

    Examples:
        .. code-block:: python

            import paddle
            normal = paddle.distribution.Normal(0.0, [1.0, 2.0])
            print(normal.sample([3]).shape)  # [3, 2]
            print(normal.entropy().numpy())  # [1.4189385 2.1120858]
            other = paddle.distribution.Normal([1.0, 0.0], [1.0, 2.0])
            print(normal.kl_divergence(other).numpy())  # [0.5 0. ]
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Normal"
        self.all_arg_is_float = is_number(loc) and is_number(scale)
        if is_number(scale):
            check_not_negative("Normal", scale=scale)
        self.loc, self.scale = parameters("Normal", loc=loc, scale=scale)

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
                print(paddle.distribution.Normal(0.0, 1.0).sample([2, 3]).shape)  # [2, 3]
        """
        sizes = sample_shape("Normal", shape)
        both = self.loc + self.scale
        ints, whole = (sizes, None) if self.all_arg_is_float else joined_shape(sizes, both)
        drawn = C.gaussian_random(
            whole, shape=ints, mean=0.0, std=1.0, seed=random_seed("Normal", seed),
            dtype=to_vartype(both.dtype)
        )  # fmt: skip
        return drawn * self.scale + self.loc

    def entropy(self) -> Any:
        r"""Returns the entropy, :math:`\frac{1}{2} + \frac{1}{2} \log 2 \pi + \log \sigma`.

        Returns:
            Tensor: of the parameters' shape and type.

        Examples:
            .. code-block:: python

                import paddle
                print(paddle.distribution.Normal(0.0, 1.0).entropy().numpy())  # [1.4189385]
        """
        none = (self.loc + self.scale) * 0.0  # the shape of both
        return C.log(self.scale) + none + (0.5 + 0.5 * math.log(2.0 * math.pi))

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density at ``value``.

        Args:
            value (Tensor): broadcasts with the parameters.

        Returns:
            Tensor: of the parameters' type.

        Examples:
            .. code-block:: python

                import paddle
                normal = paddle.distribution.Normal(0.0, 1.0)
                print(normal.log_prob(paddle.to_tensor([0.0])).numpy())  # [-0.9189385]
        """
        value = like_parameter("Normal.log_prob", value, self.loc)
        far = (value - self.loc) / self.scale
        return far * far * -0.5 - C.log(self.scale) - 0.5 * math.log(2.0 * math.pi)

    def probs(self, value: Any) -> Any:
        """Returns the density at ``value``.

        Args:
            value (Tensor): broadcasts with the parameters.

        Returns:
            Tensor: of the parameters' type.

        Examples:
            .. code-block:: python

                import paddle
                normal = paddle.distribution.Normal(0.0, 1.0)
                print(normal.probs(paddle.to_tensor([0.0])).numpy())  # [0.3989423]
        """
        value = like_parameter("Normal.probs", value, self.loc)
        far = (value - self.loc) / self.scale
        return C.exp(far * far * -0.5) / (self.scale * math.sqrt(2.0 * math.pi))

    def kl_divergence(self, other: Normal) -> Any:
        r"""Returns how far this distribution is from ``other``.

        .. math::

            \frac{1}{2} \left( r^2 + d^2 - 1 - 2 \log r \right), \quad
            r = \frac{\sigma}{\sigma'}, \quad d = \frac{\mu - \mu'}{\sigma'}

        Args:
            other (Normal): with parameters whose shapes broadcast with these.

        Returns:
            Tensor: of the parameters' type.

        Examples:
            .. code-block:: python

                import paddle
                a = paddle.distribution.Normal(0.0, 1.0)
                b = paddle.distribution.Normal(2.0, 1.0)
                print(a.kl_divergence(b).numpy())  # [2.]
        """
        if not isinstance(other, Normal):
            raise TypeError(
                "Normal.kl_divergence(other): expected a Normal, but received "
                f"{type(other).__name__}."
            )
        ratio = self.scale / other.scale
        apart = (self.loc - other.loc) / other.scale
        return (ratio * ratio + apart * apart - 1.0) * 0.5 - C.log(ratio)
