"""What the layers of 1.x have in common: the argument ``act``, and the type of parameters."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.dtype import dtype_name, get_default_dtype, set_default_dtype
from paddle.core.op import C
from paddle.nn.layer.helper import activation_of


def activation(api: str, act: Any) -> Callable[[Any], Any] | None:
    """The function of an ``act=``; None: there is none.

    Args:
        api (str): whose argument it is.
        act (str|dict|None): an operator's name, as in 1.x.

    Raises:
        TypeError: it is no name.
        ValueError: no operator of one input has the name.
    """
    if act is None:
        return None
    kind, attrs = activation_of(api, act)
    function = getattr(C, kind)
    return (lambda x: function(x, **attrs)) if attrs else function


def applied(act: Callable[[Any], Any] | None, x: Any) -> Any:
    """The result after its activation."""
    return x if act is None else act(x)


@contextlib.contextmanager
def parameters_of(dtype: Any) -> Iterator[None]:
    """Lets a layer of 2.0 make its parameters in the type that 1.x is told."""
    name = dtype_name(dtype)
    before = get_default_dtype()
    if name in ("float32", before):
        yield
        return
    set_default_dtype(name)
    try:
        yield
    finally:
        set_default_dtype(before)
