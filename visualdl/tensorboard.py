"""TensorBoard's files, as far as `visualdl.export` writes them: events, and tables of vectors.

A record is its length (8 bytes), the masked CRC-32C of that, the bytes of an `Event`, and their
masked CRC-32C. The fields of `Event` and of what is in it are few, so they are put together here.
"""

from __future__ import annotations

import io
import json
import os
import struct
from itertools import pairwise
from typing import Any

from visualdl.component import curve, embedding, histogram, hparam
from visualdl.component.checks import shown_time
from visualdl.component.scalar import narrow, varint

_POLYNOMIAL = 0x82F63B78
_STRING, _FLOAT = 7, 1
"""Numbers of TensorFlow's types."""


def _table() -> list[int]:
    """Gives what each byte does to a CRC-32C."""
    table = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (_POLYNOMIAL if number & 1 else 0)
        table.append(number)
    return table


_TABLE = _table()


def masked_crc(data: bytes) -> int:
    """Gives the CRC-32C (Castagnoli) of bytes, rotated and shifted as these files have it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(event: bytes) -> bytes:
    """Gives an event as it stands in a file."""
    head = struct.pack("<Q", len(event))
    return b"".join(
        (
            head,
            struct.pack("<I", masked_crc(head)),
            event,
            struct.pack("<I", masked_crc(event)),
        )
    )


def _bytes(number: int, data: bytes | str) -> bytes:
    """Gives a field of bytes, of a text or of a message."""
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def _whole(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def _float(number: int, value: float) -> bytes:
    return varint(number << 3 | 5) + struct.pack("<f", value)


def _double(number: int, value: float) -> bytes:
    return varint(number << 3 | 1) + struct.pack("<d", value)


def _doubles(number: int, values: list[float]) -> bytes:
    return _bytes(number, struct.pack(f"<{len(values)}d", *values))


def first_event(seconds: float) -> bytes:
    """Gives the event that a file starts with."""
    return framed(_double(1, seconds) + _bytes(3, "brain.Event:2"))


def event(value: Any, component: str) -> bytes | None:
    """Gives a record as an event; None where TensorBoard knows nothing like it."""
    maker = _MAKERS.get(component)
    made = maker(value) if maker else None
    if made is None:
        return None
    tag, content = made
    summary = _bytes(1, _bytes(1, tag) + content)
    return framed(
        _double(1, shown_time(value.timestamp) / 1000) + _whole(2, value.id) + _bytes(5, summary)
    )


def _scalar(value: Any) -> tuple[str, bytes]:
    return value.tag, _float(2, value.value)


def _scalars(value: Any) -> tuple[str, bytes]:
    return f"{value.tag}/{value.tag_value.tag}", _float(2, value.tag_value.value)


def _image(value: Any) -> tuple[str, bytes] | None:
    from PIL import Image

    data = value.image.encoded_image_string
    try:
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
            depth = len(picture.getbands())
    except (OSError, ValueError):
        return None
    return value.tag, _bytes(
        4, _whole(1, height) + _whole(2, width) + _whole(3, depth) + _bytes(4, data)
    )


def _audio(value: Any) -> tuple[str, bytes]:
    sound = value.audio
    return value.tag, _bytes(
        6,
        _float(1, sound.sample_rate)
        + _whole(2, sound.num_channels)
        + _whole(3, sound.length_frames)
        + _bytes(4, sound.encoded_audio_string)
        + _bytes(5, sound.content_type),
    )


def _histogram(value: Any) -> tuple[str, bytes] | None:
    """Gives counts by upper edges; sums are those of the middles, the values are not there."""
    counts, edges = histogram.from_record(value)
    if len(edges) != len(counts) + 1:
        return None
    middles = [(left + right) / 2 for left, right in pairwise(edges)]
    total = sum(count * middle for count, middle in zip(counts, middles))
    squares = sum(count * middle * middle for count, middle in zip(counts, middles))
    return value.tag, _bytes(
        5,
        _double(1, edges[0])
        + _double(2, edges[-1])
        + _double(3, sum(counts))
        + _double(4, total)
        + _double(5, squares)
        + _doubles(6, edges)
        + _doubles(7, [0.0, *counts]),
    )


def _tensor(kind: int, shape: list[int], content: bytes, plugin: bytes) -> bytes:
    """Gives a tensor, and the plugin of TensorBoard that shows it."""
    sizes = b"".join(_bytes(2, _whole(1, size)) for size in shape)
    tensor = _whole(1, kind) + _bytes(2, sizes) + content
    return _bytes(8, tensor) + _bytes(9, _bytes(1, plugin))


def _text(value: Any) -> tuple[str, bytes]:
    words = _bytes(8, value.text.encoded_text_string)
    return value.tag, _tensor(_STRING, [1], words, _bytes(1, "text"))


def _pr_curve(value: Any) -> tuple[str, bytes] | None:
    lists = curve.from_record(value)
    rows = [lists[name] for name in ("TP", "FP", "TN", "FN", "precision", "recall")]
    count = len(rows[-1])
    if not count or {len(row) for row in rows} != {count}:
        return None
    numbers = [narrow(number) for row in rows for number in row]
    content = _bytes(4, struct.pack(f"<{len(numbers)}f", *numbers))
    plugin = _bytes(1, "pr_curves") + _bytes(2, _whole(1, 0) + _whole(2, count))
    return value.tag, _tensor(_FLOAT, [6, count], content, plugin)


def _hparams(value: Any) -> tuple[str, bytes]:
    """Gives hyper-parameters as the start of a session: the page HPARAMS finds the metrics."""
    settings, _ = hparam.from_record(value)
    pairs = b"".join(
        _bytes(1, _bytes(1, name) + _bytes(2, _setting(setting)))
        for name, setting in settings.items()
    )
    begun = _bytes(4, value.hparam.name) + _double(5, shown_time(value.timestamp) / 1000)
    plugin = _bytes(1, "hparams") + _bytes(2, _bytes(3, pairs + begun))
    return "_hparams_/session_start_info", _tensor(_FLOAT, [0], b"", plugin)


def _setting(value: Any) -> bytes:
    """Gives a value as JSON's message of protobuf has it."""
    if value is None:
        return _whole(1, 0)
    return _bytes(3, value) if isinstance(value, str) else _double(2, value)


