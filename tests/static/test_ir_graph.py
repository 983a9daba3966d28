"""IrGraph: a Program as a graph, changed by edges, and back; order and hazards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import fluid, static
from paddle.fluid import core
from paddle.fluid.framework import IrGraph, IrNode, IrOpNode, IrVarNode


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()), fluid.unique_name.guard():
        yield
    paddle.disable_static()


def net(train: bool = False) -> tuple[Any, Any, Any]:
    main, startup = static.Program(), static.Program()
    main.random_seed = startup.random_seed = 7
    with static.program_guard(main, startup):
        x = static.data("x", [None, 3])
        y = paddle.nn.functional.relu(static.nn.fc(x, 4))
        loss = paddle.mean(y)
        if train:
            paddle.optimizer.SGD(0.1).minimize(loss)
    return main, startup, loss


def op(graph: IrGraph, name: str) -> IrOpNode:
    return next(n for n in graph.all_op_nodes() if n.name() == name)


def insert_scale(graph: IrGraph, factor: float) -> None:
    """Puts a scale before the relu."""
    relu = op(graph, "relu")
    (before,) = relu.inputs
    made = graph.create_var_node("scaled", before.type(), before.shape(), before.dtype())
    scale = graph.create_op_node("scale", {"scale": factor}, {"X": before}, {"Out": made})
    graph.link_to(before, scale)
    graph.link_to(scale, made)
    graph.update_input_link(before, made, relu)


def test_nodes_tell_what_they_are() -> None:
    main, _, loss = net()
    graph = IrGraph(core.Graph(main.desc), for_test=True)
    assert graph.is_test() and graph.graph_num() == 1 and not graph.has_circle()
    assert [n.name() for n in graph.topology_sort()] == [o.type for o in main.global_block().ops]
    weights = sorted(n.name() for n in graph.all_persistable_nodes())
    assert weights == sorted(p.name for p in main.all_parameters())
    x = graph.var_node("x")
    assert isinstance(x, IrVarNode) and x.is_var() and not x.is_op() and x.node_type() == "variable"
    assert x.shape() == [-1, 3] and x.var().name() == "x" and x.op() is None
    relu = op(graph, "relu")
    assert isinstance(relu, IrNode) and relu.op().type() == "relu" and relu.var() is None
    assert relu.input("X") == [relu.inputs[0].name()] == relu.input_arg_names()
    assert relu.outputs[0].outputs[0].name() == "reduce_mean" or relu.outputs[0].outputs
    assert relu in graph.all_nodes() and relu == op(graph, "relu")
    assert graph.var_node(loss.name).inputs


def test_an_operator_is_put_between_others_and_runs() -> None:
    main, startup, loss = net()
    exe = static.Executor()
    exe.run(startup)
    feed = {"x": np.random.RandomState(0).rand(2, 3).astype("float32")}
    before = exe.run(main, feed=feed, fetch_list=[loss.name])[0]
    graph = IrGraph(core.Graph(main.desc))
    insert_scale(graph, 3.0)
    made = graph.to_program()
    kinds = [o.type for o in made.global_block().ops]
    assert kinds.index("scale") == kinds.index("relu") - 1
    after = exe.run(made, feed=feed, fetch_list=[loss.name])[0]
    np.testing.assert_allclose(after, 3 * before, rtol=1e-6)
    assert "scale" not in [o.type for o in main.global_block().ops]
    assert len(made.all_parameters()) == len(main.all_parameters())
    copy = graph.clone()
    copy.safe_remove_nodes(op(copy, "scale"))
    assert op(graph, "scale").inputs


def test_what_is_overwritten_is_read_before() -> None:
    main, startup, loss = net(train=True)
    exe = static.Executor()
    feed = {"x": np.random.RandomState(0).rand(2, 3).astype("float32")}
    found = []
    graph = IrGraph(core.Graph(main.desc))
    graph.resolve_hazard()
    assert any(n.is_ctrl_var() for n in graph.all_nodes())
    exe.run(startup)
    first = {p.name: np.array(p.get_value()) for p in main.all_parameters()}
    for program in (main, graph.to_program()):
        for name, value in first.items():
            main.global_block().var(name).set_value(value)
        found.append([exe.run(program, feed=feed, fetch_list=[loss.name])[0] for _ in range(3)])
    assert found[0] == found[1] and found[0][0] != found[0][2]
    weight = main.all_parameters()[0].name
    assert sum(n.name() == weight for n in graph.all_var_nodes()) == 2  # before and after sgd


def test_a_loop_stays() -> None:
    main = static.Program()
    with static.program_guard(main, static.Program()):
        i = paddle.full([1], 0, "int64")
        x = paddle.full([1], 1.0)
        i, x = static.nn.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * 2.0], [i, x])
        y = x + 1.0
    made = IrGraph(core.Graph(main.desc)).to_program()
    assert static.Executor().run(made, fetch_list=[y.name])[0].item() == 9.0


def test_removed_nodes_leave_the_program() -> None:
    main, _, _ = net()
    graph = IrGraph(core.Graph(main.desc))
    mean = graph.topology_sort()[-1]
    out = mean.outputs[0]
    graph.safe_remove_nodes({mean, out})
    made = graph.to_program()
    assert not made.global_block().has_var(out.name()) and len(made.global_block().ops) == 3


def test_it_is_drawn(tmp_path: Path) -> None:
    main, _, _ = net()
    graph = IrGraph(core.Graph(main.desc))
    graph.draw(str(tmp_path), "net", {op(graph, "relu")})
    text = (tmp_path / "net.dot").read_text()
    assert 'label="relu", shape=box, style=filled' in text and text.count("->") >= 8


def test_bad_input() -> None:
    main, _, _ = net()
    graph, other = IrGraph(core.Graph(main.desc)), IrGraph(core.Graph(main.desc))
    with pytest.raises(TypeError, match=r"expected program.desc of a Program, but got int"):
        core.Graph(3)
    with pytest.raises(ValueError, match="no 'nothing'"):
        graph.var_node("nothing")
    with pytest.raises(ValueError, match="is of another"):
        graph.link_to(op(other, "relu"), graph.var_node("x"))
    relu = op(graph, "relu")
    other_op = relu.inputs[0].inputs[0]  # it writes what relu reads
    graph.link_to(relu.outputs[0], other_op)
    assert graph.has_circle()
    with pytest.raises(ValueError, match="without circles"):
        graph.to_program()


def quantise(graph: IrGraph, bits: int) -> int:
    """A pass of a user's: rounds whatever multiplications read, each value once."""
    made: dict[str, IrVarNode] = {}
    for op_node in [n for n in graph.topology_sort() if n.name() == "mul"]:
        for var_node in [n for n in op_node.inputs if n.name() in op_node.input_arg_names()]:
            if var_node.name() not in made:
                out = graph.create_var_node(
                    f"{var_node.name()}.rounded", var_node.type(), var_node.shape(),
                    var_node.dtype(),
                )  # fmt: skip
                scale = graph.create_persistable_node(
                    f"{var_node.name()}.scale",
                    core.VarDesc.VarType.LOD_TENSOR,
                    [1],
                    core.VarDesc.VarType.FP32,
                )
                fake = graph.create_op_node(
                    "fake_quantize_dequantize_abs_max",
                    {"bit_length": bits, "op_role": core.op_proto_and_checker_maker.OpRole.Forward},
                    {"X": var_node}, {"Out": out, "OutScale": scale},
                )  # fmt: skip
                graph.link_to(var_node, fake)
                graph.link_to(fake, out)
                graph.link_to(fake, scale)
                made[var_node.name()] = out
            graph.update_input_link(var_node, made[var_node.name()], op_node)
    graph.resolve_hazard()
    return len(made)


