"""`visualdl.export`: all runs as CSV, JSON, and event files that are parsed back here."""

from __future__ import annotations

import base64
import csv
import io
import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from visualdl import LogWriter
from visualdl.export import export, main
from visualdl.tensorboard import masked_crc

ROOT = Path(__file__).resolve().parents[3]
TIME = 1_700_000_000_500


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs, one with everything."""
    folder = tmp_path / "logs"
    with LogWriter(folder / "一" / "train", display_name="first") as writer:
        for step in range(3):
            writer.add_scalar("a/loss", step / 4, step, TIME + step)
        writer.add_scalar("a/loss", float("nan"), 3, TIME)
        writer.add_scalars("waves", {"sin": 0.5, "cos": 0.25}, 1, TIME)
        writer.add_image("picture", np.zeros((4, 5, 3)), 2, TIME)
        writer.add_audio("tone", [0.0, 0.5], 0, 4000, TIME)
        writer.add_text("words", 'one, "two"\n三', 1, TIME)
        writer.add_histogram("weights", [1.0, 2.0, 2.0, 5.0], 3, TIME, buckets=2)
        writer.add_pr_curve("pr", [0, 1, 1], [0.1, 0.9, 0.4], 4, 5, walltime=TIME)
        writer.add_roc_curve("roc", [0, 1, 1], [0.1, 0.9, 0.4], 4, 5, walltime=TIME)
        writer.add_embeddings("vectors", [[1, 2], [3, 4]], ["a", "b"], walltime=TIME)
        writer.add_hparams({"lr": 0.1, "name": "sgd"}, ["a/loss"], TIME)
    with LogWriter(folder / "other") as writer:
        writer.add_scalar("a/loss", 8.0, 0, TIME)
    return folder


def test_csv(logs: Path, tmp_path: Path) -> None:
    written = export(str(logs), "csv", str(tmp_path / "out.csv"))
    assert written == {"scalar": 5, "scalars": 2}
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert rows[0] == {
        "run": str(logs / "other"), "tag": "a/loss", "sub_tag": "", "step": "0",
        "timestamp_ms": str(TIME), "value": "8.0",
    }  # fmt: skip
    values = [row["value"] for row in rows if row["run"].endswith("train")]
    assert values[:4] == ["0.0", "0.25", "0.5", "nan"]
    assert {row["sub_tag"]: row["value"] for row in rows if row["tag"] == "waves"} == {
        "sin": "0.5",
        "cos": "0.25",
    }


def test_json(logs: Path, tmp_path: Path) -> None:
    export(str(logs), "json", str(tmp_path / "out.json"))
    rows = json.loads((tmp_path / "out.json").read_text("utf-8"))
    found = {row["component"]: row for row in rows if row["run"].endswith("train")}
    assert len(rows) == 17
    assert found["scalar"]["value"] == "NaN" and found["scalars"]["sub_tag"] == "cos"
    assert base64.b64decode(found["image"]["png"]).startswith(b"\x89PNG")
    assert base64.b64decode(found["audio"]["wav"]).startswith(b"RIFF")
    assert found["text"]["text"] == 'one, "two"\n三'
    assert found["histogram"]["counts"] == [3, 1] and found["histogram"]["edges"] == [1, 3, 5]
    assert len(found["pr_curve"]["precision"]) == 5 == len(found["roc_curve"]["tpr"])
    assert found["embeddings"]["vectors"] == [[1, 2], [3, 4]]
    assert found["hyper_parameters"]["hparams"] == {"lr": 0.1, "name": "sgd"}
    assert found["meta_data"]["display_name"] == "first"
    assert found["text"]["step"] == 1 and found["text"]["timestamp_ms"] == TIME


def test_nothing_is_sampled(tmp_path: Path) -> None:
    """TensorBoard gives at most 1,000 points; records are read in parts of 10,000 here."""
    with LogWriter(tmp_path / "long") as writer:
        for step in range(25_000):
            writer.add_scalar("x", step, step)
    for name in ("csv", "json", "tensorboard"):
        written = export(str(tmp_path / "long"), name, str(tmp_path / f"out.{name}"))
        assert written["scalar"] == 25_000
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert [int(row["step"]) for row in csv.DictReader(file)] == list(range(25_000))
    rows = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert [row["value"] for row in rows[1:]] == list(range(25_000))
    found = [event.step for event in events(tmp_path / "out.tensorboard" / "long")]
    assert found == [0, *range(25_000)]


def test_nothing_to_write(tmp_path: Path) -> None:
    assert export(str(tmp_path), "json", str(tmp_path / "out.json")) == {}
    assert json.loads((tmp_path / "out.json").read_text()) == []
    assert export(str(tmp_path), "tensorboard", str(tmp_path / "out")) == {}
    assert main([str(tmp_path)]) == 1


# -- event files -----------------------------------------------------------------------------------
SCHEMA: dict[str, dict[str, tuple[int, str]]] = {
    "Event": {
        "wall_time": (1, "double"), "step": (2, "int64"), "file_version": (3, "string"),
        "summary": (5, "Summary"),
    },
    "Summary": {"value": (1, "*Content")},
    "Content": {
        "tag": (1, "string"), "simple_value": (2, "float"), "image": (4, "Picture"),
        "histo": (5, "Histo"), "audio": (6, "Sound"), "tensor": (8, "Tensor"),
        "metadata": (9, "Metadata"),
    },
    "Picture": {
        "height": (1, "int64"), "width": (2, "int64"), "colorspace": (3, "int64"),
        "encoded_image_string": (4, "bytes"),
    },
    "Histo": {
        "min": (1, "double"), "max": (2, "double"), "num": (3, "double"), "sum": (4, "double"),
        "sum_squares": (5, "double"), "bucket_limit": (6, "*double"), "bucket": (7, "*double"),
    },
    "Sound": {
        "sample_rate": (1, "float"), "num_channels": (2, "int64"), "length_frames": (3, "int64"),
        "encoded_audio_string": (4, "bytes"), "content_type": (5, "string"),
    },
    "Tensor": {
        "dtype": (1, "int64"), "tensor_shape": (2, "Shape"), "tensor_content": (4, "bytes"),
        "string_val": (8, "*bytes"),
    },
    "Shape": {"dim": (2, "*Size")},
    "Size": {"size": (1, "int64")},
    "Metadata": {"plugin_data": (1, "Plugin")},
    "Plugin": {"plugin_name": (1, "string"), "content": (2, "bytes")},
}  # fmt: skip
"""TensorFlow's messages as its .proto files have them, as far as they are written."""


