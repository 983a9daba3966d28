"""extend_with_decoupled_weight_decay: weight decay beside the update, as AdamW has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.fluid.optimizer.base import Optimizer
from paddle.fluid.recording import recorded, temporary
from paddle.ir.current import default_startup_program, program_guard
from paddle.ir.variable import Variable

__all__ = ["DecoupledWeightDecay", "extend_with_decoupled_weight_decay"]


class DecoupledWeightDecay:
    """Base that takes ``coeff * param`` from each parameter before it is updated.

    Args:
        coeff (float|Variable): how much decays. Default: 0.0.
        apply_decay_param_fun (callable, optional): takes a parameter's name; only where it returns
            True is the parameter decayed.
    """

    def __init__(
        self, coeff: Any = 0.0, apply_decay_param_fun: Callable | None = None, **kwargs: Any
    ) -> None:
        if not isinstance(coeff, (float, Variable)):
            raise TypeError(
                f"coeff: expected a float or a Variable, but received {type(coeff).__name__}."
            )
        self._coeff = coeff
        self._apply_decay_param_fun = apply_decay_param_fun
        self._decayed: set[str] = set()
        super().__init__(**kwargs)

    def _chosen(self, params_grads: list) -> list:
        asked = self._apply_decay_param_fun
        return [
            (p, g) for p, g in params_grads if g is not None and (asked is None or asked(p.name))
        ]

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        """See :meth:`Optimizer.backward`."""
        return super().backward(*args, **kwargs)  # type: ignore[misc]

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: list) -> list:
        """Decays, then updates.

        Args:
            loss (Variable): the loss that the gradients are of.
            startup_program (Program, optional): gets what fills accumulators.
            params_grads (list): pairs (parameter, gradient).

        Returns:
            list: the operators of the updates.
        """
        chosen = self._chosen(params_grads)
        if isinstance(loss, Tensor):
            with no_grad():
                for param, _ in chosen:
                    param.set_value(param * (1.0 - self._coeff))
        else:
            with program_guard(loss.block.program, startup_program or default_startup_program()):
                self._record_decay(chosen)
        return super().apply_optimize(loss, startup_program, params_grads)  # type: ignore[misc]

    def _record_decay(self, chosen: list) -> None:
        shares = []
        for param, grad in chosen:
            program = param.block.program
            with program._optimized_guard([param, grad]):
                block = program.current_block()
                if isinstance(self._coeff, Variable):
                    shares.append(param * self._coeff)
                    continue
                made = temporary(block, param)
                block.append_op("scale", {"X": param}, {"Out": made}, {"scale": self._coeff})
                shares.append(made)
        for (param, grad), share in zip(chosen, shares, strict=True):
            program = param.block.program
            with program._optimized_guard([param, grad]):
                inputs = {"X": param, "Y": share}
                new = recorded("elementwise_sub", inputs, {"axis": -1}, stop=True)
                program.current_block().append_op("assign", {"X": new}, {"Out": param})

    def __str__(self) -> str:
        return f"Weight Decay, params: {','.join(sorted(self._decayed))}"


def extend_with_decoupled_weight_decay(base_optimizer: type) -> type:
    """Makes an optimizer with decoupled weight decay of a class of optimizers.

    Args:
        base_optimizer (type): a class derived from ``fluid.optimizer.Optimizer``.

    Returns:
        type: a class whose constructor takes ``weight_decay`` and ``apply_decay_param_fun`` before
        the arguments of the base, which are given by name.

    Raises:
        TypeError: no class of optimizers.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = paddle.static.data("x", [None, 2])
                loss = paddle.mean(paddle.static.nn.fc(x, 1))
                AdamW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
                AdamW(weight_decay=0.01, learning_rate=0.1).minimize(loss)
            paddle.disable_static()
    """
    if not isinstance(base_optimizer, type) or not issubclass(base_optimizer, Optimizer):
        raise TypeError(
            "extend_with_decoupled_weight_decay(base_optimizer): expected a class derived from "
            f"fluid.optimizer.Optimizer, but received {base_optimizer!r}."
        )

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecay, base_optimizer):  # type: ignore
        """The base, with weights that decay by ``weight_decay`` before each update."""

        def __init__(
            self, weight_decay: Any, apply_decay_param_fun: Callable | None = None, **kwargs: Any
        ) -> None:
            super().__init__(weight_decay, apply_decay_param_fun, **kwargs)

    return OptimizerWithDecoupledWeightDecay
