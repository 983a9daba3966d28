"""Attention and the Transformer's layers: formulas, masks, caches, dropout, derivatives."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import paddle
from paddle.nn import MultiHeadAttention
from tests.nn.transformer_cases import numbers


def attention(**options):
    paddle.seed(5)
    layer = MultiHeadAttention(8, 2, **options)
    layer.eval()
    return layer


def tensor(key, *shape):
    return paddle.to_tensor(numbers(key, *shape, scale=1.0))


def _formula(layer, q, k, v, mask):
    """Attention in NumPy; the mask is what is added."""

    def heads(x, linear):
        y = x @ linear.weight.numpy() + linear.bias.numpy()
        return y.reshape(*y.shape[:2], 2, 4).transpose(0, 2, 1, 3)

    q, k, v = heads(q, layer.q_proj), heads(k, layer.k_proj), heads(v, layer.v_proj)
    scores = q @ k.swapaxes(2, 3) / 2 + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(*q.shape[:1], q.shape[2], 8)
    return mixed @ layer.out_proj.weight.numpy() + layer.out_proj.bias.numpy(), weights


@pytest.mark.parametrize("shape", [(5,), (3, 5), (3, 1), (1, 1, 5), (2, 1, 1, 5), (2, 2, 3, 5)])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32", "float64"])
def test_masks_of_every_type_and_shape(shape, dtype):
    layer, full = attention(), attention(need_weights=True)
    full.set_state_dict(layer.state_dict())
    q, k, v = numbers("q", 2, 3, 8), numbers("k", 2, 5, 8), numbers("v", 2, 5, 8)
    if dtype.startswith("float"):
        given = added = numbers("mask", *shape).astype(dtype)
    else:
        given = (numbers("mask", *shape) > -0.2).astype(dtype)
        added = (given.astype("float32") - 1) * np.float32(1e9)
    tensors = [paddle.to_tensor(a) for a in (q, k, v, given)]
    expected, weights = _formula(layer, q, k, v, added.astype("float32"))
    np.testing.assert_allclose(layer(*tensors).numpy(), expected, rtol=1e-4, atol=1e-5)
    out, found = full(*tensors)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.numpy(), weights, rtol=1e-4, atol=1e-6)


def test_key_and_value_default_to_the_query():
    layer, x = attention(), tensor("x", 2, 3, 8)
    np.testing.assert_array_equal(layer(x).numpy(), layer(x, x, x).numpy())


def test_what_is_returned():
    x = tensor("x", 2, 3, 8)
    layer = attention(need_weights=True)
    out, weights, cache = layer(x, x, x, None, layer.gen_cache(x))
    assert (out.shape, weights.shape) == ([2, 3, 8], [2, 2, 3, 3])
    assert isinstance(cache, MultiHeadAttention.Cache) and cache._fields == ("k", "v")
    layer = attention()
    _, fixed = layer(x, x, x, None, layer.gen_cache(x, x, MultiHeadAttention.StaticCache))
    assert isinstance(fixed, MultiHeadAttention.StaticCache) and fixed.k.shape == [2, 2, 3, 4]


def test_a_static_cache_of_a_key_alone_takes_it_as_the_value():
    layer, x = attention(), tensor("x", 2, 3, 8)
    one = layer.gen_cache(x, type=MultiHeadAttention.StaticCache)
    two = layer.gen_cache(x, x, type=MultiHeadAttention.StaticCache)
    np.testing.assert_array_equal(one.v.numpy(), two.v.numpy())


def test_a_cache_of_given_keys_and_values():
    layer, x = attention(), tensor("x", 2, 3, 8)
    k, v = layer.compute_kv(x, x)
    cache = layer.gen_cache(k, v)
    assert cache.k is k and cache.v is v


def test_caches_can_be_pickled():
    made = pickle.loads(pickle.dumps(MultiHeadAttention.Cache(1, 2)))
    assert type(made) is MultiHeadAttention.Cache and made == (1, 2)


@pytest.mark.parametrize("before", [False, True])
def test_encoding_step_by_step_equals_the_whole(before):
    layer = paddle.nn.TransformerEncoderLayer(8, 2, 16, normalize_before=before)
    net = paddle.nn.TransformerEncoder(layer, 2, paddle.nn.LayerNorm(8))
    net.eval()
    x = tensor("x", 2, 5, 8)
    whole = net(x, paddle.tril(paddle.ones([5, 5])).astype("bool"))
    caches, steps = net.gen_cache(x), []
    for i in range(5):
        out, caches = net(x[:, i : i + 1], cache=caches)
        steps.append(out)
    np.testing.assert_allclose(paddle.concat(steps, 1).numpy(), whole.numpy(), rtol=1e-4, atol=1e-5)
    assert caches[0].k.shape == [2, 2, 5, 4]


@pytest.mark.parametrize("before", [False, True])
def test_decoding_step_by_step_equals_the_whole(before):
    layer = paddle.nn.TransformerDecoderLayer(8, 2, 16, normalize_before=before)
    net = paddle.nn.TransformerDecoder(layer, 2)
    net.eval()
    x, memory = tensor("x", 2, 5, 8), tensor("memory", 2, 4, 8)
    whole = net(x, memory, paddle.tril(paddle.ones([5, 5], "int64")))
    caches, steps = net.gen_cache(memory), []
    for i in range(5):
        out, caches = net(x[:, i : i + 1], memory, cache=caches)
        steps.append(out)
    np.testing.assert_allclose(paddle.concat(steps, 1).numpy(), whole.numpy(), rtol=1e-4, atol=1e-5)


def test_zipped_caches():
    net = paddle.nn.TransformerDecoder(paddle.nn.TransformerDecoderLayer(8, 2, 16), 3)
    own, fixed = net.gen_cache(tensor("memory", 2, 4, 8), do_zip=True)
    assert [type(c) for c in own] == [MultiHeadAttention.Cache] * 3
    assert [type(c) for c in fixed] == [MultiHeadAttention.StaticCache] * 3


def test_dropout_in_training_only_and_repeatable():
    layer, x = attention(dropout=0.5), tensor("x", 4, 6, 8)
    still = layer(x).numpy()
    np.testing.assert_array_equal(layer(x).numpy(), still)
    layer.train()
    drawn = []
    for _ in range(2):
        paddle.seed(3)
        drawn.append(layer(x).numpy())
    np.testing.assert_array_equal(*drawn)
    assert np.abs(drawn[0] - still).max() > 1e-3


def test_dropout_with_and_without_weights_draws_the_same():
    plain, full = attention(dropout=0.4), attention(dropout=0.4, need_weights=True)
    full.set_state_dict(plain.state_dict())
    results = []
    for layer in (plain, full):
        layer.train()
        x = tensor("x", 4, 16, 8)
        x.stop_gradient = False
        paddle.seed(3)
        out = layer(x) if layer is plain else layer(x)[0]
        (out * out).sum().backward()
        results.append((out.numpy(), x.grad.numpy(), layer.k_proj.weight.grad.numpy()))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_separate_dropouts():
    layer = paddle.nn.TransformerEncoderLayer(8, 2, 16, 0.1, attn_dropout=0.2, act_dropout=0.3)
    assert (layer.self_attn.dropout, layer.dropout.p, layer.dropout1.p) == (0.2, 0.3, 0.1)
    layer = paddle.nn.TransformerEncoderLayer(8, 2, 16, 0.1, attn_dropout=0.0)
    assert (layer.self_attn.dropout, layer.dropout.p, layer.dropout2.p) == (0.0, 0.1, 0.1)


def test_the_gradient_of_a_mask():
    layer, x = attention(), tensor("x", 2, 3, 8)
    full = attention(need_weights=True)
    full.set_state_dict(layer.state_dict())
    masks = [tensor("mask", 1, 2, 3, 3) for _ in range(2)]
    for each, mask in zip((layer, full), masks, strict=True):
        mask.stop_gradient = False
        out = each(x, x, x, mask)
        out = out if each is layer else out[0]
        (out * out).sum().backward()
    np.testing.assert_allclose(masks[0].grad.numpy(), masks[1].grad.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_second_derivatives(dropout):
    """The one operator and the composed form agree in what follows from a gradient's length."""
    results = []
    for weights in (False, True):
        layer = attention(need_weights=weights, dropout=dropout)
        layer.train()
        x = tensor("x", 2, 4, 8)
        x.stop_gradient = False
        paddle.seed(11)
        out = layer(x)[0] if weights else layer(x)
        (grad,) = paddle.grad((out**3).sum(), x, create_graph=True)
        (grad * grad).sum().backward()
        results.append((x.grad.numpy(), layer.q_proj.weight.grad.numpy()))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3 * np.abs(b).max())


