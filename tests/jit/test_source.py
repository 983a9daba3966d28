"""source.transform: what it finds, what it keeps of the original, and what it refuses."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import linecache
import sys
import textwrap
import traceback
import types
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.jit.rewriting import source
from paddle.jit.rewriting.source import NotConvertible, is_transformed, transform

HERE = Path(__file__).name


def line_of(function, text):
    """The line of this file, inside of a function, that has some text."""
    lines, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(lines) if text in line)


def load(tmp_path, text, name="made_module"):
    """Imports a module with some text."""
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, path


# -- the guide's example -----------------------------------------------------------------------


def test_code_of_the_guide():
    def func(x):
        x = paddle.to_tensor(x)
        if x > 3:
            x = x - 1
        return x

    lines = [line for line in transform(func).code.splitlines() if line.strip()]
    assert lines == [
        "def func(x):",
        "    x = paddle.nn.functional.assign(x)",
        "    def true_fn_0(x):",
        "        x = x - 1",
        "        return x",
        "    def false_fn_0(x):",
        "        return x",
        "    x = paddle.jit.dy2static.convert_ifelse("
        "x > 3, true_fn_0, false_fn_0, (x,), (x,), (x,))",
        "    return x",
    ]


def test_steps_show_every_transform():
    def func(x):
        if x > 3:
            return x - 1
        return -x

    steps = transform(func).steps
    from paddle.jit.transforms import TRANSFORMS

    assert list(steps) == [name for name, _ in TRANSFORMS]
    assert "return_value_0 = x - 1" in steps["EarlyReturn"]
    assert "convert_ifelse" not in steps["EarlyReturn"]
    assert "convert_ifelse" in steps["IfElse"]
    assert list(steps.values())[-1] == transform(func).code


# -- what stays ----------------------------------------------------------------------------------


def decorated_defaults(a, /, b: int = 2, *args: str, c, d=[], **kwargs) -> list:  # noqa: B006
    """The documentation."""
    if b > 1:
        a = b
    return [a, b, args, c, d, kwargs]


def test_signature_and_attributes_stay():
    decorated_defaults.note = "mine"
    made = transform(decorated_defaults).function
    assert inspect.signature(made) == inspect.signature(decorated_defaults)
    assert (
        made.__defaults__[0] == 2
        and made.__kwdefaults__["d"] is decorated_defaults.__kwdefaults__["d"]
    )
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "note"):
        assert getattr(made, name) == getattr(decorated_defaults, name)
    assert made(1, c=3, e=4) == [2, 2, (), 3, [], {"e": 4}]
    assert made(1, 0, 5, c=3) == [1, 0, (5,), 3, [], {}]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        made(a=1, c=2)
    assert made.__globals__ is globals()
    assert made.__already_transformed__ and is_transformed(made)
    assert not is_transformed(decorated_defaults)


def test_cells_are_shared():
    count = 0

    def step(by):
        nonlocal count
        if by > 0:
            count += by
        return count

    def read():
        return count

    made = transform(step).function
    assert made(3) == 3 and read() == 3 and step(1) == 4
    count = 10
    assert made(0) == 10
    shared = {id(c) for c in made.__closure__}
    assert {id(c) for c in step.__closure__} <= shared


def test_cell_filled_later():
    def outer():
        def even(n):
            return True if n == 0 else odd(n - 1)

        made = transform(even).function

        def odd(n):
            return False if n == 0 else even(n - 1)

        return made

    assert outer()(10) is True and outer()(7) is False


def test_closures_of_one_code_do_not_mix():
    def scale(by):
        def run(x):
            if x > 0:
                x = x * by
            return x

        return run

    two, three = transform(scale(2)), transform(scale(3))
    assert two.function.__code__ is three.function.__code__
    assert (two.function(5), three.function(5)) == (10, 15)


def test_name_defined_later(tmp_path):
    module, _ = load(
        tmp_path,
        """
        def first(n):
            if n > 1:
                return second(n)
            return n
        """,
    )
    made = transform(module.first).function
    with pytest.raises(NameError, match="second"):
        made(2)
    module.second = lambda n: n * 100
    assert made(2) == 200


def test_future_annotations_and_other_name_of_paddle(tmp_path):
    module, _ = load(
        tmp_path,
        """
        from __future__ import annotations
        import paddle as pd
        paddle = "a text of the user"

        def run(x: Undefined) -> Nothing:
            def inner(y: AlsoUndefined):
                return y
            if x.sum() > 0:
                x = inner(x) + 1
            return pd.to_tensor(x), paddle
        """,
    )
    made = transform(module.run)
    out, text = made.function(paddle.ones([2]))
    np.testing.assert_array_equal(out.numpy(), [2, 2])
    assert text == "a text of the user"
    assert "_paddle.jit.dy2static.convert_ifelse" in made.code


def test_function_without_paddle_in_its_module(tmp_path):
    module, _ = load(tmp_path, "def f(x):\n    if x > 1:\n        x = 5\n    return x\n")
    made = transform(module.f)
    assert made.function(2) == 5 and not hasattr(module, "paddle")
    assert "x = paddle.jit.dy2static.convert_ifelse(" in made.code


# -- methods -------------------------------------------------------------------------------------


class Base:
    def __init__(self, start):
        self.__hidden = start
        self.h = start

    def step(self, x):
        if x > 0:
            self.__hidden += x
        return self.__hidden

    @classmethod
    def make(cls, x):
        return cls(x if x > 0 else 1)

    @staticmethod
    def double(x):
        while x < 10:
            x *= 2
        return x


class Derived(Base):
    def step(self, x):
        if x > 1 and x < 100:
            y = super().step(x) + 1
            self.h = y
        else:
            y = [super().step(x) for _ in range(1)][0] if sys.version_info >= (3, 12) else -1
        return y, __class__


def test_methods():
    made = transform(Base.step)
    assert made.function(Base(1), 2) == 3
    base = Base(5)
    bound = transform(base.step)
    assert bound.function(1) == 6 and bound.function.__self__ is base
    assert base._Base__hidden == 6 and "self.__hidden" in bound.code


def test_super_and_class_cell():
    made = transform(Derived.step).function
    derived = Derived(1)
    assert made(derived, 2) == (4, Derived) and derived.h == 4
    assert (
        made.__closure__[made.__code__.co_freevars.index("__class__")]
        is Derived.step.__closure__[0]
    )


def test_classmethod_and_staticmethod():
    assert transform(Base.make).function(3).h == 3
    assert transform(vars(Base)["make"]).function(Base, -3).h == 1
    assert transform(Base.double).function(3) == 12
    assert transform(vars(Base)["double"]).function(1) == 16


# -- decorators ----------------------------------------------------------------------------------


def announced(function):
    @functools.wraps(function)
    def wrapper(*args):
        calls.append(function.__name__)
        result = function(*args)
        if result > 5:
            result = 5
        return result

    return wrapper


calls: list = []


@announced
@announced
def limited(x):
    if x > 1:
        x = x * 10
    return x


def test_innermost_function_is_converted_and_wrappers_stay():
    made = transform(limited)
    calls.clear()
    assert made.function(3) == 5 and made.function(0) == 0
    assert calls == ["limited"] * 4
    assert made.code.startswith("def limited(x):\n") and "wrapper" not in made.code
    assert made.function.__name__ == "limited" and made.original is limited


def test_wrapper_of_paddle():
    @paddle.no_grad()
    def double(x):
        if x.sum() > 0:
            x = x * 2
        return x

    x = paddle.ones([2])
    x.stop_gradient = False
    made = transform(double)
    assert "convert_ifelse" in made.code
    out = made.function(x)
    assert out.stop_gradient
    np.testing.assert_array_equal(out.numpy(), [2, 2])


def test_decorator_that_converts_is_stripped_inside():
    def outer(x):
        @paddle.jit.to_static
        def inner(y):
            if y > 0:
                y = y + 1
            return y

        @paddle.jit.not_to_static
        def kept(y):
            if y > 0:
                y = y - 1
            return y

        return inner(x), kept(x)

    made = transform(outer)
    assert made.function(1) == (2, 0)
    assert "to_static\n    def inner" not in made.code
    assert "@paddle.jit.not_to_static" in made.code
    assert made.code.count("convert_ifelse") == 1


# -- lambdas -------------------------------------------------------------------------------------


def test_lambda():
    made = transform(lambda x: x + 1 if x > 1 else -x)
    assert made.function(2) == 3 and made.function(1) == -1
    assert made.code.replace("lambda :", "lambda:") == (
        "lambda x: paddle.jit.dy2static.convert_ifelse("
        "x > 1, lambda: x + 1, lambda: -x, (), (), ())"
    )


def test_lambdas_of_one_line():
    three = [lambda x: x + 1, lambda x: x - 1, lambda x, y: x or y]
    assert [transform(f).code.replace("lambda :", "lambda:") for f in three] == [
        "lambda x: x + 1",
        "lambda x: x - 1",
        "lambda x, y: paddle.jit.dy2static.convert_logical_or(lambda: x, lambda: y)",
    ]
    outer = lambda x: lambda y: y * x
    assert transform(outer(3)).function(5) == 15


def test_lambda_over_lines():
    f = (
        lambda x, y=2: x
        if x > y
        else y
    )  # fmt: skip
    assert transform(f).function(1) == 2


# -- lines of the user ---------------------------------------------------------------------------


def failing(x):
    if x > 0:
        for i in range(x):
            while i < 10:
                i += 1
                if i == 3:
                    raise KeyError("here")  # the line
    return x


def test_traceback_names_file_and_line():
    with pytest.raises(KeyError) as caught:
        transform(failing).function(1)
    frames = traceback.extract_tb(caught.value.__traceback__)
    ours = [
        f
        for f in frames
        if Path(f.filename).name == HERE and f.name != "test_traceback_names_file_and_line"
    ]
    assert ours[-1].lineno == line_of(failing, "# the line")
    assert ours[-1].line == 'raise KeyError("here")  # the line'
    lines, start = inspect.getsourcelines(failing)
    assert {f.lineno for f in ours} <= set(range(start, start + len(lines)))
    assert ours[0].name == "failing" and ours[0].lineno == line_of(failing, "if x > 0")


def stepping(x):
    y = 0
    if x > 1:
        y = 5  # branch
    else:
        y = 6  # other
    for i in range(2):
        y += i  # body
    return y  # end


def test_trace_hook_sees_the_lines():
    made = transform(stepping).function
    seen = []

    def hook(frame, event, arg):
        if Path(frame.f_code.co_filename).name != HERE:
            return None
        if event == "line":
            seen.append(frame.f_lineno)
        return hook

    before = sys.gettrace()
    sys.settrace(hook)
    try:
        made(2)
    finally:
        sys.settrace(before)
    lines, start = inspect.getsourcelines(stepping)
    assert set(seen) <= set(range(start, start + len(lines)))
    for text in ("y = 0", "if x > 1", "# branch", "for i", "# body", "# end"):
        assert line_of(stepping, text) in seen, text
    assert line_of(stepping, "# other") not in seen
    assert seen.count(line_of(stepping, "# body")) == 2


def test_every_node_lies_in_the_function():
    code = transform(failing).function.__code__
    lines, start = inspect.getsourcelines(failing)
    todo, places = [code], set()
    while todo:
        one = todo.pop()
        places |= {line for _, _, line in one.co_lines() if line}
        todo += [c for c in one.co_consts if isinstance(c, types.CodeType)]
        assert one.co_filename == failing.__code__.co_filename
    assert places <= set(range(start, start + len(lines)))


# -- nested functions ----------------------------------------------------------------------------


def test_nested_functions_count_as_converted():
    def outer():
        def inner(x):
            if x > 0:
                x = x + 1
            return x

        return inner, lambda x: x

    inner, plain = transform(outer).function()
    assert is_transformed(inner) and is_transformed(plain)
    assert transform(inner).function is inner
    assert inner.__qualname__.endswith("outer.<locals>.inner")
    assert inner(1) == 2


def test_transformed_function_stays():
    made = transform(failing).function
    assert transform(made).function is made


# -- refusals ------------------------------------------------------------------------------------


def generator(n):
    for i in range(n):
        yield i * 2  # here


async def coroutine():
    return 1


def swallowing(x):
    for _ in range(3):
        try:
            x += 1
        finally:
            break  # noqa: B012
    return x


@pytest.mark.parametrize(
    "function, reason",
    [
        (generator, r"a generator function \(yield on line \d+\)"),
        (coroutine, "an async function"),
        (swallowing, r"line \d+: return, break or continue inside of finally"),
        (len, "is no Python function: it is written in C"),
        (str.upper, "it is written in C"),
        (Base, "it is a class"),
        (functools.partial(failing, 1), "it is a partial"),
        (3, "it is a int"),
    ],
)
def test_refused(function, reason):
    with pytest.raises(NotConvertible, match=reason) as caught:
        transform(function)
    assert caught.value.reason == str(caught.value)


def test_function_of_exec():
    space: dict = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(NotConvertible, match=r"exec, eval or an interactive session \(<string>\)"):
        transform(space["f"])


def test_source_known_to_linecache_only():
    text = "def f(x):\n    if x > 1:\n        x = 2\n    return x\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    space: dict = {}
    exec(compile(text, "<cell 1>", "exec"), space)
    assert transform(space["f"]).function(5) == 2


def test_missing_file(tmp_path):
    module, path = load(tmp_path, "def f(x):\n    return x\n", "removed_module")
    path.unlink()
    with pytest.raises(NotConvertible, match=r"the file .*removed_module.py does not exist"):
        transform(module.f)


@pytest.mark.parametrize(
    "now",
    [
        "def f(x):\n    return x + 2\n",
        "def f(y):\n    return y + 1\n",
        "def g(x):\n    return x + 1\n",
        "# a comment\ndef f(x):\n    return x + 1\n",
        "def f(x:\n",
    ],
)
def test_changed_file(tmp_path, now):
    module, path = load(tmp_path, "def f(x):\n    return x + 1\n", "changed_module")
    path.write_text(now)
    with pytest.raises(NotConvertible, match=r"was changed after|is not the file that was loaded"):
        transform(module.f)


def test_changed_elsewhere_in_the_file(tmp_path):
    text = "def f(x):\n    return x + 1 if x > 1 else 0\n"
    module, path = load(tmp_path, text + "y = 1\n", "grown_module")
    path.write_text(text + "y = 2\nz = 3\n")
    assert transform(module.f).function(2) == 3


def test_lambdas_that_look_alike():
    pair = [lambda x: x + 1, lambda x: x + 1]
    assert transform(pair[1]).function(1) == 2


def test_source_module_names():
    assert source.NotConvertible is NotConvertible
    assert issubclass(NotConvertible, Exception)
