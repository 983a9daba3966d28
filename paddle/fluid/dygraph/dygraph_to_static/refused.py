"""Classes of 1.x's converter that walk trees of the package ``gast``: there are none here."""

from __future__ import annotations

from typing import Any

from paddle.core.not_yet import MissingPartError

__all__ = [
    "AstNodeWrapper", "DygraphToStaticAst", "LoopTransformer", "NameVisitor", "NodeVarType",
    "StaticAnalysisVisitor", "create_fill_constant_node", "create_static_variable_gast_node",
    "to_static_variable_gast_node",
]  # fmt: skip

_ADVICE = (
    "functions are converted by paddle.jit.to_static (fluid.dygraph.declarative); "
    "ProgramTranslator().get_code(function) shows what a function becomes"
)


class Refused:
    """A part of 1.x's converter; making one raises and says what to use.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse(type(self).__name__)


def refuse(name: str) -> Any:
    """Says that 1.x's converter is not here.

    Args:
        name (str): what was called.
    """
    raise MissingPartError(
        f"fluid.dygraph.dygraph_to_static.{name} belongs to the converter of 1.x, which works on "
        "trees of gast.",
        hint=_ADVICE,
    )


def _refusing(name: str) -> Any:
    def method(*args: Any, **kwargs: Any) -> Any:
        refuse(name)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Raises: {name} belongs to the converter of 1.x; {_ADVICE}."
    return method


def refused_class(name: str, members: str) -> Any:
    """A class that cannot be made, with the methods that 1.x's has.

    Args:
        name (str): of the class.
        members (str): names of its methods.
    """
    text = f"Part of 1.x's converter; making one raises. Instead: {_ADVICE}."
    space = {member: _refusing(f"{name}.{member}") for member in members.split()}
    return type(name, (Refused,), {"__doc__": text, "__module__": __name__, **space})


AstNodeWrapper = refused_class("AstNodeWrapper", "")
DygraphToStaticAst = refused_class(
    "DygraphToStaticAst",
    "get_feed_name_to_idx get_module_name get_static_ast transfer_from_node_type visit_FunctionDef",
)
LoopTransformer = refused_class(
    "LoopTransformer",
    "get_for_args_stmts get_for_range_node get_for_stmt_nodes get_while_stmt_nodes "
    "replace_stmt_list transform visit",
)
NameVisitor = refused_class(
    "NameVisitor",
    "get_loop_var_names is_control_flow_loop visit visit_Attribute visit_Call visit_For "
    "visit_FunctionDef visit_Name visit_While",
)
NodeVarType = refused_class("NodeVarType", "binary_op_output_type")
StaticAnalysisVisitor = refused_class(
    "StaticAnalysisVisitor",
    "dfs_visit get_node_to_wrapper_map get_node_wrapper_root get_var_env is_tensor_node run",
)
create_fill_constant_node = _refusing("create_fill_constant_node")
create_static_variable_gast_node = _refusing("create_static_variable_gast_node")
to_static_variable_gast_node = _refusing("to_static_variable_gast_node")
