"""Texts, which the board shows as Markdown."""

from __future__ import annotations

from typing import Any

from visualdl.component import checks
from visualdl.record import Record


def to_record(tag: str, text_string: Any, step: Any = None, walltime: Any = None) -> Any:
    """Gives a text as a Record; see `LogWriter.add_text`."""
    content = Record.Text(encoded_text_string=checks.text(text_string, "text_string"))
    return checks.record(tag, step, walltime, text=content)


def from_record(value: Any) -> str:
    """Gives the text of a record."""
    return value.text.encoded_text_string


def to_json(value: Any) -> dict[str, int]:
    """Gives `{"step", "wallTime"}`; the text itself is asked for by its place."""
    return {"step": value.id, "wallTime": checks.shown_time(value.timestamp)}
