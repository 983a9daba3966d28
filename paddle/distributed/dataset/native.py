"""What 1.x's datasets keep in C++, as scripts ask for it: ``dataset.dataset``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddle.distributed.dataset.memory import InMemoryDataset


class NativeDataset:
    """The records of a dataset in memory, and its settings.

    Args:
        owner (InMemoryDataset): the dataset.
        merge (callable): merges its records.
    """

    def __init__(self, owner: InMemoryDataset, merge: Callable[[], None]) -> None:
        self._owner, self._merge = owner, merge

    def get_filelist(self) -> list[str]:
        """Returns the paths that are read."""
        return list(self._owner.filelist)

    def get_thread_num(self) -> int:
        """Returns how many threads train."""
        return self._owner.thread_num

    def get_data_feed_desc(self) -> str:
        """Returns the description in text form."""
        return self._owner.desc()

    def get_memory_data_size(self) -> int:
        """Returns how many records of this process are in memory."""
        return self._owner.get_memory_data_size()

    def get_shuffle_data_size(self) -> int:
        """Returns how many records of this process there are after shuffling; 0 before."""
        return self._owner.get_shuffle_data_size()

    def merge_by_lineid(self) -> None:
        """Merges records of the same name, as ``global_shuffle`` does when that is set.

        Records that were read without names stay as they are.
        """
        self._merge()
