"""What mixed precision does with gradients and with the factor of the loss, as single layers."""

from __future__ import annotations

from typing import Any

from paddle.core.op import C

__all__ = ["check_finite_and_unscale", "update_loss_scaling"]


def check_finite_and_unscale(x: Any, scale: Any, name: str | None = None) -> Any:
    """Divides gradients by the factor of the loss, and says whether any is not finite.

    Args:
        x (list[Variable]): the gradients.
        scale (Variable): the factor.
        name (str, optional): has no effect.

    Returns:
        tuple: the gradients, and whether something in them is not finite.
    """
    if not isinstance(x, (list, tuple)):
        raise TypeError(
            f"check_finite_and_unscale(x): expected a list, but received {type(x).__name__}."
        )
    return C.check_finite_and_unscale(list(x), scale)


def update_loss_scaling(
    x: Any, found_inf: Any, prev_loss_scaling: Any, num_good_steps: Any, num_bad_steps: Any,
    incr_every_n_steps: int, decr_every_n_nan_or_inf: int, incr_ratio: float, decr_ratio: float,
    stop_update: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Changes the factor of the loss, and puts zeros in place of gradients that are not finite.

    Args:
        x (list[Variable]): the gradients.
        found_inf (Variable): whether one of them is not finite.
        prev_loss_scaling (Variable): the factor so far.
        num_good_steps (Variable): good steps in a row.
        num_bad_steps (Variable): bad steps in a row.
        incr_every_n_steps (int): good steps after which the factor grows.
        decr_every_n_nan_or_inf (int): bad steps after which it shrinks.
        incr_ratio (float): how it grows.
        decr_ratio (float): how it shrinks.
        stop_update (bool): keep the factor. Default: False.
        name (str, optional): has no effect.

    Returns:
        list: the gradients.
    """
    found = C.update_loss_scaling(
        list(x), found_inf, prev_loss_scaling, num_good_steps, num_bad_steps,
        incr_every_n_steps=incr_every_n_steps, decr_every_n_nan_or_inf=decr_every_n_nan_or_inf,
        incr_ratio=incr_ratio, decr_ratio=decr_ratio, stop_update=stop_update,
    )  # fmt: skip
    return found[0]
