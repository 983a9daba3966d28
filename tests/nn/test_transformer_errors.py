"""Wrong arguments of attention and the Transformer's layers are named."""

from __future__ import annotations

import pytest

import paddle
from paddle.nn import MultiHeadAttention, TransformerDecoderLayer, TransformerEncoderLayer

X = paddle.ones([2, 3, 8])
LAYER = MultiHeadAttention(8, 2)

MAKING = [
    (lambda: MultiHeadAttention(0, 2), ValueError,
     r"MultiHeadAttention\(embed_dim\): .* received 0"),
    (lambda: MultiHeadAttention(8.0, 2), TypeError, r"\(embed_dim\): expected an int.* float"),
    (lambda: MultiHeadAttention(8, 3), ValueError,
     r"\(num_heads\): expected a divisor of embed_dim = 8, but received 3"),
    (lambda: MultiHeadAttention(8, 2, dropout=1.5), ValueError,
     r"\(dropout\): expected 0 <= dropout <= 1, but received 1.5"),
    (lambda: MultiHeadAttention(8, 2, dropout="a"), TypeError, r"\(dropout\): expected a number"),
    (lambda: MultiHeadAttention(8, 2, kdim=-1), ValueError, r"\(kdim\): expected at least 1"),
    (lambda: TransformerEncoderLayer(8, 2, 0), ValueError,
     r"TransformerEncoderLayer\(dim_feedforward\): expected at least 1"),
    (lambda: TransformerEncoderLayer(8, 2, 4, activation="nope"), ValueError,
     r"TransformerEncoderLayer\(activation\): .*'relu' or 'gelu', but received 'nope'"),
    (lambda: TransformerEncoderLayer(8, 2, 4, act_dropout=2), ValueError,
     r"\(act_dropout\): expected 0 <="),
    (lambda: TransformerEncoderLayer(8, 2, 4, weight_attr=[None] * 3), ValueError,
     r"TransformerEncoderLayer\(weight_attr\): expected a list of 2, but received 3"),
    (lambda: TransformerDecoderLayer(8, 2, 4, bias_attr=[None]), ValueError,
     r"TransformerDecoderLayer\(bias_attr\): expected a list of 3, but received 1"),
    (lambda: paddle.nn.Transformer(8, 2, 1, 1, 4, bias_attr=[None] * 4), ValueError,
     r"Transformer\(bias_attr\): .* 1 to 3, but received 4"),
    (lambda: paddle.nn.TransformerEncoder(TransformerEncoderLayer(8, 2, 4), 0), ValueError,
     r"TransformerEncoder\(num_layers\): expected at least 1"),
    (lambda: paddle.nn.TransformerEncoder("layer", 2), TypeError,
     r"TransformerEncoder\(encoder_layer\): expected a Layer, but received str"),
    (lambda: paddle.nn.TransformerDecoder(paddle.nn.ReLU(), 2), ValueError,
     r"TransformerDecoder\(decoder_layer\): .*_config.* received ReLU"),
]  # fmt: skip

CALLING = [
    (lambda: LAYER([1.0]), TypeError, r"MultiHeadAttention\(query\): expected a Tensor.* list"),
    (lambda: LAYER(paddle.ones([3, 8])), ValueError,
     r"\(query\): expected shape \[batch, length, 8\], but received \[3, 8\]"),
    (lambda: LAYER(X, paddle.ones([2, 3, 7])), ValueError,
     r"\(key\): expected shape \[batch, length, 8\], but received \[2, 3, 7\]"),
    (lambda: LAYER(X, X, paddle.ones([2, 8])), ValueError, r"\(value\): expected shape"),
    (lambda: LAYER(X, X, X, "mask"), TypeError, r"\(attn_mask\): expected a Tensor.* str"),
    (lambda: LAYER(X, X, X, paddle.ones([4])), ValueError,
     r"broadcasts to \[batch, heads, queries, keys\] = \[2, 2, 3, 3\], but received \[4\]"),
    (lambda: LAYER(X, X, X, paddle.cast(paddle.ones([3]), "complex64")), TypeError,
     r"\(attn_mask\): expected bool, integers or floating numbers"),
    (lambda: LAYER(X, X, X, None, [X, X]), TypeError,
     r"\(cache\): expected MultiHeadAttention.Cache, .* but received list"),
    (lambda: LAYER.gen_cache(X, type=tuple), ValueError,
     r"gen_cache\(type\): expected MultiHeadAttention.Cache or .*tuple"),
    (lambda: LAYER.gen_cache("x"), TypeError, r"gen_cache\(key\): expected a Tensor"),
    (lambda: paddle.nn.TransformerEncoder(TransformerEncoderLayer(8, 2, 4), 2)(X, None, [1]),
     ValueError, r"TransformerEncoder\(cache\): expected a list of 2 caches.* received 1"),
    (lambda: TransformerDecoderLayer(8, 2, 4)(X, X, cache=3), ValueError,
     r"TransformerDecoderLayer\(cache\): expected a list of 2 caches.* received int"),
    (lambda: paddle.nn.Transformer(8, 2, 1, 1, 4).generate_square_subsequent_mask(2.0), TypeError,
     r"generate_square_subsequent_mask\(length\): expected an int, but received float"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "raises", "match"), MAKING + CALLING)
def test_the_error_names_what_is_wrong(call, raises, match):
    with pytest.raises(raises, match=match):
        call()


@pytest.mark.parametrize("name", ["custom_encoder", "custom_decoder"])
def test_a_custom_part_is_a_layer(name):
    with pytest.raises(TypeError, match=rf"Transformer\({name}\): expected a Layer, .* int"):
        paddle.nn.Transformer(8, 2, 1, 1, 8, **{name: 3})
