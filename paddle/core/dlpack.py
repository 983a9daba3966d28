"""DLPack: handing memory to other libraries and taking theirs, without a copy."""

from __future__ import annotations

from typing import Any

import torch.utils.dlpack as _torch_dlpack

from paddle.core.errors import PreconditionNotMetError
from paddle.core.tensor import Tensor, wrap
from paddle.core.writes import share_outside

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(x: Tensor) -> Any:
    """Makes a DLPack capsule of a Tensor; writes on either side show on the other.

    Args:
        x (Tensor): what is shared.

    Returns:
        A capsule that another library's ``from_dlpack`` takes, once.

    Raises:
        TypeError: ``x`` is no Tensor.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.utils.dlpack import from_dlpack, to_dlpack
            x = paddle.to_tensor([1.0, 2.0])
            y = from_dlpack(to_dlpack(x))
            y[0] = 9.0
            print(x.numpy())  # [9. 2.]
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"to_dlpack(x): expected a Tensor, but received {type(x).__name__}.")
    share_outside(x)
    return _torch_dlpack.to_dlpack(x._buf)


def from_dlpack(dlpack: Any) -> Tensor:
    """Makes a Tensor of a DLPack capsule, or of an object with ``__dlpack__``, without a copy.

    Args:
        dlpack: a capsule that was not used before, or an array of another library.

    Returns:
        Tensor: it shares the memory, so writes on either side show on the other.

    Raises:
        TypeError: ``dlpack`` is neither.
        RuntimeError: the capsule was used before.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            array = np.zeros(2)
            x = paddle.utils.dlpack.from_dlpack(array)
            array[0] = 5
            print(x.numpy())  # [5. 0.]
    """
    capsule = type(dlpack).__name__ == "PyCapsule"
    if not capsule and not hasattr(dlpack, "__dlpack__"):
        raise TypeError(
            "from_dlpack(dlpack): expected a DLPack capsule or an object with __dlpack__, "
            f"but received {type(dlpack).__name__}."
        )
    try:
        made = wrap(_torch_dlpack.from_dlpack(dlpack))
    except RuntimeError as error:
        raise PreconditionNotMetError(
            f"from_dlpack(dlpack): expected a capsule that was not taken yet: {error}.",
            hint="a capsule can be used once; make another one with to_dlpack",
        ) from error
    share_outside(made)
    return made
