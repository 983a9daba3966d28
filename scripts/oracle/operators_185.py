"""Groups of operators of the corpus for PaddlePaddle 1.8.5, most with their gradients."""

from __future__ import annotations

import numpy as np
from corpus import Built, Corpus, rng

import paddle.fluid as fluid

layers = fluid.layers


def group(name: str, shapes: dict, make, gradients: bool = True, positive: tuple = ()):
    """A builder: float inputs of the given shapes, `make(**inputs)` gives the outputs.

    With gradients, the sum of squares of the outputs is differentiated with respect to each input.
    """

    def build():
        random = rng(name)
        feeds, inputs = {}, {}
        for key, shape in shapes.items():
            values = random.randn(*shape).astype("float32")
            feeds[key] = np.abs(values) + np.float32(0.3) if key in positive else values
            inputs[key] = fluid.data(key, list(shape))
            inputs[key].stop_gradient = False
        outputs = list(make(**inputs))
        fetches = list(outputs)
        if gradients:
            loss = layers.sums([layers.reduce_sum(layers.square(o)) for o in outputs])
            fetches += fluid.gradients([loss], list(inputs.values()))
        return Built(feeds, [f for f in fetches if f is not None])

    return build


def constants(values, dtype: str):
    return layers.assign(np.array(values, dtype))


def arithmetic(x, y, row, column, middle):
    """Elementwise operators; `axis` places the dimensions of the second operand."""
    return [
        layers.elementwise_add(x, y),
        layers.elementwise_sub(x, row),
        layers.elementwise_mul(x, column, axis=0),
        layers.elementwise_mul(x, middle, axis=1),
        layers.elementwise_div(x, y),
        layers.elementwise_max(x, row),
        layers.elementwise_min(x, middle, axis=1),
        layers.elementwise_pow(y, layers.abs(x)),
        layers.pow(y, 1.5),
        2.0 - x,
        1.0 / y,
        x * 3.0 + 1.0,
        layers.scale(x, 2.0, 1.0, bias_after_scale=False, act="relu"),
        layers.elementwise_add(x, y, act="tanh"),
        layers.sums([x, y, x]),
        layers.sum([x, y]),
        layers.clip(x, -0.5, 0.7),
        layers.clip_by_norm(x, 0.9),
        layers.addcmul(x, x, y, 0.5),
        layers.cos_sim(layers.reshape(x, [2, 12]), layers.reshape(y, [2, 12])),
    ]


def integers(x, y):
    a, b = layers.cast(x * 10.0, "int64"), layers.cast(y * 3.0, "int64") + 1
    return [
        layers.elementwise_floordiv(a, b),
        layers.elementwise_mod(a, b),
        layers.elementwise_mod(x, y),
        a * 3,
        layers.equal(a, b),
        layers.not_equal(a, b),
        layers.less_than(x, y),
        layers.less_equal(x, y),
        layers.greater_than(x, y),
        layers.greater_equal(x, y),
        layers.elementwise_equal(a, b),
        layers.logical_and(layers.less_than(x, y), layers.greater_than(y, x)),
        layers.logical_or(layers.less_than(x, y), layers.greater_than(y, x)),
        layers.logical_xor(layers.less_than(x, y), layers.less_than(x, x)),
        layers.logical_not(layers.less_than(x, y)),
        layers.allclose(x, x + 1e-9),
        layers.has_inf(x),
        layers.has_nan(x),
        layers.isfinite(x),
        layers.sign(x),
        layers.ceil(x),
        layers.floor(x),
        layers.round(x),
        layers.reduce_any(layers.less_than(x, y), dim=1),
        layers.reduce_all(layers.less_than(x, y), dim=0, keep_dim=True),
        layers.cast(layers.less_than(x, y), "float32"),
        constants([[1, 2], [3, 4]], "int64"),
        constants([0.5, 1.5], "float32"),
        layers.shard_index(layers.abs(a[:, 0:1]), 60, 2, 0),
        layers.is_empty(x),
    ]


