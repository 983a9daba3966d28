"""Operators that small detectors, readers of text and Transformers need: three ways equal."""

import numpy as np
import pytest

import paddle
from paddle.core.errors import UnimplementedError
from paddle.nn import functional as f

from .conftest import answers, converted, lite, save
from .test_models import near


class Layer(paddle.nn.Layer):
    """A function as a Layer."""

    def __init__(self, function, *parts):
        super().__init__()
        self.function, self.parts = function, paddle.nn.LayerList(parts)

    def forward(self, *given):
        return self.function(*self.parts, *given)


def agree(function, *arrays, shapes=None, parts=(), folder, engines, tolerance=1e-5):
    """Saves a function, and compares what it gives here and in each engine."""
    specs = [
        paddle.static.InputSpec(shape, str(a.dtype))
        for shape, a in zip(shapes or [a.shape for a in arrays], arrays)
    ]
    net = Layer(function, *parts)
    net.eval()
    paddle.jit.save(net, str(folder / "net"), input_spec=specs)
    path = converted(str(folder / "net"))
    wanted = answers(str(folder / "net"), *arrays)
    for engine in engines:
        for got, want in zip(lite(path, *arrays, engine=engine), wanted, strict=True):
            if want.dtype == np.float32:
                near(got, want, tolerance)
            else:
                np.testing.assert_array_equal(got, want)
                assert got.dtype == want.dtype


X = np.random.RandomState(0).randn(2, 3, 5, 6).astype("float32")
IDS = np.random.RandomState(1).randint(0, 9, (2, 5))
OPEN = [[None, 3, 5, 6]]

FLOATS = {
    "stack": lambda x: paddle.stack([x, x * 2, -x], axis=-2),
    "unstack": lambda x: paddle.add_n(paddle.unstack(x, axis=1)),
    "pad": lambda x: f.pad(x, [1, 2, 0, 3], value=0.5),
    "pad_reflect": lambda x: f.pad(x, [1, 2, 3, 0], mode="reflect"),
    "pad_replicate": lambda x: f.pad(x, [1, 2, 3, 0], mode="replicate"),
    "pad_all": lambda x: f.pad(x, [0, 0, 1, 0, 0, 2, 3, 1], value=-1.0),
    "expand": lambda x: paddle.expand(x[:, :1], [-1, 4, 5, 6]),
    "expand_rank": lambda x: paddle.expand(x, [2, -1, -1, -1, -1]),
    "tile": lambda x: paddle.tile(x, [2, 1, 1, 3]),
    "tile_one": lambda x: paddle.tile(x[:, :, :1], [1, 1, 4, 1]),
    "strided": lambda x: paddle.strided_slice(x, [1, 2, 3], [2, 4, 0], [-4, 0, 6], [-1, -2, 4]),
    "strided_from_end": lambda x: x[:, ::2, -3:-1],
    "flip": lambda x: paddle.flip(x, [1, -1]),
    "gather": lambda x: paddle.gather(x, paddle.to_tensor([2, 0, 2, 1]), axis=1),
    "split": lambda x: paddle.concat(paddle.split(x, [1, -1, 3], axis=3)[::-1], axis=3),
    "flatten": lambda x: paddle.flatten(x, 1, 2),
    "squeeze": lambda x: paddle.squeeze(paddle.unsqueeze(x, [1, -1]), [1, 5]),
    "greater": lambda x: paddle.cast(x > 0.1, "float32") * x,
    "equal": lambda x: paddle.cast(paddle.equal(paddle.cast(x, "int32"), paddle.ones([1], "int32")),
                                   "int64"),
    "logic": lambda x: paddle.cast(
        paddle.logical_or(paddle.logical_and(x > 0, x <= 1), paddle.logical_not(x < 0.5)), "int32"
    ),
    "where": lambda x: paddle.where(x > 0, x * 3, paddle.exp(x)),
    "cast": lambda x: paddle.cast(paddle.cast(x * 4, "int64"), "float32"),
    "whole": lambda x: paddle.cast(x * 4, "int64") * 3 + paddle.cast(x, "int64") - 2,
    "reciprocal": lambda x: paddle.reciprocal(x) + paddle.mean(x),
    "shape": lambda x: paddle.reshape(x, [x.shape[0], x.shape[1] * 5, -1]),
    "shape_turned": lambda x: paddle.reshape(paddle.transpose(x, [0, 2, 1, 3]), [x.shape[0], -1]),
    "shape_of_another": lambda x: paddle.reshape(
        f.max_pool2d(f.relu(x) + x * x, 2), [paddle.shape(x)[0], -1]),
    "ceil": lambda x: paddle.ceil(x * 3),
    "logarithms": lambda x: sum(g(paddle.abs(x) + 0.5)
                                for g in (paddle.log2, paddle.log10, paddle.log1p)),
    "index_select": lambda x: paddle.index_select(x, paddle.to_tensor([4, 0, 4]), axis=2),
    "all_any": lambda x: paddle.cast(paddle.all(x > -1, axis=1), "float32")
    + paddle.cast(paddle.any(x > 1, axis=1), "float32"),
    "length": lambda x: paddle.norm(x, 2, axis=1, keepdim=True) + paddle.norm(x, 2, axis=-1).sum(),
    "adaptive": lambda x: f.adaptive_avg_pool2d(x, [3, 4]) + f.adaptive_max_pool2d(x, [3, 4]),
    "adaptive_larger": lambda x: f.adaptive_avg_pool2d(x, [8, 1]),
    "pool_of_padding": lambda x: paddle.concat(  # windows that hold nothing
        [paddle.clip(f.max_pool2d(x, [2, 1], 2, [1, 1]), -9, 9),
         f.avg_pool2d(x, [2, 1], 2, [1, 1], exclusive=False)]),
    "pool_beyond": lambda x: f.max_pool2d(x, [6, 2], 2, ceil_mode=True),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOATS)
