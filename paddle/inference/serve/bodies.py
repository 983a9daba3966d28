"""Bodies of requests and answers: JSON, and NumPy's ``.npy`` and ``.npz``. Nothing is unpickled."""

from __future__ import annotations

import ast
import io
import json
import math
import struct
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from paddle.inference.serve.refusals import RefusedRequest, UnsupportedAnswer, UnsupportedBody
from paddle.inference.signature import Argument

JSON, NPY, NPZ = "application/json", "application/x-npy", "application/x-npz"
FORMS = (JSON, NPY, NPZ)
_ALIASES = {"application/zip": NPZ, "application/x-numpy": NPY, "application/npy": NPY}
_ANY_BYTES = ("application/octet-stream", "")
_NPY_MAGIC, _ZIP_MAGIC = b"\x93NUMPY", b"PK"
_LONGEST_HEADER = 10_000
_MOST_DIMENSIONS, _LARGEST = 32, 1 << 48  # of an array
_KINDS = {"f": "float", "i": "int", "u": "uint", "b": "bool", "c": "complex"}


class Value(NamedTuple):
    """A tensor of a request or an answer.

    Attributes:
        array (np.ndarray): the elements; bfloat16 as uint16. A list for a tensor array.
        lod (list[list[int]]): offsets of its sequences; empty for a dense tensor.
    """

    array: Any
    lod: list[list[int]] = []


Values = dict[str, Value]


# -- requests -------------------------------------------------------------------------------------


def form_of(content_type: str, body: bytes) -> str:
    """Returns which of :data:`FORMS` a body has.

    Args:
        content_type (str): as the request states it, without parameters.
        body (bytes): its beginning tells where the type says nothing.

    Raises:
        UnsupportedBody: it is none of them.
    """
    kind = content_type.strip().lower()
    kind = _ALIASES.get(kind, kind)
    if kind in FORMS:
        return kind
    if kind in _ANY_BYTES:
        if body.startswith(_NPY_MAGIC):
            return NPY
        if body.startswith(_ZIP_MAGIC):
            return NPZ
        if body.lstrip()[:1] == b"{":
            return JSON
    raise UnsupportedBody(
        f"expected a body of the Content-Type {', '.join(FORMS)}, but got {content_type!r}"
    )


def read(body: bytes, form: str, inputs: Sequence[Argument], limit: int) -> Values:
    """Returns the inputs that a request holds, checked against those of the model.

    Args:
        body (bytes): the request.
        form (str): of :data:`FORMS`.
        inputs (Sequence[Argument]): what the model takes.
        limit (int): the most bytes that arrays may have once they are unpacked.

    Raises:
        RefusedRequest: the body is damaged, or inputs have wrong names, dtypes or ranks.
    """
    if form == JSON:
        return _read_json(body, inputs)
    if form == NPZ:
        arrays = _read_npz(body, limit)
        _check_names(arrays, inputs)
    else:
        if len(inputs) != 1:
            raise RefusedRequest(
                f"the model has {len(inputs)} inputs, {[i.name for i in inputs]}, but an .npy file "
                "holds one array; send an .npz file or JSON"
            )
        arrays = {inputs[0].name: parse_npy(body, "the body")}
    return {i.name: Value(_checked(arrays[i.name], i)) for i in inputs}


def _read_json(body: bytes, inputs: Sequence[Argument]) -> Values:
    try:
        content = json.loads(body, parse_constant=_no_constant)
    except RecursionError:
        raise RefusedRequest("the body is no JSON: it is nested too deeply") from None
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError too
        raise RefusedRequest(f"the body is no JSON: {error}") from None
    given = content.get("inputs") if isinstance(content, dict) else None
    if not isinstance(given, dict):
        raise RefusedRequest(
            'expected an object {"inputs": {name: nested lists}}, but got '
            + (f"one with the keys {list(content)[:8]}" if isinstance(content, dict)
               else f"a {type(content).__name__}")
        )  # fmt: skip
    _check_names(given, inputs)
    return {i.name: _json_value(given[i.name], i) for i in inputs}


def _no_constant(name: str) -> float:
    raise ValueError(f"it has no number {name}")