def unary(x, y):
    return [
        layers.exp(x),
        layers.log(y),
        layers.log1p(y),
        layers.sqrt(y),
        layers.rsqrt(y),
        layers.square(x),
        layers.abs(x),
        layers.sin(x),
        layers.cos(x),
        layers.tanh(x),
        layers.atan(x),
        layers.asin(x * 0.2),
        layers.acos(x * 0.2),
        layers.erf(x),
        layers.reciprocal(y),
        layers.stanh(x),
        layers.cumsum(x, axis=1),
        layers.cumsum(x, axis=0, exclusive=True, reverse=True),
    ]


def activations(x):
    return [
        layers.relu(x),
        layers.relu6(x * 4.0, 5.0),
        layers.elu(x, 0.7),
        layers.gelu(x),
        layers.gelu(x, True),
        layers.hard_shrink(x, 0.4),
        layers.hard_sigmoid(x),
        layers.hard_swish(x),
        layers.brelu(x, -0.3, 0.8),
        layers.leaky_relu(x),
        layers.logsigmoid(x),
        layers.log_softmax(x, 1),
        layers.maxout(layers.unsqueeze(x, [3]), 2),
        layers.prelu(layers.unsqueeze(x, [3]), "all", fluid.ParamAttr("slope")),
        layers.selu(x),
        layers.sigmoid(x),
        layers.softmax(x),
        layers.softmax(x, axis=1),
        layers.softplus(x),
        layers.softshrink(x),
        layers.softsign(x),
        layers.swish(x, 1.5),
        layers.tanh_shrink(x),
        layers.thresholded_relu(x, 0.3),
        layers.soft_relu(x),
        layers.mish(x),
        layers.l2_normalize(x, 1),
    ]


def shapes(x):
    first, second, third = layers.split(x, [1, 3, 2], dim=1)
    return [
        layers.reshape(x, [0, -1]),
        layers.reshape(x * 1.0, [constants([4], "int32"), 6], inplace=True),
        layers.transpose(x, [2, 0, 1]),
        first,
        second,
        third,
        *layers.split(x, 2, dim=2),
        layers.concat([x, x * 2.0], axis=-1),
        layers.stack([x, x], axis=1),
        *layers.unstack(x, axis=2),
        layers.unsqueeze(x, [0, 4]),
        layers.squeeze(first, [1]),
        layers.flatten(x, 2),
        layers.expand(first, [1, 6, 1]),
        layers.expand_as(first, x),
        layers.flip(x, [0, 2]),
        layers.reverse(x, [1]),
        layers.roll(x, 1),
        layers.roll(x, [1, -2], [0, 1]),
        x[:, 1:5],
        x[0],
        x[:, :, -1],
        x[:, 0:6:2],
        layers.slice(x, [1, 2], [-3, 0], [6, 1]),
        layers.strided_slice(x, [1], [5], [0], [-2]),
        layers.crop(x, [2, 2, 1], [0, 3, 1]),
        layers.crop_tensor(x, [2, 2, 1], [0, 3, 1]),
        layers.tril(x[0]),
        layers.triu(x[0], 1),
        layers.diag_embed(x[0], 1),
        layers.pad(x, [0, 0, 1, 0, 0, 2], 0.5),
        layers.pad_constant_like(layers.concat([x, x], 1), x, 0.1),
        *layers.meshgrid([x[0, :, 0], x[1, :, 1]]),
        layers.t(x[0]),
        layers.space_to_depth(layers.reshape(x, [1, 4, 2, 3])[:, :, :, 0:2], 2),
        layers.shuffle_channel(layers.reshape(x, [1, 4, 2, 3]), 2),
    ]