def test_float64_and_bfloat16():
    paddle.set_default_dtype("float64")
    try:
        layer = attention()
    finally:
        paddle.set_default_dtype("float32")
    x = paddle.to_tensor(numbers("x", 2, 3, 8).astype("float64"))
    mask = paddle.to_tensor(np.tril(np.ones((3, 3), bool)))
    added = np.where(np.tril(np.ones((3, 3))) > 0, 0, -1e9)
    expected, _ = _formula(layer, x.numpy(), x.numpy(), x.numpy(), added)
    np.testing.assert_allclose(layer(x, x, x, mask).numpy(), expected, rtol=1e-10, atol=1e-12)
    small = attention()
    small.set_state_dict(layer.state_dict())
    for parameter in small.parameters():
        parameter._buf = parameter.astype("bfloat16")._buf
        parameter._dt = paddle.to_tensor(0.0).astype("bfloat16").dtype
    y = x.astype("bfloat16")
    found = small(y, y, y, mask).astype("float32").numpy()
    np.testing.assert_allclose(found, expected, rtol=0.1, atol=0.05)


def test_layers_of_a_stack_have_parameters_of_their_own():
    layer = paddle.nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", normalize_before=True)
    net = paddle.nn.TransformerEncoder(layer, 3)
    assert net.layers[0] is layer
    assert len({id(p) for p in net.parameters()}) == 3 * 16
    assert all(x.normalize_before and x.activation is layer.activation for x in net.layers)


