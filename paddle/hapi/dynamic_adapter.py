"""Steps of a Model in dynamic mode: forward, backward and update as the operators run."""

from __future__ import annotations

from typing import Any

from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.hapi import checkpoint
from paddle.hapi.feeding import tensors, to_list


class DynamicAdapter:
    """What :class:`paddle.Model` does differently in dynamic mode.

    Args:
        model (Model): whose network, loss, optimizer and metrics are used.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def check_optimizer(self, optimizer: Any) -> None:
        """Any optimizer will do."""

    def prepare(self) -> None:
        """Nothing is made beforehand."""

    # -- steps ------------------------------------------------------------------------------------

    def train_step(self, inputs: list, labels: list) -> tuple[list[Tensor], list]:
        """Trains on a batch; returns the losses and what the metrics computed."""
        inputs, labels = tensors(inputs), tensors(labels)
        outputs = self._forward(inputs)
        losses = self._losses(outputs, labels)
        total: Any = losses[0]
        for loss in losses[1:]:
            total = total + loss
        total.backward()
        self._model._optimizer.step()
        self._model._optimizer.clear_grad()
        return [loss.detach() for loss in losses], self._measure(outputs, labels)

    @no_grad()
    def eval_step(self, inputs: list, labels: list) -> tuple[list[Tensor], list]:
        """Returns the losses of a batch and what the metrics computed."""
        inputs, labels = tensors(inputs), tensors(labels)
        outputs = self._forward(inputs)
        losses = [] if self._model._loss is None else self._losses(outputs, labels)
        return losses, self._measure(outputs, labels)

    @no_grad()
    def predict_step(self, inputs: list) -> list[Tensor]:
        """Returns the outputs of the network."""
        return self._forward(tensors(inputs))

    def _forward(self, inputs: list) -> list:
        model = self._model
        if model._seen_shapes is None:
            seen = [(t.shape, t.dtype) for t in inputs if isinstance(t, Tensor)]
            model._seen_shapes = [shape for shape, _ in seen]
            model._seen = seen
        return to_list(model.network(*inputs))

    def _losses(self, outputs: list, labels: list) -> list[Tensor]:
        return to_list(self._model._loss(*outputs, *labels))

    @no_grad()
    def _measure(self, outputs: list[Tensor], labels: list[Tensor]) -> list[list]:
        """Runs ``compute`` of every metric: what it gives is handed to ``update`` later."""
        metrics = self._model._metrics
        if not metrics:
            return []
        outputs = [o.detach() if isinstance(o, Tensor) else o for o in outputs]
        return [to_list(metric.compute(*outputs, *labels)) for metric in metrics]

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, training: bool) -> None:
        """See :meth:`paddle.Model.save`."""
        checkpoint.check_path(path)
        model = self._model
        if not training:
            checkpoint.save_for_inference(model.network, path, model._inputs, model._seen)
            return
        state = {} if model._optimizer is None else model._optimizer.state_dict()
        checkpoint.save(path, model.network.state_dict(), state)

    def load(self, path: str, skip_mismatch: bool, reset_optimizer: bool) -> None:
        """See :meth:`paddle.Model.load`."""
        optimizer = None if reset_optimizer else self._model._optimizer
        checkpoint.load(self._model.network, optimizer, path, skip_mismatch)