def _json_value(given: Any, wanted: Argument) -> Value:
    lod: list[list[int]] = []
    if isinstance(given, dict):
        if not wanted.lod_level or set(given) - {"data", "lod"} or "data" not in given:
            form = 'nested lists, or {"data": ..., "lod": [[0, ...]]}'
            raise RefusedRequest(
                f"input {wanted.name!r}: expected {form if wanted.lod_level else 'nested lists'}, "
                f"but got an object with the keys {list(given)[:8]}"
            )
        lod = _json_lod(given.get("lod", []), wanted.name)
        given = given["data"]
    try:
        with np.errstate(over="ignore"):
            return Value(_checked(_json_array(given, wanted), wanted), lod)
    except (ValueError, OverflowError) as error:
        text = str(error).partition(". The detected shape")[0]
        raise RefusedRequest(f"input {wanted.name!r}: {text}") from None


def _json_lod(given: Any, name: str) -> list[list[int]]:
    levels: list[Any] = given if isinstance(given, list) else [None]
    for level in levels:
        if not (isinstance(level, list) and all(type(offset) is int for offset in level)):
            raise RefusedRequest(
                f"input {name!r}: expected its lod as lists of offsets, [[0, ...]], but got "
                f"{str(given)[:80]}"
            )
    return levels


def _json_array(given: Any, wanted: Argument) -> np.ndarray:
    """Numbers of JSON as elements of a type, where none of them loses its meaning."""
    if wanted.dtype == "bfloat16":
        raise RefusedRequest(
            f"input {wanted.name!r} is of bfloat16; send it as .npy of uint16, the bits"
        )
    found, kind = np.asarray(given), wanted.numpy.kind
    allowed = {"f": "fiu", "c": "fiu", "i": "iu", "u": "iu", "b": "b"}[kind]
    if found.size and found.dtype.kind not in allowed:
        came = _KINDS.get(found.dtype.kind, "not numbers, or too large ones")
        raise RefusedRequest(f"input {wanted.name!r}: expected {wanted.dtype}, but got {came}")
    if kind in "iu" and found.size:
        bounds = np.iinfo(wanted.numpy)
        if int(found.min()) < bounds.min or int(found.max()) > bounds.max:
            raise RefusedRequest(
                f"input {wanted.name!r}: expected {wanted.dtype}, from {bounds.min} to "
                f"{bounds.max}, but got {int(found.min())} to {int(found.max())}"
            )
    made = found.astype(wanted.numpy)
    if not np.isfinite(made).all():
        raise RefusedRequest(f"input {wanted.name!r}: a number is too large for {wanted.dtype}")
    return made


def _check_names(given: Mapping[str, Any], inputs: Sequence[Argument]) -> None:
    names = [i.name for i in inputs]
    missing = [n for n in names if n not in given]
    unknown = [n for n in given if n not in names]
    if missing or unknown:
        told = [f"{what} {shown[:8]}" for what, shown in
                (("it lacks", missing), ("it has", unknown)) if shown]  # fmt: skip
        raise RefusedRequest(f"expected the inputs {names}, but {' and '.join(told)}")


def _checked(array: np.ndarray, wanted: Argument) -> np.ndarray:
    """An array in the machine's byte order; refused where dtype or rank is not the model's."""
    native = array.dtype.newbyteorder("=")
    if native != wanted.numpy:
        raise RefusedRequest(
            f"input {wanted.name!r}: expected {wanted.dtype}, but got {array.dtype.name}"
        )
    if array.ndim != len(wanted.shape) and wanted.shape and not wanted.lod_level:
        raise RefusedRequest(
            f"input {wanted.name!r}: expected the shape "
            f"[{', '.join('?' if size < 0 else str(size) for size in wanted.shape)}], of rank "
            f"{len(wanted.shape)}, but got {list(array.shape)}, of rank {array.ndim}"
        )
    return array.astype(native, copy=False)


# -- NumPy's formats ------------------------------------------------------------------------------


def parse_npy(body: bytes, what: str) -> np.ndarray:
    """Returns the array of an ``.npy`` file, whose header is believed only where the data fits it.

    Args:
        body (bytes): the file.
        what (str): what it is, for the error.

    Raises:
        RefusedRequest: it is damaged, or holds Python objects, structures or texts.
    """
    dtype, fortran, shape, start = _npy_header(body, what)
    if dtype.hasobject or dtype.kind not in _KINDS:
        kind = "Python objects (pickles)" if dtype.hasobject else f"{dtype}"
        raise RefusedRequest(f"{what}: expected an array of numbers, but it holds {kind}")
    if len(shape) > _MOST_DIMENSIONS:
        raise RefusedRequest(
            f"{what}: expected at most {_MOST_DIMENSIONS} dimensions, but got {len(shape)}"
        )
    size = math.prod(shape) * dtype.itemsize
    if size != len(body) - start:
        raise RefusedRequest(
            f"{what}: its header states {str(list(shape))[:80]} of {dtype}, {size} bytes, but "
            f"{len(body) - start} bytes follow"
        )
    flat = np.frombuffer(body, dtype, offset=start)
    return flat.reshape(shape, order="F" if fortran else "C")


