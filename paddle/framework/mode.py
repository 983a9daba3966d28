"""Dynamic and static mode. Static graphs come with a later release; until then they say so."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import UnimplementedError
from paddle.core.place import Place, set_device

__all__ = ["disable_static", "enable_static", "in_dynamic_mode"]


def in_dynamic_mode() -> bool:
    """Says whether operators run at once (always, so far).

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.in_dynamic_mode())  # True
    """
    return True


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
    if place is None:
        return
    if not isinstance(place, Place):
        raise TypeError(
            f"disable_static(place): expected a Place, but received {type(place).__name__}."
        )
    set_device(f"gpu:{place.get_device_id()}" if place.is_gpu_place() else "cpu")


def enable_static() -> None:
    """Switches to static graphs, which do not exist here yet.

    Raises:
        NotImplementedError: always, for now.

    Examples:
        .. code-block:: python

            import paddle
            try:
                paddle.enable_static()
            except NotImplementedError as error:
                print("dynamic mode only")
    """
    raise UnimplementedError(
        "static graphs (enable_static) are not implemented yet.",
        hint="run the model in dynamic mode: remove paddle.enable_static()",
    )
