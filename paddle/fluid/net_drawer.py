"""Draws the graph of a Program's operators, as 1.x does."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["draw_edge", "draw_graph", "draw_node", "parse_graph", "unique_id"]

_OP_STYLE = {"shape": "oval", "color": "#0F9D58", "style": "filled", "fontcolor": "#FFFFFF"}


def unique_id() -> Callable[[], int]:
    """Returns a function that counts from 0.

    Examples:
        .. code-block:: python

            from paddle.fluid.net_drawer import unique_id
            count = unique_id()
            print(count(), count())  # 0 1
    """
    numbers = itertools.count()
    return lambda: next(numbers)


_count = unique_id()


def draw_node(op: Any) -> dict[str, Any]:
    """The node of an operator: name, label and style.

    Args:
        op (Operator): the operator.
    """
    return {**_OP_STYLE, "name": f"{op.type}_{_count()}", "label": op.type}


def draw_edge(var_parent: dict[str, str], op: Any, var: Any, arg: str) -> dict[str, Any]:
    """The edge by which an operator reads a variable.

    Args:
        var_parent (dict[str, str]): variable -> the node of the operator that makes it.
        op (Operator): what reads.
        var (str): the slot.
        arg (str): the variable.
    """
    return {
        "tail_name": var_parent[arg],
        "head_name": op if isinstance(op, str) else op.type,
        "label": f"{var}: {arg}",
    }


def parse_graph(program: Any, graph: list[str], var_dict: dict[str, str], **kwargs: Any) -> None:
    """Adds the operators of a Program to a graph.

    Args:
        program (Program): the Program.
        graph (list[str]): the lines of the graph, which get longer.
        var_dict (dict[str, str]): variable -> the node that makes it, which gets longer.
        **kwargs: none.
    """
    block = program.global_block()
    for name in block.vars:
        if name not in var_dict:
            var_dict[name] = "Feed"
    for op in block.ops:
        node = draw_node(op)
        style = ", ".join(f'{k}="{v}"' for k, v in node.items() if k != "name")
        graph.append(f'  "{node["name"]}" [{style}];')
        for slot in op.input_names:
            for arg in op.input(slot):
                if arg in var_dict:
                    edge = draw_edge(var_dict, node["name"], slot, arg)
                    graph.append(
                        f'  "{edge["tail_name"]}" -> "{edge["head_name"]}" '
                        f'[label="{edge["label"]}"];'
                    )
        for slot in op.output_names:
            for arg in op.output(slot):
                var_dict[arg] = node["name"]


def draw_graph(startup_program: Any, main_program: Any, **kwargs: Any) -> str:
    """Draws a startup Program and a main Program in one graph.

    Args:
        startup_program (Program): the startup Program.
        main_program (Program): the main Program.
        **kwargs: ``filename`` (str): where the graph is written; ``graph_attr`` (dict): of it.

    Returns:
        str: the text of the graph.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                y = paddle.static.data("x", [2]) * 2.0
            text = fluid.net_drawer.draw_graph(startup, main, filename="net.dot")
            print(text.startswith("digraph"))  # True
    """
    filename = kwargs.get("filename") or f"{os.path.splitext(sys.argv[0])[0]}.gv"
    lines = [f'digraph "{_count()}" {{']
    lines += [f'  {k}="{v}";' for k, v in (kwargs.get("graph_attr") or {"rankdir": "TB"}).items()]
    var_dict: dict[str, str] = {}
    parse_graph(startup_program, lines, var_dict)
    parse_graph(main_program, lines, var_dict)
    text = "\n".join([*lines, "}"]) + "\n"
    with open(filename, "w", encoding="utf8") as file:
        file.write(text)
    return text
