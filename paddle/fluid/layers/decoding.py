"""The loop around a decoder, and decoders: beam search, training, greedy and sampled words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.pytree import leaves, rebuilt, tree_map
from paddle.fluid import layers as L
from paddle.fluid.layers.blocks import While, outside

__all__ = [
    "BasicDecoder", "BeamSearchDecoder", "DecodeHelper", "Decoder", "GreedyEmbeddingHelper",
    "SampleEmbeddingHelper", "TrainingHelper", "dynamic_decode",
]  # fmt: skip

_IMPOSSIBLE = 1e9  # minus this is the logarithm of a probability that never wins


class Decoder:
    """What :func:`dynamic_decode` calls: ``initialize``, ``step`` and ``finalize``."""

    def initialize(self, inits: Any) -> Any:
        """Starts: returns (inputs of the first step, states, which sequences have ended)."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """A step: returns (outputs, next states, next inputs, which sequences have ended)."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> Any:
        """The end, if there is something to do: returns (outputs, final states)."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether ``step`` says of all sequences which have ended, as 2.0 has it.

        False: what has ended stays so. So it is here for :class:`BeamSearchDecoder` too, since
        1.8 does it; ``paddle.nn.BeamSearchDecoder`` says True.
        """
        return False


class BeamSearchDecoder(Decoder):
    """Beam search: keeps the ``beam_size`` best sequences of every example.

    Args:
        cell (RNNCell): maps (inputs, states), [batch * beam_size, ...], to (outputs, new states).
        start_token (int): the number that sequences begin with.
        end_token (int): the number that ends a sequence.
        beam_size (int): how many sequences are kept.
        embedding_fn (callable, optional): makes inputs of numbers, [batch, beam_size].
        output_fn (callable, optional): makes logits of outputs, [batch, beam_size, ...].

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                start = fluid.data("start", [None, 5])
                decoder = fluid.layers.BeamSearchDecoder(
                    fluid.layers.GRUCell(5), start_token=0, end_token=1, beam_size=2,
                    embedding_fn=lambda ids: fluid.embedding(ids, [7, 5]),
                    output_fn=lambda x: fluid.layers.fc(x, 7, num_flatten_dims=2))
                ids, states = fluid.layers.dynamic_decode(decoder, inits=start, max_step_num=4)
                print(ids.shape[2])  # 2
            paddle.disable_static()
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
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token = start_token, end_token
        self.beam_size = beam_size

    # -- batch and beams --------------------------------------------------------------------------

    @staticmethod
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """Repeats every example of a batch: [batch, ...] becomes [batch * beam_size, ...].

        Args:
            x (Variable): what the cell gets beside its inputs; or a pytree.
            beam_size (int): how often.
        """

        def tiled(each: Any) -> Any:
            wide = L.unsqueeze(each, [1])
            wide = L.expand(wide, [1, beam_size] + [1] * (len(each.shape) - 1))
            return L.reshape(wide, [-1, *each.shape[1:]])

        return tree_map(tiled, x)

    def _split_batch_beams(self, x: Any) -> Any:
        """[batch * beam_size, ...] as [batch, beam_size, ...]."""
        return L.reshape(x, shape=[-1, self.beam_size, *x.shape[1:]])

    def _merge_batch_beams(self, x: Any) -> Any:
        """[batch, beam_size, ...] as [batch * beam_size, ...]."""
        return L.reshape(x, shape=[-1, *x.shape[2:]])

    def _expand_to_beam_size(self, x: Any) -> Any:
        """[batch, ...] as [batch, beam_size, ...], copies."""
        x = L.unsqueeze(x, [1])
        return L.expand(x, [1, self.beam_size] + [1] * (len(x.shape) - 2))

    def _mask_probs(self, probs: Any, finished: Any) -> Any:
        """Lets sequences that have ended go on with nothing but ``end_token``."""
        finished = L.cast(finished, probs.dtype)
        wide = L.expand(L.unsqueeze(finished, [2]), [1, 1, self.vocab_size])
        return L.elementwise_mul(wide, self.noend_mask_tensor, axis=-1) - L.elementwise_mul(
            probs, (finished - 1), axis=0
        )

    def _gather(self, x: Any, indices: Any, batch_size: Any) -> Any:
        """Takes for every example the entries of some beams."""
        if batch_size.dtype != indices.dtype:
            batch_size = L.cast(batch_size, indices.dtype)
        batch_size.stop_gradient = True
        numbers = L.range(0, batch_size, 1, dtype=indices.dtype)
        examples = L.expand(L.unsqueeze(numbers, [1]), [1, self.beam_size])
        places = L.stack([examples, indices], axis=2)
        places.stop_gradient = True
        return L.gather_nd(x, places)

    # -- steps ------------------------------------------------------------------------------------

    def initialize(self, initial_cell_states: Any) -> Any:
        """Starts a search.

        Args:
            initial_cell_states (Variable|pytree): states of the cell, [batch, ...].
        """
        state = leaves(initial_cell_states)[0]
        self.batch_size = L.shape(state)[0]
        self.start_token_tensor = L.fill_constant([1], "int64", self.start_token)
        self.end_token_tensor = L.fill_constant([1], "int64", self.end_token)
        cell_states = tree_map(self._expand_to_beam_size, initial_cell_states)
        inputs = L.expand(self.start_token_tensor, [self.batch_size])
        inputs = L.expand(L.unsqueeze(inputs, [1]), [1, self.beam_size])
        only = np.array([[0.0] + [-_IMPOSSIBLE] * (self.beam_size - 1)], "float32")
        log_probs = L.expand(L.assign(only), [self.batch_size, 1])
        finished = L.fill_constant_batch_size_like(
            input=state, shape=[-1, self.beam_size], dtype="bool", value=False, force_cpu=True
        )
        lengths = L.zeros_like(inputs)
        if self.embedding_fn is not None:
            inputs = self.embedding_fn(inputs)
        return inputs, self.StateWrapper(cell_states, log_probs, finished, lengths), finished

    def _beam_search_step(
        self, time: Any, logits: Any, next_cell_states: Any, beam_state: Any
    ) -> Any:
        """Chooses the best continuations of all kept sequences."""
        self.vocab_size = logits.shape[-1]
        if not 0 <= self.end_token < self.vocab_size:
            raise InvalidArgumentError(
                f"BeamSearchDecoder(end_token): expected a number below the size of the logits, "
                f"{self.vocab_size}, but received {self.end_token}."
            )
        words = L.fill_constant([1], "int64", self.vocab_size)
        only = np.full([self.vocab_size], -_IMPOSSIBLE, "float32")
        only[self.end_token] = 0
        self.noend_mask_tensor = L.assign(only)
        probs = L.log(L.softmax(logits))
        probs = self._mask_probs(probs, beam_state.finished)
        log_probs = L.elementwise_add(probs, beam_state.log_probs, axis=0)
        size = self.beam_size * self.vocab_size
        best, places = L.topk(L.reshape(log_probs, [-1, size]), k=self.beam_size)
        beams = L.elementwise_floordiv(places, words)
        ids = L.elementwise_mod(places, words)
        count = self.batch_size
        next_log_probs = self._gather(L.reshape(log_probs, [-1, size]), places, count)
        cell_states = tree_map(lambda x: self._gather(x, beams, count), next_cell_states)
        finished = self._gather(beam_state.finished, beams, count)
        lengths = self._gather(beam_state.lengths, beams, count)
        lengths = lengths + L.cast(L.logical_not(finished), beam_state.lengths.dtype)
        finished = L.logical_or(finished, L.equal(ids, self.end_token_tensor))
        state = self.StateWrapper(cell_states, next_log_probs, finished, lengths)
        return self.OutputWrapper(best, ids, beams), state

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Extends all kept sequences by one number.

        Args:
            time (Variable): number of the step.
            inputs (Variable|pytree): [batch, beam_size, ...].
            states (StateWrapper): of the step before.
            **kwargs: for the cell.
        """
        inputs = tree_map(self._merge_batch_beams, inputs)
        cell_states = tree_map(self._merge_batch_beams, states.cell_states)
        outputs, next_states = self.cell(inputs, cell_states, **kwargs)
        outputs = tree_map(self._split_batch_beams, outputs)
        next_states = tree_map(self._split_batch_beams, next_states)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        found, state = self._beam_search_step(time, outputs, next_states, states)
        ids = found.predicted_ids
        ids.stop_gradient = True
        inputs = ids if self.embedding_fn is None else self.embedding_fn(ids)
        return found, state, inputs, state.finished

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> Any:
        """Follows the kept sequences back from their last numbers."""
        return L.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def output_dtype(self) -> Any:
        """The data types of an ``OutputWrapper``."""
        return self.OutputWrapper(scores="float32", predicted_ids="int64", parent_ids="int64")


