"""Damaged and hostile files are refused by a plain error, and a failed save loses nothing."""

from __future__ import annotations

import collections
import os
import pickle
import random
import re
import stat
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paddle.framework.io import load, save
from paddle.serialization.files.atomic import atomic_write
from paddle.serialization.pickles import object_writing
from paddle.serialization.pickles.reader import read_pickle
from paddle.serialization.pickles.restoring import array_to_tensor


def write(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


class Calls:
    """Pickles into a call of any function."""

    def __init__(self, function: Any, *args: Any):
        self.parts = (function, args)

    def __reduce__(self) -> Any:
        return self.parts


# -- what a file may not ask for ----------------------------------------------------------
@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize(
    ("evil", "name"),
    [
        (Calls(os.system, "touch {mark}"), f"{os.system.__module__}.system"),
        (Calls(eval, "1"), r"(builtins|__builtin__)\.eval"),
        (Calls(getattr, {}, "get"), r"(builtins|__builtin__)\.getattr"),
        (Calls(open, "{mark}", "w"), r"(_?io)\.open"),
        (Calls(np.zeros, 10**12), r"numpy\.zeros"),
        (Calls(np.load, "x"), r"numpy.*\.load"),
        (collections.defaultdict(list), r"collections\.defaultdict"),
        (Path("x"), r"pathlib"),
        (np.ma.masked_array([1]), r"numpy\.ma"),
        (pickle.Pickler, r"_?pickle\.Pickler"),
    ],
)
def test_other_globals_are_refused_by_name(
    tmp_path: Path, evil: Any, name: str, protocol: int
) -> None:
    mark = tmp_path / "mark"
    if isinstance(evil, Calls):
        function, args = evil.parts
        args = tuple(a.format(mark=mark) if isinstance(a, str) else a for a in args)
        evil = Calls(function, *args)
    path = write(tmp_path / "evil.pdparams", pickle.dumps({"w": [evil]}, protocol))
    with pytest.raises(ValueError, match=rf"evil\.pdparams.*it asks for '{name}"):
        load(path)
    assert not mark.exists()


ARRAY = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R"
F4 = b"cnumpy\ndtype\nX\x02\x00\x00\x00f4K\x00K\x01\x87R"


def array_state(shape: bytes, dtype: bytes, raw: bytes) -> bytes:
    return ARRAY + b"(K\x01" + shape + dtype + b"\x89" + raw + b"tb."


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (pickle.dumps(np.array([os.system], object)), "dtype 'O8'"),
        (pickle.dumps(np.array([("a", 1)], "U4,i4")), "dtype 'V20'"),
        (pickle.dumps(np.array(["abc"])), "dtype 'U3'"),
        (array_state(b"K\x04\x85", F4, b"C\x04abcd"), r"\(4,\) and dtype float32 has 4 bytes"),
        (array_state(b"J\xff\xff\xff\xff\x85", F4, b"C\x00"), r"the shape \(-1,\)"),
        (array_state(b"X\x01\x00\x00\x00a\x85", F4, b"C\x00"), r"the shape \('a',\)"),
        (array_state(b"K\x01\x85", F4, b"]"), "array content is a list"),
        (array_state(b"K\x01\x85", b"N", b"C\x04abcd"), "dtype None"),
        (array_state(b"(" + b"K\x01" * 40 + b"t", F4, b"C\x04abcd"), r"float32.* and shape \(1, 1"),
        (array_state(b"K\x00\x8a\x08" + b"\xff" * 7 + b"\x7f\x86", F4, b"C\x00"), "has 0 bytes"),
        (b"cnumpy.core.multiarray\n_reconstruct\ncbuiltins\nlist\nK\x00\x85C\x01b\x87R.",
         "class other than numpy.ndarray"),
        (b"cnumpy\nndarray\nK\x05\x85R.", "it calls numpy.ndarray"),
        (b"K\x05)R.", "it calls int"),
        (b"cbuiltins\ndict\n]b.", "sets the state of builtins.dict"),
        (b"]}b.", "sets the state of list"),
        (F4 + b"(K\x03X\x01\x00\x00\x00>N}X\x01\x00\x00\x00aK\x01sNJ" + b"\xff" * 4
         + b"J" + b"\xff" * 4 + b"K\x00tb.", "a dtype of the form"),
        (b"cnumpy.core.multiarray\nscalar\n" + F4 + b"C\x02ab\x86R.", "scalar of .* has 2 bytes"),
        (b"(icollections\nOrderedDict\n.", "instance of collections.OrderedDict"),
        (b"(cbuiltins\nlist\no.", "opcode b'o'"),
        (b"cbuiltins\nlist\n)\x81.", r"opcode b'\\x81'"),
        (b"Pid\n.", "opcode b'P'"),
        (b"\x82\x01.", r"opcode b'\\x82'"),
        (b"\x80\x09.", "protocol 9 is not known"),
        (b"cbuiltins\nlist\n.", "the name 'builtins.list' in place of data"),
        (b"]cbuiltins\nlist\na.", "the name 'builtins.list' in place of data"),
        (b"}cbuiltins\nlist\nK\x01s.", "builtins.list is used as a dict key"),
        (b"}]K\x01s.", "list is used as a dict key"),
        (b"}}K\x01a.", "meets a dict"),
        (b"cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.", r"bytearray\(\) is called on int"),
        (b"cbuiltins\nlist\ncbuiltins\nrange\nJ\xff\xff\xff\x7f\x85R\x85R.", "called on range"),
        (b"c_codecs\nencode\nX\x01\x00\x00\x00aX\x05\x00\x00\x00utf-7\x86R.", "other than Latin-1"),
        (b"cos\n\xff\n.", "malformed"),
        (b"K\x01K\x02", "ends before the end of the object"),
        (b"a.", "malformed"),
        (b"h\x07.", "malformed"),
        (b"I12x\n.", "malformed"),
        (b"Sabc\n.", "not in quotes"),
        (b"garbage that is no pickle", "cannot read the file"),
    ],
)  # fmt: skip
def test_streams_that_are_no_plain_data(tmp_path: Path, content: bytes, text: str) -> None:
    path = write(tmp_path / "bad.pdparams", content)
    with pytest.raises(ValueError, match=f"(?s){text}") as caught:
        load(path)
    if "in place of data" not in text:
        assert f"bad.pdparams' ({len(content)} bytes)" in str(caught.value)


