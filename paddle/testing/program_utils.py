"""Comparing Programs, loading what Layers saved; found as ``utils`` by PaddlePaddle's tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.executor.scope import global_scope
from paddle.fluid.dygraph.checkpoint import load_dygraph

__all__ = [
    "DyGraphProgramDescTracerTestHelper", "is_equal_program", "load_dygraph_vars_to_scope",
]  # fmt: skip


def is_equal_program(prog1: Any, prog2: Any) -> bool:
    """Whether two Programs have the same operators on the same variables.

    Args:
        prog1, prog2 (Program): what is compared: blocks, the operators' types, names and
            attributes, the variables' names, types and whether they are persistable.
    """
    return len(prog1.blocks) == len(prog2.blocks) and all(
        len(a.ops) == len(b.ops)
        and set(a.vars) == set(b.vars)
        and all(map(_same_operator, a.ops, b.ops))
        and all(_same_variable(var, b.vars[name]) for name, var in a.vars.items())
        for a, b in zip(prog1.blocks, prog2.blocks, strict=True)
    )


def _same_operator(a: Any, b: Any) -> bool:
    return (
        a.type == b.type
        and a.input_arg_names == b.input_arg_names
        and a.output_arg_names == b.output_arg_names
        and a.all_attrs() == b.all_attrs()
    )


def _same_variable(a: Any, b: Any) -> bool:
    return all(
        getattr(a, name) == getattr(b, name)
        for name in ("type", "dtype", "lod_level", "persistable")
    )


def load_dygraph_vars_to_scope(model_path: str, scope: Any, place: Any) -> None:
    """Puts what ``save_dygraph`` saved into a scope, under the names of the file.

    Args:
        model_path (str): without ``.pdparams`` or ``.pdopt``.
        scope (Scope, optional): None: the global one.
        place (Place): where the values lie.
    """
    target = global_scope() if scope is None else scope
    for values in load_dygraph(model_path):
        for name, value in (values or {}).items():
            array = value.numpy() if hasattr(value, "numpy") else value
            target.var(name).get_tensor().set(np.asarray(array), place)


class DyGraphProgramDescTracerTestHelper:
    """Compares results of dynamic and of static mode.

    Args:
        unittest_obj (TestCase): fails where they differ.
    """

    def __init__(self, unittest_obj: Any) -> None:
        self.unittest_obj = unittest_obj

    def assertEachVar(
        self, out_dygraph: Any, out_static_graph: Any, func: Callable | None = None
    ) -> None:
        """Compares one result after the other.

        Args:
            out_dygraph (Tensor|list[Tensor]): of dynamic mode.
            out_static_graph (array|list[array]): of static mode.
            func (callable, optional): compares two arrays. Default: all elements are equal.
        """
        same = np.array_equal if func is None else func
        dynamic, static = (
            list(v) if isinstance(v, (list, tuple)) else [v]
            for v in (out_dygraph, out_static_graph)
        )
        for a, b in zip(dynamic, static, strict=True):
            self.unittest_obj.assertTrue(same(a.numpy(), b))
