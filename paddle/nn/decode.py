"""Decoding step by step: the loop around a decoder, and beam search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paddle.core import constants
from paddle.core.dtype import VarType, get_default_dtype, numpy_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded, guard_module
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.pytree import leaves, rebuilt, tree_map
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.nn.layer.rnn_cells import positive_size
from paddle.nn.layer.rnn_wrappers import swapped

__all__ = ["BeamSearchDecoder", "dynamic_decode"]

_IMPOSSIBLE = -1e9  # the logarithm of a probability that never wins


def _constant(array: np.ndarray) -> Any:
    return constants.array(array) if recording() else Tensor(array)


def _like_batch(reference: Any, shape: list[int], kind: VarType, value: float) -> Any:
    """One value in a shape that begins with the size of the reference's batch."""
    return C.fill_constant_batch_size_like(
        reference, shape=shape, dtype=int(kind), value=float(value)
    )


def _cast(x: Any, kind: VarType) -> Any:
    return C.cast(x, in_dtype=int(x.dtype), out_dtype=int(kind))


class BeamSearchDecoder(Guarded):
    """Beam search: keeps the ``beam_size`` best sequences of every example.

    A step takes the logits that the cell gives for each kept sequence, adds the logarithms of
    their softmax to the sequence's own, and keeps the best of all continuations. A sequence that
    has ended goes on with ``end_token`` and keeps its sum. Use it with :func:`dynamic_decode`.

    Args:
        cell (callable): maps (inputs, states) to (outputs, new states), as an RNN cell does.
            Tensors come as [batch * beam_size, ...].
        start_token (int): the number that sequences begin with.
        end_token (int): the number that ends a sequence.
        beam_size (int): how many sequences are kept.
        embedding_fn (callable|None): makes inputs of numbers; None: the cell gets the numbers.
        output_fn (callable|None): makes logits of the cell's outputs; None: they are logits.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.nn import BeamSearchDecoder, Embedding, GRUCell, Linear, dynamic_decode
            decoder = BeamSearchDecoder(
                GRUCell(input_size=8, hidden_size=8), start_token=0, end_token=1, beam_size=4,
                embedding_fn=Embedding(20, 8), output_fn=Linear(8, 20))
            ids, states = dynamic_decode(decoder, inits=paddle.randn([2, 8]), max_step_num=5)
            print(ids.shape[0], ids.shape[2])  # 2 4
    """

    class OutputWrapper(NamedTuple):
        """What a step gives: sums of the kept sequences, their last numbers, and where from."""

        scores: Any
        predicted_ids: Any
        parent_ids: Any

    class StateWrapper(NamedTuple):
        """What goes from step to step."""

        cell_states: Any
        log_probs: Any
        finished: Any
        lengths: Any

    def __init__(
        self,
        cell: Any,
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Any = None,
        output_fn: Any = None,
    ) -> None:
        for name, value in (
            ("cell", cell),
            ("embedding_fn", embedding_fn),
            ("output_fn", output_fn),
        ):
            if not callable(value) and (name == "cell" or value is not None):
                raise TypeError(
                    f"BeamSearchDecoder({name}): expected a function or a layer, "
                    f"but received {type(value).__name__}."
                )
        for name, token in (("start_token", start_token), ("end_token", end_token)):
            if isinstance(token, bool) or not isinstance(token, (int, np.integer)):
                raise TypeError(
                    f"BeamSearchDecoder({name}): expected an int, "
                    f"but received {type(token).__name__}."
                )
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token = int(start_token), int(end_token)
        self.beam_size = positive_size("BeamSearchDecoder", "beam_size", beam_size)

    @staticmethod
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """Repeats every example of a batch, as what a cell gets beside its inputs needs it.

        Args:
            x (Tensor): [batch, ...], or a pytree of such Tensors.
            beam_size (int): how often.

        Returns:
            Tensor: [batch * beam_size, ...], copies side by side; or a pytree.

        Examples:
            .. code-block:: python

                import paddle
                x = paddle.to_tensor([[1, 2], [3, 4]])
                tiled = paddle.nn.BeamSearchDecoder.tile_beam_merge_with_batch(x, 2)
                print(tiled.numpy().tolist())  # [[1, 2], [1, 2], [3, 4], [3, 4]]
        """
        return tree_map(lambda t: _merged(_tiled(t, beam_size)), x)

    def initialize(self, initial_cell_states: Any) -> tuple[Any, Any, Any]:
        """Starts a search.

        Args:
            initial_cell_states (Tensor|pytree): states of the cell, [batch, ...].

        Returns:
            tuple: (inputs of the first step, a ``StateWrapper``, whether sequences have ended).
            Tensors are [batch, beam_size, ...]. Only the first sequence of each example counts at
            first, for all are the same.
        """
        first = leaves(initial_cell_states)[0]
        if not isinstance(first, (Tensor, Variable)):
            raise TypeError(
                "BeamSearchDecoder.initialize(initial_cell_states): expected Tensors, "
                f"but received {type(first).__name__}."
            )
        shape, kind = [-1, self.beam_size], to_vartype(get_default_dtype())
        self.batch_size = C.slice(C.shape(first), axes=[0], starts=[0], ends=[1])
        states = tree_map(self._expand_to_beam_size, initial_cell_states)
        only = np.full([1, self.beam_size], _IMPOSSIBLE, numpy_dtype(kind))
        only[0, 0] = 0.0
        log_probs = C.elementwise_add(_like_batch(first, shape, kind, 0), _constant(only))
        finished = _like_batch(first, shape, VarType.BOOL, 0)
        lengths = _like_batch(first, shape, VarType.INT64, 0)
        ids = _like_batch(first, shape, VarType.INT64, self.start_token)
        inputs = ids if self.embedding_fn is None else self.embedding_fn(ids)
        return inputs, self.StateWrapper(states, log_probs, finished, lengths), finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple:
        """Extends all kept sequences by one number.

        Args:
            time (Tensor): number of the step; not used.
            inputs (Tensor|pytree): [batch, beam_size, ...].
            states (StateWrapper): as :meth:`initialize` and this method return it.
            **kwargs: handed on to the cell.

        Returns:
            tuple: (an ``OutputWrapper``, a ``StateWrapper``, inputs of the next step, whether
            sequences have ended).
        """
        merge, split = self._merge_batch_beams, self._split_batch_beams
        merged = tree_map(merge, inputs), tree_map(merge, states.cell_states)
        outputs, cell_states = self.cell(*merged, **kwargs)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        found, states = self._beam_search_step(
            time, split(outputs), tree_map(split, cell_states), states
        )
        ids = found.predicted_ids
        inputs = ids if self.embedding_fn is None else self.embedding_fn(ids)
        return found, states, inputs, states.finished

    # The names of these helpers are 2.0's: decoders for Transformers derive from this class, and
    # write a step of their own with them.

    def _expand_to_beam_size(self, x: Any) -> Any:
        """[batch, ...] as [batch, beam_size, ...], copies."""
        return _tiled(x, self.beam_size)

    def _merge_batch_beams(self, x: Any) -> Any:
        """[batch, beam_size, ...] as [batch * beam_size, ...]."""
        return _merged(x)

    def _split_batch_beams(self, x: Any) -> Any:
        """[batch * beam_size, ...] as [batch, beam_size, ...]."""
        return C.reshape2(x, shape=[-1, self.beam_size, *x.shape[1:]])[0]

    def _beam_search_step(
        self, time: Any, logits: Any, next_cell_states: Any, beam_state: Any
    ) -> tuple[Any, Any]:
        """Chooses the best continuations."""
        states = beam_state
        words = logits.shape[-1]
        if words < 0 or not 0 <= self.end_token < words:
            raise InvalidArgumentError(
                f"BeamSearchDecoder(end_token): expected a number below the size of the logits, "
                f"{words}, but received {self.end_token}."
            )
        if logits.dtype not in (VarType.FP32, VarType.FP64):  # 16 bits hold no sums of scores
            logits = _cast(logits, VarType.FP32)
        log_probs = C.log_softmax(logits, axis=-1)
        ended = _cast(C.unsqueeze2(states.finished, axes=[2])[0], log_probs.dtype)
        only = np.full([words], _IMPOSSIBLE, numpy_dtype(log_probs.dtype))
        only[self.end_token] = 0.0
        going = C.elementwise_mul(log_probs, 1.0 - ended)
        log_probs = C.elementwise_add(going, C.elementwise_mul(ended, _constant(only)))
        sums = states.log_probs
        sums = sums if sums.dtype == log_probs.dtype else _cast(sums, log_probs.dtype)
        scores = C.elementwise_add(log_probs, C.unsqueeze2(sums, axes=[2])[0])
        scores = C.reshape2(scores, shape=[-1, self.beam_size * words])[0]
        best, places = C.top_k_v2(scores, k=self.beam_size)
        parents, ids = places // words, places % words
        at = _places(parents)
        finished = C.gather_nd(states.finished, at)
        lengths = C.gather_nd(states.lengths, at)
        lengths = C.elementwise_add(lengths, _cast(C.logical_not(finished), VarType.INT64))
        finished = C.logical_or(finished, C.equal(ids, _like_batch(
            ids, [-1, self.beam_size], VarType.INT64, self.end_token)))  # fmt: skip
        cell_states = tree_map(lambda t: C.gather_nd(t, at), next_cell_states)
        state = self.StateWrapper(cell_states, best, finished, lengths)
        return self.OutputWrapper(best, ids, parents), state

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """Follows the kept sequences back from their last numbers.

        Args:
            outputs (OutputWrapper): of all steps, [time, batch, beam_size].
            final_states (StateWrapper): of the last step.
            sequence_lengths (Tensor): not used.

        Returns:
            tuple: (numbers of the sequences, [time, batch, beam_size]; ``final_states``).
        """
        return C.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """True: sequences change places, so that the decoder says itself which have ended."""
        return True


