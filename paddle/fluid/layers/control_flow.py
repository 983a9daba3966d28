"""Control flow of 1.x: loops, branches and recurrent networks as blocks; arrays; comparisons."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.fluid.layers.appending import append, current_block, layer_of, result
from paddle.fluid.layers.blocks import (
    IfElse,
    StaticRNN,
    Switch,
    While,
    case,
    cond,
    switch_case,
    while_loop,
)
from paddle.fluid.layers.dynamic_rnn import DynamicRNN
from paddle.fluid.layers.rank_tables import (
    array_to_lod_tensor,  # noqa: F401  (1.8.5 has these here)
    lod_rank_table,  # noqa: F401
    lod_tensor_to_array,  # noqa: F401
    max_sequence_len,  # noqa: F401
    merge_lod_tensor,  # noqa: F401
    reorder_lod_tensor_by_rank,
    shrink_memory,  # noqa: F401
    split_lod_tensor,  # noqa: F401
)
from paddle.ir.control.conditional import ConditionalBlock  # noqa: F401
from paddle.ir.recording.lowering import as_variable
from paddle.ir.variable import Variable
from paddle.static import print_op
from paddle.static.print_op import Assert
from paddle.tensor import array as arrays

__all__ = [
    "Assert", "DynamicRNN", "IfElse", "Print", "StaticRNN", "Switch", "While", "array_length",
    "array_read", "array_write", "case", "cond", "create_array", "equal", "greater_equal",
    "greater_than", "increment", "is_empty", "less_equal", "less_than", "not_equal",
    "reorder_lod_tensor_by_rank", "switch_case", "while_loop",
]  # fmt: skip

array_write = arrays.array_write
array_read = arrays.array_read
array_length = arrays.array_length
create_array = arrays.create_array


# -- comparisons ----------------------------------------------------------------------------------


def _check_operand(api: str, argument: str, value: Any) -> None:
    if not isinstance(value, (Variable, Tensor)):
        raise TypeError(
            f"{api}({argument}): expected a Variable, but received {type(value).__name__}."
        )


def _written(api: str, argument: str, value: Any, found: Any) -> Any:
    """Puts what was computed in dynamic mode into a Tensor that the user gave."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{api}({argument}): expected a Tensor, got {type(value).__name__}.")
    return tensor.assign(found, output=value)


def _compared(kind: str, x: Any, y: Any, cond: Any, **attrs: Any) -> Any:
    _check_operand(kind, "x", x)
    _check_operand(kind, "y", y)
    if not recording():
        found = getattr(C, kind)(x, y)
        return found if cond is None else _written(kind, "cond", cond, found)
    x, y = as_variable(x), as_variable(y)
    if x.dtype != y.dtype:
        raise TypeError(
            f"{kind}: expected two operands of one data type, but received {x.dtype} and {y.dtype}."
        )
    if cond is not None and not (isinstance(cond, Variable) and cond.dtype == VarType.BOOL):
        raise TypeError(f"{kind}(cond): expected a bool Variable, but received {cond!r:.80}.")
    layer = layer_of(kind)
    out = result(layer, VarType.BOOL) if cond is None else cond
    out.stop_gradient = True
    append(kind, {"X": [x], "Y": [y]}, {"Out": [out]}, **attrs)
    return out


def less_than(
    x: Any, y: Any, force_cpu: bool | None = None, cond: Any = None, name: str | None = None
) -> Any:
    """Says where ``x`` is less than ``y``.

    Args:
        x (Variable): numbers.
        y (Variable): numbers of the same data type.
        force_cpu (bool, optional): the result is to be on the CPU.
        cond (Variable, optional): a bool Variable that gets the result. Default: a new one.
        name (str, optional): has no effect.

    Returns:
        Variable: bool; ``cond`` where that is given.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2], "int64")
                out = fluid.layers.less_than(x, x + 1)
                found, = fluid.Executor().run(feed={"x": [1, 2]}, fetch_list=[out])
                print(found)  # [ True  True]
            paddle.disable_static()
    """
    given = {} if force_cpu is None else {"force_cpu": bool(force_cpu)}
    return _compared("less_than", x, y, cond, **given)


