"""paddle.grad and paddle.autograd.backward."""

from __future__ import annotations

from typing import Any

from paddle.core import listening, tape
from paddle.core.errors import InvalidArgumentError, MissingValueError
from paddle.core.graph_arithmetic import GraphArithmetic
from paddle.core.guards import guard_module
from paddle.core.mode import recording, set_grad_enabled
from paddle.core.op import C
from paddle.core.tensor import Tensor

__all__ = ["backward", "grad"]


def _tensors(value: Any, api: str, argument: str) -> list[Tensor]:
    listed = [value] if isinstance(value, Tensor) else value
    if not isinstance(listed, (list, tuple)) or not all(isinstance(t, Tensor) for t in listed):
        raise TypeError(
            f"{api}({argument}): expected a Tensor or a list of Tensors, "
            f"but received {type(value).__name__}."
        )
    if not listed:
        raise InvalidArgumentError(f"{api}({argument}): expected at least one Tensor, got none.")
    return list(listed)


def _grads(value: Any, count: int, api: str, argument: str) -> list[Tensor | None]:
    if value is None:
        return [None] * count
    if not isinstance(value, (Tensor, list, tuple)):
        raise TypeError(
            f"{api}({argument}): expected a Tensor or a list of Tensors or None, "
            f"but received {type(value).__name__}."
        )
    listed = [value] if isinstance(value, Tensor) else list(value)
    if len(listed) != count:
        raise InvalidArgumentError(
            f"{api}({argument}): expected {count} gradients, one per output, got {len(listed)}."
        )
    return listed


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False) -> None:
    """Runs backward from several Tensors at once.

    Args:
        tensors (Tensor|list[Tensor]): where to start.
        grad_tensors (list[Tensor|None]|Tensor, optional): their gradients; None means ones.
        retain_graph (bool): keep what backward needs, so that it can run again.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
            paddle.autograd.backward([x * 2, x * 3])
            print(x.grad.numpy())  # [5. 5.]
    """
    listed = _tensors(tensors, "backward", "tensors")
    grads = _grads(grad_tensors, len(listed), "backward", "grad_tensors")
    listening.backward(listed, grads, retain_graph)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
) -> list[Tensor | None]:
    """Returns the gradients of ``outputs`` with respect to ``inputs``; leaves' ``grad`` stays.

    Args:
        outputs (Tensor|list[Tensor]): what is differentiated; several are summed.
        inputs (Tensor|list[Tensor]): with respect to what.
        grad_outputs (Tensor|list[Tensor|None], optional): gradients of the outputs; None: ones.
        retain_graph (bool, optional): keep the graph; None means the value of ``create_graph``.
        create_graph (bool): record the computation, so that the results can be differentiated.
        only_inputs (bool): must be True: only the gradients of ``inputs`` are computed.
        allow_unused (bool): give None for an input that the outputs do not depend on (any more,
            where the graph was freed), or that has ``stop_gradient=True``, instead of raising an
            error.
        no_grad_vars (Tensor|list[Tensor], optional): Tensors through which no gradient flows.

    Returns:
        list[Tensor]: one gradient per input.

    Raises:
        ValueError: an input is not part of the graph and ``allow_unused`` is False.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([3.0], stop_gradient=False)
            y = x * x * x
            dx, = paddle.grad(y, x, create_graph=True)
            d2x, = paddle.grad(dx, x)
            print(dx.numpy(), d2x.numpy())  # [27.] [18.]
    """
    if recording():
        return _recorded(
            outputs, inputs, grad_outputs, create_graph, only_inputs, allow_unused, no_grad_vars
        )
    outs = _tensors(outputs, "grad", "outputs")
    ins = _tensors(inputs, "grad", "inputs")
    starts_grads = _grads(grad_outputs, len(outs), "grad", "grad_outputs")
    _check_only_inputs(only_inputs)
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph and not keep:
        raise InvalidArgumentError(
            "grad: create_graph=True needs the graph, but retain_graph=False was given."
        )
    blocked = [] if no_grad_vars is None else _tensors(no_grad_vars, "grad", "no_grad_vars")
    targets = _targets(ins, allow_unused)
    starts = tape.starts_of(outs, starts_grads, "grad")
    edges = [tape.edge_of(t) for t in outs]
    needed = tape.needed_for(edges, targets)
    arithmetic = GraphArithmetic if create_graph else tape.Arithmetic
    walk = tape.BackwardWalk(arithmetic, keep, targets, needed)
    walk.blocked = {_key(t) for t in blocked}
    behind = tape.nodes_behind(edges)
    freed = next((node for node in behind if node.saved is None), None)  # before this walk frees
    before = set_grad_enabled(create_graph)
    try:
        walk.run(starts)
        if freed is not None and not allow_unused:
            _check_freed(freed, set(behind), targets, walk.found)
        given = {id(g) for g in starts_grads if g is not None}
        return _results(ins, walk, targets, allow_unused, create_graph, given)
    finally:
        set_grad_enabled(before)


def _recorded(
    outputs: Any, inputs: Any, grad_outputs: Any, create_graph: bool, only_inputs: bool, *rest: Any
) -> list:
    from paddle.autograd.recorded import recorded_grad

    _check_only_inputs(only_inputs)
    return recorded_grad(outputs, inputs, grad_outputs, create_graph, *rest)


def _check_only_inputs(only_inputs: bool) -> None:
    if not only_inputs:
        raise InvalidArgumentError(
            "grad(only_inputs): expected True, but received False.",
            hint="use outputs.backward() to have the gradients of all leaves accumulated",
        )


def _key(tensor: Tensor) -> Any:
    edge = tensor._edge
    if edge is None:
        return tensor
    return (edge.node, edge.index) if type(edge) is tape.Port else edge


def _targets(inputs: list[Tensor], allow_unused: bool) -> dict[Any, int]:
    targets: dict[Any, int] = {}
    for i, tensor in enumerate(inputs):
        if tensor.stop_gradient and allow_unused:  # running statistics among all parameters
            continue
        if tensor.stop_gradient:
            raise MissingValueError(
                f"grad(inputs): expected Tensors with stop_gradient=False, but input {i} of shape "
                f"{tensor.shape} has stop_gradient=True.",
                hint="pass allow_unused=True to get None for it",
            )
        targets.setdefault(_key(tensor), i)
    return targets


def _check_freed(freed: Any, reached: set, targets: dict[Any, int], found: dict) -> None:
    """Raises where an input was not reached and a part of the graph is gone."""
    for key, at in targets.items():
        if at not in found and (key[0] if type(key) is tuple else key) not in reached:
            raise tape.already_freed(freed)


def _results(
    inputs: list[Tensor],
    walk: Any,
    targets: dict[Any, int],
    allow_unused: bool,
    graph: bool,
    taken: set[int],
) -> list[Tensor | None]:
    found: list[Tensor | None] = []
    for i, tensor in enumerate(inputs):
        value = None if tensor.stop_gradient else walk.found.get(targets[_key(tensor)])
        if value is None and not allow_unused:
            raise InvalidArgumentError(
                f"grad(inputs): the outputs do not depend on input {i} of shape {tensor.shape}.",
                hint="pass allow_unused=True to get None for it",
            )
        if value is not None and not graph:
            value = tape.Arithmetic.handle(value)
        elif value is not None and id(value) in taken:  # the caller's, or returned twice
            value = C.assign(value)
        taken.add(id(value))
        found.append(value)
    return found


guard_module(globals())
