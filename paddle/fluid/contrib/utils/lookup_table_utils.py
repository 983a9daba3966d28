"""Tables of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = [
    "convert_dist_to_sparse_program",
    "load_persistables_for_increment",
    "load_persistables_for_inference",
]

convert_dist_to_sparse_program = servers(
    "paddle.fluid.contrib.utils.lookup_table_utils.convert_dist_to_sparse_program"
)
load_persistables_for_increment = servers(
    "paddle.fluid.contrib.utils.lookup_table_utils.load_persistables_for_increment"
)
load_persistables_for_inference = servers(
    "paddle.fluid.contrib.utils.lookup_table_utils.load_persistables_for_inference"
)
