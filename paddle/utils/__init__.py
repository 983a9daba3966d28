"""Tools around training: unique names, downloads."""

from paddle.utils import dlpack, download, unique_name

__all__ = ["dlpack", "download", "unique_name"]
