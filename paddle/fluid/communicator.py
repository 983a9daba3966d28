"""Communication of 1.x's trainers with parameter servers: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["Communicator", "LargeScaleKV"]

Communicator = servers("paddle.fluid.communicator.Communicator")
LargeScaleKV = servers("paddle.fluid.communicator.LargeScaleKV")
