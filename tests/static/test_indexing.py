"""``x[...]`` and ``x[...] = value`` recorded into a Program equal eager mode, form by form."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core import unique_name
from tests.static.harness import both, data, run, shape_fits, static

X = np.arange(60, dtype="float32").reshape(4, 3, 5)
VALUES = {
    "x": X,
    "i": np.array([2, 0, 1], "int64"),
    "j": np.array([[1], [0]], "int64"),
    "s": np.array([2], "int64"),
    "n": np.array([-1], "int32"),
    "m": np.array([True, False, True, True]),
    "m2": X[..., 0] > 20,
    "mf": X > 7,
    "v": -np.arange(15, dtype="float32").reshape(3, 5),
    "r": -np.arange(5, dtype="float32") - 1,
    "c": -np.arange(20, dtype="float32").reshape(4, 5),
    "w": np.full(1, 9, "int32"),
}
FLOATING = ("x", "v", "r", "c")
BATCHED = ("x", "m2", "mf", "c")

READS = """
    0 | -1 | 1, 2 | 1, 2, -1 | 1:3 | :2 | ::2 | 1:, 0 | ..., 0 | None | None, 1 | :, None, 2
    1, 2, -1, None | None, None, 1, 1, 1 | 0, ..., None | 5:2 | 2:2 | -100:100 | (1,) | ...
    ::-1 | ::-2 | 3:0:-1 | -2:-4:-1 | :1:-1 | 10:-10:-1 | :, ::-1, 1::2 | ..., -1:0:-2
    s | n | :, s | s: | :s | s:4 | n: | :, n | s, 1, n | 1:s, 0 | s::-1 | :s:-1 | ..., s, None
    i | :, i | :, :, i | i, i | i, 0 | 0, i | 0, :, i | :, 0, i | i, :, i | i, None | :, i, None
    i - 1 | i - 3 | -i | 0, -i | [0, 2] | [0, -1] | :, [2, 0] | [0, 1], [1, 2] | [s, 0] | range(2)
    [[0], [1]], [1, 2] | np.array([1, 0]) | [0, 1], :, [1, 2] | [] | np.int64(2) | slice(1, None)
    j | :, j | j, i | i, j, 0 | 0, [1, 2], j | ::2, i | i, ::-1 | i, 1:
    m | m2 | mf | :, [True, False, True] | m, 0 | m, :, [0, 1, 2] | m2, 0 | m2, 1: | None, m | x > 9
    True | False | True, 1 | m, ..., 0 | [True, False, True, False]
    np.array([[True, False, True]] * 4)
"""
WRITES = """
    0 = 7 | 0 = v | 1 = np.ones((3, 5)) | 1, 2 = r | 1, 2 = 3 | 1, 2, -1 = 5.5 | 1, 2, 3 = 1 | : = v
    ... = 1 | :, 1 = c | :, 1 = r | :, -1 = 7 | 1:3 = v | ::2 = v | :, 1:, 2 = 4 | None, 0 = v
    :, None, 1 = 1 | 0, None = np.ones((1, 3, 5)) | :, None = np.ones((4, 1, 3, 5)) | ... = v
    0, ... = v | ..., 0 = np.ones((4, 3)) | 0, 0, 0 = np.float32(3) | (1,) = [[1] * 5] * 3 | 0 = w
    ::-1 = v | :, ::-1 = v | ::-2, 1 = r | s = v | :, s = c | n = v | s: = v | :s, 0 = r
    s, 1, n = 3
    i[:2] = v | i = 1 | :, i = r | i, i = r | i, 0 = r | [0, -1] = v | j, i = r | m = v | m2 = r
    mf = 0 | m, 0 = r | mf = w | 0 = True | x[..., 0] > 10 = r | 0 = v[0] | i, ::-1 = v
    [True, False, True, False] = 2.0 | False = 3 | 2:2 = 1 | n, n, n = 2 | 1:3, n = r
