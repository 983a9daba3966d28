"""Packages run their __init__ when a name of theirs is first asked for, once, in any thread."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import paddle
from paddle._packages import Package

NAME = "paddle.made_up"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that is found as paddle.made_up."""
    folder = tmp_path / "made_up"
    folder.mkdir()
    monkeypatch.setattr(paddle, "__path__", [*paddle.__path__, str(tmp_path)])
    yield folder
    for name in [n for n in sys.modules if n.startswith(NAME)]:
        del sys.modules[name]
    vars(paddle).pop("made_up", None)


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf8")
    importlib.invalidate_caches()


def test_init_runs_when_a_name_is_asked_for(package: Path) -> None:
    _write(package, __init__='"""Doc."""\nfrom paddle.made_up.sub import value', sub="value = 3")
    made = importlib.import_module(NAME)
    assert type(made) is Package and f"{NAME}.sub" not in sys.modules
    assert made.__path__ and made.__name__ == NAME and made.__file__.endswith("__init__.py")
    assert f"{NAME}.sub" not in sys.modules
    assert made.value == 3
    assert type(made) is ModuleType and made.__doc__ == "Doc."
    assert {"value", "sub"} <= set(dir(made)) and "__init__" not in vars(made)
    with pytest.raises(AttributeError, match=r"module 'paddle\.made_up' has no attribute 'other'"):
        made.other


@pytest.mark.parametrize("ask", [
    lambda: vars(sys.modules[NAME])["sub"], lambda: importlib.import_module(NAME).sub,
    lambda: exec("from paddle.made_up import *\nassert sub() == 4"),
])  # fmt: skip
def test_a_function_hides_the_module_of_its_name(package: Path, ask) -> None:
    _write(package, __init__="from paddle.made_up.sub import sub", sub="def sub():\n    return 4\n")
    module = importlib.import_module(f"{NAME}.sub")  # binds the module in the package, for now
    assert isinstance(module, ModuleType)
    found = ask()
    assert found is None or found() == 4


def test_a_failure_is_told_and_repeated(package: Path) -> None:
    _write(package, __init__="from paddle.made_up.sub import value", sub="other = 1")
    made = importlib.import_module(NAME)
    for _ in range(2):
        with pytest.raises(ImportError, match="cannot import name 'value'"):
            made.value
    sys.modules[f"{NAME}.sub"].value = 5
    assert made.value == 5


def test_reload_runs_it_again(package: Path) -> None:
    _write(package, __init__="count = globals().get('count', 0) + 1")
    made = importlib.import_module(NAME)
    assert made.count == 1
    assert importlib.reload(made).count == 2


def test_modules_inside_get_modules(package: Path) -> None:
    _write(
        package,
        __init__="from paddle.made_up.first import answer",
        first="from paddle.made_up import second\nanswer = second.number + 1",
        second="number = 1",
    )
    first = importlib.import_module(f"{NAME}.first")
    assert first.answer == 2
    assert type(sys.modules[NAME]) is Package  # nobody asked for a name of it
    assert sys.modules[NAME].answer == 2


def test_a_module_and_its_package_in_two_threads(package: Path) -> None:
    """One imports the module, and with it its sibling; the other fills the package meanwhile."""
    _write(
        package,
        __init__="from paddle.made_up.first import answer",
        first="import paddle\npaddle.made_up_meeting()\n"
        "from paddle.made_up import second\nanswer = second.number + 1",
        second="number = 1",
    )
    started, failed = threading.Event(), []

    def meeting() -> None:
        started.set()
        other.join(0.2)  # it waits for this import, and is not to be waited for

    def fill() -> None:
        started.wait()
        try:
            assert importlib.import_module(NAME).answer == 2
        except BaseException as error:
            failed.append(error)

    paddle.made_up_meeting = meeting
    other = threading.Thread(target=fill)
    try:
        other.start()
        assert importlib.import_module(f"{NAME}.first").answer == 2
        other.join()
    finally:
        del paddle.made_up_meeting
    assert not failed
