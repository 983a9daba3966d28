"""append_backward and gradients: what users call to add gradient operators to a Program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.ir.autodiff import backward_blocks as _blocks  # noqa: F401  (registers makers)
from paddle.ir.autodiff import custom_gradients as _custom  # noqa: F401
from paddle.ir.autodiff.control_gradients import make_differentiable
from paddle.ir.autodiff.gradient_flow import carries
from paddle.ir.autodiff.gradient_makers import differentiate
from paddle.ir.autodiff.gradient_walk import GradientWalk
from paddle.ir.autodiff.recompute import Recompute
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role, user_location
from paddle.ir.variable import Parameter, Variable

__all__ = ["append_backward", "gradients"]


def append_backward(
    loss: Variable,
    parameter_list: Any = None,
    no_grad_set: Any = None,
    callbacks: Any = None,
    checkpoints: Any = None,
) -> list[tuple[Variable, Variable]]:
    """Adds the operators that compute the gradients of a loss with respect to the parameters.

    Every operator on the way from a parameter to the loss gets a gradient operator at the end of
    the loss's block; the gradient of a variable ``x`` is called ``x@GRAD``.

    Args:
        loss (Variable): one number, computed by the Program.
        parameter_list (list[Variable|str], optional): the parameters to return; None means all
            trainable ones.
        no_grad_set (set[Variable|str], optional): variables that no gradient goes through, besides
            those with ``stop_gradient``.
        callbacks (list[callable], optional): each is called as ``callback(block=, context=)`` after
            every operator that is added.
        checkpoints (list[Variable|str], optional): keep only these values of the forward part and
            compute what is between them again when it is needed. Random operators are not run
            twice: their results are kept too.

    Returns:
        list[tuple[Variable, Variable]]: pairs of parameter and gradient.

    Raises:
        ValueError: nothing computes ``loss``, or its size is not known.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                x = static.data("x", [None, 4])
                w = static.create_parameter([4, 1], "float32", name="w")
                loss = paddle.mean(paddle.matmul(x, w))
                pairs = static.append_backward(loss)
            print([(p.name, g.name) for p, g in pairs])  # [('w', 'w@GRAD')]
            paddle.disable_static()
    """
    _check_variable("append_backward", "loss", loss)
    block = loss.block
    blocked = _name_set("append_backward", "no_grad_set", no_grad_set)
    called = _check_callbacks(callbacks)
    _producer(block, loss)
    chosen = _parameters(block, parameter_list)
    names = {p._name for p in chosen}
    ops, flags = make_differentiable(
        block,
        lambda: 1 + _producer(block, loss),
        lambda v, made: not made or v._name in names,
        blocked,
        [loss._name],
    )
    walk = GradientWalk(
        block, ops, flags, block, marked=names, blocked=blocked, location=user_location()
    )
    if checkpoints:
        kept = _name_list("append_backward", "checkpoints", checkpoints)
        walk.enter = Recompute(walk, kept).enter
    ops[-1]._set_attr("op_role", ops[-1].role | Role.LOSS)
    _start_at_one(walk, loss)
    walk.run(differentiate)
    walk.write(called)
    pairs = [
        (p, block._var_recursive(walk.found[p._name])) for p in chosen if p._name in walk.found
    ]
    block.program._parameters_grads = pairs
    return pairs


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None
) -> list[Variable | None]:
    r"""Adds the operators that compute the gradients of targets with respect to inputs.

    .. math:: g_i = \sum_j v_j^T \frac{\partial t_j}{\partial x_i}

    Gradients of gradients work too. For a computed variable that operators overwrite, such as the
    result of a loop, the gradient is that of its last value.

    Args:
        targets (Variable|list[Variable]): what is differentiated.
        inputs (Variable|list[Variable]): with respect to what.
        target_gradients (Variable|list[Variable|None], optional): :math:`v_j`, of the target's
            shape; None means ones.
        no_grad_set (set[Variable|str], optional): variables that no gradient goes through.

    Returns:
        list[Variable|None]: a gradient for each input; None where no target depends on it or its
        ``stop_gradient`` is set.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [None, 2])
                x.stop_gradient = False
                z, = static.gradients([x * x], x)
            print(z.name, z.shape)  # x@GRAD (-1, 2)
            paddle.disable_static()
    """
    listed = _variables("targets", targets)
    if not listed:
        raise InvalidArgumentError("gradients(targets): expected at least one Variable.")
    block = listed[0].block
    wanted = _variables("inputs", inputs, block.program)
    given = _target_gradients(listed, target_gradients)
    blocked = _name_set("gradients", "no_grad_set", no_grad_set)
    names = {v._name for v in wanted}
    ops, flags = make_differentiable(
        block,
        lambda: 1 + max(_last_writer(block, v._name) for v in listed),
        lambda var, made: var._name in names,
        blocked,
        [v._name for v in listed],
    )
    walk = GradientWalk(block, ops, flags, block, blocked=blocked, location=user_location())
    walk.last = dict.fromkeys(v._name for v in wanted if _overwritten(v, ops))
    for target, value in zip(listed, given, strict=True):
        if value is None:
            value = block.create_var(
                name=walk.gradient_name(target._name), shape=target._dims, dtype=target.dtype
            )
            attrs = {"value": 1.0, "dtype": -1}
            walk.emit("fill_any_like", {"X": [target._name]}, {"Out": [value._name]}, attrs)
        walk.start(target._name, value._name)
    walk.run(differentiate)
    walk.write()
    return [
        block._var_recursive(walk.last.get(v._name) or walk.found[v._name])
        if v._name in walk.found and not v.stop_gradient and v._name not in blocked
        else None
        for v in wanted
    ]


def _overwritten(var: Variable, ops: Sequence[Operator]) -> bool:
    """Whether a computed variable, as the result of a loop, had other values before its last."""
    return (
        not var.persistable
        and not var.is_data
        and sum(var._name in op.output_arg_names for op in ops) > 1
    )


def _start_at_one(walk: GradientWalk, loss: Variable) -> None:
    """The loss's own gradient: 1."""
    shape = list(loss._dims) or [1]
    if -1 in shape:
        raise InvalidArgumentError(
            f"append_backward(loss): expected one number, but {loss._name!r} has shape {shape}.",
            hint="reduce it first, for instance by paddle.mean",
        )
    gradient = walk.gradient_name(loss._name)
    attrs = {"shape": shape, "value": 1.0, "dtype": int(loss.dtype)}
    step = walk.emit("fill_constant", {}, {"Out": [gradient]}, attrs)
    step.attrs["op_role"] = Role.BACKWARD | Role.LOSS
    walk.start(loss._name, gradient)


