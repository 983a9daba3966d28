"""Bodies of requests: what is read, and that nothing hostile gets further than an error."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile

import numpy as np
import pytest

from paddle.inference.serve.bodies import JSON, NPY, NPZ, Value, form_of, read, write
from paddle.inference.serve.refusals import RefusedRequest, UnsupportedAnswer, UnsupportedBody
from paddle.inference.signature import Argument

X = Argument("x", (-1, 3), "float32")
IDS = Argument("ids", (-1, 2), "int32")
FLAG = Argument("flag", (-1,), "bool")
WORDS = Argument("words", (-1, 1), "int64", 1)
LIMIT = 1 << 20


def _json(inputs: object) -> bytes:
    return json.dumps({"inputs": inputs}).encode()


def _npy(array: np.ndarray, **kwargs) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **kwargs)
    return file.getvalue()


def _npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _header(text: str, data: bytes = b"") -> bytes:
    """An .npy file of version 1 with any text as its header."""
    header = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def test_json():
    body = _json({"ids": [[1, 2], [3, 4]], "x": [[1, 2.5, 3]], "flag": [True]})
    found = read(body, JSON, [X, IDS, FLAG], LIMIT)
    assert list(found) == ["x", "ids", "flag"]
    assert [v.array.dtype for v in found.values()] == ["float32", "int32", "bool"]
    np.testing.assert_array_equal(found["x"].array, np.float32([[1, 2.5, 3]]))
    np.testing.assert_array_equal(found["ids"].array, [[1, 2], [3, 4]])
    empty = read(_json({"ids": [[], []]}), JSON, [IDS], LIMIT)["ids"].array
    assert empty.shape == (2, 0) and empty.dtype == "int32"


def test_json_with_sequences():
    body = _json({"words": {"data": [[1], [2], [3]], "lod": [[0, 1, 3]]}})
    found = read(body, JSON, [WORDS], LIMIT)["words"]
    assert found.lod == [[0, 1, 3]] and found.array.shape == (3, 1)


@pytest.mark.parametrize(("body", "said"), [
    (b"", "no JSON"),
    (b"\xff\xfe", "no JSON"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"inputs": {"x": [[' + b"9" * 5000 + b"]]}}", "no JSON"),
    (b"[1]", "but got a list"),
    (b'{"x": [[1, 2, 3]]}', r"one with the keys \['x'\]"),
    (b'{"inputs": [1]}', "expected an object"),
    (_json({}), r"it lacks \['x'\]"),
    (_json({"x": [[1, 2, 3]], "z": 1}), r"it has \['z'\]"),
    (b'{"inputs": {"x": [[NaN, 1, 2]]}}', "no number NaN"),
    (b'{"inputs": {"x": [[-Infinity, 1, 2]]}}', "no number -Infinity"),
    (b'{"inputs": {"x": [[1e999, 1, 2]]}}', "too large for float32"),
    (b'{"inputs": {"x": [[1e60, 1, 2]]}}', "too large for float32"),
    (_json({"x": [[1, 2], [3]]}), "input 'x'.*inhomogeneous"),
    (_json({"x": [["1", "2", "3"]]}), "expected float32, but got not numbers"),
    (_json({"x": None}), "not numbers"),
    (_json({"x": [[None, 1, 2]]}), "not numbers"),
    (_json({"x": [[True, False, True]]}), "expected float32, but got bool"),
    (_json({"x": [[10**30, 1, 2]]}), "too large"),
    (_json({"x": [1, 2, 3]}), r"\[\?, 3\], of rank 2, but got \[3\], of rank 1"),
    (_json({"x": {"data": [[1, 2, 3]]}}), "expected nested lists"),
])  # fmt: skip
def test_json_that_is_refused(body, said):
    with pytest.raises(RefusedRequest, match=said):
        read(body, JSON, [X], LIMIT)


@pytest.mark.parametrize(("wanted", "given", "said"), [
    (IDS, [[1.0, 2.0]], "expected int32, but got float"),
    (IDS, [[2**31, 0]], "but got 0 to 2147483648"),
    (FLAG, [1], "expected bool, but got int"),
    (WORDS, {"data": [[1]], "lod": "no"}, "expected its lod as lists"),
    (WORDS, {"data": [[1]], "lod": [[0, 1.5]]}, "expected its lod as lists"),
    (WORDS, {"lod": [[0, 1]]}, "nested lists, or"),
    (Argument("b", (-1,), "bfloat16"), [1.0], "send it as .npy of uint16"),
])  # fmt: skip
def test_numbers_that_do_not_fit_a_type(wanted, given, said):
    with pytest.raises(RefusedRequest, match=said):
        read(_json({wanted.name: given}), JSON, [wanted], LIMIT)


@pytest.mark.parametrize("order", "CF")
def test_npy(order):
    array = np.asarray(np.arange(6, dtype="float32").reshape(2, 3), order=order)
    np.testing.assert_array_equal(read(_npy(array), NPY, [X], LIMIT)["x"].array, array)
    other = array.astype(">f4")
    found = read(_npy(other), NPY, [X], LIMIT)["x"].array
    assert found.dtype == np.float32 and found.dtype.isnative
    np.testing.assert_array_equal(found, array)


def test_npz():
    x, ids = np.ones((2, 3), "float32"), np.ones((2, 2), "int32")
    found = read(_npz(ids=ids, x=x), NPZ, [X, IDS], LIMIT)
    np.testing.assert_array_equal(found["ids"].array, ids)


@pytest.mark.parametrize(("body", "said"), [
    (b"", "no .npy file"),
    (b"not an array", "no .npy file"),
    (_npy(np.float32([[1, 2, 3]]))[:-1], "12 bytes, but 11 bytes follow"),
    (_npy(np.float32([[1, 2, 3]])) + b"x", "12 bytes, but 13 bytes follow"),
    (_npy(np.float32([[1, 2, 3]]))[:20], "no .npy file"),
    (_npy(np.array([{"a": 1}], dtype=object), allow_pickle=True), "Python objects"),
    (_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", pickle.dumps([1])),
     "Python objects"),
    (_npy(np.array(["text"])), "expected an array of numbers"),
    (_npy(np.zeros(2, [("a", "f4")])), "expected an array of numbers"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 3), }"),
     "12000000000000 bytes, but 0 bytes follow"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -3), }", b"0" * 12),
     "no .npy file"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': (%s, 3), }" % ("9" * 4000)),
     "no .npy file"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': (" + "9" * 5000 + ",), }"),
     "no .npy file"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': (True, 3), }", b"0" * 12),
     "no .npy file"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", b"0" * 12), "no .npy file"),
    (_header("{" * 9000), "no .npy file"),
    (_header("__import__('os').abort()"), "no .npy file"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1," * 40 + "), }", b"0000"),
     "at most 32 dimensions"),
    (_header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }"[:40]), "no .npy file"),
    (_npy(np.float64([[1, 2, 3]])), "expected float32, but got float64"),
    (_npy(np.float32([1, 2, 3])), "of rank 2, but got"),
])  # fmt: skip
def test_npy_that_is_refused(body, said):
    with pytest.raises(RefusedRequest, match=said):
        read(body, NPY, [X], LIMIT)


def test_npy_for_several_inputs():
    with pytest.raises(RefusedRequest, match=r"2 inputs, \['x', 'ids'\]"):
        read(_npy(np.ones((1, 3), "float32")), NPY, [X, IDS], LIMIT)


def _zip(method: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


@pytest.mark.parametrize(("body", "said"), [
    (b"PK but no zip", "no .npz file"),
    (_npz(x=np.ones((1, 3), "float32"))[:-30], "no .npz file"),
    (_npz(z=np.ones((1, 3), "float32")), r"it lacks \['x'\] and it has \['z'\]"),
    (_zip(x=b"text"), "'x.npy' in the body is no .npy file"),
    (_zip(x=_npy(np.array([None]), allow_pickle=True)), "Python objects"),
    (_zip(x=_npy(np.zeros((1 << 20, 3), "float32"))), "expected at most 1048576"),
    (_zip(x=b"x" * 1000).replace(b"x" * 4, b"y" * 4), "no .npz file|no .npy file"),
])  # fmt: skip
def test_npz_that_is_refused(body, said):
    with pytest.raises(RefusedRequest, match=said):
        read(body, NPZ, [X], LIMIT)


def test_forms():
    assert form_of("application/json", b"") == JSON
    assert form_of("application/zip", b"") == NPZ
    assert form_of("application/octet-stream", _npy(np.ones(1))) == NPY
    assert form_of("", b' {"inputs": {}}') == JSON
    for kind in ("text/html", "application/octet-stream", "application/x-pickle"):
        with pytest.raises(UnsupportedBody, match=kind):
            form_of(kind, b"text")


def test_answers():
    outputs = {"a": Value(np.float32([[1, 0.5]])), "file": Value(np.int64([3]))}
    assert json.loads(write(outputs, JSON)) == {"outputs": {"a": [[1.0, 0.5]], "file": [3]}}
    with np.load(io.BytesIO(write(outputs, NPZ)), allow_pickle=False) as found:
        np.testing.assert_array_equal(found["a"], [[1, 0.5]])
        np.testing.assert_array_equal(found["file"], [3])
    one = np.load(io.BytesIO(write({"a": outputs["a"]}, NPY)), allow_pickle=False)
    assert one.dtype == np.float32
    with pytest.raises(UnsupportedAnswer, match="2 outputs"):
        write(outputs, NPY)


def test_answers_in_bfloat16():
    bits = (np.float32([1.5, -2, 0]).view(np.uint32) >> 16).astype(np.uint16)
    assert json.loads(write({"y": Value(bits)}, JSON)) == {"outputs": {"y": [1.5, -2.0, 0.0]}}
    assert np.load(io.BytesIO(write({"y": Value(bits)}, NPY))).dtype == np.uint16


def test_answers_with_sequences():
    outputs = {"a": Value(np.float32([1, 2]), [[0, 1, 2]]), "b": Value([np.ones(1), np.ones(2)])}
    assert json.loads(write(outputs, JSON)) == {
        "outputs": {"a": [1.0, 2.0], "b": [[1.0], [1.0, 1.0]]}, "lods": {"a": [[0, 1, 2]]},
    }  # fmt: skip
    with pytest.raises(UnsupportedAnswer, match="'a' has a LoD"):
        write({"a": outputs["a"]}, NPZ)
    with pytest.raises(UnsupportedAnswer, match="'b' is a tensor array"):
        write({"b": outputs["b"]}, NPZ)


@pytest.mark.parametrize(("array", "said"), [
    (np.float32([np.nan]), "NaN or infinity"), (np.float32([np.inf]), "NaN or infinity"),
    (np.complex64([1j]), "complex"),
])  # fmt: skip
def test_answers_that_json_cannot_hold(array, said):
    with pytest.raises(UnsupportedAnswer, match=said):
        write({"y": Value(array)}, JSON)
    assert write({"y": Value(array)}, NPZ)


@pytest.mark.parametrize("form", [JSON, NPY, NPZ])
def test_damaged_bodies_are_refused_or_read(form):
    """Bytes are changed, cut and repeated at random: what comes is an array or a refusal."""
    x = np.arange(6, dtype="float32").reshape(2, 3)
    whole = {JSON: _json({"x": x.tolist()}), NPY: _npy(x), NPZ: _npz(x=x)}[form]
    rng = np.random.RandomState(5)
    read_, refused = 0, 0
    for _ in range(800):
        body = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(len(body))
            kind = rng.randint(3)
            if kind == 0:
                body[at] = rng.randint(256)
            elif kind == 1:
                del body[at : at + rng.randint(1, 20)]
            else:
                body[at:at] = body[rng.randint(len(body)) :][: rng.randint(1, 20)]
            body = body or bytearray(b"0")
        try:
            found = read(bytes(body), form, [X], LIMIT)["x"].array
            assert found.dtype == np.float32 and found.ndim == 2
            read_ += 1
        except RefusedRequest:
            refused += 1
    assert refused > 100 and read_ > 0