def less_equal(x: Any, y: Any, cond: Any = None, name: str | None = None) -> Any:
    """Says where ``x`` is at most ``y``.

    Args:
        x (Variable): one operand.
        y (Variable): the other, of the same type.
        cond (Variable, optional): a bool Variable that gets the result. Default: a new one.
        name (str, optional): has no effect.

    Returns:
        Variable: bool, of the broadcast shape.

    Raises:
        TypeError: the operands are no Variables or differ in type, or ``cond`` is not bool.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [3])
                print(fluid.layers.less_equal(x, y).shape)  # (2, 3)
    """
    return _compared("less_equal", x, y, cond)


def greater_than(x: Any, y: Any, cond: Any = None, name: str | None = None) -> Any:
    """Says where ``x`` is more than ``y``.

    Args:
        x (Variable): one operand.
        y (Variable): the other, of the same type.
        cond (Variable, optional): a bool Variable that gets the result. Default: a new one.
        name (str, optional): has no effect.

    Returns:
        Variable: bool, of the broadcast shape.

    Raises:
        TypeError: the operands are no Variables or differ in type, or ``cond`` is not bool.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [3])
                print(fluid.layers.greater_than(x, y).shape)  # (2, 3)
    """
    return _compared("greater_than", x, y, cond)


def greater_equal(x: Any, y: Any, cond: Any = None, name: str | None = None) -> Any:
    """Says where ``x`` is at least ``y``.

    Args:
        x (Variable): one operand.
        y (Variable): the other, of the same type.
        cond (Variable, optional): a bool Variable that gets the result. Default: a new one.
        name (str, optional): has no effect.

    Returns:
        Variable: bool, of the broadcast shape.

    Raises:
        TypeError: the operands are no Variables or differ in type, or ``cond`` is not bool.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [3])
                print(fluid.layers.greater_equal(x, y).shape)  # (2, 3)
    """
    return _compared("greater_equal", x, y, cond)


def equal(x: Any, y: Any, cond: Any = None, name: str | None = None) -> Any:
    """Says where ``x`` is ``y``.

    Args:
        x (Variable): one operand.
        y (Variable): the other, of the same type.
        cond (Variable, optional): a bool Variable that gets the result. Default: a new one.
        name (str, optional): has no effect.

    Returns:
        Variable: bool, of the broadcast shape.

    Raises:
        TypeError: the operands are no Variables or differ in type, or ``cond`` is not bool.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [3])
                print(fluid.layers.equal(x, y).shape)  # (2, 3)
    """
    return _compared("equal", x, y, cond)


def not_equal(x: Any, y: Any, cond: Any = None, name: str | None = None) -> Any:
    """Says where ``x`` is not ``y``.

    Args:
        x (Variable): one operand.
        y (Variable): the other, of the same type.
        cond (Variable, optional): a bool Variable that gets the result. Default: a new one.
        name (str, optional): has no effect.

    Returns:
        Variable: bool, of the broadcast shape.

    Raises:
        TypeError: the operands are no Variables or differ in type, or ``cond`` is not bool.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [3])
                print(fluid.layers.not_equal(x, y).shape)  # (2, 3)
    """
    return _compared("not_equal", x, y, cond)


