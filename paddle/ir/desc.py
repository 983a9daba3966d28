"""Descriptions in the style of the 1.x native objects: ``program.desc.serialize_to_string()``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddle.ir.block import Block
    from paddle.ir.program import Program


class ProgramDesc:
    """A Program as the wire format sees it.

    Args:
        program (Program): what is described.
    """

    def __init__(self, program: Program) -> None:
        self._program = program

    def serialize_to_string(self) -> bytes:
        """Returns the bytes of the protobuf message ProgramDesc."""
        from paddle.ir.wire import to_bytes

        return to_bytes(self._program)

    def num_blocks(self) -> int:
        """Returns the number of blocks."""
        return len(self._program.blocks)

    def block(self, index: int) -> Block:
        """Returns a block by its position."""
        return self._program.block(index)

    def _version(self) -> int:
        return self._program.wire_version

    def _set_version(self, version: int = 0) -> None:
        self._program.wire_version = version
        self._program._changed()
