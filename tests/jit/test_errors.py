"""Errors of converted code: the original class, the user's lines, nothing of the framework."""

from __future__ import annotations

import functools
import pdb
import pickle
import re
import subprocess
import sys
import textwrap
import traceback
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.jit.explaining.errors import mapped

PACKAGE = str(Path(paddle.__file__).parent)
to_static = paddle.jit.to_static


@functools.cache
def line_of(text: str) -> int:
    """The line of this file that ends with a comment ``# <text>``."""
    lines = Path(__file__).read_text().splitlines()
    found = [i for i, line in enumerate(lines, 1) if line.endswith(f"# {text}")]
    assert len(found) == 1, (text, found)
    return found[0]


def place(text: str, function: str) -> str:
    """What a message says of a line of this file."""
    number = line_of(text)
    source = Path(__file__).read_text().splitlines()[number - 1].strip()
    return f'  File "{__file__}", line {number}, in {function} (* user code *)\n    {source}'


def frames(error: BaseException) -> list[tuple[str, str]]:
    """(file, function) of a traceback, without those that wait for the call."""
    listed = traceback.extract_tb(error.__traceback__)
    return [(f.filename, f.name) for f in listed]


# -- the form of a message ---------------------------------------------------------------------


def test_whole_message() -> None:
    @to_static
    def func(x):
        y = x + 1
        return paddle.reshape(y, shape=[-1, -1])  # whole message

    with pytest.raises(ValueError) as caught:
        func(paddle.ones([3, 2]))
    text = str(caught.value)
    head = f"In transformed code:\n\n{place('whole message', 'func')}\n\n"
    assert text.startswith(head + "InvalidArgumentError: (InvalidArgument) ")
    assert PACKAGE + "/" not in text
    assert type(caught.value) is InvalidArgumentError


def test_inner_functions_are_listed_outermost_first() -> None:
    def middle(x):
        return inner(x)  # middle calls

    @to_static
    def outer(x):
        return middle(x)  # outer calls

    with pytest.raises(ValueError) as caught:
        outer(paddle.ones([2, 3]))
    text = str(caught.value)
    expected = "\n".join(
        [place("outer calls", "outer"), place("middle calls", "middle"), place("fails", "inner")]
    )
    assert text.startswith(f"In transformed code:\n\n{expected}\n\nInvalidArgumentError: ")
    assert text.count("File ") == 3


def inner(x):
    return paddle.matmul(x, x)  # fails


class Block(paddle.nn.Layer):
    def forward(self, x):
        return inner(x)  # block calls


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.block = Block()

    @to_static
    def forward(self, x):
        x = x * 2
        return self.block(x)  # net calls


def test_layers_within_layers() -> None:
    with pytest.raises(ValueError) as caught:
        Net()(paddle.ones([2, 3]))
    text = str(caught.value)
    expected = [
        place("net calls", "forward"), place("block calls", "forward"), place("fails", "inner"),
    ]  # fmt: skip
    assert text.startswith("In transformed code:\n\n" + "\n".join(expected) + "\n\nInvalidArg")


def test_a_line_in_a_branch_is_told_as_a_line_of_its_function() -> None:
    @to_static
    def func(x):
        if x.sum() > 0:
            x = paddle.matmul(x, x)  # in a branch
        return x

    with pytest.raises(ValueError) as caught:
        func(paddle.ones([2, 3]))
    text = str(caught.value)
    assert text.startswith(f"In transformed code:\n\n{place('in a branch', 'func')}\n\nInvalidArg")
    assert "true_fn" not in text


def test_a_line_in_a_loop_in_a_branch() -> None:
    @to_static
    def func(x):
        i = paddle.zeros([1], "int32")
        while i < 3:
            if x.sum() > 0:
                i = i + 1
                x = paddle.concat([x, paddle.ones([1, 7])])  # in a loop
            else:
                i = i + 2
        return x

    with pytest.raises(ValueError) as caught:
        func(paddle.ones([2, 3]))
    text = str(caught.value)
    assert text.startswith(f"In transformed code:\n\n{place('in a loop', 'func')}\n\n")
    assert re.search(r"true_fn|while_body", text) is None


