"""Classes of protobuf messages, built while running from facts that a JSON file states.

Facts are ``{"package": ..., "enums": {name: {key: number}}, "messages": {name: {field: [number,
label, kind, default?]}}}``; a dotted name lies within the message before the dot. protobuf is
imported at the first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_SCALARS = {"double": 1, "float": 2, "int64": 3, "int32": 5, "bool": 8, "string": 9, "bytes": 12}
_ENUM, _MESSAGE = 14, 11
_LABELS = {"optional": 1, "required": 2, "repeated": 3}


def message_classes(
    facts: dict[str, Any], as_bytes: frozenset[tuple[str, str]] = frozenset()
) -> Callable[[str], Any]:
    """Builds the messages of one file.

    Args:
        facts (dict): package, enumerations and messages.
        as_bytes (frozenset): pairs (message, field) of strings that are read as bytes.

    Returns:
        Callable: gives the class of a message by its name. The descriptors live in a pool of their
            own, so that real PaddlePaddle may be loaded in the same process.
    """
    from google.protobuf import descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    pool.Add(_file(facts, as_bytes))
    package = facts["package"]

    def found(name: str) -> Any:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))

    return found


def _file(facts: dict[str, Any], as_bytes: frozenset[tuple[str, str]]) -> Any:
    """The description of a file with all messages."""
    from google.protobuf import descriptor_pb2

    package, enums, messages = facts["package"], facts["enums"], facts["messages"]
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package.replace('.', '/')}.proto", package=package, syntax="proto2"
    )
    made: dict[str, Any] = {}
    for name in sorted(messages):  # a message comes before those inside it
        outer, _, inner = name.rpartition(".")
        home = made[outer].nested_type if outer else file.message_type
        made[name] = home.add(name=inner)
    for name, values in enums.items():
        outer, _, inner = name.rpartition(".")
        enum = (made[outer] if outer else file).enum_type.add(name=inner)
        for key, number in values.items():
            enum.value.add(name=key, number=number)
    for name, fields in messages.items():
        for key, (number, label, kind, *default) in fields.items():
            kind = "bytes" if (name, key) in as_bytes else kind
            field = made[name].field.add(name=key, number=number, label=_LABELS[label])
            if kind in _SCALARS:
                field.type = _SCALARS[kind]
            else:
                field.type = _ENUM if kind in enums else _MESSAGE
                field.type_name = f".{package}.{kind}"
            if default:
                field.default_value = default[0]
    return file
