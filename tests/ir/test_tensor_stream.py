"""Streams of tensors: the bytes of real releases, what was written, truncated and damaged files."""

from __future__ import annotations

import io
import os
import random
import struct
from pathlib import Path

import numpy as np
import pytest

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.serialization.program.proto import from_bytes
from paddle.serialization.tensor_stream import (
    Dense,
    read_combined,
    read_dense,
    read_selected_rows,
    read_tensor,
    write_combined,
    write_selected_rows,
    write_tensor,
)

CORPUS = Path(__file__).parent / "corpus"


def written(array, lod=(), dtype=None) -> bytes:
    file = io.BytesIO()
    write_tensor(file, array, lod, dtype)
    return file.getvalue()


def by_hand(code: int, dims: list[int], data: bytes, lod=()) -> bytes:
    """The stream written from the table of its layout; sizes below 128 take a byte."""
    desc = bytes([8, code]) + b"".join(bytes([16, n]) for n in dims)
    levels = b"".join(struct.pack(f"<Q{len(level)}Q", 8 * len(level), *level) for level in lod)
    return struct.pack("<IQ", 0, len(lod)) + levels + struct.pack("<Ii", 0, len(desc)) + desc + data


def parameters(release: str) -> list[str]:
    program = from_bytes((CORPUS / f"infer_{release}.pdmodel").read_bytes())
    return [v.name for v in program.list_vars() if v.persistable and v.type == VarType.LOD_TENSOR]


@pytest.mark.parametrize("release", ["1.8.5", "2.6.2"])
def test_parameter_files_of_paddlepaddle(release):
    data = (CORPUS / f"infer_{release}.pdiparams").read_bytes()
    found = read_combined(io.BytesIO(data), parameters(release))
    assert len(found) == 9 and found["fc_0.w_0"].array.shape == (4, 8)
    assert found["embedding_0.w_0"].array.shape == (10, 8)
    np.testing.assert_array_equal(found["batch_norm_0.w_2"].array, np.ones(8, "float32"))
    file = io.BytesIO()
    write_combined(file, found)
    assert file.getvalue() == data


@pytest.mark.parametrize(
    ("dtype", "code"),
    [("bool", 0), ("int16", 1), ("int32", 2), ("int64", 3), ("float16", 4), ("float32", 5),
     ("float64", 6), ("uint8", 20), ("int8", 21), ("complex64", 23), ("complex128", 24)],
)  # fmt: skip
def test_every_type(dtype, code):
    array = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
    data = written(array)
    assert data == by_hand(code, [2, 3], array.tobytes())
    found, lod = read_tensor(io.BytesIO(data))
    assert found.dtype == array.dtype and found.shape == (2, 3) and lod == []
    np.testing.assert_array_equal(found, array)
    found[0] = 0  # it is the caller's own


def test_bfloat16_is_bits_in_uint16():
    bits = np.array([0x3F80, 0x4000], "uint16")
    data = written(bits, dtype="bfloat16")
    assert data == by_hand(22, [2], bits.tobytes()) == written(bits)
    found = read_dense(io.BytesIO(data))
    assert found.dtype == VarType.BF16
    np.testing.assert_array_equal(found.array, bits)


@pytest.mark.parametrize("lod", [[[0, 1, 3]], [[0, 2, 3], [0, 1, 1, 3]]])
def test_levels_of_detail(lod):
    array = np.arange(3, dtype="float32")
    data = written(array, lod)
    assert data == by_hand(5, [3], array.tobytes(), lod)
    assert read_tensor(io.BytesIO(data))[1] == lod


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,)])
def test_odd_shapes(shape):
    array = np.full(shape, 7, "float32")
    data = written(array)
    assert data == by_hand(5, list(shape), array.tobytes())
    assert read_tensor(io.BytesIO(data))[0].shape == shape


def test_arrays_in_any_layout():
    array = np.arange(6, dtype="float32").reshape(2, 3)
    for same in (np.asfortranarray(array), array.astype(">f4"), np.repeat(array, 2, 1)[:, ::2]):
        assert written(same) == written(array)


