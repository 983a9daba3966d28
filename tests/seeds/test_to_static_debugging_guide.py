"""Guide, 4.5 and 4.6 on ``to_static``: errors and debugging; the examples run as printed.

4.5.1   test_a_function_converted_twice_warns
4.5.2   test_fails_while_building, test_fails_while_running
4.6     test_conversion_off
4.6.1   test_debugger, test_debugger_on_the_original
4.6.2   test_code, test_set_code_level
4.6.3   test_print
4.6.4   test_set_verbosity
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.jit.explaining import logs
from tests.seeds.printed import output


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    paddle.jit.ProgramTranslator().enable(True)
    assert paddle.in_dynamic_mode()


def script(text: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess:
    """Runs a text as a script of its own: what goes to stderr, and what a debugger shows."""
    Path("script.py").write_text(text)
    return subprocess.run(
        [sys.executable, "script.py"], input=typed, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(paddle.__file__).parent.parent), **environment},
    )  # fmt: skip


def without_blanks(code: str) -> str:
    return "\n".join(line.rstrip() for line in code.splitlines() if line.strip())


# -- 4.5.1 ----------------------------------------------------------------------------------------


def test_a_function_converted_twice_warns(capsys: pytest.CaptureFixture) -> None:
    @paddle.jit.to_static
    def func():
        def inner_func(x):
            x_tensor = paddle.to_tensor(x)
            return x_tensor

        data = np.ones([3]).astype("int32")
        x = inner_func(data)
        return x  # fmt: skip

    out = func()

    assert (out.dtype, out.numpy().tolist()) == (paddle.int32, [1, 1, 1])
    told = capsys.readouterr().err
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}-WARNING: <function .*inner_func at 0x[0-9a-f]+> "
        r"doesn't have to be transformed to static function because it has been transformed "
        r"before, it will be run as-is\.\n",
        told,
    ), told


# -- 4.5.2 ----------------------------------------------------------------------------------------

BUILDING = """\
import paddle
import numpy as np

@paddle.jit.to_static
def func(x):
    x = paddle.to_tensor(x)
    x = paddle.reshape(x, shape=[-1, -1])
    return x

func(np.ones([3, 2]))
"""


def test_fails_while_building() -> None:
    done = script(BUILDING)
    assert done.returncode == 1
    # The guide's release called it AssertionError; ours is a ValueError as for any argument.
    assert re.search(r"^paddle\S*InvalidArgumentError: In transformed code:$", done.stderr, re.M)
    told = done.stderr.split("In transformed code:\n")[1]
    assert told.startswith(
        f'\n  File "{Path.cwd() / "script.py"}", line 7, in func (* user code *)\n'
        "    x = paddle.reshape(x, shape=[-1, -1])\n"
    ) or told.startswith(
        '\n  File "script.py", line 7, in func (* user code *)\n'
        "    x = paddle.reshape(x, shape=[-1, -1])\n"
    )
    assert "\n\nInvalidArgumentError: (InvalidArgument) reshape: at most one dimension of shape " in told  # noqa: E501  # fmt: skip
    assert "[-1, -1]" in told.split("InvalidArgumentError")[1]
    # 涉及代码转换过程的信息栈默认会被隐藏
    for hidden in ("dy2static", "paddle/ir/", "paddle/core/", "paddle/tensor/"):
        assert hidden not in done.stderr.replace("paddle.core", "")


def test_fails_while_building_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSLATOR_DISABLE_NEW_ERROR", "1")

    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)
        x = paddle.reshape(x, shape=[-1, -1])
        return x

    with pytest.raises(ValueError) as caught:
        func(np.ones([3, 2]))
    assert str(caught.value).startswith("(InvalidArgument) reshape: at most one dimension of shape")
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert any(name.endswith("paddle/jit/calls/concrete_program.py") for name in files), files


def test_fails_while_running() -> None:
    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)
        two = paddle.full(shape=[1], fill_value=2, dtype="int32")
        x = paddle.reshape(x, shape=[1, two])
        return x

    with pytest.raises(ValueError) as caught:
        func(np.ones([3]).astype("int32"))
    text = str(caught.value)
    assert text.startswith(f'In transformed code:\n\n  File "{__file__}", line ')
    assert "in func (* user code *)\n    x = paddle.reshape(x, shape=[1, two])\n\n" in text
    told = text.split("\n\n")[-1]
    assert told.startswith("InvalidArgumentError: (InvalidArgument) reshape: ")
    assert "[3]" in told and "[1, 2]" in told
    assert "[operator < reshape2 > error]" in told
    assert "plan" not in text

    assert func(np.ones([2]).astype("int32")).numpy().tolist() == [[1, 1]]


# -- 4.6 ------------------------------------------------------------------------------------------


def test_conversion_off() -> None:
    # 关闭动转静动能
    paddle.jit.ProgramTranslator().enable(False)
    seen = []

    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)
        seen.append(type(x).__name__)
        if x > 3:
            x = x - 1
        return x

    # Printed with np.ones([3, 2]), whose condition has six elements.
    for on in (False, True):
        paddle.jit.ProgramTranslator().enable(on)
        with pytest.raises(ValueError, match=r"one element.*\[3, 2\]|\[3, 2\].*one element"):
            func(np.ones([3, 2]))
    paddle.jit.ProgramTranslator().enable(False)
    seen.clear()
    assert func(np.full([1], 5.0)).numpy().tolist() == [4.0]
    assert func(np.ones([1])).numpy().tolist() == [1.0]
    assert seen == ["Tensor", "Tensor"]


PDB = """\
import pdb
import paddle
import numpy as np

@paddle.jit.to_static
def func(x):
    x = paddle.to_tensor(x)
    pdb.set_trace()
    if x > 3:
        x = x - 1
    return x
