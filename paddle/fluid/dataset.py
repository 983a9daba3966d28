"""Datasets of text files, which train_from_dataset of an Executor reads."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.core.random import numpy_rng
from paddle.core.setting import as_here
from paddle.fluid.multi_slot.base import DatasetBase, checked_count
from paddle.fluid.multi_slot.merging import merged
from paddle.fluid.multi_slot.reading import blocks
from paddle.fluid.multi_slot.records import Table, join

__all__ = ["DatasetFactory", "InMemoryDataset", "QueueDataset"]


class DatasetFactory:
    """Makes datasets by the name of their class.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
    """

    def __init__(self) -> None:
        pass

    def create_dataset(self, datafeed_class: str = "QueueDataset") -> DatasetBase:
        """Makes a dataset.

        Args:
            datafeed_class (str): "QueueDataset", "InMemoryDataset" or "FileInstantDataset".

        Returns:
            DatasetBase: an empty dataset.

        Raises:
            ValueError: there is no such class.
        """
        made = _CLASSES.get(datafeed_class)
        if made is None:
            raise ValueError(
                f"create_dataset: datafeed class {datafeed_class} does not exist; there are "
                f"{list(_CLASSES)}."
            )
        return made()


class QueueDataset(DatasetBase):
    r"""Records that are read from files while a Program is trained.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with open("part-0", "w") as file:
                file.write("2 3 4 1 0\n1 7 1 1\n")
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                words = fluid.data("words", [None, 1], "int64", lod_level=1)
                label = fluid.data("label", [None, 1], "int64")
                total = fluid.layers.reduce_sum(label)
                dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
                dataset.set_batch_size(2)
                dataset.set_filelist(["part-0"])
                dataset.set_use_var([words, label])
                exe = fluid.Executor(fluid.CPUPlace())
                exe.train_from_dataset(dataset=dataset, fetch_list=[total], fetch_info=["total"])
            paddle.disable_static()
    """

    def local_shuffle(self) -> None:
        """Raises: the records are not in memory."""
        raise _no_shuffle("QueueDataset", "local")

    def global_shuffle(self, fleet: Any = None) -> None:
        """Raises: the records are not in memory."""
        raise _no_shuffle("QueueDataset", "global")


class FileInstantDataset(DatasetBase):
    """Records that are read from files while a Program is trained, as of a QueueDataset."""

    _feed = "MultiSlotFileInstantDataFeed"

    def local_shuffle(self) -> None:
        """Raises: the records are not in memory."""
        raise _no_shuffle("FileInstantDataset", "local")

    def global_shuffle(self, fleet: Any = None) -> None:
        """Raises: the records are not in memory."""
        raise _no_shuffle("FileInstantDataset", "global")


class InMemoryDataset(DatasetBase):
    r"""Records that are read into memory, where they can be shuffled.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with open("part-0", "w") as file:
                file.write("2 3 4 1 0\n1 7 1 1\n")
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                words = fluid.data("words", [None, 1], "int64", lod_level=1)
                label = fluid.data("label", [None, 1], "int64")
                dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
                dataset.set_filelist(["part-0"])
                dataset.set_use_var([words, label])
                dataset.load_into_memory()
                dataset.local_shuffle()
                print(dataset.get_memory_data_size())  # 2
            paddle.disable_static()
    """

    _feed = "MultiSlotInMemoryDataFeed"

    def __init__(self) -> None:
        super().__init__()
        self.queue_num: int | None = None
        self.parse_ins_id = self.parse_content = self.parse_logkey = False
        self.merge_by_lineid = False
        self._merge_size = 2
        self._shuffled = False
        self._table: Table | None = None
        self._preload: threading.Thread | None = None
        self._trouble: BaseException | None = None

    # -- settings ----------------------------------------------------------------------------------

    def set_feed_type(self, data_feed_type: str) -> None:
        """Names the form of the files.

        Args:
            data_feed_type (str): "MultiSlotInMemoryDataFeed".
        """
        if data_feed_type not in ("MultiSlotInMemoryDataFeed", "MultiSlotDataFeed"):
            raise UnimplementedError(
                f"set_feed_type: {data_feed_type!r} is not available; there is "
                "MultiSlotInMemoryDataFeed."
            )
        self.proto_desc.name = data_feed_type

    def set_queue_num(self, queue_num: int) -> None:
        """Says how many threads get records of their own.

        Args:
            queue_num (int): at most as many as there are threads.
        """
        self.queue_num = checked_count("set_queue_num", queue_num)

    def set_parse_ins_id(self, parse_ins_id: bool) -> None:
        """Says whether lines begin with ``1 NAME``, the name of the record.

        Args:
            parse_ins_id (bool): whether they do.
        """
        self.parse_ins_id = bool(parse_ins_id)

    def set_parse_content(self, parse_content: bool) -> None:
        """Says whether ``1 WORD`` follows in front of the slots, which is read over.

        Args:
            parse_content (bool): whether it does.
        """
        self.parse_content = bool(parse_content)

    def set_merge_by_lineid(self, merge_size: int = 2) -> None:
        """Makes ``global_shuffle`` merge records of the same name.

        Args:
            merge_size (int): how many belong together; where there are more or fewer of a name,
                they are left out. 0 takes any number.
        """
        if isinstance(merge_size, bool) or not isinstance(merge_size, int) or merge_size < 0:
            raise InvalidArgumentError(
                f"set_merge_by_lineid(merge_size): expected an int, but received {merge_size!r}."
            )
        self.merge_by_lineid = self.parse_ins_id = True
        self._merge_size = merge_size

    def set_fleet_send_batch_size(self, fleet_send_batch_size: int = 1024) -> None:
        """Notes how many records are sent at a time; one process sends none.

        Args:
            fleet_send_batch_size (int): at least 1.
        """
        self.fleet_send_batch_size = checked_count(
            "set_fleet_send_batch_size", fleet_send_batch_size
        )

    def set_fleet_send_sleep_seconds(self, fleet_send_sleep_seconds: int = 0) -> None:
        """Notes how long to wait between sending; one process sends none.

        Args:
            fleet_send_sleep_seconds (int): seconds.
        """
        self.fleet_send_sleep_seconds = fleet_send_sleep_seconds

    # -- memory ------------------------------------------------------------------------------------

    def load_into_memory(self) -> None:
        """Reads all files."""
        self._begin()
        source = self._source()
        used = [slot for slot in source.slots if slot.used]
        found = []
        for block in blocks(source):
            self._told(block.skipped)
            if block.size:
                found.append(block)
        self._table, self._shuffled = Table(join(found, used), used), False

    def preload_into_memory(self, thread_num: int | None = None) -> None:
        """Begins to read all files, in a thread; ``wait_preload_done`` waits for it.

        Args:
            thread_num (int|None): a hint; files are read by as many processes as there are
                processors.
        """
        if thread_num is not None:
            checked_count("preload_into_memory", thread_num)

        def load() -> None:
            try:
                self.load_into_memory()
            except BaseException as error:
                self._trouble = error

        self._trouble = None
        self._preload = threading.Thread(target=as_here(load), daemon=True)
        self._preload.start()

    def wait_preload_done(self) -> None:
        """Waits until what ``preload_into_memory`` began is done; raises what went wrong there."""
        if self._preload is None:
            raise PreconditionNotMetError("wait_preload_done: call preload_into_memory first.")
        self._preload.join()
        self._preload = None
        if self._trouble is not None:
            trouble, self._trouble = self._trouble, None
            raise trouble

    def local_shuffle(self) -> None:
        """Puts the records into a random order, which follows ``paddle.seed``."""
        table = self._loaded("local_shuffle")
        self._table = table.order(numpy_rng().permutation(table.size))
        self._shuffled = True

    def global_shuffle(self, fleet: Any = None, thread_num: int = 12) -> None:
        """Puts the records of all processes into a random order; one process has only its own.

        Args:
            fleet (Fleet|None): the processes; more than one are not possible yet.
            thread_num (int): a hint.

        Raises:
            NotImplementedError: there are several processes.
        """
        _one_process("global_shuffle", fleet)
        self.local_shuffle()
        if self.merge_by_lineid:
            self._table = merged(self._loaded("global_shuffle"), self._merge_size)

    def release_memory(self) -> None:
        """Forgets the records."""
        self._table, self._shuffled = None, False

    def get_memory_data_size(self, fleet: Any = None) -> int:
        """Returns how many records were read.

        Args:
            fleet (Fleet|None): the processes that are asked.
        """
        _one_process("get_memory_data_size", fleet)
        return 0 if self._table is None else self._table.size

    def get_shuffle_data_size(self, fleet: Any = None) -> int:
        """Returns how many records there are after shuffling; 0 before.

        Args:
            fleet (Fleet|None): the processes that are asked.
        """
        size = self.get_memory_data_size(fleet)
        return size if self._shuffled else 0

    def _shuffle_slots(self, names: list[str]) -> None:
        table = self._loaded("slots_shuffle")
        self._table = table.exchange(names, numpy_rng().permutation(table.size))

    def _named(self) -> tuple[str, ...]:
        wanted = (("ins_id", self.parse_ins_id), ("content", self.parse_content))
        return tuple(name for name, given in wanted if given)

    def _loaded(self, api: str) -> Table:
        if self._table is None:
            raise PreconditionNotMetError(
                f"{api}: the dataset is not in memory.", hint="call load_into_memory first"
            )
        return self._table

    def feeds(self, threads: int) -> list[Iterator[dict[str, Any]]]:
        """What the batches of each thread feed: each has a share of the records in memory.

        Args:
            threads (int): how many threads train.
        """
        if self.queue_num is not None and self.queue_num > threads:
            raise InvalidArgumentError(
                f"set_queue_num: expected at most {threads}, as many as there are threads, but "
                f"received {self.queue_num}."
            )
        if self._table is None:  # as in 1.x nothing is trained then
            return [iter(())]
        table, size = self._table, self.proto_desc.batch_size or 1
        bounds = np.linspace(0, table.size, min(threads, max(1, table.size)) + 1).astype(int)
        return [_cut(table, int(a), int(b), size) for a, b in itertools.pairwise(bounds)]

    # -- page views and tables of the parameter server ---------------------------------------------

    def set_parse_logkey(self, parse_logkey: bool) -> None:
        """Notes whether lines have a log key; only False is possible.

        Args:
            parse_logkey (bool): False.
        """
        _only_false("set_parse_logkey", parse_logkey)

    def set_merge_by_sid(self, merge_by_sid: bool) -> None:
        """Notes whether records are merged by search id; without log keys that changes nothing.

        Args:
            merge_by_sid (bool): whether they would be.
        """
        self.merge_by_sid = bool(merge_by_sid)

    def set_enable_pv_merge(self, enable_pv_merge: bool) -> None:
        """Notes whether page views are merged; only False is possible.

        Args:
            enable_pv_merge (bool): False.
        """
        _only_false("set_enable_pv_merge", enable_pv_merge)

    def preprocess_instance(self) -> None:
        """Merges page views: of records without log keys there are none."""

    def postprocess_instance(self) -> None:
        """Takes page views apart: of records without log keys there are none."""

    def set_current_phase(self, current_phase: int) -> None:
        """Notes whether batches of page views (1) or of records (0) follow.

        Args:
            current_phase (int): 0.
        """
        _only_false("set_current_phase", current_phase)

    def get_pv_data_size(self) -> int:
        """Returns how many page views are in memory: none, as in 1.x without log keys."""
        return 0

    def set_generate_unique_feasigns(self, generate_uni_feasigns: bool, shard_num: int) -> None:
        """Notes whether a table of the values is made for a server; only False is possible.

        Args:
            generate_uni_feasigns (bool): False.
            shard_num (int): how many pieces the table would have.
        """
        _only_false("set_generate_unique_feasigns", generate_uni_feasigns)

    def generate_local_tables_unlock(
        self, table_id: int, fea_dim: int, read_thread_num: int, consume_thread_num: int,
        shard_num: int,
    ) -> None:  # fmt: skip
        """Raises: it makes a table for the parameter server.

        Args:
            table_id (int): number of the table.
            fea_dim (int): width of its rows.
            read_thread_num (int): threads that read.
            consume_thread_num (int): threads that write.
            shard_num (int): pieces of the table.
        """
        raise UnimplementedError(
            "generate_local_tables_unlock: there is no parameter server; train with embedding "
            "layers, whose tables are parameters."
        )


class BoxPSDataset(InMemoryDataset):
    """Refuses: it feeds BoxPS, a parameter server on GPUs."""

    def __init__(self) -> None:
        raise UnimplementedError("BoxPSDataset: there is no BoxPS here; use InMemoryDataset.")


_CLASSES: dict[str, type[DatasetBase]] = {
    "QueueDataset": QueueDataset,
    "InMemoryDataset": InMemoryDataset,
    "FileInstantDataset": FileInstantDataset,
    "BoxPSDataset": BoxPSDataset,
}


def _cut(table: Table, first: int, last: int, size: int) -> Iterator[dict[str, Any]]:
    for at in range(first, last, size):
        yield table.feed(at, min(at + size, last))


def _no_shuffle(name: str, kind: str) -> Exception:
    return NotImplementedError(
        f"{name} does not support {kind} shuffle, please use InMemoryDataset for {kind}_shuffle"
    )


def _one_process(api: str, fleet: Any) -> None:
    number = getattr(fleet, "worker_num", None)
    if callable(number) and number() > 1:
        raise UnimplementedError(
            f"{api}(fleet): records are not exchanged between processes yet; give each process "
            "files of its own and use local_shuffle."
        )


def _only_false(api: str, value: Any) -> None:
    if value:
        raise UnimplementedError(
            f"{api}({value!r}): page views and tables are made for BoxPS and the parameter "
            "server, which are not here."
        )
