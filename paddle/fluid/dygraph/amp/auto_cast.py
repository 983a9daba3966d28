"""amp_guard: mixed precision in dygraph, by the name of 2.0's fluid."""

from __future__ import annotations

from typing import Any

from paddle.amp import auto_cast

__all__ = ["amp_guard"]


def amp_guard(
    enable: bool = True, custom_white_list: Any = None, custom_black_list: Any = None
) -> Any:
    """Runs operators in mixed precision within a block; see :func:`paddle.amp.auto_cast`.

    Args:
        enable (bool): False changes nothing. Default: True.
        custom_white_list (list[str], optional): operators that run in 16 bits too.
        custom_black_list (list[str], optional): operators that do not.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = fluid.dygraph.Linear(4, 2)
                with fluid.dygraph.amp_guard():
                    out = linear(fluid.dygraph.to_variable(np.ones([1, 4], "float32")))
                print(out.shape)  # [1, 2]
    """
    return auto_cast(enable, custom_white_list, custom_black_list)