def test_an_operator(name, tmp_path, engines):
    agree(FLOATS[name], X, shapes=OPEN, folder=tmp_path, engines=engines)


NORMS = {
    "group": lambda: paddle.nn.GroupNorm(3, 6, epsilon=0.1),
    "group_bare": lambda: paddle.nn.GroupNorm(2, 6, weight_attr=False, bias_attr=False),
    "instance": lambda: paddle.nn.InstanceNorm2D(6),
}


@pytest.mark.parametrize("name", NORMS)
def test_what_normalises_by_the_values(name, tmp_path, engines):
    x = np.random.RandomState(0).randn(2, 6, 5, 4).astype("float32")
    part = NORMS[name]()
    for value in part.parameters():
        value.set_value(np.linspace(-1, 2, 6).astype("float32"))
    agree(lambda p, x: p(x), x, parts=[part], shapes=[[None, 6, None, None]], folder=tmp_path,
          engines=engines)  # fmt: skip


@pytest.mark.parametrize(
    ("open_", "form"),
    [(True, {"output_padding": 1, "padding": 1}), (True, {"output_padding": [1, 0]}),
     (True, {"padding": "VALID", "dilation": 2}), (False, {"padding": "SAME", "groups": 2}),
     (False, {"padding": [1, 0]})],
)  # fmt: skip
def test_transposed_convolutions(open_, form, tmp_path, engines):
    paddle.seed(3)
    x = np.random.RandomState(0).randn(2, 4, 5, 6).astype("float32")
    part = paddle.nn.Conv2DTranspose(4, 6, 3, stride=2, **form)
    size = [10, 13] if "padding" in form and form["padding"] == [1, 0] else None
    shapes = [[None, 4, None, None] if open_ else [None, 4, 5, 6]]
    agree(lambda p, x: p(x, size), x, parts=[part], shapes=shapes, folder=tmp_path, engines=engines)


def test_the_batch_of_another_variable_is_not_guessed(tmp_path):
    def turned(x):
        return paddle.reshape(paddle.transpose(x, [1, 0, 2, 3]), [paddle.shape(x)[0], -1])

    prefix = save(Layer(turned), tmp_path / "net", [None, 3, 4, 4])
    with pytest.raises(UnimplementedError, match="those of another variable"):
        converted(prefix)


@pytest.mark.parametrize("mode", ["all", "channel"])
def test_prelu(mode, tmp_path, engines):
    part = paddle.nn.PReLU(1 if mode == "all" else 3, init=0.3)
    agree(lambda p, x: p(x), X, parts=[part], folder=tmp_path, engines=engines)


