"""Model files that are cut, damaged or meant to harm: an error says so, soon, in little memory."""

from __future__ import annotations

import json
import os
import pickle
import random
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from visualdl.graph import model as limits
from visualdl.graph import wire
from visualdl.graph.errors import GraphError
from visualdl.graph.files import model_files, read_bytes, read_file, structured_names
from visualdl.graph.real_form import Folding

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def program() -> bytes:
    with zipfile.ZipFile(DATA / "models/2.6.2.zip") as opened:
        return opened.read("branches/model/net.pdmodel")


def survives(data: bytes, name: str = "net.pdmodel") -> bool:
    """Reads to the end or says why not; anything else is a mistake."""
    try:
        made = read_bytes(data, name)
        json.dumps(made.as_json(), allow_nan=False)
        Folding(made).as_json(everything=True)
    except GraphError as error:
        assert str(error).startswith(name)
        return False
    return True


def test_cut_anywhere(program: bytes) -> None:
    read = sum(survives(program[:at]) for at in range(0, len(program), 7))
    assert read < 20  # only where a field of the ProgramDesc happens to end


def test_flipped_bits(program: bytes) -> None:
    choice = random.Random(0)
    for _ in range(400):
        data = bytearray(program)
        for _ in range(choice.choice((1, 2, 30))):
            data[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
        survives(bytes(data))


def test_garbage() -> None:
    choice = random.Random(1)
    for head in (b"", b"\n", b"\x08", b"{", b"\x80\x04"):
        for _ in range(60):
            survives(head + choice.randbytes(choice.randrange(200)))
    for name in ("net.onnx", "vdlgraph.log"):
        survives(choice.randbytes(500), name)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"PK\x03\x04zip", "begins like none"),
        (b"\x89HDF\r\n", "begins like none"),
        (b"\n\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "no end"),
        (b"\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "begins no number"),
        (b"\n\x02\x0b\x00", "begins no field"),
        (b"\n\x00" * 20, "damaged"),
        (b"{", "JSON"),
        (b'{"nodes": 3, "vars": []}', "JSON"),
        (b'{"nodes": [{"name": 1}], "vars": [{}]}', "JSON"),
        (b"[" * 100_000, "begins like none"),
        (b'{"a":' * 100_000, "JSON"),
    ],
)
def test_errors_say_what_is_wrong(data: bytes, said: str) -> None:
    with pytest.raises(GraphError, match=said):
        read_bytes(data, "x")


def test_messages_within_each_other() -> None:
    data = b""
    for _ in range(3000):  # TypeProto has no depth in a Program: graphs in attributes of ONNX have
        data = b"\x32" + _varint(len(data)) + data
        data = b"\x2a" + _varint(len(data)) + data
        data = b"\x0a" + _varint(len(data)) + data
    onnx = b"\x08\x07\x3a" + _varint(len(data)) + data
    with pytest.raises(GraphError, match="deep"):
        read_bytes(onnx, "x.onnx")


def test_many_tiny_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would become fifty bytes for each two is refused before it is parsed."""
    monkeypatch.setattr(wire, "MOST_FIELDS", 100_000)
    op = b"\x0a\x00" * 300_000
    block = b"\x08\x00\x10\x00\x22" + _varint(len(op)) + op
    data = b"\n" + _varint(len(block)) + block
    tracemalloc.start()
    with pytest.raises(GraphError, match="fields"):
        read_bytes(data, "x")
    assert tracemalloc.get_traced_memory()[1] < 2 * len(data)
    tracemalloc.stop()


def test_too_many_operators(monkeypatch: pytest.MonkeyPatch, program: bytes) -> None:
    monkeypatch.setattr(limits, "MOST_NODES", 20)
    with pytest.raises(GraphError, match="more than 20"):
        read_bytes(program, "x")


def test_blocks_that_contain_themselves(program: bytes) -> None:
    """Attributes that name their own block, or one that is not there."""
    op = _field(3, b"while") + _field(4, _field(1, b"sub_block") + b"\x10\x08\x60\x00")
    for block in (0, 1, 7):
        made = op[:-1] + bytes([block])
        one = b"\x08\x00\x10\x00" + _field(4, made)
        two = b"\x08\x01\x10\x00" + _field(4, op[:-1] + b"\x01")
        assert survives(_field(1, one) + _field(1, two))


def test_names_of_all_kinds() -> None:
    name = "<script>alert(1)</script>/../%2e 中文\n".encode() + b"\xff"
    op = _field(3, name) + _field(2, _field(1, name) + _field(2, name))
    op += _field(
        4, _field(1, b"op_namescope") + b"\x10\x02" + _field(5, b"/" * 5000 + b"a/" * 5000)
    )
    made = read_bytes(_field(1, b"\x08\x00\x10\x00" + _field(4, op) * 3), "x").as_json()
    assert made["nodes"][0]["type"].startswith("<script>")
    assert len(made["groupings"]["scope"]) <= 64
    json.dumps(made, ensure_ascii=False).encode()


def test_pickles_beside_a_model(tmp_path: Path) -> None:
    """The file of structured names is a pickle: nothing in it is called."""

    class Harm:
        def __reduce__(self) -> tuple:
            return os.mkdir, (str(tmp_path / "harm"),)

    path = tmp_path / "net.pdmodel"
    beside = tmp_path / "net.pdiparams.info"
    for data in (
        pickle.dumps({"w": {"structured_name": Harm()}}),
        b"\x96\xff\xff\xff\xff\xff\xff\xff\x0f.",
        b"garbage",
        b"",
        pickle.dumps([1, 2]),
        pickle.dumps({"w": {"structured_name": 3}, 4: 5}),
    ):
        beside.write_bytes(data)
        assert structured_names(str(path)) == {}
    assert not (tmp_path / "harm").exists()
    beside.write_bytes(pickle.dumps({"w": {"structured_name": "a.w", "trainable": True}}))
    assert structured_names(str(path)) == {"w": "a.w"}


def test_links_out_of_the_folders(tmp_path: Path, program: bytes) -> None:
    logs, outside = tmp_path / "logs", tmp_path / "outside"
    for folder in (logs / "a", outside):
        folder.mkdir(parents=True)
    (outside / "secret.pdmodel").write_bytes(program)
    (logs / "a" / "link.pdmodel").symlink_to(outside / "secret.pdmodel")
    (logs / "folder").symlink_to(outside)
    (logs / "a" / "gone.pdmodel").symlink_to(outside / "nothing")
    os.mkfifo(logs / "a" / "pipe.pdmodel")
    (logs / "a" / "vdlgraph.1.pdmodel").mkdir()
    assert model_files([str(logs)], None) == []
    (logs / "a" / "net.pdmodel").write_bytes(program)
    (found,) = model_files([str(logs)], None)
    assert found.path == str(logs / "a" / "net.pdmodel")


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(GraphError) as caught:
        read_file(str(tmp_path / "x.pdmodel"), "x")
    assert caught.value.status == 404


def _varint(number: int) -> bytes:
    made = b""
    while number > 127:
        made += bytes([number & 127 | 128])
        number >>= 7
    return made + bytes([number])


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data
