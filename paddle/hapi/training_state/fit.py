"""Keep: the callback by which Model.fit saves the state of a run and goes on from it."""

from __future__ import annotations

import os
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.hapi.callback_base import Callback
from paddle.hapi.training_state.model import ModelParts, noted


class Keep(Callback):
    """What :meth:`TrainingState.callback` returns.

    Args:
        state (TrainingState): what is saved.
        model (ModelParts): of the model that is trained.
        path (str): the file.
        save_freq (int): epochs between saves.
        save_steps (int|None): steps between further saves.
    """

    after_others = True  # a state is saved when all others have done what belongs to a step

    def __init__(
        self, state: Any, model: ModelParts, path: str, save_freq: int, save_steps: int | None
    ) -> None:
        super().__init__()
        for name, value in (("save_freq", save_freq), ("save_steps", save_steps)):
            if value is None and name == "save_steps":
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(
                    f"TrainingState.callback({name}): expected an int, but received "
                    f"{type(value).__name__}."
                )
            if value < 1:
                raise InvalidArgumentError(
                    f"TrainingState.callback({name}): expected at least 1, but received {value}."
                )
        self._state, self._parts, self._path = state, model, path
        self._save_freq, self._save_steps = save_freq, save_steps

    def on_train_begin(self, logs: Any = None) -> None:
        """Goes on from the file, if there is one."""
        if self.model is not self._parts.model:
            raise PreconditionNotMetError(
                "TrainingState.callback: expected fit of the model that TrainingState was given."
            )
        noted(self.model._run.loader)
        if os.path.exists(self._path):
            self._state.load(self._path)

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Saves, every ``save_steps`` steps."""
        run = self.model._run
        if self._save_steps is not None and run.total % self._save_steps == 0:
            self._save(logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves, every ``save_freq`` epochs."""
        if (epoch + 1) % self._save_freq == 0:
            self._save(logs)

    def on_train_end(self, logs: Any = None) -> None:
        """Saves a run that is complete."""
        self._save(logs)

    def _save(self, logs: Any) -> None:
        self.model._run.logs = dict((logs or {}).items())
        self._state.save(self._path)
