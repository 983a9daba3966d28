"""Groups of operators of the corpus for PaddlePaddle 2.6.2, most with their gradients."""

from __future__ import annotations

import numpy as np
from corpus import Built, Corpus, rng

import paddle
import paddle.nn.functional as F
from paddle import static


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
            inputs[key] = static.data(key, list(shape))
            inputs[key].stop_gradient = False
        outputs = list(make(**inputs))
        fetches = list(outputs)
        if gradients:
            loss = paddle.add_n([paddle.sum(paddle.square(o)) for o in outputs])
            fetches += static.gradients([loss], list(inputs.values()))
        return Built(feeds, [f for f in fetches if f is not None])

    return build


def arithmetic(x, y, row, column):
    return [
        paddle.add(x, y),
        x - row,
        x * column,
        x / y,
        paddle.maximum(x, row),
        paddle.minimum(x, column),
        paddle.pow(y, 1.5),
        paddle.pow(y, row * 0.5),
        2.0 - x,
        1.0 / y,
        -x,
        x * 3.0 + 1.0,
        2.0**x,
        paddle.scale(x, 2.0, 1.0, bias_after_scale=False),
        paddle.add_n([x, y, x]),
        paddle.clip(x, -0.5, 0.7),
    ]


def integers(x, y):
    a, b = paddle.cast(x * 10, "int64"), paddle.cast(y * 3, "int32") + 1
    c = paddle.cast(b, "int64")
    return [
        a // c,
        a % c,
        paddle.mod(x, y),
        a * 3,
        a + 2.5,
        a == c,
        a != c,
        x < y,
        x <= y,
        x > y,
        x >= y,
        paddle.logical_and(x > 0, y > 1),
        paddle.logical_or(x > 0, y > 1),
        paddle.logical_xor(x > 0, y > 1),
        paddle.logical_not(x > 0),
        paddle.equal_all(a, c),
        paddle.allclose(x, x + 1e-9),
        paddle.isnan(x),
        paddle.isinf(x),
        paddle.isfinite(x),
        paddle.sign(x),
        paddle.ceil(x),
        paddle.floor(x),
        paddle.round(x),
        paddle.any(x > 1.0, axis=1),
        paddle.all(x > -1.0, axis=0, keepdim=True),
        paddle.cast(x > 0, "float32"),
        paddle.assign(np.array([[1, 2], [3, 4]], "int64")),
        paddle.assign(np.array([0.5, 1.5], "float32")),
        paddle.shard_index(paddle.abs(a[:, 0:1]), 60, 2, 0),
        paddle.histogram(x, 4, -2, 2),
        paddle.is_empty(x),
        paddle.rank(x),
        paddle.bitwise_and(a, c),
    ]


def unary(x, y):
    return [
        paddle.exp(x),
        paddle.log(y),
        paddle.log2(y),
        paddle.log10(y),
        paddle.log1p(y),
        paddle.sqrt(y),
        paddle.rsqrt(y),
        paddle.square(x),
        paddle.abs(x),
        paddle.sin(x),
        paddle.cos(x),
        paddle.tanh(x),
        paddle.sinh(x),
        paddle.cosh(x),
        paddle.atan(x),
        paddle.asin(x * 0.2),
        paddle.acos(x * 0.2),
        paddle.erf(x),
        paddle.reciprocal(y),
        paddle.stanh(x),
        paddle.increment(paddle.sum(x)),
        paddle.cumsum(x, axis=1),
        paddle.cumsum(x),
    ]


def activations(x, weight):
    return [
        F.relu(x),
        F.relu6(x * 4),
        F.elu(x, 0.7),
        F.gelu(x),
        F.gelu(x, True),
        F.hardshrink(x),
        F.hardsigmoid(x),
        F.hardswish(x),
        F.hardtanh(x),
        F.leaky_relu(x, 0.2),
        F.log_sigmoid(x),
        F.log_softmax(x, 1),
        F.maxout(paddle.unsqueeze(x, -1), 2, 1),
        F.prelu(x, weight),
        F.selu(x),
        F.sigmoid(x),
        F.softmax(x, 1),
        F.softplus(x, 2, 3),
        F.softshrink(x),
        F.softsign(x),
        F.swish(x),
        F.tanhshrink(x),
        F.thresholded_relu(x),
        F.normalize(x, axis=1),
        F.dropout(x, 0.3, training=False),
        F.dropout(x, 0.3, training=False, mode="downscale_in_infer"),
        F.mish(x),
        F.silu(x),
    ]


