"""Hooks that change how a layer's weights come about."""

from paddle.nn.utils.spectral_norm_hook import spectral_norm
from paddle.nn.utils.weight_norm_hook import remove_weight_norm, weight_norm

__all__ = ["remove_weight_norm", "spectral_norm", "weight_norm"]
