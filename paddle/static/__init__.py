"""Static-graph namespace; so far it holds InputSpec, which dynamic mode uses too."""

from paddle.framework.create_parameter import create_parameter
from paddle.static.input import InputSpec

__all__ = ["InputSpec", "create_parameter"]
