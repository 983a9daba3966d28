"""Steps of a Model in dynamic mode: forward, backward and update as the operators run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from paddle import tensor
from paddle.amp import GradScaler, auto_cast
from paddle.core.dtype import VarType
from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.hapi import checkpoint
from paddle.hapi.feeding import tensors, to_list
from paddle.hapi.precision import Precision
from paddle.hapi.together import Joining, together

_nothing = contextlib.nullcontext()
_HALF = (VarType.FP16, VarType.BF16)


class DynamicAdapter(Joining):
    """What :class:`paddle.Model` does differently in dynamic mode.

    Args:
        model (Model): whose network, loss, optimizer and metrics are used.

    Attributes:
        gathered (int): batches whose gradients wait for one update together.
        watch (callable|None): told before every update, with what the gradients are scaled by.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list = []
        self._precision = Precision()
        self.gathered = 0
        self.scaler: Any = None  # of the loss, in mixed precision
        self.watch: Callable[[float], None] | None = None
        self._own = False  # whether the gradients that wait are this process's alone

    def check_optimizer(self, optimizer: Any) -> None:
        """Any optimizer will do."""

    def prepare(self, optimizer: Any, loss: Any, metrics: list, precision: Precision) -> None:
        """Begins anew with the scaling of the loss, and with gradients."""
        self._optimizer, self._loss, self._metrics = optimizer, loss, metrics
        self._precision = precision
        self.scaler = GradScaler(**precision.scaling) if precision.mixed else None
        self.gathered = 0
        if self._others is None:
            self._others = together(self._model.network)
        if self._others is not None and optimizer is not None:
            self._others.wrapped  # noqa: B018 - all processes begin with the same parameters

    # -- steps ------------------------------------------------------------------------------------

    def train_step(
        self, inputs: list, labels: list, update: bool = True
    ) -> tuple[list[Tensor], list]:
        """Trains on a batch; returns the losses and what the metrics computed."""
        inputs, labels = tensors(inputs), tensors(labels)
        others = self._others
        self._own = others is not None and not update
        with others.wrapped.no_sync() if self._own else _nothing:  # type: ignore[union-attr]
            outputs, losses = self._forward_backward(inputs, labels)
        self.gathered += 1
        if update:
            self.update()
        measured = self._measure(outputs, labels)
        losses = [loss.detach() for loss in losses]
        if others is None:
            return losses, measured
        return others.losses(losses), self._of_all(measured, outputs, labels)

    def _forward_backward(self, inputs: list, labels: list) -> tuple[list, list]:
        network = self._model.network if self._others is None else self._others.wrapped
        if self.scaler is None:
            outputs = self._forward(inputs, network)
            losses = self._losses(outputs, labels)
        else:
            with auto_cast(level=self._precision.level, **self._precision.lists):
                outputs = self._forward(inputs, network)
                losses = self._losses(outputs, labels)
        total: Any = losses[0]
        for loss in losses[1:]:
            total = total + loss
        if self.scaler is not None:
            total = self.scaler.scale(total)
        total.backward()
        return outputs, losses

    def _of_all(self, measured: list, outputs: list, labels: list) -> list:
        """What metrics computed, of the batches of all processes."""
        assert self._others is not None
        if not measured:
            return measured
        count = outputs[0].shape[0] if outputs and isinstance(outputs[0], Tensor) else -1
        found = self._others.states(measured, count)
        if found is not None:
            return found
        return self._measure(*self._others.joined_rows(outputs, labels))

    def update(self) -> None:
        """Updates by the sum of the gradients that wait."""
        self.gathered = 0
        if self._own:  # no batch came any more whose backward exchanges them
            self._own = False
            self._others.gradients()  # type: ignore[union-attr]
        optimizer = self._optimizer
        if self.watch is not None:
            self.watch(1.0 if self.scaler is None else self.scaler.state_dict()["scale"].item())
        if self.scaler is None:
            optimizer.step()
        else:
            # The gradients are there; which loss they are of does not matter any more.
            self.scaler.minimize(optimizer, tensor.to_tensor(0.0))
        optimizer.clear_grad()

    def forget(self) -> None:
        """Drops gradients that wait for an update which will not come."""
        if self.gathered:
            self.gathered = 0
            self._optimizer.clear_grad()

    @no_grad()
    def eval_step(self, inputs: list, labels: list) -> tuple[list[Tensor], list]:
        """Returns the losses of a batch and what the metrics computed."""
        inputs, labels = tensors(inputs), tensors(labels)
        outputs = self._forward(inputs)
        if self._others is not None:
            outputs, labels = self._others.rows(outputs, labels)
        losses = [] if self._loss is None else self._losses(outputs, labels)
        return losses, self._measure(outputs, labels)

    @no_grad()
    def predict_step(self, inputs: list) -> list[Tensor]:
        """Returns the outputs of the network."""
        outputs = self._forward(tensors(inputs))
        return outputs if self._others is None else self._others.rows(outputs)[0]

    def _forward(self, inputs: list, network: Any = None) -> list:
        model = self._model
        if model._seen_shapes is None:
            seen = [(t.shape, t.dtype) for t in inputs if isinstance(t, Tensor)]
            model._seen_shapes = [shape for shape, _ in seen]
            model._seen = seen
        return to_list((network or model.network)(*inputs))

    def _losses(self, outputs: list, labels: list) -> list[Tensor]:
        return to_list(self._loss(*outputs, *labels))

    @no_grad()
    def _measure(self, outputs: list[Tensor], labels: list[Tensor]) -> list[list]:
        """Runs ``compute`` of every metric: what it gives is handed to ``update`` later."""
        metrics = self._metrics
        if not metrics:
            return []
        outputs = [o.detach() if isinstance(o, Tensor) else o for o in outputs]
        if self.scaler is not None:  # arrays of bfloat16 are numbers for nobody
            outputs = [_wide(output) for output in outputs]
        return [to_list(metric.compute(*outputs, *labels)) for metric in metrics]

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, training: bool, state: Any = None) -> None:
        """See :meth:`paddle.Model.save`; ``state`` is that of a fit, as parts of a file."""
        checkpoint.check_path(path)
        model = self._model
        if not training:
            checkpoint.save_for_inference(model.network, path, model._inputs, model._seen)
            return
        held = {} if self._optimizer is None else self._optimizer.state_dict()
        scaling = None if self.scaler is None else self.scaler.state_dict()
        checkpoint.save(path, model.network.state_dict(), held, scaling, state)

    def load(self, path: str, skip_mismatch: bool, reset_optimizer: bool) -> bool:
        """See :meth:`paddle.Model.load`; says whether all of it was loaded."""
        optimizer = None if reset_optimizer else self._optimizer
        scaler = None if reset_optimizer else self.scaler
        return checkpoint.load(self._model.network, optimizer, path, skip_mismatch, scaler)


def _wide(output: Any) -> Any:
    half = isinstance(output, Tensor) and output.dtype in _HALF
    return output.astype("float32") if half else output
