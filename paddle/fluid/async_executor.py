"""AsyncExecutor of 1.3: trains on text files; ``Executor.train_from_dataset`` took its place."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.place import CPUPlace
from paddle.distributed.dataset.training import checked
from paddle.fluid.data_feed_desc import DataFeedDesc
from paddle.fluid.dataset import QueueDataset
from paddle.fluid.mode import settle_static
from paddle.static import Executor, default_startup_program

__all__ = ["AsyncExecutor"]


class AsyncExecutor:
    r"""Trains a Program on text files in several threads, which share the parameters.

    Args:
        place (CPUPlace|None): the device.
        run_mode (str): "" only; others wanted a parameter server.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with open("data.proto", "w") as file:
                file.write('name: "MultiSlotDataFeed" batch_size: 2 multi_slot_desc {'
                           ' slots { name: "words" type: "uint64" is_used: true } }')
            with open("train.txt", "w") as file:
                file.write("2 1 3\n1 5\n")
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
                total = fluid.layers.reduce_sum(words)
            async_executor = fluid.AsyncExecutor(fluid.CPUPlace())
            async_executor.run_startup_program(startup)
            async_executor.run(main, fluid.DataFeedDesc("data.proto"), ["train.txt"], 1, [total])
            paddle.disable_static()
    """

    def __init__(self, place: Any = None, run_mode: str = "") -> None:
        if run_mode:
            raise UnimplementedError(
                f"AsyncExecutor(run_mode={run_mode!r}): there is no parameter server."
            )
        settle_static("fluid.AsyncExecutor")
        self.executor = Executor(CPUPlace() if place is None else place)

    def run(
        self,
        program: Any,
        data_feed: DataFeedDesc,
        filelist: list[str],
        thread_num: int,
        fetch: Any,
        mode: str = "",
        debug: bool = False,
    ) -> None:
        """Runs all operators of a Program on each batch, and prints variables.

        Args:
            program (Program|None): None means the default main Program.
            data_feed (DataFeedDesc): what the lines of the files are.
            filelist (list[str]|str): the files, or one.
            thread_num (int): how many threads train, at most as many as there are files.
            fetch (list|str): Variables or names that are printed when the files have been read.
            mode (str): "" only; "mpi" wanted a parameter server.
            debug (bool): whether they are printed after each batch.
        """
        if not isinstance(data_feed, DataFeedDesc):
            raise ValueError(
                "AsyncExecutor.run(data_feed): expected a DataFeedDesc, but received "
                f"{type(data_feed).__name__}."
            )
        if mode:
            raise UnimplementedError(f"AsyncExecutor.run(mode={mode!r}): no parameter server.")
        if isinstance(thread_num, bool) or not isinstance(thread_num, int) or thread_num < 1:
            raise InvalidArgumentError(
                f"AsyncExecutor.run(thread_num): expected at least 1, but received {thread_num!r}."
            )
        if not filelist:
            raise InvalidArgumentError(
                f"AsyncExecutor.run(filelist): expected at least one file, but received "
                f"{filelist!r}."
            )
        dataset = QueueDataset()
        dataset.proto_desc = data_feed.proto_desc
        dataset.set_filelist([filelist] if isinstance(filelist, str) else filelist)
        fetch = [fetch] if isinstance(fetch, str) else list(fetch or [])
        period = 1 if debug else 2**62
        run = checked(
            self.executor, "run", program, None, fetch, None, period, None, False
        )  # fmt: skip
        run.place_of = dataset.place_of
        run.keep_last = not debug
        run.work(dataset.feeds(thread_num))
        if not debug and run.last:
            run.show()

    def run_startup_program(self, program: Any = None, executor: Any = None) -> None:
        """Fills the parameters.

        Args:
            program (Program|None): None means the default startup Program.
            executor (Executor|None): what runs it; None means one of its own.
        """
        (executor or self.executor).run(program or default_startup_program())
