"""Layers by which a Program reads its data itself: py_reader, read_file, double_buffer, load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.executor.readers import BatchQueue
from paddle.fluid.mode import settle_static
from paddle.io.dataloader.feeding import Batches, Fed, checked_capacity
from paddle.io.dataloader.program_readers import double_buffered, listed, py_reader_variable, read
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable
from paddle.utils import unique_name

__all__ = ["create_py_reader_by_data", "double_buffer", "load", "py_reader", "read_file"]


class _Control:
    """What a reader's Variable can do besides: take a Python reader, begin and end passes.

    Args:
        queue (BatchQueue): what the Program reads from.
        fields (list[Fed]): the fields of a batch.
    """

    def __init__(self, queue: BatchQueue, fields: list[Fed]) -> None:
        self.queue, self.fields = queue, fields

    def lists(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Reads lists of samples, one list a batch."""
        self.queue.source = Batches.of_lists(self.fields, reader)

    def arrays(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Reads whole batches: an array for each Variable."""
        self.queue.source = Batches.of_arrays(self.fields, reader)


def _controlled(reader: Variable, control: _Control) -> Variable:
    added: Any = reader
    added.control = control
    added.decorate_paddle_reader = control.lists
    added.decorate_sample_list_generator = control.lists
    added.decorate_tensor_provider = control.arrays
    added.decorate_batch_generator = control.arrays
    added.start = control.queue.start
    added.reset = control.queue.reset
    added.queue = control.queue
    return reader


def py_reader(
    capacity: int,
    shapes: Any,
    dtypes: Any,
    lod_levels: Any = None,
    name: str | None = None,
    use_double_buffer: bool = True,
) -> Any:
    """Makes a reader from which a Program takes its batches; a Python function fills it.

    Args:
        capacity (int): how many batches may wait. They are made when the Program reads them, so
            nothing waits here.
        shapes (list): the shape of each field, -1 where any size will do.
        dtypes (list): the dtype of each field.
        lod_levels (list|None): the ``lod_level`` of each field; None: none has levels.
        name (str|None): of the reader; None makes one.
        use_double_buffer (bool): a hint.

    Returns:
        Variable: a reader. ``decorate_paddle_reader`` (lists of samples) or
        ``decorate_tensor_provider`` (arrays) say where data comes from, ``start()`` begins a pass,
        and ``reset()`` ends it. Running the Program raises ``fluid.core.EOFException`` where a
        pass is over.

    Raises:
        ValueError: the lists have different lengths.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                reader = fluid.layers.py_reader(4, [[-1, 2]], ["float32"])
                x = fluid.layers.read_file(reader)
                y = fluid.layers.scale(x, 2.0)

            def batches():
                for i in range(3):
                    yield [(np.full([2], i, "float32"),)]

            reader.decorate_paddle_reader(batches)
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            reader.start()
            try:
                while True:
                    print(exe.run(main, fetch_list=[y])[0].tolist())
            except fluid.core.EOFException:
                reader.reset()
            paddle.disable_static()
    """
    settle_static("fluid.layers.py_reader")
    checked_capacity(capacity)
    shapes = [tuple(int(n) for n in shape) for shape in listed("py_reader", "shapes", shapes)]
    dtypes = [dtype_name(dtype) for dtype in listed("py_reader", "dtypes", dtypes)]
    levels = [0] * len(shapes) if lod_levels is None else list(lod_levels)
    if not len(shapes) == len(dtypes) == len(levels):
        raise InvalidArgumentError(
            "py_reader: expected as many shapes as dtypes and lod_levels, but received "
            f"{len(shapes)}, {len(dtypes)} and {len(levels)}."
        )
    rows = enumerate(zip(shapes, dtypes, levels, strict=True))
    fields = [Fed(f"field {i}", shape, dtype, lod) for i, (shape, dtype, lod) in rows]
    reader, queue = py_reader_variable(fields, name, use_double_buffer)
    return _controlled(reader, _Control(queue, fields))


def create_py_reader_by_data(
    capacity: int, feed_list: Any, name: str | None = None, use_double_buffer: bool = True
) -> Any:
    """Makes a reader for data variables, as :func:`py_reader` does for shapes and dtypes.

    Args:
        capacity (int): how many batches may wait.
        feed_list (list[Variable]): the data variables.
        name (str|None): of the reader; None makes one.
        use_double_buffer (bool): a hint.

    Returns:
        Variable: a reader; ``read_file`` of it gives Variables like the data variables.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 2], "float32")
                reader = fluid.layers.create_py_reader_by_data(4, [x])
                print(fluid.layers.read_file(reader).shape)  # (-1, 2)
            paddle.disable_static()
    """
    settle_static("fluid.layers.create_py_reader_by_data")
    checked_capacity(capacity)
    feeds = listed("create_py_reader_by_data", "feed_list", feed_list)
    fields = [Fed.of(var) for var in feeds]
    reader, queue = py_reader_variable(fields, name, use_double_buffer)
    return _controlled(reader, _Control(queue, fields))


def read_file(reader: Any) -> Any:
    """Takes a batch from a reader, each time the Program runs.

    Args:
        reader (Variable): of :func:`py_reader`.

    Returns:
        Variable|list[Variable]: the fields; a single one is no list.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                reader = fluid.layers.py_reader(4, [[-1, 2]], ["float32"])
                print(fluid.layers.read_file(reader).shape)  # (-1, 2)
            paddle.disable_static()
    """
    control = getattr(reader, "control", None)
    if control is None:
        raise TypeError(
            "read_file(reader): expected a reader of py_reader or create_py_reader_by_data, but "
            f"received {type(reader).__name__}."
        )
    block = default_main_program().current_block()
    base = unique_name.generate("read_file")
    outputs = [
        block.create_var(
            name=unique_name.generate(f"{base}.tmp"), shape=list(fed.shape), dtype=fed.dtype,
            lod_level=fed.levels, stop_gradient=True,
        )
        for fed in control.fields
    ]  # fmt: skip
    read(block, reader.name, outputs)
    return outputs[0] if len(outputs) == 1 else list(outputs)


def double_buffer(reader: Any, place: Any = None, name: str | None = None) -> Any:
    """Records that a reader is to copy ahead; it reads the same batches.

    Args:
        reader (Variable): of :func:`py_reader`.
        place (Place|None): where to; the executor brings batches to its own.
        name (str|None): of the result; None makes one.

    Returns:
        Variable: a reader.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                reader = fluid.layers.py_reader(4, [[-1, 2]], ["float32"])
                x = fluid.layers.read_file(fluid.layers.double_buffer(reader))
            paddle.disable_static()
    """
    control = getattr(reader, "control", None)
    if control is None:
        raise TypeError(
            "double_buffer(reader): expected a reader of py_reader, but received "
            f"{type(reader).__name__}."
        )
    made = double_buffered(
        default_main_program().current_block(), reader.name,
        unique_name.generate("create_double_buffer_reader") if name is None else name,
    )  # fmt: skip
    return _controlled(made, control)


def load(out: Variable, file_path: str, load_as_fp16: bool | None = None) -> None:
    """Records that a variable gets its value from a file, when the Program runs.

    Args:
        out (Variable): the variable.
        file_path (str): a file of ``fluid.io.save_vars``.
        load_as_fp16 (bool|None): whether to turn the value into float16.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                w = fluid.layers.create_tensor("float32")
                fluid.layers.load(w, "./w.file")
            paddle.disable_static()
    """
    attrs: dict[str, Any] = {"file_path": file_path}
    if load_as_fp16 is not None:
        attrs["load_as_fp16"] = load_as_fp16
    default_main_program().current_block().append_op("load", {}, {"Out": [out]}, attrs)


guard_module(globals())