def test_the_hint_is_kept() -> None:
    @to_static
    def func(x):
        raise InvalidArgumentError("expected a cat, but a dog came.", hint="ask the vet")

    with pytest.raises(InvalidArgumentError) as caught:
        func(paddle.ones([1]))
    assert str(caught.value).endswith(
        "\n\nInvalidArgumentError: (InvalidArgument) expected a cat, but a dog came.\n"
        "  [Hint: ask the vet]"
    )


def test_the_traceback_has_no_frames_between_the_call_and_the_users_lines() -> None:
    def helper(x):
        return paddle.matmul(x, x)

    @to_static
    def func(x):
        return helper(x)

    with pytest.raises(ValueError) as caught:
        func(paddle.ones([2, 3]))
    listed = frames(caught.value)
    assert listed[0] == (__file__, "test_the_traceback_has_no_frames_between_the_call_and_the_users_lines")  # fmt: skip  # noqa: E501
    assert listed[-2:] == [(__file__, "func"), (__file__, "helper")]
    # What lies between is who called the function and who raises: no converter, no operator.
    between = {Path(file).relative_to(PACKAGE).as_posix() for file, _ in listed[1:-2]}
    assert all(name.startswith("jit/") and "dy2static" not in name for name in between)
    assert len(listed) <= 8
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_what_is_printed() -> None:
    @to_static
    def func(x):
        return {}["missing"]

    with pytest.raises(KeyError) as caught:
        func(paddle.ones([1]))
    printed = "".join(traceback.format_exception(caught.value))
    assert printed.count("Traceback (most recent call last)") == 1
    assert "KeyError: In transformed code:\n" in printed
    assert printed.rstrip().endswith("KeyError: 'missing'")


# -- switches ----------------------------------------------------------------------------------


def failing(x):
    return paddle.matmul(x, x)  # failing fails


def test_disable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSLATOR_DISABLE_NEW_ERROR", "1")
    with pytest.raises(InvalidArgumentError) as caught:
        to_static(failing)(paddle.ones([2, 3]))
    assert str(caught.value).startswith("(InvalidArgument) matmul: expected the inner dimensions")
    assert any(file.endswith("record.py") for file, _ in frames(caught.value))


