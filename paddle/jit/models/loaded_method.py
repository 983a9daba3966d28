"""Methods of loaded models: their Programs, and how the arguments of a call become inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from paddle.core.convert import tensor_of
from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.pytree import leaves
from paddle.core.tensor import Tensor
from paddle.ir.inference import feed_names, fetch_variables
from paddle.ir.program import Program
from paddle.ir.variable import Variable, is_variable


class Method(NamedTuple):
    """A Program, and the variables that are its inputs and outputs."""

    program: Program
    inputs: list[str]
    outputs: list[str]
    expected: list[_Input]


class _Input(NamedTuple):
    """What an input looks like."""

    var: Variable
    dt: Any  # as Tensors keep it
    sizes: list[int] | None  # None: any shape will do

    def takes(self, value: Any) -> bool:
        """Whether a value is a Tensor of the dtype and shape."""
        if type(value) is not Tensor or value._dt is not self.dt:
            return False
        return self.sizes is None or _alike(self.sizes, value.shape)


def _alike(want: list[int], got: list[int]) -> bool:
    if len(want) != len(got):
        return False
    return all(w == g or w < 0 or g < 0 for w, g in zip(want, got, strict=True))


def method_of(name: str, program: Program) -> Method:
    """Returns what a Program for inference says of itself.

    Args:
        name (str): the method, for error texts.
        program (Program): with feed and fetch operators.
    """
    outputs = [v.name for v in fetch_variables(program)]
    if not outputs:
        raise InvalidArgumentError(
            f"the Program of {name!r} states no outputs, for it has no fetch operators; it is not "
            "for inference.",
            hint="a training Program of static.save is loaded by paddle.static.load",
        )
    names = feed_names(program)
    block = program.global_block()
    expected = []
    for var in map(block.var, names):
        free = not var.need_check_feed or var.lod_level or is_example(var)
        expected.append(_Input(var, var._dt, None if free else list(var.shape) or [1]))
    return Method(program, names, outputs, expected)


def is_example(var: Variable) -> bool:
    """Whether an input has the sizes of an example, rather than those that a spec allows.

    Who describes an input leaves the batch open. Where every size is stated, the function was
    recorded from a call, and what the Program computes decides which others will do.
    """
    return -1 not in var.shape


def unlike_the_example(method: Method, values: Sequence[Any]) -> str:
    """What an error says of inputs that have other sizes than those that were saved.

    Args:
        method (Method): what was called.
        values (Sequence): a Tensor for each input.
    """
    told = [
        f"{e.var.name!r} was saved with {list(e.var.shape)}, and {list(v.shape)} came"
        for e, v in zip(method.expected, values, strict=True)
        if is_example(e.var) and list(e.var.shape) != list(v.shape)
    ]
    if not told:
        return ""
    return (
        f"\n  [Hint: the Program may hold sizes of the example it was recorded with: "
        f"{'; '.join(told)}. Save with input_spec=[InputSpec([None, ...])] to leave them open.]"
    )


def bound(name: str, method: Method, args: tuple, kwargs: dict[str, Any]) -> list[Any]:
    """Returns a value for each input of a method.

    Args:
        name (str): the method, for error texts.
        method (Method): what is called.
        args (tuple): Tensors, arrays, numbers or Variables; pytrees of them are taken apart.
        kwargs (dict): further inputs by their names.
    """
    names = method.inputs
    if not kwargs and len(args) == len(names) and all(map(_Input.takes, method.expected, args)):
        return list(args)
    where = f"TranslatedLayer.{name}"
    given = leaves(list(args))
    for key in kwargs:
        if key not in names:
            raise InvalidArgumentError(
                f"{where}: there is no input {key!r}; the saved signature is {_signature(method)}."
            )
        if key in names[: len(given)]:
            raise InvalidArgumentError(f"{where}: input {key!r} is given twice.")
    missing = [n for n in names[len(given) :] if n not in kwargs]
    if missing or len(given) > len(names):
        raise InvalidArgumentError(
            f"{where}: expected {len(names)} inputs, {_signature(method)}, but received "
            f"{len(given) + len(kwargs)}{f': {missing} missing' if missing else ''}.",
            hint="inputs that the outputs do not depend on are not saved",
        )
    values = [*given, *[kwargs[n] for n in names[len(given) :]]]
    return [_value(v, e, where) for e, v in zip(method.expected, values, strict=True)]


def _signature(method: Method) -> str:
    inputs = [e.var for e in method.expected]
    return f"({', '.join(f'{v.name}: {dtype_name(v.dtype)}{list(v.shape)}' for v in inputs)})"


def _value(value: Any, expected: _Input, where: str) -> Any:
    """A Tensor or Variable for an input, checked against what was saved."""
    var = expected.var
    if not isinstance(value, Tensor) and not is_variable(value):
        try:
            number = isinstance(value, (bool, int, float))
            value = tensor_of(value, var.dtype if number else None, None)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{where}: expected a Tensor or array for input {var.name!r}, "
                f"but received {type(value).__name__}: {error}"
            ) from None
    if value.dtype != var.dtype:
        raise InvalidArgumentError(
            f"{where}: input {var.name!r} is expected to be {dtype_name(var.dtype)}, "
            f"but received {dtype_name(value.dtype)}.",
            hint=f"convert it: x.astype({dtype_name(var.dtype)!r})",
        )
    if expected.sizes is not None and not _alike(expected.sizes, list(value.shape)):
        raise InvalidArgumentError(
            f"{where}: input {var.name!r} is expected to have the saved shape {expected.sizes} "
            f"(-1: any size), but received {list(value.shape)}."
        )
    return value
