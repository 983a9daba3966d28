"""BreakContinueTransformer: part of 1.x's converter, which is not here."""

from paddle.fluid.dygraph.dygraph_to_static.refused import refused_class

__all__ = ["BreakContinueTransformer"]

BreakContinueTransformer = refused_class(
    "BreakContinueTransformer", "generic_visit transform visit visit_Break visit_Continue"
)
