"""What all datasets of files have: settings, and the batches of their files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.fluid.data_feed_desc import FeedMessage, SlotMessage
from paddle.fluid.multi_slot.files import Part, Source, parts_of
from paddle.fluid.multi_slot.reading import batches, blocks
from paddle.fluid.multi_slot.records import FLOAT, INTEGER, Slot
from paddle.fluid.multi_slot.training import checked

_KINDS = {"float32": FLOAT, "int64": INTEGER}


class DatasetBase:
    """What all datasets of files have.

    Attributes:
        skipped_records (list[str]): with ``set_on_bad_record("skip")``: file, line and slot of the
            first hundred records that were left out, and what was wrong with each.
        skipped_count (int): how many were left out.
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

    def set_use_var(self, var_list: list[Any]) -> None:
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
        options = f"-D fs.default.name={fs_name} -D hadoop.job.ugi={fs_ugi}"
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
        """Notes the kind of input, of 2.0.

        Args:
            input_type (int): 0; 1 was for page views.
        """
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
        return [slot_of(message) for message in self.proto_desc.slots]

    def _named(self) -> tuple[str, ...]:
        return ()

    def _source(self, files: list[str] | None = None) -> Source:
        parts = parts_of(
            self.filelist if files is None else files,
            self.proto_desc.pipe_command or "cat",
            self._download,
        )
        return self._source_of(parts)

    def _source_of(self, parts: list[Part]) -> Source:
        slots = self._slots()
        if not slots:
            raise PreconditionNotMetError("the dataset has no slots: call set_use_var first.")
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
        if self.filelist:
            run.work(self.feeds(thread or self.thread_num))


def slot_of(message: SlotMessage) -> Slot:
    """A slot as parsing needs it.

    Args:
        message (SlotMessage): what the description says.
    """
    if message.type not in ("uint64", "float"):
        raise InvalidArgumentError(
            f'slot {message.name!r}: expected type "uint64" or "float", but the description says '
            f"{message.type!r}."
        )
    return Slot(
        message.name, message.type, bool(message.is_dense), bool(message.is_used),
        tuple(message.shape),
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
