"""Graphs of ONNX files: what our own export and the onnx package write."""

from __future__ import annotations

from pathlib import Path

import pytest

import paddle
from visualdl.graph import files
from visualdl.graph.errors import GraphError
from visualdl.graph.files import read_bytes, read_file
from visualdl.graph.onnx_file import read_onnx


@pytest.fixture(scope="module")
def lenet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("onnx") / "lenet"
    spec = [paddle.static.InputSpec([None, 1, 28, 28], "float32", "picture")]
    net = paddle.vision.models.LeNet()
    net.eval()
    paddle.onnx.export(net, str(path), spec)
    return path.with_suffix(".onnx")


def test_export(lenet: Path) -> None:
    made = read_file(str(lenet), "lenet.onnx").as_json()
    assert made["format"] == "onnx"
    assert made["operators"]["Conv"] == 2
    assert [made["nodes"][n]["name"] for n in made["inputs"]] == ["picture"]
    assert made["parameters"]["count"] >= 61610
    conv = next(n for n in made["nodes"] if n["type"] == "Conv")
    assert ["kernel_shape", "ints", "[3, 3]"] in conv["attributes"]
    shape = made["tensors"][conv["inputs"][0][1][0]]["shape"]
    assert shape[1:] == [1, 28, 28]
    assert all(a < b for a, b, _ in made["edges"])


def test_weights_are_not_read(lenet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is read in parts, and its weights are passed over."""
    size = lenet.stat().st_size
    read = []

    class Counting(files.FileBytes):
        WINDOW = 64

        def _read(self, start: int, stop: int) -> bytes:
            read.append(stop - start)
            return super()._read(start, stop)

    with open(lenet, "rb") as file:
        made = read_onnx(Counting(file.fileno(), size, "lenet"), "lenet")
    assert made.nodes
    assert sum(read) < size / 4


def test_a_file_that_shrinks(lenet: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.onnx"
    path.write_bytes(lenet.read_bytes())
    with open(path, "rb") as file:
        data = files.FileBytes(file.fileno(), path.stat().st_size, "cut")
        path.write_bytes(b"")
        with pytest.raises(GraphError, match="cut at byte"):
            read_onnx(data, "cut")


def test_branches_scopes_and_what_onnx_checks() -> None:
    onnx = pytest.importorskip("onnx")
    helper, floats = onnx.helper, onnx.TensorProto.FLOAT
    then = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["a"], name="/net/branch/relu")],
        "then", [], [helper.make_tensor_value_info("a", floats, ["n", 2])],
    )  # fmt: skip
    other = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["b"])],
        "other", [], [helper.make_tensor_value_info("b", floats, ["n", 2])],
    )  # fmt: skip
    graph = helper.make_graph(
        [
            helper.make_node("Not", ["c"], ["d"], name="/net/not"),
            helper.make_node(
                "If", ["d"], ["y"], name="/net/if", then_branch=then, else_branch=other
            ),
            helper.make_node("Mine", ["y"], ["z"], domain="my.domain", size=3, name="/net/mine"),
        ],
        "net",
        [
            helper.make_tensor_value_info("c", onnx.TensorProto.BOOL, []),
            helper.make_tensor_value_info("x", floats, ["n", 2]),
        ],
        [helper.make_tensor_value_info("z", floats, ["n", 2])],
    )
    data = helper.make_model(graph).SerializeToString()
    model = read_bytes(data, "if.onnx")
    made = model.as_json()
    types = {n["type"]: n for n in made["nodes"]}
    inside = [n for n in model.nodes if n.type in ("Relu", "Neg")]
    assert [n.inside for n in inside] == [("/net/if",), ("/net/if",)]
    source = types["x" if "x" in types else "input"]
    assert source["kind"] == "input"
    reads = {
        made["nodes"][b]["type"] for a, b, t in made["edges"] if made["tensors"][t]["name"] == "x"
    }
    assert reads == {"Relu", "Neg"}
    assert ["domain", "string", "my.domain"] in types["Mine"]["attributes"]
    assert made["tensors"][types["Relu"]["inputs"][0][1][0]]["shape"] == ["n", 2]
    assert made["grouping"] == "scope"
    assert "net" in {g["name"] for g in made["groupings"]["scope"]}
