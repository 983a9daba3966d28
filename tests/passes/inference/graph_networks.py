"""Programs that the passes over graphs, products and encoders match, and some that they must not.

They are written as PaddlePaddle 1.8, 2.0 and 2.6 and PaddleNLP leave them in files.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import paddle
from tests.passes.cases import normal

F = paddle.nn.functional


def weight(*shape: int, name: str | None = None) -> Any:
    """A stored matrix."""
    return paddle.static.create_parameter(list(shape), "float32", name=name)


def vector(n: int) -> Any:
    """A stored vector of random numbers."""
    init = paddle.nn.initializer.Uniform(0.5, 1.5)
    return paddle.static.create_parameter([n], "float32", default_initializer=init)


def add_op(type: str, inputs: dict, attrs: dict, shape: list, out: str = "Out") -> Any:
    """Appends an operator as a file of another release has it; returns its result."""
    block = paddle.static.default_main_program().current_block()
    made = block.create_var(
        name=paddle.fluid.unique_name.generate(type), shape=shape, dtype="float32"
    )
    block.append_op(type, inputs, {out: made}, attrs)
    return made


# -- identities -------------------------------------------------------------------------------


def dropouts(x):
    y = F.dropout(paddle.tanh(x), 0.3, training=False)
    return F.relu(F.dropout(y, 0.4, training=False, mode="downscale_in_infer"))


def dropout_that_trains(x):
    return F.relu(F.dropout(x, 0.3))


def identities(x):
    y = paddle.assign(paddle.tanh(x))
    y = paddle.concat([paddle.scale(y, 1.0)])
    y = paddle.cast(y, "float32")
    return paddle.scale(F.relu(paddle.transpose(y, [0, 1, 2])), 1.0)


def assigned_and_changed(x):
    y = paddle.tanh(x)
    before = paddle.assign(y)
    paddle.assign(y * 2.0, y)
    return before + y


def transposes(x):
    y = paddle.transpose(paddle.tanh(x), [0, 2, 1])
    z = paddle.transpose(y, [0, 2, 1])
    return paddle.transpose(paddle.transpose(z, [1, 2, 0]), [1, 2, 0])


def fetched_transpose(x):
    y = paddle.transpose(paddle.tanh(x), [0, 2, 1])
    return y, paddle.transpose(y, [1, 0, 2])


def reshapes(x):
    y = paddle.reshape(paddle.unsqueeze(paddle.tanh(x), 0), [-1, 4])
    return paddle.reshape(y, [-1, 2, 2])


def reshape_by_zero(x):
    return paddle.reshape(paddle.reshape(paddle.tanh(x), [-1, 4]), [0, 2, 2])


def transposed_keys(x):
    return paddle.matmul(x, paddle.transpose(x, [0, 2, 1]))


def batches_moved(x):
    return paddle.matmul(paddle.transpose(x, [1, 0, 2]), paddle.transpose(x, [1, 2, 0]))


def channels_last(x):
    """A head of recognisers: the rows are made by a transpose."""
    return paddle.matmul(paddle.transpose(x, [0, 2, 1]), weight(3, 8))


def joined_projections(x):
    """SVTR: queries, keys and values are cut out of one product; the length is asked for."""
    length = paddle.shape(x)[1]
    qkv = paddle.reshape(paddle.matmul(x, weight(64, 192)), [0, -1, 3, 4, 16])
    qkv = paddle.transpose(qkv, [2, 0, 3, 1, 4])
    q, k, v = qkv[0] * 0.25, qkv[1], qkv[2]
    scores = F.softmax(paddle.matmul(q, paddle.transpose(k, [0, 1, 3, 2])))
    out = paddle.transpose(paddle.matmul(scores, v), [0, 2, 1, 3])
    return paddle.reshape(out, [0, length, 64])


def shape_chain(x):
    shape = paddle.shape(x)
    return paddle.reshape(paddle.tanh(x), [shape[0], 3, 2, 2])


def two_unknown(x):
    shape = paddle.shape(x)
    return paddle.reshape(paddle.tanh(x), [shape[1], shape[0], 2, 2])


def kept_in_place(x):
    """The way of PaddleNLP: dimensions are those of the rows before the product."""
    shape = paddle.shape(x)
    y = F.softmax(paddle.matmul(x, weight(4, 8)) + vector(8))
    z = paddle.transpose(paddle.reshape(y, [shape[0], shape[1], 2, 4]), [0, 2, 1, 3])
    return paddle.reshape(paddle.transpose(z, [0, 2, 1, 3]), [shape[0], shape[1], 8])


def written_over(x):
    """1.x writes reshapes and activations over what they read."""
    block = paddle.static.default_main_program().current_block()
    y = paddle.tanh(x)
    block.append_op("relu", {"X": y}, {"Out": y})
    block.append_op("reshape2", {"X": y}, {"Out": y}, {"shape": [0, 12]})
    return y * 2.0


def written_in_a_loop(x):
    i, total = paddle.full([1], 0, "int64"), paddle.tanh(x)
    total = paddle.static.nn.while_loop(
        lambda i, t: i < 3, lambda i, t: [i + 1, t * 2.0], [i, total]
    )[1]
    return total


def axis_of_old_sums(x):
    y = add_op("elementwise_add", {"X": x, "Y": paddle.tanh(x)}, {"axis": 0}, [-1, 3, 4])
    return add_op("elementwise_mul", {"X": y, "Y": vector(4)}, {"axis": 2}, [-1, 3, 4])


def axis_that_counts(x):
    return add_op("elementwise_add", {"X": x, "Y": vector(3)}, {"axis": 1}, [-1, 3, 4])


# -- products ---------------------------------------------------------------------------------


def wide_linear(x):
    return paddle.matmul(x, weight(64, 1024)) + vector(1024)


def tied_embedding(x):
    return paddle.matmul(x, weight(1024, 64), transpose_y=True)


def old_matmul(x):
    y = weight(1024, 64)
    return add_op("matmul", {"X": x, "Y": y}, {"transpose_Y": True, "alpha": 0.5}, [-1, 1024])


def old_fc(x):
    """As 1.x flattens images: [n, 16, 2, 2] by [64, 1024]."""
    attrs = {"x_num_col_dims": 1, "y_num_col_dims": 1}
    y = add_op("mul", {"X": x, "Y": weight(64, 1024)}, attrs, [-1, 1024])
    return add_op("elementwise_add", {"X": y, "Y": vector(1024)}, {"axis": 1}, [-1, 1024])


def bias_along_rows(x):
    attrs = {"x_num_col_dims": 1, "y_num_col_dims": 1}
    y = add_op("mul", {"X": x, "Y": weight(64, 64)}, attrs, [64, 64])
    return add_op("elementwise_add", {"X": y, "Y": vector(64)}, {"axis": 0}, [64, 64])


def activated(x):
    y = F.gelu(wide_linear(x))
    z = F.relu(paddle.matmul(y, weight(1024, 64)) + vector(64))
    z = F.hardswish(paddle.matmul(wide_linear(z), weight(1024, 64)) + vector(64))
    return paddle.tanh(wide_linear(z))


def other_activation(x):
    return F.leaky_relu(wide_linear(x)), F.selu(wide_linear(x))


def activation_of_fetched(x):
    y = wide_linear(x)
    return y, F.relu(y)


def residual(x):
    y = paddle.matmul(F.relu(wide_linear(x)), weight(1024, 64)) + vector(64)
    return x + y


def broadcast_sum(x):
    return wide_linear(x) + weight(1, 1024)


def weight_that_is_written(x):
    w = weight(64, 1024)
    y = paddle.matmul(x, w)
    paddle.assign(w * 0.5, w)
    return y


def small_linear(x):
    return paddle.matmul(x, weight(64, 8)) + vector(8)


def scaled_linear(x):
    return paddle.scale(paddle.matmul(x, weight(64, 8)) + vector(8), 0.125)


def scale_that_adds(x):
    return paddle.scale(paddle.matmul(x, weight(64, 8)) + vector(8), 0.125, 1.0)


def in_a_loop(x):
    w, b = weight(64, 1024), vector(1024)
    back = weight(1024, 64)
    i, start = paddle.full([1], 0, "int64"), paddle.full([1], 1.0)

    def body(i, h):
        one = paddle.full([1], 1, "int64") * paddle.cast(start, "int64")
        return [i + one, paddle.tanh(paddle.matmul(F.relu(paddle.matmul(h, w) + b), back))]

    return paddle.static.nn.while_loop(lambda i, h: i < 3, body, [i, x])[1]


def scaled_convolutions(x):
    """RepLCNet: a number times the result, and another one added."""
    y = add_op("conv2d", {"Input": x, "Filter": weight(4, 16, 1, 1)}, {}, [-1, 4, 2, 2], "Output")
    y = F.hardswish(vector(1) * y + vector(1))
    inputs = {"Input": y, "Filter": weight(3, 4, 1, 1), "Bias": vector(3)}
    y = add_op("conv2d", inputs, {}, [-1, 3, 2, 2], "Output")
    return vector(1) + y * vector(1)


def scaled_by_data(x):
    inputs = {"Input": x, "Filter": weight(4, 16, 1, 1)}
    y = add_op("conv2d", inputs, {}, [-1, 4, 2, 2], "Output")
    return y * paddle.reshape(paddle.max(x), [1]) + vector(1)


# -- encoders ---------------------------------------------------------------------------------


def norm_by_hand(x):
    centred = x - paddle.mean(x, -1, keepdim=True)
    variance = paddle.mean(paddle.pow(centred, 2.0), -1, keepdim=True)
    return centred / paddle.sqrt(variance + 1e-5) * vector(4) + vector(4)


def norm_over_rows(x):
    centred = x - paddle.mean(x, 1, keepdim=True)
    variance = paddle.mean(paddle.pow(centred, 2.0), 1, keepdim=True)
    return centred / paddle.sqrt(variance + 1e-5) * vector(4) + vector(4)


def norm(x):
    return F.layer_norm(x, x.shape[-1:], vector(x.shape[-1]), vector(x.shape[-1]))


def sum_and_norm(x):
    return norm(paddle.tanh(x) + x)


def norm_before(x):
    y = paddle.tanh(x) + x
    return y + norm(y)


def embeddings(words, kinds):
    """PaddleNLP's BERT: the word table has a padding row."""
    places = paddle.cumsum(paddle.ones_like(words), 1) - paddle.ones_like(words)
    total = F.embedding(words, weight(9, 16), padding_idx=0) + F.embedding(places, weight(7, 16))
    return norm(total + F.embedding(kinds, weight(2, 16)))


