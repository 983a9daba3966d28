"""What PaddleNLP, PaddleDetection and others build on: internals of layers they derive from."""

from __future__ import annotations

import numpy as np

import paddle
from paddle import nn

WORDS, SIZE, BEAMS = 7, 4, 3


class Longer(nn.BeamSearchDecoder):
    """States grow along time: [batch, time, size]."""

    def step(self, time, inputs, states, **kwargs):
        merged = self._merge_batch_beams(inputs)
        cell_states = self._merge_batch_beams(states.cell_states)
        logits, new = self.cell(merged, cell_states, **kwargs)
        found, states = self._beam_search_step(
            time=time,
            logits=self._split_batch_beams(logits),
            next_cell_states=self._split_batch_beams(new),
            beam_state=states,
        )
        return found, states, found.predicted_ids, states.finished


def test_a_step_of_ones_own():
    """The history is summed up: the same search as a plain cell that keeps the sum."""
    paddle.seed(3)
    table, out = nn.Embedding(WORDS, SIZE), nn.Linear(SIZE, WORDS)

    def grown(ids, history):
        history = paddle.concat([history, table(ids).unsqueeze(1)], axis=1)
        return out(history.sum(axis=1)), history

    def summed(ids, total):
        total = total + table(ids)
        return out(total), total

    start = paddle.rand([2, 1, SIZE])
    longer = Longer(grown, 0, 1, BEAMS)
    ids, _ = nn.dynamic_decode(longer, start, max_step_num=5)
    plain, _ = nn.dynamic_decode(
        nn.BeamSearchDecoder(summed, 0, 1, BEAMS), start.sum(axis=1), max_step_num=5
    )
    np.testing.assert_array_equal(ids.numpy(), plain.numpy())
    assert int(longer.batch_size) == 2
    assert longer._expand_to_beam_size(start).shape == [2, BEAMS, 1, SIZE]


def test_a_mask_of_a_length_that_is_a_tensor():
    net = nn.Transformer(8, 2, 1, 1, 8)
    x = paddle.zeros([2, 3])
    expected = net.generate_square_subsequent_mask(3).numpy()
    found = net.generate_square_subsequent_mask(paddle.shape(x)[1]).numpy()
    np.testing.assert_array_equal(found, expected)
    mask = paddle.jit.to_static(lambda x: net.generate_square_subsequent_mask(paddle.shape(x)[1]))
    np.testing.assert_array_equal(mask(x).numpy(), expected)


def test_masks_and_attrs_that_client_libraries_convert():
    from paddle.nn.layer.transformer import _convert_attention_mask, _convert_param_attr_to_list

    allowed = paddle.to_tensor([[True, False]])
    np.testing.assert_array_equal(_convert_attention_mask(allowed, "float32").numpy(), [[0, -1e9]])
    assert _convert_attention_mask(None, "float32") is None
    names = [p.name for p in _convert_param_attr_to_list(paddle.ParamAttr(name="w"), 2)]
    assert names == ["w_0", "w_1"] and _convert_param_attr_to_list(False, 2) == [False, False]
    listed = _convert_param_attr_to_list([None, False, "b"], 3)
    assert isinstance(listed[0], paddle.ParamAttr) and listed[1] is False and listed[2].name == "b"