@pytest.mark.parametrize(
    "header",
    [
        b"\x8e" + struct.pack("<Q", 1 << 40),  # bytes
        b"\x8d" + struct.pack("<Q", 1 << 40),  # text
        b"\x96" + struct.pack("<Q", 1 << 40),  # bytearray
        b"B" + struct.pack("<I", 0xFFFFFFF0),
        b"X" + struct.pack("<I", 0xFFFFFFF0),
        b"T" + struct.pack("<i", 0x7FFFFFF0),
        b"T" + struct.pack("<i", -5),
        b"\x8b" + struct.pack("<i", 0x7FFFFFF0),  # integer
        b"\x95" + struct.pack("<Q", 1 << 40),  # frame
        b"]r" + struct.pack("<I", 0xFFFFFFFF),  # memo index
    ],
)
def test_declared_sizes_beyond_the_file_allocate_nothing(tmp_path: Path, header: bytes) -> None:
    path = write(tmp_path / "x", b"\x80\x04" + header + b"abc.")
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="x' "):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def doubling(levels: int, make: bytes) -> bytes:
    """A stream whose n-th object holds the one before it twice."""
    parts = [b")\x940"]
    parts += [b"h" + bytes([i]) + b"h" + bytes([i]) + make + b"\x940" for i in range(levels)]
    return b"\x80\x04" + b"".join(parts) + b"h" + bytes([levels])


def test_objects_that_unfold_without_end_are_cheap_or_refused(tmp_path: Path) -> None:
    # 2 ** 100 leaves by sharing: harmless as a value, endless as a key, which is hashed.
    value = load(write(tmp_path / "x", doubling(100, b"\x86") + b"."))
    assert value[0] is value[1]
    path = write(tmp_path / "x", b"}" + doubling(100, b"\x86") + b"K\x01s.")
    with pytest.raises(ValueError, match="more than 1000 parts"):
        load(path)
    path = write(tmp_path / "x", b"\x8f(" + doubling(100, b"\x86") + b"\x90.")
    with pytest.raises(ValueError, match="more than 1000 parts"):
        load(path)


def test_copies_made_over_and_over_are_refused(tmp_path: Path) -> None:
    source = b"\x80\x02](" + b"N" * 5000 + b"eq\x000("
    copies = b"cbuiltins\nlist\nh\x00\x85R" * 500
    with pytest.raises(ValueError, match="expands to more data than it holds"):
        load(write(tmp_path / "x", source + copies + b"t."))
    raw = b"\x80\x04B" + struct.pack("<I", 60_000) + bytes(60_000) + b"q\x000("
    u1 = b"cnumpy\ndtype\nX\x02\x00\x00\x00u1K\x00K\x01\x87R"
    array = ARRAY + b"(K\x01M\x60\xea\x85" + u1 + b"\x89h\x00tb"
    with pytest.raises(ValueError, match="expands to more data than it holds"):
        load(write(tmp_path / "x", raw + array * 20 + b"t."))


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    for opening, closing in ((b"]" * 50_000, b"a" * 49_999), (b")" + b"\x85" * 50_000, b"")):
        path = write(tmp_path / "deep", opening + closing + b".")
        with pytest.raises(ValueError, match="deep' is nested too deeply"):
            load(path)


# -- truncated and damaged files -----------------------------------------------------------
def small_file(path: Path, protocol: int) -> bytes:
    state = {
        "w": array_to_tensor(np.arange(6, dtype="float32").reshape(2, 3), "w_0"),
        "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.5, "name": "x", "steps": [1, (2, None)]},
    }
    save(state, str(path), protocol)
    return path.read_bytes()


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no\.pdparams' is empty \(0 bytes\)"):
        load(write(tmp_path / "no.pdparams", b""))


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_every_truncation_is_an_error_that_names_file_and_size(
    tmp_path: Path, protocol: int
) -> None:
    content = small_file(tmp_path / "full", protocol)
    for size in range(1, len(content)):
        path = write(tmp_path / "cut.pdparams", content[:size])
        with pytest.raises(ValueError, match=rf"cut\.pdparams' \({size} bytes\)"):
            load(path)


