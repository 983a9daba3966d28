"""Finds and opens model files: those in the folders of logs, the one of ``--model``, uploads."""

from __future__ import annotations

import io
import os
import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from visualdl.graph.errors import GraphError
from visualdl.graph.model import Model
from visualdl.graph.onnx_file import read_onnx
from visualdl.graph.profile import read_profile
from visualdl.graph.program import read_program

LARGEST = {"paddle": 1 << 26, "vdlgraph": 1 << 24, "onnx": 1 << 34}
MOST_FOLDERS = 20_000
_INFO = 1 << 23  # bytes of a file with structured names


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that may hold a model.

    Attributes:
        run: what the page and the routes call it.
        path: where it lies, links resolved.
        source: ``"log"`` or ``"model"`` (of --model).
        size: in bytes.
        time: when it was written, in seconds.
    """

    run: str
    path: str
    source: str
    size: int
    time: float


def model_files(folders: list[str], model: str | None) -> list[ModelFile]:
    """Lists the models that there are.

    A folder's newest file has the folder's path as its name, as a run of logs has; older ones
    besides have theirs. Links that lead out of the folders are passed over.

    Args:
        folders (list[str]): the folders of logs.
        model (str, optional): the path given by ``--model``: a file, a folder of 1.x, or the path
            of a saved model without ``.pdmodel``.

    Returns:
        list[ModelFile]: that of ``--model`` first, then by name.
    """
    found: dict[str, ModelFile] = {}
    roots = [os.path.realpath(folder) for folder in folders]
    for folder in folders:
        for name, files in _walk(folder):
            listed = []
            for file in files:
                real = os.path.realpath(os.path.join(name, file))
                if any(real.startswith(root.rstrip(os.sep) + os.sep) for root in roots):
                    listed.append((real, _stat(real)))
            known = sorted(
                ((s.st_mtime, p, s.st_size) for p, s in listed if s is not None), reverse=True
            )
            for at, (when, path, size) in enumerate(known):
                run = name if not at else os.path.join(name, os.path.basename(path))
                found[run] = ModelFile(run, path, "log", size, when)
    given = [] if model is None else [_given(model)]
    return [*(g for g in given if g), *(found[run] for run in sorted(found))]


def is_model(name: str) -> bool:
    """Says by its name whether a file may hold a model."""
    return name == "__model__" or "vdlgraph" in name or name.endswith((".pdmodel", ".onnx"))


def _walk(folder: str) -> Iterator[tuple[str, list[str]]]:
    for count, (name, below, files) in enumerate(os.walk(folder)):
        below.sort()
        if count >= MOST_FOLDERS:
            return
        models = [file for file in files if is_model(file) and not file.startswith(".")]
        if models:
            yield name, models


def _given(path: str) -> ModelFile | None:
    for tried in (path, path + ".pdmodel", os.path.join(path, "__model__")):
        if os.path.isfile(tried):
            found = os.stat(tried)
            real = os.path.realpath(tried)
            return ModelFile(os.path.basename(tried), real, "model", found.st_size, found.st_mtime)
    return None


def _stat(path: str) -> os.stat_result | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found if os.path.isfile(path) else None


def read_file(path: str, name: str) -> Model:
    """Reads a model file of any format.

    Args:
        path (str): the file; ``.pdiparams.info`` beside it gives the layers' names.
        name (str): what the page calls it.

    Returns:
        Model: what is in it.

    Raises:
        GraphError: it is gone, too large, or no model.
    """
    try:
        with open(path, "rb") as file:
            kind = _kind(file.read(64), name)
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST[kind]:
                raise GraphError(_too_large(name, kind, size))
            if kind == "onnx":
                return read_onnx(FileBytes(file.fileno(), size, name), name)
            file.seek(0)
            data = file.read(LARGEST[kind] + 1)
        structured = structured_names(path) if kind == "paddle" else {}
    except OSError as error:
        raise GraphError(f"{name}: {error.strerror or error}.", 404) from error
    return _read(kind, data, name, structured)


def read_bytes(data: bytes, name: str) -> Model:
    """Reads a model that was uploaded; see :func:`read_file`."""
    kind = _kind(data[:64], name)
    if len(data) > LARGEST[kind]:
        raise GraphError(_too_large(name, kind, len(data)))
    return _read(kind, data, name, {})


def _read(kind: str, data: bytes, name: str, structured: dict[str, str]) -> Model:
    if kind == "vdlgraph":
        return read_profile(data, name)
    return read_onnx(data, name) if kind == "onnx" else read_program(data, name, structured)


def _kind(head: bytes, name: str) -> str:
    """Tells the format by the first bytes: a Program begins with a block, ONNX with a number."""
    if not head:
        raise GraphError(f"{name}: the file is empty.")
    if head[:1] == b"\n" and head[:2] != b"\n\n":
        return "paddle"
    if head.lstrip()[:1] == b"{":
        return "vdlgraph"
    if head[:1] == b"\x08" or (name.endswith(".onnx") and head[:1] in b"\x12\x1a\x3a\x42"):
        return "onnx"
    raise GraphError(
        f"{name}: expected a model of PaddlePaddle (.pdmodel, __model__), of ONNX, or a vdlgraph "
        "file, but it begins like none of them."
    )


def _too_large(name: str, kind: str, size: int) -> str:
    return f"{name}: {size} bytes are too large: expected at most {LARGEST[kind]}."


def structured_names(path: str) -> dict[str, str]:
    """Reads the names that parameters have in their Layer from the file beside a ``.pdmodel``.

    Args:
        path (str): of the model.

    Returns:
        dict: by name in the Program; empty where there is no such file or it is none of ours.
    """
    if not path.endswith(".pdmodel"):
        return {}
    beside = f"{path[: -len('.pdmodel')]}.pdiparams.info"
    try:
        if os.path.islink(beside) or os.path.getsize(beside) > _INFO:
            return {}
        with open(beside, "rb") as file:
            found = _Plain(io.BytesIO(file.read(_INFO))).load()
    except Exception:  # pickles fail in a dozen ways; the names are only a help
        return {}
    names = {}
    for name, facts in found.items() if type(found) is dict else ():
        structured = facts.get("structured_name") if type(facts) is dict else None
        if type(name) is str and type(structured) is str and len(structured) < 1000:
            names[name] = structured
    return names


class _Plain(pickle.Unpickler):
    """Reads pickles of dicts and strings; whatever would call something is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not read here")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("persistent objects are not read here")


