"""Recurrent layers: against loops in NumPy, in static mode, derivatives, bad input."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core import unique_name
from tests.op_samples.sequence.recurrent import _rnn
from tests.static import harness

X = np.random.RandomState(0).uniform(-1, 1, (3, 5, 4)).astype("float32")
LENGTHS = np.array([2, 5, 0])
KINDS = {"SimpleRNN": "RNN_TANH", "LSTM": "LSTM", "GRU": "GRU"}


def reference(layer, x, lengths=None, states=None):
    """The layer in NumPy, [batch, time, ...]."""
    layers = layer.num_layers * layer.num_directions
    mode = KINDS[type(layer).__name__]
    if states is None:
        states = [np.zeros((layers, len(x), layer.hidden_size))] * (2 if mode == "LSTM" else 1)
    out, _, ends, _ = _rnn(
        x.swapaxes(0, 1).astype("float64"), states, [w.numpy() for w in layer._weights()], lengths,
        mode, layer.num_directions == 2, layer.num_layers, layer.hidden_size,
    )  # fmt: skip
    return out.swapaxes(0, 1), ends


def looped(layer):
    """The layer, whose cells now run one by one: what has a hook is not done by one operator."""
    for each in layer.sublayers(include_sublayers=True):
        if isinstance(each, nn.RNNCellBase):
            each.register_forward_post_hook(lambda cell, inputs, outputs: None)
    return layer


def ends_of(states):
    return list(states) if isinstance(states, tuple) else [states]


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "lengths"])
@pytest.mark.parametrize("direction", ["forward", "bidirect", "bidirectional"])
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("kind", KINDS)
def test_as_a_loop_in_numpy(kind, training, direction, lengths):
    layer = getattr(nn, kind)(4, 3, num_layers=2, direction=direction)
    layer.training = training
    shape = (2 * layer.num_directions, 3, 3)
    first = [np.random.RandomState(i).rand(*shape).astype("float32") for i in range(2)]
    first = first[: 2 if kind == "LSTM" else 1]
    given = [paddle.to_tensor(f) for f in first]
    out, ends = layer(
        paddle.to_tensor(X),
        given if kind == "LSTM" else given[0],
        None if lengths is None else paddle.to_tensor(lengths),
    )
    expected, last = reference(layer, X, lengths, first)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    for found, wanted in zip(ends_of(ends), last, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("steps", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_layer_by_layer_through_the_cells(kind, steps):
    """The sublayers are RNNs and BiRNNs with the same weights."""
    layer = getattr(nn, kind)(4, 3, num_layers=2, direction="bidirect", bias_hh_attr=False)
    out, ends = layer(paddle.to_tensor(X))
    if steps:
        looped(layer)
    y, last = paddle.to_tensor(X), []
    for each in layer:
        y, end = each(y)
        last += [ends_of(e) for e in end]
    np.testing.assert_allclose(out.numpy(), y.numpy(), rtol=1e-5, atol=1e-6)
    for i, found in enumerate(ends_of(ends)):
        np.testing.assert_allclose(found.numpy(), [e[i].numpy() for e in last], 1e-5, 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_time_major_is_the_same_turned(kind):
    with unique_name.guard():
        a = getattr(nn, kind)(4, 3, 2)
    b = getattr(nn, kind)(4, 3, 2, time_major=True)
    b.set_state_dict(a.state_dict())
    out, _ = b(paddle.to_tensor(X.swapaxes(0, 1).copy()), sequence_length=paddle.to_tensor(LENGTHS))
    expected, _ = a(paddle.to_tensor(X), sequence_length=paddle.to_tensor(LENGTHS))
    np.testing.assert_array_equal(out.numpy().swapaxes(0, 1), expected.numpy())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch, time", [(1, 1), (1, 4), (0, 3), (2, 0)])
def test_small_sizes(kind, batch, time):
    layer = getattr(nn, kind)(4, 3, direction="bidirect")
    x = paddle.zeros([batch, time, 4])
    x.stop_gradient = False
    out, ends = layer(x)
    assert out.shape == [batch, time, 6]
    assert ends_of(ends)[0].shape == [2, batch, 3]
    out.sum().backward()
    assert x.grad.shape == x.shape


def test_an_empty_sequence_keeps_its_first_states():
    layer = nn.GRU(4, 3)
    first = paddle.full([1, 3, 3], 0.5)
    out, end = layer(paddle.to_tensor(X), first, paddle.to_tensor(LENGTHS))
    assert end.numpy()[0, 2].tolist() == [0.5] * 3
    assert not out.numpy()[2].any()


def test_what_is_behind_the_end_has_no_influence():
    layer = nn.LSTM(4, 3, 2, direction="bidirect")
    lengths = paddle.to_tensor(LENGTHS)
    other = X.copy()
    other[0, 2:] = np.nan
    a, b = (layer(paddle.to_tensor(x), sequence_length=lengths)[0].numpy() for x in (X, other))
    np.testing.assert_array_equal(a[0], b[0])


def test_float64():
    paddle.set_default_dtype("float64")
    try:
        layer = nn.LSTM(4, 3, 2, direction="bidirect")
        out, _ = layer(paddle.to_tensor(X.astype("float64")))
    finally:
        paddle.set_default_dtype("float32")
    np.testing.assert_allclose(out.numpy(), reference(layer, X)[0], rtol=1e-12)


@pytest.mark.parametrize("attrs", [
    {"bias_ih_attr": False}, {"bias_hh_attr": False}, {"bias_ih_attr": False, "bias_hh_attr": False}
])  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_without_biases(kind, attrs):
    layer = getattr(nn, kind)(4, 3, 2, **attrs)
    assert len(layer.parameters()) == 8 - 2 * len(attrs)
    out, _ = layer(paddle.to_tensor(X))
    np.testing.assert_allclose(out.numpy(), reference(layer, X)[0], rtol=1e-5, atol=1e-6)


# -- dropout ---------------------------------------------------------------------------------------


def test_dropout_is_between_layers_and_in_training_only():
    layer = nn.GRU(4, 3, 2, dropout=0.5)
    out, ends = layer(paddle.to_tensor(X))
    plain, last = reference(layer, X)
    np.testing.assert_allclose(ends.numpy()[0], last[0][0], rtol=1e-5, atol=1e-6)
    assert np.abs(out.numpy() - plain).max() > 1e-3
    layer.eval()
    np.testing.assert_allclose(layer(paddle.to_tensor(X))[0].numpy(), plain, 1e-5, 1e-6)


def test_dropout_follows_the_seed_and_its_gradient_the_mask():
    layer = nn.LSTM(4, 3, 2, dropout=0.5, direction="bidirect")

    def loss(x):
        paddle.seed(5)
        return (layer(x, sequence_length=paddle.to_tensor(LENGTHS))[0] ** 2).sum()

    x = paddle.to_tensor(X.astype("float32"))
    x.stop_gradient = False
    loss(x).backward()
    step = np.zeros_like(X)
    step[1, 2, 3] = 1e-2
    up, down = (float(loss(paddle.to_tensor(X + s * step))) for s in (1, -1))
    assert abs((up - down) / 2e-2 - x.grad.numpy()[1, 2, 3]) < 2e-3


def test_dropout_of_everything():
    layer = nn.SimpleRNN(4, 3, 2, dropout=1.0, bias_ih_attr=False, bias_hh_attr=False)
    assert not layer(paddle.to_tensor(X))[0].numpy().any()


# -- derivatives -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "lengths"])
@pytest.mark.parametrize("kind", KINDS)
def test_second_derivatives_are_those_of_the_cells(kind, lengths):
    """Of float32, whose fused kernels have none: the gradient is then made of steps."""
    layer = getattr(nn, kind)(4, 3)
    mask = (np.arange(5) < (LENGTHS if lengths is not None else np.full(3, 5))[:, None])[..., None]
    given = None if lengths is None else paddle.to_tensor(lengths)
    found = []
    for run in (layer, looped(layer)[0]):
        x = paddle.to_tensor(X)
        x.stop_gradient = False
        out = run(x, sequence_length=given)[0] * paddle.to_tensor(mask.astype("float32"))
        (dx,) = paddle.grad((out**2).sum(), x, create_graph=True)
        layer.clear_gradients()
        (dx**2).sum().backward()
        found.append([x.grad.numpy(), *(p.grad.numpy() for p in layer.parameters())])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "lengths"])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_in_evaluation_are_those_of_training(kind, lengths):
    layer = getattr(nn, kind)(4, 3, 2, direction="bidirect")
    given = None if lengths is None else paddle.to_tensor(lengths)
    found = []
    for training in (True, False):
        layer.training = training
        layer.clear_gradients()
        (layer(paddle.to_tensor(X), sequence_length=given)[0] ** 2).sum().backward()
        found.append([p.grad.numpy() for p in layer.parameters()])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_retained_graph_gives_the_gradient_twice():
    layer = nn.LSTM(4, 3, 2)
    loss = layer(paddle.to_tensor(X))[0].sum()
    loss.backward(retain_graph=True)
    first = layer.weight_hh_l0.grad.numpy()
    loss.backward()
    np.testing.assert_allclose(layer.weight_hh_l0.grad.numpy(), 2 * first, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_writing_to_the_outputs_does_not_reach_what_is_kept(kind):
    layer = getattr(nn, kind)(4, 3)
    found = []
    for write in (False, True):
        layer.clear_gradients()
        out, ends = layer(paddle.to_tensor(X))
        loss = out.sum()
        if write:
            with paddle.no_grad():
                for written in (out.detach(), ends_of(ends)[0].detach()):
                    written[:] = 7.0
        loss.backward()
        found.append(layer.weight_hh_l0.grad.numpy())
    np.testing.assert_array_equal(*found)


def test_gradients_of_last_states_alone():
    layer = nn.LSTM(4, 3, 2, direction="bidirect")
    first = [paddle.to_tensor(np.full((4, 3, 3), 0.3, "float32")) for _ in "hc"]
    for f in first:
        f.stop_gradient = False
    layer(paddle.to_tensor(X), first)[1][1].sum().backward()
    assert all(np.abs(f.grad.numpy()).min() > 0 for f in first)


def test_what_is_kept_goes_after_backward():
    layer = nn.GRU(4, 3)
    loss = layer(paddle.to_tensor(X))[0].sum()
    node = loss._edge.edges[0]
    while not hasattr(node, "saved") or not any(hasattr(s, "kept") for s in node.saved):
        node = next(e for e in node.edges if e is not None)
        node = getattr(node, "node", node)
    kept = weakref.ref(next(s for s in node.saved if hasattr(s, "kept")).kept)
    del node
    loss.backward()
    gc.collect()
    assert kept() is None


# -- parameters ------------------------------------------------------------------------------------


def test_first_values_are_uniform():
    layer = nn.LSTM(4, 16, 2)
    bound = 1 / 4
    for parameter in layer.parameters():
        values = np.abs(parameter.numpy())
        assert values.max() <= bound
        assert values.max() > 0.8 * bound


def test_names_of_parameters():
    with unique_name.guard():
        layer = nn.GRU(4, 3, direction="bidirect")
        names = [p.name for p in layer.parameters()]
    assert names == [f"gru_cell_{i}.{k}" for i in (0, 1) for k in ("w_0", "w_1", "b_0", "b_1")]
    assert [n for n, _ in layer.named_parameters()] == [
        f"{kind}_l0{way}" for way in ("", "_reverse")
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]  # fmt: skip


def test_a_copy_shares_no_weights_but_shows_them_under_both_names():
    layer = nn.GRU(4, 3)
    other = copy.deepcopy(layer)
    assert other.weight_ih_l0 is other[0].cell.weight_ih
    assert other.weight_ih_l0 is not layer.weight_ih_l0
    other.to(dtype="float64")
    assert other(paddle.to_tensor(X.astype("float64")))[0].dtype == paddle.float64


def test_attributes_of_parameters():
    attr = paddle.ParamAttr(name="mine", initializer=nn.initializer.Constant(0.5))
    layer = nn.SimpleRNN(4, 3, weight_ih_attr=attr)
    assert layer.weight_ih_l0.name == "mine"
    assert (layer.weight_ih_l0.numpy() == 0.5).all()


def test_training_learns_a_sum():
    paddle.seed(1)
    layer, head = nn.GRU(1, 8), nn.Linear(8, 1)
    adam = paddle.optimizer.Adam(0.05, parameters=layer.parameters() + head.parameters())
    x = np.random.RandomState(0).randint(0, 2, (16, 3, 1)).astype("float32")
    data, target = paddle.to_tensor(x), paddle.to_tensor(x.sum(1))
    losses = []
    for _ in range(30):
        loss = ((head(layer(data)[0][:, -1]) - target) ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.1 * losses[0]


def test_printed():
    assert repr(nn.LSTM(4, 3, 2, time_major=True, dropout=0.5)).splitlines()[0] == (
        "LSTM(4, 3, num_layers=2, time_major=True, dropout=0.5"
    )
    assert repr(nn.SimpleRNNCell(4, 3, activation="relu")) == "SimpleRNNCell(4, 3, activation=relu)"
    assert repr(nn.GRUCell(4, 3)) == "GRUCell(4, 3)"


# -- static ----------------------------------------------------------------------------------------


def evaluated(layer):
    layer.eval()
    return layer


CALLS = {
    "lstm": (lambda: nn.LSTM(4, 3, 2, direction="bidirect"), False),
    "lstm_lengths": (lambda: nn.LSTM(4, 3, 2, direction="bidirect"), True),
    "gru_lengths": (lambda: nn.GRU(4, 3, 2), True),
    "simple": (lambda: nn.SimpleRNN(4, 3, 2, activation="relu", bias_ih_attr=False), False),
    "rnn": (lambda: nn.RNN(nn.LSTMCell(4, 3)), True),
    "rnn_steps": (lambda: looped(nn.RNN(nn.LSTMCell(4, 3))), False),
    "rnn_reverse": (lambda: nn.RNN(nn.GRUCell(4, 3), is_reverse=True), True),
    "birnn": (lambda: nn.BiRNN(nn.GRUCell(4, 3), nn.SimpleRNNCell(4, 3)), True),
    "lstm_eval": (lambda: evaluated(nn.LSTM(4, 3, 2, dropout=0.5)), True),
    "birnn_full": (lambda: nn.BiRNN(nn.LSTMCell(4, 3), nn.LSTMCell(4, 3)), False),
}


@pytest.mark.parametrize("batch", [False, True], ids=["known", "unknown"])
@pytest.mark.parametrize("name", CALLS)
def test_static_is_eager(name, batch):
    """Values and gradients; with the sizes of batch and time unknown too."""
    make, uses_lengths = CALLS[name]

    def results(x, lengths, gradients):
        with unique_name.guard():
            layer = make()
            for i, p in enumerate(layer.parameters()):
                p_init = np.random.RandomState(i).uniform(-0.5, 0.5, p.shape).astype("float32")
                starts[p.name] = p_init
                if isinstance(p, paddle.Tensor):
                    p.set_value(p_init)
        x.stop_gradient = False
        found = harness.flat(layer(x, sequence_length=lengths if uses_lengths else None))
        loss = paddle.add_n([(f * f).sum() for f in found])
        return found + gradients(loss, [*layer.parameters(), x])

    starts = {}
    eager = results(paddle.to_tensor(X), paddle.to_tensor(LENGTHS), paddle.grad)
    with harness.static() as (main, startup):
        x = paddle.static.data("x", [-1, -1, 4] if batch else [3, 5, 4])
        lengths = paddle.static.data("lengths", [-1] if batch else [3], "int64")
        found = results(x, lengths, paddle.static.gradients)
        exe, scope = paddle.static.Executor(), paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            exe.run(startup)
            for key, value in starts.items():
                scope.find_var(key).get_tensor().set(value, paddle.CPUPlace())
            got = exe.run(main, feed={"x": X, "lengths": LENGTHS}, fetch_list=found)
    for e, s, variable in zip(eager, got, found, strict=True):
        assert harness.shape_fits(variable.shape, s.shape)
        np.testing.assert_allclose(s, e.numpy(), rtol=1e-5, atol=1e-6)


def test_a_network_is_one_operator_and_its_test_clone_drops_nothing():
    with harness.static() as (main, startup):
        x = paddle.static.data("x", [-1, 5, 4])
        out, _ = nn.LSTM(4, 3, 2, dropout=0.9)(x)
        test = main.clone(for_test=True)
        exe = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            exe.run(startup)
            a, b = (exe.run(test, feed={"x": X}, fetch_list=[out])[0] for _ in "ab")
            c = exe.run(main, feed={"x": X}, fetch_list=[out])[0]
    assert [op.type for op in main.global_block().ops].count("rnn") == 1
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_static_functions_in_place_spare_what_is_kept(kind):
    def gradient(x, gradients):
        paddle.seed(3)
        layer = getattr(nn, kind)(4, 3)
        for i, p in enumerate(layer.parameters()):
            starts[p.name] = np.random.RandomState(i).uniform(-0.5, 0.5, p.shape).astype("float32")
            if isinstance(p, paddle.Tensor):
                p.set_value(starts[p.name])
        out = nn.functional.relu_(layer(x)[0] * 1.0) if kind == "GRU" else layer(x)[0]
        out = paddle.reshape_(paddle.tanh_(nn.functional.softmax_(out)), [-1])
        return gradients((out * out).sum(), [layer.weight_hh_l0, layer.weight_ih_l0])

    starts = {}
    with unique_name.guard():
        eager = gradient(paddle.to_tensor(X), paddle.grad)
    with harness.static() as (main, startup):
        found = gradient(paddle.static.data("x", [3, 5, 4]), paddle.static.gradients)
        exe, scope = paddle.static.Executor(), paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            exe.run(startup)
            for key, value in starts.items():
                scope.find_var(key).get_tensor().set(value, paddle.CPUPlace())
            got = exe.run(main, feed={"x": X}, fetch_list=found)
    for e, s in zip(eager, got, strict=True):
        np.testing.assert_allclose(s, e.numpy(), rtol=1e-5, atol=1e-7)


# -- bad input -------------------------------------------------------------------------------------

TENSOR = paddle.to_tensor(X)
BAD = {
    "rank": (lambda: nn.LSTM(4, 3)(TENSOR[0]), ValueError, r"LSTM\(inputs\).*\[5, 4\]"),
    "size": (lambda: nn.GRU(5, 3)(TENSOR), ValueError, r"GRU\(inputs\).*any, any, 5.*\[3, 5, 4\]"),
    "type": (lambda: nn.GRU(4, 3)([1]), TypeError, r"GRU\(inputs\): expected a Tensor.*list"),
    "hidden": (lambda: nn.LSTM(4, 0), ValueError, r"LSTM\(hidden_size\): expected at least 1.*0"),
    "hidden_type": (lambda: nn.GRUCell(4, 2.5), TypeError, r"GRUCell\(hidden_size\).*float"),
    "layers": (lambda: nn.GRU(4, 3, 0), ValueError, r"GRU\(num_layers\): expected at least 1"),
    "direction": (lambda: nn.GRU(4, 3, direction="up"), ValueError,
                  r"GRU\(direction\): expected 'forward', 'bidirect'.*'up'"),
    "dropout": (lambda: nn.GRU(4, 3, dropout=1.5), ValueError, r"GRU\(dropout\).*1.5"),
    "dropout_type": (lambda: nn.GRU(4, 3, dropout="a"), TypeError, r"GRU\(dropout\).*str"),
    "activation": (lambda: nn.SimpleRNN(4, 3, activation="gelu"), ValueError,
                   r"SimpleRNN\(activation\): expected 'tanh' or 'relu'.*'gelu'"),
    "cell_activation": (lambda: nn.SimpleRNNCell(4, 3, "elu"), ValueError,
                        r"SimpleRNNCell\(activation\)"),
    "weight": (lambda: nn.GRU(4, 3, weight_ih_attr=False), ValueError,
               r"GRUCell\(weight_ih_attr\): expected a ParamAttr or None, but received False"),
    "lengths_dtype": (lambda: nn.LSTM(4, 3)(TENSOR, sequence_length=paddle.ones([3])), ValueError,
                      r"LSTM\(sequence_length\): expected int32 or int64.*FP32"),
    "lengths_shape": (lambda: nn.LSTM(4, 3)(TENSOR, sequence_length=paddle.ones([2], "int64")),
                      ValueError, r"LSTM\(sequence_length\): expected the shape \[3\].*\[2\]"),
    "lengths_type": (lambda: nn.RNN(nn.GRUCell(4, 3))(TENSOR, sequence_length=[1, 2, 3]), TypeError,
                     r"RNN\(sequence_length\): expected a Tensor.*list"),
    "lengths_long": (lambda: nn.GRU(4, 3)(TENSOR, sequence_length=paddle.full([3], 6, "int64")),
                     ValueError, r"SequenceLength is expected to hold 3 numbers in \[0, 5\]"),
    "states": (lambda: nn.LSTM(4, 3)(TENSOR, paddle.zeros([1, 3, 3])), ValueError,
               r"LSTM\(initial_states\): expected 2 Tensor\(s\), but received 1"),
    "states_shape": (lambda: nn.GRU(4, 3, 2)(TENSOR, paddle.zeros([1, 3, 3])), ValueError,
                     r"GRU\(initial_states\).*here \[2, 3, 3\], but received \[1, 3, 3\]"),
    "cell_inputs": (lambda: nn.GRUCell(4, 3)(TENSOR), ValueError, r"GRUCell\(inputs\)"),
    "cell_states": (lambda: nn.LSTMCell(4, 3)(TENSOR[0], paddle.zeros([5, 3])), TypeError,
                    r"LSTMCell\(states\): expected 2 Tensors"),
    "cell_state": (lambda: nn.GRUCell(4, 3)(TENSOR[0], paddle.zeros([5, 2])), ValueError,
                   r"GRUCell\(states\).*here \[any, 3\], but received \[5, 2\]"),
    "no_cell": (lambda: nn.RNN(3), TypeError, r"RNN\(cell\): expected a cell.*int"),
    "no_steps": (lambda: nn.RNN(nn.GRUCell(4, 3))(paddle.zeros([3, 0, 4])), ValueError,
                 r"RNN\(inputs\): expected at least one time step"),
    "rnn_rank": (lambda: nn.RNN(nn.GRUCell(4, 3))(paddle.zeros([3])), ValueError,
                 r"RNN\(inputs\): expected at least two dimensions.*\[3\]"),
    "two_sizes": (lambda: nn.BiRNN(nn.GRUCell(4, 3), nn.GRUCell(5, 3)), ValueError,
                  r"BiRNN: expected cells with the same input_size.*4.*5"),
    "pair": (lambda: nn.BiRNN(nn.GRUCell(4, 3), nn.GRUCell(4, 3))(TENSOR, paddle.zeros([3, 3])),
             ValueError, r"BiRNN\(initial_states\): expected a pair"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, error, text = BAD[name]
    with pytest.raises(error, match=text):
        call()
