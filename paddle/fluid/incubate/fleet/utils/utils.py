"""Fleet of 1.x: tools for Programs: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = [
    "check_pruned_program_vars",
    "check_saved_vars_try_dump",
    "graphviz",
    "load_program",
    "parse_program",
    "program_type_trans",
    "save_program",
]

check_pruned_program_vars = servers(
    "paddle.fluid.incubate.fleet.utils.utils.check_pruned_program_vars"
)
check_saved_vars_try_dump = servers(
    "paddle.fluid.incubate.fleet.utils.utils.check_saved_vars_try_dump"
)
graphviz = servers("paddle.fluid.incubate.fleet.utils.utils.graphviz")
load_program = servers("paddle.fluid.incubate.fleet.utils.utils.load_program")
parse_program = servers("paddle.fluid.incubate.fleet.utils.utils.parse_program")
program_type_trans = servers("paddle.fluid.incubate.fleet.utils.utils.program_type_trans")
save_program = servers("paddle.fluid.incubate.fleet.utils.utils.save_program")
