"""DynamicRNN: a step of a network, run for every row of sequences of different lengths."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.fluid.layers.appending import append, current_block, layer_of, result
from paddle.fluid.layers.blocks import While, outside
from paddle.fluid.layers.rank_tables import array_to_lod_tensor, shrink_memory
from paddle.fluid.mode import settle_static
from paddle.ir.control.blocks import location
from paddle.ir.variable import Variable
from paddle.tensor.array import array_read, array_write

__all__ = ["DynamicRNN"]


def _filled(value: float, dtype: Any, out: Any = None, **attrs: Any) -> Variable:
    """One number, on the CPU."""
    kind = to_vartype(dtype)
    made = result(layer_of("fill_constant"), kind) if out is None else out
    attrs = {"shape": [1], "dtype": int(kind), "value": float(value), "force_cpu": True} | attrs
    append("fill_constant", {}, {"Out": [made]}, **attrs)
    return made


class DynamicRNN:
    """A recurrent network over sequences of different lengths, its step written once.

    The sequences are sorted by length, longest first; each step sees the rows of those that are not
    over yet. Results have the levels of the input, and its order.

    Args:
        name (str, optional): prefix of the names made.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [None, 1], lod_level=1)
                rnn = fluid.layers.DynamicRNN()
                with rnn.block():
                    row = rnn.step_input(x)
                    total = rnn.memory(shape=[1], value=0.0)
                    new = total + row
                    rnn.update_memory(total, new)
                    rnn.output(new)
                rows = fluid.create_lod_tensor(
                    np.ones([5, 1], "float32"), [[2, 3]], fluid.CPUPlace())
                sums, = fluid.Executor().run(
                    feed={"x": rows}, fetch_list=[rnn()], return_numpy=False)
                print(np.array(sums)[:, 0])  # [1. 2. 1. 2. 3.]
            paddle.disable_static()
    """

    BEFORE_RNN = 0
    IN_RNN = 1
    AFTER_RNN = 2

    def __init__(self, name: str | None = None) -> None:
        settle_static("fluid.layers.DynamicRNN")
        self._layer = layer_of("dynamic_rnn", name)
        self.status = self.BEFORE_RNN
        self.lod_rank_table: Variable | None = None
        self.max_seq_len: Variable | None = None
        self.step_idx: Variable | None = None
        self.zero_idx: Variable | None = None
        self.input_array: list[tuple[Variable, Any]] = []
        self.output_array: list[Variable] = []
        self.outputs: list[Variable] = []
        self.mem_dict: dict[str, Variable] = {}  # memory -> the array that it is read from
        self.mem_link: list[tuple[Variable, Variable]] = []
        self.cond = result(self._layer, VarType.BOOL, shape=[1], stop_gradient=True)
        self.while_op = While(self.cond)

    # -- the block --------------------------------------------------------------------------------

    @contextmanager
    def block(self) -> Iterator[None]:
        """The context whose operators are one step."""
        if self.status != self.BEFORE_RNN:
            raise PreconditionNotMetError("DynamicRNN.block: the step can be written only once.")
        self.step_idx = _filled(0, "int64", str_value="0")
        self.step_idx.stop_gradient = False
        self.status = self.IN_RNN
        with self.while_op.block():
            yield
            if self.lod_rank_table is None:
                raise InvalidArgumentError(
                    f"DynamicRNN: the step has no input; call step_input.{location()}"
                )
            append("increment", {"X": [self.step_idx]}, {"Out": [self.step_idx]}, step=1.0)
            for new, array in self.mem_link:
                array_write(new, self.step_idx, array)
            self._compare()
        self.status = self.AFTER_RNN
        for array in self.output_array:
            self.outputs.append(array_to_lod_tensor(array, self.lod_rank_table))

    def _compare(self) -> None:
        """Whether there is another step."""
        operands = {"X": [self.step_idx], "Y": [self.max_seq_len]}
        append("less_than", operands, {"Out": [self.cond]}, force_cpu=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the results, rows with the input's levels; a list if there are several."""
        if args or kwargs:
            raise TypeError("DynamicRNN(): expected no arguments.")
        if self.status != self.AFTER_RNN:
            raise PreconditionNotMetError(
                "DynamicRNN: its output is there only after the 'with rnn.block():' block."
            )
        if not self.outputs:
            raise InvalidArgumentError("DynamicRNN: the step has no output; call output.")
        return self.outputs[0] if len(self.outputs) == 1 else list(self.outputs)

    # -- what the step sees -----------------------------------------------------------------------

    def step_input(self, x: Variable, level: int = 0) -> Variable:
        """Returns the row of each sequence that a step sees.

        Args:
            x (Variable): rows with levels; all inputs have the levels of the first one.
            level (int): the level whose sequences are gone through. Default: 0.
        """
        self._inside("step_input", x)
        with outside():
            if self.lod_rank_table is None:
                self._sort(x, level)
            array = current_block().create_var(
                name=unique_name.generate("dynamic_rnn_input_array"),
                type=VarType.LOD_TENSOR_ARRAY, dtype=x.dtype,
            )  # fmt: skip
            inputs = {"X": [x], "RankTable": [self.lod_rank_table]}
            append("lod_tensor_to_array", inputs, {"Out": [array]})
        self.input_array.append((array, x.dtype))
        return array_read(array, self.step_idx)

    def _sort(self, x: Variable, level: int) -> None:
        block = current_block()
        self.lod_rank_table = block.create_var(
            name=unique_name.generate("lod_rank_table"), type=VarType.LOD_RANK_TABLE,
            stop_gradient=True,
        )  # fmt: skip
        append("lod_rank_table", {"X": [x]}, {"Out": [self.lod_rank_table]}, level=level)
        self.max_seq_len = block.create_var(
            name=unique_name.generate("dynamic_rnn_max_seq_len"), dtype="int64"
        )
        table = {"RankTable": [self.lod_rank_table]}
        append("max_sequence_len", table, {"Out": [self.max_seq_len]})
        self._compare()

    def static_input(self, x: Variable) -> Variable:
        """Returns something that every step sees whole, for the sequences that are not over yet.

        Args:
            x (Variable): a row, or a sequence of rows, for each sequence of the input.
        """
        self._inside("static_input", x)
        self._need_input("static_input")
        return shrink_memory(self._reordered(x, "static_input"), self.step_idx, self.lod_rank_table)

    def _reordered(self, x: Variable, kind: str) -> Variable:
        """The rows or sequences of a variable in the order of the table."""
        with outside() as parent:
            made = parent.create_var(
                name=unique_name.generate(f"dynamic_rnn_{kind}_reordered"), dtype=x.dtype
            )
            inputs = {"X": [x], "RankTable": [self.lod_rank_table]}
            append("reorder_lod_tensor_by_rank", inputs, {"Out": [made]})
        return made

    def memory(
        self,
        init: Variable | None = None,
        shape: Any = None,
        value: float = 0.0,
        need_reorder: bool = False,
        dtype: Any = "float32",
    ) -> Variable:
        """Returns a value that goes from step to step.

        Args:
            init (Variable, optional): what the first step sees, a row for each sequence; None: a
                constant.
            shape (list[int]|tuple[int], optional): of the constant, without the rows.
            value (float): the constant. Default: 0.
            need_reorder (bool): whether the rows of ``init`` are in the order of the input, as
                they are unless a DynamicRNN made them. Default: False.
            dtype (str|VarType): of the constant. Default: float32.
        """
        self._inside("memory", init, optional=True)
        self._need_input("memory")
        self._zero()
        if init is None:
            init = self._constant(shape, value, dtype)
        elif need_reorder:
            init = self._reordered(init, "mem_init")
        with outside() as parent:
            array = parent.create_var(
                name=unique_name.generate("dynamic_rnn_mem_array"),
                type=VarType.LOD_TENSOR_ARRAY, dtype=init.dtype,
            )  # fmt: skip
            append("write_to_array", {"X": [init], "I": [self.zero_idx]}, {"Out": [array]})
        read = array_read(array, self.step_idx)
        made = shrink_memory(read, self.step_idx, self.lod_rank_table)
        self.mem_dict[made.name] = array
        return made

    def _constant(self, shape: Any, value: float, dtype: Any) -> Variable:
        if not isinstance(shape, (list, tuple)):
            raise TypeError(
                "DynamicRNN.memory: expected init, or the shape of a constant as a list or tuple, "
                f"but received {shape!r}.{location()}"
            )
        kind = to_vartype(dtype)
        array, first = self.input_array[0]
        with outside() as parent:
            made = parent.create_var(name=unique_name.generate("mem_init"), dtype=kind)
            row = parent.create_var(name=unique_name.generate("in0"), dtype=first)
            append("read_from_array", {"X": [array], "I": [self.zero_idx]}, {"Out": [row]})
            append(
                "fill_constant_batch_size_like", {"Input": [row]}, {"Out": [made]},
                shape=[-1, *(int(n) for n in shape)], value=float(value), dtype=int(kind),
                input_dim_idx=0, output_dim_idx=0,
            )  # fmt: skip
        return made

    def _zero(self) -> None:
        if self.zero_idx is None:
            with outside() as parent:
                name = unique_name.generate("zero_idx")
                self.zero_idx = _filled(0, "int64", parent.create_var(name=name, dtype="int64"))

    def update_memory(self, ex_mem: Variable, new_mem: Variable) -> None:
        """Says what the next step sees as a memory.

        Args:
            ex_mem (Variable): what :meth:`memory` returned.
            new_mem (Variable): computed in the step.
        """
        self._inside("update_memory", ex_mem)
        self._inside("update_memory", new_mem)
        array = self.mem_dict.get(ex_mem.name)
        if array is None:
            raise InvalidArgumentError(
                f"DynamicRNN.update_memory(ex_mem): expected what memory returned, but received "
                f"{ex_mem.name!r}.{location()}"
            )
        self.mem_link.append((new_mem, array))

    def output(self, *outputs: Variable) -> None:
        """Marks results of the step; those of all steps are put together.

        Args:
            *outputs (Variable): a row for each sequence.
        """
        for each in outputs:
            self._inside("output", each)
            with outside() as parent:
                array = parent.create_var(
                    name=unique_name.generate(f"{self._layer}_output_array_{each.name}"),
                    type=VarType.LOD_TENSOR_ARRAY, dtype=each.dtype,
                )  # fmt: skip
            array_write(each, self.step_idx, array)
            self.output_array.append(array)

    # -- checks -----------------------------------------------------------------------------------

    def _inside(self, method: str, value: Any, optional: bool = False) -> None:
        if self.status != self.IN_RNN:
            raise PreconditionNotMetError(
                f"DynamicRNN.{method}: expected to be called inside of 'with rnn.block():'."
            )
        if not isinstance(value, Variable) and not (optional and value is None):
            raise TypeError(
                f"DynamicRNN.{method}: expected a Variable, but received {type(value).__name__}."
            )

    def _need_input(self, method: str) -> None:
        if self.lod_rank_table is None:
            raise PreconditionNotMetError(
                f"DynamicRNN.{method}: expected step_input to be called before.{location()}"
            )
