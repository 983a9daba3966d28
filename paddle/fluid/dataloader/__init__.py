"""Datasets and samplers; all but BatchSampler are those of ``paddle.io``."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
