"""Error classes of the framework and the translation of kernel failures into them.

A class has for bases the builtin exceptions that PaddlePaddle raises in such cases, several where
it depends on the operator: what a program catches there it catches here.
"""

from __future__ import annotations

import re
from typing import Any

from paddle.core.lazy_pattern import LazyPattern


class FrameworkError(Exception):
    """Base of all errors below: the text is ``(Code) message`` and, where there is one, a hint."""

    code = "Error"

    def __init__(self, message: str = "", hint: str | None = None) -> None:
        text = f"({self.code}) {message}"
        if hint:
            text += f"\n  [Hint: {hint}]"
        super().__init__(text)

    def __reduce__(self) -> Any:  # the text is complete and must not get the code once more
        return _with_text, (type(self), self.args[0])


def _with_text(kind: type[FrameworkError], text: str) -> FrameworkError:
    """Makes an error of a text that has everything."""
    made = kind()
    made.args = (text,)
    return made


def _error(code: str, *builtins: type) -> type:
    name = f"{code}Error"
    doc = f"{code}: what PaddlePaddle reports as {' or '.join(b.__name__ for b in builtins)}."
    return type(
        name, (FrameworkError, *builtins), {"code": code, "__doc__": doc, "__module__": __name__}
    )


class InvalidArgumentError(FrameworkError, ValueError):
    """An argument has a wrong value or shape."""

    code = "InvalidArgument"


class AxisError(InvalidArgumentError, IndexError):
    """An axis that the input does not have; PaddlePaddle's operators differ about the class."""


class EOFException(Exception):
    """A reader of a Program has no more data; 1.x catches it as ``fluid.core.EOFException``."""

    _explained = True  # it reaches the user as it is


class OutOfRangeError(FrameworkError, IndexError, ValueError):
    """An index or position lies outside of what exists.

    PaddlePaddle raises IndexError for ``x[5]``, and ValueError where it is a row of a table, a
    label or an index in a Tensor.
    """

    code = "OutOfRange"


class UnimplementedError(FrameworkError, NotImplementedError):
    """The combination asked for does not exist here."""

    code = "Unimplemented"


class PreconditionNotMetError(FrameworkError, RuntimeError):
    """The call came at the wrong time or in the wrong state."""

    code = "PreconditionNotMet"


class MissingValueError(PreconditionNotMetError, ValueError):
    """A value that is needed was not fed, not initialized, or does not depend on what is asked."""


class OnlyInARunError(PreconditionNotMetError, TypeError):
    """A Variable of a Program was used as a number, a condition or a sequence of Python."""


NotFoundError: Any = _error("NotFound", RuntimeError, ValueError)


class MissingFileError(NotFoundError, FileNotFoundError):
    """A file or folder is not there; the text names it and what lies beside it."""

    def __init__(self, message: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint)


AlreadyExistsError: Any = _error("AlreadyExists", RuntimeError)
ResourceExhaustedError: Any = _error("ResourceExhausted", MemoryError)
PermissionDeniedError: Any = _error("PermissionDenied", RuntimeError)
ExecutionTimeoutError: Any = _error("ExecutionTimeout", RuntimeError)
UnavailableError: Any = _error("Unavailable", RuntimeError)
FatalError: Any = _error("Fatal", SystemError)
ExternalError: Any = _error("External", OSError)


class InvalidTypeError(FrameworkError, TypeError, ValueError, RuntimeError):
    """A data type that the operator has no kernel for, or that does not fit the others.

    In PaddlePaddle a TypeError where Python checks it, a ValueError where a kernel meets two types,
    a RuntimeError where there is no kernel.
    """

    code = "InvalidType"


class ArgumentTypeError(TypeError, ValueError):
    """An argument has a wrong Python type; PaddlePaddle's operators say that by a ValueError."""


def check_tensors(api: str, **given: Any) -> None:
    """Refuses anything but Tensors and Variables, which carry the same mark.

    For functions that read an argument before an operator does: that one would have refused it.

    Args:
        api (str): the function's name.
        given: its arguments by name.
    """
    for name, value in given.items():
        if not hasattr(value, "stop_gradient"):
            raise ArgumentTypeError(
                f"{api}({name}): expected a Tensor, but received {_describe(value)}."
            )


