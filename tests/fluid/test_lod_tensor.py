"""LoDTensor and what is fed and fetched with levels: forms, errors, printing as in 1.8.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

ROWS = np.arange(6, dtype="float32").reshape(3, 2)


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield
    paddle.disable_static()


def made(lengths: Any, rows: np.ndarray = ROWS) -> Any:
    return fluid.create_lod_tensor(rows, lengths, fluid.CPUPlace())


def test_levels_are_offsets_inside_and_lengths_outside() -> None:
    deep = made([[2, 0], [1, 2]])
    assert deep.lod() == [[0, 2, 2], [0, 1, 3]]
    assert deep.recursive_sequence_lengths() == [[2, 0], [1, 2]]
    assert deep.has_valid_recursive_sequence_lengths()
    assert fluid.LoDTensor([[1, 2]]).lod() == [[0, 1, 3]]
    assert np.array(deep[1:]).tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert fluid.Tensor is fluid.LoDTensor and fluid.core.LoDTensor is fluid.LoDTensor


def test_lists_become_rows_of_one_number() -> None:
    words = fluid.create_lod_tensor([[1, 2], [3]], [[2, 1]], fluid.CPUPlace())
    assert words.shape() == [3, 1] and words.lod() == [[0, 2, 3]]
    drawn = fluid.create_random_int_lodtensor([[2, 3]], [4], fluid.CPUPlace(), 5, 5)
    assert np.array(drawn).tolist() == [[5] * 4] * 5


def test_printed_as_in_185() -> None:
    kinds = {"float32": "float", "int64": "int64_t", "bool": "bool"}
    for kind, name in kinds.items():
        text = str(made([[1, 2]], np.ones([3, 1], kind)))
        assert text == (
            f"\tlod: {{{{0, 1, 3}}}}\n\tdim: 3, 1\n\tlayout: NCHW\n\tdtype: {name}\n"
            "\tdata: [1 1 1]\n"
        )
    assert "data: [0.333333 1e+10 nan]" in str(made([], np.array([1 / 3, 1e10, np.nan], "float32")))


@pytest.mark.parametrize(
    "lengths, words",
    [
        ([[1, 5]], "ends at 6, but there are 3 rows"),
        ([[1, 1]], "ends at 2, but there are 3 rows"),
        ([[-1, 4]], "negative length"),
        ([[2], [1, 1, 1]], "ends at 2, but there are 3 sequences of level 1"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lengths: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        made(lengths)
    x = fluid.data("x", [None, 2], lod_level=len(lengths))
    with pytest.raises(ValueError, match="'x': .*" + words):
        fluid.Executor().run(feed={"x": (ROWS, lengths)}, fetch_list=[x * 2.0])


def test_other_forms_are_refused() -> None:
    with pytest.raises(TypeError, match="list of lists of numbers"):
        made([1, 2])
    with pytest.raises(TypeError, match="a LoDTensor, an array or a list, but received str"):
        fluid.create_lod_tensor("x", [[1]], fluid.CPUPlace())
    with pytest.raises(ValueError, match=r"lengths \[2, 1\], but received \[1, 2\]"):
        fluid.create_lod_tensor([[1, 2], [3]], [[1, 2]], fluid.CPUPlace())
    with pytest.raises(TypeError, match="expected a LoDTensor, but received ndarray"):
        fluid.LoDTensorArray().append(ROWS)
    with pytest.raises(ValueError, match="start with 0"):
        made([[3]]).set_lod([[1, 3]])


def test_fed_with_lengths_and_fetched_with_levels() -> None:
    x = fluid.data("x", [None, 2], lod_level=1)
    out = fluid.layers.scale(x, 2.0)
    exe = fluid.Executor(fluid.CPUPlace())
    for value in ((ROWS, [[1, 2]]), made([[1, 2]])):
        (found,) = exe.run(feed={"x": value}, fetch_list=[out], return_numpy=False)
        assert found.lod() == [[0, 1, 3]] and np.array(found).sum() == 30
        with pytest.raises(RuntimeError, match="hold LoD information"):
            exe.run(feed={"x": value}, fetch_list=[out])
    (plain,) = exe.run(feed={"x": ROWS}, fetch_list=[out])
    assert plain.shape == (3, 2)


def test_a_sequence_operator_asks_for_levels() -> None:
    x = fluid.data("x", [None, 1], lod_level=1)
    deep = fluid.data("deep", [None, 1], lod_level=2)
    flat = fluid.data("flat", [None, 1])
    with pytest.raises(ValueError, match="lod_level of at least 1"):
        fluid.layers.sequence_softmax(flat)
    rows = np.ones([3, 1], "float32")
    exe = fluid.Executor(fluid.CPUPlace())
    with pytest.raises(ValueError, match=r"sequence_softmax: expected X .* without levels"):
        exe.run(feed={"x": rows}, fetch_list=[fluid.layers.sequence_softmax(x)])
    joined = fluid.layers.sequence_concat([deep, deep])
    with pytest.raises(ValueError, match=r"with 1 level\(s\) of sequences, but received 2"):
        exe.run(feed={"deep": (rows, [[2], [1, 2]])}, fetch_list=[joined], return_numpy=False)


def test_levels_are_saved_with_a_program(tmp_path: Any) -> None:
    x = fluid.data("x", [None, 2], lod_level=1)
    with fluid.unique_name.guard():
        pooled = fluid.layers.sequence_pool(fluid.layers.fc(x, 3), "sum")
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"x": (ROWS, [[1, 2]])}
    (want,) = exe.run(feed=feed, fetch_list=[pooled])
    text = fluid.default_main_program().desc.serialize_to_string()
    again = fluid.Program.parse_from_string(text)
    levels = {name: var.lod_level for name, var in again.global_block().vars.items()}
    assert levels["x"] == levels["fc_0.tmp_1"] == 1 and levels[pooled.name] == 0
    (found,) = exe.run(again, feed=feed, fetch_list=[pooled.name])
    np.testing.assert_array_equal(found, want)


def test_shapes_of_layers_data_are_not_checked_as_those_of_fluid_data_are() -> None:
    loose, exact = fluid.layers.data("loose", [2]), fluid.data("exact", [None, 2])
    twice, exe = [fluid.layers.scale(var, 2.0) for var in (loose, exact)], fluid.Executor()
    rows = np.ones([4, 3], "float32")
    assert exe.run(feed={"loose": rows}, fetch_list=twice[:1])[0].shape == (4, 3)
    with pytest.raises(ValueError, match=r"\[-1, 2\] .*\[4, 3\]"):
        exe.run(feed={"exact": rows}, fetch_list=twice[1:])
    with pytest.raises(ValueError, match="float32, but received float64"):
        exe.run(feed={"loose": rows.astype("float64")}, fetch_list=twice[:1])
