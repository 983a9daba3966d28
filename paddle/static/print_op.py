"""Print and Assert: operators that show or check values while a Program runs."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.core.tensor import Tensor
from paddle.ir.control.blocks import check_condition
from paddle.ir.current import default_main_program
from paddle.ir.recording.lowering import as_variable
from paddle.ir.variable import Variable

__all__ = ["Assert", "Print"]

_PHASES = ("FORWARD", "BACKWARD", "BOTH")
# What the layer is called: 1.x puts the variable's name into it.
prefix: ContextVar[str] = ContextVar("print_prefix", default="print")


def Print(
    input: Any,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_layout: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> Any:
    """Prints a value, and its gradient in the backward pass, each time it is computed.

    Args:
        input (Variable): what is printed.
        first_n (int): print only the first times; -1 means always. Default: -1.
        message (str, optional): a line of its own.
        summarize (int): how many elements are shown; -1 means all. Default: 20.
        print_tensor_name (bool): show the name. Default: True.
        print_tensor_type (bool): show the element type. Default: True.
        print_tensor_shape (bool): show the shape. Default: True.
        print_tensor_layout (bool): show the layout. Default: True.
        print_tensor_lod (bool): show the LoD. Default: True.
        print_phase (str): ``"forward"``, ``"backward"`` or ``"both"``. Default: ``"both"``.

    Returns:
        Variable: the same value. Use it in place of ``input``, so that the gradient is printed.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = paddle.full([2, 3], 3, "int64")
                out = static.Print(x, message="The content of input layer:")
                static.Executor().run(fetch_list=[out])
            # Variable: fill_constant_0.tmp_0
            #   - message: The content of input layer:
            #   - lod: {}
            #   - place: CPUPlace
            #   - shape: [2, 3]
            #   - layout: NCHW
            #   - dtype: long
            #   - data: [3 3 3 3 3 3]
            paddle.disable_static()
    """
    if not isinstance(print_phase, str) or print_phase.upper() not in _PHASES:
        raise InvalidArgumentError(
            f"Print(print_phase): expected 'forward', 'backward' or 'both', got {print_phase!r}."
        )
    for argument, value in (("first_n", first_n), ("summarize", summarize)):
        if not isinstance(value, int):
            raise TypeError(f"Print({argument}): expected an int, but got {type(value).__name__}.")
    if not isinstance(input, (Variable, Tensor)):
        raise TypeError(f"Print(input): expected a Variable, but got {type(input).__name__}.")
    attrs = {
        "first_n": first_n,
        "message": message or "",
        "summarize": summarize,
        "print_tensor_name": print_tensor_name,
        "print_tensor_type": print_tensor_type,
        "print_tensor_shape": print_tensor_shape,
        "print_tensor_layout": print_tensor_layout,
        "print_tensor_lod": print_tensor_lod,
        "print_phase": print_phase.upper(),
    }
    if not recording():
        from paddle.executor.emitters.effects import Printer

        Printer(input.name, attrs)(input._buf)
        return input
    source = as_variable(input)
    block = default_main_program().current_block()
    layer = unique_name.generate(prefix.get().format(name=source.name))
    name = unique_name.generate(f"{layer}.tmp")
    out = block.create_var(
        name=name, type=source.type, dtype=source.dtype, stop_gradient=source.stop_gradient
    )
    block.append_op(type="print", inputs={"In": [source]}, outputs={"Out": [out]}, attrs=attrs)
    return out


def Assert(cond: Any, data: Any = None, summarize: int = 20, name: str | None = None) -> Any:
    """Fails, showing some values, where a condition does not hold.

    Args:
        cond (Variable): one boolean.
        data (list|tuple, optional): Variables that the message shows.
        summarize (int): how many elements of each are shown; -1 means all. Default: 20.
        name (str, optional): has no effect.

    Returns:
        Operator: what was added; None in dynamic mode.

    Raises:
        ValueError: when it runs, if the condition is false.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [2])
                static.nn.control_flow.Assert(paddle.all(x > 0.0), [x])
                try:
                    static.Executor().run(feed={"x": [1.0, -1.0]})
                except ValueError as error:
                    print("x of shape [2]: [1 -1]" in str(error))  # True
            paddle.disable_static()
    """
    if data is not None and not isinstance(data, (list, tuple)):
        raise TypeError(f"Assert(data): expected a list or tuple, but got {type(data).__name__}.")
    if not isinstance(summarize, int):
        raise TypeError(f"Assert(summarize): expected an int, but got {type(summarize).__name__}.")
    listed = list(data or ())
    for i, value in enumerate(listed):
        if not isinstance(value, (Variable, Tensor)):
            raise TypeError(
                f"Assert(data[{i}]): expected a Variable, but received {type(value).__name__}."
            )
    if not recording():
        from paddle.executor.emitters.effects import insist

        if not isinstance(cond, Tensor):
            raise TypeError(f"Assert(cond): expected a Tensor, but got {type(cond).__name__}.")
        names = tuple(value.name for value in listed)
        insist(cond._buf, cond.name, [value._buf for value in listed], names, summarize)
        return None
    condition = check_condition("Assert", "cond", cond)
    return (
        default_main_program()
        .current_block()
        .append_op(
            type="assert",
            inputs={"Cond": [condition], "Data": [as_variable(value) for value in listed]},
            attrs={"summarize": summarize},
        )
    )


def noted_assert(cond: Variable, data: list, message: str) -> None:
    """Records an assert whose failure shows a message of the user's.

    The operator has no attribute for it: it is kept beside the Program, where the operator's line
    is, and does not go to a file.

    Args:
        cond (Variable): one boolean.
        data (list): Variables that the failure shows.
        message (str): the message.
    """
    op = Assert(cond, data)
    if op is not None and op.location is not None:
        op.location = op.location._replace(note=message)


guard_module(globals())