_MAKERS = {
    "scalar": _scalar,
    "scalars": _scalars,
    "image": _image,
    "audio": _audio,
    "text": _text,
    "histogram": _histogram,
    "pr_curve": _pr_curve,
    "hyper_parameters": _hparams,
}
"""Component -> what gives the tag and the content of a summary."""


# -- vectors: the page PROJECTOR reads them from tables beside the event file ----------------------
def write_vectors(folder: str, number: int, value: Any) -> str:
    """Writes vectors and their labels as two tables.

    Args:
        folder (str): the folder of the run.
        number (int): tells the tables of one tag from those of others.
        value (Value): a record of embeddings.

    Returns:
        str: what `projector_config.pbtxt` says of them.
    """
    matrix, labels, header = embedding.from_record(value)
    names = {kind: f"{kind}_{number}.tsv" for kind in ("vectors", "labels")}
    with open(os.path.join(folder, names["vectors"]), "w", encoding="utf-8") as file:
        for row in matrix.tolist():
            file.write("\t".join(f"{number:.9g}" for number in row) + "\n")
    several = any(len(row) > 1 for row in labels)  # one column has no header
    with open(os.path.join(folder, names["labels"]), "w", encoding="utf-8") as file:
        for row in [header] * several + labels:
            file.write("\t".join(" ".join(label.split()) for label in row) + "\n")
    quoted = json.dumps(value.tag, ensure_ascii=False)
    return (
        f'embeddings {{ tensor_name: {quoted} tensor_path: "{names["vectors"]}" '
        f'metadata_path: "{names["labels"]}" }}\n'
    )