def indexing(x):
    index = constants([2, 0, 1], "int64")
    pairs = constants([[1, 2], [3, 0]], "int64")
    values, places = layers.topk(x, 2)
    return [
        layers.gather(x, index),
        layers.gather_nd(x, pairs),
        layers.index_select(x, index, 1),
        layers.index_sample(x, places),
        layers.scatter_nd_add(x, pairs, x[0:2, 0]),
        layers.scatter_nd(pairs, x[0:2, 0], [5, 4]),
        layers.multiplex([x, x * 2.0], constants([[1], [0], [1], [0], [1]], "int32")),
        values,
        layers.argsort(x, axis=1, descending=True)[0],
    ]


def positions(x):
    _values, places = layers.topk(x, 2)
    flat = layers.cast(layers.reshape(layers.round(x), [-1]), "int64")
    unique, inverse = layers.unique(flat)
    counted = layers.unique_with_counts(flat)
    best = layers.reshape(layers.argmax(x, axis=1), [-1, 1])
    index = constants([2, 0, 1], "int64")
    return [
        # 1.8.5 also hands the gradient of replaced rows to them
        layers.scatter(x, index, x[0:3] * 2.0),
        layers.scatter(x, index, x[0:3] * 2.0, overwrite=False),
        places,
        layers.argmax(x, axis=1),
        layers.argmin(x, axis=0),
        *layers.argsort(x, axis=0),
        layers.where(layers.less_than(x, x * 2.0)),
        unique,
        inverse,
        *counted,
        layers.one_hot(best, 4),
        fluid.one_hot(best, 4),
        layers.shape(x),
        layers.size(x),
        layers.fill_constant([2, 3], "int32", 7),
        layers.fill_constant_batch_size_like(x, [-1, 2], "float32", 1.5),
        layers.full_like(x, 1.5),
        layers.zeros_like(x),
        layers.ones_like(x),
        layers.ones([2], "bool"),
        layers.range(1, 7, 2, "int64"),
        layers.linspace(0, 1, 5, "float32"),
        layers.eye(2, 3),
        layers.diag(constants([1, 2, 3], "int32")),
        layers.label_smooth(fluid.one_hot(layers.argmax(x, axis=1), 4), epsilon=0.2),
        layers.edit_distance(
            constants([[1, 2, 3, 4]], "int64"),
            constants([[1, 3, 3]], "int64"),
            normalized=False,
            input_length=constants([4], "int64"),
            label_length=constants([3], "int64"),
        )[0],
        *layers.mean_iou(
            constants([0, 1, 2, 1], "int32"), constants([0, 1, 1, 1], "int32"), num_classes=3
        ),
    ]


def reductions(x):
    return [
        layers.reduce_sum(x),
        layers.reduce_sum(x, [0, 2]),
        layers.reduce_sum(x, 1, keep_dim=True),
        layers.mean(x),
        layers.reduce_mean(x, -1),
        layers.reduce_max(x, 1),
        layers.reduce_min(x, [0, 1]),
        layers.reduce_prod(x, 1),
        layers.logsumexp(x, [1, 2]),
        layers.dist(x, x * 2.0, 3),
    ]


def algebra(a, b, c, d):
    return [
        layers.matmul(a, b),
        layers.matmul(a, c, transpose_y=True, alpha=0.5),
        layers.matmul(a, c, transpose_x=True),
        layers.matmul(d, b),
        layers.matmul(a[0], b),
        layers.mul(a, b),
        layers.mul(d, layers.reshape(d, [12, 2]), x_num_col_dims=1),
        layers.bmm(d, layers.transpose(d, [0, 2, 1])),
        layers.dot(a, c),
        layers.addmm(layers.matmul(a, b), c, b, 2.0, 0.5),
        layers.cross(a[:, 0:3], c[:, 0:3], 1),
        layers.trace(a, 1),
        layers.kron(a, b),
    ]


