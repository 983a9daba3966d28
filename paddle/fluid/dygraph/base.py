"""Dynamic mode in 1.x: whether it is on, gradients with a BackwardStrategy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle import autograd
from paddle.core.mode import set_grad_enabled
from paddle.fluid.mode import in_dygraph_mode

__all__ = ["enabled", "grad"]


def enabled() -> bool:
    """Says whether operators run at once.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                print(fluid.dygraph.enabled())  # True
    """
    return in_dygraph_mode()


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
    create_graph: bool = False, only_inputs: bool = True, allow_unused: bool = False,
    no_grad_vars: Any = None, backward_strategy: Any = None,
) -> Any:  # fmt: skip
    """Returns the gradients of ``outputs`` by ``inputs``; see :func:`paddle.grad`.

    Args:
        outputs (Tensor|list[Tensor]): what is differentiated.
        inputs (Tensor|list[Tensor]): by what.
        grad_outputs (Tensor|list[Tensor], optional): gradients of the outputs; None: ones.
        retain_graph (bool, optional): keep the graph. None: as ``create_graph``.
        create_graph (bool): make the gradients differentiable. Default: False.
        only_inputs (bool): has to be True.
        allow_unused (bool): an input on which nothing depends gives None. Default: False.
        no_grad_vars (Tensor|list[Tensor], optional): where no gradient goes through.
        backward_strategy (BackwardStrategy, optional): changes no numbers.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                x = fluid.dygraph.to_variable(np.ones([1], "float32") * 3)
                x.stop_gradient = False
                print(fluid.dygraph.grad(x * x, x)[0].numpy())  # [6.]
    """
    return autograd.grad(
        outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused,
        no_grad_vars,
    )  # fmt: skip


@contextlib.contextmanager
def _switch_tracer_mode_guard_(is_train: bool = True) -> Iterator[None]:
    """Records operators for backward within a block, or does not."""
    before = set_grad_enabled(bool(is_train))
    try:
        yield
    finally:
        set_grad_enabled(before)
