"""Writes an object of the user to an open file, in the form of PaddlePaddle's pickles."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.serialization.pickles.packing import to_file_form
from paddle.serialization.pickles.writer import write_pickle


def write_object(obj: Any, file: Any, protocol: int, name: str) -> None:
    """Writes an object as :func:`paddle.save` does.

    Args:
        obj (object): what :func:`paddle.save` takes, except for Programs.
        file: open for writing.
        protocol (int): 2, 3 or 4.
        name (str): the file, for error texts.
    """
    try:
        write_pickle(to_file_form(obj, protocol), file, protocol)
    except RecursionError:
        raise InvalidArgumentError(
            "paddle.save: the object is nested too deeply", hint="Flatten its containers."
        ) from None
    except OverflowError as error:
        raise InvalidArgumentError(f"paddle.save to {name!r}: {error}") from None
