"""Cells, and RNN and BiRNN around cells of the user's own."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import paddle
from paddle import nn
from tests.op_samples.sequence.recurrent import _step

X = np.random.RandomState(0).uniform(-1, 1, (3, 5, 4)).astype("float32")


@pytest.mark.parametrize("kind, options, mode", [
    ("SimpleRNNCell", {}, "RNN_TANH"), ("SimpleRNNCell", {"activation": "relu"}, "RNN_RELU"),
    ("LSTMCell", {}, "LSTM"), ("GRUCell", {}, "GRU"),
])  # fmt: skip
@pytest.mark.parametrize("started", [False, True])
def test_a_step(kind, options, mode, started):
    cell = getattr(nn, kind)(4, 3, **options)
    h, c = (np.random.RandomState(i).rand(3, 3).astype("float32") * started for i in (1, 2))
    states = None
    if started:
        states = [paddle.to_tensor(s) for s in (h, c)]
        states = tuple(states) if mode == "LSTM" else states[0]
    out, new = cell(paddle.to_tensor(X[:, 0]), states)
    w, r, b, s = (p.numpy() for p in cell.parameters())
    expected, last = _step(mode, X[:, 0], h, c, w, r, b, s)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    if mode == "LSTM":
        assert new[0] is out
        np.testing.assert_allclose(new[1].numpy(), last, rtol=1e-5, atol=1e-6)
    else:
        assert new is out


def test_state_shapes():
    assert nn.SimpleRNNCell(4, 3).state_shape == nn.GRUCell(4, 3).state_shape == (3,)
    assert nn.LSTMCell(4, 3).state_shape == ((3,), (3,))
    with pytest.raises(NotImplementedError, match="RNNCellBase must override state_shape"):
        _ = nn.RNNCellBase().state_shape
    with pytest.raises(NotImplementedError, match="no state_dtype"):
        _ = nn.GRUCell(4, 3).state_dtype


def test_initial_states():
    cell, x = nn.LSTMCell(4, 3), paddle.to_tensor(X)
    h, c = cell.get_initial_states(x)
    assert h.shape == c.shape == [3, 3]
    assert h.dtype == paddle.float32
    one = cell.get_initial_states(x, shape=[2, 6], init_value=2.5, dtype="float64", batch_dim_idx=1)
    assert one.dtype == paddle.float64
    np.testing.assert_array_equal(one.numpy(), np.full((5, 2, 6), 2.5))
    assert cell.get_initial_states(x, shape=[-1, 2]).shape == [3, 2]
    states = cell.get_initial_states(
        {"x": x}, shape={"a": [2], "b": ([3], (-1, 4))}, dtype={"a": "int64", "b": ("float32",) * 2}
    )
    assert states["a"].dtype == paddle.int64
    assert [t.shape for t in states["b"]] == [[3, 3], [3, 4]]
    pair = collections.namedtuple("Pair", "h c")
    made = cell.get_initial_states(x, shape=pair([2], [6]))
    assert type(made) is pair and made.c.shape == [3, 6]


@pytest.mark.parametrize("options, error, text", [
    ({"shape": 3}, TypeError, r"get_initial_states\(shape\): expected a list of ints.*int"),
    ({"batch_ref": 3}, TypeError, r"get_initial_states\(batch_ref\): expected a Tensor.*int"),
    ({"batch_dim_idx": 3}, ValueError, r"get_initial_states\(batch_dim_idx\).*\[3, 5, 4\].*3"),
])  # fmt: skip
def test_bad_initial_states(options, error, text):
    with pytest.raises(error, match=text):
        nn.GRUCell(4, 3).get_initial_states(**{"batch_ref": paddle.to_tensor(X), **options})


class Running(nn.RNNCellBase):
    """Sums and counts: pytrees of inputs, outputs and states, and an argument of its own."""

    @property
    def state_shape(self):
        return {"sum": (4,), "count": [1]}

    @property
    def state_dtype(self):
        return {"sum": "float32", "count": "int64"}

    def forward(self, inputs, states, factor=1.0):
        total = states["sum"] + inputs["a"] * factor - inputs["b"]
        count = states["count"] + 1
        return (total, [count]), {"sum": total, "count": count}


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_nests_and_further_arguments(static, reverse):
    lengths = np.array([2, 5, 3])
    feed = {"a": X, "b": X[::-1].copy(), "lengths": lengths}

    def results(a, b, given):
        rnn = nn.RNN(Running(), is_reverse=reverse)
        (total, (count,)), last = rnn({"a": a, "b": b}, sequence_length=given, factor=2.0)
        return [total, count, last["sum"], last["count"]]

    if static:
        paddle.enable_static()
        try:
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                a, b = (paddle.static.data(k, [-1, -1, 4]) for k in "ab")
                found = results(a, b, paddle.static.data("lengths", [-1], "int64"))
                got = paddle.static.Executor().run(feed=feed, fetch_list=found)
        finally:
            paddle.disable_static()
    else:
        got = [t.numpy() for t in results(*map(paddle.to_tensor, feed.values()))]
    live = (np.arange(5) < lengths[:, None])[..., None]
    sums = ((2 * X - X[::-1]) * live).sum(1)
    np.testing.assert_allclose(got[2], sums, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got[3][:, 0], lengths)
    assert got[1].dtype == np.int64
    full = X[1] * 2 - X[::-1][1]
    full = full[::-1].cumsum(0)[::-1] if reverse else full.cumsum(0)
    np.testing.assert_allclose(got[0][1], full, rtol=1e-5, atol=1e-5)


def test_states_of_another_form_are_refused():
    class Wrong(nn.RNNCellBase):
        def forward(self, inputs, states):
            return inputs, (states, states)

    x, h = paddle.to_tensor(X), paddle.zeros([3, 4])
    with pytest.raises(ValueError, match="the pytree is one Tensor and a tuple of 2"):
        nn.RNN(Wrong())(x, h, paddle.to_tensor([1, 2, 3]))
    with pytest.raises(NotImplementedError, match="Wrong must override state_shape, or be given"):
        nn.RNN(Wrong())(x)


def test_a_cell_without_first_states_of_the_layer():
    """Any callable with get_initial_states is a cell."""

    class Last:
        def get_initial_states(self, batch_ref, batch_dim_idx):
            return paddle.zeros([batch_ref.shape[batch_dim_idx], 4])

        def __call__(self, inputs, states):
            return inputs + states, inputs

    out, last = nn.RNN(Last(), time_major=True)(paddle.to_tensor(X))
    np.testing.assert_allclose(out.numpy()[1:], X[1:] + X[:-1], rtol=1e-6)
    np.testing.assert_array_equal(last.numpy(), X[-1])


def test_two_ways_with_states():
    cells = nn.GRUCell(4, 3), nn.LSTMCell(4, 2)
    both = nn.BiRNN(*cells)
    x = paddle.to_tensor(X)
    first = paddle.ones([3, 3]), (paddle.ones([3, 2]), paddle.zeros([3, 2]))
    out, ends = both(x, first)
    fw, end_fw = nn.RNN(cells[0])(x, first[0])
    bw, end_bw = nn.RNN(cells[1], is_reverse=True)(x, first[1])
    np.testing.assert_array_equal(out.numpy(), np.concatenate([fw.numpy(), bw.numpy()], -1))
    np.testing.assert_array_equal(ends[0].numpy(), end_fw.numpy())
    np.testing.assert_array_equal(ends[1][1].numpy(), end_bw[1].numpy())
    assert out.shape == [3, 5, 5]
