"""Decoders made of a cell with named states: one for training, one for beam search over levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.fluid import layers as L
from paddle.fluid.layers.appending import append
from paddle.fluid.layers.blocks import Switch, While, outside
from paddle.fluid.layers.dynamic_rnn import DynamicRNN
from paddle.fluid.mode import settle_static
from paddle.ir.variable import Variable

__all__ = ["BeamSearchDecoder", "InitState", "StateCell", "TrainingDecoder"]


class InitState:
    """What a state is before the first step.

    Args:
        init (Variable, optional): a row for each sequence.
        shape (list[int], optional): of a constant, where there is no ``init``.
        value (float): the constant. Default: 0.
        init_boot (Variable, optional): where the size of the batch is taken from.
        need_reorder (bool): rows are in the order of the data, so a decoder for training has to
            sort them. Default: False.
        dtype (str): of the constant. Default: float32.
    """

    def __init__(
        self,
        init: Any = None,
        shape: Any = None,
        value: float = 0.0,
        init_boot: Any = None,
        need_reorder: bool = False,
        dtype: Any = "float32",
    ) -> None:
        settle_static("fluid.contrib.InitState")
        if init is None and init_boot is None:
            raise InvalidArgumentError(
                "InitState: expected init, or init_boot for the size of the batch, but got neither."
            )
        if init is None:
            init = L.fill_constant_batch_size_like(
                input=init_boot, value=value, shape=shape, dtype=dtype
            )
        self._init, self._shape, self._value = init, shape, value
        self._need_reorder, self._dtype = need_reorder, dtype

    @property
    def value(self) -> Any:
        """The Variable."""
        return self._init

    @property
    def need_reorder(self) -> bool:
        """Whether the rows have to be sorted."""
        return self._need_reorder


class _Memory:
    """A state in a decoder for training: a memory of its DynamicRNN."""

    def __init__(self, decoder: Any, init: InitState) -> None:
        self._rnn = decoder.dynamic_rnn
        self._memory = self._rnn.memory(init=init.value, need_reorder=init.need_reorder)

    def read(self) -> Any:
        return self._memory

    def write(self, state: Any) -> None:
        self._rnn.update_memory(self._memory, state)


class _Array:
    """A state in beam search: an array with its own counter."""

    def __init__(self, decoder: Any, init: InitState) -> None:
        with outside() as parent:
            self._array = parent.create_var(
                name=unique_name.generate("array_state_array"), type=VarType.LOD_TENSOR_ARRAY,
                dtype=init.value.dtype,
            )  # fmt: skip
            self._counter = parent.create_var(
                name=unique_name.generate("array_state_counter"), shape=[1], dtype="int64",
                stop_gradient=True,
            )  # fmt: skip
            append(
                "fill_constant", {}, {"Out": [self._counter]}, shape=[1], value=0.0,
                dtype=int(VarType.INT64), force_cpu=True,
            )  # fmt: skip
            L.array_write(init.value, self._counter, self._array)

    def read(self) -> Any:
        return L.array_read(self._array, self._counter)

    def write(self, state: Any) -> None:
        L.increment(self._counter, value=1, in_place=True)
        L.array_write(state, self._counter, self._array)


class StateCell:
    """A step with named inputs and states; a function decorated by :meth:`state_updater` computes.

    Args:
        inputs (dict): name -> None, or a Variable that every step gets.
        states (dict): name -> :class:`InitState`.
        out_state (str): the state that is the step's result.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            from paddle.fluid.contrib.decoder import InitState, StateCell, TrainingDecoder
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                words = fluid.data("words", [None, 4], lod_level=1)
                start = fluid.data("start", [None, 5])
                cell = StateCell({"x": None}, {"h": InitState(start, need_reorder=True)}, "h")

                @cell.state_updater
                def update(cell):
                    both = [cell.get_input("x"), cell.get_state("h")]
                    cell.set_state("h", fluid.layers.fc(both, 5, act="tanh"))

                decoder = TrainingDecoder(cell)
                with decoder.block():
                    cell.compute_state(inputs={"x": decoder.step_input(words)})
                    decoder.output(cell.out_state())
                    cell.update_states()
                print(decoder().shape)  # (-1, 5)
            paddle.disable_static()
    """

    def __init__(self, inputs: dict, states: dict, out_state: str, name: str | None = None) -> None:
        for key, state in states.items():
            if not isinstance(state, InitState):
                raise TypeError(
                    f"StateCell(states[{key!r}]): expected an InitState, "
                    f"but received {type(state).__name__}."
                )
        if out_state not in states:
            raise InvalidArgumentError(
                f"StateCell(out_state): expected one of {sorted(states)}, got {out_state!r}."
            )
        self._inputs = dict(inputs)
        self._init_states = dict(states)
        self._out_state = out_state
        self._updater: Callable | None = None
        self._decoder: Any = None
        self._holders: dict[str, Any] = {}  # in the decoder that is open
        self._current: dict[str, Any] = {}

    # -- decoders ---------------------------------------------------------------------------------

    def _enter_decoder(self, decoder: Any) -> None:
        if self._decoder is not None:
            raise PreconditionNotMetError("StateCell: it is in another decoder already.")
        self._decoder = decoder

    def _leave_decoder(self, decoder: Any) -> None:
        self._decoder = None
        self._holders, self._current = {}, {}

    def _hold(self) -> None:
        """Makes the states in the decoder that is open, when they are first asked for."""
        if self._decoder is None:
            raise PreconditionNotMetError(
                "StateCell: its states are there only inside of a decoder's block."
            )
        if not self._holders:
            for name, init in self._init_states.items():
                self._holders[name] = self._decoder._holder(self._decoder, init)
                self._current[name] = self._holders[name].read()

    # -- inside of a step -------------------------------------------------------------------------

    def get_state(self, state_name: str) -> Any:
        """Returns a state.

        Args:
            state_name (str): its name.
        """
        self._hold()
        if state_name not in self._current:
            raise InvalidArgumentError(
                f"StateCell.get_state: expected one of {sorted(self._current)}, got {state_name!r}."
            )
        return self._current[state_name]

    def get_input(self, input_name: str) -> Any:
        """Returns an input of the step.

        Args:
            input_name (str): its name.
        """
        found = self._inputs.get(input_name)
        if found is None:
            raise InvalidArgumentError(f"StateCell.get_input: there is no input {input_name!r}.")
        return found

    def set_state(self, state_name: str, state_value: Any) -> None:
        """Gives a state its new value.

        Args:
            state_name (str): its name.
            state_value (Variable): the value.
        """
        self._current[state_name] = state_value

    def state_updater(self, updater: Callable) -> Callable:
        """Decorator of the function that computes a step; it gets this cell.

        Args:
            updater (callable): reads inputs and states, and sets states.
        """
        self._updater = updater
        return updater

    def compute_state(self, inputs: dict) -> None:
        """Computes a step.

        Args:
            inputs (dict): name -> Variable.
        """
        self._hold()
        if self._updater is None:
            raise PreconditionNotMetError(
                "StateCell: no function computes its step.", hint="decorate one by state_updater"
            )
        for name, value in inputs.items():
            if name not in self._inputs:
                raise InvalidArgumentError(
                    f"StateCell.compute_state(inputs): expected some of {sorted(self._inputs)}, "
                    f"but received {name!r}."
                )
            self._inputs[name] = value
        self._updater(self)

    def update_states(self) -> None:
        """Hands the states on to the next step."""
        self._hold()
        for name, holder in self._holders.items():
            holder.write(self._current[name])

    def out_state(self) -> Any:
        """Returns the state that is the step's result."""
        self._hold()
        return self._current[self._out_state]