SESSIONS: dict[str, dict[str, tuple[int, str]]] = {
    "Data": {"version": (1, "int64"), "session_start_info": (3, "Start")},
    "Start": {
        "hparams": (1, "*Pair"), "group_name": (4, "string"), "start_time_secs": (5, "double"),
    },
    "Pair": {"key": (1, "string"), "value": (2, "Setting")},
    "Setting": {"number_value": (2, "double"), "string_value": (3, "string")},
}  # fmt: skip
"""The same for what TensorBoard's page of hyper-parameters reads; a map is a list of pairs."""


def event_class() -> Any:
    """Gives the class of events."""
    return class_of(SCHEMA, "Event")


def start_class() -> Any:
    """Gives the class of what says that a session began."""
    return class_of(SESSIONS, "Data")


def class_of(schema: dict[str, dict[str, tuple[int, str]]], wanted: str) -> Any:
    """Gives the class of a message."""
    kinds = {"double": 1, "float": 2, "int64": 3, "string": 9, "bytes": 12}
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="t", syntax="proto3")
    for name, fields in schema.items():
        message = file.message_type.add(name=name)
        for key, (number, kind) in fields.items():
            many, kind = kind.startswith("*"), kind.lstrip("*")
            field = message.field.add(name=key, number=number, label=3 if many else 1)
            field.type = kinds.get(kind, 11)
            if kind not in kinds:
                field.type_name = f".t.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"t.{wanted}"))


def events(folder: Path) -> Iterator[Any]:
    """Reads the one event file of a folder, with its checksums."""
    (path,) = folder.glob("events.out.tfevents.*")
    data, at = path.read_bytes(), 0
    kind = event_class()
    while at < len(data):
        size, crc = struct.unpack_from("<QI", data, at)
        assert crc == masked_crc(data[at : at + 8])
        content = data[at + 12 : at + 12 + size]
        (crc,) = struct.unpack_from("<I", data, at + 12 + size)
        assert crc == masked_crc(content)
        yield kind.FromString(content)
        at += 16 + size


def test_checksums() -> None:
    """Known answers: CRC-32C of RFC 3720, and the first record of every event file."""
    for data, crc in ((b"", 0), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43)):
        turned = (crc >> 15 | crc << 17) & 0xFFFFFFFF
        assert masked_crc(data) == (turned + 0xA282EAD8) & 0xFFFFFFFF


