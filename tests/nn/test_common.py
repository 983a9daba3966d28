"""Linear, dropout, embedding and the other everyday functions and layers."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn

STATE = np.random.RandomState(0)
X = STATE.randn(4, 3).astype("float32")
T = paddle.to_tensor


@pytest.fixture(autouse=True)
def _seeded():
    paddle.seed(2021)


# -- linear -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4, 3), (2, 5, 3), (3,), (0, 3)])
def test_linear(shape):
    x = STATE.randn(*shape).astype("float32")
    layer = nn.Linear(3, 2)
    weight, bias = layer.weight.numpy(), np.array([1.0, -1.0], "float32")
    layer.bias.set_value(bias)
    assert layer.weight.shape == [3, 2]
    np.testing.assert_allclose(layer(T(x)).numpy(), x @ weight + bias, rtol=1e-5, atol=1e-6)
    out = F.linear(T(x), layer.weight)
    np.testing.assert_allclose(out.numpy(), x @ weight, rtol=1e-5, atol=1e-6)


def test_linear_learns():
    layer = nn.Linear(3, 2)
    x = T(X, stop_gradient=False)
    layer(x).sum().backward()
    weight = layer.weight.numpy()
    np.testing.assert_allclose(layer.weight.grad.numpy(), X.sum(0)[:, None].repeat(2, 1), rtol=1e-5)
    np.testing.assert_array_equal(layer.bias.grad.numpy(), [4.0, 4.0])
    np.testing.assert_allclose(x.grad.numpy(), weight.sum(1)[None].repeat(4, 0), rtol=1e-5)


def test_linear_without_bias_and_names():
    with paddle.utils.unique_name.guard():
        layer = nn.Linear(3, 2, bias_attr=False)
        named = nn.Linear(3, 2, weight_attr="w", bias_attr=paddle.ParamAttr(name="b"), name="mine")
    assert layer.bias is None and layer.weight.name == "linear_0.w_0"
    assert [p.name for p in named.parameters()] == ["w", "b"]
    assert repr(named) == "Linear(in_features=3, out_features=2, dtype=float32, name=mine)"


def test_bad_linear():
    layer = nn.Linear(10, 3)
    with pytest.raises(ValueError, match=r"linear\(x\): expected shape \[..., 10\].*\[4, 3\]"):
        layer(T(X))
    with pytest.raises(TypeError, match="no kernel for these data types"):
        nn.Linear(3, 2)(T(X.astype("int64")))
    with pytest.raises(TypeError, match=r"Linear\(in_features\): expected an int.*str"):
        nn.Linear("3", 2)
    with pytest.raises(ValueError, match=r"Linear\(out_features\): expected at least 1.*0"):
        nn.Linear(3, 0)


# -- dropout ------------------------------------------------------------------------------------

MANY = paddle.ones([100, 120])


@pytest.mark.parametrize("p", [0.2, 0.5, 0.75])
def test_dropout_scales_what_it_keeps(p):
    up = F.dropout(MANY, p).numpy()
    np.testing.assert_allclose(np.unique(up), [0.0, 1 / (1 - p)], rtol=1e-6)
    assert abs((up == 0).mean() - p) < 0.02
    down = F.dropout(MANY, p, mode="downscale_in_infer").numpy()
    np.testing.assert_array_equal(np.unique(down), [0.0, 1.0])


def test_dropout_outside_of_training():
    x = T(X)
    np.testing.assert_array_equal(F.dropout(x, 0.3, training=False).numpy(), X)
    down = F.dropout(x, 0.3, training=False, mode="downscale_in_infer")
    np.testing.assert_allclose(down.numpy(), X * 0.7, rtol=1e-6)
    layer = nn.Dropout(0.3)
    layer.eval()
    np.testing.assert_array_equal(layer(x).numpy(), X)
    layer.train()
    assert (layer(MANY).numpy() == 0).any()


@pytest.mark.parametrize("mode", ["upscale_in_train", "downscale_in_infer"])
def test_the_gradient_uses_the_same_choice(mode):
    x = paddle.ones([30, 30])
    x.stop_gradient = False
    out = F.dropout(x, 0.4, mode=mode)
    out.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), out.numpy())


def test_dropout_of_nothing_and_of_all():
    x = T(X)
    np.testing.assert_array_equal(F.dropout(x, 0).numpy(), X)
    np.testing.assert_array_equal(F.dropout(x, 1).numpy(), X * 0)
    np.testing.assert_array_equal(F.dropout(x, 1.0, axis=0).numpy(), X * 0)
    np.testing.assert_array_equal(F.alpha_dropout(x, 1.0).numpy(), X * 0)


def test_the_seed_decides():
    paddle.seed(7)
    first = F.dropout(MANY, 0.5).numpy()
    second = F.dropout(MANY, 0.5).numpy()
    paddle.seed(7)
    np.testing.assert_array_equal(F.dropout(MANY, 0.5).numpy(), first)
    assert (first != second).any()


@pytest.mark.parametrize("axis, shared", [(0, 1), (1, 0), ([0], 1), (-1, 0)])
def test_dropout_of_whole_lines(axis, shared):
    out = F.dropout(MANY, 0.5, axis=axis).numpy()
    np.testing.assert_array_equal(np.unique(out), [0.0, 2.0])
    assert (out.min(shared) == out.max(shared)).all()
    assert 0.3 < (out.min(shared) == 0).mean() < 0.7
    np.testing.assert_array_equal(nn.Dropout(0.5, axis=axis)(MANY).shape, MANY.shape)


@pytest.mark.parametrize("rank, formats", [(2, ("NCHW", "NHWC")), (3, ("NCDHW", "NDHWC"))])
def test_dropout_of_channels(rank, formats):
    inner = [3] * rank
    function = {2: F.dropout2d, 3: F.dropout3d}[rank]
    layer = {2: nn.Dropout2D, 3: nn.Dropout3D}[rank]
    for data_format in formats:
        first = data_format == formats[0]
        x = paddle.ones([20, 30, *inner] if first else [20, *inner, 30])
        for out in (function(x, 0.5, data_format=data_format), layer(0.5, data_format)(x)):
            space = tuple(range(2, rank + 2)) if first else tuple(range(1, rank + 1))
            values = out.numpy()
            assert (values.min(space) == values.max(space)).all()
            assert 0.3 < (values.min(space) == 0).mean() < 0.7
        np.testing.assert_array_equal(function(x, 0.5, False, data_format).numpy(), x.numpy())


def test_alpha_dropout_keeps_mean_and_variance():
    x = T(np.random.RandomState(1).randn(200, 300).astype("float32"))
    out = F.alpha_dropout(x, 0.3).numpy()
    assert abs(out.mean()) < 0.02 and abs(out.var() - 1) < 0.03
    dropped = -1.6732632423543772 * 1.0507009873554805
    a = ((1 - 0.3) * (1 + 0.3 * dropped**2)) ** -0.5
    low = dropped * a - a * 0.3 * dropped
    assert abs(np.isclose(out, low, rtol=1e-5).mean() - 0.3) < 0.01
    layer = nn.AlphaDropout(0.3)
    layer.eval()
    np.testing.assert_array_equal(layer(x).numpy(), x.numpy())
    assert repr(nn.AlphaDropout(0.3, name="a")) == "AlphaDropout(p=0.3, name=a)"


@pytest.mark.parametrize("p", [1.5, -0.1, np.nan, "0.5", None, True])
def test_bad_probability(p):
    error = ValueError if isinstance(p, float) else TypeError
    calls = {
        "dropout": lambda: F.dropout(T(X), p),
        "alpha_dropout": lambda: F.alpha_dropout(T(X), p),
        "Dropout": lambda: nn.Dropout(p),
        "Dropout2D": lambda: nn.Dropout2D(p),
        "Dropout3D": lambda: nn.Dropout3D(p),
        "AlphaDropout": lambda: nn.AlphaDropout(p),
    }
    wanted = "a number" if error is TypeError else "0 <= p <= 1"
    for name, call in calls.items():
        with pytest.raises(error, match=rf"{name}\(p\): expected {wanted}, but received"):
            call()


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda: F.dropout(T(X), mode="x"),
            ValueError,
            r"dropout\(mode\): expected 'upsc",
        ),
        (lambda: nn.Dropout(mode="x"), ValueError, r"Dropout\(mode\): expected 'upscale_in_train'"),
        (lambda: F.dropout(T(X), axis=2), ValueError, r"axes in \[-2, 2\).*\[4, 3\].*received 2"),
        (lambda: F.dropout(T(X), axis=[0, 1, 0]), ValueError, r"received \[0, 1, 0\]"),
        (lambda: F.dropout(T([1, 2])), TypeError, "expected floating X"),
        (lambda: F.dropout(T([1, 2]), axis=0), TypeError, "expected floating numbers"),
        (lambda: F.alpha_dropout(T([1, 2])), TypeError, "expected floating numbers"),
        (lambda: F.dropout(X), TypeError, "argument X expects a Tensor"),
        (lambda: F.dropout2d(T(X)), ValueError, r"dropout2d\(x\): expected 4 dimensions.*\[4, 3\]"),
        (lambda: F.dropout3d(T(X)), ValueError, r"dropout3d\(x\): expected 5 dimensions"),
        (lambda: F.dropout2d(T(X), data_format="NC"), ValueError, r"expected one of \('NCHW'"),
        (lambda: nn.Dropout2D(data_format="NC"), ValueError, r"Dropout2D\(data_format\)"),
        (lambda: nn.Dropout3D(data_format="NCHW"), ValueError, r"Dropout3D\(data_format\)"),
    ],
)
def test_bad_dropout(call, error, text):
    with pytest.raises(error, match=text):
        call()


# -- embedding and one-hot ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_embedding(dtype):
    table = STATE.randn(5, 2).astype("float32")
    ids = np.array([[0, 4], [2, 2]], dtype)
    out = F.embedding(T(ids), T(table))
    np.testing.assert_array_equal(out.numpy(), table[ids])


@pytest.mark.parametrize("padding", [1, -4])
def test_padding_gives_zeros_and_gets_no_gradient(padding):
    layer = nn.Embedding(5, 2, padding_idx=padding)
    np.testing.assert_array_equal(layer.weight.numpy()[1], [0.0, 0.0])
    layer.weight.set_value(np.ones([5, 2], "float32"))
    out = layer(T([1, 3, 3]))
    np.testing.assert_array_equal(out.numpy(), [[0, 0], [1, 1], [1, 1]])
    out.sum().backward()
    expected = np.zeros([5, 2])
    expected[3] = 2
    np.testing.assert_array_equal(layer.weight.grad.numpy(), expected)
    assert repr(layer) == "Embedding(5, 2, padding_idx=1, sparse=False)"


def test_embedding_without_padding():
    layer = nn.Embedding(5, 2, sparse=True, weight_attr=paddle.ParamAttr(name="table"), name="mine")
    assert layer.weight.name == "table"
    assert repr(layer) == "Embedding(5, 2, sparse=True, name=mine)"
    layer(T([[0, 0], [4, 0]])).sum().backward()
    np.testing.assert_array_equal(layer.weight.grad.numpy()[:, 0], [3, 0, 0, 0, 1])


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: F.embedding(T([3]), paddle.ones([3, 2])), IndexError, r"in \[0, 3\).*received 3"),
        (lambda: F.embedding(T([-1]), paddle.ones([3, 2])), IndexError, "but received -1"),
        (lambda: nn.Embedding(3, 2)(T([0, 7])), IndexError, "but received 7"),
        (lambda: F.embedding(T([1.0]), paddle.ones([3, 2])), TypeError, "expected Ids of int32 or"),
        (lambda: F.embedding([1], paddle.ones([3, 2])), TypeError, "argument Ids expects a Tensor"),
        (lambda: F.embedding(T([1]), paddle.ones([3, 2]), padding_idx=3), ValueError,
         r"embedding\(padding_idx\): expected -3 <= padding_idx < 3, but received 3"),
        (lambda: F.embedding(T([1]), paddle.ones([3, 2]), padding_idx="1"), TypeError,
         r"embedding\(padding_idx\): expected an int or None, got str"),
        (lambda: nn.Embedding(3, 2, padding_idx=-4), ValueError,
         r"Embedding\(padding_idx\): expected -3 <= padding_idx < 3, but received -4"),
        (lambda: nn.Embedding(3, 2, padding_idx=1.0), TypeError, r"Embedding\(padding_idx\)"),
        (lambda: nn.Embedding(0, 2), ValueError, r"Embedding\(num_embeddings\): expected at"),
        (lambda: nn.Embedding(3, "2"), TypeError, r"Embedding\(embedding_dim\): expected an int"),
        (lambda: F.one_hot(T([0, 3]), 3), ValueError, r"in \[0, 3\), but they span \[0, 3\]"),
        (lambda: F.one_hot(T([-1]), 3), ValueError, r"but they span \[-1, -1\]"),
        (lambda: F.one_hot(T([0.0]), 3), TypeError, r"one_hot\(x\): expected int32 or int64"),
        (lambda: F.one_hot(T([0]), 0), ValueError, r"one_hot\(num_classes\): expected at least 1"),
        (lambda: F.one_hot(T([0]), 2.0), TypeError, r"one_hot\(num_classes\): expected an int"),
    ],
)  # fmt: skip
def test_bad_ids(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_one_hot():
    ids = np.array([[0, 2], [1, 1]])
    for classes in (3, T([3])):
        out = F.one_hot(T(ids), classes)
        assert out.dtype == paddle.float32
        np.testing.assert_array_equal(out.numpy(), np.eye(3)[ids])


# -- the others ---------------------------------------------------------------------------------


def test_bilinear():
    layer = nn.Bilinear(3, 2, 4)
    assert [p.shape for p in layer.parameters()] == [[4, 3, 2], [1, 4]]
    y = STATE.randn(4, 2).astype("float32")
    bias = STATE.randn(1, 4).astype("float32")
    layer.bias.set_value(bias)
    expected = np.einsum("ni,oij,nj->no", X, layer.weight.numpy(), y)
    np.testing.assert_allclose(layer(T(X), T(y)).numpy(), expected + bias, rtol=1e-5, atol=1e-6)
    out = F.bilinear(T(X), T(y), layer.weight)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    assert nn.Bilinear(3, 2, 4, bias_attr=False).bias is None
    with pytest.raises(ValueError, match=r"bilinear: expected .*\[4, 2\] and \[4, 3, 2\]"):
        layer(T(y), T(y))
    with pytest.raises(ValueError, match=r"Bilinear\(in2_features\): expected at least 1"):
        nn.Bilinear(3, -2, 4)


def test_cosine_similarity():
    y = STATE.randn(4, 3).astype("float32")
    for axis in (0, 1, -1):
        lengths = np.linalg.norm(X, axis=axis) * np.linalg.norm(y, axis=axis)
        expected = (X * y).sum(axis) / lengths
        out = F.cosine_similarity(T(X), T(y), axis)
        np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
        layer = nn.CosineSimilarity(axis)
        np.testing.assert_array_equal(layer(T(X), T(y)).numpy(), out.numpy())
    zero = F.cosine_similarity(paddle.zeros([1, 2]), paddle.ones([1, 2]))
    np.testing.assert_array_equal(zero.numpy(), [0.0])
    assert repr(nn.CosineSimilarity(0, 0.5)) == "CosineSimilarity(axis=0, eps=0.5)"
    with pytest.raises(ValueError, match="Broadcast dimension mismatch"):
        F.cosine_similarity(T(X), T(y[:, :2].copy()))
    with pytest.raises(ValueError, match=r"in the range \[-2, 2\).*received 3"):
        F.cosine_similarity(T(X), T(y), axis=3)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, float("inf"), 0.0])
@pytest.mark.parametrize("keepdim", [False, True])
def test_pairwise_distance(p, keepdim):
    y = STATE.randn(4, 3).astype("float32")
    out = nn.PairwiseDistance(p, epsilon=1e-3, keepdim=keepdim)(T(X), T(y))
    expected = np.linalg.norm(X - y + 1e-3, p, axis=-1, keepdims=keepdim)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_flatten():
    x = paddle.ones([2, 3, 4, 5])
    assert nn.Flatten()(x).shape == [2, 60]
    assert nn.Flatten(0, 2)(x).shape == [24, 5]
    with pytest.raises(ValueError, match="start_axis=3 and stop_axis=1"):
        nn.Flatten(3, 1)(x)


def test_label_smooth():
    onehot = np.eye(3, dtype="float32")[[0, 2]]
    out = F.label_smooth(T(onehot))
    np.testing.assert_allclose(out.numpy(), onehot * 0.9 + 0.1 / 3, rtol=1e-6)
    prior = np.array([[0.5, 0.3, 0.2]], "float32")
    out = F.label_smooth(T(onehot), T(prior), 0.4)
    np.testing.assert_allclose(out.numpy(), onehot * 0.6 + 0.4 * prior, rtol=1e-6)
    for epsilon in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match=r"label_smooth\(epsilon\): expected 0 <= "):
            F.label_smooth(T(onehot), epsilon=epsilon)
    with pytest.raises(ValueError, match="Broadcast dimension mismatch"):
        F.label_smooth(T(onehot), T(prior[:, :2].copy()))


def test_diag_embed():
    np.testing.assert_array_equal(F.diag_embed(T([1.0, 2.0])).numpy(), [[1, 0], [0, 2]])
    above = F.diag_embed(T(X), offset=1).numpy()
    assert above.shape == (4, 4, 4)
    np.testing.assert_array_equal(np.diagonal(above, 1, 1, 2), X)
    moved = F.diag_embed(T(X), offset=-1, dim1=0, dim2=1).numpy()
    np.testing.assert_array_equal(np.diagonal(moved, -1, 0, 1), X)
    with pytest.raises(ValueError, match=r"diag_embed\(dim1\): expected -3 <= dim1 < 3"):
        F.diag_embed(T(X), dim1=3)
    with pytest.raises(ValueError, match="expected two different dimensions, but received 1 and 1"):
        F.diag_embed(T(X), dim1=1, dim2=1)