class TrainingDecoder:
    """Runs a cell over sequences that are known, as a DynamicRNN.

    Args:
        state_cell (StateCell): the cell.
        name (str, optional): has no effect.

    Examples: see :class:`StateCell`.
    """

    BEFORE_DECODER = 0
    IN_DECODER = 1
    AFTER_DECODER = 2

    _holder = _Memory

    def __init__(self, state_cell: StateCell, name: str | None = None) -> None:
        self._status = self.BEFORE_DECODER
        self._rnn = DynamicRNN()
        self._cell = state_cell
        self._cell._enter_decoder(self)

    @contextmanager
    def block(self) -> Iterator[None]:
        """The context whose operators are one step."""
        if self._status != self.BEFORE_DECODER:
            raise PreconditionNotMetError("TrainingDecoder.block: it can be written only once.")
        self._status = self.IN_DECODER
        with self._rnn.block():
            yield
        self._status = self.AFTER_DECODER
        self._cell._leave_decoder(self)

    @property
    def state_cell(self) -> StateCell:
        """The cell, inside of :meth:`block`."""
        self._inside("state_cell")
        return self._cell

    @property
    def dynamic_rnn(self) -> DynamicRNN:
        """What runs the steps."""
        return self._rnn

    @property
    def type(self) -> str:
        """Which kind it is: ``training``."""
        return "training"

    def step_input(self, x: Variable) -> Variable:
        """Returns the row of each sequence that a step sees; see ``DynamicRNN.step_input``."""
        self._inside("step_input")
        return self._rnn.step_input(x)

    def static_input(self, x: Variable) -> Variable:
        """Returns what every step sees whole; see ``DynamicRNN.static_input``."""
        self._inside("static_input")
        return self._rnn.static_input(x)

    def output(self, *outputs: Variable) -> None:
        """Marks results of the step."""
        self._inside("output")
        self._rnn.output(*outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the results, rows with the levels of the input."""
        if self._status != self.AFTER_DECODER:
            raise PreconditionNotMetError(
                "TrainingDecoder: its output is there only after the 'with decoder.block():' block."
            )
        return self._rnn(*args, **kwargs)

    def _inside(self, method: str) -> None:
        if self._status != self.IN_DECODER:
            raise PreconditionNotMetError(
                f"TrainingDecoder.{method}: expected inside of 'with decoder.block():'."
            )


class BeamSearchDecoder:
    """Runs a cell by beam search over two levels, source and prefix.

    Args:
        state_cell (StateCell): the cell.
        init_ids (Variable): the first word of every source, int64 with two levels.
        init_scores (Variable): its score, float32 with two levels.
        target_dict_dim (int): how many words there are.
        word_dim (int): width of their embedding.
        input_var_dict (dict): inputs of the cell that stay: name -> Variable. Default: none.
        topk_size (int): how many words are looked at after a prefix. Default: 50.
        sparse_emb (bool): whether the gradient of the embedding is sparse. Default: True.
        max_len (int): the most steps. Default: 100.
        beam_size (int): how many sentences of a source are kept. Default: 1.
        end_id (int): the word that ends a sentence. Default: 1.
        name (str, optional): has no effect.
    """

    BEFORE_BEAM_SEARCH_DECODER = 0
    IN_BEAM_SEARCH_DECODER = 1
    AFTER_BEAM_SEARCH_DECODER = 2

    _holder = _Array

    def __init__(
        self,
        state_cell: StateCell,
        init_ids: Any,
        init_scores: Any,
        target_dict_dim: int,
        word_dim: int,
        input_var_dict: Mapping = MappingProxyType({}),
        topk_size: int = 50,
        sparse_emb: bool = True,
        max_len: int = 100,
        beam_size: int = 1,
        end_id: int = 1,
        name: str | None = None,
    ) -> None:
        self._counter = L.zeros(shape=[1], dtype="int64")
        self._counter.stop_gradient = True
        self._max_len = L.fill_constant(shape=[1], dtype="int64", value=max_len)
        limit = L.fill_constant(shape=[1], dtype="int64", value=max_len)
        self._cond = L.less_than(x=self._counter, y=limit)
        self._while = While(self._cond)
        self._zero = L.fill_constant(shape=[1], value=0, dtype="int64", force_cpu=True)
        self._zero.stop_gradient = True
        self._arrays: dict[str, Any] = {}  # what was read -> the array it came from
        self._links: list[tuple[Any, Any]] = []
        self._ids: Any = None
        self._scores: Any = None
        self._status = self.BEFORE_BEAM_SEARCH_DECODER
        self._cell = state_cell
        self._cell._enter_decoder(self)
        self._init = init_ids, init_scores
        self._words, self._width = target_dict_dim, word_dim
        self._topk_size, self._sparse = min(topk_size, target_dict_dim), sparse_emb
        self._beam_size, self._end_id = beam_size, end_id
        self._input_vars = dict(input_var_dict)

    @contextmanager
    def block(self) -> Iterator[None]:
        """The context whose operators are one step; :meth:`decode` writes the usual one."""
        if self._status != self.BEFORE_BEAM_SEARCH_DECODER:
            raise PreconditionNotMetError("BeamSearchDecoder.block: it can be written only once.")
        self._status = self.IN_BEAM_SEARCH_DECODER
        with self._while.block():
            yield
            with Switch() as switch, switch.case(self._cond):
                L.increment(x=self._counter, value=1.0, in_place=True)
                for value, array in self._links:
                    L.array_write(x=value, i=self._counter, array=array)
                L.less_than(x=self._counter, y=self._max_len, cond=self._cond)
        self._status = self.AFTER_BEAM_SEARCH_DECODER
        self._cell._leave_decoder(self)

    @property
    def type(self) -> str:
        """Which kind it is: ``beam search``."""
        return "beam search"

    @property
    def state_cell(self) -> StateCell:
        """The cell, inside of :meth:`block`."""
        self._inside("state_cell")
        return self._cell

    def early_stop(self) -> None:
        """Ends the loop after this step."""
        L.fill_constant(shape=[1], value=0, dtype="bool", force_cpu=True, out=self._cond)

    def decode(self) -> None:
        """Writes the usual step: embed the last words, compute the cell, and search."""
        with self.block():
            ids = self.read_array(init=self._init[0], is_ids=True)
            scores = self.read_array(init=self._init[1], is_scores=True)
            word = L.embedding(
                input=ids, size=[self._words, self._width], dtype="float32",
                is_sparse=self._sparse,
            )  # fmt: skip
            given, kept = {}, {}
            for name, var in self._input_vars.items():
                if name not in self._cell._inputs:
                    raise InvalidArgumentError(
                        f"BeamSearchDecoder(input_var_dict): the cell has no input {name!r}."
                    )
                kept[name] = self.read_array(init=var)
                given[name] = L.sequence_expand(kept[name], scores)
            for name in self._cell._init_states:
                before = self._cell.get_state(name)
                self._cell.set_state(name, L.sequence_expand(before, scores))
            for name in self._cell._inputs:
                given.setdefault(name, word)
            self._cell.compute_state(inputs=given)
            now = L.lod_reset(x=self._cell.out_state(), y=scores)
            guess = L.fc(input=now, size=self._words, act="softmax")
            best, places = L.topk(guess, k=self._topk_size)
            sums = L.elementwise_add(L.log(best), L.reshape(scores, shape=[-1]), axis=0)
            words, values = L.beam_search(
                ids, scores, places, sums, self._beam_size, end_id=self._end_id, level=0
            )
            with Switch() as switch:
                with switch.case(L.is_empty(words)):
                    self.early_stop()
                with switch.default():
                    self._cell.update_states()
                    self.update_array(ids, words)
                    self.update_array(scores, values)
                    for name, var in kept.items():
                        self.update_array(var, given[name])

    def read_array(self, init: Any, is_ids: bool = False, is_scores: bool = False) -> Any:
        """Returns a value that goes from step to step.

        Args:
            init (Variable): what the first step sees.
            is_ids (bool): it is the words. Default: False.
            is_scores (bool): it is their scores. Default: False.
        """
        self._inside("read_array")
        if is_ids and is_scores:
            raise InvalidArgumentError("read_array: expected words or scores, but not both.")
        if not isinstance(init, Variable):
            raise TypeError(
                f"read_array(init): expected a Variable, but received {type(init).__name__}."
            )
        with outside() as parent:
            array = parent.create_var(
                name=unique_name.generate("beam_search_decoder_array"),
                type=VarType.LOD_TENSOR_ARRAY, dtype=init.dtype,
            )  # fmt: skip
            L.array_write(init, self._zero, array)
        if is_ids:
            self._ids = array
        elif is_scores:
            self._scores = array
        read = L.array_read(array=array, i=self._counter)
        self._arrays[read.name] = array
        return read

    def update_array(self, array: Any, value: Any) -> None:
        """Says what the next step sees.

        Args:
            array (Variable): what :meth:`read_array` returned.
            value (Variable): the value.
        """
        self._inside("update_array")
        for argument, var in (("array", array), ("value", value)):
            if not isinstance(var, Variable):
                raise TypeError(
                    f"update_array({argument}): expected a Variable, got {type(var).__name__}."
                )
        if array.name not in self._arrays:
            raise InvalidArgumentError(
                f"update_array(array): expected what read_array returned, got {array.name!r}."
            )
        self._links.append((value, self._arrays[array.name]))

    def __call__(self) -> Any:
        """Returns the words of the sentences and their scores, with two levels."""
        if self._status != self.AFTER_BEAM_SEARCH_DECODER:
            raise PreconditionNotMetError("BeamSearchDecoder: it decodes nothing yet; call decode.")
        return L.beam_search_decode(
            ids=self._ids, scores=self._scores, beam_size=self._beam_size, end_id=self._end_id
        )

    def _inside(self, method: str) -> None:
        if self._status != self.IN_BEAM_SEARCH_DECODER:
            raise PreconditionNotMetError(
                f"BeamSearchDecoder.{method}: expected inside of 'with decoder.block():'."
            )
