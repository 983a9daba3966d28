"""What a pickle may cost follows the size of its file, and error texts are short."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paddle.framework.io import load, save
from paddle.serialization.pickles import limits
from paddle.serialization.pickles.packing import NAME_TABLE, SLICE_TABLE

# A text that is made without a bound never ends: 2 ** 90 leaves.
pytestmark = pytest.mark.timeout(60)

LEVELS = 90
RECONSTRUCT = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R"
F4 = b"cnumpy\ndtype\nX\x02\x00\x00\x00f4K\x00K\x01\x87R"
HUGE = b"\x8b" + struct.pack("<i", 200_000) + b"\x7f" * 200_000  # an integer of 200,000 bytes


def bomb(make: bytes = b"\x86") -> bytes:
    """An object that holds the one before it twice, and so on: short, but endless to print."""
    parts = [b")\x940"]
    parts += [b"h" + bytes([i]) + b"h" + bytes([i]) + make + b"\x940" for i in range(LEVELS)]
    return b"".join(parts) + b"h" + bytes([LEVELS])


LISTS = b"]\x940" + b"".join(
    b"](h" + bytes([i]) + b"h" + bytes([i]) + b"e\x940" for i in range(LEVELS)
) + b"h" + bytes([LEVELS])  # fmt: skip


def state(shape: bytes, dtype: bytes, raw: bytes = b"C\x00") -> bytes:
    return RECONSTRUCT + b"(K\x01" + shape + dtype + b"\x89" + raw + b"tb."


BOMBS = {
    "code of a dtype": b"cnumpy\ndtype\n" + bomb() + b"K\x00K\x01\x87R.",
    "code of a dtype, lists": b"cnumpy\ndtype\n" + LISTS + b"K\x00K\x01\x87R.",
    "shape": state(bomb() + b"\x85", F4),
    "shape and dtype": state(bomb(), bomb()),
    "state of a dtype": F4 + b"(K\x03" + bomb() + b"NNNtb.",
    "version of a dtype": F4 + b"(" + bomb() + b"X\x01\x00\x00\x00<NNNtb.",
    "dtype of a scalar": b"cnumpy.core.multiarray\nscalar\n" + bomb() + b"C\x01a\x86R.",
    "huge side": state(HUGE + b"\x85", F4),
    "huge sides": state(b"(" + HUGE * 30 + b"t", F4),
    "huge number as the code": b"cnumpy\ndtype\n" + HUGE + b"K\x00K\x01\x87R.",
    "long text as the code": b"cnumpy\ndtype\nX" + struct.pack("<I", 1 << 20) + b"a" * (1 << 20)
    + b"K\x00K\x01\x87R.",
    "long name": b"c" + b"m" * (1 << 20) + b"\nx\n.",
    "digits": b"I" + b"7" * 500_000 + b"\n.",
    "digits of a long": b"L" + b"7" * 500_000 + b"L\n.",
    "digits of a place": b"Np" + b"7" * 500_000 + b"\n.",
    "place": b"Np99999999999\n.",
    "place below 0": b"Np-1\n.",
    "text that is none": b"X" + struct.pack("<I", 1 << 20) + b"\xff" * (1 << 20) + b".",
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_errors_have_short_texts_in_short_time(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bomb.pdparams"
    path.write_bytes(b"\x80\x04" + BOMBS[name])
    with pytest.raises(ValueError, match=r"bomb\.pdparams' \(\d+ bytes\)") as caught:
        load(str(path))
    assert len(str(caught.value)) < 1000 + len(str(path))


def sliced(table: bytes) -> bytes:
    return b"\x80\x04}(X\x15\x00\x00\x00" + SLICE_TABLE.encode() + table + b"u."


@pytest.mark.parametrize(
    "entry",
    [
        b"}X\x06\x00\x00\x00slices](" + bomb() + b"es",
        b"}X\x06\x00\x00\x00slices" + bomb() + b"s",
        b"}X\x06\x00\x00\x00slices](X\x01\x00\x00\x00aes",
    ],
    ids=["names", "list of names", "part"],
)
def test_a_table_of_parts_that_never_ends(tmp_path: Path, entry: bytes) -> None:
    part = b"X\x01\x00\x00\x00a" + bomb() if b"ae" in entry else b""
    path = tmp_path / "x"
    content = sliced(b"}X\x01\x00\x00\x00w" + entry + b"s").removesuffix(b"u.") + part + b"u."
    path.write_bytes(content)
    with pytest.raises(ValueError, match="does not fit its parts"):
        load(str(path))


@pytest.mark.parametrize("piece", [b"\x8f", b"}", b"]\x94", b"("])
def test_objects_of_a_byte_have_a_budget(tmp_path: Path, piece: bytes, monkeypatch: Any) -> None:
    monkeypatch.setattr(limits, "_FREE_MEMORY", 1 << 18)
    path = tmp_path / "x"
    path.write_bytes(b"\x80\x04(" + piece * 100_000 + b"l.")
    with pytest.raises(ValueError, match="more objects than a file of its size"):
        load(str(path))


def test_long_keys_used_over_and_over_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    content = b"\x80\x04" + HUGE + b"\x940}(" + b"h\x00N" * 60_000 + b"u."
    path.write_bytes(content)
    with pytest.raises(ValueError, match="expands to more data than it holds"):
        load(str(path))


def test_large_plain_objects_are_within_the_budget(tmp_path: Path, monkeypatch: Any) -> None:
    """What a user may well save: many small containers, many keys, long texts."""
    monkeypatch.setattr(limits, "_FREE_MEMORY", 1 << 18)
    obj = {
        "pairs": [[i, i + 1] for i in range(6_000)],
        "vocabulary": {f"word {i}": i for i in range(6_000)},
        "numbers": {i: (i, str(i)) for i in range(6_000)},
        "grams": {(i, i + 1): 1 for i in range(6_000)},
        "empty": [[] for _ in range(6_000)],
        "text": "é" * 500_000,
        "big": 3**5000,
        "w": np.zeros((300, 300), "float32"),
    }
    for protocol in (2, 4):
        save(obj, str(tmp_path / "x"), protocol)
        found = load(str(tmp_path / "x"), return_numpy=True)
        assert {k: v for k, v in found.items() if k != "w"} == {
            k: v for k, v in obj.items() if k != "w"
        }


def test_objects_nested_too_deeply(tmp_path: Path) -> None:
    """Also where a table of names makes it a state dict."""
    path = tmp_path / "deep"
    entry = b"X\x01\x00\x00\x00a" + b"]" * 40_000 + b"a" * 39_999
    names = b"X" + struct.pack("<I", len(NAME_TABLE)) + NAME_TABLE.encode() + b"}"
    path.write_bytes(b"\x80\x04}(" + entry + names + b"u.")
    with pytest.raises(ValueError, match="deep' is nested too deeply"):
        load(str(path))


def test_python_reads_the_good_ones_alike(tmp_path: Path) -> None:
    """The budget counts; it does not change what is read."""
    obj = {"a": [1, (2, 3), {4}], "b": frozenset([(5, "x")]), "c": 2**100, "d": b"raw"}
    for protocol in range(5):
        (tmp_path / "x").write_bytes(pickle.dumps(obj, protocol))
        assert load(str(tmp_path / "x")) == obj
