"""Rows of tables in scopes: what single operators compute with them, beside plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.op import Operator

PLACE = fluid.CPUPlace()
HEIGHT, ROWS, WIDTH = 10, [0, 4, 7, 4], 3
VALUES = np.random.RandomState(0).randn(len(ROWS), WIDTH).astype("float32")


def dense(rows: list[int] = ROWS, values: np.ndarray = VALUES) -> np.ndarray:
    table = np.zeros((HEIGHT, values.shape[1]), "float32")
    np.add.at(table, rows, values)
    return table


def put_rows(
    scope: Any, name: str, rows: list[int] = ROWS, values: np.ndarray = VALUES, height: int = HEIGHT
) -> Any:
    held = scope.var(name).get_selected_rows()
    held.set_height(height)
    held.set_rows(rows)
    held.get_tensor().set(values, PLACE)
    return held


def put(scope: Any, **arrays: np.ndarray) -> None:
    for name, array in arrays.items():
        scope.var(name).get_tensor().set(np.asarray(array), PLACE)


def rows_at(scope: Any, name: str) -> tuple[list[int], np.ndarray]:
    held = scope.find_var(name).get_selected_rows()
    return held.rows(), np.array(held.get_tensor())


@pytest.fixture
def scope() -> Any:
    paddle.enable_static()
    yield core.Scope()
    paddle.disable_static()


def test_the_class() -> None:
    rows = core.SelectedRows([0, 4, 7], 10)
    array = np.ones((3, 12), "float32")
    array[0, 0], array[2, 8] = 2.0, 4.0
    assert not rows.is_initialized()
    rows.get_tensor().set(array, PLACE)
    rows.sync_index()
    assert rows.rows() == [0, 4, 7] and rows.height() == 10 and rows.numel() == 36
    assert rows.get_tensor()._get_float_element(0) == 2.0
    assert rows.get_tensor()._get_float_element(2 * 12 + 8) == 4.0
    assert core.SelectedRows().rows() == [] and core.SelectedRows().height() == 0


def test_values_alone(scope: Any) -> None:
    put_rows(scope, "X")
    Operator("get_tensor_from_selected_rows", X="X", Out="dense").run(scope, PLACE)
    np.testing.assert_array_equal(np.array(scope.find_var("dense").get_tensor()), VALUES)
    Operator("shape", Input="X", Out="shape").run(scope, PLACE)
    assert np.array(scope.find_var("shape").get_tensor()).tolist() == [4, 3]


def test_merged(scope: Any) -> None:
    put_rows(scope, "X")
    Operator("merge_selected_rows", X="X", Out="Out").run(scope, PLACE)
    rows, values = rows_at(scope, "Out")
    assert rows == [0, 4, 7] and scope.find_var("Out").get_selected_rows().height() == HEIGHT
    np.testing.assert_allclose(values, dense()[rows], rtol=1e-6)


def test_split(scope: Any) -> None:
    put_rows(scope, "X")
    names = ["a", "b"]
    Operator("split_selected_rows", X="X", Out=names, height_sections=[5, 5]).run(scope, PLACE)
    assert rows_at(scope, "a")[0] == [0, 4, 4] and rows_at(scope, "b")[0] == [2]
    np.testing.assert_array_equal(rows_at(scope, "b")[1], VALUES[2:3])
    assert scope.find_var("a").get_selected_rows().height() == 5


@pytest.mark.parametrize(
    ("kind", "attrs", "wanted"),
    [
        ("scale", {"scale": 2.5}, lambda x: 2.5 * x),
        ("clip", {"min": -0.5, "max": 0.5}, lambda x: np.clip(x, -0.5, 0.5)),
        ("clip_by_norm", {"max_norm": 0.8}, lambda x: x * 0.8 / np.linalg.norm(x)),
    ],
)
def test_rows_stay(scope: Any, kind: str, attrs: dict, wanted: Any) -> None:
    put_rows(scope, "X")
    Operator(kind, X="X", Out="Out", **attrs).run(scope, PLACE)
    rows, values = rows_at(scope, "Out")
    expected = wanted(dense())
    np.testing.assert_allclose(dense(rows, values), expected, rtol=1e-5, atol=1e-6)
    assert rows_at(scope, "X")[0] == ROWS  # the input is as it was
    np.testing.assert_array_equal(rows_at(scope, "X")[1], VALUES)


def test_in_place(scope: Any) -> None:
    put_rows(scope, "X")
    Operator("scale", X="X", Out="X", scale=3.0).run(scope, PLACE)
    rows, values = rows_at(scope, "X")
    assert rows == ROWS
    np.testing.assert_allclose(values, 3 * VALUES, rtol=1e-6)


def test_multiplied_by_a_number(scope: Any) -> None:
    put_rows(scope, "X")
    put(scope, Y=np.array([0.5], "float32"))
    Operator("elementwise_mul", X="X", Y="Y", Out="Out").run(scope, PLACE)
    rows, values = rows_at(scope, "Out")
    assert rows == ROWS
    np.testing.assert_allclose(values, VALUES / 2, rtol=1e-6)


def test_clipped_in_place(scope: Any) -> None:
    put_rows(scope, "X")
    Operator("clip", X="X", Out="X", min=-0.5, max=0.5).run(scope, PLACE)
    rows, values = rows_at(scope, "X")
    assert rows == [0, 4, 7]
    np.testing.assert_allclose(values, np.clip(dense()[rows], -0.5, 0.5), rtol=1e-6)


def test_sums(scope: Any) -> None:
    put_rows(scope, "a")
    put_rows(scope, "b", [9], VALUES[:1])
    put(scope, c=np.ones((HEIGHT, WIDTH), "float32"))
    Operator("sum", X=["a", "b"], Out="rows").run(scope, PLACE)
    rows, values = rows_at(scope, "rows")
    assert rows == [*ROWS, 9]
    np.testing.assert_array_equal(values, np.concatenate([VALUES, VALUES[:1]]))
    Operator("sum", X=["a", "c", "b"], Out="dense").run(scope, PLACE)
    np.testing.assert_allclose(
        np.array(scope.find_var("dense").get_tensor()),
        1 + dense() + dense([9], VALUES[:1]),
        rtol=1e-6,
    )
    put_rows(scope, "d", [0], VALUES[:1], height=4)
    with pytest.raises(ValueError, match=r"one shape.*\[10, 3\].*\[4, 3\]"):
        Operator("sum", X=["a", "d"], Out="rows").run(scope, PLACE)


def test_sgd(scope: Any) -> None:
    param = np.full((HEIGHT, WIDTH), 5.0, "float32")
    put(scope, Param=param, LearningRate=np.array([2.0], "float32"))
    put_rows(scope, "Grad")
    names = {n: n for n in ("Param", "Grad", "LearningRate")}
    Operator("sgd", ParamOut="Param", **names).run(scope, PLACE)
    np.testing.assert_allclose(
        np.array(scope.find_var("Param").get_tensor()), param - 2 * dense(), rtol=1e-5
    )


def test_sgd_of_a_parameter_of_rows(scope: Any) -> None:
    put(scope, LearningRate=np.array([2.0], "float32"))
    put_rows(scope, "Param", [7, 0, 2, 4], np.full((4, WIDTH), 5.0, "float32"))
    put_rows(scope, "Grad", [0, 4], VALUES[:2])
    names = {n: n for n in ("Param", "Grad", "LearningRate")}
    Operator("sgd", ParamOut="Param", **names).run(scope, PLACE)
    rows, values = rows_at(scope, "Param")
    assert rows == [7, 0, 2, 4]
    np.testing.assert_allclose(values, 5 - 2 * dense([0, 4], VALUES[:2])[rows], rtol=1e-5)
    put_rows(scope, "Grad", [1], VALUES[:1])
    with pytest.raises(ValueError, match=r"sgd: expected rows that the table has.*no row 1"):
        Operator("sgd", ParamOut="Param", **names).run(scope, PLACE)


@pytest.mark.parametrize("lazy", [False, True])
def test_adam(scope: Any, lazy: bool) -> None:
    random = np.random.RandomState(1)
    state = {
        "Param": random.rand(HEIGHT, WIDTH), "Moment1": random.rand(HEIGHT, WIDTH),
        "Moment2": random.rand(HEIGHT, WIDTH), "Beta1Pow": np.array([0.9**4]),
        "Beta2Pow": np.array([0.999**4]), "LearningRate": np.array([0.1]),
    }  # fmt: skip
    put(scope, **{name: array.astype("float32") for name, array in state.items()})
    rows, grad = [0, 4, 7], dense()
    put_rows(scope, "Grad")
    names = ("Param", "Grad", "Moment1", "Moment2", "Beta1Pow", "Beta2Pow", "LearningRate")
    outs = {f"{n}Out": n for n in ("Param", "Moment1", "Moment2", "Beta1Pow", "Beta2Pow")}
    Operator("adam", **{n: n for n in names}, **outs, lazy_mode=lazy, epsilon=1e-4).run(
        scope, PLACE
    )
    m1 = 0.9 * state["Moment1"] + 0.1 * grad
    m2 = 0.999 * state["Moment2"] + 0.001 * grad**2
    some = rows if lazy else list(range(HEIGHT))
    for name, new in (("Moment1", m1), ("Moment2", m2)):
        expected = state[name].copy()
        expected[some] = new[some]
        np.testing.assert_allclose(
            np.array(scope.find_var(name).get_tensor()), expected, rtol=1e-5, err_msg=name
        )
    changed = np.abs(np.array(scope.find_var("Param").get_tensor()) - state["Param"]).max(1) > 1e-6
    assert np.flatnonzero(changed).tolist() == some


@pytest.mark.parametrize("kind", ["adagrad", "ftrl", "momentum", "rmsprop"])
def test_optimizers_equal_their_dense_form(scope: Any, kind: str) -> None:
    slots = {
        "adagrad": ["Moment"], "ftrl": ["SquaredAccumulator", "LinearAccumulator"],
        "momentum": ["Velocity"], "rmsprop": ["MeanSquare", "Moment"],
    }[kind]  # fmt: skip
    outs = {"ftrl": {"SquaredAccumOut": slots[0], "LinearAccumOut": slots[-1]}}.get(
        kind, {f"{slot}Out": slot for slot in slots}
    )
    attrs = {"momentum": {"mu": 0.9}}.get(kind, {})
    random = np.random.RandomState(2)
    start = {n: random.rand(HEIGHT, WIDTH).astype("float32") for n in ("Param", *slots)}
    found = []
    for by_rows in (True, False):
        inner = core.Scope()
        put(inner, LearningRate=np.array([0.1], "float32"), **start)
        if by_rows:
            put_rows(inner, "Grad")
        else:
            put(inner, Grad=dense())
        names = {n: n for n in ("Param", "Grad", "LearningRate", *slots)}
        Operator(kind, ParamOut="Param", **names, **outs, **attrs).run(inner, PLACE)
        found.append([np.array(inner.find_var(n).get_tensor()) for n in ("Param", *slots)])
    assert np.abs(found[0][0] - start["Param"]).max() > 1e-4
    some = [0, 4, 7] if kind in ("adagrad", "ftrl") else list(range(HEIGHT))
    for a, b, name in zip(*found, ("Param", *slots), strict=True):
        np.testing.assert_allclose(a[some], b[some], rtol=1e-5, atol=1e-6, err_msg=name)


def test_looked_up(scope: Any) -> None:
    put_rows(scope, "W", [5, 0, 9], VALUES[:3])
    ids = np.array([[9], [5], [9]], "int64")
    put(scope, Ids=ids)
    Operator("lookup_table", W="W", Ids="Ids", Out="Out").run(scope, PLACE)
    np.testing.assert_array_equal(np.array(scope.find_var("Out").get_tensor()), VALUES[[2, 0, 2]])
    put(scope, Ids=ids - 1)
    with pytest.raises(ValueError, match="no row 4, 8"):
        Operator("lookup_table", W="W", Ids="Ids", Out="Out").run(scope, PLACE)


@pytest.mark.parametrize(("kind", "attrs"), [
    ("fill_constant", {"value": 3.0}), ("uniform_random", {"min": 3.0, "max": 3.5}),
])  # fmt: skip
def test_made(scope: Any, kind: str, attrs: dict) -> None:
    held = scope.var("X").get_selected_rows()
    Operator(kind, Out="X", shape=[4, 84], **attrs).run(scope, PLACE)
    array = np.array(held.get_tensor())
    assert array.shape == (4, 84) and array.min() >= 3.0


def test_bad_input(scope: Any) -> None:
    with pytest.raises(ValueError, match="numbers from 0 on"):
        core.SelectedRows([-1], 3)
    scale = Operator("scale", X="X", Out="Out", scale=2.0)
    scope.var("X").get_selected_rows()
    with pytest.raises(RuntimeError, match="expected values, but none"):
        scale.run(scope, PLACE)
    put_rows(scope, "X", ROWS[:2])
    with pytest.raises(ValueError, match=r"a value for each of 2 rows.*\[4, 3\]"):
        scale.run(scope, PLACE)
    put_rows(scope, "X", height=7)
    with pytest.raises(ValueError, match="below the height 7, but received 7"):
        scale.run(scope, PLACE)
