"""paddle.save and paddle.load with open files in place of paths."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.framework import load, save
from paddle.serialization.tensor_stream import write_tensor


def state() -> dict[str, Any]:
    layer = paddle.nn.Linear(3, 2)
    layer(paddle.ones([1, 3])).sum().backward()
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    adam.step()
    return {
        "net": layer.state_dict(),
        "adam": adam.state_dict(),
        "epoch": 3,
        "x": [paddle.ones([2])],
    }


def alike(a: Any, b: Any) -> None:
    if isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            alike(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            alike(x, y)
    else:
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_a_stream_holds_what_the_file_holds(tmp_path: Path, protocol: int) -> None:
    obj, stream = state(), io.BytesIO()
    save(obj, stream, protocol)
    save(obj, str(tmp_path / "state"), protocol)
    assert (tmp_path / "state").read_bytes().startswith(stream.getvalue())
    stream.seek(0)
    alike(load(stream), load(str(tmp_path / "state")))
    assert stream.tell() == len(stream.getvalue())
    stream.seek(0)
    assert isinstance(load(stream, return_numpy=True)["net"]["weight"], np.ndarray)


def test_state_dicts_come_back_into_the_layer() -> None:
    layer, other, stream = paddle.nn.Linear(3, 2), paddle.nn.Linear(3, 2), io.BytesIO()
    save(layer.state_dict(), stream)
    stream.seek(0)
    other.set_state_dict(load(stream))
    alike(layer.state_dict(), other.state_dict())


def test_several_objects_follow_each_other() -> None:
    stream = io.BytesIO(b"head")
    stream.seek(4)
    for value in ({"a": 1}, paddle.ones([2, 3]), [4]):
        save(value, stream)
    stream.seek(4)
    assert load(stream) == {"a": 1} and load(stream).shape == [2, 3] and load(stream) == [4]
    with pytest.raises(ValueError, match="'<BytesIO>' is empty"):
        load(stream)


def test_open_files_of_any_kind(tmp_path: Path) -> None:
    x = paddle.ones([2, 3])
    with open(tmp_path / "x", "wb") as file:
        save(x, file)
    with open(tmp_path / "x", "rb") as file:
        assert load(file).shape == [2, 3]
    assert load(str(tmp_path / "x")).shape == [2, 3]
    with gzip.open(tmp_path / "z", "wb") as packed:
        save(x, packed)
    with gzip.open(tmp_path / "z", "rb") as packed:
        assert load(packed).shape == [2, 3]
    with tempfile.TemporaryFile() as file:
        save(x, file)
        file.seek(0)
        assert load(file).shape == [2, 3]


def test_a_file_that_cannot_seek() -> None:
    class Pipe:
        """What sockets and pipes have."""

        def __init__(self) -> None:
            self.held = b""

        def write(self, data: Any) -> None:
            self.held += bytes(data)

        def read(self) -> bytes:
            return self.held

    pipe = Pipe()
    save({"a": paddle.ones([2])}, pipe)
    assert load(pipe)["a"].shape == [2]


def test_programs_and_single_tensors() -> None:
    main = static.Program()
    with static.program_guard(main):
        static.data("x", [None, 3])
    stream = io.BytesIO()
    save(main, stream)
    stream.seek(0)
    assert load(stream).global_block().var("x").shape == (-1, 3)
    stream = io.BytesIO()
    write_tensor(stream, np.arange(6.0).reshape(2, 3))
    save(7, stream)
    stream.seek(0)
    assert load(stream).numpy().tolist() == [[0, 1, 2], [3, 4, 5]] and load(stream) == 7


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "'<BytesIO>' is empty"),
        (b"hello", r"cannot read the file '<BytesIO>' \(5 bytes\) at byte"),
        (b"\0\0\0\0\1", "paddle.load: the bytes: "),
        (b"\n\5\1", "paddle.load|Program"),
    ],
)
def test_what_is_no_saved_object(content: bytes, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        load(io.BytesIO(content))


def test_files_of_text_and_of_the_other_direction(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"save: expected a binary file, .* text, StringIO"):
        save(1, io.StringIO())
    with pytest.raises(TypeError, match=r"load: expected a binary file, .* text, StringIO"):
        load(io.StringIO("x"))
    with (
        open(tmp_path / "x", "wb") as file,
        pytest.raises(TypeError, match=r'load: expected .* open\(path, "rb"\).* without read\(\)'),
    ):
        load(file)
    with (
        open(tmp_path / "x", "rb") as file,
        pytest.raises(TypeError, match=r'save: expected .* open\(path, "wb"\).* without write\(\)'),
    ):
        save(1, file)
    with pytest.raises(ValueError, match="takes no option 'colour'"):
        load(io.BytesIO(), colour=1)
