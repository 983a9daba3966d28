"""paddle.jit: eager code turned into static Programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from paddle.core.lazy import lazy
from paddle.jit import dy2static
from paddle.jit.api import not_to_static, to_static

if TYPE_CHECKING:
    from paddle.jit.explaining import explain
    from paddle.jit.loading import load
    from paddle.jit.logs import set_code_level, set_verbosity
    from paddle.jit.saving import save
    from paddle.jit.traced_layer import TracedLayer
    from paddle.jit.translated_layer import TranslatedLayer
    from paddle.jit.translator import ProgramTranslator

# Imported when first used: most scripts convert, and few save, load or ask for explanations.
_LATER = {
    "ProgramTranslator": "paddle.jit.translator",
    "TracedLayer": "paddle.jit.traced_layer",
    "TranslatedLayer": "paddle.jit.translated_layer",
    "explain": "paddle.jit.explaining",
    "load": "paddle.jit.loading",
    "save": "paddle.jit.saving",
    "set_code_level": "paddle.jit.logs",
    "set_verbosity": "paddle.jit.logs",
}
__getattr__, __dir__ = lazy(sys.modules[__name__], (), _LATER)

__all__ = ["dy2static", "not_to_static", "to_static", *_LATER]
