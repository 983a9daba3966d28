"""CRC-32 and size of what is written to a file, and of what a file holds."""

from __future__ import annotations

import zlib
from typing import Any, BinaryIO

_CHUNK = 1 << 22


class Summed:
    """A file that notes size and checksum of what is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = self.sum = 0

    def write(self, data: Any) -> int:
        """Writes bytes, or anything that holds them in one piece."""
        self.sum = zlib.crc32(data, self.sum)
        self.size += data.nbytes if isinstance(data, memoryview) else len(data)
        return self._file.write(data)


def checksum(path: str, size: int) -> int:
    """Returns the checksum of the first bytes of a file."""
    total = 0
    with open(path, "rb") as file:
        while size:
            data = file.read(min(_CHUNK, size))
            if not data:
                break
            total = zlib.crc32(data, total)
            size -= len(data)
    return total