def _npy_header(body: bytes, what: str) -> tuple[np.dtype, bool, tuple[int, ...], int]:
    """The type, whether it is in Fortran's order, the shape, and where the data begins."""
    if body[:6] != _NPY_MAGIC or len(body) < 12 or body[6] not in (1, 2, 3):
        raise RefusedRequest(f"{what} is no .npy file: it begins with {body[:8]!r}")
    begin, form = (10, "<H") if body[6] == 1 else (12, "<I")
    [length] = struct.unpack(form, body[8:begin])
    text = body[begin : begin + min(length, _LONGEST_HEADER)]
    try:
        stated = ast.literal_eval(text.decode("utf8" if body[6] == 3 else "latin1").strip())
        descr, fortran, shape = (stated[key] for key in ("descr", "fortran_order", "shape"))
        whole = type(shape) is tuple and all(type(n) is int and 0 <= n < _LARGEST for n in shape)
        if type(fortran) is not bool or not whole:
            raise ValueError("wrong fields")
        return np.dtype(descr), fortran, shape, begin + length
    except Exception:  # whatever Python's parser and NumPy make of any text
        raise RefusedRequest(
            f"{what} is no .npy file: its header is {text[:80]!r}, of {length} bytes"
        ) from None


def _read_npz(body: bytes, limit: int) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            members = archive.infolist()
            total = sum(member.file_size for member in members)
            if total > limit:
                raise RefusedRequest(
                    f"the body's arrays have {total} bytes when unpacked; expected at most {limit}"
                )
            return {
                member.filename.removesuffix(".npy"): parse_npy(
                    _unpacked(archive, member), f"{member.filename[:80]!r} in the body"
                )
                for member in members
            }
    except RefusedRequest:
        raise
    except Exception as error:  # zipfile lets through what reading wrong places raises
        raise RefusedRequest(f"the body is no .npz file: {str(error)[:200]}") from None


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as file:
        content = file.read(member.file_size + 1)
    if len(content) > member.file_size:
        raise zipfile.BadZipFile(f"{member.filename!r} is larger than it states")
    return content


# -- answers --------------------------------------------------------------------------------------


def write(outputs: Values, form: str) -> bytes:
    """Returns the body of an answer.

    Args:
        outputs (dict[str, Value]): what the model gave.
        form (str): of :data:`FORMS`.

    Raises:
        UnsupportedAnswer: the form cannot hold it.
    """
    if form == JSON:
        return _write_json(outputs)
    for name, value in outputs.items():
        if isinstance(value.array, list):
            raise UnsupportedAnswer(f"output {name!r} is a tensor array; ask for {JSON}")
        if value.lod:
            raise UnsupportedAnswer(f"output {name!r} has a LoD; ask for {JSON}")
    file = io.BytesIO()
    if form == NPZ:
        with zipfile.ZipFile(file, "w") as archive:  # np.savez has names that an output cannot have
            for name, value in outputs.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, value.array, allow_pickle=False)
        return file.getvalue()
    if len(outputs) != 1:
        raise UnsupportedAnswer(
            f"the model has {len(outputs)} outputs, {list(outputs)}, but an .npy file holds one "
            f"array; ask for {NPZ} or {JSON}"
        )
    [value] = outputs.values()
    np.save(file, value.array, allow_pickle=False)
    return file.getvalue()


def _write_json(outputs: Values) -> bytes:
    answer: dict[str, Any] = {"outputs": {}}
    for name, value in outputs.items():
        if isinstance(value.array, list):
            answer["outputs"][name] = [_listed(array, name) for array in value.array]
        else:
            answer["outputs"][name] = _listed(value.array, name)
        if value.lod:
            answer.setdefault("lods", {})[name] = value.lod
    return json.dumps(answer, allow_nan=False).encode()


def _listed(array: np.ndarray, name: str) -> Any:
    if array.dtype == np.uint16:  # the bits of bfloat16, which NumPy does not have
        array = (array.astype(np.uint32) << 16).view(np.float32)
    if array.dtype.kind == "c":
        raise UnsupportedAnswer(f"output {name!r} is complex, which JSON is not; ask for {NPZ}")
    if not np.isfinite(array).all():
        raise UnsupportedAnswer(
            f"output {name!r} holds NaN or infinity, which JSON does not have; ask for {NPZ}"
        )
    return array.tolist()
