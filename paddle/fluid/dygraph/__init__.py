"""1.x's dygraph: layers with ``act=``, schedules, saving; see the modules here."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
