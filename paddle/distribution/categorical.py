"""The distribution over a finite number of categories."""

from __future__ import annotations

from math import prod
from typing import Any

from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.distribution.arguments import is_number, is_tensor, parameters, sample_shape
from paddle.distribution.base import Distribution
from paddle.tensor.arithmetic import cast
from paddle.tensor.manipulation import reshape, transpose
from paddle.tensor.scatter import gather


class Categorical(Distribution):
    r"""A distribution over the categories 0 ... K - 1.

    As in 2.0, the argument has two readings. ``sample``, ``probs`` and ``log_prob`` take it as
    weights, :math:`p_i = l_i / \sum_j l_j`, which must not be negative; ``entropy`` and
    ``kl_divergence`` take it as logits, :math:`p_i = e^{l_i} / \sum_j e^{l_j}`. For one meaning
    throughout, pass ``softmax(x)`` for the former and ``x`` for the latter.

    Args:
        logits (list|tuple|numpy.ndarray|Tensor): of shape [..., K]; a Tensor of float32 or float64.
        name (str, optional): kept as the attribute ``name``.

    Raises:
        TypeError: logits is none of these.

    Examples:
        .. code-block:: python

            import paddle
            weights = paddle.to_tensor([1.0, 1.0, 2.0])
            categorical = paddle.distribution.Categorical(weights)
            print(categorical.sample([2, 3]).shape)  # [2, 3]
            print(categorical.probs(paddle.to_tensor([2, 0])).numpy())  # [0.5  0.25]
            print(categorical.entropy().numpy())  # [1.0397...]
    """

    def __init__(self, logits: Any, name: str | None = None) -> None:
        if is_number(logits):
            raise TypeError(
                "Categorical(logits): expected a Tensor, a NumPy array or a list, but received the "
                f"number {logits!r}."
            )
        self.name = name or "Categorical"
        (self.logits,) = parameters("Categorical", logits=logits)

    def sample(self, shape: list[int]) -> Any:
        """Draws categories, with replacement and in proportion to the weights.

        Args:
            shape (list|tuple): how many, as sizes that stand before those of the distributions.

        Returns:
            Tensor: int64, of shape ``shape`` + the shape of the logits without the last size.

        Raises:
            ValueError: a weight is negative, or all of them are 0.

        Examples:
            .. code-block:: python

                import paddle
                weights = paddle.to_tensor([[0.0, 1.0], [1.0, 0.0]])
                categorical = paddle.distribution.Categorical(weights)
                print(categorical.sample([3]).numpy())  # [[1 0] [1 0] [1 0]]
        """
        sizes = sample_shape("Categorical", shape)
        batch = list(self.logits.shape[:-1])
        if batch.count(-1) > 1:
            raise InvalidArgumentError(
                "Categorical.sample: expected at most one unknown size of the logits, but received "
                f"{list(self.logits.shape)}."
            )
        weights = reshape(self.logits, [-1, self.logits.shape[-1]]) if batch else self.logits
        try:
            drawn = C.multinomial(weights, num_samples=prod(sizes), replacement=True)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(
                "Categorical.sample: expected weights that are not negative, at least one of each "
                "distribution positive, but received others.",
                hint="for logits, pass paddle.nn.functional.softmax(logits)",
            ) from error
        if not batch:
            return reshape(drawn, sizes or [1])
        return reshape(transpose(drawn, [1, 0]), [*sizes, *batch])

    def kl_divergence(self, other: Categorical) -> Any:
        r"""Returns how far this distribution is from ``other``, :math:`\sum p \log(p / q)`.

        Args:
            other (Categorical): with logits of the same shape.

        Returns:
            Tensor: of the shape of the logits with a last size of 1.

        Examples:
            .. code-block:: python

                import paddle
                a = paddle.distribution.Categorical(paddle.to_tensor([0.0, 1.0]))
                b = paddle.distribution.Categorical(paddle.to_tensor([2.0, 3.0]))
                print(a.kl_divergence(b).numpy())  # [0.]
        """
        if not isinstance(other, Categorical):
            raise TypeError(
                "Categorical.kl_divergence(other): expected a Categorical, but received "
                f"{type(other).__name__}."
            )
        mine, theirs = (C.log_softmax(c.logits, axis=-1) for c in (self, other))
        return C.reduce_sum(C.exp(mine) * (mine - theirs), dim=[-1], keep_dim=True)

    def entropy(self) -> Any:
        r"""Returns the entropy, :math:`-\sum p \log p`.

        Returns:
            Tensor: of the shape of the logits without the last size.

        Examples:
            .. code-block:: python

                import paddle
                categorical = paddle.distribution.Categorical(paddle.zeros([4]))
                print(categorical.entropy().numpy())  # [1.3862944]
        """
        logs = C.log_softmax(self.logits, axis=-1)
        return C.reduce_sum(C.exp(logs) * logs, dim=[-1]) * -1.0

    def probs(self, value: Any) -> Any:
        """Returns the probabilities of categories.

        Args:
            value (Tensor): categories, of an integer type. For logits [K] of any shape; for logits
                [..., K] either [n], looked up in every distribution, or [..., n] with the same
                sizes before.

        Returns:
            Tensor: of the shape of ``value``, or [..., n].

        Examples:
            .. code-block:: python

                import paddle
                weights = paddle.to_tensor([[1.0, 3.0], [1.0, 1.0]])
                categorical = paddle.distribution.Categorical(weights)
                print(categorical.probs(paddle.to_tensor([1])).numpy())  # [[0.75] [0.5]]
        """
        if not is_tensor(value) or not dtype_name(value.dtype).startswith(("int", "uint")):
            kind = dtype_name(value.dtype) if is_tensor(value) else type(value).__name__
            raise TypeError(
                f"Categorical.probs(value): expected a Tensor of integers, but received {kind}."
            )
        total = C.reduce_sum(self.logits, dim=[-1], keep_dim=True)
        weights = self.logits / total
        sizes = list(value.shape)
        if len(weights.shape) == 1:
            found = gather(weights, reshape(value, [-1]))
            return reshape(found, sizes)
        if len(sizes) == 1:
            rows = C.fill_zeros_like(weights[..., 0:1])  # [..., 1], so that a sum repeats value
            value = value + cast(rows, to_vartype(value.dtype))
        elif sizes[:-1] != list(weights.shape[:-1]):
            raise InvalidArgumentError(
                "Categorical.probs(value): expected one dimension, or the sizes "
                f"{list(weights.shape[:-1])} before the last, but received the shape {sizes}."
            )
        index = cast(value, VarType.INT64)
        return C.take_along_axis(weights, index, Axis=len(weights.shape) - 1)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of ``probs(value)``.

        Args:
            value (Tensor): categories, as for :meth:`probs`.

        Returns:
            Tensor: of the same shape as ``probs(value)``.

        Examples:
            .. code-block:: python

                import paddle
                categorical = paddle.distribution.Categorical(paddle.to_tensor([1.0, 1.0]))
                print(categorical.log_prob(paddle.to_tensor([0])).numpy())  # [-0.6931472]
        """
        return C.log(self.probs(value))
