"""fluid.layers.device: the places of a machine as a value of a Program."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.fluid.mode import settle_static
from paddle.ir.current import default_main_program

__all__: list[str] = []


def get_places(device_count: int | None = None, device_type: str | None = None) -> Any:
    """Adds the operator that lists places.

    Args:
        device_count (int, optional): how many; None: all.
        device_type (str, optional): ``'CPU'``, ``'CUDA'`` or ``'AUTO'``; None means AUTO.

    Returns:
        Variable: the list.

    Raises:
        ValueError: another type.
    """
    settle_static("fluid.layers.device.get_places")
    if device_type not in (None, "CPU", "CUDA", "AUTO"):
        raise InvalidArgumentError(
            "fluid.layers.device.get_places(device_type): expected 'CPU', 'CUDA' or 'AUTO', "
            f"but received {device_type!r}."
        )
    block = default_main_program().current_block()
    out = block.create_var()
    attrs = {"device_count": int(device_count or 0), "device_type": device_type or "AUTO"}
    block.append_op(type="get_places", inputs={}, outputs={"Out": [out]}, attrs=attrs)
    return out
