"""The Transformer's layers recorded into Programs: equal to eager, in PaddlePaddle's operators."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.nn import MultiHeadAttention
from tests.nn.transformer_cases import numbers
from tests.static import harness

ARRAYS = {
    "x": numbers("x", 2, 5, 8, scale=1.0),
    "memory": numbers("memory", 2, 4, 8, scale=1.0),
    "mask": np.tril(np.ones((5, 5), bool)),
    "hidden": numbers("hidden", 2, 1, 1, 4),
}


def _still(layer):
    layer.eval()
    return layer


def _with_cache(x):
    layer = _still(paddle.nn.TransformerEncoder(paddle.nn.TransformerEncoderLayer(8, 2, 16), 2))
    out, caches = layer(x, cache=layer.gen_cache(x))
    again, caches = layer(x[:, :1], cache=caches)
    return [out, again, caches[0].k, caches[1].v]


def _decoder(x, memory, mask, hidden):
    layer = paddle.nn.TransformerDecoderLayer(8, 2, 16, normalize_before=True, activation="gelu")
    net = _still(paddle.nn.TransformerDecoder(layer, 2, paddle.nn.LayerNorm(8)))
    out, caches = net(x, memory, mask, hidden, cache=net.gen_cache(memory))
    return [net(x, memory, mask, hidden), out, caches[0][0].k, caches[1][1].v]


CALLS = {
    "attention": lambda x, mask: MultiHeadAttention(8, 2)(x, x, x, mask),
    "attention_weights": lambda x, memory: MultiHeadAttention(8, 2, need_weights=True)(
        x, memory, memory
    ),
    "dropout": lambda x: MultiHeadAttention(8, 2, dropout=0.4)(x),
    "dropout_weights": lambda x: MultiHeadAttention(8, 2, dropout=0.4, need_weights=True)(x),
    "encoder_in_training": lambda x, mask: paddle.nn.TransformerEncoderLayer(8, 2, 16)(x, mask),
    "encoder_with_cache": _with_cache,
    "decoder": _decoder,
    "transformer": lambda x, memory: _still(paddle.nn.Transformer(8, 2, 1, 1, 16))(x, memory),
}


@pytest.mark.parametrize("batch", [False, True], ids=["known", "unknown_batch"])
@pytest.mark.parametrize("name", CALLS)
def test_static_equals_eager(name, batch):
    call = CALLS[name]
    names = call.__code__.co_varnames[: call.__code__.co_argcount]
    arrays = {n: ARRAYS[n] for n in names}
    eager, found, variables = harness.both(call, arrays, batch, fixed=("mask",))
    assert len(eager) == len(found)
    for e, s, v in zip(eager, found, variables, strict=True):
        assert harness.shape_fits(v.shape, s.shape)
        np.testing.assert_allclose(s, e, rtol=1e-4, atol=1e-5)


def test_a_program_holds_the_operators_of_paddle():
    with harness.static() as (main, _):
        x = harness.data("x", ARRAYS["x"])
        MultiHeadAttention(8, 2, dropout=0.1)(x, x, x, harness.data("mask", ARRAYS["mask"]))
    kinds = [op.type for op in main.global_block().ops]
    assert "scaled_dot_product_attention" not in kinds
    at = kinds.index("softmax")
    assert kinds[at - 3 : at + 3] == [
        "scale", "matmul_v2", "elementwise_add", "softmax", "dropout", "matmul_v2"
    ]  # fmt: skip


def test_training_in_a_program_equals_eager():
    def network():
        layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
        return paddle.nn.TransformerEncoder(layer, 2)

    paddle.seed(7)
    with paddle.utils.unique_name.guard():
        net = network()
    start = [p.numpy() for p in net.parameters()]
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    paddle.seed(5)
    eager = []
    for _ in range(3):
        loss = paddle.mean(paddle.square(net(paddle.to_tensor(ARRAYS["x"]))[:, 0] - 1.0))
        loss.backward()
        adam.step()
        adam.clear_grad()
        eager.append(float(loss))
    with harness.static() as (main, startup):
        made = network()
        x = harness.data("x", ARRAYS["x"])
        loss = paddle.mean(paddle.square(made(x)[:, 0] - 1.0))
        paddle.optimizer.Adam(0.01).minimize(loss)
        names = [p.name for p in made.parameters()]
    with paddle.static.scope_guard(paddle.static.Scope()):
        exe = paddle.static.Executor(paddle.CPUPlace())
        exe.run(startup)
        for name, value in zip(names, start, strict=True):
            paddle.static.global_scope().find_var(name).get_tensor().set(value, paddle.CPUPlace())
        paddle.seed(5)
        found = [
            float(exe.run(main, feed={"x": ARRAYS["x"]}, fetch_list=[loss])[0][0]) for _ in range(3)
        ]
    np.testing.assert_allclose(found, eager, rtol=1e-4)
