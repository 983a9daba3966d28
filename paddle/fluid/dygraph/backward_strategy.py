"""BackwardStrategy: how 1.x adds up gradients."""

from __future__ import annotations

__all__ = ["BackwardStrategy"]


class BackwardStrategy:
    """What ``loss.backward(backward_strategy)`` is given in 1.x.

    Attributes:
        sort_sum_gradient (bool): add gradients up in the order of the forward pass. Here they are
            always added in a fixed order, so both values give the same, repeatable numbers.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                x = fluid.dygraph.to_variable(np.ones([2], "float32"))
                x.stop_gradient = False
                strategy = fluid.dygraph.BackwardStrategy()
                strategy.sort_sum_gradient = True
                fluid.layers.reduce_sum(x * x).backward(strategy)
                print(x.gradient())  # [2. 2.]
    """

    sort_sum_gradient = False

    def __bool__(self) -> bool:
        """False: in 2.0 the first argument of ``backward`` is ``retain_graph``."""
        return False