def test_simplify_off_shows_the_framework(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSLATOR_SIMPLIFY_NEW_ERROR", "0")
    with pytest.raises(InvalidArgumentError) as caught:
        to_static(failing)(paddle.ones([2, 3]))
    text = str(caught.value)
    assert text.startswith("In transformed code:\n")
    assert place("failing fails", "failing") in text
    framework = re.findall(r'File "([^"]+)", line \d+, in \w+\n', text)
    assert framework and all(name.startswith((PACKAGE, "<operator")) for name in framework)
    assert any(file.endswith("record.py") for file, _ in frames(caught.value))


@pytest.mark.parametrize("value", ["0", ""])
def test_disable_off(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TRANSLATOR_DISABLE_NEW_ERROR", value)
    with pytest.raises(InvalidArgumentError, match=r"^In transformed code:"):
        to_static(failing)(paddle.ones([2, 3]))


# -- classes of exceptions ---------------------------------------------------------------------


class WithCode(Exception):
    """A constructor of several arguments, none of which is the message."""

    def __init__(self, code: int, *, detail: str) -> None:
        super().__init__(code, detail)
        self.code, self.detail = code, detail


class OwnText(RuntimeError):
    """A text of its own."""

    def __init__(self, code: int) -> None:
        self.code = code

    def __str__(self) -> str:
        return f"code is {self.code}"


class Slotted(ValueError):
    """No message at all, and attributes in slots."""

    __slots__ = ("where",)

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where


def unicode_error() -> UnicodeDecodeError:
    return UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


def raises(make):
    @to_static
    def func(x):
        raise make()

    return func


CASES = [
    (lambda: ValueError("plain"), {}, "ValueError: plain"),
    (lambda: ValueError(), {}, "ValueError"),
    (lambda: ValueError("two", 2), {"args": ("two", 2)}, "ValueError: ('two', 2)"),
    (lambda: KeyError("k"), {}, "KeyError: 'k'"),
    (lambda: KeyError(("a", 1)), {"args": (("a", 1),)}, "KeyError: ('a', 1)"),
    (lambda: WithCode(3, detail="d"), {"code": 3, "detail": "d"}, "WithCode: (3, 'd')"),
    (lambda: OwnText(4), {"code": 4}, "OwnText: code is 4"),
    (lambda: Slotted("here"), {"where": "here"}, "Slotted"),
    (
        lambda: FileNotFoundError(2, "No such file", "a.txt"),
        {"errno": 2, "strerror": "No such file", "filename": "a.txt"},
        "FileNotFoundError: [Errno 2] No such file: 'a.txt'",
    ),
    (
        unicode_error,
        {"reason": "invalid start byte", "object": b"\xff"},
        "UnicodeDecodeError: 'utf",
    ),
    (
        lambda: SyntaxError("bad", ("f.py", 3, 1, "x =")),
        {"lineno": 3, "filename": "f.py"},
        "SyntaxError: bad (f.py, line 3)",
    ),
    (lambda: ImportError("no m", name="m"), {"name": "m"}, "ImportError: no m"),
    (lambda: ModuleNotFoundError("no m", name="m"), {"name": "m"}, "ModuleNotFoundError: no m"),
    (lambda: AttributeError("no a", name="a"), {"name": "a"}, "AttributeError: no a"),
]


@pytest.mark.parametrize("make, attributes, end", CASES, ids=[c[2].split(":")[0] for c in CASES])
def test_class_and_attributes_are_kept(make, attributes, end) -> None:
    kind = type(make())
    with pytest.raises(kind) as caught:
        raises(make)(paddle.ones([1]))
    error = caught.value
    assert type(error).__name__ == kind.__name__
    assert type(error).__module__ == kind.__module__
    assert str(error).startswith("In transformed code:\n\n  File ")
    assert f"\n\n{end}" in str(error)
    for name, value in attributes.items():
        assert getattr(error, name) == value, name
    again = pickle.loads(pickle.dumps(error)) if kind not in (WithCode, Slotted) else error
    assert str(again) == str(error)
    assert isinstance(again, kind)


def test_a_class_that_resists_is_left_as_it_is() -> None:
    class Frozen(Exception):
        @property
        def args(self):  # type: ignore[override]
            return ("fixed",)

        def __str__(self) -> str:
            raise RuntimeError("no text")

    error = Frozen()
    with pytest.raises(Frozen):
        with mapped():
            raise error


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, StopIteration, GeneratorExit])
def test_what_is_no_failure_passes(kind: type) -> None:
    error = kind("x")
    with pytest.raises(kind) as caught:
        with mapped():
            raise error
    assert caught.value is error
    assert error.args == ("x",)


def test_the_users_own_cause_stays() -> None:
    @to_static
    def func(x):
        try:
            {}["a"]
        except KeyError as first:
            raise ValueError("second") from first

    with pytest.raises(ValueError, match="second") as caught:
        func(paddle.ones([1]))
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.__cause__.args == ("a",)


def test_the_users_own_context_stays() -> None:
    @to_static
    def func(x):
        try:
            {}["a"]
        except KeyError:
            raise OSError(5, "second")

    with pytest.raises(OSError, match="second") as caught:
        func(paddle.ones([1]))
    assert caught.value.__cause__ is None
    assert isinstance(caught.value.__context__, KeyError)


def test_user_code_may_catch_what_user_code_raises() -> None:
    @to_static
    def func(x):
        try:
            raise ValueError("inside")
        except ValueError as error:
            assert str(error) == "inside"
            return x + 1

    np.testing.assert_array_equal(func(paddle.ones([1])).numpy(), [2.0])


def test_raise_in_a_python_branch() -> None:
    @to_static
    def func(x, mode):
        if mode == "bad":
            raise OwnText(9)  # python branch
        return x

    np.testing.assert_array_equal(func(paddle.ones([1]), "good").numpy(), [1.0])
    with pytest.raises(OwnText) as caught:
        func(paddle.ones([1]), "bad")
    assert caught.value.code == 9
    assert place("python branch", "func") in str(caught.value)


# -- nested calls: once ------------------------------------------------------------------------


def test_nested_to_static_is_told_once() -> None:
    @to_static
    def low(x):
        return paddle.matmul(x, x)  # low fails

    @to_static
    def high(x):
        y = x + 1
        return low(y)  # high calls

    with pytest.raises(InvalidArgumentError) as caught:
        high(paddle.ones([2, 3]))
    text = str(caught.value)
    assert text.count("In transformed code:") == 1
    assert text.count("InvalidArgumentError: ") == 1
    assert text.startswith(
        f"In transformed code:\n\n{place('high calls', 'high')}\n{place('low fails', 'low')}\n\n"
    )