def old_embeddings(words, kinds):
    """1.8: Ids are [n, length, 1]."""
    rows = [
        add_op(
            "lookup_table", {"Ids": ids, "W": weight(rows, 16)}, {"padding_idx": -1}, [-1, 5, 16]
        )
        for ids, rows in ((words, 9), (kinds, 2))
    ]
    return norm(add_op("elementwise_add", {"X": rows[0], "Y": rows[1]}, {"axis": -1}, [-1, 5, 16]))


def embedding_and_rest(words, kinds):
    first = F.embedding(words, weight(9, 16))
    return first + norm(first + F.embedding(kinds, weight(2, 16)))


def encoder(x, mask):
    """nn.TransformerEncoder: linear, reshape2, transpose2, products, softmax and back."""
    layer = paddle.nn.TransformerEncoderLayer(64, 4, 1024, activation="gelu")
    layer.eval()
    return layer(x, mask)


def split_heads(x):
    """Keys of other rows than the queries: heads come from dimension 1."""
    y = paddle.transpose(paddle.reshape(x, [0, 4, 5, 16]), [0, 1, 2, 3])
    y = paddle.tanh(y)
    scores = F.softmax(paddle.matmul(y, y, transpose_y=True) * 0.25)
    return paddle.reshape(paddle.matmul(scores, y), [0, 5, 64])


def one_for_all(x):
    """Queries, keys and values are the same rows."""
    y = paddle.transpose(paddle.reshape(paddle.tanh(x), [0, 0, 4, 16]), [0, 2, 1, 3])
    scores = F.softmax(paddle.matmul(y, y, transpose_y=True) * 0.25)
    return paddle.reshape(paddle.transpose(paddle.matmul(scores, y), [0, 2, 1, 3]), [0, 0, 64])


X3 = {"x": normal(2, 3, 4)}
ROWS = {"x": normal(5, 64)}
WORDS = {
    "words": np.random.RandomState(0).randint(0, 9, (3, 5)),
    "kinds": np.random.RandomState(1).randint(0, 2, (3, 5)),
}
OLD_WORDS = {name: value[..., None] for name, value in WORDS.items()}
SENTENCES = {
    "x": normal(2, 5, 64),
    "mask": np.where(np.arange(5) > 3, -1e4, 0).reshape(1, 1, 1, 5).astype("float32").repeat(2, 0),
}
