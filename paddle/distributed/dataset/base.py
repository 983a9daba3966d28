"""What all datasets of files have: settings, and the batches of their files."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.distributed.dataset.feed_desc import FeedMessage, SlotMessage
from paddle.distributed.dataset.files import Part, Source, parts_of
from paddle.distributed.dataset.reading import batches, blocks
from paddle.distributed.dataset.records import FLOAT, INTEGER, Slot
from paddle.distributed.dataset.training import checked

_KINDS = {"float32": FLOAT, "int64": INTEGER}


class DatasetBase:
    """What all datasets of files have.

    ``init`` is how 2.0 says what is read; the methods whose names begin with ``set_`` are those of
    1.x, and say the same one by one.

    Attributes:
        skipped_records (list[str]): with ``set_on_bad_record("skip")``: file, line and slot of the
            first hundred records that were left out, and what was wrong with each.
        skipped_count (int): how many were left out.

    Examples:
        .. code-block:: python

            import paddle
            dataset = paddle.distributed.fleet.dataset.DatasetBase()
            dataset.set_filelist(["part-0", "part-1"])
    """

    _feed = "MultiSlotDataFeed"

    def __init__(self) -> None:
        self.proto_desc = FeedMessage(name=self._feed, pipe_command="cat")
        self.thread_num = 1
        self.filelist: list[str] = []
        self.skipped_records: list[str] = []
        self.skipped_count = 0
        self._skip = False
        self._download = ""
        self._fea_eval = False

    # -- what is to be read ------------------------------------------------------------------------

    def init(
        self,
        batch_size: int = 1,
        thread_num: int = 1,
        use_var: Sequence[Any] = [],
        pipe_command: str = "cat",
        input_type: int = 0,
        fs_name: str = "",
        fs_ugi: str = "",
        download_cmd: str = "cat",
    ) -> None:
        """Says what is read, and how.

        Args:
            batch_size (int): how many records a batch has.
            thread_num (int): how many threads train, where the call does not say it.
            use_var (list[Variable]): what the slots of a line are, in their order; those with a
                ``lod_level`` of 0 are dense, the others get sequences.
            pipe_command (str): a shell command that every file goes through.
            input_type (int): 0: a line is a record; 1: a line is a batch.
            fs_name (str): the file system of files whose paths begin with ``hdfs:`` or ``afs:``.
            fs_ugi (str): user and password for it, with a comma between.
            download_cmd (str): a shell command that gets such a path and writes the file to its
                output. "cat" means ``hadoop fs -cat``.

        Raises:
            ValueError: a Variable is neither int64 nor float32, or a number is not positive.

        Examples:
            .. code-block:: python

                import paddle
                paddle.enable_static()
                words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
                dataset = paddle.distributed.QueueDataset()
                dataset.init(batch_size=32, use_var=[words])
                paddle.disable_static()
        """
        self.set_batch_size(batch_size)
        self.set_thread(thread_num)
        self._use(use_var)
        self.set_pipe_command(pipe_command)
        self.set_input_type(input_type)
        self._fetch_by(fs_name, fs_ugi, download_cmd)

    def _use(self, variables: Sequence[Any]) -> None:
        self.proto_desc.slots.clear()
        self.set_use_var(variables)

    def _fetch_by(self, fs_name: str, fs_ugi: str, download_cmd: str) -> None:
        self._download = ""
        if download_cmd != "cat":
            self.set_download_cmd(download_cmd)
        if fs_name or fs_ugi:
            self.set_hdfs_config(fs_name, fs_ugi)

    def set_pipe_command(self, pipe_command: str) -> None:
        """Sends every file through a shell command, from its standard input to its output.

        Args:
            pipe_command (str): "cat", the default, leaves files as they are.
        """
        self.proto_desc.pipe_command = checked_text("set_pipe_command", pipe_command)

    def set_filelist(self, filelist: list[str]) -> None:
        """Says which files are read, in this order.

        Args:
            filelist (list[str]): paths.
        """
        if isinstance(filelist, str) or not all(isinstance(path, str) for path in filelist):
            raise TypeError(f"set_filelist: expected a list of paths, but received {filelist!r}.")
        self.filelist = list(filelist)

    def set_use_var(self, var_list: Sequence[Any]) -> None:
        """Says what the slots of a line are, in their order.

        Args:
            var_list (list[Variable]): int64 or float32 Variables; those with a ``lod_level`` of 0
                are dense, the others get sequences.

        Raises:
            ValueError: a Variable has another dtype.
        """
        for var in var_list:
            kind = _KINDS.get(dtype_name(var.dtype))
            if kind is None:
                raise ValueError(
                    "Currently, fluid.dataset only supports dtype=float32 and dtype=int64: "
                    f"set_use_var received {var.name!r} of {dtype_name(var.dtype)}."
                )
            slot = SlotMessage(var.name, kind, is_used=True)
            if var.lod_level == 0:
                slot.is_dense = True
                slot.shape = [int(n) for n in var.shape]
            self.proto_desc.slots.append(slot)
            shape = tuple(var.shape)
            if shape and min(shape) >= 0 and shape[0] != self.proto_desc.batch_size:
                var.shape = (-1, *shape)  # the dimension of the records was left out

    def set_batch_size(self, batch_size: int) -> None:
        """Says how many records a batch has.

        Args:
            batch_size (int): at least 1; the last batch may be shorter.
        """
        self.proto_desc.batch_size = checked_count("set_batch_size", batch_size)

    def set_thread(self, thread_num: int) -> None:
        """Says how many threads train, where the call does not say it.

        Args:
            thread_num (int): at least 1. Files are always read by as many processes as there are
                processors; one thread gets the batches in the same order each time.
        """
        self.thread_num = checked_count("set_thread", thread_num)

    def set_on_bad_record(self, action: str) -> None:
        """Says what happens where a line is no record; PaddlePaddle does not have this.

        Args:
            action (str): "raise", the default, or "skip", which counts in ``skipped_count``.
        """
        if action not in ("raise", "skip"):
            raise InvalidArgumentError(
                f'set_on_bad_record: expected "raise" or "skip", but received {action!r}.'
            )
        self._skip = action == "skip"

    def set_hdfs_config(self, fs_name: str, fs_ugi: str) -> None:
        """Says how files whose paths begin with ``hdfs:`` or ``afs:`` are fetched.

        Args:
            fs_name (str): the file system.
            fs_ugi (str): user and password, with a comma between.
        """
        name, ugi = shlex.quote(fs_name), shlex.quote(fs_ugi)
        options = f"-D fs.default.name={name} -D hadoop.job.ugi={ugi}"
        self._download = self._download or f"hadoop fs {options} -cat"

    def set_download_cmd(self, download_cmd: str) -> None:
        """Says what fetches files whose paths begin with ``hdfs:`` or ``afs:``.

        Args:
            download_cmd (str): a shell command that gets the path and writes to its output.
        """
        self._download = checked_text("set_download_cmd", download_cmd)

    def set_rank_offset(self, rank_offset: str) -> None:
        """Notes the name of a variable for page views, which only BoxPS makes.

        Args:
            rank_offset (str): a name.
        """
        self.proto_desc.rank_offset = checked_text("set_rank_offset", rank_offset)

    def set_pv_batch_size(self, pv_batch_size: int) -> None:
        """Notes how many page views a batch has, which only BoxPS makes.

        Args:
            pv_batch_size (int): at least 1.
        """
        self.proto_desc.pv_batch_size = checked_count("set_pv_batch_size", pv_batch_size)

    def set_input_type(self, input_type: int) -> None:
        """Says what a line is, of 2.0.

        Args:
            input_type (int): 0: a record; 1: a batch: a dense slot has the values of any number of
                records, and each value of another slot is a sequence of its own.
        """
        if isinstance(input_type, bool) or input_type not in (0, 1):
            raise InvalidArgumentError(
                f"set_input_type: expected 0, a line is a record, or 1, a line is a batch, but "
                f"received {input_type!r}."
            )
        self.proto_desc.input_type = input_type

    def set_fea_eval(self, record_candidate_size: int, fea_eval: bool = True) -> None:
        """Prepares for ``slots_shuffle``, which shows how much a slot matters.

        Args:
            record_candidate_size (int): of how many records PaddlePaddle keeps the values; here all
                are at hand.
            fea_eval (bool): whether slots may be shuffled.
        """
        checked_count("set_fea_eval", record_candidate_size)
        self._fea_eval = bool(fea_eval)

    def slots_shuffle(self, slots: list[str]) -> None:
        """Shuffles the values of some slots among the records in memory.

        Args:
            slots (list[str]): names.

        Raises:
            RuntimeError: ``set_fea_eval`` was not called, or the records are not in memory.
        """
        if not self._fea_eval:
            raise PreconditionNotMetError(
                "slots_shuffle: expected set_fea_eval to be called before."
            )
        known = [slot.name for slot in self._slots()]
        unknown = [name for name in slots if name not in known]
        if unknown:
            raise InvalidArgumentError(
                f"slots_shuffle(slots): expected names among {known}, but received {unknown}."
            )
        self._shuffle_slots(list(slots))

    def _shuffle_slots(self, names: list[str]) -> None:
        raise PreconditionNotMetError(
            "slots_shuffle: expected an InMemoryDataset, whose records are in memory."
        )

    def desc(self) -> str:
        """Returns the description in text form."""
        return str(self.proto_desc)

    # -- reading -----------------------------------------------------------------------------------

    def _slots(self) -> list[Slot]:
        size, batches_ready = self.proto_desc.batch_size or 1, self.proto_desc.input_type == 1
        slots = [slot_of(message, size, batches_ready) for message in self.proto_desc.slots]
        if batches_ready and size > 1 and not all(slot.dense for slot in slots if slot.used):
            raise InvalidArgumentError(
                f"{self._title}: with input_type=1 a line is a batch: expected batch_size=1, but "
                f"received {size}."
            )
        return slots

    def _named(self) -> tuple[str, ...]:
        return ()

    def _source(self, files: list[str] | None = None) -> Source:
        chosen = self.filelist if files is None else files
        if not chosen:
            raise PreconditionNotMetError(
                f"{self._title}: there are no files to read.",
                hint="call set_filelist with at least one path; each trainer of a job needs one",
            )
        return self._source_of(
            parts_of(chosen, self.proto_desc.pipe_command or "cat", self._download)
        )

    @property
    def _title(self) -> str:
        return type(self).__name__

    def _source_of(self, parts: list[Part]) -> Source:
        slots = self._slots()
        if not slots:
            raise PreconditionNotMetError(
                f"{self._title}: the dataset has no slots: call init(use_var=...) or set_use_var "
                "first."
            )
        return Source(slots, self._named(), self._skip, parts)

    def _told(self, skipped: list[str]) -> None:
        room = max(0, 100 - len(self.skipped_records))
        self.skipped_records += skipped[:room]
        self.skipped_count += len(skipped)

    def _begin(self) -> None:
        self.skipped_records, self.skipped_count = [], 0

    def feeds(self, threads: int) -> list[Iterator[dict[str, Any]]]:
        """What the batches of each thread feed: thread i has every n-th file from number i on.

        Args:
            threads (int): how many threads train.
        """
        self._begin()
        threads = max(1, min(threads, len(self.filelist)))
        sources = [self._source(self.filelist[i::threads]) for i in range(threads)]
        most = None if threads == 1 else 1
        size = self.proto_desc.batch_size or 1
        return [batches(blocks(s, most), s, size, self._told) for s in sources]

    def place_of(self, slot: str, wanted: Callable[[Any], Any]) -> str:
        """Where in the files a value stands, which is looked for there.

        Args:
            slot (str): its slot.
            wanted (callable): gets values of the slot, and says of each whether it is one.

        Returns:
            str: file and line; empty: it is in none of these files.
        """
        if not self.filelist:
            return ""
        return self._source().place_of(slot, wanted)

    def train_by(self, executor: Any, api: str, thread: int, *settings: Any) -> None:
        """What ``Executor.train_from_dataset`` and ``Executor.infer_from_dataset`` call.

        Args:
            executor (Executor): runs the Program.
            api (str): which of the two it is, for errors.
            thread (int): how many threads train; 0: as many as ``set_thread`` says.
            settings: the other arguments of the call.
        """
        if isinstance(thread, bool) or not isinstance(thread, int) or thread < 0:
            raise InvalidArgumentError(
                f"Executor.{api}(thread): expected 0 or more, but received {thread!r}."
            )
        run = checked(executor, api, *settings)
        run.place_of = self.place_of
        run.work(self.feeds(thread or self.thread_num))

    _set_batch_size = set_batch_size
    _set_download_cmd = set_download_cmd
    _set_fea_eval = set_fea_eval
    _set_hdfs_config = set_hdfs_config
    _set_input_type = set_input_type
    _set_pipe_command = set_pipe_command
    _set_pv_batch_size = set_pv_batch_size
    _set_rank_offset = set_rank_offset
    _set_thread = set_thread
    _set_use_var = set_use_var
    _desc = desc


def slot_of(message: SlotMessage, batch_size: int, batches_ready: bool) -> Slot:
    """A slot as parsing needs it.

    Args:
        message (SlotMessage): what the description says.
        batch_size (int): records of a batch; a shape may begin with it.
        batches_ready (bool): whether a line is a batch.
    """
    if message.type not in ("uint64", "float"):
        raise InvalidArgumentError(
            f'slot {message.name!r}: expected type "uint64" or "float", but the description says '
            f"{message.type!r}."
        )
    shape = tuple(message.shape)
    if message.is_dense and shape and min(shape) >= 0:
        # The dimension of the records is not open: it is the first, or was left out.
        shape = (-1, *shape[1:]) if len(shape) > 1 and shape[0] == batch_size else (-1, *shape)
    return Slot(
        message.name, message.type, bool(message.is_dense), bool(message.is_used), shape,
        batches_ready,
    )  # fmt: skip


def checked_count(api: str, value: Any) -> int:
    """Refuses what is no positive int."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgumentError(f"{api}: expected a positive int, but received {value!r}.")
    return value


def checked_text(api: str, value: Any) -> str:
    """Refuses what is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{api}: expected a str, but received {type(value).__name__}.")
    return value
