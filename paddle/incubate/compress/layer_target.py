"""Layers that are pruned: their Programs, their values, and the change in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paddle import nn
from paddle.core.errors import PreconditionNotMetError
from paddle.incubate.compress.dependency import Dependencies
from paddle.incubate.compress.recording import input_specs, tensors_of, views_of
from paddle.incubate.compress.resizing import Kept, Undo, shrink
from paddle.jit.models.saving import decorated
from paddle.nn import Layer

_CONVOLUTIONS = (nn.Conv1D, nn.Conv2D, nn.Conv3D)
_TRANSPOSED = (nn.Conv1DTranspose, nn.Conv2DTranspose, nn.Conv3DTranspose)
# What layers note of the sizes of their weights: class, attribute, parameter, its axis.
_NOTED: list[tuple[Any, str, str, int]] = [
    (_CONVOLUTIONS, "_out_channels", "weight", 0),
    (_TRANSPOSED, "_in_channels", "weight", 0),
    (nn.Linear, "_in_features", "weight", 0),
    (nn.Linear, "_out_features", "weight", 1),
    (nn.Embedding, "_embedding_dim", "weight", 1),
    (nn.PReLU, "_num_parameters", "_weight", 0),
    (nn.GroupNorm, "_num_channels", "weight", 0),
    ((nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm3D, nn.SyncBatchNorm), "_num_features",
     "weight", 0),
    ((nn.InstanceNorm1D, nn.InstanceNorm2D, nn.InstanceNorm3D), "_num_features", "scale", 0),
]  # fmt: skip


class LayerTarget:
    """A Layer that is pruned.

    Args:
        layer (Layer): the outermost one.
        inputs: what its forward takes; see :func:`~paddle.incubate.compress.prune`.
        optimizer (Optimizer|None): whose accumulators get smaller with the parameters.
        where (str): the function that is called, for error texts.
    """

    kind = "Layer"

    def __init__(self, layer: Layer, inputs: Any, optimizer: Any, where: str) -> None:
        self.layer, self._optimizer, self._where = layer, optimizer, where
        self._specs = input_specs(layer, inputs, where)
        self.tensors = tensors_of(layer)
        self.given = {t.name: n for n, t in self.tensors.items()}

    def value(self, name: str) -> np.ndarray:
        """A parameter's value.

        Args:
            name (str): its name in the Layer.
        """
        return self.tensors[name].numpy()

    def dependencies(self) -> Dependencies:
        """What goes together; found anew."""
        found = Dependencies(views_of(self.layer, self._specs))
        if found.counted and not self._follows(found):
            found = Dependencies(views_of(self.layer, self._specs), trusted=False)
        return found

    def _follows(self, found: Dependencies) -> bool:
        """Whether the Layer's code runs with fewer channels, wherever its Program has numbers."""
        gone = [unit for group in found.groups for unit in group.units[len(group.units) // 2 :]
                if len(group.units) > 1]  # fmt: skip
        undo = self.change(kept_of(found, found.staying(gone)))
        try:
            views_of(self.layer, self._specs)
        except Exception:  # whatever a Layer's own code raises
            return False
        finally:
            undo.run()
            self.forget_programs()
        return True

    def change(self, kept: Mapping[str, Kept]) -> Undo:
        """Makes the parameters smaller; returns what takes it back.

        Args:
            kept (Mapping): parameter -> axis -> places that stay.
        """
        undo = Undo()
        for name, axes in kept.items():
            tensor = self.tensors[name]
            if self._optimizer is not None:
                self._optimizer.resize_state(tensor, lambda t, a=axes: shrink(t, a, undo))
            shrink(tensor, axes, undo)
        if kept:
            self._note_sizes(undo)
            self.forget_programs()
        return undo

    def check(self) -> None:
        """Runs the Layer's code once more, on shapes.

        Raises:
            RuntimeError: it does not run with its smaller parameters.
        """
        try:
            views_of(self.layer, self._specs)
        except Exception as error:
            raise PreconditionNotMetError(
                f"{self._where}: {type(self.layer).__name__} does not run with fewer channels, so "
                f"it was left as it was. Its code failed with: {error}",
                hint="take sizes from shapes in forward, or leave the parameters out by skip=[...]",
            ) from error

    def _note_sizes(self, undo: Undo) -> None:
        for layer in [self.layer, *self.layer.sublayers()]:
            weight = getattr(layer, "weight", None)
            if isinstance(layer, _CONVOLUTIONS) and weight is not None:
                _note_groups(layer, weight.shape[0], weight.shape[1], undo)
            for kinds, field, param, axis in _NOTED:
                held = getattr(layer, param, None) if isinstance(layer, kinds) else None
                if held is not None and vars(layer).get(field) not in (None, held.shape[axis], 1):
                    undo.attribute(layer, field, held.shape[axis])
            if weight is not None:
                _note_lists(layer, weight.shape, undo)

    def forget_programs(self) -> None:
        """Drops what paddle.jit.to_static has recorded of the Layer with its former sizes."""
        for layer in [self.layer, *self.layer.sublayers()]:
            for function in decorated(layer).values():
                function.program_cache.clear()


def _note_groups(layer: Layer, rows: int, columns: int, undo: Undo) -> None:
    """The numbers of a convolution that depend on each other; depthwise ones lose groups.

    Args:
        layer (Layer): whose ``_out_channels`` is the former number yet.
        rows (int): of its weight.
        columns (int): of its weight.
        undo (Undo): gets what puts them back.
    """
    noted = vars(layer)
    out, groups = noted["_out_channels"], noted["_groups"]
    if groups > 1 and columns == 1 and noted["_in_channels"] == groups and rows != out:
        groups = rows * groups // out
        undo.attribute(layer, "_groups", groups)
    if noted["_in_channels"] != columns * groups:
        undo.attribute(layer, "_in_channels", columns * groups)


def _note_lists(layer: Layer, shape: list[int], undo: Undo) -> None:
    """Sizes that are lists, or products with the number of groups."""
    noted = vars(layer)
    if isinstance(layer, _TRANSPOSED) and noted["_out_channels"] != shape[1] * noted["_groups"]:
        undo.attribute(layer, "_out_channels", shape[1] * noted["_groups"])
    if isinstance(layer, nn.LayerNorm) and len(shape) == 1:
        if noted["_normalized_shape"] != shape:
            undo.attribute(layer, "_normalized_shape", list(shape))


def kept_of(dependencies: Dependencies, staying: np.ndarray) -> dict[str, dict[int, np.ndarray]]:
    """Returns for each parameter that gets smaller the places that stay, by axis.

    Args:
        dependencies (Dependencies): the channels along the axes.
        staying (np.ndarray): for each channel whether it stays.
    """
    found: dict[str, dict[int, np.ndarray]] = {}
    for name, labels in dependencies.parameters.items():
        for axis, own in enumerate(labels):
            if own is not None and not staying[own].all():
                found.setdefault(name, {})[axis] = np.flatnonzero(staying[own])
    return found
