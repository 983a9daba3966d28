"""Datasets whose records are in memory, where they are shuffled: here and among trainers."""

from __future__ import annotations

import difflib
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.core.random import numpy_rng
from paddle.core.setting import as_here
from paddle.distributed.dataset import exchange
from paddle.distributed.dataset.base import DatasetBase, checked_count
from paddle.distributed.dataset.merging import merged
from paddle.distributed.dataset.native import NativeDataset
from paddle.distributed.dataset.reading import gathered
from paddle.distributed.dataset.records import Table, join

__all__ = ["InMemoryDataset"]


class InMemoryDataset(DatasetBase):
    r"""Records that are read into memory, where they can be shuffled.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with open("part-0", "w") as file:
                file.write("2 3 4 1 0\n1 7 1 1\n")
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
                label = paddle.static.data("label", [None, 1], "int64")
            dataset = paddle.distributed.InMemoryDataset()
            dataset.init(batch_size=2, use_var=[words, label])
            dataset.set_filelist(["part-0"])
            dataset.load_into_memory()
            dataset.local_shuffle()
            print(dataset.get_memory_data_size())  # 2
            paddle.disable_static()
    """

    _feed = "MultiSlotInMemoryDataFeed"
    _fetching = ("fs_name", "fs_ugi", "download_cmd")
    _plain = {
        "batch_size": "set_batch_size",
        "thread_num": "set_thread",
        "use_var": "_use",
        "pipe_command": "set_pipe_command",
        "input_type": "set_input_type",
        "data_feed_type": "set_feed_type",
        "queue_num": "_limit_queues",
    }
    _exchanging = {
        "merge_size": "_merge",
        "parse_ins_id": "set_parse_ins_id",
        "parse_content": "set_parse_content",
        "fleet_send_batch_size": "set_fleet_send_batch_size",
        "fleet_send_sleep_seconds": "set_fleet_send_sleep_seconds",
        "fea_eval": "_allow_slots_shuffle",
        "candidate_size": "_keep_candidates",
    }
    _more: dict[str, str] = {}

    def __init__(self) -> None:
        super().__init__()
        self.queue_num: int | None = None
        self.parse_ins_id = self.parse_content = self.parse_logkey = False
        self.merge_by_lineid = False
        self.fleet_send_batch_size: int | None = None
        self.fleet_send_sleep_seconds: float | None = None
        self._merge_size = 2
        self._fetched_by: dict[str, str] = {}
        self._shuffled = False
        self._table: Table | None = None
        self._preload: threading.Thread | None = None
        self._trouble: BaseException | None = None

    @property
    def dataset(self) -> NativeDataset:
        """What 1.x keeps in C++: the records, and the settings with which they are read."""
        return NativeDataset(self, self._merge_now)

    # -- settings ----------------------------------------------------------------------------------

    def init(self, **kwargs: Any) -> None:  # type: ignore[override]  # as in 2.0
        """Says what is read, and how.

        Args:
            kwargs: ``batch_size``, ``thread_num``, ``use_var``, ``pipe_command``, ``input_type``,
                ``fs_name``, ``fs_ugi``, ``download_cmd``, as of ``DatasetBase.init``;
                ``data_feed_type``, see ``set_feed_type``; ``queue_num``, how many threads get
                records of their own (-1: as many as there are).

        Raises:
            TypeError: an argument is unknown.
        """
        known = {**self._plain, **self._more}
        self._check("init", kwargs, known)
        of_base = set(kwargs) - {"data_feed_type", "queue_num", *self._more}
        super().init(**{name: kwargs[name] for name in of_base})
        self._fetched_by = {k: kwargs[k] for k in self._fetching if k in kwargs}
        self._apply({k: v for k, v in kwargs.items() if k not in of_base}, known)

    def update_settings(self, **kwargs: Any) -> None:
        """Changes some settings; the others stay.

        Args:
            kwargs: those of ``init``; and ``merge_size``, see ``set_merge_by_lineid`` (-1: records
                are not merged); ``parse_ins_id`` and ``parse_content``, whether lines begin with
                them; ``fleet_send_batch_size`` and ``fleet_send_sleep_seconds``, how many records
                ``global_shuffle`` sends at a time, and how long it waits in between; ``fea_eval``
                and ``candidate_size``, see ``set_fea_eval``.

        Raises:
            TypeError: an argument is unknown.

        Examples:
            .. code-block:: python

                import paddle
                dataset = paddle.distributed.InMemoryDataset()
                dataset.init(batch_size=1)
                dataset.update_settings(batch_size=2, fea_eval=True)
        """
        known = {**self._plain, **self._exchanging, **self._more}
        self._check("update_settings", kwargs, known)
        fetching = {k: kwargs.pop(k) for k in self._fetching if k in kwargs}
        if fetching:
            self._fetched_by.update(fetching)
            start = {"fs_name": "", "fs_ugi": "", "download_cmd": "cat"}
            self._fetch_by(**{**start, **self._fetched_by})
        self._apply(kwargs, known)

    def _init_distributed_settings(self, **kwargs: Any) -> None:
        self._check("_init_distributed_settings", kwargs, self._exchanging, ())
        self._apply(kwargs, self._exchanging)

    def _check(
        self, api: str, given: dict[str, Any], known: dict[str, str], more: Any = _fetching
    ) -> None:
        for name in given:
            if name not in known and name not in more:
                near = difflib.get_close_matches(name, [*known, *more], 1)
                told = f"; did you mean {near[0]!r}?" if near else "."
                raise TypeError(f"{self._title}.{api}: there is no argument {name!r}{told}")

    def _apply(self, given: dict[str, Any], known: dict[str, str]) -> None:
        for name, value in given.items():
            getattr(self, known[name])(value)

    def _limit_queues(self, number: int) -> None:
        if number == -1:
            self.queue_num = None
        else:
            self.set_queue_num(number)

    def _merge(self, size: int) -> None:
        if size == -1:
            self.merge_by_lineid = False
        else:
            self.set_merge_by_lineid(size)

    def _allow_slots_shuffle(self, allowed: bool) -> None:
        self._fea_eval = bool(allowed)

    def _keep_candidates(self, size: int) -> None:
        checked_count("candidate_size", size)  # all records are at hand

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
        """Says how many records ``global_shuffle`` sends at a time.

        Args:
            fleet_send_batch_size (int): at least 1.
        """
        self.fleet_send_batch_size = checked_count(
            "set_fleet_send_batch_size", fleet_send_batch_size
        )

    def set_fleet_send_sleep_seconds(self, fleet_send_sleep_seconds: float = 0) -> None:
        """Says how long ``global_shuffle`` waits before it sends the next records.

        Args:
            fleet_send_sleep_seconds (float): seconds.
        """
        seconds = fleet_send_sleep_seconds
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds < 0:
            raise InvalidArgumentError(
                f"set_fleet_send_sleep_seconds: expected 0 or more seconds, but received "
                f"{seconds!r}."
            )
        self.fleet_send_sleep_seconds = fleet_send_sleep_seconds

    # -- memory ------------------------------------------------------------------------------------

    def load_into_memory(self) -> None:
        """Reads all files."""
        self._begin()
        source = self._source()
        used = [slot for slot in source.slots if slot.used]
        found = []
        for block in gathered(source):
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
        """Deals the records of all trainers anew, each at random to one of them; all call it.

        Where records are merged by their names, those of one name come together; otherwise all
        trainers get as many records, give or take one. The order follows ``paddle.seed``.

        Args:
            fleet (Fleet|None): ``paddle.distributed.fleet``, which knows the trainers; None: this
                process shuffles its own records only.
            thread_num (int): at least 1; a hint.

        Raises:
            RuntimeError: the records are not in memory, or there is no group of the trainers.
        """
        checked_count("global_shuffle(thread_num)", thread_num)
        group = exchange.trainers(fleet, "global_shuffle")
        table = self._loaded("global_shuffle")
        table = table.order(numpy_rng().permutation(table.size))
        if group.size > 1:
            to = exchange.targets_by_name if self.merge_by_lineid else exchange.targets
            table = exchange.exchanged(
                table, to(table, group), group, self.fleet_send_batch_size or exchange.AT_ONCE,
                self.fleet_send_sleep_seconds or 0,
            )  # fmt: skip
            table = table.order(numpy_rng().permutation(table.size))
        self._table = merged(table, self._merge_size) if self.merge_by_lineid else table
        self._shuffled = True

    def _merge_now(self) -> None:
        table = self._loaded("merge_by_lineid")
        if len(table.ids) == table.size:
            self._table = merged(table, self._merge_size)

    def release_memory(self) -> None:
        """Forgets the records."""
        self._table, self._shuffled = None, False

    def get_memory_data_size(self, fleet: Any = None) -> int:
        """Returns how many records are in memory.

        Args:
            fleet (Fleet|None): ``paddle.distributed.fleet``: those of all trainers, each of which
                calls this; None: those of this process.
        """
        return self._sum("get_memory_data_size", fleet, True)

    def get_shuffle_data_size(self, fleet: Any = None) -> int:
        """Returns how many records there are after shuffling; 0 before.

        Args:
            fleet (Fleet|None): as for ``get_memory_data_size``.
        """
        return self._sum("get_shuffle_data_size", fleet, self._shuffled)

    def _sum(self, api: str, fleet: Any, counts: bool) -> int:
        own = self._table.size if self._table is not None and counts else 0
        return exchange.total(own, exchange.trainers(fleet, api))

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
            "generate_local_tables_unlock: it fills tables of pslib, which is not here; rows of "
            "paddle.static.nn.sparse_embedding are made when they are first looked up."
        )

    _set_current_phase = set_current_phase
    _set_enable_pv_merge = set_enable_pv_merge
    _set_feed_type = set_feed_type
    _set_fleet_send_batch_size = set_fleet_send_batch_size
    _set_fleet_send_sleep_seconds = set_fleet_send_sleep_seconds
    _set_generate_unique_feasigns = set_generate_unique_feasigns
    _set_merge_by_lineid = set_merge_by_lineid
    _set_merge_by_sid = set_merge_by_sid
    _set_parse_content = set_parse_content
    _set_parse_ins_id = set_parse_ins_id
    _set_parse_logkey = set_parse_logkey
    _set_queue_num = set_queue_num
    _generate_local_tables_unlock = generate_local_tables_unlock


def _cut(table: Table, first: int, last: int, size: int) -> Iterator[dict[str, Any]]:
    for at in range(first, last, size):
        yield table.feed(at, min(at + size, last))


def _only_false(api: str, value: Any) -> None:
    if value:
        raise UnimplementedError(
            f"{api}({value!r}): page views and tables are made for BoxPS and pslib, which are not "
            "here."
        )
