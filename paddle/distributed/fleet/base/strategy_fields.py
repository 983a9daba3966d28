"""The fields of a DistributedStrategy, from strategy.json, which states 2.0's protobuf messages."""

from __future__ import annotations

import difflib
import functools
import json
import numbers
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.serialization.descriptors import message_classes

OBJECTS = ("build_strategy", "execution_strategy")
_PLAIN = {"bool": bool, "int32": numbers.Integral, "float": numbers.Real, "string": str}
_WORDS = {"bool": "a bool", "int32": "an int", "float": "a float", "string": "a str"}


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        kind (str): ``bool``, ``int32``, ``float``, ``string``, or the name of a message.
        repeated (bool): whether it is a list.
        default (str): as the schema has it.
    """

    kind: str
    repeated: bool
    default: str

    @property
    def words(self) -> str:
        """What it takes, to be read."""
        return f"a list, each {_WORDS[self.kind]}" if self.repeated else _WORDS[self.kind]


@functools.cache
def facts() -> dict[str, Any]:
    """The messages of 2.0's distributed_strategy.proto."""
    return json.loads((Path(__file__).parent / "strategy.json").read_text("utf8"))


@functools.cache
def fields(message: str = "DistributedStrategy") -> dict[str, Field]:
    """The fields of a message by name, in the schema's order."""
    return {
        name: Field(kind, label == "repeated", default[0] if default else "")
        for name, (_, label, kind, *default) in facts()["messages"][message].items()
    }


@functools.cache
def _classes() -> Any:
    return message_classes(facts())


def new_message() -> Any:
    """An empty message DistributedStrategy."""
    return _classes()("DistributedStrategy")()


def near(name: Any, names: Iterable[str]) -> str:
    """The words that name what somebody may have meant."""
    found = difflib.get_close_matches(str(name), list(names), n=1)
    return f"did you mean {found[0]!r}?" if found else f"there are {sorted(names)}"


def checked(where: str, field: Field, value: Any) -> Any:
    """A value as the message takes it.

    Raises:
        TypeError: it is of another type.
        ValueError: a number that a field of 32 bits cannot hold.
    """
    if not field.repeated:
        return _one(where, field, value)
    if isinstance(value, (str, bytes, dict)) or not isinstance(value, Iterable):
        raise _wrong(where, field, value)
    return [_one(f"{where}[{i}]", field, part, field.words) for i, part in enumerate(value)]


def _one(where: str, field: Field, value: Any, words: str = "") -> Any:
    fits = isinstance(value, _PLAIN[field.kind])
    if isinstance(value, bool) and field.kind != "bool":
        fits = False
    if not fits:
        raise _wrong(where, field, value, words)
    if field.kind == "int32" and not -(1 << 31) <= value < 1 << 31:
        raise InvalidArgumentError(f"{where}: expected an int of 32 bits, but received {value}.")
    return int(value) if field.kind == "int32" else value


def _wrong(where: str, field: Field, value: Any, words: str = "") -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{where}: expected {words or field.words}, but received {value!r} "
        f"of type {type(value).__name__}."
    )


def as_dict(message: Any, kind: str) -> dict[str, Any]:
    """A message of the given name as a dictionary of plain values."""
    return {name: plain(getattr(message, name), field) for name, field in fields(kind).items()}


def plain(value: Any, field: Field) -> Any:
    """What a field holds; floats in 32 bits, which one form of protobuf leaves wider."""
    if field.repeated:
        return [plain(part, field._replace(repeated=False)) for part in value]
    return float(np.float32(value)) if field.kind == "float" else value


def assign(message: Any, kind: str, where: str, values: Any) -> None:
    """Writes values into a message: all of them, or, where one is refused, none; lists anew."""
    known = fields(kind)
    if not isinstance(values, dict):
        raise ArgumentTypeError(
            f"{where}: expected a dict, but received {values!r} of type {type(values).__name__}."
        )
    unknown = [key for key in values if key not in known]
    if unknown:
        raise InvalidArgumentError(
            f"{where}: there is no key {unknown[0]!r}.", hint=near(unknown[0], known)
        )
    ready = {key: checked(f"{where}[{key!r}]", known[key], v) for key, v in values.items()}
    for key, value in ready.items():
        if known[key].repeated:
            message.ClearField(key)
            getattr(message, key).extend(value)
        else:
            setattr(message, key, value)