def test_a_pass_of_a_user_over_a_program_that_trains() -> None:
    main, startup, loss = net(train=True)
    exe = static.Executor()
    exe.run(startup)
    values = {p: np.array(p.get_value()) for p in main.all_parameters()}
    weight = next(p for p in values if len(p.shape) == 2)
    first = values[weight]
    graph = IrGraph(core.Graph(main.desc))
    assert quantise(graph, bits=4) == 2 and not graph.has_circle()
    x = np.random.RandomState(0).rand(2, 3).astype("float32")
    compiled = fluid.CompiledProgram(graph.graph).with_data_parallel(loss_name=loss.name)
    expected = np.maximum(_rounded(x, 4) @ _rounded(first, 4), 0).mean()
    for run in (compiled, graph.to_program()):
        for parameter, value in values.items():
            parameter.set_value(value)
        got = exe.run(run, feed={"x": x}, fetch_list=[loss.name])[0]
        np.testing.assert_allclose(got, [expected], rtol=1e-5)
        assert np.abs(np.array(weight.get_value()) - first).max() > 0  # gradients pass through


def _rounded(value: np.ndarray, bits: int) -> np.ndarray:
    top = 2 ** (bits - 1) - 1
    scale = np.abs(value).max()
    return np.round(value / scale * top) * scale / top


def test_what_the_graph_itself_can_do() -> None:
    main, _, _ = net()
    graph = core.Graph(main.desc)
    nodes = graph.nodes()
    kinds = [n.node_type() for n in nodes]
    assert kinds.count(core.Node.Type.Operation) == 4 == len(core.topology_sort(graph))
    assert kinds.count(core.Node.Type.Variable) == len(nodes) - 4
    relu = next(n for n in nodes if n.name() == "relu")
    assert graph.retrieve_node(relu.id()) is relu and IrNode(relu) == relu
    assert not core.has_circle(graph) and core.graph_num(graph) == 1
    assert len(core.build_adjacency_list(graph)[relu]) == 1
    other = graph.create_op_node(relu.op())
    control, value = graph.create_control_dep_var(), graph.create_var_node(relu.inputs[0].var())
    assert core.graph_num(graph) == 4 and {other, control, value} <= graph.nodes()
    copy = graph.clone()
    core.graph_safe_remove_nodes(graph, {control, value})
    assert graph.remove_node(other) is other and core.graph_num(graph) == 1
    assert graph.origin_program_desc().block(0).op_size() == 4
    assert copy.origin_program_desc().block(0).op_size() == 5
    graph.resolve_hazard()
    with pytest.raises(RuntimeError, match=r"no node of the number -1"):
        graph.retrieve_node(-1)


def test_wrong_nodes() -> None:
    main, _, _ = net()
    graph = IrGraph(core.Graph(main.desc))
    relu, mean = op(graph, "relu"), graph.topology_sort()[-1]
    with pytest.raises(ValueError, match=r"between an operator and a variable, but 'relu' and"):
        graph.link_to(relu, mean)
    with pytest.raises(TypeError, match=r"expected a node, but got str"):
        graph.safe_remove_nodes(["relu"])
    with pytest.raises(TypeError, match=r"expected nodes in slot 'X', but got str"):
        graph.create_op_node("relu", {}, {"X": "x"}, {})
    with pytest.raises(TypeError, match=r"expected a name of a variable, but got 3"):
        graph.create_var_node(3, None, [1], "float32")
    with pytest.raises(TypeError, match=r"expected a node of a graph, but got str"):
        IrNode("x")
