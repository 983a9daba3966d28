"""Vectors of many dimensions, and their labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from visualdl.component import checks
from visualdl.component.scalar import varint
from visualdl.record import Record, Value


def to_record(
    tag: str,
    mat: Any = None,
    metadata: Any = None,
    metadata_header: Any = None,
    walltime: Any = None,
    labels: Any = None,
    hot_vectors: Any = None,
    labels_meta: Any = None,
) -> Any:
    """Gives vectors as a Record; see `LogWriter.add_embeddings`."""
    mat = _either(mat, hot_vectors, "mat", "hot_vectors")
    metadata = _either(metadata, labels, "metadata", "labels")
    header = _either(metadata_header, labels_meta, "metadata_header", "labels_meta")
    if isinstance(mat, Sequence) and len(mat) and isinstance(mat[0], str):
        mat, metadata = metadata, mat  # by place, in the order of the guide: labels, vectors
    if mat is None:
        raise ValueError("mat: expected a matrix, but got None.")
    matrix = checks.array(mat, "mat")
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"mat: expected a matrix, a row a label, but got shape {matrix.shape}.")
    columns = _columns(metadata, len(matrix))
    if header is None:
        header = [f"label_{i}" for i in range(len(columns))] if len(columns) > 1 else []
    header = checks.names(header, "metadata_header")
    if header and len(header) != len(columns):
        raise ValueError(
            f"metadata_header: expected {len(columns)} names, one for each column of labels, "
            f"but got {len(header)}."
        )
    value = Value(
        tag=checks.tag_name(tag),
        timestamp=checks.milliseconds(walltime),
        embeddings=Record.Embeddings.FromString(_packed(matrix, columns)),
    )
    value.embeddings.label_meta.extend(header)
    return Record(values=[value])


def _either(one: Any, other: Any, name: str, other_name: str) -> Any:
    """Gives an argument that has two names."""
    if one is not None and other is not None:
        raise ValueError(f"{other_name}: it is another name of {name}, which was given too.")
    return other if one is None else one


def _columns(metadata: Any, rows: int) -> list[list[str]]:
    """Gives the labels as columns of texts.

    A list of lists is taken for columns, as VisualDL does, and for rows where only that fits.
    """
    if metadata is None:
        return [[str(row) for row in range(rows)]]
    if callable(getattr(metadata, "numpy", None)):
        metadata = metadata.numpy()
    if hasattr(metadata, "tolist"):
        metadata = metadata.tolist()
    if isinstance(metadata, str) or not isinstance(metadata, Sequence):
        raise ValueError(f"metadata: expected a list of labels, but got {metadata!r}.")
    nested = [isinstance(label, (list, tuple)) for label in metadata]
    if nested and all(nested):
        lengths = {len(part) for part in metadata}
        if lengths == {rows}:
            return [[_label(label) for label in column] for column in metadata]
        if len(metadata) == rows and len(lengths) == 1 and lengths != {0}:
            return [[_label(label) for label in column] for column in zip(*metadata)]
        raise ValueError(
            f"metadata: expected {rows} labels in each column, but got lengths {sorted(lengths)}."
        )
    if any(nested) or len(metadata) != rows:
        raise ValueError(
            f"metadata: expected {rows} labels, one for each vector, but got {len(metadata)}."
        )
    return [[_label(label) for label in metadata]]


def _numpy() -> Any:
    """Gives NumPy: scalars are logged without it."""
    import numpy

    return numpy


def _label(label: Any) -> str:
    return checks.text(label if isinstance(label, str) else str(label), "metadata")


def _packed(matrix: Any, columns: list[list[str]]) -> bytes:
    """Gives the bytes of `Embeddings`; to hand protobuf millions of numbers one by one is slow."""
    with _numpy().errstate(over="ignore"):  # what is too large for 32 bits is infinite
        numbers = matrix.astype("<f4")
    size = b"\x12" + varint(4 * numbers.shape[1])
    rows = []
    for row, labels in zip(numbers, zip(*columns)):
        texts = [label.encode() for label in labels]
        inner = b"".join([b"\x0a" + varint(len(label)) + label for label in texts])
        inner += size + row.tobytes()
        rows.append(b"\x0a" + varint(len(inner)) + inner)
    return b"".join(rows)


def from_record(value: Any) -> tuple[Any, list[list[str]], list[str]]:
    """Gives the vectors of a record; those of another length than the first are left out.

    Returns:
        tuple: the matrix (float32), the labels of each row, and the names of the columns of labels.
    """
    items = value.embeddings.embeddings
    width = len(items[0].vectors) if items else 0
    kept = [item for item in items if len(item.vectors) == width]
    matrix = _numpy().zeros((len(kept), width), "float32")
    for row, item in zip(matrix, kept):
        row[:] = item.vectors
    return matrix, [list(item.label) for item in kept], list(value.embeddings.label_meta)


def shape(value: Any) -> list[int]:
    """Gives rows and columns of the matrix."""
    items = value.embeddings.embeddings
    return [len(items), len(items[0].vectors) if items else 0]


def to_table(value: Any) -> str:
    """Gives the labels as lines, columns apart by tabs; the names of columns first, if any."""
    rows = [list(item.label) for item in value.embeddings.embeddings]
    header = list(value.embeddings.label_meta)
    lines = io.StringIO()
    csv.writer(lines, delimiter="\t").writerows(([header] if header else []) + rows)
    return lines.getvalue()


def to_json(value: Any) -> dict[str, Any]:
    """Gives `{"step", "wallTime", "shape"}`; numbers and labels are asked for apart."""
    return {
        "step": value.id,
        "wallTime": checks.shown_time(value.timestamp),
        "shape": shape(value),
    }
