"""The interface that all distributions have."""

from __future__ import annotations

from typing import Any

from paddle.core.guards import Guarded


class Distribution(Guarded):
    """What distributions have in common; a subclass overrides what it can do.

    Examples:
        .. code-block:: python

            import paddle

            class Fixed(paddle.distribution.Distribution):
                def sample(self):
                    return paddle.ones([1])

            print(Fixed().sample().numpy())  # [1.]
    """

    def _missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(
            f"{type(self).__name__} has no {method}(); use a distribution that has it, or override "
            "it in a subclass."
        )

    def sample(self, *args: Any, **kwargs: Any) -> Any:
        """Draws values; overridden where a distribution can be drawn from."""
        raise self._missing("sample")

    def entropy(self) -> Any:
        """Returns the entropy in nats; overridden where it is known."""
        raise self._missing("entropy")

    def kl_divergence(self, other: Any) -> Any:
        """Returns the Kullback-Leibler divergence from ``other``; overridden where it is known."""
        raise self._missing("kl_divergence")

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density at ``value``; overridden by subclasses."""
        raise self._missing("log_prob")

    def probs(self, value: Any) -> Any:
        """Returns the density at ``value``; overridden by subclasses."""
        raise self._missing("probs")