def test_words_with_a_mask(tmp_path, engines):
    """What BERT and ERNIE begin with: padding is not looked at."""
    paddle.seed(3)
    nn = paddle.nn
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="relu")
    parts = [nn.Embedding(9, 8, padding_idx=0), nn.Embedding(5, 8), nn.TransformerEncoder(layer, 2)]

    def run(words, places, body, ids):
        mask = paddle.unsqueeze(paddle.cast(ids == 0, "float32") * -1e4, [1, 2])
        position = paddle.cumsum(paddle.ones_like(ids), axis=1) - paddle.ones_like(ids)
        y = words(ids) + places(position)
        return body(y, mask)[:, 0]

    agree(run, IDS, parts=parts, folder=tmp_path, engines=engines)


class Ssd(paddle.nn.Layer):
    """Two maps, boxes before, what is moved and suppressed."""

    def __init__(self, density):
        super().__init__()
        conv = paddle.nn.Conv2D
        self.first, self.second = conv(3, 8, 3, 2, 1), conv(8, 8, 3, 2, 1)
        count = 5 if density else 4
        self.places = paddle.nn.LayerList([conv(8, 4 * count, 1) for _ in range(2)])
        self.kinds = paddle.nn.LayerList([conv(8, 3 * count, 1) for _ in range(2)])
        self.density = density

    def forward(self, x):
        layers, maps, boxes = paddle.fluid.layers, [], []
        maps.append(f.relu(self.first(x)))
        maps.append(f.relu(self.second(maps[0])))
        for i, y in enumerate(maps):
            if self.density:
                found = layers.density_prior_box(
                    y, x, densities=[2, 1], fixed_sizes=[6.0 + 6 * i, 12.0],
                    fixed_ratios=[1.0], clip=True)  # fmt: skip
            else:
                found = layers.prior_box(
                    y, x, [6.0 + 6 * i], [12.0 + 9 * i], [2.0], flip=True, clip=True)  # fmt: skip
            boxes.append([paddle.reshape(b, [-1, 4]) for b in found])
        prior, spread = (paddle.concat([b[i] for b in boxes]) for i in (0, 1))
        rows = [paddle.reshape(paddle.transpose(c(y), [0, 2, 3, 1]), [y.shape[0], -1, 4])
                for c, y in zip(self.places, maps)]  # fmt: skip
        kinds = [paddle.reshape(paddle.transpose(c(y), [0, 2, 3, 1]), [y.shape[0], -1, 3])
                 for c, y in zip(self.kinds, maps)]  # fmt: skip
        found = layers.box_coder(
            prior, spread, paddle.concat(rows, 1), "decode_center_size", box_normalized=True
        )
        scores = paddle.transpose(f.softmax(paddle.concat(kinds, 1)), [0, 2, 1])
        return found, paddle.fluid.layers.multiclass_nms(found, scores, 0.3, 40, 20, 0.45)


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("batch", [None, 2])
def test_a_head_of_ssd(density, batch, tmp_path, engines):
    paddle.seed(3)
    x = np.random.RandomState(0).randn(2, 3, 21, 18).astype("float32")
    prefix = save(Ssd(density), tmp_path / "ssd", [batch, 3, 21, 18])
    path, wanted = converted(prefix), answers(prefix, x)
    assert len(wanted[1]) > 3
    for engine in engines:
        for got, want in zip(lite(path, x, engine=engine), wanted, strict=True):
            near(got, want)


def test_boxes_need_the_size_of_the_image(tmp_path):
    prefix = save(Ssd(False), tmp_path / "ssd", [None, 3, None, None])
    with pytest.raises(UnimplementedError, match="prior_box"):
        converted(prefix)


def test_outputs_of_bool_are_refused(tmp_path):
    prefix = save(Layer(lambda x: x > 0), tmp_path / "net", [2, 3])
    with pytest.raises(UnimplementedError, match="bool"):
        converted(prefix)


def test_weights_that_nothing_reads_are_cut(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 3), paddle.nn.BatchNorm2D(4))
    with open(converted(save(net, tmp_path / "net", [None, 3, 8, 8])), "rb") as file:
        content = file.read()
    assert b"conv2d" in content and b"_mean" not in content and b"_variance" not in content
    assert len(content) < 3 * 4 * 3 * 9 * 4 + 500