def losses(x, y):
    label = constants([[1], [0], [3]], "int64")
    probability = layers.softmax(x)
    soft = layers.softmax(y)
    plain = layers.sigmoid(x)
    binary = layers.cast(layers.less_than(x, y), "float32")
    binary.stop_gradient = True
    one = layers.slice(x, [1], [0], [1])
    other = layers.slice(y, [1], [0], [1])
    truth = layers.slice(binary, [1], [0], [1])
    return [
        layers.cross_entropy(probability, label),
        layers.cross_entropy(probability, label, ignore_index=0),
        layers.cross_entropy(probability, soft, soft_label=True),
        layers.softmax_with_cross_entropy(x, label),
        layers.softmax_with_cross_entropy(x, label, ignore_index=3),
        layers.softmax_with_cross_entropy(x, soft, soft_label=True),
        layers.mse_loss(x, y),
        layers.square_error_cost(x, y),
        layers.smooth_l1(x, y, sigma=1.5),
        layers.huber_loss(one, other, 0.7),
        layers.kldiv_loss(layers.log_softmax(x), soft, "sum"),
        layers.kldiv_loss(layers.log_softmax(x), soft, "batchmean"),
        layers.sigmoid_cross_entropy_with_logits(x, binary, normalize=True),
        layers.log_loss(layers.sigmoid(one), truth),
        layers.margin_rank_loss(truth * 2.0 - 1.0, one, other),
        layers.rank_loss(truth, one, other),
        layers.bpr_loss(probability, label),
        layers.dice_loss(plain, label),
        layers.npair_loss(x, y, constants([0.0, 1.0, 2.0], "float32")),
    ]


def vision(x, theta):
    grid = layers.affine_grid(theta, [2, 4, 6, 6])
    flat = layers.reshape(theta, [12])
    return [
        layers.image_resize(x, [9, 7]),
        layers.image_resize(x, scale=2.0, align_corners=False, align_mode=0),
        layers.image_resize(x, [3, 3], resample="NEAREST", align_corners=False),
        layers.resize_nearest(x, [9, 9]),
        layers.pad2d(x, [1, 2, 0, 1], "reflect"),
        layers.pad2d(x, [1, 2, 0, 1], "edge"),
        layers.pad2d(x, [1, 0, 2, 1], pad_value=0.5),
        layers.pixel_shuffle(x, 2),
        layers.unfold(x, 2, 1, 1),
        grid,
        layers.grid_sampler(x, grid),
        layers.lrn(x, 3),
        layers.temporal_shift(x, 2),
        layers.pool2d(x, 2, "max", 2),
        layers.pool2d(x, 3, "max", 2, 1, ceil_mode=True),
        layers.pool2d(x, 3, "avg", 2, 1, exclusive=False),
        layers.pool2d(x, pool_type="avg", global_pooling=True),
        layers.adaptive_pool2d(x, [3, 2], "avg"),
        layers.adaptive_pool2d(x, 2, "max", require_index=True)[0],
        layers.affine_channel(x, flat[0:4], flat[4:8]),
        layers.add_position_encoding(layers.reshape(x, [2, 12, 12]), 0.5, 2.0),
        layers.fsp_matrix(x, x * 2.0),
    ]


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    small = {"x": (3, 4), "y": (3, 4)}
    add = corpus.case
    shifted = {"x": (2, 3, 4), "y": (2, 3, 4), "row": (4,), "column": (2,), "middle": (3,)}
    add("arithmetic", group("arithmetic", shifted, arithmetic, positive=("y",)))
    add("integers", group("integers", small, integers, False, positive=("y",)))
    add("unary", group("unary", small, unary, positive=("y",)))
    add("activations", group("activations", {"x": (2, 4, 3)}, activations))
    add("shapes", group("shapes", {"x": (2, 6, 2)}, shapes))
    add("indexing", group("indexing", {"x": (5, 4)}, indexing))
    add("positions", group("positions", {"x": (5, 4)}, positions, False))
    add("reductions", group("reductions", {"x": (2, 3, 4)}, reductions))
    squares = {"a": (3, 4), "b": (4, 2), "c": (3, 4), "d": (2, 3, 4)}
    add("algebra", group("algebra", squares, algebra))
    add("losses", group("losses", small, losses))
    add("vision", group("vision", {"x": (2, 4, 6, 6), "theta": (2, 2, 3)}, vision))
