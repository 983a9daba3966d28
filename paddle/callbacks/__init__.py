"""Callbacks of paddle.Model."""

from paddle.hapi.callbacks import (
    Callback,
    CallbackList,
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    ProgBarLogger,
    ReduceLROnPlateau,
    VisualDL,
    config_callbacks,
)
from paddle.hapi.progressbar import ProgressBar

__all__ = [
    "Callback", "CallbackList", "EarlyStopping", "LRScheduler", "ModelCheckpoint", "ProgBarLogger",
    "ProgressBar", "ReduceLROnPlateau", "VisualDL", "config_callbacks",
]  # fmt: skip
