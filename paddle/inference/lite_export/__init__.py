"""Models for `paddlelite`: a saved model is optimised, lowered, and written as one `.nb` file."""

from paddle.inference.lite_export.opt import Opt

__all__ = ["Opt"]
