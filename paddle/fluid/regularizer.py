"""Regularizers of 1.x: penalties on parameters, with the argument names of 1.8.5."""

from __future__ import annotations

import logging
from typing import Any

from paddle import regularizer
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.regularizer import WeightDecayRegularizer

__all__ = [
    "L1Decay", "L1DecayRegularizer", "L2Decay", "L2DecayRegularizer", "WeightDecayRegularizer",
    "append_regularization_ops",
]  # fmt: skip


class L2DecayRegularizer(regularizer.L2Decay):
    """Adds ``regularization_coeff * param`` to the gradient.

    Args:
        regularization_coeff (float): factor of the penalty. Default: 0.0.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            decay = fluid.regularizer.L2Decay(regularization_coeff=1e-4)
            print(decay)  # L2Decay, regularization_coeff=0.000100
    """

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)

    @property
    def _regularization_coeff(self) -> float:
        return self._coeff

    def __str__(self) -> str:
        return f"L2Decay, regularization_coeff={self._coeff:f}"

    def _record(self, param: Any, grad: Any, block: Block) -> Any:
        penalty = _made_for(param, block)
        block.append_op("scale", {"X": param}, {"Out": penalty}, {"scale": self._coeff})
        return _added(grad, penalty, block)


class L1DecayRegularizer(regularizer.L1Decay):
    """Adds ``regularization_coeff * sign(param)`` to the gradient.

    Args:
        regularization_coeff (float): factor of the penalty. Default: 0.0.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            decay = fluid.regularizer.L1Decay(regularization_coeff=1e-4)
            print(decay)  # L1Decay, regularization_coeff=0.000100
    """

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)

    @property
    def _regularization_coeff(self) -> float:
        return self._coeff

    def __str__(self) -> str:
        return f"L1Decay, regularization_coeff={self._coeff:f}"

    def _record(self, param: Any, grad: Any, block: Block) -> Any:
        penalty = _made_for(param, block)
        block.append_op("sign", {"X": param}, {"Out": penalty})
        block.append_op("scale", {"X": penalty}, {"Out": penalty}, {"scale": self._coeff})
        return _added(grad, penalty, block)


L1Decay = L1DecayRegularizer
L2Decay = L2DecayRegularizer


def append_regularization_ops(parameters_and_grads: list, regularization: Any = None) -> list:
    """Adds the penalties of parameters to their gradients.

    Args:
        parameters_and_grads (list): pairs (parameter, gradient).
        regularization (WeightDecayRegularizer, optional): for parameters without one of their own.

    Returns:
        list: pairs (parameter, gradient with the penalty).
    """
    made = []
    own = False
    for param, grad in parameters_and_grads:
        decay = param.regularizer if param.regularizer is not None else regularization
        own = own or (param.regularizer is not None and regularization is not None)
        if grad is None or decay is None:
            made.append((param, grad))
            continue
        with param.block.program._optimized_guard([param, grad]):
            made.append((param, decay(param, grad, grad.block.program.current_block())))
    if own:
        logging.getLogger("paddle.fluid").info(
            "A ParamAttr's regularizer goes before that of the optimizer."
        )
    return made


def _made_for(param: Any, block: Block) -> Any:
    return block.create_var(
        shape=param.shape, dtype=param.dtype, lod_level=param.lod_level, stop_gradient=True
    )


def _added(grad: Any, penalty: Any, block: Block) -> Any:
    """The sum, written over a dense gradient; that of rows has a variable of its own."""
    out = grad
    if grad.type == VarType.SELECTED_ROWS:
        out = block.create_var(
            name=f"{grad.name}@NEWGRAD@", shape=penalty.shape, dtype=penalty.dtype,
            lod_level=penalty.lod_level,
        )  # fmt: skip
    block.append_op("sum", {"X": [grad, penalty]}, {"Out": out})
    return out