@pytest.mark.parametrize("make", [c[0] for c in CASES], ids=[c[2].split(":")[0] for c in CASES])
def test_mapped_within_mapped(make) -> None:
    def low():
        with mapped(low):
            raise make()

    def high():
        with mapped(high):
            low()

    kind = type(make())
    with pytest.raises(kind) as caught:
        with mapped():
            high()
    text = str(caught.value)
    assert text.count("In transformed code:") == 1
    assert re.findall(r"in (\w+) \(\* user code \*\)", text) == ["high", "low"]
    assert text.split("\n\n")[-1].startswith(f"{kind.__name__}")


def test_an_eager_function_between_two_converted_ones_may_catch() -> None:
    @to_static
    def low(x):
        raise KeyError("gone")

    def eager(x):
        try:
            return low(x)
        except KeyError as error:
            assert str(error).endswith("KeyError: 'gone'")
            return x

    np.testing.assert_array_equal(eager(paddle.ones([1])).numpy(), [1.0])


# -- while running the Program -----------------------------------------------------------------


def test_a_failing_operator_is_told_with_its_line() -> None:
    @to_static(input_spec=[paddle.static.InputSpec([None, 2]), paddle.static.InputSpec([None, 2])])
    def func(x, y):
        z = x * 2
        return z + y  # runs and fails

    np.testing.assert_array_equal(func(paddle.ones([3, 2]), paddle.ones([3, 2])).numpy()[0], [3, 3])
    with pytest.raises(ValueError) as caught:
        func(paddle.ones([3, 2]), paddle.ones([4, 2]))
    text = str(caught.value)
    assert text.startswith(f"In transformed code:\n\n{place('runs and fails', 'func')}\n\n")
    assert "InvalidArgumentError: (InvalidArgument) Broadcast dimension mismatch." in text
    assert "the operator was added here" not in text  # the list has the line already
    assert caught.value.__cause__ is None


def test_a_failing_operator_in_a_branch() -> None:
    @to_static(input_spec=[paddle.static.InputSpec([None, 2]), paddle.static.InputSpec([None, 2])])
    def func(x, y):
        if paddle.sum(x) > 0:
            x = x + y  # branch fails
        else:
            x = x - 1
        return x

    func(paddle.full([3, 2], -1.0), paddle.ones([4, 2]))
    with pytest.raises(ValueError) as caught:
        func(paddle.ones([3, 2]), paddle.ones([4, 2]))
    text = str(caught.value)
    assert text.startswith(f"In transformed code:\n\n{place('branch fails', 'func')}\n\nInvalidArg")


def test_a_failing_operator_in_inner_functions() -> None:
    def middle(x, y):
        pick = x if x.shape[1] == 2 and paddle.sum(x) > -100 else add(x, y)  # middle picks
        return add(pick, y)  # middle runs

    def add(x, y):
        return x + y  # add runs

    @to_static(input_spec=[paddle.static.InputSpec([None, 2]), paddle.static.InputSpec([None, 2])])
    def func(x, y):
        if paddle.sum(x) > 0:
            x = middle(x, y)  # func runs
        return x

    with pytest.raises(ValueError) as caught:
        func(paddle.ones([3, 2]), paddle.ones([4, 2]))
    expected = [
        place("func runs", "func"), place("middle runs", "middle"), place("add runs", "add"),
    ]  # fmt: skip
    listed = "\n".join(expected)
    assert str(caught.value).startswith(f"In transformed code:\n\n{listed}\n\nInvalidArg")


def test_assert_on_a_tensor() -> None:
    @to_static
    def func(x):
        assert paddle.max(x) < 5, "too large"  # assertion
        return x

    func(paddle.ones([2]))
    with pytest.raises(Exception) as caught:
        func(paddle.full([2], 7.0))
    text = str(caught.value)
    assert text.startswith(f"In transformed code:\n\n{place('assertion', 'func')}\n\n")