@pytest.mark.parametrize(
    ("count", "expected"), [(1, (1, 1, 1, 1, 1)), (2, (1, 2, 1, 1, 2)), (3, (1, 3, 1, 2, 3))]
)
def test_lists_of_attributes(count, expected):
    attrs = [
        paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(float(i + 1)))
        for i in range(count)
    ]
    net = paddle.nn.Transformer(8, 2, 1, 1, 16, weight_attr=attrs, bias_attr=attrs)
    encoder, decoder = net.encoder.layers[0], net.decoder.layers[0]
    linears = [
        encoder.self_attn.k_proj, encoder.linear2, decoder.self_attn.out_proj,
        decoder.cross_attn.q_proj, decoder.linear1,
    ]  # fmt: skip
    assert tuple(x.weight.numpy().flat[0] for x in linears) == expected
    assert tuple(x.bias.numpy().flat[0] for x in linears) == expected


def test_one_attribute_goes_to_all_parts():
    attr = paddle.ParamAttr(learning_rate=0.5)
    layer = paddle.nn.TransformerDecoderLayer(8, 2, 16, weight_attr=attr, bias_attr=False)
    assert layer.cross_attn.v_proj.weight.optimize_attr == {"learning_rate": 0.5}
    assert layer.linear1.bias is None and layer.self_attn.q_proj.bias is None
    assert layer.norm1.bias is not None


def test_custom_encoder_and_decoder():
    class Encoder(paddle.nn.Layer):
        def forward(self, src, src_mask=None):
            return src * 2

    class Decoder(paddle.nn.Layer):
        def forward(self, tgt, memory, tgt_mask=None, memory_mask=None):
            return tgt + memory

    net = paddle.nn.Transformer(8, 2, custom_encoder=Encoder(), custom_decoder=Decoder())
    assert net.parameters() == []
    x = tensor("x", 1, 2, 8)
    np.testing.assert_allclose(net(x, x).numpy(), x.numpy() * 3, rtol=1e-6)


def test_square_subsequent_mask():
    mask = paddle.nn.Transformer(8, 2, 1, 1, 8).generate_square_subsequent_mask(3).numpy()
    inf = np.inf
    np.testing.assert_array_equal(mask, [[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]])


def test_a_row_that_may_see_nothing_is_nan_as_in_paddle():
    layer, x = attention(), tensor("x", 1, 2, 8)
    mask = paddle.to_tensor(np.array([[0, 0], [-np.inf, -np.inf]], "float32"))
    out = layer(x, x, x, mask).numpy()
    assert np.isfinite(out[0, 0]).all() and np.isnan(out[0, 1]).all()


def test_copies_are_independent():
    layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
    other = copy.deepcopy(layer)
    layer.eval()
    other.eval()
    x = tensor("x", 1, 2, 8)
    np.testing.assert_array_equal(layer(x).numpy(), other(x).numpy())
    other.norm2.bias.set_value(paddle.ones([8]))
    assert np.abs(layer(x).numpy() - other(x).numpy()).max() > 0.1


def test_training_learns_to_copy():
    """A layer learns to give back the token before."""
    paddle.seed(1)
    layer = paddle.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, normalize_before=True)
    table, last = paddle.nn.Embedding(6, 16), paddle.nn.Linear(16, 6)
    place = paddle.nn.Embedding(8, 16)
    parameters = [p for part in (layer, table, last, place) for p in part.parameters()]
    adam = paddle.optimizer.Adam(0.01, parameters=parameters)
    tokens = paddle.to_tensor(np.random.RandomState(0).randint(0, 6, (16, 8)))
    mask = paddle.tril(paddle.ones([8, 8])).astype("bool")
    losses = []
    for _ in range(80):
        x = table(tokens) + place(paddle.arange(8))
        out = last(layer(x, mask))[:, 1:]
        loss = paddle.nn.functional.cross_entropy(
            out.reshape([-1, 6]), tokens[:, :-1].reshape([-1, 1])
        )
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert losses[0] > 1.5 and losses[-1] < 0.1
