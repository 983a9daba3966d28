"""Exchange between the processes of 1.x: importable, and refused on use."""

from paddle.fluid.refused import servers

_broadcast = servers("paddle.fluid.layers.collective._broadcast")
_allreduce = servers("paddle.fluid.layers.collective._allreduce")
_c_allgather = servers("paddle.fluid.layers.collective._c_allgather")
_c_allreduce = servers("paddle.fluid.layers.collective._c_allreduce")
_c_broadcast = servers("paddle.fluid.layers.collective._c_broadcast")
_c_reducescatter = servers("paddle.fluid.layers.collective._c_reducescatter")
_c_sync_calc_stream = servers("paddle.fluid.layers.collective._c_sync_calc_stream")
_c_sync_comm_stream = servers("paddle.fluid.layers.collective._c_sync_comm_stream")
