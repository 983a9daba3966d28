"""Callbacks of paddle.Model, and the set that every run has."""

from __future__ import annotations

from typing import Any

from paddle.core.guards import guard_module
from paddle.hapi.callback_base import Callback, CallbackList
from paddle.hapi.callback_board import VisualDL
from paddle.hapi.callback_log import ProgBarLogger
from paddle.hapi.callback_train import (
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    ReduceLROnPlateau,
)
from paddle.hapi.progressbar import ProgressBar

__all__ = [
    "Callback", "CallbackList", "EarlyStopping", "LRScheduler", "ModelCheckpoint", "ProgBarLogger",
    "ProgressBar", "ReduceLROnPlateau", "VisualDL", "config_callbacks",
]  # fmt: skip


def config_callbacks(
    callbacks: Any = None,
    model: Any = None,
    batch_size: int | None = None,
    epochs: int | None = None,
    steps: int | None = None,
    log_freq: int = 2,
    verbose: int = 2,
    save_freq: int = 1,
    save_dir: str | None = None,
    metrics: list[str] | None = None,
    mode: str = "train",
) -> CallbackList:
    """Completes a user's callbacks: log first, then theirs, checkpoints and learning rate last.

    What the user gave already is not added a second time.

    Args:
        callbacks (Callback|list, optional): the user's.
        model (Model): what they are told.
        batch_size, epochs, steps, metrics: what they find in ``params``.
        log_freq (int): steps between updates of the log. Default: 2.
        verbose (int): 0 adds no log. Default: 2.
        save_freq (int): epochs between checkpoints. Default: 1.
        save_dir (str, optional): folder of checkpoints.
        mode (str): train, eval or predict. Default: train.

    Examples:
        .. code-block:: python

            import paddle
            told = paddle.callbacks.config_callbacks(verbose=1)
            print([type(c).__name__ for c in told])
            # ['ProgBarLogger', 'ModelCheckpoint', 'LRScheduler']
    """
    if callbacks is None:
        chosen: list[Any] = []
    elif isinstance(callbacks, (list, tuple, CallbackList)):
        chosen = list(callbacks)
    else:
        chosen = [callbacks]

    def has(kind: type) -> bool:
        return any(isinstance(c, kind) for c in chosen)

    if verbose and not has(ProgBarLogger):
        chosen.insert(0, ProgBarLogger(log_freq, verbose))
    if not has(ModelCheckpoint):
        chosen.append(ModelCheckpoint(save_freq, save_dir))
    for callback in chosen:
        if isinstance(callback, EarlyStopping) and save_dir is not None:
            callback.save_dir = save_dir
        if isinstance(callback, ModelCheckpoint) and callback.save_dir is None:
            callback.save_dir = save_dir
    if mode == "train" and not has(LRScheduler):
        chosen.append(LRScheduler())
    chosen.sort(key=lambda c: getattr(c, "after_others", False))  # stable
    told = CallbackList(chosen)
    told.set_model(model)
    told.set_params(
        {
            "batch_size": batch_size,
            "epochs": epochs,
            "steps": steps,
            "verbose": verbose,
            "metrics": metrics or [],
        }
    )
    return told


guard_module(globals())
