"""What fleet.distributed_optimizer returns: an optimizer that trains in several processes."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.core.user_frame import outside
from paddle.distributed.fleet.base.distributed_strategy import DistributedStrategy
from paddle.distributed.fleet.base.role_maker import RoleMakerBase
from paddle.distributed.fleet.base.strategy_effects import without_effect
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.ir.current import default_startup_program, switch_main_program
from paddle.ir.variable import Variable

_STATIC_ONLY = (
    "amp", "recompute", "gradient_merge", "localsgd", "adaptive_localsgd", "dgc", "lars", "lamb",
    "fp16_allreduce", "sharding", "pipeline", "sync_batch_norm",
)  # fmt: skip


class DistributedOptimizer:
    """An optimizer together with a strategy; made by ``fleet.distributed_optimizer``.

    In dynamic mode it does what the optimizer does, as ``fleet.distributed_model`` exchanges the
    gradients. In static mode ``minimize`` rewrites the Programs as the strategy says.

    Args:
        optimizer (Optimizer): the optimizer of one process.
        strategy (DistributedStrategy): how to train.
        role_maker (RoleMakerBase): who this process is.
        rewrite (callable): carries out ``minimize`` of a static Program.
        tell_once (callable): says whether nobody was told of something yet.
        set_rate (callable): tells the servers a learning rate.
    """

    def __init__(
        self,
        optimizer: Any,
        strategy: DistributedStrategy,
        role_maker: RoleMakerBase,
        rewrite: Callable[[Context], tuple[list, list]],
        tell_once: Callable[[str], bool],
        set_rate: Callable[[float], None],
    ) -> None:
        self._roles, self._rewrite, self._tell_once = role_maker, rewrite, tell_once
        self._set_rate = set_rate
        self.user_defined_optimizer = optimizer
        self.user_defined_strategy = copy.deepcopy(strategy)
        self._context: Context | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "user_defined_optimizer" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.user_defined_optimizer, name)

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Does one update, or rewrites the Program of a loss so that it trains in this job.

        Args:
            loss (Tensor|Variable): what is minimised.
            startup_program (Program, optional): sets first values; None means the default one.
            parameter_list (list, optional): update only these.
            no_grad_set (set, optional): Tensors or names that are not updated.

        Returns:
            tuple: the operators added, and the pairs (parameter, gradient).
        """
        if not isinstance(loss, Variable):
            self._warn_static_only()
            return self.user_defined_optimizer.minimize(
                loss, startup_program, parameter_list, no_grad_set
            )
        startup = default_startup_program() if startup_program is None else startup_program
        context = Context(
            loss, startup, self._roles, copy.deepcopy(self.user_defined_strategy),
            self.user_defined_optimizer, self.user_defined_optimizer, parameter_list, no_grad_set,
        )  # fmt: skip
        if context.strategy.auto:
            warnings.warn(
                "fleet: strategy.auto has no effect: switch on what you want.", stacklevel=outside()
            )
        self._warn_without_effect()
        made = self._rewrite(context)
        self._context = context
        switch_main_program(context.main_program)  # as 2.0 does
        return made

    def _warn_static_only(self) -> None:
        """Says, once, what the strategy asks for and only static mode does."""
        strategy = self.user_defined_strategy
        self._warn_without_effect()
        asked = [name for name in _STATIC_ONLY if getattr(strategy, name)]
        asked += [] if strategy.fuse_all_reduce_ops else ["fuse_all_reduce_ops = False"]
        if asked and self._tell_once("static only"):
            names = ", ".join(f"strategy.{name}" for name in asked)
            warnings.warn(
                f"fleet: in dynamic mode {names} has no effect, as in 2.0: there gradients are "
                "averaged by fleet.distributed_model, and paddle.amp casts.",
                stacklevel=outside(),
            )

    def _warn_without_effect(self) -> None:
        """Says, once, what was changed in the strategy and does nothing in any mode."""
        found = without_effect(self.user_defined_strategy)
        if found and self._tell_once("without effect"):
            lines = [f"strategy.{name} has {text}." for name, text in found.items()]
            warnings.warn("fleet: " + " ".join(lines), stacklevel=outside())

    def set_lr(self, value: float) -> None:
        """Sets the learning rate, that of the servers too.

        Args:
            value (float): the rate.

        Raises:
            RuntimeError: the rate is a scheduler's, or this worker is not connected to the servers.
        """
        self.user_defined_optimizer.set_lr(value)
        self._set_rate(float(value))

    def step(self) -> None:
        """Does one update with the gradients there are."""
        self._warn_static_only()
        self.user_defined_optimizer.step()

    def amp_init(
        self, place: Any, scope: Any = None, test_program: Any = None, use_fp16_test: bool = False
    ) -> None:
        """Casts the parameters for training in 16 bits, after the startup Program has run.

        Args:
            place (Place): where the parameters are.
            scope (Scope, optional): holds them; None means the global one.
            test_program (Program, optional): cast too, for testing.
            use_fp16_test (bool): whether that one tests in 16 bits.

        Raises:
            RuntimeError: the strategy has no ``amp``, or ``minimize`` was not called.
        """
        casting = getattr(self._context and self._context.optimizer, "amp_init", None)
        if casting is None:
            raise PreconditionNotMetError(
                "fleet.amp_init: expected an optimizer that was minimised with strategy.amp = True."
            )
        casting(place, scope, test_program, use_fp16_test)
