"""AmpScaler: scaling of losses, by the name of 2.0's fluid."""

from __future__ import annotations

from paddle.amp import GradScaler

__all__ = ["AmpScaler"]


class AmpScaler(GradScaler):
    """Scales losses so that small gradients survive; see :class:`paddle.amp.GradScaler`.

    Args:
        enable (bool): False passes everything on. Default: True.
        init_loss_scaling (float): the first factor. Default: 2**15.
        incr_ratio (float): Default: 2.0.
        decr_ratio (float): Default: 0.5.
        incr_every_n_steps (int): Default: 1000.
        decr_every_n_nan_or_inf (int): Default: 1.
        use_dynamic_loss_scaling (bool): False keeps the first factor. Default: True.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = fluid.dygraph.Linear(4, 2)
                sgd = fluid.optimizer.SGD(0.1, parameter_list=linear.parameters())
                scaler = fluid.dygraph.AmpScaler(init_loss_scaling=1024)
                x = fluid.dygraph.to_variable(np.ones([1, 4], "float32"))
                scaled = scaler.scale(fluid.layers.reduce_mean(linear(x)))
                scaled.backward()
                scaler.minimize(sgd, scaled)
    """

    def __init__(
        self, enable: bool = True, init_loss_scaling: float = 2.0**15, incr_ratio: float = 2.0,
        decr_ratio: float = 0.5, incr_every_n_steps: int = 1000, decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            enable, init_loss_scaling, incr_ratio, decr_ratio, incr_every_n_steps,
            decr_every_n_nan_or_inf, use_dynamic_loss_scaling,
        )  # fmt: skip
