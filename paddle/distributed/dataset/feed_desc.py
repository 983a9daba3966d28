"""DataFeedDesc: which slots the lines of a text file have, as a message in text form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from paddle.core.errors import InvalidArgumentError

__all__ = ["DataFeedDesc"]


@dataclass
class SlotMessage:
    """A slot: name, type ("uint64" or "float"), dense or a sequence, used or read over."""

    name: str = ""
    type: str = ""
    is_dense: bool | None = None
    is_used: bool | None = None
    shape: list[int] = field(default_factory=list)


@dataclass
class SlotsMessage:
    """The slots of a line, in their order."""

    slots: list[SlotMessage] = field(default_factory=list)


@dataclass
class FeedMessage:
    """What is said of the files; None: nothing was said."""

    name: str = ""
    batch_size: int | None = None
    multi_slot_desc: SlotsMessage | None = None
    pipe_command: str | None = None
    thread_num: int | None = None
    rank_offset: str | None = None
    pv_batch_size: int | None = None
    input_type: int | None = None

    def __str__(self) -> str:
        return "".join(_printed(self, ""))

    @property
    def slots(self) -> list[SlotMessage]:
        """The slots, which are made when first asked for."""
        if self.multi_slot_desc is None:
            self.multi_slot_desc = SlotsMessage()
        return self.multi_slot_desc.slots


class ParseError(InvalidArgumentError):
    """A text that is no description of a data feed."""


_KINDS: dict[type, dict[str, Any]] = {
    SlotMessage: {"name": str, "type": str, "is_dense": bool, "is_used": bool, "shape": [int]},
    SlotsMessage: {"slots": [SlotMessage]},
    FeedMessage: {
        "name": str, "batch_size": int, "multi_slot_desc": SlotsMessage, "pipe_command": str,
        "thread_num": int, "rank_offset": str, "pv_batch_size": int, "input_type": int,
    },
}  # fmt: skip


def _printed(message: Any, indent: str) -> Iterator[str]:
    for name in _KINDS[type(message)]:
        value = getattr(message, name)
        for one in value if isinstance(value, list) else [value]:
            if type(one) in _KINDS:
                yield f"{indent}{name} {{\n"
                yield from _printed(one, indent + "  ")
                yield f"{indent}}}\n"
            elif one is not None and one != "":
                yield f"{indent}{name}: {_value(one)}\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("'", "\\'")
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'


# -- reading ---------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<gap>\s+|\#[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<word>[\w.+-]+)|(?P<mark>[{}<>:;,\[\]])"""
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class _Reader:
    """Reads messages in text form.

    Args:
        text (str): of the file.
        path (str): for errors.
    """

    def __init__(self, text: str, path: str) -> None:
        self.path, self.tokens = path, []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            place = text.count("\n", 0, at) + 1
            if found is None:
                raise ParseError(f"{path}, line {place}: {text[at : at + 10]!r} is not understood.")
            if found.lastgroup != "gap":
                self.tokens.append((found.lastgroup, found.group(), place))
            at = found.end()
        self.at = 0

    def _fail(self, text: str) -> ParseError:
        line = self.tokens[min(self.at, len(self.tokens) - 1)][2] if self.tokens else 1
        return ParseError(f"{self.path}, line {line}: {text}.")

    def _next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise self._fail("expected more, but the text ends")
        kind, text, _ = self.tokens[self.at]
        self.at += 1
        return kind or "", text

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def fill(self, message: Any, end: str) -> Any:
        """Reads the fields of a message up to ``end``."""
        kinds = _KINDS[type(message)]
        while self._peek() != end:
            if self._peek() in (";", ","):
                self.at += 1
                continue
            _, name = self._next()
            if name not in kinds:
                self.at -= 1
                raise self._fail(f"expected one of {list(kinds)}, but received {name!r}")
            self._field(message, name, kinds[name])
        self.at += bool(end)
        return message

    def _field(self, message: Any, name: str, kind: Any) -> None:
        many = isinstance(kind, list)
        kind = kind[0] if many else kind
        if kind in _KINDS:
            self.at += self._peek() == ":"
            _, mark = self._next()
            if mark not in "{<":
                self.at -= 1
                raise self._fail(f"expected '{{' after {name}, but received {mark!r}")
            value = self.fill(kind(), "}" if mark == "{" else ">")
        else:
            if self._peek() != ":":
                raise self._fail(f"expected ':' after {name}, but received {self._peek()!r}")
            self.at += 1
            value = self._values(name, kind) if many else self._scalar(name, kind)
        if not many:
            setattr(message, name, value)
        elif isinstance(value, list):
            getattr(message, name).extend(value)
        else:
            getattr(message, name).append(value)

    def _values(self, name: str, kind: type) -> list:
        if self._peek() != "[":
            return [self._scalar(name, kind)]
        self.at += 1
        found = []
        while self._peek() != "]":
            found.append(self._scalar(name, kind))
            self.at += self._peek() == ","
        self.at += 1
        return found

    def _scalar(self, name: str, kind: type) -> Any:
        what, text = self._next()
        if kind is str and what == "text":
            return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text[1:-1])
        if kind is bool and text in ("true", "false", "True", "False", "t", "f", "1", "0"):
            return text in ("true", "True", "t", "1")
        if kind is int and re.fullmatch(r"-?\d+", text):
            return int(text)
        self.at -= 1
        wanted = {str: "a text in quotes", bool: "true or false", int: "an integer"}[kind]
        raise self._fail(f"{name}: expected {wanted}, but received {text}")


