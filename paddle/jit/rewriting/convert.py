"""convert_call: what is called from converted code is converted too, where it is the user's."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
import os
import sysconfig
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.user_frame import PACKAGE
from paddle.ir.autodiff.custom_gradients import CONVERTERS
from paddle.jit.calls.tensor_side_effects import recorded_write
from paddle.jit.dy2static.symbols import entered, location, traced_depth
from paddle.jit.dy2static.watching import note_method
from paddle.jit.explaining import events, logs
from paddle.nn.layer import layers
from paddle.nn.layer.layers import Layer

DEEPEST = 100  # so often may a function call itself under conditions that only a run knows
_NOT_CONVERTED = ("__not_to_static__", "_not_to_static")

_LIBRARIES = tuple(
    {p + os.sep for k, p in sysconfig.get_paths().items() if k in ("stdlib", "platstdlib")}
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def is_user_code(function: Callable) -> bool:
    """Says whether a function is neither paddle's, nor Python's, nor that of an installed package.

    Args:
        function (callable): a function of Python, or a method.
    """
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code is not None and not _reason(code.co_filename)


def is_library(code: types.CodeType) -> bool:
    """Says whether code is paddle's, Python's or that of an installed package."""
    return bool(_reason(code.co_filename))


@functools.cache
def _reason(file: str) -> str:
    """Why functions of a file are not converted; empty if they are the user's."""
    path = os.path.abspath(file) if not file.startswith("<") else file
    if path.startswith(PACKAGE) or file.startswith(("<operator ", "<plan ")):
        return "it belongs to paddle"
    if any(part in path for part in _INSTALLED):
        return "it belongs to an installed package"
    if path.startswith(_LIBRARIES) or file.startswith("<frozen"):
        return "it belongs to Python's library"
    return ""


# -- functions -------------------------------------------------------------------------------------


# What became of code: whether it could be converted. By identity, for code objects of two files may
# be equal; the code is kept, so that its id stays its own.
_known: dict[tuple[int, int], tuple[types.CodeType, dict, bool]] = {}
_warned: set[int] = set()
_lock = threading.RLock()


def _transform(function: types.FunctionType) -> Callable | None:
    """The converted function; None, after one warning, where it has to run as it is."""
    from paddle.jit.rewriting.source import NotConvertible, transform

    key = id(function.__code__), id(function.__globals__)
    known = _known.get(key)
    if known is not None and not known[2]:
        return None
    with _lock:
        if known is None:
            logs.log_source(function)
        try:
            made = transform(function)
        except NotConvertible as error:
            _known[key] = function.__code__, function.__globals__, False
            # Methods that dataclasses and namedtuple make have no source, and need none.
            if not (function.__code__.co_filename == "<string>" and function.__name__[:2] == "__"):
                logs.warn(
                    f"{function!r} cannot be converted to a static function, it will be run "
                    f"as-is: {error}"
                )
            return None
        if known is None:
            _known[key] = function.__code__, function.__globals__, True
            logs.log_transformed(made)
    return made.function


def _converted_function(function: types.FunctionType) -> Callable:
    """The converted form of a function of Python, or itself."""
    from paddle.jit.rewriting.source import is_transformed

    code = function.__code__
    if is_transformed(function):
        return _already(function)
    if any(function.__dict__.get(mark) for mark in _NOT_CONVERTED):
        events.left_alone(function, "it is marked by not_to_static")
        return function
    why = _reason(code.co_filename)
    if why:
        inner = _around_users(function)
        if inner is None and "paddle" not in why:
            events.left_alone(function, why)
        return function if inner is None else inner
    if code.co_flags & _LAZY:
        events.left_alone(function, "it is a generator or coroutine")
        return function
    logs.log_callable(function)
    made = _transform(function)
    if made is None:
        events.left_alone(function, "it cannot be converted")
        return function
    events.converted(function)
    return _counted(made, code)


_LAZY = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_ITERABLE_COROUTINE
)  # fmt: skip


def _already(function: types.FunctionType) -> Callable:
    """A function inside of a converted one, which was converted with it."""
    key = id(function.__code__)
    if key not in _warned:
        _warned.add(key)
        logs.warn(
            f"{function!r} doesn't have to be transformed to static function because it has been "
            "transformed before, it will be run as-is."
        )
    return _counted(function, function.__code__)


def _around_users(function: types.FunctionType) -> Callable | None:
    """A wrapper of paddle's or a library's around a user's function, with that converted.

    ``paddle.no_grad`` and other decorators keep what they wrap in their closure.
    """
    inner = getattr(function, "__wrapped__", None)
    if inner is None or function.__closure__ is None:
        return None
    made = convert_call(inner)
    if made is inner:
        return None
    cells = []
    for cell in function.__closure__:
        try:
            mine = cell.cell_contents is inner
        except ValueError:  # an empty cell
            mine = False
        cells.append(types.CellType(made) if mine else cell)
    if all(a is b for a, b in zip(cells, function.__closure__, strict=True)):
        return None
    again = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        tuple(cells),
    )  # fmt: skip
    again.__kwdefaults__ = function.__kwdefaults__
    return again


