"""What add_graph writes: a Program beside the log whose scopes are the layers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import paddle
from visualdl import LogWriter
from visualdl.graph import write
from visualdl.graph.files import model_files, read_file
from visualdl.graph.model import Model

SPEC = [paddle.static.InputSpec([None, 4], "float32")]


class Net(paddle.nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = paddle.nn.LayerList([paddle.nn.Linear(4, 4) for _ in range(2)])
        self.head = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.ReLU())

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(self.blocks[0](x))


def groups(model: Model) -> list[tuple[str, str]]:
    return [(g["name"], g["kind"]) for g in model.as_json()["groupings"]["scope"]]


def test_scopes_are_layers(tmp_path: Path) -> None:
    net = Net()
    before = net(paddle.ones([2, 4])).numpy()
    path = write(str(tmp_path), net, SPEC)
    model = read_file(path, "net")
    found = groups(model)
    for group in (
        ("blocks.0", "Linear"),
        ("blocks.1", "Linear"),
        ("head", "Sequential"),
        ("0", "Linear"),
    ):
        assert group in found
    assert model.parameters() == {"tensors": 6, "count": 4 * 4 * 2 + 4 * 2 + 4 * 3 + 3}
    assert (net(paddle.ones([2, 4])).numpy() == before).all()
    assert [f for f in os.listdir(tmp_path) if f.startswith(".")] == []


def test_a_layer_called_twice(tmp_path: Path) -> None:
    found = groups(read_file(write(str(tmp_path), Net(), SPEC), "net"))
    assert ("blocks.0_1", "Linear") in found


def test_files_of_one_second_have_names_of_their_own(tmp_path: Path) -> None:
    paths = [write(str(tmp_path), paddle.nn.Linear(4, 2), SPEC, ".x") for _ in range(3)]
    assert len(set(paths)) == 3
    assert all(path.endswith(".x.pdmodel") and "vdlgraph." in path for path in paths)
    assert [f.run for f in model_files([str(tmp_path)], None)][0] == str(tmp_path)


def test_log_writer(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    with LogWriter(logdir=str(tmp_path / "log")) as writer:
        writer.add_graph(
            paddle.vision.models.LeNet(), [paddle.static.InputSpec([None, 1, 28, 28])], verbose=True
        )
        writer.add_scalar("a", 1.0, 0)
    assert "conv2d" in capsys.readouterr().out
    (found,) = model_files([str(tmp_path)], None)
    assert ("features", "Sequential") in groups(read_file(found.path, "lenet"))


def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="model"):
        write(str(tmp_path), lambda x: x, SPEC)
    with pytest.raises(ValueError, match="input_spec"):
        write(str(tmp_path), Net(), [])
    with pytest.raises(ValueError, match="converted"):
        write(str(tmp_path), Net(), [paddle.static.InputSpec([None, 5], "float32")])
    assert os.listdir(tmp_path) == []