def test_streams_follow_one_another_and_pipes_are_read():
    data = written(np.arange(3, dtype="int64")) + written(np.ones(2, "float32"))
    file = io.BytesIO(b"head" + data)
    file.seek(4)
    assert read_tensor(file)[0].tolist() == [0, 1, 2]
    assert read_tensor(file)[0].tolist() == [1.0, 1.0]
    assert file.read() == b""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as out:
        out.write(data)
    with os.fdopen(reading, "rb") as pipe:
        found = read_combined(pipe, ["a", "b"])
    assert found["b"].array.tolist() == [1.0, 1.0]


def test_combined_files_are_in_the_order_of_code_points(tmp_path):
    names = ["w9", "w10", "zw", "_b", "ab", "Zc"]
    tensors = {n: np.full(2, i, "float32") for i, n in enumerate(names)}
    tensors["ab"] = Dense(np.zeros(1, "uint16"), [[0, 1]], VarType.BF16)
    path = tmp_path / "all"
    with path.open("wb") as file:
        write_combined(file, tensors)
    order = ["Zc", "_b", "ab", "w10", "w9", "zw"]
    parts = [written(*t[:2], t[2]) if isinstance(t := tensors[n], Dense) else written(t)
             for n in order]  # fmt: skip
    assert path.read_bytes() == b"".join(parts)
    with path.open("rb") as file:
        found = read_combined(file, names)
    assert list(found) == order and found["ab"].lod == [[0, 1]]
    assert found["w10"].array.tolist() == [1.0, 1.0]


def test_selected_rows():
    values = np.arange(6, dtype="float32").reshape(2, 3)
    file = io.BytesIO()
    write_selected_rows(file, [7, 3], 10, values)
    dense = by_hand(5, [2, 3], values.tobytes())[12:]  # without LoD version and levels
    assert file.getvalue() == struct.pack("<IQqqq", 0, 2, 7, 3, 10) + dense
    file.seek(0)
    found = read_selected_rows(file)
    assert (found.rows, found.height, found.dtype) == ([7, 3], 10, VarType.FP32)
    np.testing.assert_array_equal(found.array, values)


# -- bad input ------------------------------------------------------------------------------------


def test_what_cannot_be_written():
    with pytest.raises(InvalidArgumentError, match=r"a type that tensors have, but it is <U1"):
        written(np.array(["a"]))
    with pytest.raises(InvalidArgumentError, match=r"uint16 for bfloat16, but it is of float32"):
        written(np.ones(1, "float32"), dtype="bfloat16")
    with pytest.raises(InvalidArgumentError, match=r"ascending offsets from 0, but one is \[0, 2,"):
        written(np.ones(2), [[0, 2, 1]])
    with pytest.raises(InvalidArgumentError, match=r"shape \[2\], but 1 came"):
        write_selected_rows(io.BytesIO(), [1], 4, np.ones(2))
    with pytest.raises(InvalidArgumentError, match=r"variable 'w': expected an array of a type"):
        write_combined(io.BytesIO(), {"w": np.array([None])})


def changed(at: int, code: str, value: int) -> bytes:
    """A stream of float32[2, 3] with LoD [[0, 2]] and a changed number."""
    data = bytearray(written(np.ones((2, 3), "float32"), [[0, 2]]))
    struct.pack_into("<" + code, data, at, value)
    return bytes(data)


