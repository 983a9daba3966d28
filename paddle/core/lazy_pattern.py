"""Regular expressions that are compiled when first used: error messages need them, few runs do."""

from __future__ import annotations

import re
from typing import Any


class LazyPattern:
    """Stands for ``re.compile(pattern, flags)``, whose methods it has.

    Args:
        pattern (str): the regular expression.
        flags (int): as for ``re.compile``. Default: 0.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._given = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        return getattr(re.compile(*self._given), name)  # re keeps what it has compiled
