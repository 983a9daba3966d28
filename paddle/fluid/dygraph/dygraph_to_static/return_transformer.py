"""ReturnTransformer: part of the converter of 2.0's fluid, which is not here; its constants are."""

from paddle.fluid.dygraph.dygraph_to_static.refused import refused_class

__all__ = ["RETURN_NO_VALUE_MAGIC_NUM", "RETURN_NO_VALUE_VAR_NAME", "ReturnTransformer"]

RETURN_NO_VALUE_MAGIC_NUM = 1.77113e279
RETURN_NO_VALUE_VAR_NAME = "__no_value_return_var"

ReturnTransformer = refused_class(
    "ReturnTransformer", "generic_visit transform visit visit_FunctionDef visit_Return"
)
