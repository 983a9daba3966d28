"""Classes of protobuf messages, built while running from facts that a JSON file states.

Facts are ``{"package": ..., "enums": {name: {key: number}}, "messages": {name: {field: [number,
label, kind, default?]}}}``; a dotted name lies within the message before the dot. protobuf is
imported at the first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError

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
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{facts['package'].replace('.', '/')}.proto",
        package=facts["package"],
        syntax="proto2",
    )
    _describe(file, facts, as_bytes)
    pool.Add(file)
    package = facts["package"]

    def found(name: str) -> Any:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))

    return found


def read_text(text: str, message: Any, what: str) -> None:
    """Fills a message from its text form.

    Args:
        text (str): the text.
        message (Message): what is filled.
        what (str): what the text should be, for the error.

    Raises:
        InvalidArgumentError: it is something else; says in which line.
    """
    from google.protobuf import text_format

    try:
        text_format.Parse(text, message)
    except text_format.ParseError as error:
        raise InvalidArgumentError(f"{what}: at line and column {error}.") from error


def _describe(file: Any, facts: dict[str, Any], as_bytes: frozenset[tuple[str, str]]) -> None:
    """Writes all messages into the description of a file."""
    package, enums, messages = facts["package"], facts["enums"], facts["messages"]
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