# Layout: 0 version, 4 levels, 12 size of level, 20 offsets, 36 version, 40 size, 44 desc, 50 data.
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", r"byte 0: expected the version of the LoDTensor in 4 bytes, but 0 are left"),
        (changed(0, "I", 1), r"byte 0: expected version 0 of the LoDTensor, but it is 1"),
        (changed(4, "Q", 1 << 60), r"byte 12: expected 1152921504606846976 LoD levels in"),
        (changed(12, "Q", 1 << 62), r"byte 20: expected a LoD level in 4611686018427387904 bytes"),
        (changed(12, "Q", 15), r"byte 12: expected a LoD level of a multiple of 8 bytes, .* 15"),
        (changed(20, "Q", 1), r"ascending offsets from 0, but one is \[1, 2\]"),
        (changed(36, "I", 9), r"byte 36: expected version 0 of the Tensor, but it is 9"),
        (changed(40, "i", -1), r"byte 40: expected a TensorDesc of 0 or more bytes, .* -1"),
        (changed(40, "i", 1 << 30), r"byte 44: expected the TensorDesc in 1073741824 bytes"),
        (changed(40, "i", 0), r"byte 44: the required field data_type is missing"),
        (changed(44, "B", 9), r"byte 44: .* damaged|byte 44: .*missing|byte 44: .*protobuf"),
        (changed(45, "B", 99), r"byte 44: data_type is 99, which VarType.Type does not have"),
        (changed(45, "B", 7), r"byte 44: expected an element type, but data_type is 7"),
        (changed(45, "B", 19), r"byte 44: expected an element type, but data_type is 19"),
        (changed(47, "B", 100), r"byte 50: expected values of float32\[100, 3\] in 1200 bytes, "
                                r"but 24 are left"),
        (changed(0, "I", 0)[:-1], r"byte 50: .* in 24 bytes, but 23 are left"),
        (by_hand(5, [1] * 33, b"1234"), r"expected up to 32 sizes >= 0"),
    ],
)  # fmt: skip
def test_damaged_streams_are_named(data, text):
    with pytest.raises(InvalidArgumentError, match=text):
        read_tensor(io.BytesIO(data))


def test_sizes_that_do_not_fit_beside_a_zero():
    desc = b"\x08\x05" + b"\x10" + b"\xff" * 8 + b"\x7f" + b"\x10\x00"
    data = struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc
    with pytest.raises(InvalidArgumentError, match=r"sizes that fit into memory"):
        read_tensor(io.BytesIO(data))
    desc = b"\x08\x05" + b"\x10" + b"\xff" * 9 + b"\x01"  # -1
    data = struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc
    with pytest.raises(InvalidArgumentError, match=r"sizes >= 0, but the shape is \[-1\]"):
        read_tensor(io.BytesIO(data))


def test_damaged_selected_rows():
    file = io.BytesIO()
    write_selected_rows(file, [7, 3], 10, np.ones((2, 3), "float32"))
    for at, code, value, text in (
        (4, "Q", 1 << 61, "row indices in"),
        (4, "Q", 3, "version 0 of the Tensor|height"),
        (12, "q", 11, r"height is 10 and the rows are \[11, 3\]"),
        (12, "q", -1, r"rows are \[-1, 3\]"),
        (28, "q", -5, "height is -5"),
    ):
        data = bytearray(file.getvalue())
        struct.pack_into("<" + code, data, at, value)
        with pytest.raises(InvalidArgumentError, match=text):
            read_selected_rows(io.BytesIO(bytes(data)))


def test_combined_files_of_another_program():
    file = io.BytesIO()
    write_combined(file, {"a": np.ones(2, "float32"), "b": np.ones(3, "float32")})
    size = len(file.getvalue())
    file.seek(0)
    with pytest.raises(InvalidArgumentError, match=r"the end behind 1 variables, but \d+ bytes"):
        read_combined(file, ["a"])
    file.seek(0)
    with pytest.raises(InvalidArgumentError, match=rf"variable 'c': tensor stream at byte {size}"):
        read_combined(file, ["a", "b", "c"])


def test_fuzzed_streams_are_read_or_refused():
    data = (CORPUS / "infer_2.6.2.pdiparams").read_bytes()
    names = parameters("2.6.2")
    r = random.Random(7)
    refused = 0
    for _ in range(500):
        found = bytearray(data)
        at = r.randrange(len(found))
        if r.random() < 0.3:
            del found[at:]
        else:
            found[at : at + r.randrange(4)] = r.randbytes(r.randrange(4))
        try:
            read_combined(io.BytesIO(bytes(found)), names)
        except InvalidArgumentError as error:
            assert "at byte" in str(error)
            refused += 1
    assert 100 < refused < 500
