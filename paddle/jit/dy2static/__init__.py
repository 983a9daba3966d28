"""paddle.jit.dy2static: what converted code calls when it runs."""

from __future__ import annotations

from typing import Any

from paddle.jit.dy2static.builtin_calls import (
    convert_all,
    convert_any,
    convert_isinstance,
    convert_math,
    convert_max,
    convert_min,
    convert_sum,
    convert_type,
)
from paddle.jit.dy2static.ifelse import convert_ifelse
from paddle.jit.dy2static.iteration import (
    convert_enumerate,
    convert_for_loop,
    convert_range,
    convert_zip,
)
from paddle.jit.dy2static.logical import (
    cast_bool_if_necessary,
    convert_logical_and,
    convert_logical_not,
    convert_logical_or,
    convert_shape_compare,
    create_bool_as_type,
)
from paddle.jit.dy2static.loops import convert_while_loop
from paddle.jit.dy2static.nodes import (
    create_fill_constant_node,
    create_static_variable_gast_node,
    to_static_variable_gast_node,
)
from paddle.jit.dy2static.tensor_arrays import (
    convert_append,
    convert_changed,
    convert_getitem,
    convert_pop,
    convert_setitem,
)
from paddle.jit.dy2static.undefined import (
    UndefinedVar,
    defined,
    is_undefined,
    read_or_undefined,
    undefined,
)
from paddle.jit.dy2static.values import (
    choose_shape_attr_or_api,
    convert_assert,
    convert_len,
    convert_print,
    convert_var_dtype,
    convert_var_shape,
    convert_var_shape_simple,
    data_layer_not_check,
    eval_if_exist_else_none,
    to_static_variable,
)

__all__ = [
    "UndefinedVar",
    "cast_bool_if_necessary",
    "choose_shape_attr_or_api",
    "convert_all",
    "convert_any",
    "convert_append",
    "convert_assert",
    "convert_call",
    "convert_changed",
    "convert_enumerate",
    "convert_for_loop",
    "convert_getitem",
    "convert_ifelse",
    "convert_isinstance",
    "convert_len",
    "convert_logical_and",
    "convert_logical_not",
    "convert_logical_or",
    "convert_math",
    "convert_max",
    "convert_min",
    "convert_pop",
    "convert_print",
    "convert_range",
    "convert_setitem",
    "convert_shape_compare",
    "convert_sum",
    "convert_type",
    "convert_var_dtype",
    "convert_var_shape",
    "convert_var_shape_simple",
    "convert_while_loop",
    "convert_zip",
    "create_bool_as_type",
    "create_fill_constant_node",
    "create_static_variable_gast_node",
    "data_layer_not_check",
    "defined",
    "eval_if_exist_else_none",
    "is_undefined",
    "read_or_undefined",
    "to_static_variable",
    "to_static_variable_gast_node",
    "undefined",
]


def convert_call(func: Any) -> Any:
    """Returns the converted form of something that is about to be called.

    Args:
        func (callable): a function, method, Layer or other callable.

    Returns:
        callable: its converted form, or ``func`` itself where nothing is to be converted.
    """
    from paddle.jit.rewriting.convert import convert_call as convert

    return convert(func)
