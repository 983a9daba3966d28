"""Python's operators on Variables of Programs of 1.x: what 1.8.5 records, and its numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from tests.fluid import arithmetic

FROZEN = Path(__file__).parent.parent / "data" / "fluid" / "arithmetic.json"
WANTED = json.loads(FROZEN.read_text(encoding="utf8"))


pytestmark = pytest.mark.filterwarnings("ignore:The dtype of left and right", "ignore:fluid")


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield
    paddle.disable_static()


def _mended(text: str) -> bool:
    """What fails in 1.8.5 when it runs, and is 2.0's here: a number divided by integers."""
    return text.endswith(" x int64") and (" / " in text or " ** " in text)


def test_what_is_recorded() -> None:
    found = json.loads(json.dumps(arithmetic.recorded(fluid)))
    assert set(found) == set(WANTED["recorded"]) and len(found) > 500
    wrong = [
        (text, want, found[text]) for text, want in WANTED["recorded"].items()
        if want is not None and found[text] != want and not _mended(text)
    ]  # fmt: skip
    assert not wrong, wrong[:3]
    # 1.8.5 refuses lists and None, and so is it here
    refused = [text for text, made in found.items() if made is None]
    assert {"x + None float32", "x * list int64", "None - x float32"} <= set(refused)
    assert not [text for text in refused if WANTED["recorded"][text] is not None]


def test_the_numbers() -> None:
    found = arithmetic.computed(fluid)
    assert set(found) == set(WANTED["computed"])
    for text, (kind, values) in WANTED["computed"].items():
        assert found[text][0] == kind, text
        np.testing.assert_allclose(found[text][1], values, 1e-6, err_msg=text)


def test_a_batch_scales_rows_and_gradients_follow() -> None:
    """``[batch, n] * [batch]``: by the last dimension it would fail, or be wrong for a square."""
    x, y = fluid.data("x", [None, 2]), fluid.data("y", [None])
    for var in (x, y):
        var.stop_gradient = False
    loss = fluid.layers.reduce_sum(x * y) + fluid.layers.reduce_sum(y - x)
    wanted = fluid.gradients([loss], [x, y])
    feed = {"x": arithmetic.SQUARE, "y": arithmetic.BATCH}
    exe = fluid.Executor(fluid.CPUPlace())
    dx, dy = exe.run(feed=feed, fetch_list=wanted)
    np.testing.assert_array_equal(dx, [[9, 9], [99, 99]])
    np.testing.assert_array_equal(dy, [5, 9])


def test_a_program_of_2_0_keeps_its_rule() -> None:
    with paddle.static.program_guard(paddle.static.Program()):
        x, y = paddle.static.data("x", [None, 2]), paddle.static.data("y", [None])
        (x * y, x // 2)
        ops = paddle.static.default_main_program().global_block().ops
        assert ops[0].attr("axis") == -1
        i = paddle.static.data("i", [None], "int64")
        assert (i / 2).dtype == paddle.float32


def test_large_integers_stay_exact() -> None:
    x = fluid.data("x", [None], "int64")
    value = 2**40 + 1
    out = fluid.Executor(fluid.CPUPlace()).run(
        feed={"x": np.array([value, value + 1], "int64")}, fetch_list=[x > value]
    )[0]
    assert out.tolist() == [False, True]  # 1.8.5 compares with 2**40
