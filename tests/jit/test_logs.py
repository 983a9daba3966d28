"""set_verbosity and set_code_level: what is written, where, and in which form."""

from __future__ import annotations

import re

import pytest

import paddle
from paddle.jit import set_code_level, set_verbosity, to_static
from paddle.jit.explaining import logs

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"
INFO = f"{TIME} Dynamic-to-Static INFO: "


class Transformed:
    code = "def func(x):\n    return x\n"
    steps = {"FirstTransform": "first code", "SecondTransform": "second code"}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.delenv(logs.CODE_LEVEL, raising=False)
    monkeypatch.delenv(logs.VERBOSITY, raising=False)
    yield
    logs.Settings.verbosity = logs.Settings.code_level = None
    logs.Settings.both = dict.fromkeys(logs.Settings.both, False)


def func(x):
    x = paddle.to_tensor(x)
    if x > 3:
        x = x - 1
    return x


def test_nothing_by_default(capsys):
    logs.log(1, "text")
    logs.log_transformed(Transformed)
    to_static(func).code
    assert capsys.readouterr() == ("", "")


def test_code_level_of_a_function(capsys):
    set_code_level()
    static = to_static(func)
    code = static.code
    out, err = capsys.readouterr()
    head = f"{INFO}After the level 100 ast transformer: 'All Transformers', the transformed code:\n"
    assert out == ""
    assert re.match(head + re.escape(code.rstrip("\n")), err)
    assert static.code == code
    assert capsys.readouterr().err == ""  # converted once, told once


def test_code_level_of_one_transform(capsys):
    set_code_level(2)
    logs.log_transformed(Transformed)
    text = (
        "After the level 2 ast transformer: 'SecondTransform', the transformed code:\nsecond code"
    )
    assert text in capsys.readouterr().err
    set_code_level(3)  # there is no third
    logs.log_transformed(Transformed)
    text = "After the level 3 ast transformer: 'All Transformers', the transformed code:\ndef func"
    assert text in capsys.readouterr().err
    set_code_level(0)
    logs.log_transformed(Transformed)
    assert capsys.readouterr().err == ""


def test_also_to_stdout(capsys):
    set_code_level(100, also_to_stdout=True)
    logs.log_transformed(Transformed)
    logs.log(1, "not told")
    set_verbosity(1, True)
    logs.log(1, "told")
    out, err = capsys.readouterr()
    assert "def func(x):" in out and "def func(x):" in err
    assert re.search(f"{INFO}\\(Level 1\\) told\n", out) and "(Level 1) told" in err
    assert "not told" not in out + err
    set_verbosity(1)
    logs.log(1, "again")
    out, err = capsys.readouterr()
    assert out == "" and "again" in err


def test_environment(monkeypatch, capsys):
    monkeypatch.setenv("TRANSLATOR_CODE_LEVEL", "100")
    monkeypatch.setenv("TRANSLATOR_VERBOSITY", "2")
    assert (logs.code_level(), logs.verbosity()) == (100, 2)
    set_code_level(0)
    set_verbosity(0)
    assert (logs.code_level(), logs.verbosity()) == (0, 0)
    set_code_level(None)
    set_verbosity(None)
    assert (logs.code_level(), logs.verbosity()) == (100, 2)
    monkeypatch.setenv("TRANSLATOR_VERBOSITY", "much")
    with pytest.raises(ValueError, match=r"TRANSLATOR_VERBOSITY: expected an integer, got 'much'"):
        logs.verbosity()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("level", "told"), [(0, ""), (1, "1"), (2, "12"), (3, "123")])
def test_verbosity(level, told, capsys):
    set_verbosity(level)
    for i in (1, 2, 3):
        logs.log(i, lambda i=i: f"text {i}")
    err = capsys.readouterr().err
    assert re.findall(r"\(Level \d\) text (\d)", err) == list(told)


def test_source_and_callables_of_a_function(capsys):
    set_verbosity(1)
    to_static(func).code
    logs.log_callable(len)
    err = capsys.readouterr().err
    source = "(Level 1) Source code:\ndef func(x):\n    x = paddle.to_tensor(x)\n    if x > 3:"
    assert re.match(INFO, err) and source in err
    assert "(Level 1) Convert callable object: convert <built-in function len>." in err


def test_warning_has_its_own_form(capsys):
    logs.warn("as it is")
    assert re.fullmatch(f"{TIME}-WARNING: as it is\n", capsys.readouterr().err)


@pytest.mark.parametrize("api", [set_verbosity, set_code_level])
def test_wrong_arguments(api):
    name = api.__name__
    with pytest.raises(TypeError, match=rf"{name}\(level\): expected an int.*'3'"):
        api("3")
    with pytest.raises(TypeError, match=rf"{name}\(level\): expected an int.*True"):
        api(True)
    with pytest.raises(ValueError, match=rf"{name}\(level\): expected .* at least 0.*-1"):
        api(-1)
    with pytest.raises(TypeError, match=rf"{name}\(also_to_stdout\): expected a bool.*1"):
        api(1, also_to_stdout=1)
