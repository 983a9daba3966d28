"""The first record of a log file: the name its run is shown by."""

from __future__ import annotations

from typing import Any

from visualdl.component import checks
from visualdl.record import META_TAG, Record


def to_record(
    tag: str = META_TAG, display_name: Any = "", step: Any = 0, walltime: Any = None
) -> Any:
    """Gives the name of a run as a Record; see `LogWriter.add_meta`."""
    return checks.record(
        tag,
        step,
        walltime,
        meta_data=Record.MetaData(display_name=checks.text(display_name, "display_name")),
    )


def from_record(value: Any) -> str:
    """Gives the name; an empty text where there is none."""
    return value.meta_data.display_name


def to_json(value: Any) -> dict[str, str]:
    """Gives `{"display_name"}`."""
    return {"display_name": from_record(value)}
