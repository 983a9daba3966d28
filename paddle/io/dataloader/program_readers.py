"""Readers as variables and operators of a Program, with the queues behind them."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.executor.readers import BatchQueue
from paddle.executor.scope import global_scope
from paddle.io.dataloader.feeding import Fed
from paddle.ir.block import Block
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.variable import Variable
from paddle.utils import unique_name


def open_queue(name: str) -> BatchQueue:
    """Makes a queue, which the current scope holds from now on.

    Args:
        name (str): under which the operator create_py_reader finds it.
    """
    queue = BatchQueue(name)
    global_scope().var(name).held.tensor = queue
    return queue


def reader_variable(block: Block, name: str) -> Variable:
    """A variable that stands for a reader."""
    return block.create_var(
        name=name, type=VarType.READER, persistable=True, stop_gradient=True
    )  # fmt: skip


def create(block: Block, name: str, queue: str, fields: list[Fed]) -> None:
    """Records the operator that links a reader with its queue."""
    ranks = [len(field.shape) for field in fields]
    attrs = {
        "shape_concat": [n for field in fields for n in field.shape],
        "lod_levels": [field.levels for field in fields],
        "dtypes": [int(to_vartype(field.dtype)) for field in fields],
        "need_check_feed": [int(field.checked) for field in fields],
        "ranks": ranks,
        "use_data_config": True,
        "device_index": 0,
        "device_count": 1,
    }
    block.append_op("create_py_reader", {"blocking_queue": [queue]}, {"Out": [name]}, attrs)


def double_buffered(block: Block, source: str, name: str) -> Variable:
    """Records the operator that would copy ahead; here it is the same reader once more."""
    made = reader_variable(block, name)
    block.append_op(
        "create_double_buffer_reader", {"UnderlyingReader": [source]}, {"Out": [name]},
        {"place": "AUTO"},
    )  # fmt: skip
    return made


def read(block: Block, reader: str, outputs: list[Variable]) -> None:
    """Records the operator that takes a batch."""
    attrs = {"throw_eof_exp": True, "drop_last": True, "infer_out": True}
    block.append_op("read", {"Reader": [reader]}, {"Out": outputs}, attrs)


def insert_reader(feed_list: Any) -> BatchQueue:
    """Has the default main Program read its data variables by itself.

    Args:
        feed_list (list[Variable]): the data variables.
    """
    block = default_main_program().current_block()
    queue = open_queue(unique_name.generate("lod_tensor_blocking_queue"))
    name = unique_name.generate("create_py_reader")
    reader_variable(block, name)
    create(block, name, queue.name, [Fed.of(var) for var in feed_list])
    buffered = double_buffered(block, name, unique_name.generate("double_buffer"))
    read(block, buffered.name, list(feed_list))
    return queue


def py_reader_variable(
    fields: list[Fed], name: str | None, buffered: bool
) -> tuple[Variable, BatchQueue]:
    """A reader in the default main Program, made by the startup Program."""
    if name is None:
        queue_name = unique_name.generate("lod_tensor_blocking_queue")
        reader_name = unique_name.generate("create_py_reader")
        buffer_name = unique_name.generate("double_buffer")
    else:
        queue_name, reader_name = f"{name}_queue", f"{name}_reader"
        buffer_name = f"{name}_double_buffer"
    queue = open_queue(queue_name)
    startup = default_startup_program().current_block()
    reader_variable(startup, reader_name)
    create(startup, reader_name, queue_name, fields)
    main = default_main_program().current_block()
    reader = reader_variable(main, reader_name)
    if buffered:
        reader = double_buffered(main, reader_name, buffer_name)
    return reader, queue


def listed(api: str, name: str, value: Any) -> list[Any]:
    """Refuses anything but lists and tuples."""
    if not isinstance(value, (list, tuple)):
        raise InvalidArgumentError(
            f"{api}({name}): expected a list, but received {type(value).__name__}."
        )
    return list(value)
