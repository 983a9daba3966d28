"""Programs of 1.x as pseudo code and as graphs, and runs that stop at a NaN."""

from __future__ import annotations

import re
from typing import Any

from paddle.core import flags
from paddle.core.dtype import VarType, dtype_name
from paddle.fluid.graphviz import GraphPreviewGenerator
from paddle.ir.block import Block
from paddle.ir.current import default_main_program
from paddle.ir.program import Program

__all__ = [
    "draw_block_graphviz", "pprint_block_codes", "pprint_program_codes",
    "prepare_fast_nan_inf_debug", "repr_attr", "repr_data_type", "repr_lodtensor", "repr_op",
    "repr_selected_rows", "repr_tensor", "repr_tensor_array", "repr_var", "run_fast_nan_inf_debug",
]  # fmt: skip

_HIDDEN = ("op_role", "op_role_var", "op_namescope", "op_callstack", "op_device")


def repr_data_type(type: Any) -> str:
    """The name of an element type.

    Args:
        type (VarType|int): the type.

    Returns:
        str: the text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            print(fluid.debugger.repr_data_type(x.dtype))
            # float32
    """
    return dtype_name(VarType(int(type)))


def repr_tensor(proto: Any) -> str:
    """The form of a tensor.

    Args:
        proto (Variable): has ``dtype`` and ``shape``.

    Returns:
        str: the text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            print(fluid.debugger.repr_tensor(x))
            # tensor(type=float32, shape=[-1, 2])
    """
    return f"tensor(type={repr_data_type(proto.dtype)}, shape={list(proto.shape)})"


def repr_lodtensor(proto: Any) -> str:
    """The form of a tensor with levels.

    Args:
        proto (Variable): the variable.

    Returns:
        str: the text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            print(fluid.debugger.repr_lodtensor(x))
            # x(shape=[-1, 2], dtype=float32, lod_level=0)
    """
    return f"{proto.name}(shape={list(proto.shape)}, dtype={repr_data_type(proto.dtype)}, " \
           f"lod_level={proto.lod_level})"  # fmt: skip


def repr_selected_rows(proto: Any) -> str:
    """The form of rows of a table.

    Args:
        proto (Variable): the variable.

    Returns:
        str: the text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            print(fluid.debugger.repr_selected_rows(x))
            # selected_rows(tensor(type=float32, shape=[-1, 2]))
    """
    return f"selected_rows({repr_tensor(proto)})"


def repr_tensor_array(proto: Any) -> str:
    """The form of a tensor array.

    Args:
        proto (Variable): the variable.

    Returns:
        str: the text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            print(fluid.debugger.repr_tensor_array(x))
            # tensor_array(float32, lod_level=0)
    """
    return f"tensor_array({repr_data_type(proto.dtype)}, lod_level={proto.lod_level})"


_KINDS = {
    VarType.LOD_TENSOR: repr_lodtensor,
    VarType.SELECTED_ROWS: repr_selected_rows,
    VarType.LOD_TENSOR_ARRAY: repr_tensor_array,
}


def repr_var(vardesc: Any) -> str:
    """The form of a variable.

    Args:
        vardesc (Variable): the variable.

    Returns:
        str: the text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            print(fluid.debugger.repr_var(x))
            # x(shape=[-1, 2], dtype=float32, lod_level=0)
    """
    shown = _KINDS.get(vardesc.type)
    return vardesc.name if shown is None else shown(vardesc)


def repr_attr(desc: tuple[str, Any]) -> tuple[str, str]:
    """An attribute as text.

    Args:
        desc (tuple): its name and value.

    Returns:
        tuple: ``name=value``, and the name.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.debugger.repr_attr(("axis", 1)))  # ('axis=1', 'axis')
    """
    name, value = desc
    number = getattr(value, "idx", None)
    shown = f"block[{number}]" if number is not None else value
    return f"{name}={shown}", name


def _slots(slots: dict[str, list[str]]) -> str:
    return ", ".join(f"{slot}=[{', '.join(names)}]" for slot, names in slots.items() if names)


def repr_op(opdesc: Any) -> str:
    """An operator as a line of pseudo code.

    Args:
        opdesc (Operator): the operator.

    Returns:
        str: the text.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            print(fluid.debugger.repr_op(main.global_block().ops[0]))  # Out=[...] = scale(...)
    """
    outs = {slot: list(opdesc.output(slot)) for slot in opdesc.output_names}
    ins = {slot: list(opdesc.input(slot)) for slot in opdesc.input_names}
    attrs = [
        repr_attr((name, opdesc.attr(name)))[0]
        for name in opdesc.attr_names
        if name not in _HIDDEN and not name.startswith("_")
    ]
    return f"{_slots(outs)} = {opdesc.type}(inputs={{{_slots(ins)}}}, {', '.join(sorted(attrs))})"


