"""Errors of converted code, told with the user's own files and lines."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import inspect
import itertools
import linecache
import os
import re
import sysconfig
from collections.abc import Callable, Iterator
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from paddle.core.parsing import parse
from paddle.core.user_frame import PACKAGE

HEAD = "In transformed code:"
MARK = "(* user code *)"

_CONVERTERS = os.path.join(PACKAGE, "jit", "dy2static") + os.sep
# Frames of ours: the package, what it generates, and what runs the body of a ``with`` of ours.
_OURS = (PACKAGE, "<operator ", "<plan ", contextlib.__file__, copy.__file__)
_LIBRARIES = tuple(
    {p + os.sep for k, p in sysconfig.get_paths().items() if k in ("stdlib", "purelib", "platlib")}
)
# The functions that conversion makes of branches and loops; to the user they are not there.
_MADE = re.compile(r"^(true_fn|false_fn|(while|for)_(condition|body|stop)|stop_fn)_\d+$")
_MOST = 40  # how many places are listed
_STORED = "_before_mapping"  # the attribute of a mapped exception: what it was before


class Line(NamedTuple):
    """A place in the list of an error: a frame, as the user knows it."""

    file: str
    line: int
    function: str
    source: str
    is_user: bool

    def __str__(self) -> str:
        mark = f" {MARK}" if self.is_user else ""
        head = f'  File "{self.file}", line {self.line}, in {self.function}{mark}'
        return f"{head}\n    {self.source}" if self.source else head


class _Before(NamedTuple):
    """What a mapped exception was: its text, and where the operator that failed was made."""

    text: str
    location: Any


def is_disabled() -> bool:
    """Whether ``TRANSLATOR_DISABLE_NEW_ERROR=1`` asks for exceptions as they are."""
    return os.environ.get("TRANSLATOR_DISABLE_NEW_ERROR", "0") not in ("", "0")


def is_simplified() -> bool:
    """Whether frames of the framework are hidden: not if ``TRANSLATOR_SIMPLIFY_NEW_ERROR=0``."""
    return os.environ.get("TRANSLATOR_SIMPLIFY_NEW_ERROR", "1") != "0"


class mapped:
    """Tells what goes wrong in a ``with`` block with the lines of the user's code.

    An exception leaves the block with its own class and attributes. Its text begins with
    ``In transformed code:``, lists the user's frames, and ends with what it was before.

    Args:
        function (callable, optional): the user's function. Its frames count as the user's even if
            it is part of this package, as the layers of ``paddle.vision.models`` are.

    Examples:
        .. code-block:: python

            from paddle.jit.explaining.errors import mapped

            def func():
                return {}["a"]

            try:
                with mapped(func):
                    func()
            except KeyError as error:
                print(str(error).splitlines()[0])  # In transformed code:
    """

    __slots__ = ("_function",)

    def __init__(self, function: Callable | None = None) -> None:
        self._function = function

    def __enter__(self) -> mapped:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        # What asks Python to stop, and what ends an iteration, is no report of a failure.
        if not isinstance(error, Exception) or isinstance(
            error, (StopIteration, StopAsyncIteration)
        ):
            return
        if not is_disabled():
            _raise_mapped(error, trace, self._function)


def _raise_mapped(error: Exception, trace: TracebackType | None, function: Any) -> None:
    """Raises what the user is to see for ``error``; returns if it cannot be made."""
    before = getattr(error, _STORED, None)
    if not isinstance(before, _Before):
        before = _Before(_described(error), getattr(error, "_location", None))
    own = _code_of(function)
    frames = list(_frames(trace))[1:]  # the first is who wrote ``with mapped``
    lines = _lines(frames, own, is_simplified())
    if before.location is not None:
        _add_location(lines, before.location)
    elif own is not None and not any(line.is_user for line in lines):
        lines.append(_line_of_function(own))
    listed = "".join(f"\n{line}" for line in _shortened(lines))
    text = f"{HEAD}\n{listed}\n\n{_without_location(before.text, lines)}"
    try:
        new = _with_text(error, text)
        BaseException.__setattr__(new, _STORED, before)
    except (
        Exception
    ):  # a class of the user's that resists; its own text is better than another error
        return
    cause, context, silent = error.__cause__, error.__context__, error.__suppress_context__
    if is_simplified():
        if not frames or _is_ours(frames[-1].tb_frame.f_code, own):
            cause, context, silent = None, None, True  # what a kernel said first is no news
        trace = _joined([f for f in frames if not _is_ours(f.tb_frame.f_code, own)])
    try:
        raise new.with_traceback(trace)
    finally:  # ``raise`` has set a context
        new.__cause__, new.__context__ = cause, context
        new.__suppress_context__ = silent


def shortened(error: Exception, function: Callable | None = None) -> Exception:
    """An exception, if it was mapped already, without the frames that it came through since.

    Args:
        error (Exception): what was caught; it is returned, to be raised again.
        function (callable, optional): as for :class:`mapped`.
    """
    if isinstance(getattr(error, _STORED, None), _Before) and is_simplified():
        own = _code_of(function)
        kept = [f for f in _frames(error.__traceback__) if not _is_ours(f.tb_frame.f_code, own)]
        return error.with_traceback(_joined(kept))
    return error


# -- frames ---------------------------------------------------------------------------------------


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _joined(frames: list[TracebackType]) -> TracebackType | None:
    """A traceback of these frames alone, so that a debugger still gets to the user's."""
    trace = None
    for frame in reversed(frames):
        trace = TracebackType(trace, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return trace


def _code_of(function: Any) -> CodeType | None:
    while isinstance(function, functools.partial):
        function = function.func
    with contextlib.suppress(Exception):
        return getattr(inspect.unwrap(function), "__code__", None)
    return None


def _is_ours(code: CodeType, own: CodeType | None) -> bool:
    if not code.co_filename.startswith(_OURS):
        return False
    if own is None or code.co_filename != own.co_filename:
        return True
    return code.co_name != own.co_name and not _MADE.match(code.co_name)


def _lines(frames: list[TracebackType], own: CodeType | None, simplify: bool) -> list[Line]:
    """The places to list, outermost first."""
    lines: list[Line] = []
    caller = ""
    for trace in frames:
        frame, code = trace.tb_frame, trace.tb_frame.f_code
        ours = _is_ours(code, own)
        if not (ours and simplify):
            is_user = not ours and _is_users(code.co_filename)
            source = linecache.getline(code.co_filename, trace.tb_lineno, frame.f_globals).strip()
            line = Line(code.co_filename, trace.tb_lineno, code.co_name, source, is_user)
            _add(lines, line, _is_made(code.co_name, caller))
        caller = code.co_filename
    return lines


def _is_users(file: str) -> bool:
    return not file.startswith(_LIBRARIES)


def _is_made(function: str, caller: str) -> bool:
    """Whether conversion made a function; ``caller`` is the file that it was called from."""
    if function == "<lambda>":
        return caller.startswith(_CONVERTERS)
    return _MADE.match(function) is not None


def _add(lines: list[Line], line: Line, made: bool) -> None:
    """Adds a place; one in a function made by conversion replaces that of its function."""
    if not made:
        lines.append(line)
        return
    at = next((i for i in reversed(range(len(lines))) if lines[i].is_user), None)
    if at is None or lines[at].file != line.file:
        lines.append(line._replace(function=function_around(line.file, line.line, line.function)))
        return
    around = lines.pop(at)
    lines.append(line._replace(function=around.function))


def _shortened(lines: list[Line]) -> list[Any]:
    """What to print of the places: repeated ones are counted, and of many the middle is."""
    shown: list[Any] = []
    for line, group in itertools.groupby(lines):
        count = len(list(group))
        shown += [line] * min(count, 3)
        if count > 3:
            shown.append(f"  [Previous line repeated {count - 3} more times]")
    if len(shown) > _MOST:
        middle = f"  [{len(shown) - _MOST} places more]"
        shown[_MOST // 2 : -_MOST // 2] = [middle]
    return shown


def _add_location(lines: list[Line], location: Any) -> None:
    """Adds where a failed operator was asked for."""
    stack = location.stack or [(location.file, location.line, location.function, _CONVERTERS)]
    for file, line, name, caller in stack:
        source = linecache.getline(file, line).strip()
        _add(lines, Line(file, line, name, source, _is_users(file)), _is_made(name, caller))


def _line_of_function(code: CodeType) -> Line:
    """The ``def`` of a function, for what goes wrong with what it returned."""
    file, line = code.co_filename, code.co_firstlineno
    while linecache.getline(file, line).lstrip().startswith("@"):
        line += 1
    return Line(file, line, code.co_name, linecache.getline(file, line).strip(), True)


def function_around(file: str, line: int, otherwise: str) -> str:
    """The name of the innermost ``def`` of a file that holds a line."""
    try:
        tree = parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return otherwise
    found = otherwise
    for node in ast.walk(tree):  # outer functions come first
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.lineno <= line <= (node.end_lineno or node.lineno):
                found = node.name
    return found


# -- the exception --------------------------------------------------------------------------------


def _described(error: Exception) -> str:
    """The class and the text, as Python ends a traceback."""
    try:
        text = str(error)
    except Exception:
        text = "<its text cannot be made>"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _without_location(text: str, lines: list[Line]) -> str:
    """Drops places from a text that the list has already."""
    for line in lines:
        place = re.escape(f'\n  File "{line.file}", line {line.line}, in ')
        told = r"(\n  the operator was added here:)?" + place + r"[^\n]*(\n    [^\n]*)?(?=\n|$)"
        text = re.sub(told, "", text)
    return text


class _RawText(str):
    """A text whose ``repr`` is itself: a KeyError shows the ``repr`` of what it holds."""

    def __repr__(self) -> str:
        return str(self)


def _with_text(error: Exception, text: str) -> Exception:
    """The same exception with another text: itself if its class reads its text from ``args``."""
    kind = type(error)
    if hasattr(kind, "_plain_kind"):  # made here for an inner call
        error._mapped_text = text  # type: ignore[attr-defined]
        return error
    plain = len(error.args) == 0 or (len(error.args) == 1 and isinstance(error.args[0], str))
    if plain and kind.__str__ is KeyError.__str__:
        error.args = (_RawText(text),)
        return error
    if plain and kind.__str__ is BaseException.__str__:
        error.args = (text,)
        return error
    if isinstance(error, (SyntaxError, ImportError)) and kind.__str__ in _SHOW_MSG:
        error.msg = text
        error.args = (text, *error.args[1:])
        return error
    return _of_made_class(error, text)


_SHOW_MSG = (SyntaxError.__str__, ImportError.__str__)

# Attributes that built-in exceptions keep outside of their ``__dict__``.
_FIELDS = (
    "errno", "strerror", "filename", "filename2", "characters_written", "name", "name_from", "path",
    "msg", "obj", "lineno", "offset", "end_lineno", "end_offset", "text", "print_file_and_line",
)  # fmt: skip


def _of_made_class(error: Exception, text: str) -> Exception:
    """The exception as one of a class that shows ``text`` and else is the one it was."""
    kind = type(error)
    made = _showing(kind)  # type: ignore[arg-type]  # a class is hashable; mypy sees its instances
    try:
        error.__class__ = made  # type: ignore[assignment]
        new = error
    except TypeError:  # built-in classes are fixed
        new = made.__new__(made, *error.args)
        if kind.__init__ is not object.__init__:
            with contextlib.suppress(Exception):
                kind.__init__(new, *error.args)
        new.__dict__.update(error.__dict__)
        for name in _FIELDS:
            value = getattr(error, name, None)
            if value is not None:
                with contextlib.suppress(Exception):
                    setattr(new, name, value)
    BaseException.__setattr__(new, "_mapped_text", text)
    return new


@functools.cache
def _showing(kind: type) -> Any:
    """A class like ``kind``, of the same name, whose instances show their ``_mapped_text``."""
    body = {
        "__str__": lambda self: self._mapped_text,
        "__reduce__": lambda self: (_again, (kind, self.args, dict(self.__dict__))),
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "_plain_kind": kind,
    }
    return type(kind)(kind.__name__, (kind,), body)


def _again(kind: type, args: tuple, state: dict[str, Any]) -> Any:
    """Makes the exception of what was pickled."""
    made = _showing(kind)  # type: ignore[arg-type]  # a class is hashable; mypy sees its instances
    new = made.__new__(made, *args)
    new.args = args
    new.__dict__.update(state)
    return new


__all__ = [
    "HEAD",
    "MARK",
    "Line",
    "function_around",
    "is_disabled",
    "is_simplified",
    "mapped",
    "shortened",
]