def shapes(x):
    first, second, third = paddle.split(x, [1, -1, 2], axis=1)
    return [
        paddle.reshape(x, [0, -1]),
        paddle.reshape(x, [paddle.full([1], 4, "int32"), 6]),
        paddle.transpose(x, [2, 0, 1]),
        first,
        second,
        third,
        *paddle.chunk(x, 2, axis=2),
        paddle.concat([x, x * 2], axis=-1),
        paddle.stack([x, x], axis=1),
        *paddle.unstack(x, axis=2),
        *paddle.unbind(x, axis=0),
        paddle.unsqueeze(x, [0, -1]),
        paddle.squeeze(first, 1),
        paddle.flatten(x, 1, 2),
        paddle.expand(first, [2, 6, 2]),
        paddle.expand_as(first, second),
        paddle.tile(x, [1, 2, 1]),
        paddle.broadcast_to(first, [3, 2, 1, 2]),
        paddle.flip(x, [0, 2]),
        paddle.roll(x, 1),
        paddle.roll(x, [1, -2], [0, 1]),
        x[:, 1:5:2],
        x[0],
        x[..., -1],
        x[:, ::-1],
        x[:, None, 2],
        paddle.slice(x, [1, 2], [-3, 0], [6, 1]),
        paddle.strided_slice(x, [1], [5], [0], [-2]),
        paddle.crop(x, [2, 2, 1], [0, 3, 1]),
        paddle.tril(x[0]),
        paddle.triu(x[0], 1),
        paddle.diag(x[0, :, 0], 1),
        F.diag_embed(x[0], 1),
        F.pad(x, [1, 0, 0, 2, 0, 0]),
        paddle.moveaxis(x, 0, 2),
        paddle.kron(first[0], x[0]),
        paddle.meshgrid(x[0, :, 0], x[1, :, 1])[0],
        paddle.t(x[0]),
    ]


def indexing(x):
    index = paddle.assign(np.array([2, 0, 1], "int64"))
    pairs = paddle.assign(np.array([[1, 2], [3, 0]], "int64"))
    ordered = paddle.argsort(x, axis=1, descending=True)
    values, _places = paddle.topk(x, 2, axis=1)
    low, _ = paddle.topk(x, 2, axis=0, largest=False)
    return [
        paddle.gather(x, index),
        paddle.gather_nd(x, pairs),
        paddle.index_select(x, index, axis=1),
        paddle.index_sample(x, ordered[:, 0:2]),
        paddle.scatter(x, index, x[0:3] * 2),
        paddle.scatter(x, index, x[0:3] * 2, overwrite=False),
        paddle.scatter_nd_add(x, pairs, x[0:2, 0]),
        paddle.scatter_nd(pairs, x[0:2, 0], [5, 4]),
        paddle.where(x > 0, x, x * 0.1),
        paddle.masked_select(x, x > 0),
        paddle.multiplex([x, x * 2], paddle.assign(np.array([[1], [0], [1], [0], [1]], "int32"))),
        paddle.sort(x, axis=0),
        values,
        low,
    ]