def pprint_program_codes(program_desc: Any) -> None:
    """Prints a Program as pseudo code.

    Args:
        program_desc (Program): the Program.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                y = paddle.static.data("x", [2]) * 2.0
            fluid.debugger.pprint_program_codes(main)
    """
    for block in program_desc.blocks:
        pprint_block_codes(block)


def pprint_block_codes(block_desc: Any, show_backward: bool = False) -> None:
    """Prints a block as pseudo code.

    Args:
        block_desc (Block): the block.
        show_backward (bool): with the operators of gradients and updates. Default: False.

    Raises:
        TypeError: it is no Block.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            fluid.debugger.pprint_block_codes(main.global_block())
    """
    if not isinstance(block_desc, Block):
        raise TypeError(
            f"pprint_block_codes: expected a Block, but received {type(block_desc).__name__}."
        )
    print(f"// block-{block_desc.idx}  parent-{block_desc.parent_idx}")
    print("// variables")
    for name in sorted(block_desc.vars):
        if show_backward or not name.endswith("@GRAD"):
            print(f"var {repr_var(block_desc.vars[name])}")
    print("\n// operators")
    for op in block_desc.ops:
        if show_backward or not any(n.endswith("@GRAD") for n in _arguments(op)):
            print(repr_op(op))
    print()


def _arguments(op: Any) -> list[str]:
    return [*op.input_arg_names, *op.output_arg_names]


def draw_block_graphviz(block: Any, highlights: Any = None, path: str = "./temp.dot") -> None:
    """Draws a block: writes a graph, and a picture beside it if Graphviz is installed.

    Args:
        block (Block): the block.
        highlights (list[str], optional): patterns; variables whose names fit get a strong colour.
        path (str): the file of the graph. Default: ./temp.dot.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                y = paddle.static.data("x", [2]) * 2.0
            fluid.debugger.draw_block_graphviz(main.block(0), path="net.dot")
    """
    graph = GraphPreviewGenerator("some graph")
    patterns = [re.compile(pattern) for pattern in highlights or ()]
    stored = {v.name for v in block.vars.values() if v.persistable}
    nodes: dict[str, Any] = {}

    def node(name: str) -> Any:
        if name not in nodes:
            strong = any(p.match(name) for p in patterns)
            if name in stored:
                kind = repr_data_type(block.vars[name].dtype)
                nodes[name] = graph.add_param(name, kind, highlight=strong)
            else:
                nodes[name] = graph.add_arg(name, highlight=strong)
        return nodes[name]

    for op in block.ops:
        drawn = graph.add_op(op.type, highlight=False)
        for name in op.input_arg_names:
            graph.add_edge(node(name), drawn)
        for name in op.output_arg_names:
            graph.add_edge(drawn, node(name))
    graph(path, show=False)


def prepare_fast_nan_inf_debug(_program: Any) -> None:
    """Prepares a Program for :func:`run_fast_nan_inf_debug`: nothing has to be changed.

    Args:
        _program (Program): the Program.

    Raises:
        TypeError: it is no Program.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            fluid.debugger.prepare_fast_nan_inf_debug(main)
    """
    if not isinstance(_program, Program):
        raise TypeError(
            "prepare_fast_nan_inf_debug: expected a Program, "
            f"but received {type(_program).__name__}."
        )


def run_fast_nan_inf_debug(
    executor: Any,
    program: Any = None,
    feed: Any = None,
    fetch_list: Any = None,
    feed_var_name: str = "feed",
    fetch_var_name: str = "fetch",
    scope: Any = None,
    return_numpy: bool = True,
    use_program_cache: bool = False,
    dump_core: bool = True,
) -> Any:
    """Runs a Program and stops at the first operator that makes a NaN or an infinity.

    Args:
        executor (Executor): runs it.
        program (Program, optional): None means the default main one.
        feed (dict, optional): see ``Executor.run``.
        fetch_list (list, optional): see ``Executor.run``.
        feed_var_name (str): see ``Executor.run``. Default: feed.
        fetch_var_name (str): see ``Executor.run``. Default: fetch.
        scope (Scope, optional): see ``Executor.run``.
        return_numpy (bool): see ``Executor.run``. Default: True.
        use_program_cache (bool): see ``Executor.run``. Default: False.
        dump_core (bool): the error is raised either way. Default: True.

    Returns:
        list: what was fetched.

    Raises:
        RuntimeError: an operator made a NaN or an infinity; it is named.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.scale(x, 2.0)
            rows = np.ones([1, 2], "float32")
            exe = fluid.Executor()
            print(fluid.debugger.run_fast_nan_inf_debug(exe, main, {"x": rows}, [y]))
    """
    program = default_main_program() if program is None else program
    old = flags.get("FLAGS_check_nan_inf")
    flags.set("FLAGS_check_nan_inf", True)
    try:
        return executor.run(
            program, feed, fetch_list, feed_var_name, fetch_var_name, scope, return_numpy,
            use_program_cache,
        )  # fmt: skip
    finally:
        flags.set("FLAGS_check_nan_inf", old)