def _tiled(x: Any, beam_size: int) -> Any:
    """[batch, ...] as [batch, beam_size, ...], copies."""
    wide = C.unsqueeze2(x, axes=[1])[0]
    return C.tile(wide, repeat_times=[1, beam_size] + [1] * (len(x.shape) - 1))


def _merged(x: Any) -> Any:
    """[batch, beam_size, ...] as [batch * beam_size, ...]."""
    return C.reshape2(x, shape=[-1, *x.shape[2:]])[0]


def _places(beams: Any) -> Any:
    """For numbers of beams, [batch, beam_size], where they are: pairs (example, beam)."""
    ones = _like_batch(beams, [-1, beams.shape[1]], VarType.INT64, 1)
    examples = C.cumsum(ones, axis=0, exclusive=True)
    return C.stack([examples, beams], axis=2)


# -- the loop --------------------------------------------------------------------------------------


class _Turn(NamedTuple):
    """What goes from step to step of :func:`dynamic_decode`."""

    time: Any
    inputs: Any
    states: Any
    finished: Any
    lengths: Any


def dynamic_decode(
    decoder: Any,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> tuple:
    """Calls a decoder's ``step`` until all sequences have ended.

    Args:
        decoder: has ``initialize(inits)``, which returns (inputs, states, finished);
            ``step(time, inputs, states, **kwargs)``, which returns (outputs, states, inputs,
            finished); ``tracks_own_finished``, False if a sequence that has ended stays so; and, if
            it likes, ``finalize(outputs, states, lengths)``. See :class:`BeamSearchDecoder`.
        inits: handed to ``initialize``.
        max_step_num (int|None): number of the last step, counted from 0; None: no limit.
        output_time_major (bool): whether outputs are [time, batch, ...] and not
            [batch, time, ...].
        impute_finished (bool): whether the states of a sequence that has ended stay as they are.
            A decoder that tracks by itself what has ended is not affected.
        is_test (bool): in a static Program: keep nothing for a backward pass.
        return_length (bool): whether to return the lengths too.
        **kwargs: handed to ``step``.

    Returns:
        tuple: (outputs of all steps, final states), or with the lengths of the sequences, int64 of
        the shape of ``finished``.

    Raises:
        ValueError: ``max_step_num`` is negative, or nothing is left to decode at the start.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.nn import BeamSearchDecoder, Embedding, GRUCell, Linear, dynamic_decode
            decoder = BeamSearchDecoder(
                GRUCell(input_size=8, hidden_size=8), start_token=0, end_token=1, beam_size=4,
                embedding_fn=Embedding(20, 8), output_fn=Linear(8, 20))
            ids, states, lengths = dynamic_decode(
                decoder, inits=paddle.randn([2, 8]), max_step_num=5, return_length=True)
            print(lengths.shape)  # [2, 4]
    """
    for method in ("initialize", "step"):
        if not callable(getattr(decoder, method, None)):
            raise TypeError(
                f"dynamic_decode(decoder): expected an object with a method {method}, "
                f"but received {type(decoder).__name__}."
            )
    _check_limit(max_step_num)
    inputs, states, finished = decoder.initialize(inits)
    zeros = C.cast(finished, in_dtype=int(finished.dtype), out_dtype=int(VarType.INT64)) * 0
    time = C.fill_constant(shape=[1], dtype=int(VarType.INT64), value=0.0)
    turn = _Turn(time, inputs, states, finished, zeros)
    loop = _Steps(decoder, max_step_num, impute_finished, kwargs)
    outputs, turn = loop.recorded(turn, is_test) if recording() else loop.looped(turn)
    states = turn.states
    finalize = getattr(decoder, "finalize", None)
    if finalize is not None:
        try:
            outputs, states = finalize(outputs, states, turn.lengths)
        except NotImplementedError:
            pass
    if not output_time_major:
        outputs = tree_map(swapped, outputs)
    return (outputs, states, turn.lengths) if return_length else (outputs, states)


def _check_limit(limit: Any) -> None:
    if limit is None:
        return
    if isinstance(limit, bool) or not isinstance(limit, (int, np.integer)):
        raise TypeError(
            f"dynamic_decode(max_step_num): expected an int or None, got {type(limit).__name__}."
        )
    if limit < 0:
        raise InvalidArgumentError(
            f"dynamic_decode(max_step_num): expected at least 0, but received {limit}."
        )


class _Steps:
    """The steps of a decoder.

    Args:
        decoder, limit, impute, kwargs: as in :func:`dynamic_decode`.
    """

    def __init__(self, decoder: Any, limit: int | None, impute: bool, kwargs: dict) -> None:
        self.decoder, self.limit, self.impute, self.kwargs = decoder, limit, impute, kwargs

    def step(self, turn: _Turn) -> tuple[Any, _Turn]:
        """Returns (outputs, what the next step gets)."""
        time, before, lengths = turn.time, turn.finished, turn.lengths
        outputs, states, inputs, finished = self.decoder.step(
            time, turn.inputs, turn.states, **self.kwargs
        )
        if getattr(self.decoder, "tracks_own_finished", False):
            lengths = getattr(states, "lengths", lengths)
        else:
            finished = C.logical_or(finished, before)
            lengths = C.elementwise_add(lengths, _cast(C.logical_not(finished), VarType.INT64))
            if self.impute:
                states = tree_map(lambda old, new: _kept(old, new, finished), turn.states, states)
        return outputs, _Turn(time + 1, inputs, states, finished, lengths)

    def going(self, turn: _Turn) -> Any:
        """Whether there is another step."""
        going = C.logical_not(C.reduce_all(turn.finished, reduce_all=True, keep_dim=False))
        if self.limit is None:
            return going
        last = C.fill_constant(shape=[1], dtype=int(VarType.INT64), value=float(self.limit))
        return C.logical_and(going, C.less_equal(turn.time, last))

    def looped(self, turn: _Turn) -> tuple[Any, _Turn]:
        """Runs the steps."""
        collected: list[list[Any]] = []
        while bool(self.going(turn)):
            outputs, turn = self.step(turn)
            collected.append(leaves(outputs))
        if not collected:
            raise InvalidArgumentError(
                "dynamic_decode: all sequences have ended before the first step; expected "
                "decoder.initialize to return at least one False among finished."
            )
        stacked = [C.stack(list(parts), axis=0) for parts in zip(*collected, strict=True)]
        return rebuilt(outputs, stacked), turn

    def recorded(self, turn: _Turn, is_test: bool) -> tuple[Any, _Turn]:
        """Records the steps as a loop of a static Program."""
        from paddle.ir.control.functions import while_loop

        collected = _Collected()

        def body(*values: Any) -> list:
            outputs, new = self.step(_Turn(*values))
            collected.take(outputs, values[0])
            return list(new)

        found = while_loop(lambda *values: self.going(_Turn(*values)), body, list(turn), is_test)
        return collected.stacked(), _Turn(*found)


class _Collected:
    """The outputs of all steps of a recorded loop, in tensor arrays outside of it."""

    def take(self, outputs: Any, time: Any) -> None:
        """Records that a step's outputs are kept."""
        from paddle.core import unique_name
        from paddle.tensor.array import array_write

        self.pytree, self.arrays = outputs, []
        around = time.block.program.current_block().parent_block
        for value in leaves(outputs):
            array = around.create_var(
                name=unique_name.generate("decoded") + ".out", type=VarType.LOD_TENSOR_ARRAY,
                dtype=value.dtype,
            )  # fmt: skip
            self.arrays.append(array_write(value, time, array))

    def stacked(self) -> Any:
        """The outputs along time, in the form of one step's."""
        return rebuilt(self.pytree, [self._joined(array) for array in self.arrays])

    @staticmethod
    def _joined(array: Any) -> Any:
        from paddle.core import unique_name

        block = array.block.program.current_block()
        made = [
            block.create_var(name=unique_name.generate("decoded"), dtype=kind)
            for kind in (array.dtype, VarType.INT32)
        ]
        block.append_op(
            type="tensor_array_to_tensor", inputs={"X": [array]},
            outputs={"Out": [made[0]], "OutIndex": [made[1]]},
            attrs={"axis": 0, "use_stack": True},
        )  # fmt: skip
        return made[0]


def _kept(old: Any, new: Any, finished: Any) -> Any:
    """The new state, but where a sequence has ended the old one."""
    mask = C.reshape2(finished, shape=[-1, *finished.shape[1:], *_ones(finished, new)])[0]
    wide = C.fill_any_like(new, value=0.0, dtype=int(VarType.BOOL))
    return C.where(C.logical_or(wide, mask), old, new)


def _ones(less: Any, more: Any) -> list[int]:
    """Sizes that bring one tensor to the rank of another."""
    return [1] * (len(more.shape) - len(less.shape))


guard_module(globals())