def test_running_with_the_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    @to_static(input_spec=[paddle.static.InputSpec([None, 2]), paddle.static.InputSpec([None, 2])])
    def func(x, y):
        return x + y  # switched

    x, y = paddle.ones([3, 2]), paddle.ones([4, 2])
    monkeypatch.setenv("TRANSLATOR_DISABLE_NEW_ERROR", "1")
    with pytest.raises(ValueError) as caught:
        func(x, y)
    text = str(caught.value)
    assert text.startswith("(InvalidArgument) Broadcast")
    assert f'File "{__file__}", line {line_of("switched")}, in func' in text
    monkeypatch.setenv("TRANSLATOR_DISABLE_NEW_ERROR", "0")
    monkeypatch.setenv("TRANSLATOR_SIMPLIFY_NEW_ERROR", "0")
    with pytest.raises(ValueError) as caught:
        func(x, y)
    assert place("switched", "func") in str(caught.value)
    assert "program_call.py" in str(caught.value)


# -- where no source or no converted code is ---------------------------------------------------


def test_without_a_source_file_the_place_is_still_named() -> None:
    names: dict = {"paddle": paddle}
    exec(compile("def f(x):\n    return paddle.matmul(x, x)\n", "<typed>", "exec"), names)
    with pytest.raises(InvalidArgumentError) as caught:
        with mapped(names["f"]):
            names["f"](paddle.ones([2, 3]))
    assert '  File "<typed>", line 2, in f (* user code *)\n\n' in str(caught.value)


def test_layers_of_this_package_count_as_user_code_if_they_are_what_is_called() -> None:
    with pytest.raises(ValueError) as caught:
        with mapped(paddle.nn.functional.linear):
            paddle.nn.functional.linear(paddle.ones([2, 3]), paddle.ones([2, 3]))
    assert re.search(r"in linear \(\* user code \*\)", str(caught.value))


def test_a_branch_in_a_layer_of_this_package() -> None:
    net = to_static(paddle.vision.models.LeNet())
    with pytest.raises(ValueError) as caught:
        net(paddle.ones([1, 1, 20, 20]))
    assert re.search(
        r'^In transformed code:\n\n  File ".*lenet.py", line \d+, in forward \(\* user code \*\)\n'
        r"    x = self\.fc\(",
        str(caught.value),
    )


# -- breakpoints -------------------------------------------------------------------------------


def test_breakpoint_stops_at_the_users_line(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def hook(*args, **kwargs):
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        seen.append(sorted(k for k in frame.f_locals if k in ("x", "y")))

    monkeypatch.setattr(sys, "breakpointhook", hook)

    @to_static
    def func(x):
        y = x + 1
        breakpoint()  # stop here
        if y.sum() > 3:
            y = y - 1
        return y

    func(paddle.ones([3]))
    assert seen[0] == (__file__, line_of("stop here"), "func")
    assert seen[1] == ["x", "y"]


def test_breakpoint_in_a_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(
        sys, "breakpointhook", lambda: seen.append((sys._getframe(1).f_lineno, __file__))
    )

    @to_static
    def func(x):
        if x.sum() > 3:
            breakpoint()  # stop in branch
            x = x - 1
        return x

    func(paddle.ones([3]))
    assert seen == [(line_of("stop in branch"), __file__)]


def test_pdb_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(pdb.Pdb, "set_trace", lambda self, frame=None, **kw: seen.append(frame))

    @to_static
    def func(x):
        pdb.set_trace()  # pdb here
        return x + 1

    func(paddle.ones([3]))
    assert [(f.f_code.co_filename, f.f_code.co_name) for f in seen] == [(__file__, "func")]


@pytest.mark.slow
def test_pdb_driven_by_its_input(tmp_path: Path) -> None:
    script = tmp_path / "stops.py"
    script.write_text(
        textwrap.dedent("""\
        import pdb
        import paddle

        @paddle.jit.to_static
        def func(x):
            x = paddle.to_tensor(x)
            pdb.set_trace()
            if x > 3:
                x = x - 1
            return x

        print("result", func(paddle.full([1], 9.0)).numpy())
        """)
    )
    commands = "p type(x).__name__\nw\nn\np 6 * 7\nc\n"
    done = subprocess.run(
        [sys.executable, str(script)], input=commands, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert re.search(re.escape(str(script)) + r"\(\d\)func\(\)", done.stdout)
    assert "'Variable'" in done.stdout
    assert "42" in done.stdout
    assert "result [8.]" in done.stdout
