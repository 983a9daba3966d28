"""Colour arithmetic on separate channels, the same for NumPy arrays and Tensors."""

from __future__ import annotations

from typing import Any

# Brightness as the eye sees it (ITU-R BT.601).
RED, GREEN, BLUE = 0.299, 0.587, 0.114


def brightness_of(red: Any, green: Any, blue: Any) -> Any:
    """Return the brightness of each pixel."""
    return red * RED + green * GREEN + blue * BLUE


def turn_hue(space: Any, red: Any, green: Any, blue: Any, turn: float) -> list[Any]:
    """Turn the colour circle by `turn` of a full turn, keeping value and saturation.

    Args:
        space (module): numpy or paddle, whichever the channels belong to.
        red, green, blue (ndarray|Tensor): floating channels in any common unit.
        turn (float): part of a full turn.

    Returns:
        list: the new red, green and blue.
    """
    value = space.maximum(space.maximum(red, green), blue)
    chroma = value - space.minimum(space.minimum(red, green), blue)
    # Gray pixels have no hue; any will do, their chroma is zero.
    divisor = space.where(chroma > 0, chroma, space.ones_like(chroma))
    hue = space.where(
        value == red,
        (green - blue) / divisor,
        space.where(value == green, 2 + (blue - red) / divisor, 4 + (red - green) / divisor),
    )
    channels = []
    for start in (5, 3, 1):
        k = hue + (start + 6 * turn)
        k = k - 6 * space.floor(k / 6)
        channels.append(value - chroma * space.clip(space.minimum(k, 4 - k), 0, 1))
    return channels
