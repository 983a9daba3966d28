"""The protobuf message of Programs, as 1.x and 2.0 have it: ``fluid.proto.framework_pb2``."""

from __future__ import annotations

from paddle.serialization.program.schema import message_class

__all__: list[str] = []

ProgramDesc = message_class("ProgramDesc")