def read_description(text: str, path: str = "the description") -> FeedMessage:
    """The message of a text.

    Args:
        text (str): a text protobuf.
        path (str): of its file, for errors.
    """
    return _Reader(text, path).fill(FeedMessage(), "")


class DataFeedDesc:
    """Describes the lines of text files, for ``AsyncExecutor``.

    Args:
        proto_file (str): a file with the description in text form, as ``desc()`` prints it.

    Raises:
        ParseError: the file has a field that a description does not have, or a wrong value.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with open("data.proto", "w") as file:
                file.write('name: "MultiSlotDataFeed" batch_size: 2 multi_slot_desc {'
                           ' slots { name: "words" type: "uint64" } }')
            data_feed = fluid.DataFeedDesc("data.proto")
            data_feed.set_batch_size(128)
            data_feed.set_use_slots(["words"])
            print(data_feed.desc())
    """

    def __init__(self, proto_file: str) -> None:
        with open(proto_file, encoding="utf8") as file:
            self.proto_desc = read_description(file.read(), str(proto_file))
        self.proto_desc.pipe_command = "cat"
        self._slots = {slot.name: slot for slot in self.proto_desc.slots}

    def set_batch_size(self, batch_size: int) -> None:
        """Says how many records a batch has.

        Args:
            batch_size (int): at least 1.
        """
        if isinstance(batch_size, bool) or not isinstance(batch_size, int):
            raise TypeError(
                f"set_batch_size: expected an int, but received {type(batch_size).__name__}."
            )
        self.proto_desc.batch_size = batch_size

    def set_dense_slots(self, dense_slots_name: list[str]) -> None:
        """Makes slots dense: they feed arrays, others sequences.

        Args:
            dense_slots_name (list[str]): names of slots.

        Raises:
            ValueError: the description has no multi_slot_desc of that kind.
            KeyError: there is no such slot.
        """
        for name in self._names("set_dense_slots", dense_slots_name):
            self._slots[name].is_dense = True

    def set_use_slots(self, use_slots_name: list[str]) -> None:
        """Says which slots feed the Program; others are read over.

        Args:
            use_slots_name (list[str]): names of slots.

        Raises:
            ValueError: the description has no multi_slot_desc of that kind.
            KeyError: there is no such slot.
        """
        for name in self._names("set_use_slots", use_slots_name):
            self._slots[name].is_used = True

    def _names(self, api: str, names: Any) -> list[str]:
        if self.proto_desc.name != "MultiSlotDataFeed":
            raise ValueError(
                f'{api}: expected a description named "MultiSlotDataFeed", but its name is '
                f'"{self.proto_desc.name}".'
            )
        # In the examples of 1.3 a text is one name, in 1.8 it would be its letters.
        return [names] if isinstance(names, str) else list(names)

    def desc(self) -> str:
        """Returns the description in text form."""
        return str(self.proto_desc)
