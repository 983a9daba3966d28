"""Says what was wrong with a public call that failed inside of ours.

A wrong argument shows where it is first used, often deep inside and in Python's words:
``'<' not supported between instances of 'NoneType' and 'int'``. :func:`explained` finds the
argument that is not of its documented type and names it with the function that the user called.
All of this happens after a call has failed; one that works pays for a ``try`` at most.
"""

from __future__ import annotations

import dis
import inspect
import reprlib
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from paddle.core import documented_types
from paddle.core.attribute_errors import in_our_words, too_large
from paddle.core.errors import (
    FrameworkError,
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    ResourceExhaustedError,
)
from paddle.core.user_frame import PACKAGE

_RAISES = frozenset(dis.opmap[n] for n in ("RAISE_VARARGS", "RERAISE") if n in dis.opmap)
_LIBRARIES = frozenset(
    ["paddle", "torch", "numpy", "PIL", "scipy", "google", *sys.stdlib_module_names]
)
# What a user asks for by these cannot be a wrong argument of ours.
_PASSED_ON = (ImportError, OSError, StopIteration, StopAsyncIteration, GeneratorExit, Warning)
_KEPT = (TypeError, ValueError, IndexError)  # what replaces them is one of them

_WORDS = {
    "int": "an int",
    "float": "a number",
    "str": "a str",
    "bool": "a bool",
    "list": "a list",
    "tuple": "a tuple",
    "dict": "a dict",
    "Tensor": "a Tensor",
    "Variable": "a Variable",
    "callable": "a function",
}
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60


def described(value: Any) -> str:
    """A value in a few words: shape and dtype of a tensor, else its type and how it prints."""
    if hasattr(value, "stop_gradient"):
        return f"a {type(value).__name__} of shape {list(value.shape)}"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"{type(value).__name__} of shape {list(shape)} and {value.dtype}"
    try:
        text = _short.repr(value)
    except Exception:  # a repr of the user's
        text = ""
    return f"{type(value).__name__} {text}"[:80].rstrip()


def on_purpose(error: BaseException, since: TracebackType | None = None) -> bool:
    """Whether a raise statement of ours made the error, or the user's own code did.

    Args:
        error (Exception): what was raised.
        since (traceback): where its way through ours begins; None: where it was caught.
    """
    if isinstance(error, FrameworkError):
        return True
    trace = since or error.__traceback__
    if _through_users(trace):
        return True
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    return (
        code.co_filename.startswith((PACKAGE, "<operator"))
        and code.co_code[trace.tb_lasti] in _RAISES
        and not (code.co_name == "__getattr__" and _of_ours(trace.tb_frame.f_locals.get("self")))
    )


def _of_ours(value: Any) -> bool:
    """Whether an object that lacks an attribute is ours: its users did not ask for that."""
    return type(value).__module__.startswith("paddle.")


def _through_users(trace: TracebackType | None) -> bool:
    """Whether a call of ours came through code that is neither ours nor a library's."""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "paddle")
        if module.partition(".")[0] not in _LIBRARIES or module == "__main__":
            return True
        trace = trace.tb_next
    return False


class NoNumber(TypeError):
    """Something else came where a number is due."""


def explained(
    api: str, error: Exception, given: dict[str, Any], types: dict[str, str], doc: str | None
) -> Exception | None:
    """The error to raise in the place of one that came from inside; None: that one is right.

    Args:
        api (str): what the user called.
        error (Exception): what came out of it.
        given (dict): the call's arguments by name.
        types (dict): their documented types.
        doc (str): the docstring; exceptions that it names are passed on.
    """
    inside = hasattr(error, "explains")  # a call of ours, made by this one, is explained
    if isinstance(error, _PASSED_ON) or _through_users(error.__traceback__):
        return None
    if not inside and not isinstance(error, NoNumber) and on_purpose(error):
        return None
    if not isinstance(error, _KEPT) and type(error).__name__ in _raised(doc):
        return None
    for name, value in given.items():
        text = types.get(name)
        if text is not None and not documented_types.fits(text, value):
            due = text.partition(", optional")[0]
            due = _WORDS.get(due, due)
            return _marked(
                InvalidTypeError(f"{api}({name}): expected {due}, but received {described(value)}.")
            )
    if inside and error.explains is None:  # type: ignore[attr-defined]
        return None
    listed = ", ".join(f"{n} = {described(v)}" for n, v in given.items())
    kind, said = error.explains if inside else _told(error)  # type: ignore[attr-defined]
    return _marked(kind(f"{api}: {said}\n  arguments: {listed}"), (kind, said))


def _marked(error: Any, told: tuple | None = None) -> Any:
    """Marks what an outer call may tell better, for that one is what the user wrote."""
    error.explains = told
    return error


def _told(error: Exception) -> tuple[Any, str]:
    """The class and the words for an error that no argument's type explains."""
    said = str(error).split("\n")[0][:200]
    size = too_large(error, said)
    if size:
        return ResourceExhaustedError, size
    said = f"{type(error).__name__}: {in_our_words(said)}"
    return _class_for(error), f"the arguments do not work together, or one is not right: {said}"


def _class_for(error: Exception) -> Any:
    if isinstance(error, (IndexError, KeyError)):
        return OutOfRangeError
    return InvalidTypeError if isinstance(error, TypeError) else InvalidArgumentError


def _raised(doc: str | None) -> str:
    """The part of a docstring that says what is raised."""
    return (doc or "").partition("Raises:")[2].partition("Examples:")[0]


def explained_call(
    function: Callable, owner: type | None, args: tuple, kwargs: dict, error: Exception
) -> Exception | None:
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:  # too many, too few: Python's words name the function
        return None
    given = dict(bound.arguments)
    init = function.__name__ == "__init__"
    kind: Any = None
    if owner is not None and given and next(iter(given)) in ("self", "cls"):
        made = given.pop(next(iter(given)))
        kind = made if isinstance(made, type) else type(made)
        api = kind.__name__ if init else f"{owner.__name__}.{function.__name__}"
        if function.__name__ in ("__call__", "forward"):
            api = kind.__name__
    else:
        api = function.__name__
    return explain(api, function, error, given, kind if init else None)


def failed_forward(layer: Any, args: tuple, kwargs: dict, error: Exception) -> Exception | None:
    """What to raise where ``forward`` of a layer of ours failed; None: what it raised is right."""
    kind = type(layer)
    if not kind.__module__.startswith("paddle."):
        return None
    return explained_call(kind.forward, kind, (layer, *args), kwargs, error)


def explain(
    api: str, function: Callable, error: Exception, given: dict[str, Any], owner: Any = None
) -> Exception | None:
    """Like :func:`explained`, with types and docstring of a function or of the class it makes."""
    types = documented_types.of_callable(function, owner)
    doc = (function.__doc__ or "") + (getattr(owner, "__doc__", None) or "")
    for name, value in list(given.items()):
        parameter = inspect.signature(function).parameters.get(name)
        if parameter is not None and value is parameter.default:
            types.pop(name, None)
    return explained(api, error, given, types, doc)
