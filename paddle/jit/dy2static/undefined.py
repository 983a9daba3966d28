"""UndefinedVar: what stands for a variable without a usable value, and tells who uses it why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from paddle.core.errors import InvalidArgumentError


class UndefinedVar:
    """A local variable without a value, or with one that cannot be told before a run.

    Python raises when such a variable is read. Converted code hands it from function to function,
    so the error comes with the first thing done to it: an operator, an attribute, a call, and every
    ``isinstance``, by which all of paddle's functions look at what they get.

    Args:
        name (str): the variable.
        reason (str): why it has no value; an empty one gives Python's own message.
        value (Any): what it is if it has a value at all: set where only one of two branches
            assigned it. Loops and returned values use it.
        error (type): the class of what is raised.
    """

    __slots__ = ("_error", "_held", "_label", "_reason", "_zeroed")

    def __init__(
        self,
        name: str,
        reason: str = "",
        value: Any = None,
        error: type[Exception] = UnboundLocalError,
    ) -> None:
        set_slot = object.__setattr__
        set_slot(self, "_label", name)
        set_slot(self, "_reason", reason)
        set_slot(self, "_held", value)
        set_slot(self, "_error", error)
        set_slot(self, "_zeroed", False)

    def _fail(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise error_of(self)

    # isinstance() asks an object for its class when its type alone does not answer.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # type: ignore[override]
        raise error_of(self)

    def __repr__(self) -> str:
        return f"<undefined {object.__getattribute__(self, '_label')}>"

    def __getattr__(self, name: str) -> NoReturn:
        raise error_of(self)

    def __setattr__(self, name: str, value: Any) -> None:
        raise error_of(self)

    __hash__ = object.__hash__


_USES = (
    "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod "
    "radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift rdivmod "
    "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift "
    "neg pos abs invert lt le gt ge eq ne bool int float complex index len iter next contains "
    "getitem setitem delitem call enter exit format str array"
)
for _use in _USES.split():
    setattr(UndefinedVar, f"__{_use}__", UndefinedVar._fail)


def undefined(name: str) -> UndefinedVar:
    """Returns what stands for a local variable that has not been assigned yet.

    Args:
        name (str): the variable.
    """
    return UndefinedVar(name)


def is_undefined(value: Any) -> bool:
    """Says whether a value stands for a variable without one."""
    return type(value) is UndefinedVar


def conflict(name: str, reason: str) -> UndefinedVar:
    """Returns what stands for a variable whose possible values do not go together."""
    return UndefinedVar(name, reason, error=InvalidArgumentError)


def error_of(value: UndefinedVar) -> Exception:
    """Returns what a use of it raises."""
    get = object.__getattribute__
    name, reason, kind = get(value, "_label"), get(value, "_reason"), get(value, "_error")
    if kind is not UnboundLocalError:
        made: Exception = kind(reason)
        return made
    text = f"local variable {name!r} referenced before assignment"
    return UnboundLocalError(f"{text}: {reason}" if reason else text)


def partial_value(value: UndefinedVar) -> Any:
    """Returns the value it has where one branch assigned it, else None."""
    return object.__getattribute__(value, "_held")


def note_zeros(value: UndefinedVar) -> None:
    """Notes that zeros were taken in its place, where a value from before should go on."""
    object.__setattr__(value, "_zeroed", True)


def was_zeroed(value: UndefinedVar) -> bool:
    """Says whether zeros were taken in its place."""
    return bool(object.__getattribute__(value, "_zeroed"))


def read_or_undefined(read: Callable[[], Any], name: str) -> Any:
    """Returns what ``read()`` finds, or an UndefinedVar where there is nothing to find.

    Args:
        read (callable): reads an attribute or item, without arguments.
        name (str): how it is written, for messages: ``"self.h"``.
    """
    try:
        return read()
    except (AttributeError, LookupError, NameError):
        return UndefinedVar(name)


def defined(value: Any, guarded: bool = False) -> Any:
    """Returns a variable's value; raises where it has none. For reads that hand it on as it is.

    Args:
        value: what stands in the variable.
        guarded (bool): whether a flag keeps the code from running where a branch that did not
            assign the variable has left a loop or the function: what the other one gave it counts.

    Raises:
        UnboundLocalError: the variable has not been assigned.
    """
    if type(value) is UndefinedVar:
        held = partial_value(value) if guarded else None
        if held is None:
            raise error_of(value)
        return held
    return value
