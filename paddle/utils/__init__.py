"""Tools around training: unique names, downloads."""

from paddle.utils import download, unique_name

__all__ = ["download", "unique_name"]