"""


def test_debugger() -> None:
    done = script(PDB + "\nfunc(np.ones([3, 2]))\n", typed="w\nn\np x.shape\nq\n")
    # 执行以下代码，将会在转化后的静态图代码中使用调试器
    assert re.search(r"script\.py\(\d+\)func\(\)\n-> ", done.stdout), done.stdout + done.stderr
    assert "(Pdb) " in done.stdout
    assert re.search(r"[(\[]3, 2[)\]]", done.stdout)


def test_debugger_on_the_original() -> None:
    text = PDB + "\npaddle.jit.ProgramTranslator().enable(False)\nfunc(np.ones([1]))\n"
    done = script(text, typed="p x.numpy()\nc\n")
    assert done.returncode == 0, done.stderr
    stopped = re.search(r"> \S*script\.py\((\d+)\)func\(\)\n-> (.*)", done.stdout)
    assert stopped is not None, done.stdout
    if sys.version_info < (3, 13):  # 3.13 stops at the call itself
        assert stopped.groups() == ("9", "if x > 3:")
    assert "array([1.])" in done.stdout


CODE = """\
def func(x):
    x = paddle.nn.functional.assign(x)
    def true_fn_0(x):
        x = x - 1
        return x
    def false_fn_0(x):
        return x
    x = paddle.jit.dy2static.convert_ifelse(x > 3, true_fn_0, false_fn_0, (x,), (x,), (x,))
    return x"""


def test_code() -> None:
    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)
        if x > 3:
            x = x - 1
        return x

    with output() as out:
        print(func.code)

    assert without_blanks(out.text) == CODE


TOLD = re.compile(
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} Dynamic-to-Static INFO: After the level 100 ast "
    r"transformer: 'All Transformers', the transformed code:\n+",
    re.M,
)


@pytest.fixture
def fresh_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither set_code_level nor set_verbosity was called yet."""
    monkeypatch.setattr(logs.Settings, "code_level", None)
    monkeypatch.setattr(logs.Settings, "verbosity", None)
    monkeypatch.setattr(logs.Settings, "both", {logs.CODE_LEVEL: False, logs.VERBOSITY: False})


@pytest.mark.parametrize("how", ["call", "environment", "also_to_stdout"])
def test_set_code_level(
    how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, fresh_levels: None
) -> None:
    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)
        if x > 3:
            x = x - 1
        return x

    if how == "call":
        paddle.jit.set_code_level()  # 也可设置 os.environ["TRANSLATOR_CODE_LEVEL"] = '100'，效果相同  # fmt: skip  # noqa: E501
    elif how == "environment":
        monkeypatch.setenv("TRANSLATOR_CODE_LEVEL", "100")
    else:
        paddle.jit.set_code_level(100, also_to_stdout=True)
    func(np.ones([1]))

    out = capsys.readouterr()
    for text in [out.err, out.out] if how == "also_to_stdout" else [out.err]:
        told = TOLD.split(text)
        assert len(told) == 2, text
        assert without_blanks(told[1]) == CODE
    if how != "also_to_stdout":
        assert out.out == ""


# -- 4.6.3 ----------------------------------------------------------------------------------------


def test_print(capsys: pytest.CaptureFixture) -> None:
    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)

        # 打印 x，x 是 Paddle Tensor，实际运行时会运行 Paddle Print(x)
        print(x)

        # 打印注释，非 Paddle Tensor，实际运行时仍运行 print
        print("Here call print function.")

        if len(x) > 3:
            x = x - 1
        else:
            x = paddle.ones(shape=[1])
        return x

    func(np.ones([1]))

    told = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert told.count("Here call print function.") == 1
    told.remove("Here call print function.")  # while recording; the operator runs afterwards
    assert told == [
        "Variable: assign_0.tmp_0",
        "- lod: {}",
        "- place: CPUPlace",
        "- shape: [1]",
        "- layout: NCHW",
        "- dtype: double",
        "- data: [1]",
    ]
    func(np.full([1], 2.0))  # the Program prints at each run
    assert "- data: [2]" in capsys.readouterr().out


# -- 4.6.4 ----------------------------------------------------------------------------------------

STAMP = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} Dynamic-to-Static INFO: "
SOURCE = """\
    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)
        if len(x) > 3:
            x = x - 1
        else:
            x = paddle.ones(shape=[1])
        return x
"""


@pytest.mark.parametrize("how", ["call", "environment", "level 1", "level 0"])
def test_set_verbosity(
    how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, fresh_levels: None
) -> None:
    if how == "call":
        paddle.jit.set_verbosity(3)
    elif how == "environment":
        monkeypatch.setenv("TRANSLATOR_VERBOSITY", '3')  # fmt: skip
    else:
        paddle.jit.set_verbosity(int(how[-1]))

    @paddle.jit.to_static
    def func(x):
        x = paddle.to_tensor(x)
        if len(x) > 3:
            x = x - 1
        else:
            x = paddle.ones(shape=[1])
        return x

    func(np.ones([1]))

    out = capsys.readouterr()
    assert out.out == ""
    if how == "level 0":
        assert out.err == ""
        return
    found = re.search(STAMP + r"\(Level 1\) Source code:\s*\n", out.err, re.M)
    assert found is not None, out.err
    told = textwrap.dedent(without_blanks(out.err[found.end() :]))
    assert told.startswith(without_blanks(textwrap.dedent(SOURCE)))
    assert re.search(
        STAMP + r"\(Level 1\) Convert callable object: convert <built-in function len>\.$",
        out.err,
        re.M,
    )
    assert ("(Level 2)" in out.err) == (how != "level 1")
