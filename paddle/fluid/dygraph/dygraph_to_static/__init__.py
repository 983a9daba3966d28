"""Names of 1.x's converter of dygraph functions. Its work is done by ``paddle.jit``."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
