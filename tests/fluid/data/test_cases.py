"""The cases of this folder against what 1.8.5 fed and printed.

scripts/oracle/fluid_data_185.py freezes that.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from tests.fluid.data import cases, readers

LAYERS = [
    "queue", "piped", "in_memory", "ctr", "py_reader", "by_data", "iterable", "not_iterable",
    "leaving_early",
]  # fmt: skip
FROZEN = Path(__file__).parent.parent.parent / "data" / "fluid" / "data.json"


@functools.lru_cache(maxsize=1)
def frozen() -> dict[str, Any]:
    return json.loads(FROZEN.read_text(encoding="utf8"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CPU_NUM", "2")
    paddle.enable_static()
    scope = fluid.Scope()
    main, startup = fluid.Program(), fluid.Program()
    with fluid.scope_guard(scope), fluid.program_guard(main, startup), fluid.unique_name.guard():
        yield tmp_path
    paddle.disable_static()


@pytest.mark.parametrize("case", [*cases.CASES, *readers.CASES], ids=lambda case: case.__name__)
def test_equals_185(case: Any, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if case.__name__ in LAYERS and "reduce_sum" not in fluid.layers.__all__:
        pytest.skip("fluid.layers is still to come")
    for path, text in cases.FILES.items():
        Path(path).write_text(text, encoding="utf8")
    want = frozen()[case.__name__]
    got = json.loads(json.dumps(case(fluid)))
    same(got, want["result"], case.__name__)
    printed = capfd.readouterr().out.split("\n")
    same_lines(printed, want["printed"])


def same(got: Any, want: Any, where: str) -> None:
    if isinstance(want, float):
        np.testing.assert_allclose(got, want, 1e-5, 1e-6, err_msg=where)
    elif isinstance(want, dict):
        assert got.keys() == want.keys(), where
        for key in want:
            same(got[key], want[key], f"{where}.{key}")
    elif isinstance(want, list):
        assert len(got) == len(want), where
        for i, (mine, other) in enumerate(zip(got, want, strict=True)):
            same(mine, other, f"{where}[{i}]")
    elif isinstance(want, str) and want.startswith("raises "):
        assert isinstance(got, str) and got.startswith("raises "), (where, got, want)
    else:
        assert got == want, where


def same_lines(got: list[str], want: list[str]) -> None:
    assert len(got) == len(want)
    for mine, other in zip(got, want, strict=True):
        if "data: [" not in other or "." not in other:
            assert mine == other
            continue
        numbers = [
            np.array(line.partition("[")[2].rstrip("]").split(), float) for line in (mine, other)
        ]
        np.testing.assert_allclose(numbers[0], numbers[1], 1e-4)
