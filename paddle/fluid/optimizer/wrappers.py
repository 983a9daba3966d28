"""Optimizers of 1.x around another one: recomputing, look-ahead, pipelines."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.fluid.optimizer.base import Optimizer
from paddle.fluid.recording import fill
from paddle.ir.autodiff.backward import append_backward
from paddle.ir.current import default_startup_program, program_guard
from paddle.ir.program import Program
from paddle.ir.recording.lowering import write
from paddle.ir.variable import Variable

__all__ = ["LookaheadOptimizer", "PipelineOptimizer", "RecomputeOptimizer"]


class RecomputeOptimizer(Optimizer):
    """Trains with less memory: values between checkpoints are computed again for backward.

    Args:
        optimizer (Optimizer): does the updates.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = paddle.static.data("x", [None, 2])
                hidden = paddle.static.nn.fc(x, 4)
                loss = paddle.mean(paddle.static.nn.fc(hidden, 1))
                opt = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
                opt._set_checkpoints([hidden])
                opt.minimize(loss)
            paddle.disable_static()
    """

    def __init__(self, optimizer: Any) -> None:
        if not recording():
            raise PreconditionNotMetError(
                "RecomputeOptimizer changes static Programs, but dygraph mode is on.",
                hint="call it outside of fluid.dygraph.guard()",
            )
        self._optimizer = optimizer
        self._checkpoints: list | None = None
        super().__init__(getattr(optimizer, "_learning_rate", 0.0))
        self._recorded = getattr(optimizer, "_recorded", self._recorded)

    def _set_checkpoints(self, checkpoints: list) -> None:
        """Says which values are kept: Variables or their names."""
        if not isinstance(checkpoints, (list, tuple)):
            raise TypeError(
                "RecomputeOptimizer._set_checkpoints: expected a list of Variables, "
                f"but received {type(checkpoints).__name__}."
            )
        self._checkpoints = list(checkpoints)

    def load(self, state_dict: dict[str, Any]) -> None:
        """Not there, as in 1.8.5.

        Args:
            state_dict (dict): a state.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "RecomputeOptimizer.load is not implemented; use set_dict of the optimizer in it."
        )

    def backward(  # type: ignore[override]
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list:
        """Adds the gradient operators, and those that compute values again.

        Args:
            loss (Variable): where to start.
            startup_program (Program, optional): not changed by this half.
            parameter_list (list, optional): Variables or names; only these.
            no_grad_set (set, optional): Variables or names without a gradient.
            callbacks (list[callable], optional): called after each operator that is added.

        Returns:
            list: pairs (parameter, gradient).
        """
        assert self._checkpoints is not None, (
            "RecomputeOptimizer: call _set_checkpoints before minimize or backward."
        )
        self._dtype = self._optimizer._dtype = loss.dtype
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            pairs = append_backward(
                loss, parameter_list, no_grad_set, callbacks, checkpoints=self._checkpoints
            )
            if hasattr(self._optimizer, "_append_dgc_ops"):
                self._optimizer._append_dgc_ops(pairs)
        return pairs

    def apply_gradients(self, params_grads: list) -> list:
        """Adds the updates for given gradients.

        Args:
            params_grads (list): pairs (parameter, gradient).

        Returns:
            list: the operators of the updates.
        """
        return self._optimizer.apply_gradients(params_grads)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: list) -> list:
        """The second half of ``minimize``.

        Args:
            loss (Variable): the loss that the gradients are of.
            startup_program (Program, optional): gets what fills accumulators.
            params_grads (list): pairs (parameter, gradient).

        Returns:
            list: the operators of the updates.
        """
        if hasattr(self._optimizer, "apply_optimize"):
            return self._optimizer.apply_optimize(loss, startup_program, params_grads)
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            return self._optimizer.apply_gradients(params_grads)

    def minimize(  # type: ignore[override]
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Adds backward and updates to the Program of a loss.

        Args:
            loss (Variable): what is minimised.
            startup_program (Program, optional): gets what fills accumulators.
            parameter_list (list, optional): Variables or names; update only these.
            no_grad_set (set, optional): Variables or names without a gradient.

        Returns:
            tuple: the operators of the updates, and the pairs (parameter, gradient).
        """
        assert isinstance(loss, Variable), "RecomputeOptimizer.minimize: the loss is no Variable."
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs


class LookaheadOptimizer:
    """Look-ahead: every k updates, parameters go back towards slow weights.

    ``slow += alpha * (fast - slow)``, ``fast = slow``; https://arxiv.org/abs/1907.08610.

    Args:
        inner_optimizer (Optimizer): updates the fast weights.
        alpha (float): how far the slow weights move. Default: 0.5.
        k (int): how many updates lie between. Default: 5.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = paddle.static.data("x", [None, 2])
                loss = paddle.mean(paddle.static.nn.fc(x, 1))
                inner = fluid.optimizer.SGD(0.1)
                fluid.optimizer.LookaheadOptimizer(inner, alpha=0.5, k=5).minimize(loss)
            paddle.disable_static()
    """

    def __init__(self, inner_optimizer: Any, alpha: float = 0.5, k: int = 5) -> None:
        if not recording():
            raise PreconditionNotMetError(
                "LookaheadOptimizer changes static Programs, but dygraph mode is on.",
                hint="call it outside of fluid.dygraph.guard()",
            )
        assert inner_optimizer is not None, "inner optimizer can not be None"
        assert 0.0 <= alpha <= 1.0, (
            "alpha should be larger or equal to 0.0, and less or equal than 1.0"
        )
        assert isinstance(k, int) and k > 0, "k should be a positive integer"
        self.inner_optimizer = inner_optimizer
        self.alpha = alpha
        self.k = k
        self.type = "lookahead"

    def minimize(self, loss: Any, startup_program: Any = None) -> tuple[list, list]:
        """Adds the updates of the inner optimizer and those of the slow weights.

        Args:
            loss (Variable): what is minimised.
            startup_program (Program, optional): gets what fills variables.

        Returns:
            tuple: the operators of the inner updates, and the pairs (parameter, gradient).
        """
        made = self.inner_optimizer.minimize(loss, startup_program=startup_program)
        startup = default_startup_program() if startup_program is None else startup_program
        with program_guard(loss.block.program, startup):
            self._slow_down(loss.block.program, startup)
        return made

    def _slow_down(self, program: Program, startup: Program) -> None:
        block, top = program.global_block(), startup.global_block()
        params = [block.var(p.name) for p in block.all_parameters()]
        slow = {}
        for param in params:
            info = {"name": f"{param.name}@SLOW", "shape": param.shape, "dtype": param.dtype,
                    "persistable": True, "stop_gradient": True}  # fmt: skip
            slow[param.name] = block.create_var(**info)
            there = top.create_var(**info)
            if not top.has_var(param.name):
                top.create_var(
                    name=param.name, shape=param.shape, dtype=param.dtype, persistable=True
                )
            top.append_op("assign", {"X": top.var(param.name)}, {"Out": there})
        k = _number(block, "lookahead_k", "int32", self.k)
        alpha = _number(block, "lookahead_alpha", "float32", self.alpha)
        step = _number(block, "lookahead_step", "int32", 0)
        write(step, "increment", [step], {"step": 1.0})
        zero = C.elementwise_mod(step, k, axis=-1)
        due = C.equal(zero, k * 0, axis=-1).astype("float32")
        for param in params:
            held = slow[param.name]
            kind = param.dtype
            share, when = (v if v.dtype == kind else v.astype(kind) for v in (alpha, due))
            moved = param * share + held * (1.0 - share)
            write(held, "assign", [moved * when + held * (1.0 - when)], {})
            write(param, "assign", [moved * when + param * (1.0 - when)], {})


def _number(block: Any, name: str, dtype: str, value: float) -> Variable:
    """A variable of one number that the startup Program fills."""
    made = block.create_var(name=name, shape=[1], dtype=dtype, persistable=True, stop_gradient=True)
    fill(name, [1], dtype, value)
    return made


class PipelineOptimizer:
    """Training in sections; in one process they run one after the other.

    With one part the Program is the inner optimizer's. With more, it runs the parts of the batch in
    turn and adds their gradients up; the numbers are the same where the loss is a mean over the
    batch. ``strategy.pipeline`` of fleet gives each section a process.

    Args:
        optimizer (Optimizer): does the updates.
        cut_list (list[list[Variable]], optional): where the sections end.
        place_list (list[Place], optional): a place for each section.
        concurrency_list (list[int], optional): a number of threads for each section.
        queue_size (int): how many batches may wait between sections. Default: 30.
        sync_steps (int): steps between copies of a section. Default: 1.
        start_cpu_core_id (int): first core of sections on CPUs. Default: 0.
        num_microbatches (int): into how many parts a batch is cut; 2.0's second argument.
            Default: 1.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = paddle.static.data("x", [None, 2])
                loss = paddle.mean(paddle.static.nn.fc(x, 1))
                opt = fluid.optimizer.PipelineOptimizer(
                    fluid.optimizer.SGD(0.1), cut_list=[[loss]],
                    place_list=[fluid.CPUPlace()] * 2, concurrency_list=[1, 1])
                opt.minimize(loss)
            paddle.disable_static()
    """

    def __init__(
        self,
        optimizer: Any,
        cut_list: Any = None,
        place_list: Any = None,
        concurrency_list: Any = None,
        queue_size: int = 30,
        sync_steps: int = 1,
        start_cpu_core_id: int = 0,
        num_microbatches: int = 1,
    ) -> None:
        if not recording():
            raise PreconditionNotMetError(
                "PipelineOptimizer changes static Programs, but dygraph mode is on.",
                hint="call it outside of fluid.dygraph.guard()",
            )
        if isinstance(cut_list, int) and not isinstance(cut_list, bool):  # 2.0's second argument
            num_microbatches, cut_list = cut_list, None
        if isinstance(num_microbatches, bool) or num_microbatches < 1:
            raise InvalidArgumentError(
                "PipelineOptimizer(num_microbatches): expected 1 or more, but received "
                f"{num_microbatches!r}."
            )
        self._num_microbatches = int(num_microbatches)
        self._optimizer = optimizer
        self._cut_list = cut_list
        self._place_list = place_list
        self._concurrency_list = concurrency_list
        self._queue_size = queue_size
        self._sync_steps = sync_steps
        self._start_cpu_core_id = start_cpu_core_id
        if cut_list is not None:
            self._check_sections()

    def _check_sections(self) -> None:
        sections = len(self._cut_list) + 1
        for name, given in (
            ("place_list", self._place_list),
            ("concurrency_list", self._concurrency_list),
        ):
            if given is not None and len(given) not in (sections, 2 * sections - 3):
                raise InvalidArgumentError(
                    f"PipelineOptimizer({name}): expected {sections} of them, one for each "
                    f"section, but received {len(given)}."
                )

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Adds backward and updates to the Program of a loss.

        Args:
            loss (Variable): what is minimised.
            startup_program (Program, optional): gets what fills accumulators.
            parameter_list (list, optional): Variables or names; update only these.
            no_grad_set (set, optional): Variables or names without a gradient.

        Returns:
            tuple: the operators of the updates, and the pairs (parameter, gradient).
        """
        made = self._optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        if self._num_microbatches > 1:
            # what needs no fleet does without importing it
            from paddle.distributed.fleet.meta_optimizers.pipeline import micro_batches

            startup = default_startup_program() if startup_program is None else startup_program
            micro_batches(loss.block.program, startup, loss, made[1], self._num_microbatches)
        return made
