"""DataFeeder: from samples, as readers give them, to what a Program is fed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.lod import LoDTensor
from paddle.fluid.mode import settle_static
from paddle.io.dataloader.feeding import Field
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable
from paddle.static import cpu_places, cuda_places, xpu_places

__all__ = ["DataFeeder"]


class DataFeeder:
    """Makes what ``Executor.run`` is fed from lists of samples.

    Args:
        feed_list (list): Variables, or names of Variables of ``program``, in the order of a
            sample's fields.
        place (Place): where the values go to; the executor brings them to its own.
        program (Program|None): has the Variables; None means the default main Program.

    Raises:
        ValueError: the Program has no such Variable.
        TypeError: an entry is neither a Variable nor a name.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                words = fluid.data("words", [None, 1], "int64", lod_level=1)
                label = fluid.data("label", [None, 1], "int64")
                feeder = fluid.DataFeeder([words, label], fluid.CPUPlace())
                fed = feeder.feed([([3, 4], 0), ([7], 1)])
                print(fed["words"].recursive_sequence_lengths())  # [[2, 1]]
                print(fed["label"].shape())  # [2, 1]
            paddle.disable_static()
    """

    def __init__(self, feed_list: list[Any], place: Any, program: Any = None) -> None:
        settle_static("fluid.DataFeeder")
        program = default_main_program() if program is None else program
        self.feed_names: list[str] = []
        self.feed_shapes: list[Any] = []
        self.feed_dtypes: list[Any] = []
        self.feed_lod_level: list[int] = []
        for var in feed_list:
            if isinstance(var, str):
                var = program.block(0).var(var)
            if not isinstance(var, Variable):
                raise TypeError(
                    "Feed list should contain a list of variable: DataFeeder(feed_list) received "
                    f"{type(var).__name__}."
                )
            self.feed_names.append(var.name)
            self.feed_shapes.append(tuple(var.shape))
            self.feed_dtypes.append(var.dtype)
            self.feed_lod_level.append(var.lod_level)
        self.place = place

    def feed(self, iterable: Any) -> dict[str, LoDTensor]:
        """Makes one batch.

        Args:
            iterable (list): samples, each with a field for every entry of ``feed_list``. A field
                whose Variable has a ``lod_level`` is a list of rows, or of lists.

        Returns:
            dict: name of a Variable -> LoDTensor.

        Raises:
            AssertionError: a sample has more or fewer fields.
            ValueError: fields of the samples have different shapes.
        """
        fields = self._fields()
        for sample in iterable:
            if len(sample) != len(fields):
                raise AssertionError(
                    f"The number of fields in data ({len(sample)}) does not match "
                    f"len(feed_list) ({len(fields)})"
                )
            for field, value in zip(fields, sample, strict=True):
                field.add(value)
        return {field.name: field.tensor() for field in fields}

    def _fields(self) -> list[Field]:
        rows = zip(
            self.feed_names, self.feed_shapes, self.feed_dtypes, self.feed_lod_level, strict=True
        )
        return [Field(name, shape, dtype_name(dtype), lod) for name, shape, dtype, lod in rows]

    def feed_parallel(
        self, iterable: Any, num_places: int | None = None
    ) -> Iterator[dict[str, LoDTensor]]:
        """Makes a batch for each place.

        Args:
            iterable (list): as many lists of samples as there are places.
            num_places (int|None): how many; None means all GPUs, or ``CPU_NUM`` on a CPU.

        Returns:
            generator: of dicts, one for each place.

        Raises:
            ValueError: there are more or fewer lists than places.
        """
        batches = list(iterable)
        places = self._get_number_of_places_(num_places)
        if len(batches) != places:
            raise ValueError(
                "feed_parallel takes multiple mini-batches. Each mini-batch will be feed on each "
                "device. The number of devices and number of mini-batches must be same: expected "
                f"{places}, but received {len(batches)}."
            )
        return (self.feed(batch) for batch in batches)

    def _get_number_of_places_(self, num_places: int | None) -> int:
        if num_places is not None:
            return int(num_places)
        listed = {"CUDAPlace": cuda_places, "XPUPlace": xpu_places}
        return len(listed.get(type(self.place).__name__, cpu_places)())

    def decorate_reader(
        self,
        reader: Callable[[], Any],
        multi_devices: bool,
        num_places: int | None = None,
        drop_last: bool = True,
    ) -> Callable[[], Iterator[Any]]:
        """Makes a reader of what is fed from a reader of lists of samples.

        Args:
            reader (Callable): gives lists of samples.
            multi_devices (bool): whether a list with a dict for each place is wanted.
            num_places (int|None): how many places; as for :meth:`feed_parallel`.
            drop_last (bool): whether batches in the end that do not suffice for all places are
                left out.

        Returns:
            Callable: gives dicts, or lists of them.

        Raises:
            ValueError: batches remain and ``drop_last`` is False; raised while reading.
        """

        def single() -> Iterator[dict[str, LoDTensor]]:
            return map(self.feed, reader())

        def several() -> Iterator[list[dict[str, LoDTensor]]]:
            places = self._get_number_of_places_(num_places)
            waiting: list[Any] = []
            for batch in reader():
                waiting.append(batch)
                if len(waiting) == places:
                    yield list(self.feed_parallel(waiting, places))
                    waiting = []
            if waiting and not drop_last:
                raise ValueError(
                    "The data batch which cannot fit for devices will be dropped is not "
                    f"implementation: {len(waiting)} batches remain for {places} places. Other "
                    "strategies are not implemented"
                )

        return several if multi_devices else single
