"""Static or dynamic: 1.x is static by default, 2.0 dynamic; what is used first decides.

The mode is open until something is made. A name of fluid that only makes sense in static mode
settles it to static, an eager Tensor to dynamic; ``enable_static`` and ``disable_static`` win.
"""

from __future__ import annotations

from paddle.core.mode import recording
from paddle.framework.mode import enable_static


def settle_static(api: str) -> None:
    """Called by what only static mode has, before it makes anything.

    Args:
        api (str): the name that the user called, for the error's text.

    Raises:
        RuntimeError: dynamic mode was chosen, or eager Tensors have been made.
    """
    if not recording():
        enable_static()