def test_event_files(logs: Path, tmp_path: Path) -> None:
    written = export(str(logs), "tensorboard", str(tmp_path / "out"))
    assert written["scalar"] == 5 and "roc_curve" not in written and written["embeddings"] == 1
    first, *rest = events(tmp_path / "out" / "一" / "train")
    assert first.file_version == "brain.Event:2"
    _, other = events(tmp_path / "out" / "other")
    assert other.summary.value[0].simple_value == 8
    found: dict[str, list[Any]] = {}
    for event in rest:
        (content,) = event.summary.value
        found.setdefault(content.tag, []).append((event, content))
    scalars = [(event.step, content.simple_value) for event, content in found["a/loss"]]
    assert scalars[:3] == [(0, 0.0), (1, 0.25), (2, 0.5)] and np.isnan(scalars[3][1])
    assert [event.wall_time for event, _ in found["a/loss"]][:2] == [TIME / 1000, (TIME + 1) / 1000]
    assert found["waves/sin"][0][1].simple_value == 0.5
    picture = found["picture"][0][1].image
    assert (picture.height, picture.width, picture.colorspace) == (4, 5, 3)
    assert picture.encoded_image_string.startswith(b"\x89PNG")
    sound = found["tone"][0][1].audio
    assert (sound.sample_rate, sound.num_channels, sound.length_frames) == (4000, 1, 2)
    histo = found["weights"][0][1].histo
    assert (histo.min, histo.max, histo.num) == (1, 5, 4)
    assert list(histo.bucket_limit) == [1, 3, 5] and list(histo.bucket) == [0, 3, 1]
    words = found["words"][0][1]
    assert words.metadata.plugin_data.plugin_name == "text"
    assert list(words.tensor.string_val) == ['one, "two"\n三'.encode()]
    curve = found["pr"][0][1]
    assert curve.metadata.plugin_data.plugin_name == "pr_curves"
    assert [dim.size for dim in curve.tensor.tensor_shape.dim] == [6, 5]
    assert np.frombuffer(curve.tensor.tensor_content, "<f4").reshape(6, 5)[0, 0] == 2
    start = found["_hparams_/session_start_info"][0][1].metadata.plugin_data
    session = start_class().FromString(start.content).session_start_info
    assert start.plugin_name == "hparams" and session.start_time_secs == TIME / 1000
    settings = {one.key: one.value for one in session.hparams}
    assert set(settings) == {"lr", "name"}
    assert (settings["lr"].number_value, settings["name"].string_value) == (0.1, "sgd")


def test_a_tag_of_several_kinds_becomes_several(tmp_path: Path) -> None:
    """TensorBoard takes a tag for what its first value is, and fails at others."""
    with LogWriter(tmp_path / "run") as writer:
        for step in range(2):
            writer.add_scalar("x", 0.5, step)
            writer.add_text("x", "words", step)
            writer.add_histogram("x", [1.0], step)
    export(str(tmp_path), "tensorboard", str(tmp_path / "out"))
    _, *rest = events(tmp_path / "out" / "run")
    assert [event.summary.value[0].tag for event in rest] == ["x", "x/text", "x/histogram"] * 2


def test_vectors_of_event_files(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "run") as writer:
        writer.add_embeddings("old", [[0.0, 1.0]], ["x"])
        columns = [["a\tb", "c"], ["1", "2"]]
        writer.add_embeddings('two "一"', [[0.1, 2.0], [3.0, -4e20]], columns, ["name", "n"])
        writer.add_embeddings("old", [[5.0, 6.0, 7.0]], ["y"])
    assert export(str(tmp_path), "tensorboard", str(tmp_path / "out")) == {"embeddings": 3}
    folder = tmp_path / "out" / "run"
    config = (folder / "projector_config.pbtxt").read_text("utf-8").splitlines()
    assert config == [
        'embeddings { tensor_name: "old" tensor_path: "vectors_0.tsv" '
        'metadata_path: "labels_0.tsv" }',
        'embeddings { tensor_name: "two \\"一\\"" tensor_path: "vectors_1.tsv" '
        'metadata_path: "labels_1.tsv" }',
    ]
    assert (folder / "vectors_0.tsv").read_text() == "5\t6\t7\n"
    np.testing.assert_array_equal(
        np.loadtxt(folder / "vectors_1.tsv", np.float32), np.float32([[0.1, 2.0], [3.0, -4e20]])
    )
    assert (folder / "labels_0.tsv").read_text() == "y\n"
    assert (folder / "labels_1.tsv").read_text() == "name\tn\na b\t1\nc\t2\n"


# -- the command -----------------------------------------------------------------------------------
def test_the_command(logs: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "visualdl.export", str(logs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=120)
    assert len(list(csv.reader(io.StringIO(done.stdout.decode())))) == 8
    assert "5 scalar, 2 scalars" in done.stderr.decode()
    (log,) = (logs / "other").iterdir()
    assert main([str(log), "--format", "json", "--output", str(tmp_path / "one.json")]) == 0
    assert len(json.loads((tmp_path / "one.json").read_text())) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere"],
        [".", "--format", "tensorboard"],
        [".", "--format", "xml"],
        [],
    ],
)
def test_wrong_commands(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_wrong_calls(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^format: "):
        export(str(tmp_path), "xml")
    with pytest.raises(ValueError, match=r"^output: "):
        export(str(tmp_path), "tensorboard")
