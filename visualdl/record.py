"""The messages of a log file: one table of facts, and protobuf classes built from it.

A log file is a row of frames: eight bytes that give a length (little-endian), then so many bytes, a
`Record`. There is no checksum and no header. The classes live in a pool of their own, so the
VisualDL of PaddlePaddle may be loaded in the same process.
"""

from __future__ import annotations

import struct
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "visualdl"
META_TAG = "meta_data_tag"
"""The tag of the first record of a file, which carries the name a run is shown by."""
HPARAM_TAG = "hparam"
LARGEST = (1 << 31) - 1
"""The most bytes a record has: protobuf reads no longer ones."""

_KINDS = {"double": 1, "float": 2, "int64": 3, "string": 9, "bytes": 12}
_MESSAGE = 11
_ONE, _MANY = 1, 3

SCHEMA: dict[str, dict[str, tuple[Any, ...]]] = {
    "Record": {"values": (1, "Value", "many")},
    "Record.Image": {"encoded_image_string": (4, "bytes")},
    "Record.Text": {"encoded_text_string": (1, "string")},
    "Record.Audio": {
        "sample_rate": (1, "float"),
        "num_channels": (2, "int64"),
        "length_frames": (3, "int64"),
        "encoded_audio_string": (4, "bytes"),
        "content_type": (5, "string"),
    },
    "Record.Embedding": {"label": (1, "string", "many"), "vectors": (2, "float", "many")},
    "Record.Embeddings": {
        "embeddings": (1, "Embedding", "many"),
        "label_meta": (2, "string", "many"),
    },
    "Record.Histogram": {"hist": (1, "double", "many"), "bin_edges": (2, "double", "many")},
    "Record.PRCurve": {
        "TP": (1, "int64", "many"),
        "FP": (2, "int64", "many"),
        "TN": (3, "int64", "many"),
        "FN": (4, "int64", "many"),
        "precision": (5, "double", "many"),
        "recall": (6, "double", "many"),
    },
    "Record.ROC_Curve": {
        "TP": (1, "int64", "many"),
        "FP": (2, "int64", "many"),
        "TN": (3, "int64", "many"),
        "FN": (4, "int64", "many"),
        "tpr": (5, "double", "many"),
        "fpr": (6, "double", "many"),
    },
    "Record.HParam": {
        "hparamInfos": (1, "HParam.HparamInfo", "many"),
        "metricInfos": (2, "HParam.HparamInfo", "many"),
        "name": (3, "string"),
    },
    "Record.HParam.HparamInfo": {
        "int_value": (1, "int64", "type"),
        "float_value": (2, "double", "type"),
        "string_value": (3, "string", "type"),
        "name": (4, "string"),
    },
    "Record.MetaData": {"display_name": (1, "string")},
    "Record.TagValue": {"tag": (1, "string"), "value": (2, "float")},
    "Record.Value": {
        "id": (1, "int64"),
        "tag": (2, "string"),
        "timestamp": (3, "int64"),
        "value": (4, "float", "one_value"),
        "image": (5, "Image", "one_value"),
        "audio": (6, "Audio", "one_value"),
        "embeddings": (7, "Embeddings", "one_value"),
        "histogram": (8, "Histogram", "one_value"),
        "pr_curve": (9, "PRCurve", "one_value"),
        "meta_data": (10, "MetaData", "one_value"),
        "roc_curve": (11, "ROC_Curve", "one_value"),
        "text": (12, "Text", "one_value"),
        "hparam": (13, "HParam", "one_value"),
        "tag_value": (14, "TagValue", "one_value"),
    },
}
"""Message -> field -> (number, kind, "many" or the name of the oneof it belongs to)."""

COMPONENTS: dict[str, str] = {
    "value": "scalar",
    "tag_value": "scalars",
    "image": "image",
    "audio": "audio",
    "text": "text",
    "histogram": "histogram",
    "pr_curve": "pr_curve",
    "roc_curve": "roc_curve",
    "embeddings": "embeddings",
    "hparam": "hyper_parameters",
    "meta_data": "meta_data",
}
"""The member of `Value` that is set -> the component it belongs to."""


def _built() -> Any:
    """Describes the messages and gives the class of the outermost one."""
    file = descriptor_pb2.FileDescriptorProto(
        name="visualdl/record.proto", package=PACKAGE, syntax="proto3"
    )
    made: dict[str, Any] = {}
    for name, fields in SCHEMA.items():
        outer, _, inner = name.rpartition(".")
        message = (made[outer].nested_type if outer else file.message_type).add(name=inner)
        made[name] = message
        groups: list[str] = []
        for key, (number, kind, *rest) in fields.items():
            group = rest[0] if rest else ""
            field = message.field.add(name=key, number=number, type=_KINDS.get(kind, _MESSAGE))
            field.label = _MANY if group == "many" else _ONE
            if kind not in _KINDS:
                field.type_name = f".{PACKAGE}.Record.{kind}"
            if group and group != "many":
                if group not in groups:
                    groups.append(group)
                    message.oneof_decl.add(name=group)
                field.oneof_index = groups.index(group)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made_class = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.Record"))
    _name_inner(made_class)
    return made_class


def _name_inner(message: Any) -> None:
    """Makes messages within a message its attributes, as protobuf in C does, in Python not."""
    for name, inner in message.DESCRIPTOR.nested_types_by_name.items():
        if not hasattr(message, name):
            setattr(message, name, message_factory.GetMessageClass(inner))
        _name_inner(getattr(message, name))


Record: Any = _built()
Value: Any = Record.Value

_LENGTH = struct.Struct("<Q")


def framed(payload: bytes) -> bytes:
    """Gives the bytes of a record as they stand in a file: its length before it."""
    return _LENGTH.pack(len(payload)) + payload


def component_of(value: Any) -> str | None:
    """Gives the component a value belongs to, None where it carries nothing that is known."""
    return COMPONENTS.get(value.WhichOneof("one_value") or "")
