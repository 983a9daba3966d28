"""What to_static, save and load refuse, and how they say it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.jit import to_static
from paddle.static import InputSpec


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# -- no source ------------------------------------------------------------------------------------


def typed(name: str = "typed"):
    names: dict = {"paddle": paddle}
    exec(f"def {name}(x):\n    return x * 2 if float(x.sum()) > 0 else x\n", names)
    return names[name]


def test_without_source_it_warns_once_and_runs_as_it_is(capsys: pytest.CaptureFixture) -> None:
    func = to_static(typed())
    assert func(paddle.ones([2])).numpy().tolist() == [2, 2]
    assert func(paddle.ones([2])).numpy().tolist() == [2, 2]
    told = capsys.readouterr().err
    assert told.count("WARNING") == 1
    assert "typed" in told and "source" in told and "run as-is" in told


def test_code_and_save_of_a_function_without_source_name_it() -> None:
    func = to_static(typed(), input_spec=[InputSpec([2])])
    for use in (lambda: func.code, lambda: paddle.jit.save(func, "m"), lambda: func.main_program):
        with pytest.raises(Exception, match=r"typed.*source|source.*typed"):
            use()
    assert os.listdir() == []


def test_calling_a_function_without_source_from_converted_code() -> None:
    inner = typed("inner")

    @to_static
    def func(x):
        return inner(x) + 1

    with pytest.raises(Exception) as caught:  # float(x.sum()) needs a value: not in a Program
        func(paddle.ones([2]))
    assert str(caught.value).startswith("In transformed code:")
    assert "return inner(x) + 1" in str(caught.value)


def test_typed_into_an_interpreter() -> None:
    lines = [
        "import paddle", "@paddle.jit.to_static", "def f(x):", "    if x.sum() > 3:",
        "        x = x - 1", "    return x", "", "print(f(paddle.ones([4])).numpy())",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-i", "-q"], input="\n".join(lines) + "\n", capture_output=True,
        text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(paddle.__file__).parent.parent)},
    )  # fmt: skip
    assert "[0. 0. 0. 0.]" in done.stdout, done.stderr
    if sys.version_info < (3, 13):  # later ones keep what was typed
        assert "cannot be converted" in done.stderr and "source" in done.stderr


def test_a_c_function(capsys: pytest.CaptureFixture) -> None:
    func = to_static(math.sqrt)
    assert func(4.0) == 2.0
    told = capsys.readouterr().err
    assert "sqrt" in told and "run as-is" in told


def test_a_lambda() -> None:
    func = to_static(lambda x: x * 2 if x.sum() > 3 else x)
    assert func(paddle.ones([2])).numpy().tolist() == [1, 1]
    assert func(paddle.ones([4])).numpy().tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("wrong", [3, "f", paddle.nn.Linear, [abs]])
def test_what_is_no_function(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"to_static\(function\): expected .* but received"):
        to_static(wrong)


# -- input_spec -----------------------------------------------------------------------------------


def two(x, y):
    return x + y


def nested(pair, table):
    return pair[0] + pair[1] + table["k"]


X = InputSpec([None, 2], name="x")
Y = InputSpec([None, 2], name="y")


@pytest.mark.parametrize(
    "spec, words",
    [
        ([X], ["input_spec", "'y'", "received 1"]),
        ([], ["input_spec", "'x'", "'y'"]),
        ([X, Y, Y], ["input_spec", "at most 2", "received 3"]),
        ([X, X], ["input_spec", "'x'", "two"]),
    ],
)
def test_input_spec_of_wrong_length(spec: list, words: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        to_static(two, input_spec=spec)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("spec", [X, "x", {"x": X, "y": Y}, 3])
def test_input_spec_that_is_no_list(spec: object) -> None:
    with pytest.raises(TypeError, match=r"input_spec\): expected a list or tuple"):
        to_static(two, input_spec=spec)


@pytest.mark.parametrize(
    "spec, words",
    [
        ([X, {"k": Y}], ["pair", "a tuple of 2", "[-1, 2]"]),
        ([[X], {"k": Y}], ["pair", "list of 1", "tuple of 2"]),
        ([[X, Y], InputSpec([2])], ["table", "keys ['k']"]),
        ([[X, Y], {"other": None}], ["table", "'other'", "'k'"]),
    ],
)
def test_input_spec_of_wrong_nesting(spec: list, words: list[str]) -> None:
    func = to_static(nested, input_spec=[*spec])
    x = paddle.ones([3, 2])
    with pytest.raises(ValueError) as caught:
        func((x, x), {"k": x})
    for word in ("input_spec", *words):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "given, words",
    [
        ([3, 4], ["x", "[-1, 2]", "[3, 4]"]),
        ([2], ["x", "[-1, 2]", "[2]"]),
        ("int64", ["x", "float32", "int64"]),
        (None, ["x", "[-1, 2]", "None"]),
        (3.0, ["x", "[-1, 2]", "3.0"]),
    ],
)
def test_a_call_that_does_not_fit_input_spec(given: object, words: list[str]) -> None:
    func = to_static(two, input_spec=[X, Y])
    if isinstance(given, list):
        given = paddle.ones(given)
    elif isinstance(given, str):
        given = paddle.ones([3, 2], given)
    with pytest.raises(ValueError) as caught:
        func(given, paddle.ones([3, 2]))
    for word in ("input_spec", *words):
        assert word in str(caught.value)


def test_a_wrong_call_is_the_functions_own_type_error() -> None:
    func = to_static(two)
    with pytest.raises(TypeError, match=r"two\(\) missing 1 required positional argument: 'y'"):
        func(paddle.ones([1]))
    with pytest.raises(TypeError, match=r"two\(\) got an unexpected keyword argument 'z'"):
        func(paddle.ones([1]), paddle.ones([1]), z=1)


# -- a call that does not fit what was saved ------------------------------------------------------


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 3)

    @to_static(input_spec=[X, InputSpec([3], "int64", name="y")])
    def forward(self, x, y):
        return self.linear(x) + paddle.cast(y, "float32")


@pytest.fixture
def loaded():
    paddle.jit.save(Net(), "net")
    found = paddle.jit.load("net")
    found.eval()
    return found


def test_the_right_call(loaded) -> None:
    out = loaded(paddle.ones([5, 2]), paddle.ones([3], "int64"))
    assert out.shape == [5, 3]


@pytest.mark.parametrize(
    "args, words",
    [
        (([5, 2],), ["2", "1"]),
        (([5, 2], "y", "y"), ["2", "3"]),
        (([5, 4], "y"), ["x", "[-1, 2]", "[5, 4]"]),
        (([5], "y"), ["x", "[-1, 2]", "[5]"]),
        (([5, 2], [3]), ["y", "int64", "float32"]),
    ],
    ids=["too few", "too many", "shape", "rank", "dtype"],
)
def test_a_call_that_does_not_fit_the_file(loaded, args: tuple, words: list[str]) -> None:
    given = [paddle.ones([3], "int64") if a == "y" else paddle.ones(a) for a in args]
    with pytest.raises((ValueError, TypeError)) as caught:
        loaded(*given)
    for word in words:
        assert word in str(caught.value)


def test_a_call_with_something_else(loaded) -> None:
    with pytest.raises(TypeError, match="str"):
        loaded("x", paddle.ones([3], "int64"))
    array = loaded(np.ones([2, 2], "float32"), np.ones([3], "int64"))
    assert array.shape == [2, 3]
