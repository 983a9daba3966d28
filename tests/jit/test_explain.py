"""paddle.jit.explain: what it tells of converted functions, as attributes and as text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.jit import to_static
from paddle.static import InputSpec

FILE = __file__
LINES = Path(__file__).read_text().splitlines()


def line_of(mark: str) -> int:
    found = [i for i, line in enumerate(LINES, 1) if line.endswith(f"# {mark}")]
    assert len(found) == 1, (mark, found)
    return found[0]


def became(report, mark: str) -> dict[str, str]:
    """kind -> what it became, of the statements of one line."""
    return {s.kind: s.became for s in report.statements if s.line == line_of(mark)}


def helper(x):
    if x.sum() > 0:  # helper if
        return x * 2
    return x


@paddle.jit.not_to_static
def kept(x):
    return x + 1


def counting(n):
    yield from range(n)


def everything(x, mode="a", n=3):  # everything
    if mode == "a":  # python if
        x = x + 1
    if x.sum() > 3:  # tensor if
        x = helper(x)
    for i in range(n):  # python for
        x = x + i
    i = paddle.zeros([1])
    while i < 3:  # tensor while
        i = i + 1
        if i > 1:  # if in while
            continue
        x = x * 2
    y = x * 2 if x.mean() > 1 else x  # ternary
    x = kept(y)
    x = x + float(np.square(2.0))
    for j in counting(2):
        x = x + j
    if mode == "b":  # never
        while n < 0:  # not reached
            n = n + 1
    return x


def test_control_flow() -> None:
    report = paddle.jit.explain(to_static(everything), paddle.ones([2]))
    assert became(report, "python if") == {"if": "Python"}
    assert became(report, "tensor if") == {"if": "operator"}
    assert became(report, "helper if") == {"if": "operator"}
    assert became(report, "python for") == {"for": "Python"}
    assert became(report, "tensor while") == {"while": "operator"}
    assert became(report, "if in while") == {"if": "operator"}
    assert became(report, "ternary") == {"if": "operator"}
    assert became(report, "never") == {"if": "Python"}
    assert became(report, "not reached") == {"while": "not reached"}
    by_line = {s.line: s for s in report.statements}
    assert by_line[line_of("helper if")].function == "helper"
    assert by_line[line_of("if in while")].function == "everything"
    assert by_line[line_of("tensor if")].source == "if x.sum() > 3:  # tensor if"
    assert {s.file for s in report.statements} == {FILE}
    assert line_of("tensor if") in [s.line for s in report.operators]
    assert line_of("python if") not in [s.line for s in report.operators]


def test_converted_and_left_alone() -> None:
    report = paddle.jit.explain(everything, paddle.ones([2]))
    assert report.runs_as == "a Program"
    converted = {c.name: (c.file, c.line, c.calls) for c in report.converted}
    assert converted["everything"] == (FILE, line_of("everything"), 1)
    assert converted["helper"][0] == FILE
    assert set(converted) == {"everything", "helper"}
    left = {p.name: p for p in report.as_python}
    assert "not_to_static" in left["kept"].reason
    assert "generator" in left["counting"].reason
    assert left["kept"].places == (f"{FILE}:{line_of('ternary') + 1}",)
    assert any("square" in name for name in left)


def test_programs_and_what_tells_them_apart() -> None:
    @to_static
    def func(x, mode="a"):
        return x * 2 if mode == "a" else x + 3

    assert len(paddle.jit.explain(func, paddle.ones([2])).programs) == 1
    func(paddle.ones([2]))
    func(paddle.ones([3]))
    func(paddle.ones([3]), "b")
    report = paddle.jit.explain(func, paddle.ones([3]), "b")
    assert [p.arguments for p in report.programs] == [
        {"x": "float32[2]", "mode": "'a'"},
        {"x": "float32[3]", "mode": "'a'"},
        {"x": "float32[3]", "mode": "'b'"},
    ]
    assert [p.is_for_this_call for p in report.programs] == [False, False, True]
    assert report.differences == ["argument x (2 kinds)", "argument mode (2 kinds)"]
    assert [p.operators for p in report.programs] == [{"scale": 1}] * 3
    assert [p.inputs for p in report.programs] == [
        ("x float32[2]",), ("x float32[3]",), ("x float32[3]",),
    ]  # fmt: skip
    assert len(func.program_cache) == 3  # explaining made none


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 3)
        self.norm = paddle.nn.BatchNorm1D(3)

    def forward(self, x):
        return self.norm(self.linear(x))


@pytest.mark.parametrize("decorated", [False, True])
def test_a_layer(decorated: bool) -> None:
    net = Net()
    if decorated:
        net = to_static(net, input_spec=[InputSpec([None, 4], name="x")])
    weight = net.linear.weight.numpy()
    mean = net.norm._mean.numpy()
    report = paddle.jit.explain(net, paddle.ones([2, 4]))
    assert report.name == "Net.forward"
    (program,) = report.programs
    assert program.inputs == (f"x float32[{-1 if decorated else 2}, 4]",)
    assert sorted(program.parameters) == sorted(
        f"{p.name} {list(p.shape)}" for p in net.parameters()
    )
    assert sorted(program.buffers) == sorted(f"{b.name} {list(b.shape)}" for b in net.buffers())
    assert program.operators["batch_norm"] == 1
    # Nothing ran.
    np.testing.assert_array_equal(net.linear.weight.numpy(), weight)
    np.testing.assert_array_equal(net.norm._mean.numpy(), mean)


class Block(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:  # block if
            x = x * 2
        return x


def test_layers_within_layers() -> None:
    net = paddle.nn.Sequential(Block(), paddle.nn.Linear(2, 2), Block())

    @to_static
    def func(x):
        for i, row in enumerate(net(x)):  # unrolled
            x = x + row * i
        return x

    report = paddle.jit.explain(func, paddle.ones([3, 2]))
    assert [(c.name, c.calls) for c in report.converted] == [("func", 1), ("Block.forward", 2)]
    by_line = {s.line: s for s in report.statements}
    assert by_line[line_of("block if")].function == "Block.forward"
    assert by_line[line_of("block if")].became == "operator"
    assert by_line[line_of("unrolled")].became == "Python"
    assert by_line[line_of("unrolled")].remarks == ("unrolled 3 times",)


def test_modes_of_layers_tell_programs_apart() -> None:
    net = to_static(Net())
    x = paddle.ones([2, 4])
    net(x)
    net.eval()
    report = paddle.jit.explain(net, x)
    assert len(report.programs) == 2
    assert report.differences == ["the layers' mode, parameters and buffers (2 states)"]
    assert [p.is_for_this_call for p in report.programs] == [False, True]


def test_without_arguments_the_input_spec_is_taken() -> None:
    @to_static(input_spec=[InputSpec([None, 2], name="x")])
    def func(x):
        return x + 1

    (program,) = paddle.jit.explain(func).programs
    assert program.inputs == ("x float32[-1, 2]",)
    assert program.is_for_this_call


def test_text() -> None:
    @to_static
    def func(x):
        if x.sum() > 3:  # in the text
            x = kept(x)
        return x

    func(paddle.ones([2]))
    func(paddle.ones([4]))
    text = str(paddle.jit.explain(func, paddle.ones([4])))
    assert text.startswith("func runs as a Program.\nConverted:\n  func (" + FILE)
    assert f"{FILE}:{line_of('in the text')} in func: if x.sum() > 3:  # in the text -> operator" in text  # noqa: E501  # fmt: skip
    assert "\nRuns as Python:\n  kept: " in text
    assert "\nPrograms: 2\n  [0] x=float32[2]\n" in text
    assert "\n  [1] x=float32[4] <- this call\n" in text
    assert text.endswith("  they differ by argument x (2 kinds)")


def test_what_cannot_be_converted() -> None:
    names: dict = {}
    exec("def typed(x):\n    return x\n", names)
    report = paddle.jit.explain(to_static(names["typed"]), paddle.ones([1]))
    assert report.runs_as.startswith("Python: ")
    assert "source" in report.runs_as
    assert report.programs == [] and report.converted == []
    assert str(report).startswith("typed runs as Python: ")


def test_conversion_off() -> None:
    paddle.jit.ProgramTranslator().enable(False)
    try:
        report = paddle.jit.explain(to_static(helper), paddle.ones([1]))
    finally:
        paddle.jit.ProgramTranslator().enable(True)
    assert "enable(False)" in report.runs_as


def test_nested_arguments() -> None:
    @to_static
    def func(pair, table, flag):
        return pair[0] + table["k"]

    x = paddle.ones([2])
    report = paddle.jit.explain(func, (x, 3), {"k": x}, flag=None)
    assert report.programs[0].arguments == {
        "pair": "(float32[2], 3)", "table": "{'k': float32[2]}", "flag": "None",
    }  # fmt: skip


def test_errors_of_the_function_are_told_as_always() -> None:
    @to_static
    def func(x):
        return paddle.matmul(x, x)

    with pytest.raises(ValueError, match=r"^In transformed code:"):
        paddle.jit.explain(func, paddle.ones([2, 3]))


@pytest.mark.parametrize("wrong", [3, None, "func"])
def test_not_a_function(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"explain\(function\): expected a function or a Layer"):
        paddle.jit.explain(wrong)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match=r"missing|argument"):
        paddle.jit.explain(to_static(lambda_free), 1, 2, 3)


def lambda_free(x):
    return x
