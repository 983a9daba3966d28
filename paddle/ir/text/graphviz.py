"""Programs as graphs in the language of Graphviz."""

from __future__ import annotations

from paddle.ir.block import Block
from paddle.ir.program import Program


def program_graph(program: Program) -> str:
    """Returns the graph: operators as boxes, variables as ellipses, each block a cluster."""
    lines = ["digraph program {"]
    for block in program.blocks:
        lines += _block_lines(block)
    return "\n".join([*lines, "}", ""])


def _block_lines(block: Block) -> list[str]:
    lines = [f"  subgraph cluster_{block.idx} {{", f'    label="block {block.idx}";']
    used = {n for op in block.ops for n in (*op.input_arg_names, *op.output_arg_names)}
    for name in sorted(used):
        var = block._find_var_recursive(name)
        style = ' style=filled fillcolor="lightgrey"' if var is not None and var.persistable else ""
        lines.append(f'    "{block.idx}/{name}" [label="{name}"{style}];')
    for i, op in enumerate(block.ops):
        node = f"op{block.idx}_{i}"
        lines.append(f'    {node} [shape=box label="{op.type}"];')
        lines += [f'    "{block.idx}/{n}" -> {node};' for n in op.input_arg_names]
        lines += [f'    {node} -> "{block.idx}/{n}";' for n in op.output_arg_names]
    return [*lines, "  }"]


def write_graph(program: Program, path: str) -> None:
    """Writes the graph of a Program to a file."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(program_graph(program))