def positions(x):
    _values, places = paddle.topk(x, 2, axis=1)
    rounded = paddle.round(x)
    unique, index, inverse, counts = paddle.unique(rounded, True, True, True)
    return [
        # 2.6.2 differentiates this wrongly on CPU
        paddle.gather(x, paddle.assign(np.array([2, 0, 1], "int64")), axis=1),
        places,
        paddle.argmax(x, axis=1),
        paddle.argmax(x),
        paddle.argmin(x, axis=0, keepdim=True, dtype="int32"),
        paddle.argsort(x, axis=0),
        paddle.nonzero(x > 0),
        unique,
        index,
        inverse,
        counts,
        F.one_hot(paddle.argmax(x, axis=1), 4),
        paddle.shape(x),
        paddle.numel(x),
        paddle.full([2, 3], 7, "int32"),
        paddle.full_like(x, 1.5),
        paddle.zeros_like(x),
        paddle.ones([2], "bool"),
        paddle.arange(1, 7, 2),
        paddle.linspace(0, 1, 5),
        paddle.eye(2, 3),
        paddle.tril(paddle.ones([3, 3])),
        F.label_smooth(F.one_hot(paddle.argmin(x, axis=1), 4), epsilon=0.2),
    ]


def reductions(x):
    return [
        paddle.sum(x),
        paddle.sum(x, [0, 2]),
        paddle.sum(x, 1, keepdim=True),
        paddle.mean(x),
        paddle.mean(x, -1),
        paddle.max(x, 1),
        paddle.min(x, [0, 1]),
        paddle.prod(x, 1),
        paddle.logsumexp(x, [1, 2]),
        paddle.norm(x),
        paddle.norm(x, 1, 1),
        paddle.norm(x, 3, 2, keepdim=True),
        paddle.norm(x, "fro", [0, 1]),
        paddle.norm(x, np.inf, 1),
        paddle.std(x, 1),
        paddle.var(x),
        paddle.median(x, 1),
        paddle.dist(x, x * 2, 3),
    ]


def algebra(a, b, c, d):
    return [
        paddle.matmul(a, b),
        paddle.matmul(a, c, transpose_y=True),
        paddle.matmul(c, a, transpose_x=False, transpose_y=True),
        paddle.matmul(d, b),
        paddle.mm(a, b),
        paddle.bmm(d, paddle.transpose(d, [0, 2, 1])),
        paddle.dot(a, c),
        paddle.mv(a, b[:, 0]),
        paddle.addmm(paddle.matmul(a, b), c, b, 0.5, 2.0),
        paddle.cross(a[:, 0:3], c[:, 0:3], 1),
        paddle.trace(a, 1),
        paddle.inverse(paddle.matmul(b, b, True) + 3 * paddle.eye(2)),
        paddle.cholesky(paddle.matmul(b, b, True) + 3 * paddle.eye(2)),
        paddle.einsum("ij,jk->ki", a, b),
        F.linear(a, b),
        F.cosine_similarity(a, c),
    ]


def losses(x, y):
    label = paddle.assign(np.array([[1], [0], [3]], "int64"))
    flat = paddle.assign(np.array([1, 0, 3], "int64"))
    weight = paddle.assign(np.array([0.5, 1.0, 2.0, 0.1], "float32"))
    probability = F.sigmoid(x)
    soft = F.softmax(y)
    return [
        F.cross_entropy(x, label),
        F.cross_entropy(x, flat, weight=weight, reduction="sum"),
        F.cross_entropy(x, flat, ignore_index=0, reduction="none"),
        F.cross_entropy(x, soft, soft_label=True),
        F.softmax_with_cross_entropy(x, label),
        F.nll_loss(F.log_softmax(x), flat, weight),
        F.mse_loss(x, y),
        F.l1_loss(x, y, "sum"),
        F.smooth_l1_loss(x, y, delta=0.7),
        F.kl_div(F.log_softmax(x), soft, "sum"),
        F.binary_cross_entropy(probability, soft),
        F.binary_cross_entropy_with_logits(x, soft, weight=weight),
        F.margin_ranking_loss(x, y, paddle.sign(y).detach(), 0.1),
        F.square_error_cost(x, y),
        F.log_loss(probability[:, 0:1], soft[:, 0:1]),
        F.sigmoid_focal_loss(x, soft.detach()),
        F.dice_loss(soft, label),
    ]


