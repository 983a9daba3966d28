"""What PaddleNLP, PaddleDetection and others build on: internals of layers they derive from."""

from __future__ import annotations

from collections import OrderedDict

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


def cloned(layer):
    """As libraries for meta-learning clone a model: the parameters stay in the graph."""
    clone = layer.__new__(type(layer))
    clone.__dict__ = layer.__dict__.copy()
    clone._parameters = OrderedDict((k, v.clone()) for k, v in layer._parameters.items())
    clone._buffers = OrderedDict((k, v.clone()) for k, v in layer._buffers.items())
    clone._sub_layers = OrderedDict()
    for name, part in layer._sub_layers.items():
        clone._sub_layers[name] = cloned(part)
    return clone


def test_cloning_by_dictionaries_leaves_the_model_whole():
    """Meta-learning: two steps on a clone, then the gradient of the model's own parameters."""

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.norm, self.last = nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1)

        def forward(self, x):
            return self.last(paddle.tanh(self.norm(self.first(x))))

    net = Net()
    before = {name: value.numpy() for name, value in net.state_dict().items()}
    x = paddle.rand([5, 3])
    clone = cloned(net)
    assert clone.first is not net.first and clone.first.weight is not net.first.weight
    expected = net(x).numpy()
    np.testing.assert_allclose(clone(x).numpy(), expected, rtol=1e-6)
    for _ in range(2):
        loss = (clone(x) ** 2).mean()
        grads = paddle.grad(loss, clone.parameters(), create_graph=True, allow_unused=True)
        for layer in [clone, *clone.sublayers()]:
            for name, value in list(layer._parameters.items()):
                found = [g for p, g in zip(clone.parameters(), grads, strict=True) if p is value]
                if found and found[0] is not None:
                    layer._parameters[name] = value - 0.1 * found[0]
    (clone(x) ** 2).mean().backward()
    assert (clone(x) ** 2).mean().item() < (expected**2).mean()
    assert list(net.state_dict()) == list(before)
    for name in ("first.weight", "last.weight"):
        np.testing.assert_array_equal(net.state_dict()[name].numpy(), before[name])
    assert all(p.grad is not None for p in (net.first.weight, net.last.weight, net.norm.weight))


def test_a_dictionary_of_members_that_was_exchanged_is_nobody_s():
    layer = nn.Linear(2, 2)
    old = layer._parameters
    layer._parameters = OrderedDict(weight=old["weight"])
    assert "bias" not in layer.__dict__ and list(old) == ["weight", "bias"]
    old["weight"] = None
    assert layer.weight is not None
    layer._parameters = layer._parameters
    assert [name for name, _ in layer.named_parameters()] == ["weight"]