# -- the loop -------------------------------------------------------------------------------------


def swapped(x: Any) -> Any:
    """[batch, time, ...] as [time, batch, ...], and back."""
    return L.transpose(x, [1, 0, *range(2, len(x.shape))])


def blended(before: Any, after: Any, mask: Any) -> Any:
    """The value after a step where a mask is 1, that from before where it is 0."""
    return L.elementwise_mul(after, mask, axis=0) - L.elementwise_mul(before, (mask - 1), axis=0)


def _imputed(before: Any, after: Any, finished: Any) -> Any:
    """The new state, but where a sequence has ended the old one."""
    kind = before.dtype
    if kind in (VarType.FP32, VarType.FP64, VarType.FP16):
        return blended(after, before, L.cast(finished, kind))
    found = blended(
        L.cast(after, "float32"), L.cast(before, "float32"), L.cast(finished, "float32")
    )
    return L.cast(found, kind)


def dynamic_decode(
    decoder: Any,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> Any:
    """Calls a decoder's ``step`` until all sequences have ended.

    Args:
        decoder (Decoder): see :class:`BasicDecoder` and :class:`BeamSearchDecoder`.
        inits (pytree): for ``decoder.initialize``.
        max_step_num (int, optional): number of the last step, counted from 0.
        output_time_major (bool): outputs are [time, batch, ...]. Default: False.
        impute_finished (bool): states of a sequence that has ended stay. Default: False.
        is_test (bool): keep nothing for a backward pass. Default: False.
        return_length (bool): return the lengths too. Default: False.
        **kwargs: for ``decoder.step``.

    Returns:
        tuple: (outputs of all steps, final states), or with the lengths of the sequences.

    Examples: see :class:`BeamSearchDecoder`.
    """
    if not recording():
        return _looped(
            decoder, inits, max_step_num, output_time_major, impute_finished, return_length, kwargs
        )
    inputs, states, finished = decoder.initialize(inits)
    time = L.fill_constant([1], "int64", 0)
    going = L.logical_not(L.reduce_all(finished))
    limit = None if max_step_num is None else L.fill_constant([1], "int64", max_step_num)
    loop = While(going, is_test)
    lengths = L.cast(L.zeros_like(finished), "int64")
    carried = (inputs, states)
    if not is_test:
        carried = tree_map(lambda x: L.array_write(x, time), (inputs, states))
    with loop.block():
        if not is_test:
            inputs, states = tree_map(lambda array: L.array_read(array, time), carried)
        outputs, next_states, next_inputs, ended = decoder.step(time, inputs, states, **kwargs)
        if decoder.tracks_own_finished:
            more = getattr(next_states, "lengths", lengths)
        else:
            ended = L.logical_or(ended, finished)
            more = L.elementwise_add(lengths, L.cast(L.logical_not(finished), lengths.dtype))
            if impute_finished:
                next_states = tree_map(lambda a, b: _imputed(a, b, finished), states, next_states)
        arrays = tree_map(_array_outside, outputs)
        tree_map(lambda x, array: L.array_write(x, time, array), outputs, arrays)
        L.increment(time, 1.0, in_place=True)
        following = (next_inputs, next_states)
        if is_test:
            tree_map(lambda x, old: L.assign(x, old), following, carried)
        else:
            tree_map(lambda x, array: L.array_write(x, time, array), following, carried)
        L.assign(ended, finished)
        L.assign(more, lengths)
        if limit is None:
            L.logical_not(L.reduce_all(finished), out=going)
        else:
            left = L.logical_not(L.reduce_all(finished))
            L.logical_and(left, L.less_equal(time, limit), out=going)
    outputs = tree_map(lambda a: L.tensor_array_to_tensor(a, axis=0, use_stack=True)[0], arrays)
    if not is_test:
        states = tree_map(lambda array: L.array_read(array, time), carried[1])
    return _ended(decoder, outputs, states, lengths, output_time_major, return_length)


def _array_outside(x: Any) -> Any:
    """An array in the block around the loop."""
    with outside():
        return L.create_array(x.dtype)


def _ended(
    decoder: Any, outputs: Any, states: Any, lengths: Any, time_major: bool, return_length: bool
) -> Any:
    try:
        outputs, states = decoder.finalize(outputs, states, lengths)
    except NotImplementedError:
        pass
    if not time_major:
        outputs = tree_map(swapped, outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)


def _looped(
    decoder: Any, inits: Any, limit: int | None, time_major: bool, impute: bool,
    return_length: bool, kwargs: dict,
) -> Any:  # fmt: skip
    """dynamic_decode in dynamic mode."""
    inputs, states, finished = decoder.initialize(inits)
    lengths = L.cast(L.zeros_like(finished), "int64")
    collected: list[list] = []
    while not bool(L.reduce_all(finished)) and (limit is None or len(collected) <= limit):
        time = L.fill_constant([1], "int64", len(collected))
        outputs, next_states, inputs, ended = decoder.step(time, inputs, states, **kwargs)
        if decoder.tracks_own_finished:
            lengths = getattr(next_states, "lengths", lengths)
        else:
            ended = L.logical_or(ended, finished)
            lengths = L.elementwise_add(lengths, L.cast(L.logical_not(finished), "int64"))
            if impute:
                before = finished
                next_states = tree_map(lambda a, b: _imputed(a, b, before), states, next_states)  # noqa: B023
        states, finished = next_states, ended
        collected.append(leaves(outputs))
    if not collected:
        raise InvalidArgumentError(
            "dynamic_decode: all sequences have ended before the first step; expected "
            "decoder.initialize to return at least one False among finished."
        )
    stacked = [L.stack(list(parts), axis=0) for parts in zip(*collected, strict=True)]
    found = rebuilt(outputs, stacked)
    return _ended(decoder, found, states, lengths, time_major, return_length)


# -- helpers --------------------------------------------------------------------------------------


class DecodeHelper:
    """How :class:`BasicDecoder` starts, samples words, and makes the next inputs."""

    def initialize(self) -> Any:
        """Returns (inputs of the first step, which sequences have ended)."""

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Returns the numbers that are taken from outputs."""

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Returns (which sequences have ended, next inputs, next states)."""


class TrainingHelper(DecodeHelper):
    """Takes the inputs of the steps from sequences that are known, as in training.

    Args:
        inputs (Variable|pytree): [batch, time, ...].
        sequence_length (Variable): their lengths, int32 or int64 of shape [batch].
        time_major (bool): inputs are [time, batch, ...]. Default: False.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False) -> None:
        self.inputs = inputs
        self.sequence_length = sequence_length
        self.time_major = time_major
        # A step after the last one reads an input, too.
        self.inputs_ = tree_map(self._longer, inputs)

    def _longer(self, x: Any) -> Any:
        pads = [0] * (2 * len(x.shape))
        pads[1 if self.time_major else 3] = 1
        return L.pad(x, paddings=pads)

    def initialize(self) -> Any:
        """Returns (the first inputs, which sequences are empty)."""
        zero = L.fill_constant([1], self.sequence_length.dtype, 0)
        finished = L.equal(self.sequence_length, zero)
        return tree_map(lambda x: x[0] if self.time_major else x[:, 0], self.inputs), finished

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Returns the numbers of the largest outputs."""
        return L.argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Returns (which sequences are over, the inputs of the next step, the states)."""
        time = L.cast(time, "int32") if time.dtype != VarType.INT32 else time
        lengths = self.sequence_length
        lengths = L.cast(lengths, "int32") if lengths.dtype != VarType.INT32 else lengths
        after = time + 1
        finished = L.less_equal(lengths, after)
        axes = [0 if self.time_major else 1]

        def taken(x: Any) -> Any:
            return L.squeeze(L.slice(x, axes=axes, starts=[after], ends=[after + 1]), axes=axes)

        return finished, tree_map(taken, self.inputs_), states


class GreedyEmbeddingHelper(DecodeHelper):
    """Takes the number with the largest output, and embeds it for the next step.

    Args:
        embedding_fn (callable): makes inputs of numbers.
        start_tokens (Variable): the first numbers, int64 of shape [batch].
        end_token (int): the number that ends a sequence.
    """

    def __init__(self, embedding_fn: Any, start_tokens: Any, end_token: int) -> None:
        self.embedding_fn = embedding_fn
        self.start_tokens = start_tokens
        self.end_token = L.fill_constant([1], "int64", end_token)

    def initialize(self) -> Any:
        """Returns (the first inputs, that no sequence has ended)."""
        finished = L.fill_constant_batch_size_like(
            input=self.start_tokens, shape=[-1], dtype="bool", value=False, force_cpu=True
        )
        return self.embedding_fn(self.start_tokens), finished

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Returns the numbers of the largest outputs."""
        return L.argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """Returns (which sequences have ended, their numbers embedded, the states)."""
        finished = L.equal(sample_ids, self.end_token)
        return finished, self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Draws a number by the probabilities that the outputs say, and embeds it.

    Args:
        embedding_fn (callable): makes inputs of numbers.
        start_tokens (Variable): the first numbers, int64 of shape [batch].
        end_token (int): the number that ends a sequence.
        softmax_temperature (float, optional): what outputs are divided by.
        seed (int, optional): of the random numbers.
    """

    def __init__(
        self,
        embedding_fn: Any,
        start_tokens: Any,
        end_token: int,
        softmax_temperature: float | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding_fn, start_tokens, end_token)
        self.softmax_temperature = None
        if softmax_temperature is not None:
            self.softmax_temperature = L.fill_constant([1], "float32", softmax_temperature)
        self.seed = seed

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Returns numbers that are drawn."""
        if self.softmax_temperature is not None:
            outputs = outputs / self.softmax_temperature
        found = L.sampling_id(L.softmax(outputs), seed=self.seed or 0)
        return L.cast(found, "int64") if found.dtype != VarType.INT64 else found


class BasicDecoder(Decoder):
    """A cell with a helper that samples its outputs.

    Args:
        cell (RNNCell): what computes a step.
        helper (DecodeHelper): where inputs come from.
        output_fn (callable, optional): applied to the cell's outputs.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                words = fluid.data("words", [None, 6, 4])
                lengths = fluid.data("lengths", [None], "int64")
                start = fluid.data("start", [None, 5])
                decoder = fluid.layers.BasicDecoder(
                    fluid.layers.GRUCell(5), fluid.layers.TrainingHelper(words, lengths),
                    output_fn=lambda x: fluid.layers.fc(x, 7))
                outputs, states = fluid.layers.dynamic_decode(decoder, inits=start)
                print(outputs.cell_outputs.shape[2])  # 7
            paddle.disable_static()
    """

    class OutputWrapper(NamedTuple):
        """What a step gives."""

        cell_outputs: Any
        sample_ids: Any

    def __init__(self, cell: Any, helper: Any, output_fn: Any = None) -> None:
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states: Any) -> Any:
        """Returns (first inputs, states, which sequences have ended)."""
        inputs, finished = self.helper.initialize()
        return inputs, initial_cell_states, finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Computes a step, and lets the helper sample.

        Args:
            time (Variable): number of the step.
            inputs (Variable|pytree): of the step.
            states (Variable|pytree): of the step before.
            **kwargs: for the cell.
        """
        outputs, cell_states = self.cell(inputs, states, **kwargs)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        ids = self.helper.sample(time, outputs, cell_states)
        ids.stop_gradient = True
        finished, following, next_states = self.helper.next_inputs(time, outputs, cell_states, ids)
        return self.OutputWrapper(outputs, ids), next_states, following, finished
