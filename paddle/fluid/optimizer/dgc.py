"""DGCMomentumOptimizer of 1.x: momentum by the largest gradients, where the others wait."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.mode import recording
from paddle.fluid.optimizer.plain import MomentumOptimizer
from paddle.fluid.recording import persistable
from paddle.ir.block import Block
from paddle.ir.current import default_main_program
from paddle.ir.operator import Operator
from paddle.ir.variable import Variable
from paddle.nn.clip import ClipGradByNorm

__all__ = ["DGCMomentumOptimizer"]

_LEAST = 16384  # smaller parameters are updated as by Momentum


class DGCMomentumOptimizer(MomentumOptimizer):
    """Deep gradient compression, https://arxiv.org/abs/1712.01887, in one process.

    From step ``rampup_begin_step`` on, a step changes a large parameter only where the gradients
    that have accumulated are largest; what is left waits. Parameters of less than 16384 elements
    are updated as by Momentum.

    Args:
        learning_rate (float|Variable): the step size.
        momentum (float): the factor mu.
        rampup_begin_step (int): the step from which on gradients wait.
        rampup_step (int): over how many steps the sparsity grows. Default: 1.
        sparsity (list[float]): the part that waits, in the order in which it grows.
            Default: [0.999].
        parameter_list (list, optional): what to train.
        use_nesterov (bool): Nesterov's form. Default: False.
        num_trainers (int, optional): with ``grad_clip``: how many processes there are.
        regularization (WeightDecayRegularizer, optional): for parameters without one of their own.
        grad_clip (GradientClipByNorm, optional): clips gradients that may wait, by ``clip_norm``
            over the square root of ``num_trainers``.
        name (str, optional): becomes a part of the accumulators' names.

    Raises:
        NotImplementedError: dygraph mode.
        TypeError: ``grad_clip`` is of another class.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = paddle.static.data("x", [None, 2])
                loss = paddle.mean(paddle.static.nn.fc(x, 1))
                opt = fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, rampup_begin_step=0)
                opt.minimize(loss)
            paddle.disable_static()
    """

    type = "dgc_momentum"

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        rampup_begin_step: int,
        rampup_step: int = 1,
        sparsity: Sequence[float] = [0.999],
        parameter_list: Any = None,
        use_nesterov: bool = False,
        num_trainers: int | None = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        if not recording():
            raise NotImplementedError(
                "DGCMomentumOptimizer works on static Programs; in dygraph use Momentum."
            )
        if grad_clip is not None and not isinstance(grad_clip, ClipGradByNorm):
            raise TypeError(
                "DGCMomentumOptimizer(grad_clip): expected a GradientClipByNorm, "
                f"but received {grad_clip!r}."
            )
        super().__init__(
            learning_rate, momentum, parameter_list, use_nesterov, regularization, grad_clip, name
        )
        self._sparsity = [float(part) for part in sparsity]
        self._begin, self._ramp = float(rampup_begin_step), float(rampup_step)
        self._norm: float | None = None
        if grad_clip is not None:
            assert isinstance(num_trainers, int) and num_trainers > 0, (
                "DGCMomentumOptimizer(num_trainers): expected a positive int beside grad_clip."
            )
            self._norm = grad_clip.clip_norm / math.sqrt(num_trainers)
        self._step: Variable | None = None
        self._rule_attrs: dict[str, Any] = {
            "use_nesterov": bool(use_nesterov), "rampup_begin_step": self._begin,
        }  # fmt: skip
        self._mu = float(momentum)

    def _waits(self, param: Variable, grad: Variable) -> bool:
        """Whether gradients of a parameter may wait."""
        large = math.prod(param.shape) >= _LEAST
        return large and param.dtype == VarType.FP32 and grad.type != VarType.SELECTED_ROWS

    def _append_dgc_ops(self, param_and_grads: list) -> None:
        chosen = [(p, g) for p, g in param_and_grads if self._waits(p, g)]
        if not chosen:
            return
        program = default_main_program()
        block = program.global_block()
        self._step = persistable("__g_dgc_counter__", [1], "float32", -1.0, force_cpu=True)
        self._ranks = persistable("__g_nranks__", [1], "float32", 1.0, force_cpu=True)
        block._prepend_op("increment", {"X": self._step}, {"Out": self._step}, {"step": 1.0})
        for param, grad in chosen:
            with program._backward_role_guard():
                self._compress(block, param, grad)

    def _compress(self, block: Block, param: Variable, grad: Variable) -> None:
        if self._norm is not None:
            attrs = {"max_norm": self._norm, "rampup_begin_step": self._begin}
            inputs = {"X": grad, "current_step": self._step}
            block.append_op("dgc_clip_by_norm", inputs, {"Out": grad}, attrs)
        held = {
            slot: persistable(f"{param.name}__dgc_{slot.lower()}__", list(param.shape),
                              param.dtype, 0.0, belongs=True)
            for slot in ("U", "V")
        }  # fmt: skip
        inputs = {**held, "Grad": grad, "current_step": self._step, "nranks": self._ranks}
        outputs = {"U_out": held["U"], "V_out": held["V"], "Grad_out": grad}
        told: dict[str, Any] = {
            **self._rule_attrs, "m": self._mu, "sparsity": self._sparsity,
            "rampup_step": self._ramp,
        }  # fmt: skip
        block.append_op("dgc", inputs, outputs, told)

    def apply_gradients(self, params_grads: list) -> list:
        """Adds regularization and updates; what may wait is clipped before, in backward.

        Args:
            params_grads (list): pairs (parameter, gradient).

        Returns:
            list: the operators of the updates.
        """
        clip = self._grad_clip
        if clip is not None:
            others = [pair for pair in params_grads if not self._waits(*pair)]
            clipped = {p.name: g for p, g in clip(others)} if others else {}
            params_grads = [(p, clipped.get(p.name, g)) for p, g in params_grads]
        self._grad_clip = None
        try:
            return super().apply_gradients(params_grads)
        finally:
            self._grad_clip = clip

    def _append_optimize_op(self, block: Block, param_and_grad: tuple) -> Operator:
        param, grad = param_and_grad
        if not self._waits(param, grad) or self._step is None:
            return super()._append_optimize_op(block, param_and_grad)
        velocity = self._get_accumulator("velocity", param)
        inputs = {
            "Param": param, "Grad": grad, "Velocity": velocity,
            "LearningRate": self._create_param_lr(param_and_grad), "current_step": self._step,
            "nranks": self._ranks,
        }  # fmt: skip
        outputs = {"ParamOut": param, "VelocityOut": velocity, "Grad_out": grad}
        attrs = {**self._rule_attrs, "mu": self._mu}
        return block.append_op("dgc_momentum", inputs, outputs, attrs)
