"""Mixed precision for static training: ``decorate`` wraps an optimizer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.amp.auto_cast import low_dtype
from paddle.amp.lists import custom
from paddle.amp.rewrite import rewrite
from paddle.core import unique_name
from paddle.core.errors import PreconditionNotMetError
from paddle.core.guards import guard_module
from paddle.ir.current import default_startup_program, name_scope, program_guard
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.static.variables import create_global_var

__all__ = ["AutoMixedPrecisionLists", "CustomOpLists", "decorate", "fp16_guard"]


class AutoMixedPrecisionLists:
    """Which operators of a Program run in 16 bits and which in 32.

    Args:
        custom_white_list (set[str], optional): further operators to run in 16 bits.
        custom_black_list (set[str], optional): further operators to run in 32 bits.
        custom_black_varnames (set[str], optional): operators that read or write one of these
            variables run in 32 bits.

    Raises:
        ValueError: an operator is in both lists or does not exist.

    Examples:
        .. code-block:: python

            import paddle
            lists = paddle.static.amp.AutoMixedPrecisionLists(custom_black_list={"matmul_v2"})
            print("matmul_v2" in lists.black_list, "matmul_v2" in lists.white_list)  # True False
    """

    def __init__(
        self,
        custom_white_list: Any = None,
        custom_black_list: Any = None,
        custom_black_varnames: Any = None,
    ) -> None:
        found = custom("AutoMixedPrecisionLists", custom_white_list, custom_black_list)
        self.white_list, self.black_list = found
        self.black_varnames = frozenset(custom_black_varnames or ())


CustomOpLists = AutoMixedPrecisionLists


@contextlib.contextmanager
def fp16_guard() -> Iterator[None]:
    """Marks operators by a name scope, as 2.1 and later do for their pure float16 mode.

    :func:`decorate` of 2.0 has no such mode: it goes by its lists, inside and outside alike.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            x = paddle.static.data("x", [None, 4])
            with paddle.static.amp.fp16_guard():
                y = paddle.static.nn.fc(x, 2)
            paddle.disable_static()
    """
    with name_scope("__use_fp16__"):
        yield


def decorate(
    optimizer: Any,
    amp_lists: AutoMixedPrecisionLists | None = None,
    init_loss_scaling: float = 2**15,
    incr_every_n_steps: int = 1000,
    decr_every_n_nan_or_inf: int = 2,
    incr_ratio: float = 2.0,
    decr_ratio: float = 0.8,
    use_dynamic_loss_scaling: bool = True,
    use_pure_fp16: bool = False,
    use_fp16_guard: bool | None = None,
) -> OptimizerWithMixedPrecision:
    """Returns an optimizer whose ``minimize`` trains a Program in mixed precision.

    Casts are added to the Program before its gradient operators are; see
    :func:`paddle.amp.auto_cast` for what runs in which precision. Parameters stay in 32 bits. The
    loss is scaled, and gradients that overflow are set to zero, as :class:`paddle.amp.GradScaler`
    explains.

    Args:
        optimizer (Optimizer): does the updates.
        amp_lists (AutoMixedPrecisionLists, optional): changes to the lists of operators.
        init_loss_scaling (float): the first factor of the loss.
        incr_every_n_steps (int): good steps in a row after which the factor grows.
        decr_every_n_nan_or_inf (int): steps with an overflow after which it shrinks.
        incr_ratio (float): how it grows.
        decr_ratio (float): how it shrinks.
        use_dynamic_loss_scaling (bool): False keeps the first factor.
        use_pure_fp16 (bool): run all operators but the black ones in 16 bits.
        use_fp16_guard (bool, optional): regions of 16 bits are not available: use the lists.

    Returns:
        OptimizerWithMixedPrecision: has ``minimize``, ``backward``, ``apply_gradients``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            main, startup = paddle.static.Program(), paddle.static.Program()
            with paddle.static.program_guard(main, startup):
                x = paddle.static.data("x", [None, 4])
                loss = paddle.mean(paddle.static.nn.fc(x, 2))
                optimizer = paddle.static.amp.decorate(paddle.optimizer.SGD(0.1))
                optimizer.minimize(loss)
            exe = paddle.static.Executor()
            exe.run(startup)
            exe.run(main, {"x": np.ones([3, 4], "float32")}, [loss])
            paddle.disable_static()
    """
    if use_fp16_guard:
        raise NotImplementedError(
            "decorate(use_fp16_guard=True) is not available; name operators in "
            "AutoMixedPrecisionLists, or variables in its custom_black_varnames."
        )
    return OptimizerWithMixedPrecision(
        optimizer, amp_lists or AutoMixedPrecisionLists(), float(init_loss_scaling),
        use_dynamic_loss_scaling, use_pure_fp16,
        incr_every_n_steps=incr_every_n_steps, decr_every_n_nan_or_inf=decr_every_n_nan_or_inf,
        incr_ratio=float(incr_ratio), decr_ratio=float(decr_ratio),
    )  # fmt: skip


class OptimizerWithMixedPrecision:
    """An optimizer that scales the loss and casts; made by :func:`decorate`.

    Args:
        optimizer (Optimizer): does the updates.
        amp_lists (AutoMixedPrecisionLists): which operator runs in which precision.
        init_loss_scaling (float): the first factor of the loss.
        use_dynamic_loss_scaling (bool): adapt it.
        use_pure_fp16 (bool): run all operators but the black ones in 16 bits.
        **rule: how the factor is adapted.
    """

    def __init__(
        self,
        optimizer: Any,
        amp_lists: AutoMixedPrecisionLists,
        init_loss_scaling: float,
        use_dynamic_loss_scaling: bool,
        use_pure_fp16: bool,
        **rule: Any,
    ) -> None:
        self._optimizer, self._lists = optimizer, amp_lists
        self._first, self._dynamic, self._pure = (
            init_loss_scaling, use_dynamic_loss_scaling, use_pure_fp16,
        )  # fmt: skip
        self._rule = rule
        self._loss_scaling: Variable | None = None
        self._scaled_loss: Variable | None = None

    def get_loss_scaling(self) -> Variable | None:
        """The variable that holds the factor; None before ``backward``."""
        return self._loss_scaling

    def get_scaled_loss(self) -> Variable | None:
        """The loss times the factor; None before ``backward``."""
        return self._scaled_loss

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_optimizer"], name)

    def backward(
        self,
        loss: Variable,
        startup_program: Program | None = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list:
        """Adds casts, the scaled loss and gradient operators.

        Args:
            loss (Variable): what is minimised.
            startup_program (Program, optional): sets the factor; None means the default one.
            parameter_list (list, optional): parameters to update.
            no_grad_set (set, optional): variables without gradient.
            callbacks (list, optional): see :func:`paddle.static.append_backward`.

        Returns:
            list: pairs (parameter, gradient of the scaled loss).
        """
        program = loss.block.program
        lists = self._lists
        low = low_dtype()
        rewrite(program, lists.white_list, lists.black_list, low, lists.black_varnames, self._pure)
        with program_guard(program, startup_program or default_startup_program()):
            self._loss_scaling = create_global_var(
                [1], self._first, "float32", True, name=unique_name.generate("loss_scaling")
            )
            wide = loss if loss.dtype == self._loss_scaling.dtype else loss.astype("float32")
            self._scaled_loss = wide * self._loss_scaling
            return self._optimizer.backward(
                self._scaled_loss, startup_program, parameter_list, no_grad_set, callbacks
            )

    def apply_gradients(self, params_grads: list) -> list:
        """Divides gradients by the factor, adapts it, and adds the updates.

        Args:
            params_grads (list): what :meth:`backward` returned.

        Returns:
            list: the operators of the updates.
        """
        if self._loss_scaling is None:
            raise PreconditionNotMetError(
                "apply_gradients: call backward first; it scales the loss."
            )
        grads = [g for _, g in params_grads if g is not None]
        if not grads:
            return self._optimizer.apply_gradients(params_grads)
        program = grads[0].block.program
        block = program.global_block()
        with program._optimized_guard([]):
            found = block.create_var(
                name=unique_name.generate("find_infinite_scale.tmp"), dtype="bool"
            )
            block.append_op(
                "check_finite_and_unscale", {"X": grads, "Scale": self._loss_scaling},
                {"Out": grads, "FoundInfinite": found},
            )  # fmt: skip
            self._adapt(block, grads, found)
        return self._optimizer.apply_gradients(params_grads)

    def _adapt(self, block: Any, grads: list, found: Variable) -> None:
        scale = self._loss_scaling
        good, bad = (
            create_global_var([1], 0, "int32", True, name=unique_name.generate(f"num_{kind}_steps"))
            for kind in ("good", "bad")
        )
        rule = dict(self._rule)
        if block.program.of_1x:  # 1.8.5 changes the factor one step later
            for name in ("incr_every_n_steps", "decr_every_n_nan_or_inf"):
                rule[name] += 1
        block.append_op(
            "update_loss_scaling",
            {"X": grads, "FoundInfinite": found, "PrevLossScaling": scale, "InGoodSteps": good,
             "InBadSteps": bad},
            {"Out": grads, "LossScaling": scale, "OutGoodSteps": good, "OutBadSteps": bad},
            {**rule, "stop_update": not self._dynamic},
        )  # fmt: skip

    def minimize(
        self,
        loss: Variable,
        startup_program: Program | None = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """:meth:`backward` and :meth:`apply_gradients`.

        Returns:
            tuple: the operators of the updates, and the pairs (parameter, gradient).
        """
        startup = startup_program or default_startup_program()
        with program_guard(loss.block.program, startup):
            pairs = self.backward(loss, startup, parameter_list, no_grad_set)
            return self.apply_gradients(pairs), pairs


guard_module(globals())
