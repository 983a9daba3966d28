"""paddle.jit: eager code turned into static Programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from paddle.core.lazy import lazy
from paddle.jit import dy2static
from paddle.jit.api import not_to_static, to_static

if TYPE_CHECKING:
    from paddle.jit.explaining.logs import set_code_level, set_verbosity
    from paddle.jit.explaining.report import explain
    from paddle.jit.models.loading import load
    from paddle.jit.models.saving import save
    from paddle.jit.models.translated_layer import TranslatedLayer
    from paddle.jit.traced_layer import TracedLayer
    from paddle.jit.translator import ProgramTranslator

# Imported when first used: most scripts convert, and few save, load or ask for explanations.
_LATER = {
    "ProgramTranslator": "paddle.jit.translator",
    "TracedLayer": "paddle.jit.traced_layer",
    "TranslatedLayer": "paddle.jit.models.translated_layer",
    "explain": "paddle.jit.explaining.report",
    "load": "paddle.jit.models.loading",
    "save": "paddle.jit.models.saving",
    "set_code_level": "paddle.jit.explaining.logs",
    "set_verbosity": "paddle.jit.explaining.logs",
}
__getattr__, __dir__ = lazy(sys.modules[__name__], (), _LATER)

__all__ = ["dy2static", "not_to_static", "to_static", *_LATER]
