"""Losses."""

from paddle.core.guards import guard_module
from paddle.nn.functional.loss_binary import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    dice_loss,
    log_loss,
    sigmoid_focal_loss,
)
from paddle.nn.functional.loss_classes import (
    cross_entropy,
    nll_loss,
    softmax_with_cross_entropy,
)
from paddle.nn.functional.loss_ranking import (
    margin_ranking_loss,
    npair_loss,
)
from paddle.nn.functional.loss_regression import (
    kl_div,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
    square_error_cost,
)
from paddle.nn.functional.loss_sequence import ctc_loss, hsigmoid_loss

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "ctc_loss",
    "dice_loss",
    "hsigmoid_loss",
    "kl_div",
    "l1_loss",
    "log_loss",
    "margin_ranking_loss",
    "mse_loss",
    "nll_loss",
    "npair_loss",
    "sigmoid_focal_loss",
    "smooth_l1_loss",
    "softmax_with_cross_entropy",
    "square_error_cost",
]


guard_module(globals(), checks=False)