def test_a_large_truncated_file_says_so(tmp_path: Path) -> None:
    save([np.zeros(100_000)], str(tmp_path / "x"), 4)
    path = write(tmp_path / "x", (tmp_path / "x").read_bytes()[:400_000])
    with pytest.raises(ValueError, match=r"declares 800000 bytes and .* truncated"):
        load(path)


@pytest.mark.parametrize("protocol", [2, 4])
def test_random_damage_gives_a_value_or_a_plain_error(tmp_path: Path, protocol: int) -> None:
    content = small_file(tmp_path / "full", protocol)
    rng = random.Random(protocol)
    refused = 0
    for _ in range(1500):
        damaged = bytearray(content)
        for _ in range(rng.choice((1, 1, 2, 5))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path = write(tmp_path / "x", bytes(damaged))
        try:
            load(path)
        except (ValueError, NotImplementedError) as error:
            assert "x'" in str(error)
            refused += 1
    assert refused > 300


def test_random_opcodes_give_a_value_or_a_plain_error(tmp_path: Path) -> None:
    rng = random.Random(0)
    useful = [ARRAY, F4, b"K\x01", b"C\x02ab", b"X\x01\x00\x00\x00a", b"h\x00", b"q\x00"]
    useful += [b"(", b")", b"}", b"]", b"tb", b"\x85R", b"ccollections\nOrderedDict\n"]
    useful += [b"cbuiltins\ntuple\n", b"cbuiltins\nset\n"]
    pieces = [bytes([i]) for i in range(256)] + useful * 8
    for _ in range(3000):
        path = write(tmp_path / "x", b"".join(rng.choices(pieces, k=rng.randrange(1, 40))) + b".")
        try:
            load(path)
        except (ValueError, NotImplementedError) as error:
            assert re.search("x'|in place of data|no Tensor of dtype", str(error))


def test_read_pickle_is_for_other_modules_too(tmp_path: Path) -> None:
    info = {"w_0": {"structured_name": "w", "stop_gradient": False, "trainable": True}}
    assert read_pickle(write(tmp_path / "x", pickle.dumps(info, 2))) == info


# -- writing without losing the old file ---------------------------------------------------
def test_a_failing_save_keeps_the_old_file_and_leaves_no_scratch(
    tmp_path: Path, monkeypatch: Any
) -> None:
    path = tmp_path / "x.pdparams"
    save({"epoch": 1}, str(path))
    written = []

    def fail(obj: Any, file: Any, protocol: int) -> None:
        file.write(b"half of it")
        written.extend(os.listdir(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr(object_writing, "write_pickle", fail)
    with pytest.raises(KeyboardInterrupt):
        save({"epoch": 2}, str(path))
    assert len(written) == 2  # the half file existed beside the old one
    assert os.listdir(tmp_path) == ["x.pdparams"]
    assert load(str(path)) == {"epoch": 1}


def test_a_failing_tensor_keeps_the_old_file(tmp_path: Path, monkeypatch: Any) -> None:
    tensor = array_to_tensor(np.ones(2, "float32"), "w")
    save({"w": tensor}, str(tmp_path / "x"))
    before = (tmp_path / "x").read_bytes()
    monkeypatch.setattr(
        type(tensor), "numpy", lambda self: (_ for _ in ()).throw(OSError("device lost"))
    )
    with pytest.raises(OSError, match="device lost"):
        save({"a": array_to_tensor(np.ones(3), "a"), "w": tensor}, str(tmp_path / "x"))
    assert (tmp_path / "x").read_bytes() == before
    assert os.listdir(tmp_path) == ["x"]


def test_the_file_is_flushed_before_it_takes_the_name(tmp_path: Path, monkeypatch: Any) -> None:
    events = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (events.append("sync"), sync(fd))[1])
    monkeypatch.setattr(os, "replace", lambda a, b: (events.append("rename"), replace(a, b))[1])
    save(3, str(tmp_path / "x"))
    assert events[:2] == ["sync", "rename"]


def test_permissions_of_the_replaced_file_are_kept(tmp_path: Path) -> None:
    save(1, str(tmp_path / "x"))
    os.chmod(tmp_path / "x", 0o640)
    save(2, str(tmp_path / "x"))
    assert stat.S_IMODE(os.stat(tmp_path / "x").st_mode) == 0o640


def test_a_link_is_followed(tmp_path: Path) -> None:
    save(1, str(tmp_path / "real"))
    os.symlink(tmp_path / "real", tmp_path / "link")
    save(2, str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert load(str(tmp_path / "real")) == 2


def test_a_device_is_written_directly() -> None:
    with atomic_write(os.devnull) as file:
        file.write(b"gone")
    assert not os.path.isfile(os.devnull)


def test_the_longest_possible_name_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    save(1, str(path))
    assert load(str(path)) == 1
