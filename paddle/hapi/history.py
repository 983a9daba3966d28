"""History: the curves of a training, as Model.fit returns them."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.hapi.callback_base import Callback
from paddle.hapi.losses import Losses
from paddle.serialization.files.atomic import atomic_write

_EVAL = "eval_"


class History(Callback):
    """The curves of a training, which :meth:`paddle.Model.fit` returns.

    A loss is the mean over the samples of an epoch, while the log and ``evaluate`` show that of
    the last batch; a metric is its value at the end of the epoch. A training with several losses
    has their sum as ``loss``, and each as ``loss_0``, ``loss_1``.

    Attributes:
        history (dict): name -> list of floats, one per epoch: ``loss``, the metrics, and with
            ``eval_`` before them those of evaluations, ``eval_loss``.
        epoch (list): numbers of the epochs, from 0.
        eval_epoch (list): the epochs that were evaluated.
        steps (dict): ``step``: numbers of steps counted over all epochs, one per line of the log;
            ``loss``: the loss of each.

    Examples:
        .. code-block:: python

            import paddle
            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                          paddle.nn.MSELoss())
            history = model.fit(data, data, batch_size=4, epochs=3, verbose=0)
            print(history.epoch, sorted(history.history))  # [0, 1, 2] ['eval_loss', 'loss']
    """

    def __init__(self) -> None:
        super().__init__()
        self._losses: Losses | None = None
        self._clear()

    def _clear(self) -> None:
        self.history: dict[str, list] = {}
        self.epoch: list[int] = []
        self.eval_epoch: list[int] = []
        self.steps: dict[str, list] = {"step": [], "loss": []}
        self._now = self._before = 0  # the epoch under way, and the steps before it

    # -- what a training tells --------------------------------------------------------------------

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets the curves of an earlier training."""
        self._clear()

    def on_epoch_begin(self, epoch: int | None = None, logs: Any = None) -> None:
        """Remembers the number of the epoch."""
        self._now = epoch or 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Adds a point to the curves of the training."""
        self.epoch.append(epoch)
        self._add("", self._losses, logs)
        self.settle()
        self._before += (logs or {}).get("step", -1) + 1

    def on_eval_end(self, logs: Any = None) -> None:
        """Adds a point to the curves of evaluations."""
        self.eval_epoch.append(self._now)
        self._add(_EVAL, getattr(logs, "losses", None), logs)

    def follow(self, losses: Losses) -> None:
        """Says where the losses of each epoch are.

        Args:
            losses (Losses): those of the steps of the epoch under way.
        """
        self._losses = losses

    def settle(self) -> None:
        """Adds the points of an epoch that is over, or was left, to ``steps``."""
        if self._losses is not None:
            self._losses.fetch()
            self.steps["step"] += [self._before + step for step, _ in self._losses.points]
            self.steps["loss"] += [loss for _, loss in self._losses.points]
            self._losses.points.clear()

    def _add(self, prefix: str, losses: Losses | None, logs: Any) -> None:
        means = [] if losses is None else losses.means()
        found: dict[str, Any] = {"loss": sum(means)} if means else {}
        if len(means) > 1:
            found.update((f"loss_{i}", value) for i, value in enumerate(means))
        for name in self.params.get("metrics") or []:
            if name != "loss" and logs and name in logs:
                found[name] = _plain(logs[name])
        for name, value in found.items():
            self.history.setdefault(prefix + name, []).append(value)

    # -- state ------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Returns the curves so far, for a training that goes on in another process."""
        return {
            "history": {name: list(values) for name, values in self.history.items()},
            "epoch": list(self.epoch),
            "eval_epoch": list(self.eval_epoch),
            "steps": {name: list(values) for name, values in self.steps.items()},
            "before": self._before,
        }

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to what :meth:`state_dict` returned.

        Args:
            state (dict): the state.
        """
        self.history = {name: list(values) for name, values in state["history"].items()}
        self.epoch, self.eval_epoch = list(state["epoch"]), list(state["eval_epoch"])
        self.steps = {name: list(values) for name, values in state["steps"].items()}
        self._before = state["before"]

    # -- what the user sees -----------------------------------------------------------------------

    def __repr__(self) -> str:
        last = [f"{k}: {v[-1]:.4g}" for k, v in self.history.items() if isinstance(v[-1], float)]
        count = len(self.epoch)
        return f"History({count} epoch{'s' if count != 1 else ''}{'; ' if last else ''}" + (
            ", ".join(last) + ")"
        )

    def plot(self, path: str | None = None, keys: Any = None) -> Any:
        """Draws the curves: one plot per quantity, with that of the evaluations in it.

        Args:
            path (str, optional): the picture that is written, ``curves.png``; the end of the name
                tells the format, PNG where there is none. None draws a figure of pyplot, which a
                notebook shows.
            keys (str|list, optional): names of ``history`` to draw; one without ``eval_`` stands
                for both. None draws all.

        Returns:
            matplotlib.figure.Figure: the picture.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: there is no curve of such a name.
            RuntimeError: there are no curves.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle
                data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                              paddle.nn.MSELoss())
                history = model.fit(data, batch_size=4, epochs=3, verbose=0)
                with tempfile.TemporaryDirectory() as folder:
                    figure = history.plot(os.path.join(folder, "curves.png"))
        """
        groups = self._groups(keys)
        try:
            figures = importlib.import_module("matplotlib.figure")
            ticker = importlib.import_module("matplotlib.ticker")
        except ImportError as error:
            raise ImportError(
                "History.plot: matplotlib is not installed; run `pip install matplotlib`, or "
                "draw History.history yourself."
            ) from error
        size = (4.8 * len(groups), 3.6)
        if path is None:
            pyplot = importlib.import_module("matplotlib.pyplot")
            figure = pyplot.figure(figsize=size, layout="constrained")
        else:
            figure = figures.Figure(figsize=size, layout="constrained")
        for axes, (title, names) in zip(
            figure.subplots(1, len(groups), squeeze=False)[0], groups.items(), strict=True
        ):
            for name in names:
                epochs = self.eval_epoch if name.startswith(_EVAL) else self.epoch
                label = "evaluation" if name.startswith(_EVAL) else "training"
                numbers = [e + 1 for e in epochs[-len(self.history[name]) :]]
                axes.plot(numbers, self.history[name], marker=".", label=label)
            axes.set_title(title)
            axes.set_xlabel("epoch")
            axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
            axes.grid(alpha=0.3)
            axes.legend()
        if path is not None:
            kind = os.path.splitext(path)[1].lstrip(".").lower() or "png"
            with atomic_write(path) as file:
                figure.savefig(file, format=kind)
        return figure

    def _groups(self, keys: Any) -> dict[str, list[str]]:
        """Names of curves that belong into one plot."""
        known = [name for name, held in self.history.items() if isinstance(held[-1], float)]
        if not known:
            raise PreconditionNotMetError(
                "History.plot: expected at least one epoch of training, but there are no curves."
            )
        wanted = known if keys is None else [keys] if isinstance(keys, str) else list(keys)
        groups: dict[str, list[str]] = {}
        for key in wanted:
            found = [name for name in (key, f"{_EVAL}{key}") if name in known]
            if not found:
                raise InvalidArgumentError(
                    f"History.plot(keys): expected names out of {known}, but received {key!r}."
                )
            held = groups.setdefault(str(key).removeprefix(_EVAL), [])
            held += [name for name in found if name not in held]
        return groups


def _plain(value: Any) -> Any:
    """A metric as a float; as nested lists where it is more than a number."""
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    found = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return float(found.reshape(-1)[0]) if found.size == 1 else found.tolist()