# -- checks of the arguments ---------------------------------------------------------------------


def _check_variable(api: str, argument: str, value: Any) -> None:
    if not isinstance(value, Variable):
        raise TypeError(
            f"{api}({argument}): expected a Variable, but received {type(value).__name__}."
        )


def _last_writer(block: Block, name: str) -> int:
    for at in range(len(block.ops) - 1, -1, -1):
        if name in block.ops[at].output_arg_names:
            return at
    return -1


def _producer(block: Block, loss: Variable) -> int:
    """The position of the operator that computes the loss."""
    at = _last_writer(block, loss._name)
    if at < 0:
        raise InvalidArgumentError(
            f"append_backward(loss): no operator of block {block.idx} computes {loss._name!r}."
        )
    if not carries(loss):
        raise InvalidArgumentError(
            f"append_backward(loss): expected a floating point loss, but {loss._name!r} has dtype "
            f"{loss.dtype}."
        )
    return at


def _check_callbacks(callbacks: Any) -> Sequence[Callable]:
    if callbacks is None:
        return ()
    if not isinstance(callbacks, (list, tuple)) or not all(map(callable, callbacks)):
        raise TypeError(
            f"append_backward(callbacks): expected a list of callables, but received {callbacks!r}."
        )
    return callbacks


def _name_list(api: str, argument: str, values: Any) -> list[str]:
    """The names of Variables, each given as such or by name."""
    if isinstance(values, (str, Variable)) or not hasattr(values, "__iter__"):
        raise TypeError(
            f"{api}({argument}): expected a list or set of Variables or names, "
            f"but received {type(values).__name__}."
        )
    names = []
    for value in values:
        if not isinstance(value, (str, Variable)):
            raise TypeError(
                f"{api}({argument}): expected Variables or names, "
                f"but it holds {type(value).__name__}."
            )
        names.append(value if isinstance(value, str) else value._name)
    return names


def _name_set(api: str, argument: str, values: Any) -> set[str]:
    return set() if values is None else set(_name_list(api, argument, values))


def _parameters(block: Block, wanted: Any) -> list[Variable]:
    """The parameters whose gradients are returned."""
    if wanted is None:
        return [p for p in block.program.all_parameters() if p.trainable]
    found = []
    for name in _name_list("append_backward", "parameter_list", wanted):
        var = block._find_var_recursive(name)
        if var is None:
            raise InvalidArgumentError(
                f"append_backward(parameter_list): the Program has no variable {name!r}."
            )
        if not isinstance(var, Parameter) or var.trainable:
            found.append(var)
    return found


def _variables(argument: str, values: Any, program: Any = None) -> list[Variable]:
    """A list of Variables of one Program, of ``program`` if it is given."""
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    for value in listed:
        _check_variable("gradients", argument, value)
        program = program or value.block.program
        if value.block.program is not program:
            raise InvalidArgumentError(
                f"gradients({argument}): expected Variables of one Program, the same as that of "
                f"the targets, but {value.name!r} belongs to another one."
            )
    return listed


def _target_gradients(targets: list[Variable], given: Any) -> list[Variable | None]:
    if given is None:
        return [None] * len(targets)
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(listed) != len(targets):
        raise InvalidArgumentError(
            f"gradients(target_gradients): expected one for each of the {len(targets)} targets, "
            f"but received {len(listed)}."
        )
    for target, value in zip(targets, listed, strict=True):
        if value is None:
            continue
        _check_variable("gradients", "target_gradients", value)
        if value.dtype != target.dtype:
            raise InvalidArgumentError(
                f"gradients(target_gradients): expected {target.dtype} as target "
                f"{target._name!r} has it, but {value._name!r} is {value.dtype}."
            )
        if len(value._dims) != len(target._dims) or any(
            m != n and -1 not in (m, n) for m, n in zip(value._dims, target._dims, strict=True)
        ):
            raise InvalidArgumentError(
                f"gradients(target_gradients): expected shape {list(target._dims)} as of target "
                f"{target._name!r}, but received {list(value._dims)}."
            )
    return listed


guard_module(globals())