class FileBytes:
    """A file read in parts as if it were bytes; unlike mmap it survives that the file shrinks."""

    WINDOW = 1 << 16

    def __init__(self, number: int, size: int, name: str) -> None:
        self._number, self._size, self._name = number, size, name
        self._from, self._part = 0, b""

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return self._read(at.start or 0, (self._size if at.stop is None else at.stop))
        place = at - self._from
        if not 0 <= place < len(self._part):
            self._part = self._read(at, min(at + self.WINDOW, self._size))
            self._from, place = at, 0
        return self._part[place]

    def _read(self, start: int, stop: int) -> bytes:
        data = os.pread(self._number, stop - start, start)
        if len(data) < stop - start:
            raise GraphError(f"{self._name}: the file is cut at byte {start + len(data)}.")
        return data


class Cache:
    """Keeps the models that were read last, while their files stay as they are."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: dict[tuple[str, int, float], tuple[float, Model]] = {}

    def model(self, file: ModelFile) -> Model:
        """Returns a file's model."""
        key = (file.path, file.size, file.time)
        kept = self._kept.pop(key, None)
        model = kept[1] if kept else read_file(file.path, os.path.basename(file.path))
        self._kept[key] = (time.monotonic(), model)
        while len(self._kept) > self._most:
            self._kept.pop(next(iter(self._kept)), None)
        return model
