"""Operators are recorded while they run: dygraph.base.program_desc_tracing_guard."""

from __future__ import annotations

import numpy as np

import paddle
from paddle import nn
from paddle.fluid.dygraph.base import program_desc_tracing_guard
from paddle.fluid.dygraph_utils import _append_activation_in_dygraph, _append_bias_in_dygraph
from paddle.fluid.framework import Block, Program, _dygraph_guard, _dygraph_tracer


class _Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2D(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor]:
        y = nn.functional.relu(self.norm(self.conv(x)))
        if float(y.mean()) > -1:  # values are there, unlike in a function of to_static
            y = y * 2
        pooled = y[:, :, 0, 0] + y.mean([2, 3])
        return self.head(pooled), pooled


def _traced(layer: nn.Layer, x: paddle.Tensor) -> tuple:
    tracer = _dygraph_tracer()._get_program_desc_tracer()
    with program_desc_tracing_guard(True):
        outputs = layer(x)
        found = tracer.create_program_desc([x], "feed_", list(outputs), "fetch_", "t_")
        tracer.reset()
    with _dygraph_guard(None):
        program = Program()
        program.desc = found[0]
        program.blocks = [Block(program, 0)]
        program._sync_with_cpp()
    return program, outputs, found[1:]


def test_a_call_becomes_a_program_that_computes_the_same() -> None:
    paddle.seed(1)
    net = _Net()
    net.eval()
    x = paddle.to_tensor(np.random.RandomState(0).randn(2, 3, 5, 5).astype("float32"))
    program, outputs, (fed, fetched, stored) = _traced(net, x)
    assert (fed, fetched) == (["feed_0"], ["fetch_0", "fetch_1"])
    assert {t.name for t in stored} == {t.name for t in net.state_dict().values()}
    block = program.global_block()
    assert [op.type for op in block.ops[:4]] == ["conv2d", "elementwise_add", "batch_norm", "relu"]
    assert block.var("fetch_0").shape == (2, 2)
    assert block.var("feed_0").shape == (2, 3, 5, 5)
    assert {p.name for p in block.all_parameters()} == {p.name for p in net.parameters()}
    assert all(n.startswith(("t_", "fetch_")) or n in block.vars for n in block.vars)
    scope = paddle.static.Scope()
    for tensor in stored:
        scope.var(tensor.name).get_tensor().set(tensor.numpy(), paddle.CPUPlace())
    got = paddle.static.Executor().run(program, {"feed_0": x.numpy()}, fetched, scope=scope)
    for value, expected in zip(got, outputs, strict=True):
        np.testing.assert_allclose(value, expected.numpy(), rtol=1e-5, atol=1e-6)


def test_operators_run_as_they_would_without() -> None:
    x = paddle.to_tensor([3.0, -1.0], stop_gradient=False)
    with program_desc_tracing_guard(True):
        y = nn.functional.relu(x * x)
        with program_desc_tracing_guard(False):
            x + 1  # not noted
        y.sum().backward()
        found = _dygraph_tracer()._get_program_desc_tracer()
        program = found.log.program
        assert [op.type for op in program.global_block().ops] == [
            "elementwise_mul", "relu", "reduce_sum",
        ]  # fmt: skip
        found.reset()
    assert x.grad.tolist() == [6.0, -2.0]
    assert not found.log.program.global_block().ops


def test_names_do_not_count_on_outside() -> None:
    with paddle.utils.unique_name.guard():
        with program_desc_tracing_guard(True):
            paddle.to_tensor([1.0]) + paddle.to_tensor([2.0])
            _dygraph_tracer()._get_program_desc_tracer().reset()
        assert nn.Linear(1, 1).full_name() == "linear_0"


def test_what_is_written_into_stays_one_variable() -> None:
    tracer = _dygraph_tracer()._get_program_desc_tracer()
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    with program_desc_tracing_guard(True):
        y = x * 2
        y[0] = 7.0
        z = y + 1
        desc, fed, fetched, _ = tracer.create_program_desc([x], "in_", [z], "out_", "t_")
        tracer.reset()
    got = paddle.static.Executor().run(desc._of, {fed[0]: x.numpy()}, fetched)
    assert got[0].tolist() == z.tolist() == [[8.0, 8.0], [7.0, 9.0]]


def test_a_program_follows_only_what_was_assigned() -> None:
    paddle.enable_static()
    try:
        program = Program()
        with paddle.static.program_guard(program, Program()):
            paddle.static.data("x", [2]) * 2.0
        program._sync_with_cpp()
        other = Program()
        other.desc = program.desc
        other._sync_with_cpp()
        assert str(other) == str(program)
        assert other.desc._of is other and other.global_block().program is other
    finally:
        paddle.disable_static()


def test_bias_and_activation() -> None:
    x = paddle.to_tensor([[[-1.0], [2.0]]])
    assert _append_activation_in_dygraph(x, "relu").tolist() == [[[0.0], [2.0]]]
    assert _append_activation_in_dygraph(x) is x and _append_bias_in_dygraph(x) is x
    assert _append_bias_in_dygraph(x, paddle.to_tensor([1.0, 2.0])).tolist() == [[[0.0], [4.0]]]