def check_not_negative(api: str, **given: Any) -> None:
    """Refuses numbers below 0 and NaN where only distances make sense: epsilon, a deviation.

    Args:
        api (str): the function's or the layer's name.
        given: its arguments by name.
    """
    for name, value in given.items():
        if isinstance(value, (str, bytes)) or value is None:
            raise TypeError(f"{api}({name}): expected a number, but received {_describe(value)}.")
        if not value >= 0:
            raise InvalidArgumentError(
                f"{api}({name}): expected a number of at least 0, but received {value}."
            )


_DTYPE = LazyPattern(
    r"not (yet )?implemented for|expected scalar type|not supported (for|on)|unsupported.*dtype"
    r"|must have the same dtype|result type|can't be cast|safely cast|only supports? "
    r"|does not support (bool|complex|half)|dtype|Expected a floating point"
    r"|bool tensors? is not supported|expected data type in|tensors but got|on an unsigned type"
    r"|not intended to support complex|must be real",
    re.I,
)
# What it says where two types differ names types of the backend.
_MIXED = LazyPattern(
    r"Input type \(.*should be the same|mixed dtype|must have the same dtype", re.I
)
_BROADCAST = LazyPattern(
    r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)"
    r" at non-singleton dimension (\d+)"
)
# The same two, in the words of torch's meta device.
_META_BROADCAST = LazyPattern(
    r"broadcast a dimension of length (\d+) at (-?\d+)! Mismatching argument at index \d+ had "
    r"torch.Size\(\[(.*?)\]\)"
)
_META_MULTIPLY = LazyPattern(r"same reduction dim, but got \[(\d+), (\d+)\] X \[(\d+), (\d+)\]")
_AXIS = LazyPattern(
    r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)"
)
_MULTIPLY = LazyPattern(
    r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)"
)
# What the backend says of arguments in words of its own: (pattern, what we say).
_REWORDED = (
    (
        LazyPattern(
            r"Expected reduction dim to be specified for input.numel\(\) == 0"
            r"|zero-size dimension for reduction operation without identity"
            r"|Expected reduction dim -?\d+ to have non-zero size"
        ),
        "expected at least one element to reduce, but the input has none.",
    ),
    (
        LazyPattern(r"only one element tensors can be converted|cannot be converted to Scalar"),
        "expected one element where a number is due, but a Tensor of several came.",
    ),
    (
        LazyPattern(r"length must be non-negative"),
        "expected no size below 0, but the input is too small for what is taken off.",
    ),
    (
        LazyPattern(r"cannot be converted to type \S+ without overflow"),
        "a number does not fit the data type it meets.",
    ),
    (
        LazyPattern(r"^(tuple|list) index out of range$"),  # the kernel looked for a dimension
        "expected inputs with more dimensions than came.",
    ),
    (LazyPattern(r"^ZeroDivisionError$"), "expected no 0 in the integers to divide by."),
    (
        LazyPattern(r"^(float |integer )?(division|modulo) by zero$|^division by zero"),
        "division by zero: expected no dimension of size 0.",
    ),
)
_RANGE = LazyPattern(r"out of (range|bounds)", re.I)


def _describe(value: Any) -> str:
    """Says what an operator's argument is: shape and dtype of a tensor, else its type."""
    buf = getattr(value, "_buf", None)
    if buf is not None:
        return f"{str(buf.dtype)[6:]}{list(buf.shape)}"
    if isinstance(value, (list, tuple)) and value and hasattr(value[0], "_buf"):
        return "[" + ", ".join(_describe(v) for v in value) + "]"
    return f"{type(value).__name__} {value!r}"[:80]


