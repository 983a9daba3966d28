"""Bad input: each argument of a valid call is replaced by what it must not be, in both modes.

The valid calls are those of the tables of tests/static: while they run, a trace hook notes the
arguments of every public function and of every layer's forward. Then each call is made again, with
one argument changed, and either works or says which function, which argument, what was expected
and what came.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.core import unique_name
from paddle.core.dtype import dtype_name
from paddle.core.op import REGISTRY
from paddle.ir.current import program_guard
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.tensor.methods import MODULES
from paddle.vision import ops
from tests.static import calls_functional, calls_layer, calls_random, calls_tensor
from tests.static.harness import data
from tests.static.values import VALUES

pytestmark = pytest.mark.filterwarnings("ignore")

# The functions that take no Tensor, or none that could be bad: modes, devices, files, flags.
NOT_DRIVEN = frozenset(
    [
        "paddle." + name
        for name in (
            "batch", "broadcast_shape", "disable_static", "enable_static", "flops", "get_device",
            "get_cuda_rng_state", "get_cudnn_version", "get_flags", "get_rng_state", "grad",
            "in_dynamic_mode",
            "is_compiled_with_cuda", "is_compiled_with_npu", "is_compiled_with_rocm",
            "is_compiled_with_xpu", "is_tensor", "load", "save", "seed",
            "set_cuda_rng_state", "set_rng_state",
            "set_default_dtype", "set_device", "set_flags", "set_printoptions", "summary",
        )
    ]
    # The forward of Layer only says that a subclass must have one; Identity takes anything.
    + ["nn.Layer", "nn.Identity"]
)  # fmt: skip

# What is taken though it is no Tensor, deliberately.
ACCEPTED = {
    ("F.batch_norm", "weight"): "None: no factor",
    ("F.batch_norm", "bias"): "None: nothing added",
    ("nn.TransformerDecoder", "memory"): "None: attention to the target itself, as in 2.x",
    ("nn.TransformerDecoderLayer", "memory"): "the same",
}


def _zeros(*shape: int) -> Any:
    return paddle.zeros(shape)


ANCHORS = [10, 13, 16, 30]
OWN_CALLS = {  # of functions that the tables do not call
    "deform_conv2d": lambda image, w2: ops.deform_conv2d(
        image, _zeros(4, 18, 4, 4), w2, _zeros(6), mask=_zeros(4, 9, 4, 4)
    ),
    "yolo_box": lambda: ops.yolo_box(
        _zeros(2, 14, 3, 3), paddle.ones([2, 2], "int32"), ANCHORS, 2, 0.1, 32
    ),
    "yolo_loss": lambda: ops.yolo_loss(
        _zeros(2, 14, 3, 3), paddle.full([2, 5, 4], 0.4), paddle.zeros([2, 5], "int32"), ANCHORS,
        [0, 1], 2, 0.7, 32, gt_score=paddle.ones([2, 5]),
    ),
}  # fmt: skip
TABLES = (
    calls_tensor.CALLS, calls_functional.CALLS, calls_layer.CALLS, calls_random.CALLS, OWN_CALLS
)  # fmt: skip


class Call(NamedTuple):
    """A valid call of a public function."""

    function: Callable
    args: dict[str, Any]
    extra: tuple

    def __call__(self, **changed: Any) -> Any:
        """Makes it again with some arguments changed."""
        args = {**self.args, **changed}
        named = inspect.unwrap(self.function).__code__
        listed = [args.pop(name) for name in named.co_varnames[: named.co_argcount]]
        return self.function(*listed, *self.extra, **args)


def _functions() -> dict[Any, tuple[str, Callable]]:
    """The public functions by their code: {code: (name, function)}."""
    found: dict[Any, tuple[str, Callable]] = {}
    for prefix, module in (
        ("paddle", paddle), ("F", F), ("vision.ops", ops), *(("Tensor", m) for m in MODULES)
    ):  # fmt: skip
        for name in getattr(module, "__all__", dir(module)):
            function = getattr(module, name)
            if inspect.isfunction(function):
                code = inspect.unwrap(function).__code__
                found.setdefault(code, (f"{prefix}.{name}", function))
    for name in dir(nn):
        layer = getattr(nn, name)
        if inspect.isclass(layer) and "forward" in vars(layer):
            found.setdefault(layer.forward.__code__, (f"nn.{name}", layer.forward))
    return found


FUNCTIONS = _functions()
NAMES = sorted(name for name, _ in FUNCTIONS.values() if name not in NOT_DRIVEN)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (paddle.Tensor, Variable))


def _holds_tensors(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(map(_is_tensor, value))


def _record(call: Callable, arguments: dict[str, Any], calls: dict[str, dict]) -> None:
    """Runs a call of a table and notes the public functions that it comes through."""

    def hook(frame: Any, event: str, _: Any) -> None:
        if frame.f_code not in FUNCTIONS:
            return
        if STATIC[0].current_block().idx:
            return  # what a body of a loop has is not there once it is over
        name, function = FUNCTIONS[frame.f_code]
        code, seen = frame.f_code, frame.f_locals
        count = code.co_argcount + code.co_kwonlyargcount
        args = {n: seen[n] for n in code.co_varnames[:count]}
        extra = seen[code.co_varnames[count]] if code.co_flags & inspect.CO_VARARGS else ()
        kind = tuple((n, _is_tensor(v) or _holds_tensors(v)) for n, v in args.items())
        calls.setdefault(name, {}).setdefault(
            (kind, type(args.get("axis"))), Call(function, args, extra)
        )

    before = sys.gettrace()
    sys.settrace(hook)
    try:
        call(**arguments)
    finally:
        sys.settrace(before)


STATIC = (Program(), Program())


@contextlib.contextmanager
def _mode(static: bool) -> Iterator[None]:
    """Runs what is inside eagerly, or records it into one Program for all tests."""
    if not static:
        yield
        return
    if not paddle.in_dynamic_mode():  # inside of another one
        yield
        return
    paddle.enable_static()
    try:
        with program_guard(*STATIC):
            yield
    finally:
        paddle.disable_static()


@functools.cache
def recorded(static: bool) -> dict[str, list[Call]]:
    """The valid calls of every public function, of each kind of arguments one."""
    calls: dict[str, dict] = {}
    with _mode(static):
        known = {k: data(k, v) for k, v in VALUES.items()} if static else {}
        for table in TABLES:
            for call in table.values():
                names = inspect.signature(call).parameters
                given = {n: known[n] if static else paddle.to_tensor(VALUES[n]) for n in names}
                _record(call, given, calls)
    return {name: list(kinds.values()) for name, kinds in calls.items()}


def failure(call: Call, **changed: Any) -> Exception | None:
    """What a call with bad arguments raises."""
    try:
        call(**changed)
    except Exception as error:
        return error
    return None


# "conv2d(weight): ...", "add: argument Y ...", "... [operator < conv2d > error]"
_NAMED = re.compile(r"(\w+)(?:\(\w+(?:\[\d+\])?\)|\(\w+='\w+'\))?: |operator (?:< )?(\w+)")
KNOWN = {name.rpartition(".")[2] for name, _ in FUNCTIONS.values()} | {*REGISTRY, *dir(nn)}


# What came: in the text itself, or in the list of the operator's inputs.
_SAID = r"(?i)expect|received|inputs: "
_DTYPES = r"(?i)bool|int|float|FP|complex|data types|dtype"


def check(error: Exception, kinds: tuple[type, ...], *words: str) -> None:
    """Tests the class of an error, that it names function and argument, and what came."""
    text = str(error)
    assert isinstance(error, kinds), f"{type(error).__name__}: {text}"
    named = {name for match in _NAMED.findall(text) for name in match}
    assert named & KNOWN, f"names no function: {text}"
    for word in words:
        assert re.search(word, text), f"does not say {word!r}: {text}"


def test_every_function_is_driven():
    assert sorted(set(NAMES) - set(recorded(False))) == []
    assert sorted(set(NAMES) - set(recorded(True))) == []


def _may_be(name: str, call: Call, argument: str, bad: Any) -> bool:
    """Whether a function deliberately takes something that is no Tensor."""
    if bad is not None:
        return False
    default = inspect.signature(call.function).parameters[argument].default
    return default is None or (name, argument) in ACCEPTED


def no_tensor(name: str, call: Call, argument: str, value: Any) -> None:
    for bad in (None, "abc", object(), [object()]):
        error = failure(call, **{argument: bad})
        optional = _may_be(name, call, argument, bad)
        if error is None:
            assert optional, f"{argument} = {bad!r} is accepted"
            continue
        came = "list|object" if isinstance(bad, list) else f"{type(bad).__name__}|{bad!r}"
        check(error, (TypeError, *[ValueError] * optional), came, "expect|not supported")


def no_list_of_tensors(name: str, call: Call, argument: str, value: Any) -> None:
    for bad in (None, "abc", object(), [value[0], None], [object()]):
        error = failure(call, **{argument: bad})
        if error is None:
            assert _may_be(name, call, argument, bad), f"{argument} = {bad!r} is accepted"
        else:
            check(error, (TypeError,), "expect", "NoneType|None|str|object")
    error = failure(call, **{argument: []})  # as a shape it may be right
    if error is not None:
        check(error, (TypeError, ValueError, IndexError))


def other_dtype(name: str, call: Call, argument: str, value: Any) -> None:
    """Another data type works or is refused."""
    for dtype in {"bool", "int64", "float64", "complex64"} - {dtype_name(value.dtype)}:
        if isinstance(value, Variable):
            bad = data(unique_name.generate("bad"), np.ones(value.shape, dtype))
        else:
            bad = value.astype(dtype)
        error = failure(call, **{argument: bad})
        if error is not None:
            check(error, (TypeError, ValueError), _DTYPES)


def other_shape(name: str, call: Call, argument: str, value: Any) -> None:
    """Another rank or another size works or is refused."""
    size = list(value.shape)
    for shape in (size[1:], [1, *size], [2 * n for n in size], [*size[:-1], 7], [0] * len(size)):
        array = np.ones(shape or [1], dtype_name(value.dtype))
        if isinstance(value, Variable):
            bad = data(unique_name.generate("bad"), array)
        else:
            bad = paddle.to_tensor(array)
        error = failure(call, **{argument: bad})
        if error is not None:
            check(error, (TypeError, ValueError, IndexError), _SAID)


def bad_axis(name: str, call: Call) -> None:
    for bad in (99, -99):
        error = failure(call, axis=bad)
        assert error is not None, f"axis = {bad} is accepted"
        check(error, (ValueError, IndexError), "axis", f"received {bad}", r"expected.*\d")
    for bad in ("abc", 1.5, object()):
        error = failure(call, axis=bad)
        assert error is not None, f"axis = {bad} is accepted"
        check(error, (TypeError,), "axis", type(bad).__name__)


@pytest.mark.parametrize("static", [False, True], ids=["eager", "static"])
@pytest.mark.parametrize("name", NAMES)
def test_bad_input(name: str, static: bool):
    with _mode(static):
        for call in recorded(static)[name]:
            if type(call.args.get("axis")) is int:
                bad_axis(name, call)
            for argument, value in call.args.items():
                if _is_tensor(value):
                    for probe in (no_tensor, other_dtype, other_shape):
                        probe(name, call, argument, value)
                elif _holds_tensors(value):
                    no_list_of_tensors(name, call, argument, value)


@pytest.mark.parametrize("static", [False, True], ids=["eager", "static"])
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">="])
def test_operators_of_python(symbol: str, static: bool):
    with _mode(static):
        x = data(unique_name.generate("x"), VALUES["x"]) if static else paddle.ones([4, 3])
        for bad in (None, "abc", object(), [object()]):
            for expression in (f"x {symbol} bad", f"bad {symbol} x"):
                if expression == "bad % x" and bad == "abc":
                    continue  # formats the text
                with pytest.raises(TypeError) as caught:
                    eval(expression, {"x": x, "bad": bad})
                assert type(bad).__name__ in str(caught.value)
