"""Programs for inference as one function: weights are bound once, and calls share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import torch

from paddle.analysis.frozen import frozen_variables
from paddle.core.backends import CPU, present
from paddle.core.place import computing_on, current_device
from paddle.executor.codegen import Emitter
from paddle.executor.emitters import int8 as _int8  # noqa: F401  (registers emitters)
from paddle.executor.plan import Plan, checked_plan
from paddle.executor.run import enable_gradients, gradients_enabled, without_torch_gradients
from paddle.executor.scope import Scope
from paddle.ir.program import Program
from paddle.passes.inference import prepare_inference


class InferencePlan(Plan):
    """A plan that reads what the Program never writes when it is bound, not in each run."""

    def _emitter(self, op_callback: Callable | None, keeps_rank_0: bool) -> Emitter:
        return Emitter(
            self.program,
            self.feeds,
            self.fetches,
            op_callback,
            keeps_rank_0,
            frozen=frozen_variables(self.program, self.feeds),
        )

    def _uninitialised(self, scope: Scope) -> Exception | None:
        return super()._uninitialised(scope) if scope.local_var_names() else None  # bound


class InferenceProgram:
    """A Program whose weights are frozen, optimised and ready to be called by any thread.

    Args:
        program (Program): of one saved method; stays as it is.
        feeds (Sequence[str]): variables that a call gives, in this order.
        fetches (Sequence[str]): variables that a call returns.
        scope (Scope): holds the weights. What is needed of them, perhaps in another form, is taken
            over; nothing of the scope is needed later.
        passes (Sequence[str]): names of the passes to run (:mod:`paddle.passes.inference`).
        op_callback (callable, optional): called as ``op_callback(operator, *buffers)`` after each
            operator.
        device (torch.device, optional): where the weights are; None means main memory.
        after (callable, optional): called as ``after(name, program)`` after each pass.
        options (Mapping[str, Any]): what some passes are told, by name.

    Attributes:
        optimised (Program): what is run.
        call (callable): what calling it does, without a frame between.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        scope: Scope,
        passes: Sequence[str] = (),
        op_callback: Callable | None = None,
        device: torch.device | None = None,
        after: Callable[[str, Program], None] | None = None,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.device = CPU.device() if device is None else device
        with checked_plan(program):
            self.optimised = prepare_inference(
                program, feeds, fetches, passes, after, self.device.type, options
            )
            self.plan = InferencePlan(self.optimised, feeds, fetches, op_callback)
        try:
            with computing_on(self.device):
                self.step = without_torch_gradients(self.plan.bound, [scope])
        except Exception as error:
            _raise(self.plan, error, scope)
        starts = getattr(op_callback, "starts", None)
        self.call = caller(self.step, self.plan, self.device, starts)

    def __call__(self, buffers: Sequence[Any]) -> tuple:
        """Runs the Program.

        Args:
            buffers (Sequence): the buffers of the fed variables.

        Returns:
            tuple: the buffers of the fetched variables.
        """
        return self.call(buffers)


def caller(
    step: Callable[..., tuple],
    plan: Plan,
    device: torch.device,
    starts: Callable[[], None] | None = None,
) -> Callable[[Sequence[Any]], tuple]:
    """Returns the function from fed to fetched buffers, with no more calls than it needs.

    Args:
        step (callable): the function of the plan.
        plan (Plan): explains what goes wrong.
        device (torch.device): where it runs.
        starts (callable, optional): called when a run begins.
    """
    others = any(not backend.host for backend in present())  # else there is one device

    def call(buffers: Sequence[Any]) -> tuple:
        enabled = gradients_enabled()
        if enabled:
            enable_gradients(False)
        try:
            if others and current_device() != device:
                with computing_on(device):
                    return step(*buffers)
            return step(*buffers)
        except Exception as error:
            _raise(plan, error, Scope())
        finally:
            if enabled:
                enable_gradients(True)

    def measured(buffers: Sequence[Any]) -> tuple:
        assert starts is not None
        starts()
        return call(buffers)

    return call if starts is None else measured


def _raise(plan: Plan, error: Exception, scope: Scope) -> NoReturn:
    explained = plan.failed(error, scope)
    if explained is error:
        raise error
    raise explained from error