def kernel_error(op: Any, args: tuple, attrs: dict[str, Any], error: Exception) -> Exception:
    """Turns what went wrong inside operator ``op`` into the framework's error.

    Args:
        op (OpDef): the operator.
        args (tuple): its arguments as the caller gave them, one per input slot.
        attrs (dict): its attributes.
        error (Exception): what the kernel, or the reading of an argument, raised.
    """
    where = f"\n  [operator < {op.name} > error]"
    wrong = _wrong_argument(op, args)
    if wrong:
        return ArgumentTypeError(wrong + where)
    got = "; ".join(
        f"{s.name} = {_describe(a)}" for s, a in zip(op.inputs, args, strict=False) if a is not None
    )
    given = ", ".join(f"{k} = {v!r}"[:80] for k, v in attrs.items())
    # A plan does not keep what its operators got.
    context = f"\n  inputs: {got}" if got else ""
    context += (f"\n  attributes: {given}" if given else "") + where
    if isinstance(error, FrameworkError):
        # Another object: an error that is raised from itself would be a cycle.
        return _with_text(type(error), str(error.args[0]).replace("torch.", "") + context)
    from paddle.core.attribute_errors import in_our_words, too_large, wrong_attribute

    text = str(error).split("\n")[0]
    size = too_large(error, text)
    if size:
        return ResourceExhaustedError(size + context)
    attribute = wrong_attribute(op, attrs, error, text)
    if attribute:
        return InvalidTypeError(f"{op.name}: {attribute}{context}")
    ours = _in_our_words(text)
    if ours is not None:
        return (AxisError if _AXIS.search(text) else InvalidArgumentError)(ours + context)
    text = in_our_words(text)
    if isinstance(error, IndexError) or _RANGE.search(text):
        return OutOfRangeError(text + context)
    if _MIXED.search(text):
        text = "no kernel for these data types: expected inputs of one data type."
        return InvalidTypeError(text + context, hint=_cast_to_fit(op, args))
    if isinstance(error, NotImplementedError) and not _DTYPE.search(text):
        return InvalidTypeError(f"no kernel for these data types: {text}{context}")
    if _DTYPE.search(text):
        text = f"no kernel for these data types: {_data_types(args)}."
        return InvalidTypeError(text + context, hint=_cast_to_fit(op, args))
    if isinstance(error, TypeError):
        return ArgumentTypeError(f"{text}{context}")
    return InvalidArgumentError(text + context)


def _in_our_words(text: str) -> str | None:
    """What a backend's text about shapes, axes and numbers means; None for other texts."""
    for pattern, words in _REWORDED:
        if pattern.search(text):
            return words
    mismatch, meta = _BROADCAST.search(text), _META_BROADCAST.search(text)
    if mismatch or meta:
        if mismatch:
            a, b, dim = mismatch.groups()
            sizes = f"dimension {dim} is {a} on one side and {b} on the other"
        else:
            a, dim, other = meta.groups()  # type: ignore[union-attr]
            sizes = f"dimension {dim} is {a} on one side, the other has shape [{other}]"
        return (
            "Broadcast dimension mismatch. Operands could not be broadcast together: "
            f"{sizes}; expected them equal, or one of them 1."
        )
    multiplied = _MULTIPLY.search(text) or _META_MULTIPLY.search(text)
    if multiplied:
        m, k, k2, n = multiplied.groups()
        return (
            f"Matrices of shapes [{m}, {k}] and [{k2}, {n}] (leading dimensions joined) cannot be "
            f"multiplied: expected the inner sizes {k} and {k2} to be equal."
        )
    axis = _AXIS.search(text)
    if axis:  # a wrong attribute, not an index into data
        low, high, got = axis.groups()
        return f"axis is expected to be in range of [{low}, {high}], but received {got}."
    return None


def _cast_to_fit(op: Any, args: tuple) -> str:
    """What to cast where the types of an operator's inputs differ: what is no parameter."""
    given = [
        (slot.name.lower(), value)
        for slot, value in zip(op.inputs, args, strict=False)
        if hasattr(value, "_dt")
    ]
    tensors = [value for _, value in given]
    leading: Any = next((t for t in tensors if t.is_parameter), tensors[0] if tensors else None)
    for name, value in given:
        if value._dt is not leading._dt and leading._dt.is_floating_point:
            return f'cast it: {name}.astype("{str(leading._dt)[6:]}")'
    return "cast the inputs with astype."


def _data_types(args: tuple) -> str:
    """The data types of an operator's arguments, each once."""
    tensors = [t for a in args for t in (a if isinstance(a, (list, tuple)) else [a])]
    names = [str(t._buf.dtype)[6:] for t in tensors if hasattr(t, "_buf")]
    return ", ".join(dict.fromkeys(names))


def _wrong_argument(op: Any, args: tuple) -> str | None:
    """Names the first argument that is no Tensor, or a Tensor where a list is due."""
    for slot, arg in zip(op.inputs, args, strict=False):
        if arg is None and slot.optional:
            continue
        where = f"{op.name}: argument {slot.name} expects"
        if slot.many:
            if not isinstance(arg, (list, tuple)):
                return f"{where} a list of Tensors, but received {_describe(arg)}."
            if not arg:
                return f"{where} a non-empty list of Tensors, but received []."
            for i, item in enumerate(arg):
                if not hasattr(item, "_buf"):
                    return (
                        f"{where} a list of Tensors, but it holds {_describe(item)} "
                        f"as {slot.name}[{i}]."
                    )
        elif not hasattr(arg, "_buf"):
            return f"{where} a Tensor, but received {_describe(arg)}."
    return None
