"""Operators in the form of chapter 8: lists, attributes, gradients, sequences, and wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core import errors
from paddle.core.levels import levels_on, put_levels
from paddle.core.op import REGISTRY, C
from tests.native.chapter8.building import chapter8

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], "float32")


@pytest.fixture(scope="module", autouse=True)
def library(built_here: Path) -> Iterator[Any]:
    with chapter8(built_here, "forms8.cc") as found:
        yield found


def tensor(value: Any, dtype: str = "float32") -> Any:
    return paddle.to_tensor(np.asarray(value, dtype), stop_gradient=False)


# ---------------------------------------------------------------- lists


def test_a_list_and_an_optional_input() -> None:
    parts, bias = [tensor(X), tensor(2 * X), tensor(X)], tensor(X + 1)
    parts[1].stop_gradient = True
    assert C.c8_sum_list(parts, None).numpy().tolist() == (4 * X).tolist()
    out = C.c8_sum_list(parts, bias)
    assert out.numpy().tolist() == (5 * X + 1).tolist()
    (out * tensor(X)).sum().backward()
    assert [p.grad is None for p in parts] == [False, True, False]
    assert parts[0].grad.numpy().tolist() == X.tolist() == bias.grad.numpy().tolist()


def test_a_list_of_results() -> None:
    rows = C.c8_rows(tensor(X))
    assert [r.numpy().tolist() for r in rows] == X.tolist() and rows[0].stop_gradient


def test_shapes_of_a_list_are_compared_where_they_are_known() -> None:
    with pytest.raises(RuntimeError) as caught:
        C.c8_sum_list([tensor(X), tensor(X.T)], None)
    assert (
        "shapes must be equal. But received input[0]'s shape = [2, 3], input[1]'s shape = [3, 2]"
    ) in str(caught.value)
    with paddle.utils.unique_name.guard(), static.program_guard(static.Program()):
        paddle.enable_static()
        try:
            a = static.data("a", [None, 3])
            block = static.default_main_program().global_block()
            out = block.create_var(name="out", dtype="float32")
            block.append_op("c8_sum_list", {"X": [a, a]}, {"Out": [out]})
            assert out.shape == (-1, 3)
        finally:
            paddle.disable_static()


# ---------------------------------------------------------------- attributes


def test_attributes_of_every_type() -> None:
    x = tensor([0.0], "float64")
    out = C.c8_attributes(x).numpy().tolist()
    assert out == [1, 2, 2**40, 0.5, 0.25, 3, 3, 2, 3, 7, 1.5, 0, 3, 0, 0]
    out = C.c8_attributes(
        x, a=False, b=7, c=-1, d=2.5, e=-2.0, f="max", g=[True], h=[5, 6, 7], i=[], j=[1.0, 0.25],
        k=[0.5, 0.5], l=["long", ""], m=-4,
    ).numpy().tolist()  # fmt: skip
    assert out == [0, 7, -1, 2.5, -2, 3, 1, 1, 18, 0, 1.25, 1, 4, -4, 0]
    assert C.c8_attributes(x, h=[1]).numpy()[8] == 1 and C.c8_attributes(x).numpy()[8] == 3
    assert list(REGISTRY["c8_attributes"].attrs) == list("abcdefghijklm")
    assert REGISTRY["c8_attributes"].__doc__.startswith("Echoes its attributes.")
    assert REGISTRY["c8_attributes"].gradient is None


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"b": 0}, IndexError, "Attribute b is expected to be at least 1, but received 0"),
        ({"d": 0.0}, IndexError, "Attribute d is expected to be greater than 0, but received 0"),
        ({"f": "min"}, IndexError, "Attribute f is expected to be one of"),
        ({"m": 3}, ValueError, "m should be even."),
        ({"h": [1.5]}, TypeError, "attribute h[0] of operator c8_attributes is a int"),
        ({"b": "1"}, TypeError, "expected an int, but received str"),
    ],
)
def test_wrong_attributes(wrong: dict[str, Any], kind: type, words: str) -> None:
    x = tensor([0.0], "float64")
    with pytest.raises(kind) as caught:
        C.c8_attributes(x, **wrong)
    assert words in str(caught.value)
    assert C.c8_attributes(x).numpy()[1] == 2  # nothing of it stays


# ---------------------------------------------------------------- gradients


def test_an_operator_that_is_its_own_gradient() -> None:
    x = tensor(X)
    y = C.c8_scale(x, scale=3.0, bias=1.0)
    assert y.numpy().tolist() == (3 * X + 1).tolist()
    y.sum().backward()
    assert x.grad.numpy().tolist() == np.full_like(X, 3).tolist()


def test_float16() -> None:
    x = tensor(X, "float16")
    assert C.c8_scale(x, scale=0.5).numpy().tolist() == (X / 2).tolist()


def test_a_gradient_that_needs_sizes_alone() -> None:
    x = tensor(X)
    C.c8_first_row(x).sum().backward()
    assert x.grad.numpy().tolist() == [[1, 1, 1], [0, 0, 0]]
    assert REGISTRY["c8_first_row"].gradient.saves == ["X.shape"]


def test_the_default_gradient_and_its_own() -> None:
    x = tensor([1.0, -2.0, 3.0], "float64")
    (first,) = paddle.grad(C.c8_square(x), x, create_graph=True)
    assert first.numpy().tolist() == [2, -4, 6]
    (second,) = paddle.grad((first * first).sum(), x)
    assert second.numpy().tolist() == [8, -16, 24]


def test_memory_that_a_result_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """DECLARE_INPLACE_OP_INFERER: Programs overwrite an input that nothing needs any more."""
    form = REGISTRY["c8_square"].inplace
    memory = tensor([[1.0, -2.0], [3.0, 4.0]], "float64")._buf
    out = form.function(memory)
    assert out.data_ptr() == memory.data_ptr() and out.tolist() == [[1, 4], [9, 16]]
    other = form.function(memory.T)  # no memory of that form
    assert other.data_ptr() != memory.data_ptr() and other.tolist() == [[1, 81], [16, 256]]
    assert C.c8_square(paddle.ones([2], "float64")).numpy().tolist() == [1, 1]
    into: list[bool] = []

    def noting(x: Any, **attrs: Any) -> Any:
        made = function(x, **attrs)
        into.append(made.data_ptr() == x.data_ptr())
        return made

    function = form.function
    monkeypatch.setattr(form, "function", noting)
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            x = static.data("x", [None, 2], "float64")
            out = static.default_main_program().current_block().create_var(name="squared")
            tanh = paddle.tanh(x)
            out.block.append_op(type="c8_square", inputs={"X": tanh}, outputs={"Out": out})
            values = np.array([[0.5, -1.0]])
            (got,) = static.Executor().run(feed={"x": values}, fetch_list=[out])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got, np.tanh(values) ** 2)
    assert into == [True]


def test_one_without_a_gradient_stops_it() -> None:
    assert C.c8_counts(tensor(X)).stop_gradient


# ---------------------------------------------------------------- types and sequences


def test_another_type_of_result() -> None:
    out = C.c8_counts(tensor(X))
    assert out.dtype == paddle.int64 and out.numpy().tolist() == [2, 1]


def test_sequences_go_on_and_are_made() -> None:
    x = tensor(X)
    put_levels(x._buf, [[0, 1, 2]])
    assert levels_on(C.c8_scale(x)._buf) == [[0, 1, 2]]
    assert levels_on(C.c8_counts(x)._buf) == [[0, 1, 2], [0, 2]]
    assert levels_on(C.c8_counts(tensor(X))._buf) == [[0, 2]]
    assert not levels_on(C.c8_square(tensor(X, "float64"))._buf)


# ---------------------------------------------------------------- checks and their messages

CHECKS = [
    ("eq", RuntimeError, "[Hint: Expected dims[0] == 10, but received dims[0]:2 != 10:10.]"),
    ("ne", RuntimeError, "sizes 7 and 2, 3\n  [Hint: Expected dims[0] != dims[0]"),
    (
        "gt",
        errors.OutOfRangeError,
        "too small\n  [Hint: Expected dims[0] > 10, but received dims[0]:2",
    ),
    ("ge", errors.AlreadyExistsError, "(AlreadyExists) a\n"),
    ("lt", errors.PermissionDeniedError, "dims[0]:2 >= -1:-1."),
    ("le", errors.UnavailableError, "100%, 1.50\n  [Hint: Expected 1.5 <= 1.25, but received"),
    ("dims", RuntimeError, "not [9, 9]\n  [Hint: Expected dims == "),
    ("plain", RuntimeError, "too few: 2\n  [Hint: Expected dims.size() > 7.]"),
    ("null", errors.FatalError, "no pointer\n  [Hint: none should not be null.]"),
    ("throw", NotImplementedError, "(Unimplemented) not yet (at "),
    ("slot", errors.NotFoundError, "No Input(Z) found for c8_wrong operator."),
    ("cuda", OSError, "A function of CUDA failed.\n  [Hint: Expected static_cast<int>(2) == 0"),
    ("dim", IndexError, "Dimension 5 was asked for, but the shape [2, 3] has 2."),
    ("attr", ValueError, "Attribute how is of type std::string, but was asked for as int."),
    ("no attr", errors.NotFoundError, "Attribute (nothing) should be in AttributeMap."),
    ("no input", errors.NotFoundError, "Input(Z) of operator c8_wrong is not there."),
    ("lazy", RuntimeError, "has not called mutable_data"),
    ("std", OSError, "thrown by the kernel"),
    ("int", OSError, "no std::exception"),
    ("type", ValueError, "it holds float32, but desires to be int32."),
    ("big", IndexError, "Output Out of operator c8_wrong was resized to [1000, 1000]"),
    ("shape", ValueError, "returned Out of shape [6]"),
]


@pytest.mark.parametrize(("how", "kind", "words"), CHECKS, ids=[c[0] for c in CHECKS])
def test_what_goes_wrong_is_told(how: str, kind: type, words: str) -> None:
    with pytest.raises(kind) as caught:
        C.c8_wrong(tensor(X), how=how)
    said = str(caught.value)
    assert words in said and "c8_wrong" in said, said
    assert "forms8.cc:" in said or how in (
        "dim", "attr", "no attr", "no input", "lazy", "std", "int", "type", "big", "shape",
    )  # fmt: skip


def test_memory_that_is_not_the_output_s() -> None:
    x = tensor(X)
    out = C.c8_wrong(x, how="share")
    out[0, 0] = 100.0
    assert x.numpy().tolist() == X.tolist()  # a copy was made
    assert C.c8_wrong(x, how="other").numpy().tolist() == np.full_like(X, 5).tolist()
    assert C.c8_wrong(x, how="").numpy().tolist() == X.tolist()


def test_there_is_no_kernel() -> None:
    with pytest.raises(TypeError) as caught:
        C.c8_square(tensor(X))
    assert "Operator c8_square does not have kernel for data_type[float32]" in str(caught.value)
    assert "float64 on CPUPlace" in str(caught.value)


def test_no_elements() -> None:
    empty = paddle.zeros([0, 3])
    assert C.c8_scale(empty).shape == [0, 3] and C.c8_counts(empty).shape == [0]