def vision(x, theta):
    grid = F.affine_grid(theta, [2, 4, 3, 5], align_corners=False)
    pooled, _mask = F.max_pool2d(x, 2, return_mask=True)
    return [
        pooled,
        F.interpolate(x, [9, 7], mode="bilinear", align_corners=True),
        F.interpolate(x, scale_factor=2, mode="bilinear", align_mode=1),
        F.interpolate(x, [3, 3], mode="nearest"),
        F.interpolate(x, [7, 8], mode="bicubic"),
        F.interpolate(x[:, :, 0], [9], mode="linear", data_format="NCW"),
        F.pad(x, [1, 2, 0, 1], mode="reflect"),
        F.pad(x, [1, 2, 0, 1], mode="replicate"),
        F.pad(x, [1, 0, 2, 1], value=0.5),
        F.pad(x, [1, 0, 2, 1], mode="circular"),
        F.pixel_shuffle(x, 2),
        F.unfold(x, 2, 1, 1),
        grid,
        F.grid_sample(x, grid, align_corners=False),
        F.grid_sample(x, grid, "nearest", "border"),
        F.local_response_norm(x, 3),
        F.temporal_shift(x, 2),
        F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
        F.avg_pool2d(x, 3, 2, 1, exclusive=False),
        F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=4),
        F.max_pool1d(x[:, :, 0], 2),
        F.avg_pool1d(x[:, :, 0], 3, 2, 1),
        F.adaptive_avg_pool2d(x, [3, 2]),
        F.adaptive_max_pool2d(x, 2),
        F.adaptive_avg_pool1d(x[:, :, 0], 3),
        F.max_pool2d(paddle.transpose(x, [0, 2, 3, 1]), 2, data_format="NHWC"),
    ]


def normalised_and_convolved(x, w, wt, scale, bias):
    mean = paddle.full([4], 0.1)
    variance = paddle.full([4], 0.8)
    return [
        F.conv2d(x, w, padding=1),
        F.conv2d(x, w, stride=2, padding=[1, 0], dilation=[1, 2]),
        F.conv2d(x, w, padding="SAME", stride=2),
        F.conv2d(x, wt, groups=4),
        F.conv2d_transpose(x, w.transpose([1, 0, 2, 3]), stride=2, output_padding=1),
        F.conv2d_transpose(x, w.transpose([1, 0, 2, 3]), stride=2, output_size=[12, 11]),
        F.conv1d(x[:, :, 0], w[:, :, 0], padding=1),
        F.conv1d_transpose(x[:, :, 0], w[:, :, 0].transpose([1, 0, 2])),
        F.batch_norm(x, mean, variance, scale, bias),
        F.layer_norm(x, [4, 5, 5]),
        F.instance_norm(x),
        F.batch_norm(
            x.transpose([0, 2, 3, 1]), mean, variance, scale, bias, False, data_format="NHWC"
        ),
    ]


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    small = {"x": (3, 4), "y": (3, 4)}
    add = corpus.case
    four = dict(small, row=(4,), column=(3, 1))
    add("arithmetic", group("arithmetic", four, arithmetic, positive=("y",)))
    add("integers", group("integers", small, integers, False, positive=("y",)))
    add("unary", group("unary", small, unary, positive=("y",)))
    add("activations", group("activations", {"x": (2, 4, 3), "weight": (4,)}, activations))
    add("shapes", group("shapes", {"x": (2, 6, 2)}, shapes))
    add("indexing", group("indexing", {"x": (5, 4)}, indexing))
    add("positions", group("positions", {"x": (5, 4)}, positions, False))
    add("reductions", group("reductions", {"x": (2, 3, 4)}, reductions))
    squares = {"a": (3, 4), "b": (4, 2), "c": (3, 4), "d": (2, 3, 4)}
    add("algebra", group("algebra", squares, algebra))
    add("losses", group("losses", small, losses))
    add("vision", group("vision", {"x": (2, 4, 6, 6), "theta": (2, 2, 3)}, vision))
    convolved = {"x": (2, 4, 5, 5), "w": (3, 4, 3, 3), "wt": (4, 1, 2, 2)}
    add(
        "convolutions",
        group("convolutions", dict(convolved, scale=(4,), bias=(4,)), normalised_and_convolved),
    )