def is_empty(x: Any, cond: Any = None, name: str | None = None) -> Any:
    """Says whether a Variable has no elements.

    Args:
        x (Variable): any.
        cond (Variable, optional): a bool Variable that gets the result. Default: a new one.
        name (str, optional): has no effect.

    Returns:
        Variable: bool, of shape [1].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.is_empty(x).shape)  # (1,)
    """
    _check_operand("is_empty", "x", x)
    if not recording():
        found = C.is_empty(x)
        return found if cond is None else _written("is_empty", "cond", cond, found)
    layer = layer_of("is_empty")
    if cond is None:
        cond = result(layer, VarType.BOOL)
        cond.stop_gradient = True
    elif not isinstance(cond, Variable) or cond.dtype != VarType.BOOL:
        raise TypeError(f"is_empty(cond): expected a bool Variable, but received {cond!r:.80}.")
    append("is_empty", {"X": [x]}, {"Out": [cond]})
    return cond


# -- counters, printing ---------------------------------------------------------------------------


def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """Adds a number to a counter.

    Args:
        x (Variable): of one element.
        value (float): what is added. Default: 1.0.
        in_place (bool): whether ``x`` is changed; else the sum is another Variable. Default: True.

    Returns:
        Variable: ``x``, or the sum.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                counter = fluid.layers.fill_constant([1], "float32", 0.0)
                fluid.layers.increment(counter, 2.0)
                print(fluid.Executor().run(fetch_list=[counter])[0])  # [2.]
            paddle.disable_static()
    """
    _check_operand("increment", "x", x)
    if any(n not in (1, -1) for n in x.shape):
        raise InvalidArgumentError(
            f"increment(x): expected one element, but received shape {list(x.shape)}."
        )
    if not recording():
        return tensor.increment(x, value) if in_place else C.increment(x, step=float(value))
    layer = layer_of("increment")
    out = x if in_place else result(layer, x.dtype)
    append("increment", {"X": [x]}, {"Out": [out]}, step=float(value))
    return out


def Print(
    input: Any,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
    *,
    print_tensor_layout: bool = True,
) -> Any:
    """Prints a value, and its gradient, each time it is computed: see ``paddle.static.Print``.

    Args:
        input (Variable): what is printed.
        first_n (int): print only the first times; -1 means always. Default: -1.
        message (str, optional): a line of its own.
        summarize (int): how many elements are shown; -1 means all. Default: 20.
        print_tensor_name (bool): show the name. Default: True.
        print_tensor_type (bool): show the element type. Default: True.
        print_tensor_shape (bool): show the shape. Default: True.
        print_tensor_lod (bool): show the levels. Default: True.
        print_phase (str): ``"forward"``, ``"backward"`` or ``"both"``. Default: ``"both"``.
        print_tensor_layout (bool): show the layout, as 2.0 has it. Default: True.

    Returns:
        Variable: the same value.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [2])
                y = fluid.layers.Print(x, message="x is")
            rows = np.ones([2], "float32")
            fluid.Executor().run(main, {"x": rows}, [y])
    """
    token = print_op.prefix.set("print_{name}")
    try:
        return print_op.Print(
            input, first_n, message, summarize, print_tensor_name, print_tensor_type,
            print_tensor_shape, print_tensor_layout, print_tensor_lod, print_phase,
        )  # fmt: skip
    finally:
        print_op.prefix.reset(token)


# -- choices of one value -------------------------------------------------------------------------


def select_input(inputs: Any, mask: Any) -> Any:
    """The value that a mask asks for.

    Args:
        inputs (list[Variable]): the values; of branches, the last one is that of true.
        mask (Variable): one int32, the position.
    """
    first = inputs[0]
    out = current_block().create_var(dtype=first.dtype, shape=first.shape, type=first.type)
    append("select_input", {"X": list(inputs), "Mask": [mask]}, {"Out": [out]})
    return out


def select_output(input: Any, outputs: Any, mask: Any) -> Any:
    """Hands a value to the output that a mask asks for.

    Args:
        input (Variable): the value.
        outputs (list[Variable]): what may get it.
        mask (Variable): one int32, the position.
    """
    append("select_output", {"X": [input], "Mask": [mask]}, {"Out": list(outputs)})
    return outputs


guard_module(globals())
