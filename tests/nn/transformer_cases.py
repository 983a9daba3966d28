"""Calls of the Transformer's layers that PaddlePaddle answered once for us.

Each case takes the paddle at hand and returns a layer and a list of results. Parameters are filled
by their structured names. scripts/oracle/transformer.py writes tests/data/transformer.npz and
tests/data/transformer_262.pdparams with a Python that has PaddlePaddle.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "data"
DATA = FOLDER / "transformer.npz"
SAVED = FOLDER / "transformer_262.pdparams"


def numbers(key: str, *shape: int, scale: float = 0.5) -> np.ndarray:
    """Float32 values that depend on the key only."""
    return (np.random.RandomState(zlib.crc32(key.encode())).randn(*shape) * scale).astype("float32")


def filled(paddle: Any, layer: Any) -> Any:
    """Gives every parameter the values that belong to its structured name."""
    state = {}
    for name, old in layer.state_dict().items():
        made = numbers(name, *old.shape)
        if name.split(".")[-2].startswith("norm") and name.endswith("weight"):
            made = made + 1
        state[name] = paddle.to_tensor(made)
    layer.set_state_dict(state)
    layer.eval()
    return layer


def given(paddle: Any, key: str, *shape: int) -> Any:
    """An input that wants a gradient."""
    return paddle.to_tensor(numbers(key, *shape, scale=1.0), stop_gradient=False)


def _attention(masks: Any = None, dims: tuple = (None, None), weights: bool = False) -> Callable:
    def case(paddle: Any) -> tuple:
        kdim, vdim = dims
        layer = filled(
            paddle,
            paddle.nn.MultiHeadAttention(8, 2, 0.3, kdim=kdim, vdim=vdim, need_weights=weights),
        )
        q = given(paddle, "q", 2, 3, 8)
        k, v = given(paddle, "k", 2, 5, kdim or 8), given(paddle, "v", 2, 5, vdim or 8)
        mask = None if masks is None else paddle.to_tensor(masks)
        out = layer(q, k, v, attn_mask=mask)
        return layer, list(out) if weights else [out], [q, k, v]

    return case


def _self_attention(paddle: Any) -> tuple:
    layer = filled(paddle, paddle.nn.MultiHeadAttention(8, 4, bias_attr=False))
    x = given(paddle, "x", 2, 5, 8)
    return layer, [layer(x, x, x)], [x]


def _with_cache(paddle: Any) -> tuple:
    layer = filled(paddle, paddle.nn.MultiHeadAttention(8, 2))
    x, y = given(paddle, "x", 2, 3, 8), given(paddle, "y", 2, 2, 8)
    _, cache = layer(x, x, x, None, layer.gen_cache(x))
    out, cache = layer(y, y, y, None, cache)
    fixed = layer.gen_cache(x, x, type=paddle.nn.MultiHeadAttention.StaticCache)
    other, _ = layer(y, y, y, None, fixed)
    return layer, [out, cache.k, cache.v, other], [x, y]


def _encoder_layer(**options: Any) -> Callable:
    def case(paddle: Any) -> tuple:
        layer = filled(paddle, paddle.nn.TransformerEncoderLayer(8, 2, 12, **options))
        x = given(paddle, "x", 2, 4, 8)
        mask = paddle.to_tensor(np.tril(np.ones((4, 4), bool)))
        return layer, [layer(x), layer(x, mask)], [x]

    return case


def _encoder(paddle: Any) -> tuple:
    layer = paddle.nn.TransformerEncoderLayer(8, 2, 12, normalize_before=True)
    net = filled(paddle, paddle.nn.TransformerEncoder(layer, 2, paddle.nn.LayerNorm(8)))
    x, y = given(paddle, "x", 2, 4, 8), given(paddle, "y", 2, 1, 8)
    _, caches = net(x, None, net.gen_cache(x))
    out, caches = net(y, None, caches)
    return net, [net(x), out, caches[1].k], [x, y]


def _decoder(**options: Any) -> Callable:
    def case(paddle: Any) -> tuple:
        layer = paddle.nn.TransformerDecoderLayer(8, 2, 12, **options)
        net = filled(paddle, paddle.nn.TransformerDecoder(layer, 2))
        x, memory = given(paddle, "x", 2, 3, 8), given(paddle, "memory", 2, 4, 8)
        mask = paddle.to_tensor(np.tril(np.ones((3, 3), "int64")))
        hidden = paddle.to_tensor(np.array([[[[0, 0, 0, -1e9]]], [[[0, 0, 0, 0]]]], "float32"))
        whole = net(x, memory, mask, hidden)
        out, caches = net(x, memory, mask, hidden, net.gen_cache(memory))
        return net, [whole, out, caches[1][0].v, caches[1][1].k], [x, memory]

    return case


def transformer(paddle: Any) -> tuple:
    """The network whose saved state is frozen, too."""
    net = filled(paddle, paddle.nn.Transformer(8, 2, 2, 1, 12, dropout=0.1, activation="gelu"))
    src, tgt = given(paddle, "src", 2, 4, 8), given(paddle, "tgt", 2, 3, 8)
    mask = net.generate_square_subsequent_mask(3)
    return net, [net(src, tgt, tgt_mask=mask), mask], [src, tgt]


KEYS = np.array([1, 1, 0, 1, 0])
CASES: dict[str, Callable[[Any], tuple]] = {
    "attention": _attention(),
    "attention_kdim_vdim": _attention(dims=(6, 4)),
    "attention_weights": _attention(weights=True),
    "attention_int_mask": _attention(KEYS),
    "attention_int32_mask_weights": _attention(KEYS.astype("int32"), weights=True),
    "attention_bool_mask": _attention(numbers("mask", 2, 1, 3, 5) > -0.5),
    "attention_float_mask": _attention(numbers("mask", 2, 2, 3, 5)),
    "attention_float_mask_matrix": _attention(numbers("mask", 3, 5), weights=True),
    "attention_of_itself": _self_attention,
    "attention_with_cache": _with_cache,
    "encoder_layer": _encoder_layer(),
    "encoder_layer_before": _encoder_layer(normalize_before=True, activation="gelu"),
    "encoder_layer_no_bias": _encoder_layer(bias_attr=[False, None], attn_dropout=0.0),
    "encoder": _encoder,
    "decoder": _decoder(),
    "decoder_before": _decoder(normalize_before=True, act_dropout=0.2),
    "transformer": transformer,
}


def answers(paddle: Any, name: str) -> dict[str, np.ndarray]:
    """Results, the gradients of the inputs and parameters, and the parameters' names."""
    layer, outs, inputs = CASES[name](paddle)
    loss = paddle.add_n([paddle.sum(o * o) for o in outs if not o.stop_gradient])
    loss.backward()
    found = {f"out/{i}": o.numpy() for i, o in enumerate(outs)}
    found.update({f"grad/{i}": x.grad.numpy() for i, x in enumerate(inputs)})
    for key, parameter in layer.named_parameters():
        if parameter.grad is not None and key.split(".")[-2] in ("q_proj", "v_proj", "linear2"):
            found[f"grad/{key}"] = parameter.grad.numpy()
    found["names"] = np.array(
        [f"{k} {'x'.join(map(str, p.shape))}" for k, p in layer.state_dict().items()]
    )
    return found
