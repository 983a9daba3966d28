"""StaticRNN: one step of a recurrent network, written once, run for every slice along time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.ir.block import Block
from paddle.ir.control.blocks import location, need_static, reads, step_scopes, sub_block
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable


@dataclass
class _Memory:
    """A value that goes from step to step."""

    first: Variable  # outside: what the first step sees
    before: Variable  # inside: what a step sees
    after: Variable | None = None  # inside: what the next step will see


class StaticRNN:
    """A recurrent network over sequences of one length: inputs of shape [time, batch, ...].

    Args:
        name (str, optional): prefix of the names made.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.static as static
            from paddle.static.control import StaticRNN
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [3, 2, 1])
                rnn = StaticRNN()
                with rnn.step():
                    item = rnn.step_input(x)
                    total = rnn.memory(shape=[-1, 1], batch_ref=item)
                    new = total + item
                    rnn.update_memory(total, new)
                    rnn.step_output(new)
                sums = rnn()
                feed = {"x": np.ones([3, 2, 1], "float32")}
                print(static.Executor().run(feed=feed, fetch_list=[sums])[0][:, 0, 0])  # [1. 2. 3.]
            paddle.disable_static()
    """

    BEFORE_RNN_BLOCK = 0
    IN_RNN_BLOCK = 1
    AFTER_RNN_BLOCK = 2

    def __init__(self, name: str | None = None) -> None:
        need_static("StaticRNN", "use paddle.nn.RNN")
        self.name = unique_name.generate("static_rnn") if name is None else name
        self.status = self.BEFORE_RNN_BLOCK
        self.seq_len: int | None = None
        self._memories: dict[str, _Memory] = {}
        self._sequences: list[Variable] = []
        self._results: list[Variable] = []  # inside, one per output
        self._outputs: list[Variable] = []

    @contextlib.contextmanager
    def step(self) -> Iterator[Block]:
        """The context whose operators are one step."""
        if self.status != self.BEFORE_RNN_BLOCK:
            raise PreconditionNotMetError("StaticRNN.step: the step can be written only once.")
        with sub_block() as block:
            self.status = self.IN_RNN_BLOCK
            try:
                yield block
                states = self._states(block)
            finally:
                self.status = self.AFTER_RNN_BLOCK
        self._finish(block, states)

    def step_input(self, x: Variable) -> Variable:
        """Returns the slice of a sequence that a step sees.

        Args:
            x (Variable): of shape [time, ...].
        """
        block = self._inside("step_input")
        if not isinstance(x, Variable):
            raise TypeError(
                f"StaticRNN.step_input(x): expected a Variable, but got {type(x).__name__}."
            )
        if not x.shape:
            raise InvalidArgumentError("StaticRNN.step_input(x): expected the shape [time, ...].")
        length = x.shape[0]
        if self.seq_len is None or self.seq_len < 0:
            self.seq_len = length
        elif length not in (self.seq_len, -1):
            raise InvalidArgumentError(
                f"StaticRNN.step_input(x): expected {self.seq_len} time steps as in the input "
                f"before, but {x.name!r} has {length}.{location()}"
            )
        self._sequences.append(x)
        # 1.x computes the gradient of a step in any case, and names what it records accordingly.
        stop = x.stop_gradient and not block.program.of_1x
        return block.create_var(
            name=x.name, shape=list(x.shape[1:]) or [1], dtype=x.dtype, stop_gradient=stop
        )

    def memory(
        self,
        init: Variable | None = None,
        shape: Any = None,
        batch_ref: Variable | None = None,
        init_value: float = 0.0,
        init_batch_dim_idx: int = 0,
        ref_batch_dim_idx: int = 1,
    ) -> Variable:
        """Returns a value that goes from step to step.

        Args:
            init (Variable, optional): the value that the first step sees; None: a constant.
            shape (list[int], optional): of the constant; -1 is the size of a batch.
            batch_ref (Variable, optional): where the size of a batch is taken from.
            init_value (float): the constant. Default: 0.
            init_batch_dim_idx (int): the dimension of ``shape`` that is the batch. Default: 0.
            ref_batch_dim_idx (int): the dimension of the sequence that is the batch. Default: 1.
        """
        block = self._inside("memory")
        if init is None:
            init = self._constant(
                shape, batch_ref, init_value, init_batch_dim_idx, ref_batch_dim_idx
            )
        elif not isinstance(init, Variable):
            raise TypeError(
                f"StaticRNN.memory(init): expected a Variable, but got {type(init).__name__}."
            )
        if init.name in block.vars:
            raise InvalidArgumentError(
                f"StaticRNN.memory(init): {init.name!r} is made inside of the step; expected a "
                f"variable from outside.{location()}"
            )
        made = block.create_var(
            name=unique_name.generate(f"{self.name}@mem"), shape=init.shape, dtype=init.dtype
        )
        self._memories[made.name] = _Memory(init, made)
        return made

    def _constant(
        self, shape: Any, batch_ref: Any, value: float, batch_at: int, ref_at: int
    ) -> Variable:
        if shape is None or batch_ref is None:
            raise InvalidArgumentError(
                "StaticRNN.memory: expected init, or both shape and batch_ref, but got neither."
                f"{location()}"
            )
        parent = default_main_program().current_block().parent_block
        assert parent is not None
        reference = parent._find_var_recursive(batch_ref.name)
        if reference is None:
            raise InvalidArgumentError(
                f"StaticRNN.memory(batch_ref): {batch_ref.name!r} is made inside of the step; "
                f"expected an input of the step or a variable from outside.{location()}"
            )
        made = parent.create_var(name=unique_name.generate(f"{self.name}@memory_boot"))
        parent.append_op(
            type="fill_constant_batch_size_like",
            inputs={"Input": [reference]},
            outputs={"Out": [made]},
            attrs={
                "value": float(value),
                "shape": [int(n) for n in shape],
                "dtype": int(batch_ref.dtype),
                "input_dim_idx": ref_at,
                "output_dim_idx": batch_at,
            },
        )
        return made

    def update_memory(self, mem: Variable, var: Variable) -> None:
        """Says what the next step sees as a memory.

        Args:
            mem (Variable): what :meth:`memory` returned.
            var (Variable): computed in the step.
        """
        self._inside("update_memory")
        for argument, value in (("mem", mem), ("var", var)):
            if not isinstance(value, Variable):
                raise TypeError(
                    f"StaticRNN.update_memory({argument}): expected a Variable, "
                    f"but received {type(value).__name__}."
                )
        known = self._memories.get(mem.name)
        if known is None:
            raise InvalidArgumentError(
                f"StaticRNN.update_memory(mem): {mem.name!r} is none of the memories "
                f"{sorted(self._memories)}."
            )
        fits = len(mem.shape) == len(var.shape) and all(
            a == b or -1 in (a, b) for a, b in zip(mem.shape, var.shape, strict=True)
        )
        if mem.dtype != var.dtype or not fits:
            raise InvalidArgumentError(
                f"StaticRNN.update_memory: the memory is {mem.dtype} of shape {list(mem.shape)}, "
                f"but its new value is {var.dtype} of shape {list(var.shape)}.{location()}"
            )
        known.after = var

    def step_output(self, o: Variable) -> None:
        """Marks a result of the step; those of all steps are put together.

        Args:
            o (Variable): computed in the step.
        """
        block = self._inside("step_output")
        if not isinstance(o, Variable):
            raise TypeError(
                f"StaticRNN.step_output(o): expected a Variable, but got {type(o).__name__}."
            )
        inside = self._helper(block, o)
        self._results.append(inside)
        parent = block.parent_block
        assert parent is not None
        length = -1 if self.seq_len is None else self.seq_len
        self._outputs.append(
            parent.create_var(name=inside.name, shape=[length, *o.shape], dtype=o.dtype)
        )

    def output(self, *outputs: Variable) -> None:
        """Marks several results, see :meth:`step_output`."""
        for each in outputs:
            self.step_output(each)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the results of all steps, each of shape [time, ...]; a list if there are several.

        Raises:
            RuntimeError: the step is not complete.
            ValueError: it has no output.
        """
        if args or kwargs:
            raise TypeError("StaticRNN(): expected no arguments.")
        if self.status != self.AFTER_RNN_BLOCK:
            raise PreconditionNotMetError(
                "StaticRNN: its output is there only after the 'with rnn.step():' block."
            )
        if not self._outputs:
            raise InvalidArgumentError("StaticRNN: the step has no output; call step_output.")
        return self._outputs[0] if len(self._outputs) == 1 else list(self._outputs)

    # -- building the operator ---------------------------------------------------------------------

    def _inside(self, method: str) -> Block:
        if self.status != self.IN_RNN_BLOCK:
            raise PreconditionNotMetError(
                f"StaticRNN.{method}: expected to be called inside of 'with rnn.step():'."
            )
        return default_main_program().current_block()

    def _helper(self, block: Block, x: Variable) -> Variable:
        made = block.create_var(name=unique_name.generate(f"{self.name}.tmp"), dtype=x.dtype)
        block.append_op(
            type="rnn_memory_helper",
            inputs={"X": [x]},
            outputs={"Out": [made]},
            attrs={"dtype": int(x.dtype)},
        )
        return made

    def _states(self, block: Block) -> list[str]:
        if not self._sequences:
            raise InvalidArgumentError(f"StaticRNN: the step has no input.{location()}")
        states = []
        for name, memory in self._memories.items():
            if memory.after is None:
                raise InvalidArgumentError(
                    f"StaticRNN: memory {name!r} is never updated; call update_memory.{location()}"
                )
            states.append(self._helper(block, memory.after).name)
        return states

    def _finish(self, block: Block, states: list[str]) -> None:
        parent = block.parent_block
        assert parent is not None
        memories = list(self._memories.values())
        parent.append_op(
            type="recurrent",
            inputs={
                "inputs": self._sequences,
                "initial_states": [m.first for m in memories],
                "parameters": reads(block),
            },
            outputs={"outputs": self._outputs, "step_scopes": [step_scopes(parent)]},
            attrs={
                "has_states": bool(memories),
                "ex_states": [m.before.name for m in memories],
                "states": states,
                "sub_block": block,
            },
        )
