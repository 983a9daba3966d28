"""Fields of a batch by the names under which a Program is fed, in static mode."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.framework.mode import in_dynamic_mode


def feed_names(feed_list: Any, return_list: bool) -> list[str] | None:
    """Returns the names under which fields are yielded, or None where they are yielded as a list.

    Args:
        feed_list (list|None): Variables or names.
        return_list (bool): whether a list is asked for.
    """
    if feed_list is not None and not isinstance(feed_list, (list, tuple)):
        raise TypeError(
            "DataLoader(feed_list): expected a list of Variables or names, "
            f"but received {type(feed_list).__name__}."
        )
    if return_list:
        return None
    if feed_list is None:
        if not in_dynamic_mode():
            raise InvalidArgumentError(
                "DataLoader(feed_list): expected a list of Variables where return_list is False "
                "in static mode, but received None.",
                hint="pass feed_list, or return_list=True",
            )
        return None
    return [v if isinstance(v, str) else v.name for v in feed_list]


def named_fields(batch: Any, names: list[str]) -> dict[str, Any]:
    """Returns ``{name: field}`` for a batch of as many fields as there are names."""
    fields = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    if isinstance(batch, dict):
        fields = list(batch.values())
    if len(fields) != len(names):
        raise InvalidArgumentError(
            f"DataLoader(feed_list): expected {len(names)} fields in a batch, one for each of "
            f"{names}, but received {len(fields)}."
        )
    return dict(zip(names, fields, strict=True))
