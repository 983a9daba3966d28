"""The networks: categories as vectors and numbers, through layers, to the chance of a click."""

import math

import paddle
import paddle.nn.functional as F

paddle.enable_static()


def sum_of_rows(ids, height, width, name, start):
    """The sum of a table's rows for the ids of each record."""
    table = paddle.ParamAttr(name=name, initializer=start)
    rows = paddle.static.nn.embedding(ids, [height, width], is_sparse=True, param_attr=table)
    return paddle.reshape(paddle.static.nn.sequence_pool(rows, "sum"), [-1, width])


def layer(x, size, act=None):
    """A full layer whose weights begin as large as its input is wide."""
    start = paddle.nn.initializer.Normal(0.0, 1.0 / math.sqrt(x.shape[1]))
    weight = paddle.ParamAttr(initializer=start)
    return paddle.static.nn.fc(x, size, activation=act, weight_attr=weight)


def scored(predict, label):
    """The loss, the AUC so far and that of the latest batches."""
    loss = paddle.mean(F.cross_entropy(predict, label, use_softmax=False))
    auc_var, batch_auc_var, _ = paddle.static.auc(predict, label, "ROC", 2**12 - 1, 1, 20)
    return loss, auc_var, batch_auc_var


def ctr_dnn_model_dataset(dense_input, sparse_input_ids, label, embedding_size, sparse_feature_dim):
    """The network of the guide: one table for all 26 fields, and three layers behind it."""
    start = paddle.nn.initializer.Uniform(-0.1, 0.1)
    vectors = [
        sum_of_rows(ids, sparse_feature_dim, embedding_size, "SparseFeatFactors", start)
        for ids in sparse_input_ids
    ]
    hidden = paddle.concat([*vectors, paddle.reshape(dense_input, [-1, 13])], axis=1)
    for size in (64, 32):
        hidden = layer(hidden, size, "relu")
    return scored(layer(hidden, 2, "softmax"), paddle.reshape(label, [-1, 1]))


def wide_and_deep(dense_input, sparse_input_ids, label, embedding_size, sparse_feature_dim):
    """A number for each category (wide) beside the layers over its vectors (deep)."""
    zero = paddle.nn.initializer.Constant(0.0)
    start = paddle.nn.initializer.Uniform(-0.1, 0.1)
    dense = paddle.reshape(dense_input, [-1, 13])
    wide = [sum_of_rows(ids, sparse_feature_dim, 1, "wide", zero) for ids in sparse_input_ids]
    deep = [
        sum_of_rows(ids, sparse_feature_dim, embedding_size, "deep", start)
        for ids in sparse_input_ids
    ]
    hidden = layer(layer(paddle.concat([*deep, dense], axis=1), 64, "relu"), 32, "relu")
    score = layer(paddle.concat([hidden, *wide, dense], axis=1), 1)
    chance = F.sigmoid(score)
    predict = paddle.concat([1.0 - chance, chance], axis=1)
    loss, auc_var, batch_auc_var = scored(predict, paddle.reshape(label, [-1, 1]))
    return loss, auc_var, batch_auc_var, chance
