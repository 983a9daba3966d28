"""Callback: what Model calls before and after runs, epochs and steps; and the list of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded

MODES = ("train", "eval", "predict")


class Callback(Guarded):
    """Base of callbacks: override the ``on_...`` methods you need.

    Inside of them ``self.model`` is the :class:`paddle.Model` and ``self.params`` a dict with
    ``batch_size``, ``epochs``, ``steps``, ``verbose`` and ``metrics`` (names). ``logs`` of the
    methods after a step hold ``loss`` (a list), the metrics by name, ``step`` and ``batch_size``.
    Looking at the loss or a metric waits for the device; a callback that does not look costs
    nothing.

    Examples:
        .. code-block:: python

            import paddle

            class Losses(paddle.callbacks.Callback):
                def on_train_begin(self, logs=None):
                    self.seen = []

                def on_train_batch_end(self, step, logs=None):
                    self.seen.append(logs["loss"][0])

            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                          paddle.nn.MSELoss())
            losses = Losses()
            model.fit(data, batch_size=4, verbose=0, callbacks=losses)
            print(len(losses.seen))  # 2
    """

    ends_last = False  # whether it is told of an end after all others

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_params(self, params: dict[str, Any]) -> None:
        """Told before a run: batch size, number of epochs and steps, names of metrics.

        Args:
            params (dict): becomes ``self.params``.
        """
        self.params = params

    def set_model(self, model: Any) -> None:
        """Told before a run: the Model.

        Args:
            model (Model): becomes ``self.model``.
        """
        self.model = model

    def on_train_begin(self, logs: Any = None) -> None:
        """Called before ``fit`` starts."""

    def on_train_end(self, logs: Any = None) -> None:
        """Called when ``fit`` is done; ``logs`` are those of the last step."""

    def on_eval_begin(self, logs: Any = None) -> None:
        """Called before an evaluation; ``logs`` hold ``steps`` and ``metrics``."""

    def on_eval_end(self, logs: Any = None) -> None:
        """Called after an evaluation; ``logs`` hold the loss and the metrics."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Called before ``predict`` starts; ``logs`` hold ``steps``."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Called when ``predict`` is done."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called before an epoch of training; the first epoch is 0."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called after an epoch of training, before its evaluation."""

    def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
        """Called before a step of training; the first step is 0."""

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Called after a step of training."""

    def on_eval_batch_begin(self, step: int, logs: Any = None) -> None:
        """Called before a step of an evaluation."""

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        """Called after a step of an evaluation."""

    def on_predict_batch_begin(self, step: int, logs: Any = None) -> None:
        """Called before a step of ``predict``."""

    def on_predict_batch_end(self, step: int, logs: Any = None) -> None:
        """Called after a step of ``predict``."""


class CallbackList(Guarded):
    """Hands every call to all callbacks, in their order.

    Args:
        callbacks (list[Callback], optional): the callbacks.

    Examples:
        .. code-block:: python

            import paddle
            both = paddle.callbacks.CallbackList([paddle.callbacks.LRScheduler()])
            both.append(paddle.callbacks.ModelCheckpoint())
            print(len(list(both)))  # 2
    """

    def __init__(self, callbacks: list[Callback] | None = None) -> None:
        self.callbacks: list[Callback] = []
        self.params: dict[str, Any] = {}
        self.model: Any = None
        for callback in callbacks or []:
            self.append(callback)

    def append(self, callback: Callback) -> None:
        """Adds a callback at the end.

        Args:
            callback (Callback): what is added.
        """
        if not isinstance(callback, Callback):
            raise TypeError(
                "callbacks: expected paddle.callbacks.Callback or a list of them, "
                f"got {type(callback).__name__}."
            )
        self.callbacks.append(callback)

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def set_params(self, params: dict[str, Any]) -> None:
        """Tells all callbacks about the run.

        Args:
            params (dict): see :meth:`Callback.set_params`.
        """
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Any) -> None:
        """Tells all callbacks the Model.

        Args:
            model (Model): see :meth:`Callback.set_model`.
        """
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)

    def _call(self, name: str, *args: Any) -> None:
        late = []
        for callback in self.callbacks:
            if callback.ends_last and name.endswith("_end"):
                late.append(callback)
            else:
                getattr(callback, name)(*args)
        for callback in late:
            getattr(callback, name)(*args)

    @staticmethod
    def _checked(mode: str) -> str:
        if mode not in MODES:
            raise InvalidArgumentError(
                f"CallbackList(mode): expected one of {list(MODES)}, but received {mode!r}."
            )
        return mode

    def on_begin(self, mode: str, logs: Any = None) -> None:
        """Calls ``on_<mode>_begin``.

        Args:
            mode (str): train, eval or predict.
            logs (dict, optional): handed on.
        """
        self._call(f"on_{self._checked(mode)}_begin", logs)

    def on_end(self, mode: str, logs: Any = None) -> None:
        """Calls ``on_<mode>_end``.

        Args:
            mode (str): train, eval or predict.
            logs (dict, optional): handed on.
        """
        self._call(f"on_{self._checked(mode)}_end", logs)

    def on_epoch_begin(self, epoch: int | None = None, logs: Any = None) -> None:
        """Calls ``on_epoch_begin``.

        Args:
            epoch (int): number of the epoch, from 0.
            logs (dict, optional): handed on.
        """
        self._call("on_epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch: int | None = None, logs: Any = None) -> None:
        """Calls ``on_epoch_end``.

        Args:
            epoch (int): number of the epoch, from 0.
            logs (dict, optional): handed on.
        """
        self._call("on_epoch_end", epoch, logs)

    def on_batch_begin(self, mode: str, step: int | None = None, logs: Any = None) -> None:
        """Calls ``on_<mode>_batch_begin``.

        Args:
            mode (str): train, eval or predict.
            step (int): number of the step, from 0.
            logs (dict, optional): handed on.
        """
        self._call(f"on_{self._checked(mode)}_batch_begin", step, logs)

    def on_batch_end(self, mode: str, step: int | None = None, logs: Any = None) -> None:
        """Calls ``on_<mode>_batch_end``.

        Args:
            mode (str): train, eval or predict.
            step (int): number of the step, from 0.
            logs (dict, optional): handed on.
        """
        self._call(f"on_{self._checked(mode)}_batch_end", step, logs)
