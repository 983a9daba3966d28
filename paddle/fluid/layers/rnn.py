"""`layers.rnn` and `birnn`, and the operators of beam search over levels."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.core.pytree import leaves, rebuilt, tree_map
from paddle.fluid import layers as L
from paddle.fluid.layers.appending import append, layer_of, result
from paddle.fluid.layers.blocks import StaticRNN
from paddle.fluid.layers.decoding import (
    BasicDecoder,
    BeamSearchDecoder,
    DecodeHelper,
    Decoder,
    GreedyEmbeddingHelper,
    SampleEmbeddingHelper,
    TrainingHelper,
    blended,
    dynamic_decode,
    swapped,
)
from paddle.fluid.layers.rnn_cells import GRUCell, LSTMCell, RNNCell
from paddle.framework.checks import check_type
from paddle.ir.variable import Variable

__all__ = [
    "BasicDecoder", "BeamSearchDecoder", "DecodeHelper", "Decoder", "GRUCell",
    "GreedyEmbeddingHelper", "LSTMCell", "RNNCell", "SampleEmbeddingHelper", "TrainingHelper",
    "beam_search", "beam_search_decode", "birnn", "dynamic_decode", "rnn",
]  # fmt: skip


def rnn(
    cell: Any,
    inputs: Any,
    initial_states: Any = None,
    sequence_length: Any = None,
    time_major: bool = False,
    is_reverse: bool = False,
    **kwargs: Any,
) -> Any:
    """Calls a cell for every step of padded sequences.

    Args:
        cell (RNNCell): what computes a step.
        inputs (Variable|pytree): [batch, time, ...].
        initial_states (Variable|pytree, optional): what the first step gets. Default: zeros.
        sequence_length (Variable, optional): lengths, [batch]; behind the end states stay.
        time_major (bool): inputs and outputs are [time, batch, ...]. Default: False.
        is_reverse (bool): from the last step to the first. Default: False.
        **kwargs: for ``cell.call``.

    Returns:
        tuple: (outputs of all steps, states after the last one).

    Examples: see :class:`GRUCell`.
    """
    if initial_states is None:
        initial_states = cell.get_initial_states(
            batch_ref=inputs, batch_dim_idx=1 if time_major else 0
        )
    if not time_major:
        inputs = tree_map(swapped, inputs)
    mask = None
    if sequence_length is not None:
        steps = L.shape(leaves(inputs)[0])[0]
        kind = leaves(initial_states)[0].dtype
        mask = L.transpose(L.sequence_mask(sequence_length, maxlen=steps, dtype=kind), [1, 0])
    if is_reverse:
        inputs = tree_map(_backwards, inputs)
        mask = None if mask is None else _backwards(mask)
    run = _recorded if recording() else _looped
    outputs, states = run(cell, inputs, initial_states, mask, kwargs)
    if is_reverse:
        outputs = tree_map(_backwards, outputs)
    if not time_major:
        outputs = tree_map(swapped, outputs)
    return outputs, states


def _backwards(x: Any) -> Any:
    return L.reverse(x, axis=[0])


def _recorded(cell: Any, inputs: Any, start: Any, mask: Any, kwargs: dict) -> Any:
    """The steps as an operator of a Program."""
    network = StaticRNN()
    with network.step():
        now = tree_map(network.step_input, inputs)
        states = tree_map(lambda x: network.memory(init=x), start)
        before = tree_map(lambda x: x, states)
        outputs, new = cell.call(now, states, **kwargs)
        if mask is not None:
            step_mask = network.step_input(mask)
            new = tree_map(lambda a, b: blended(a, b, step_mask), before, new)
        tree_map(network.update_memory, before, new)
        count = len(leaves(outputs))
        network.output(*leaves(outputs), *leaves(new))
    found = network()
    found = found if isinstance(found, list) else [found]
    last = [each[-1] for each in found[count:]]
    return rebuilt(outputs, found[:count]), rebuilt(new, last)


def _looped(cell: Any, inputs: Any, states: Any, mask: Any, kwargs: dict) -> Any:
    """The steps in dynamic mode."""
    collected = []
    for step in range(leaves(inputs)[0].shape[0]):
        outputs, new = cell(tree_map(lambda x: x[step], inputs), states, **kwargs)  # noqa: B023
        if mask is not None:
            now = mask[step]
            new = tree_map(lambda a, b: blended(a, b, now), states, new)  # noqa: B023
        states = new
        collected.append(leaves(outputs))
    if not collected:
        raise InvalidArgumentError("rnn(inputs): expected at least one time step, but got none.")
    stacked = [L.stack(list(parts), axis=0) for parts in zip(*collected, strict=True)]
    return rebuilt(outputs, stacked), states


def birnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_states: Any = None,
    sequence_length: Any = None,
    time_major: bool = False,
    **kwargs: Any,
) -> Any:
    """Calls one cell from the first step to the last, and another one back.

    Args:
        cell_fw (RNNCell): the one that goes forward.
        cell_bw (RNNCell): the one that goes back.
        inputs (Variable|pytree): [batch, time, ...].
        initial_states (tuple, optional): of both. Default: zeros.
        sequence_length (Variable, optional): lengths, [batch].
        time_major (bool): inputs and outputs are [time, batch, ...]. Default: False.
        **kwargs: for the cells.

    Returns:
        tuple: (outputs of both side by side, pair of their states).
    """
    first, second = initial_states if initial_states is not None else (None, None)
    there, last = rnn(cell_fw, inputs, first, sequence_length, time_major, **kwargs)
    back, start = rnn(cell_bw, inputs, second, sequence_length, time_major, True, **kwargs)
    return tree_map(lambda a, b: L.concat([a, b], -1), there, back), (last, start)


# -- beams of different numbers, over two levels --------------------------------------------------


def beam_search(
    pre_ids: Any,
    pre_scores: Any,
    ids: Any,
    scores: Any,
    beam_size: int,
    end_id: int,
    level: int = 0,
    is_accumulated: bool = True,
    name: str | None = None,
    return_parent_idx: bool = False,
) -> Any:
    """Chooses the best words after the prefixes of every source.

    Args:
        pre_ids (Variable): the last words of the prefixes, int64 of shape [prefixes, 1].
        pre_scores (Variable): their scores, float32 of shape [prefixes, 1].
        ids (Variable|None): the candidates after each, int64; None: their positions.
        scores (Variable): their scores, float32 of shape [prefixes, candidates], with levels.
        beam_size (int): how many are kept of a source.
        end_id (int): the word that ends a sentence.
        level (int): the level of ``scores`` that counts sources. Default: 0.
        is_accumulated (bool): scores are those of the whole sentences. Default: True.
        name (str, optional): prefix of the names made.
        return_parent_idx (bool): return the prefixes' positions too. Default: False.

    Returns:
        tuple: (words, scores), with two levels: prefixes of a source, words after a prefix.
    """
    for argument, value in (("pre_ids", pre_ids), ("pre_scores", pre_scores), ("scores", scores)):
        check_type(value, argument, Variable, "beam_search")
    check_type(ids, "ids", (Variable, type(None)), "beam_search")
    layer = layer_of("beam_search", name)
    inputs = {"pre_ids": [pre_ids], "pre_scores": [pre_scores], "scores": [scores]}
    if ids is not None:
        inputs["ids"] = [ids]
    values = result(layer, pre_scores.dtype)
    words = result(layer, pre_ids.dtype)
    parents = result(layer, VarType.INT32)
    outputs = {"selected_ids": [words], "selected_scores": [values], "parent_idx": [parents]}
    append(
        "beam_search", inputs, outputs, level=level, beam_size=beam_size, end_id=end_id,
        is_accumulated=is_accumulated,
    )  # fmt: skip
    return (words, values, parents) if return_parent_idx else (words, values)


def beam_search_decode(
    ids: Any, scores: Any, beam_size: int, end_id: int, name: str | None = None
) -> Any:
    """Walks back through what :func:`beam_search` chose in all steps.

    Args:
        ids (Variable): a tensor array of the words.
        scores (Variable): a tensor array of their scores.
        beam_size (int): the beams of a source.
        end_id (int): the word that ends a sentence.
        name (str, optional): prefix of the names made.

    Returns:
        tuple: (words, scores) with two levels: sentences of a source, best first, and their words.
    """
    for argument, value in (("ids", ids), ("scores", scores)):
        check_type(value, argument, Variable, "beam_search_decode")
    layer = layer_of("beam_search_decode", name)
    words, values = result(layer, ids.dtype), result(layer, scores.dtype)
    outputs = {"SentenceIds": [words], "SentenceScores": [values]}
    inputs = {"Ids": [ids], "Scores": [scores]}
    append("beam_search_decode", inputs, outputs, beam_size=beam_size, end_id=end_id)
    return words, values


guard_module(globals())
