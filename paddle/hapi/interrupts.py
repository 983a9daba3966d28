"""Ctrl-C in a training: the step under way is completed, and a checkpoint is saved."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

from paddle.hapi.callback_log import first_rank
from paddle.hapi.callback_train import ModelCheckpoint
from paddle.hapi.fit_run import FitRun
from paddle.hapi.resume_ranks import together


class Interrupts:
    """Holds Ctrl-C back until a step is done; the second one interrupts at once.

    Only where Python's own handler is at work, in the main thread: a handler of the user decides
    for itself.
    """

    def __init__(self) -> None:
        self._asked = False
        self._installed = False

    def __enter__(self) -> Interrupts:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def __exit__(self, *error: Any) -> None:
        self.release()

    def _note(self, number: int, frame: Any) -> None:
        if self._asked:
            self.release()
            raise KeyboardInterrupt
        self._asked = True

    def release(self) -> None:
        """Gives Ctrl-C back to Python."""
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False

    def check(self) -> None:
        """Raises KeyboardInterrupt where Ctrl-C was pressed."""
        if self._asked:
            raise KeyboardInterrupt


def save_interrupted(model: Any, run: FitRun) -> None:
    """Saves a training that was interrupted, where its checkpoints are, and says where.

    Without such a place nothing is written, and the text says how to have one.
    """
    if run.interrupted:
        return
    run.interrupted = True
    stands = f"Model.fit was interrupted in epoch {run.epoch + 1}, after step {run.step}"
    folders = [c.save_dir for c in run.told if isinstance(c, ModelCheckpoint) and c.save_dir]
    if not first_rank():
        return
    if not folders:
        print(f"\n{stands}. Nothing was saved: fit(save_dir=...) gives checkpoints a place.")
        return
    path = os.path.join(folders[-1], "interrupted")
    run.saving = run.whole and not together()
    try:
        model.save(path)
    finally:
        run.saving = False
    path = os.path.abspath(path)
    how = f"model.load({path!r}) and the same fit go on from there."
    if together():
        how = "After model.load fit begins a new training: the other processes were not asked."
    elif not run.whole:
        how = "It was in the middle of a step: after model.load fit begins a new training."
    print(f"\n{stands}; checkpoint saved at {path}. {how}")
