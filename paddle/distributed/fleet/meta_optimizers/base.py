"""MetaOptimizer: one way of training in several processes, as a rewrite of the Program."""

from __future__ import annotations

import abc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paddle.distributed.fleet.base.distributed_strategy import DistributedStrategy
    from paddle.distributed.fleet.base.role_maker import RoleMakerBase
    from paddle.ir.program import Program
    from paddle.ir.variable import Variable


@dataclass
class Context:
    """What a call of ``fleet.minimize`` is about; meta-optimizers read and change it.

    Attributes:
        loss (Variable): what is minimised, in the main Program.
        startup_program (Program): sets first values; its ring initialisation goes here too.
        role_maker (RoleMakerBase): who this process is.
        strategy (DistributedStrategy): a copy of the user's; what is left out is switched off.
        user_optimizer (Optimizer): the one given to ``fleet.distributed_optimizer``.
        optimizer (Any): what will be minimised with: the user's, wrapped by those applied so far.
        parameters (list, optional): update only these.
        no_grad_set (set, optional): variables without gradient.
        optimize_ops, params_grads: what ``minimize`` returned; filled before ``rewrite``.
        applied (list): classes of the meta-optimizers applied, innermost first.
    """

    loss: Variable
    startup_program: Program
    role_maker: RoleMakerBase
    strategy: DistributedStrategy
    user_optimizer: Any
    optimizer: Any
    parameters: Any = None
    no_grad_set: Any = None
    optimize_ops: list = field(default_factory=list)
    params_grads: list = field(default_factory=list)
    applied: list[type[MetaOptimizer]] = field(default_factory=list)

    @property
    def main_program(self) -> Program:
        """The Program of the loss."""
        return self.loss.block.program

    @property
    def worker_num(self) -> int:
        """How many processes train."""
        return self.role_maker._worker_num()

    @property
    def worker_index(self) -> int:
        """Which of them this one is."""
        return self.role_maker._worker_index()


class MetaOptimizer(abc.ABC):
    """One switch of DistributedStrategy, carried out on static Programs.

    A chain of them is chosen (:mod:`paddle.distributed.fleet.compiler`). ``apply`` is called from
    the innermost to the outermost, before the gradients are made; ``rewrite`` in the same order
    after ``minimize``. A class defines the one it needs.

    Attributes:
        name (str): the switch, such as ``"amp"``.
        may_wrap (frozenset): names of those that may stand within it (2.0's white list). Two of
            which neither may wrap the other exclude each other.
        divides (bool): whether a process has only a part of the model afterwards.
        graph (bool): whether it comes last and only adds the exchange between processes.
    """

    name: str
    may_wrap: frozenset[str] = frozenset()
    divides = False
    graph = False

    def asked(self, context: Context) -> bool:
        """Whether the user switched it on."""
        return getattr(context.strategy, self.name)

    def obstacle(self, context: Context) -> str:
        """Why it cannot be applied here, to be read after "because"; empty where it can."""
        if context.role_maker._is_collective:
            return ""
        if context.role_maker._is_non_distributed():
            return "fleet.init was called without is_collective=True"
        return "the job has parameter servers"

    def disable(self, strategy: DistributedStrategy) -> None:
        """Switches it off, where it was left out."""
        setattr(strategy, self.name, False)

    def apply(self, context: Context) -> None:  # noqa: B027 (one of the two is enough)
        """Wraps or replaces ``context.optimizer``."""

    def rewrite(self, context: Context) -> None:  # noqa: B027
        """Changes the Programs that have all their operators."""