# -- recursion -------------------------------------------------------------------------------------

# Per code object: how often it is running under conditions that only a run knows, and how deep
# inside of branches the last of these calls is.
_running: contextvars.ContextVar[dict[int, tuple[int, int]] | None] = contextvars.ContextVar(
    "converted functions that are running", default=None
)


def _counted(function: Callable, code: types.CodeType) -> Callable:
    """A function that notices when its recursion has no end.

    Both branches of a condition are recorded. So a function that calls itself in one of them would
    do so for ever, whatever the condition says in a run.
    """

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        depth = traced_depth()
        if not depth:
            return function(*args, **kwargs)
        running = _running.get() or {}
        count, before = running.get(id(code), (0, 0))
        if depth > before:
            count += 1
        if count > DEEPEST:
            raise _endless(code)
        token = _running.set({**running, id(code): (count, depth)})
        try:
            with entered(depth):
                return function(*args, **kwargs)
        except RecursionError:
            if count < 8:
                raise
            raise _endless(code) from None
        finally:
            _running.reset(token)

    return run


def _endless(code: types.CodeType) -> Exception:
    return InvalidArgumentError(
        f"{code.co_name} calls itself under a condition on a Tensor. While a Program is built both "
        f"branches are recorded, so this has no end.{location()}",
        hint="write it as a loop (while), or let the condition depend on Python values that end "
        "the recursion",
    )


# -- callables -------------------------------------------------------------------------------------


def convert_call(func: Any) -> Any:
    """Returns the converted form of something that is about to be called.

    Functions, lambdas and methods of the user's are converted, once for each code object; so are
    callable objects, ``functools.partial`` and what decorators wrap. Layers stay what they are:
    while a Program is recorded, calling one converts its ``forward``. Classes, builtins, generators
    and the functions of paddle, of Python's library and of installed packages are left alone.

    Args:
        func (callable): what is called.

    Returns:
        callable: its converted form, or ``func`` itself.
    """
    kind = type(func)
    if kind is types.FunctionType:
        return _converted_function(func)
    if kind is types.MethodType:
        return _converted_method(func)
    if kind is types.BuiltinFunctionType:
        note_method(func)
        return func
    if isinstance(func, type):
        return func
    if kind is functools.partial:
        inner = convert_call(func.func)
        if inner is func.func:
            return func
        return functools.partial(inner, *func.args, **func.keywords)
    if hasattr(kind, "inlined"):  # a StaticFunction
        return _static(func)
    own = inspect.getattr_static(kind, "__call__", None)
    if own in (_plain_call, _converting_call):
        return func
    if type(own) is not types.FunctionType:
        events.left_alone(func, "it is not written in Python")
        return func
    made = convert_call(own)
    return func if made is own else types.MethodType(made, func)


def _converted_method(method: types.MethodType) -> Callable:
    function = method.__func__
    store = recorded_write(method)
    if store is not None:
        return store
    made = convert_call(function)
    return method if made is function else types.MethodType(made, method.__self__)


def _static(function: Any) -> Callable:
    """A StaticFunction inside of converted code: its operators go to the Program around it."""
    original = getattr(function, "_function", None)
    code = getattr(original, "__code__", None)
    return function if code is None else _counted(function, code)


# -- layers ----------------------------------------------------------------------------------------

_converting: contextvars.ContextVar[bool] = contextvars.ContextVar("converting", default=False)


def _converted_here(function: Callable) -> Callable:
    """The converted form of a function that is given to paddle, as a hook is."""
    from paddle.jit.rewriting.source import is_transformed

    inside = _converting.get() and not is_transformed(function)
    return convert_call(function) if inside else function


CONVERTERS.append(_converted_here)
_users = 0
_plain_call: Any = Layer.__call__


@contextlib.contextmanager
def converting_layers() -> Iterator[None]:
    """Converts the forward of the layers that this thread calls inside of the ``with`` block.

    ``Layer.__call__`` is exchanged for that time, so that it costs nothing where nobody records.
    """
    global _users, _plain_call
    token = _converting.set(True)
    with _lock:
        if _users == 0:
            _plain_call = Layer.__call__
            Layer.__call__ = _converting_call  # type: ignore[method-assign]
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                Layer.__call__ = _plain_call  # type: ignore[method-assign]
        _converting.reset(token)


def _converting_call(self: Layer, *inputs: Any, **kwargs: Any) -> Any:
    """``Layer.__call__`` while something is recorded."""
    if not _converting.get():
        return _plain_call(self, *inputs, **kwargs)
    forward = convert_call(self.forward)
    inputs = tuple([layers._to_tensor(v) for v in inputs])
    kwargs = {k: layers._to_tensor(v) for k, v in kwargs.items()}
    for hook in list(self._forward_pre_hooks.values()):
        changed = convert_call(hook)(self, inputs)
        if changed is not None:
            inputs = changed if isinstance(changed, tuple) else (changed,)
    outputs = forward(*inputs, **kwargs)
    for hook in list(self._forward_post_hooks.values()):
        changed = convert_call(hook)(self, inputs, outputs)
        if changed is not None:
            outputs = changed
    return outputs
