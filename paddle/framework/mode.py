"""Dynamic and static mode: whether operators run at once or are recorded into a Program."""

from __future__ import annotations

from typing import Any

from paddle.core.mode import recording, set_recording
from paddle.core.place import Place, name_of, set_device

__all__ = ["disable_static", "enable_static", "in_dynamic_mode"]


class Choice:
    """Whether a mode was chosen: 1.x has another default than 2.0, and a choice wins over both."""

    made = False


def in_dynamic_mode() -> bool:
    """Says whether operators run at once.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.in_dynamic_mode())  # True
            paddle.enable_static()
            print(paddle.in_dynamic_mode())  # False
            paddle.disable_static()
    """
    return not recording()


def disable_static(place: Any = None) -> None:
    """Makes operators run at once, which is the default.

    Args:
        place (Place, optional): the device to use from now on.

    Examples:
        .. code-block:: python

            import paddle
            paddle.disable_static()
            print(paddle.in_dynamic_mode())  # True
    """
    if place is not None and not isinstance(place, Place):
        raise TypeError(
            f"disable_static(place): expected a Place, but received {type(place).__name__}."
        )
    Choice.made = True
    set_recording(None)
    if place is not None:
        set_device(name_of(place))


def enable_static() -> None:
    """Makes public functions record operators into the default main Program from now on.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            x = paddle.zeros([1, 2])
            print(type(x).__name__, x.shape)  # Variable (1, 2)
            paddle.disable_static()
    """
    from paddle.ir.recording.static_mode import start

    Choice.made = True
    start()
