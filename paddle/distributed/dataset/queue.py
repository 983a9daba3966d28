"""Datasets whose records are read while a Program is trained."""

from __future__ import annotations

from typing import Any

from paddle.distributed.dataset.base import DatasetBase

__all__ = ["FileInstantDataset", "QueueDataset"]


class _Streamed(DatasetBase):
    """Reads the files anew in each pass."""

    def init(self, **kwargs: Any) -> None:  # type: ignore[override]  # as in 2.0
        """Says what is read, and how.

        Args:
            kwargs: ``batch_size``, ``thread_num``, ``use_var``, ``pipe_command``, ``input_type``,
                ``fs_name``, ``fs_ugi``, ``download_cmd``; see ``DatasetBase.init``.
        """
        super().init(**kwargs)

    def local_shuffle(self) -> None:
        """Raises: the records are not in memory."""
        raise self._no_shuffle("local")

    def global_shuffle(self, fleet: Any = None) -> None:
        """Raises: the records are not in memory.

        Args:
            fleet (Fleet|None): the processes.
        """
        raise self._no_shuffle("global")

    def _no_shuffle(self, kind: str) -> Exception:
        return NotImplementedError(
            f"{self._title} does not support {kind} shuffle, please use InMemoryDataset for "
            f"{kind}_shuffle"
        )


class QueueDataset(_Streamed):
    r"""Records that are read from files while a Program is trained.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with open("part-0", "w") as file:
                file.write("2 3 4 1 0\n1 7 1 1\n")
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
                label = paddle.static.data("label", [None, 1], "int64")
                total = paddle.sum(label)
            dataset = paddle.distributed.QueueDataset()
            dataset.init(batch_size=2, use_var=[words, label])
            dataset.set_filelist(["part-0"])
            exe = paddle.static.Executor(paddle.CPUPlace())
            exe.train_from_dataset(main, dataset, fetch_list=[total], fetch_info=["total"])
            paddle.disable_static()
    """


class FileInstantDataset(_Streamed):
    """Records that are read from files while a Program is trained, as of a QueueDataset.

    Examples:
        .. code-block:: python

            import paddle
            dataset = paddle.distributed.fleet.dataset.FileInstantDataset()
            dataset.init(batch_size=2)
    """

    _feed = "MultiSlotFileInstantDataFeed"
