"""The operator library: kernels and their gradients, a file a family; nothing else.

Families are imported when one of their operators is first asked for, so that `import paddle` stays
quick: first those that a common script uses, then the others in the order of their names.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading

from paddle.core.op import REGISTRY

_COMMON = (
    "common", "elementwise", "activation", "reduce", "linalg", "conv", "pool", "loss", "norm",
    "unary", "compare", "manipulation", "creation", "optimizer", "conv_transpose",
)  # fmt: skip
_waiting: list[str] | None = None
_lock = threading.RLock()  # who misses an operator waits for the thread that is importing it


def _load_next() -> bool:
    """Imports the next family; False when all are there."""
    global _waiting
    with _lock:
        if _waiting is None:
            names = [module.name for module in pkgutil.iter_modules(__path__)]
            _waiting = [*_COMMON, *(n for n in names if n not in _COMMON)]
        if not _waiting:
            return False
        importlib.import_module(f"{__name__}.{_waiting.pop(0)}")
        return True


def load_all() -> None:
    """Imports every family, which registers its operators."""
    while _load_next():
        pass


def install() -> None:
    """Lets the registry load families; done once, by ``import paddle``."""
    REGISTRY.load = _load_next
