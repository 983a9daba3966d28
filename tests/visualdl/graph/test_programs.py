"""Graphs of Programs that PaddlePaddle 1.8.5 and 2.6.2 wrote: the frozen corpora of tests/data."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from visualdl.graph.files import read_bytes, read_file
from visualdl.graph.model import Model
from visualdl.graph.schema import table

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"
ARCHIVES = sorted(
    str(path.relative_to(DATA))
    for folder in ("models", "inference", "programs")
    for path in (DATA / folder).glob("*.zip")
    if folder != "programs" or "1.8.5_l" in path.name or "cond" in path.name
)


def programs(archive: str) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(DATA / archive) as opened:
        for name in opened.namelist():
            if name.endswith((".pdmodel", "__model__", ".model", ".pb")):
                yield name, opened.read(name)


def program(archive: str, name: str) -> Model:
    with zipfile.ZipFile(DATA / archive) as opened:
        return read_bytes(opened.read(name), name)


@pytest.mark.parametrize("archive", ARCHIVES)
def test_corpus(archive: str) -> None:
    """Every file becomes a graph that hangs together and is valid JSON."""
    for name, data in programs(archive):
        made = read_bytes(data, name).as_json()
        json.dumps(made, allow_nan=False)
        nodes, tensors = made["nodes"], made["tensors"]
        for source, target, tensor in made["edges"]:
            assert source < target, name
            assert tensor in {t for _, ts in nodes[source]["outputs"] for t in ts}
            assert tensor in {t for _, ts in nodes[target]["inputs"] for t in ts}
        for node in nodes:
            for _, used in (*node["inputs"], *node["outputs"]):
                assert all(0 <= tensor < len(tensors) for tensor in used)
        for kind, groups in made["groupings"].items():
            members = [node["groups"][kind] for node in nodes]
            assert all(-1 <= group < len(groups) for group in members)
            assert all(group["parent"] < at for at, group in enumerate(groups))
            assert sum(g["operators"] for g in groups if g["parent"] < 0) <= len(nodes)
        if "inference" in archive:
            assert made["inputs"], name
            assert made["outputs"], name
        assert len({node["name"] for node in nodes if node["kind"] == "operator"}) == sum(
            made["operators"].values()
        )


def test_same_operators_as_the_program() -> None:
    """Types, slots and shapes are those that paddle's own reader finds."""
    from paddle.serialization.program.proto import from_bytes

    for name, data in programs("inference/2.6.2.zip"):
        made, desc = read_bytes(data, name), from_bytes(data)
        mine = [n for n in made.nodes if n.kind == "operator" and not n.inside]
        ops = [op for op in desc.global_block().ops if op.type not in ("feed", "fetch")]
        inside = {"while", "conditional_block"}
        mine = [n for n in mine if n.type not in inside]
        ops = [op for op in ops if op.type not in inside]
        assert [n.type for n in mine] == [op.type for op in ops]
        for node, op in zip(mine, ops, strict=True):
            for slot, tensors in node.outputs:
                names = [n for n in op.outputs[slot] if n != "@EMPTY@"]
                assert [made.tensors[t].name for t in tensors] == names
        for var in desc.global_block().vars.values():
            found = [t for t in made.tensors if t.name == var.name and t.shape is not None]
            for tensor in found[:1]:
                assert tensor.shape == list(var.shape), var.name
                assert tensor.parameter == bool(var.persistable), var.name


def test_lenet(tmp_path: Path) -> None:
    """Layers by the structured names beside a model of 2.x, edges, parameters, attributes."""
    with zipfile.ZipFile(DATA / "models/2.6.2.zip") as opened:
        opened.extractall(tmp_path, [n for n in opened.namelist() if n.startswith("digits/model")])
    made = read_file(str(tmp_path / "digits/model/net.pdmodel"), "net.pdmodel").as_json()
    assert (made["format"], made["version"], made["grouping"]) == ("paddle", "2.6.2", "layer")
    tensors = made["tensors"]
    names = [g["name"] for g in made["groupings"]["layer"]]
    assert names, made["groupings"]
    conv = next(n for n in made["nodes"] if n["type"] == "conv2d")
    slots = dict(conv["inputs"])
    assert tensors[slots["Filter"][0]]["parameter"]
    assert (
        tensors[slots["Input"][0]]["name"] == tensors[made["nodes"][0]["outputs"][0][1][0]]["name"]
    )
    assert ["strides", "ints", "[1, 1]"] in conv["attributes"]
    assert made["parameters"]["count"] == sum(
        g["parameters"] for g in made["groupings"]["layer"] if g["parent"] < 0
    )


def test_without_structured_names() -> None:
    """Files alone group by the prefixes of their parameters."""
    made = program("models/2.6.2.zip", "digits/model/net.pdmodel").as_json()
    assert {"conv2d_0", "linear_0"} & {g["name"] for g in made["groupings"]["layer"]} or (
        made["groupings"]["layer"]
    )


def test_blocks_of_loops_and_branches() -> None:
    """Operators of a while or of a branch lie in a group with the operator that runs them."""
    for archive, name in (
        ("models/1.8.5.zip", "halving/model/__model__"),
        ("models/2.6.2.zip", "branches/model/net.pdmodel"),
    ):
        model = program(archive, name)
        made = model.as_json()
        outer = [n for n in model.nodes if n.type in ("while", "conditional_block")]
        assert outer
        for node in outer:
            inside = [n for n in model.nodes if n.name != node.name and node.name in n.inside]
            assert inside
        for kind in ("scope", "layer", "block"):
            assert outer[0].name in {g["name"] for g in made["groupings"][kind]}


def test_roles_of_training() -> None:
    """Gradients and optimizer are groups of their own."""
    made = program("programs/1.8.5_lenet_adam.zip", "main.pb").as_json()
    top = {g["name"] for g in made["groupings"]["layer"] if g["parent"] < 0}
    assert {"backward", "optimizer"} <= top
    assert {n["role"] for n in made["nodes"]} >= {"", "backward", "optimizer"}
    assert made["inputs"]


def test_schema_is_paddles() -> None:
    """The table of messages is a part of the one from which paddle reads and writes."""
    facts = json.loads((ROOT / "paddle/serialization/program/framework.json").read_text("utf8"))
    others = {
        "Slot": "OpDesc.Var",
        "Attr": "OpDesc.Attr",
        "TensorDesc": "VarType.TensorDesc",
        "LoDTensorDesc": "VarType.LoDTensorDesc",
        "OpVersionPair": "OpVersionMap.OpVersionPair",
    }
    labels = {"?": "optional", "!": "required", "*": "repeated"}
    for message, fields in table("paddle").items():
        real = facts["messages"][others.get(message, message)]
        for name, (number, label, kind) in fields.items():
            assert [number, labels[label]] == real[name][:2], (message, name)
            if kind not in table("paddle") and kind not in ("bytes", "int32"):
                assert kind == real[name][2], (message, name)


def test_reading_imports_neither_paddle_nor_torch() -> None:
    code = (
        "import sys; from visualdl.graph import routes, files\n"
        f"files.read_file({str(DATA / 'visualdl/graph/vdlgraph.1700000000.log')!r}, 'x')\n"
        "assert not {'paddle', 'torch', 'onnx', 'flask'} & set(sys.modules), 'imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)
