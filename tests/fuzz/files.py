"""Damaged pickles, tensor streams and saved models: read, or refused in our words."""

from __future__ import annotations

import pickle
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np

import paddle
from paddle import nn
from paddle.core.errors import FrameworkError
from paddle.framework.io import load, save
from paddle.serialization.tensor_stream import read_combined, write_combined
from paddle.static import InputSpec

# Pieces from which a random stream of opcodes makes something now and then.
_ARRAY = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R"
_F4 = b"cnumpy\ndtype\nX\x02\x00\x00\x00f4K\x00K\x01\x87R"
_PIECES = [
    _ARRAY, _F4, b"K\x01", b"C\x02ab", b"X\x01\x00\x00\x00a", b"h\x00", b"q\x00", b"\x94", b"(",
    b")", b"}", b"]", b"tb", b"\x85R", b"ccollections\nOrderedDict\n", b"cbuiltins\ntuple\n",
    b"cbuiltins\nset\n", b"c_codecs\nencode\n", b"cnumpy\ndtype\n", b"h\x00h\x00\x86",
    b"cnumpy.core.multiarray\nscalar\n", b"\x8a\x08" + b"\xff" * 7 + b"\x7f", b"a", b"e", b"s",
    b"u", b"b", b"R", b"2", b"0", b"\x8f", b"\x90", b"\x91", b"G" + b"\x7f" * 8,
    b"\x8d" + struct.pack("<Q", 1 << 40), b"\x95" + struct.pack("<Q", 1 << 60),
]  # fmt: skip


def damaged(content: bytes, r: random.Random) -> bytes:
    """Flipped bits, other bytes, a cut, a row of zeros, bytes from elsewhere, a large number."""
    made = bytearray(content)
    at = r.randrange(len(made))
    how = r.choice(("flip", "flip", "byte", "cut", "zero", "move", "number", "insert"))
    if how == "flip":
        for _ in range(r.randint(1, 4)):
            made[r.randrange(len(made))] ^= 1 << r.randrange(8)
    elif how == "byte":
        made[at] = r.randrange(256)
    elif how == "cut":
        del made[max(at, 1) :]
    elif how == "zero":
        made[at : at + 8] = bytes(len(made[at : at + 8]))
    elif how == "move":
        start = r.randrange(len(made))
        made[at:at] = made[start : start + 16]
    elif how == "number":
        made[at : at + 4] = struct.pack("<I", r.choice((0xFFFFFFFF, 0x7FFFFFFF, 1 << 24, 0)))
    else:
        made[at:at] = r.choice(_PIECES)
    return bytes(made)


def _objects() -> list[Any]:
    w = paddle.to_tensor(np.arange(6, dtype="float32").reshape(2, 3))
    w.name = "w_0"
    return [
        {"w": w, "LR_Scheduler": {"last_epoch": 3, "steps": [1, (2, None)]}},
        {"a": [w, {1, 2}, (1.5, b"x", "text" * 40)], "n": 2**80, "d": np.ones(3, "int8")},
        [np.float64(2), np.zeros((2, 0), ">i4"), {(1, "a"): True}],
    ]


def fuzz_pickles(r: random.Random, count: int, folder: Path) -> dict[str, Any]:
    """Loads damaged pickles and random streams of opcodes by paddle.load."""
    whole = []
    for i, obj in enumerate(_objects()):
        for protocol in (2, 4):
            save(obj, str(folder / "x"), protocol, checksum=bool(i % 2))
            whole.append((folder / "x").read_bytes())
        if i:
            plain = obj if i == 2 else {"n": 3, "t": ("a", 1.5, None, [2**70])}
            whole += [pickle.dumps(plain, protocol) for protocol in range(5)]
    found = _nothing()
    for _ in range(count):
        if r.random() < 0.6:
            content = damaged(r.choice(whole), r)
        else:
            pieces = [r.choice(_PIECES) if r.random() < 0.8 else bytes([r.randrange(256)])
                      for _ in range(r.randrange(1, 40))]  # fmt: skip
            content = b"\x80\x04" + b"".join(pieces) + b"."
        (folder / "x").write_bytes(content)
        _try(found, content, lambda: load(str(folder / "x")))
    return found


def fuzz_streams(r: random.Random, count: int, folder: Path) -> dict[str, Any]:
    """Reads damaged files of tensors."""
    values = {"a": np.ones((2, 3), "float32"), "b": np.arange(4), "c": np.zeros((0, 3), "int8")}
    with (folder / "streams").open("wb") as file:
        write_combined(file, values)
    whole = (folder / "streams").read_bytes()
    found = _nothing()

    def read() -> None:
        with (folder / "streams").open("rb") as file:
            read_combined(file, list(values))

    for _ in range(count):
        content = damaged(whole, r)
        (folder / "streams").write_bytes(content)
        _try(found, content, read)
    return found


def fuzz_models(r: random.Random, count: int, folder: Path) -> dict[str, Any]:
    """Damages one file of a model that has checksums: nothing but the error may come."""
    prefix = str(folder / "net")
    paddle.jit.save(
        nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)),
        prefix, [InputSpec([None, 3], "float32", "x")],
    )  # fmt: skip
    found = _nothing()
    files = {path: path.read_bytes() for path in sorted(folder.glob("net*"))}
    expected = paddle.jit.load(prefix)(paddle.ones([1, 3])).numpy()

    def run() -> None:
        result = paddle.jit.load(prefix)(paddle.ones([1, 3])).numpy()
        if not np.array_equal(result, expected):
            raise AssertionError("other numbers than those of the model")

    for _ in range(count):
        path = r.choice(list(files))
        content = damaged(files[path], r)
        path.write_bytes(content)
        _try(found, path.name.encode() + b": " + content, run)
        path.write_bytes(files[path])
    return found


def _nothing() -> dict[str, Any]:
    return {"ran": 0, "refused": 0, "failures": []}


def _try(found: dict[str, Any], content: bytes, read: Any) -> None:
    try:
        read()
        found["ran"] += 1
    except FrameworkError as error:
        found["refused"] += 1
        if len(str(error)) > 2000:
            found["failures"].append(f"a text of {len(str(error))} characters: {content!r}")
    except Exception as error:
        text = f"{type(error).__name__}: {str(error)[:200]}"
        found["failures"].append(f"{text}: {content!r}")
