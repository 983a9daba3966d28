"""Static-graph namespace; so far it holds InputSpec, which dynamic mode uses too."""

from paddle.static.input import InputSpec

__all__ = ["InputSpec"]