"""


def _forms(text):
    return [form.strip() for line in text.strip().splitlines() for form in line.split("|")]


def _compare(call, batch):
    fixed = [name for name in VALUES if name not in BATCHED]
    eager, got, variables = both(call, VALUES, batch, fixed)
    assert got[0].shape == eager[0].shape
    np.testing.assert_array_equal(got[0], eager[0])
    assert shape_fits(variables[0].shape, eager[0].shape), variables[0].shape
    return variables[0]


@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
@pytest.mark.parametrize("form", _forms(READS))
def test_reading(form, batch):
    names = ", ".join(VALUES)
    _compare(eval(f"lambda {names}: x[{form}]", {"np": np}), batch)


@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
@pytest.mark.parametrize("form", _forms(WRITES))
def test_writing(form, batch):
    written = _compare(_writing(form), batch)
    assert batch or -1 not in written.shape


def test_reading_is_recorded_as_operators_of_paddle():
    with static() as (main, _):
        x = data("x", X)
        x[1, 1:3]
        x[::2]
        x[::-1]
        x[[1, 2]]
        x[x > 0]
        x[:, None]
        types = [op.type for op in main.global_block().ops]
    assert types == [
        "slice", "strided_slice", "flip", "assign_value", "gather", "fill_constant", "greater_than",
        "masked_select", "unsqueeze2",
    ]  # fmt: skip
    first = main.global_block().ops[0]
    assert first.attr("axes") == [0, 1]
    assert first.attr("starts") == [1, 1]
    assert first.attr("ends") == [2, 3]
    assert first.attr("decrease_axis") == [0]


def test_writing_goes_into_the_variable_itself():
    with static() as (main, startup):
        x = data("x", X)
        y = x * 1.0
        before = y + 0.0
        y[0] = 5.0
        op = main.global_block().ops[-1]
        z = y + 0.0
    assert op.type == "set_value"
    assert op.input("Input") == op.output("Out") == [y.name]
    assert op.attr("fp32_values") == [5.0]
    old, new = run(main, startup, {"x": X}, [before, z])
    np.testing.assert_array_equal(old, X)
    assert (new[0] == 5).all()
    np.testing.assert_array_equal(new[1:], X[1:])


def test_a_written_variable_wants_a_gradient_for_its_value():
    with static():
        y = paddle.zeros([4, 3, 5])
        v = data("v", VALUES["v"], stop_gradient=False)
        assert y.stop_gradient
        y[0] = v
        assert not y.stop_gradient


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (4, IndexError, "out of range for axis 0 of size 4"),
        ((0, 0, 0, 0), IndexError, "too many indices"),
        ((..., ...), IndexError, "ellipsis"),
        (1.5, TypeError, "float"),
        ("a", TypeError, "str"),
        ([0, 9], IndexError, "to 9"),
        ([0.5], TypeError, "integers or booleans"),
        (slice(0, 3, 0), ValueError, "step"),
    ],
)
def test_wrong_index(index, error, words):
    with static():
        x = data("x", X)
        with pytest.raises(error, match=words):
            x[index]
        with pytest.raises(error, match=words):
            x[index] = 1.0


def test_index_variables_must_hold_integers():
    with static():
        x, f = data("x", X), data("f", np.ones(2, "float32"))
        with pytest.raises(TypeError, match=r"integers or booleans, not VarType\.FP32"):
            x[f]
        with pytest.raises(TypeError, match="Variable of one integer"):
            x[: data("k", np.ones(2, "int64"))]


def test_a_value_that_does_not_fit():
    with static():
        x = data("x", X) * 1.0
        with pytest.raises(ValueError, match="does not fit"):
            x[0] = np.ones((2, 3, 5))
        with pytest.raises(TypeError, match="number, array or Variable"):
            x[0] = "a"


def test_iterating_needs_a_known_size():
    with static():
        x = data("x", X, batch=True)
        with pytest.raises(RuntimeError, match="first dimension is unknown"):
            iter(x)
        with pytest.raises(RuntimeError, match="no value before a run"):
            0 in x  # noqa: B015
        assert len(list(data("y", X))) == 4


def _gradients(call):
    """Gradients of a weighted sum by the floating inputs, eagerly and by a Program."""
    with unique_name.guard():
        given = {k: paddle.to_tensor(v) for k, v in VALUES.items()}
        for name in FLOATING:
            given[name].stop_gradient = False
        out = call(**given)
        weights = np.arange(out.size, dtype="float32").reshape(out.shape)
        (out * paddle.to_tensor(weights)).sum().backward()
    eager = {k: given[k].grad.numpy() for k in FLOATING if given[k].grad is not None}
    with static() as (main, startup):
        fed = {k: data(k, v, stop_gradient=k not in FLOATING) for k, v in VALUES.items()}
        loss = (call(**fed) * paddle.to_tensor(weights)).sum()
        found = paddle.static.gradients([loss], [fed[k] for k in eager])
    return eager, dict(zip(eager, run(main, startup, VALUES, found), strict=True))


def _writing(form):
    item, value = form.split(" = ")

    def call(**given):
        y = given["x"] * 1.0
        exec(f"y[{item}] = {value}", {"np": np, "y": y, **given})
        return y + 0.0

    return call


@pytest.mark.parametrize("form", _forms(WRITES))
def test_gradient_of_writing(form):
    eager, got = _gradients(_writing(form))
    assert "x" in eager
    for name, expected in eager.items():
        np.testing.assert_allclose(got[name], expected, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("form", ["1, :2", "::-2", "i", ":, i", "i, i", "m", "mf", "s", "j, i"])
def test_gradient_of_reading(form):
    eager, got = _gradients(eval(f"lambda {', '.join(VALUES)}: x[{form}]"))
    assert list(eager) == ["x"]
    np.testing.assert_allclose(got["x"], eager["x"], rtol=1e-6)
