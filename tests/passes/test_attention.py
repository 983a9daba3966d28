"""The pass attention: products, softmax, scale and mask become one operator, gradients too."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.core.op import C
from tests.executor.building import building
from tests.passes.cases import normal, prepared, same, types

F = paddle.nn.functional
NAME = "scaled_dot_product_attention"
FEED = {
    "q": normal(2, 2, 3, 4, seed=1),
    "k": normal(2, 2, 5, 4, seed=2),
    "v": normal(2, 2, 5, 4, seed=3),
    "m": normal(2, 1, 3, 5, seed=4),
}
FILES = Path(__file__).parent.parent / "data" / "programs"


def operands(dtype="float32", width=4, trained=False, mask=(-1, 1, 3, 5)):
    """Q, K and V that are multiplied by parameters, and a mask."""
    made = {}
    for name, array in FEED.items():
        shape = [-1, *array.shape[1:]] if name != "m" else list(mask)
        if name == "v":
            shape[3] = width
        x = paddle.static.data(name, shape, dtype)
        x.stop_gradient = name == "m" and not trained
        made[name] = x if name == "m" else x * paddle.static.create_parameter([1], dtype)
    return made["q"], made["k"], made["v"], made["m"]


def fed(*names, **changed):
    return {n: changed.get(n, FEED[n]) for n in names or FEED}


def weights_of(q, k, mask=None, scale=0.5, where="q"):
    """The weights of attention, as layers write them down."""
    scores = paddle.matmul(q * scale if where == "q" else q, k, transpose_y=True)
    if where == "scores":
        scores = scores * scale
    return F.softmax(scores if mask is None else scores + mask)


def old_product(q, k, mask=None):
    """The product of 1.x, which multiplies by a number."""
    block = paddle.static.default_main_program().current_block()
    scores = block.create_var(name="scores", shape=[-1, 2, 3, 5], dtype="float32")
    attrs = {"transpose_X": False, "transpose_Y": True, "alpha": 0.5}
    block.append_op("matmul", {"X": [q], "Y": [k]}, {"Out": [scores]}, attrs)
    scores.stop_gradient = False
    return F.softmax(scores if mask is None else scores + mask)


WAYS = {
    "q scaled": weights_of,
    "scores scaled": lambda q, k, m=None: weights_of(q, k, m, where="scores"),
    "not scaled": lambda q, k, m=None: weights_of(q, k, m, where="nowhere"),
    "both scaled": lambda q, k, m=None: weights_of(q * 0.5, k, m, where="scores"),
    "1.x": old_product,
}


@pytest.mark.parametrize("masked", [False, True], ids=["plain", "mask"])
@pytest.mark.parametrize("way", WAYS, ids=list(WAYS))
def test_it_is_joined_where_nothing_is_trained(way, masked):
    with building() as (main, startup):
        q, k, v, m = operands()
        out = paddle.matmul(WAYS[way](q, k, m if masked else None), v)
    feed = fed() if masked else fed("q", "k", "v")
    found = types(main, feed, [out])
    assert set(found) == {"elementwise_mul", NAME} and found.count(NAME) == 1
    assert NAME not in types(main, feed, [out], skipped=["attention"])
    assert NAME not in types(main, feed, [out], fuse=False)
    same(main, startup, feed, [out])


@pytest.mark.parametrize("masked", [False, True], ids=["plain", "mask"])
@pytest.mark.parametrize("way", WAYS, ids=list(WAYS))
def test_gradients_are_joined_with_it(way, masked):
    with building() as (main, startup):
        q, k, v, m = operands()
        loss = paddle.mean(paddle.matmul(WAYS[way](q, k, m if masked else None), v) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    feed = fed() if masked else fed("q", "k", "v")
    found = types(main, feed, [loss])
    assert found.count(NAME) == found.count(NAME + "_grad") == 1
    assert not any("softmax" in t or t.startswith("matmul") for t in found)
    assert "scale" not in found
    same(main, startup, feed, [loss, "q@GRAD", "k@GRAD", "v@GRAD"])


def test_the_operator_of_dynamic_mode_comes_back():
    with building() as (main, startup):
        q, k, v, m = operands("float64")
        out = C.scaled_dot_product_attention(q, k, v, m, scale=0.5)[0]
        loss = paddle.mean(out**2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    feed = {n: a.astype("float64") for n, a in FEED.items()}
    joined = [op for op in prepared(main, feed, [loss]).global_block().ops if op.type == NAME]
    assert [op.attrs["scale"] for op in joined] == [0.5]
    same(main, startup, feed, [loss, out])


def test_operands_that_are_made_on_the_way():
    with building() as (main, startup):
        q, k, v, m = operands()
        scores = paddle.matmul(q * 0.5, k, transpose_y=True)
        weights = F.softmax(scores + paddle.cast(m > 0.0, "float32"))
        loss = paddle.mean(paddle.matmul(weights, v * 2.0) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    found = types(main, FEED, [loss])
    assert NAME in found and NAME + "_grad" in found and "softmax" not in found
    same(main, startup, FEED, [loss, "q@GRAD", "k@GRAD", "v@GRAD"])


@pytest.mark.parametrize("mask", [(5,), (3, 5), (1, 5), (2, 1, 1, 5), (2, 2, 3, 5)], ids=str)
def test_masks_of_any_shape(mask):
    with building() as (main, startup):
        q, k, v, m = operands(mask=mask)
        loss = paddle.mean(paddle.matmul(weights_of(q, k, m), v) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    hidden = np.where(normal(*mask) > 0.5, -1e9, 0.0).astype("float32")
    feed = fed(m=hidden)
    assert NAME in types(main, feed, [loss])
    same(main, startup, feed, [loss])
    same(main, startup, fed(m=np.full(mask, -np.inf, "float32")), [loss], steps=1)


@pytest.mark.parametrize(
    "changed",
    [
        {"m": normal(4, 1, 3, 5), "q": FEED["q"][:1], "k": FEED["k"][:1], "v": FEED["v"][:1]},
        {"q": FEED["q"][:1]},
        {"k": FEED["k"][:1]},
        {"v": FEED["v"][:1], "m": FEED["m"][:1]},
    ],
    ids=["mask", "q", "k", "v"],
)
def test_batches_of_one_are_repeated_as_products_do_it(changed):
    with building() as (main, startup):
        q, k, v, m = operands()
        loss = paddle.mean(paddle.matmul(weights_of(q, k, m), v) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    assert NAME in types(main, FEED, [loss])
    same(main, startup, fed(**changed), [loss, "q@GRAD", "k@GRAD", "v@GRAD"])


@pytest.mark.parametrize("constant", ["q", "k", "v", "qk", "kv", "qv"])
def test_operands_that_want_no_gradient(constant):
    with building() as (main, startup):
        parts = dict(zip("qkv", operands()[:3], strict=True))
        for name in constant:
            parts[name].stop_gradient = True
        loss = paddle.mean(paddle.matmul(weights_of(parts["q"], parts["k"]), parts["v"]) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    found = types(main, fed("q", "k", "v"), [loss])
    joined = constant != "qk"  # then the weights have no gradient
    assert (NAME + "_grad" in found) is joined and ("softmax" in found) is not joined
    same(main, startup, fed("q", "k", "v"), [loss])


def test_self_attention_adds_the_gradients_up():
    with building() as (main, startup):
        x = paddle.static.data("q", [-1, 2, 3, 4])
        q = x * paddle.static.create_parameter([1], "float32")
        loss = paddle.mean(paddle.matmul(weights_of(q, q), q) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    assert NAME + "_grad" in types(main, fed("q"), [loss])
    same(main, startup, fed("q"), [loss, f"{q.name}@GRAD"])


def test_a_dropout_that_drops_nothing_belongs_to_it():
    with building() as (main, startup):
        q, k, v, _ = operands()
        weights = F.dropout(weights_of(q, k), 0.5)
        out = paddle.matmul(weights, v)
        test = main.clone(for_test=True)
        loss = paddle.mean(out**2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    feed = fed("q", "k", "v")
    assert set(types(test, feed, [out])) == {"elementwise_mul", NAME}
    same(test, startup, feed, [out])
    assert {"dropout", "softmax", "softmax_grad"} <= set(types(main, feed, [loss]))
    for op in main.global_block().ops:
        if op.type in ("dropout", "dropout_grad"):
            op._set_attr("dropout_prob", 0.0)
    assert not any("dropout" in t or "softmax" in t for t in types(main, feed, [loss]))
    same(main, startup, feed, [loss])


def test_a_dropout_that_makes_weights_smaller_stays():
    with building() as (main, startup):
        q, k, v, _ = operands()
        weights = F.dropout(weights_of(q, k), 0.5, mode="downscale_in_infer")
        test = main.clone(for_test=True)
        with paddle.static.program_guard(test):
            var = test.global_block().var
            out = paddle.matmul(var(weights.name), var(v.name))
    assert "softmax" in types(test, fed("q", "k", "v"), [out])
    same(test, startup, fed("q", "k", "v"), [out])


def test_layers_are_joined_whole():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 5, 16])
        m = paddle.static.data("m", [None, 1, 5, 5])
        layer = paddle.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0)
        loss = paddle.mean(paddle.nn.TransformerEncoder(layer, 2)(x, m) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    feed = {"x": normal(3, 5, 16), "m": normal(3, 1, 5, 5, seed=1)}
    found = types(main, feed, [loss])
    assert found.count(NAME) == found.count(NAME + "_grad") == 2 and "softmax" not in found
    same(main, startup, feed, [loss])


def test_it_works_inside_of_blocks():
    with building() as (main, startup):
        q, k, v, _ = operands()
        out = paddle.static.nn.cond(
            paddle.mean(q) > -100.0, lambda: paddle.matmul(weights_of(q, k), v), lambda: q
        )
    feed = fed("q", "k", "v")
    inner = [[op.type for op in b.ops] for b in prepared(main, feed, [out]).blocks[1:]]
    assert sum(NAME in kinds for kinds in inner) == 1
    same(main, startup, feed, [out])


def test_a_program_of_paddlepaddle_is_joined():
    with zipfile.ZipFile(FILES / "2.6.2_attention.zip") as files:
        about = json.loads(files.read("meta.json"))
        feeds = list(np.load(io.BytesIO(files.read("feeds.npz"))))
        main = paddle.static.Program.parse_from_string(files.read("main.pb"))
    found = types(main, feeds, about["fetches"])
    assert NAME in found and NAME + "_grad" in found and "softmax_grad" not in found


# -- what is left alone ----------------------------------------------------------------------------


def fetched(name):
    def finish(q, k, v, m):
        weights = weights_of(q, k, m)
        ops = paddle.static.default_main_program().global_block().ops
        made = {"weights": weights.name, "scores": ops[-3].outputs["Out"][0]}
        return paddle.matmul(weights, v), made[name]

    return finish


def weights_read_twice(q, k, v, m):
    weights = weights_of(q, k, m)
    return paddle.matmul(weights, v) + paddle.mean(weights), None


def scores_read_twice(q, k, v, m):
    scores = paddle.matmul(q, k, transpose_y=True)
    return paddle.matmul(F.softmax(scores + m), v) + paddle.mean(scores), None


def read_in_a_block(q, k, v, m):
    weights = weights_of(q, k, m)
    more = paddle.static.nn.cond(
        paddle.mean(q) > 0.0, lambda: paddle.sum(weights), lambda: paddle.max(weights)
    )
    return paddle.matmul(weights, v) + more, None


def key_written(q, k, v, m):
    weights = weights_of(q, k, m)
    paddle.assign(k * 2.0, k)
    return paddle.matmul(weights, v) + paddle.mean(k), None


def other_axis(q, k, v, m):
    weights = F.softmax(paddle.matmul(q, k, transpose_y=True) + m, axis=2)
    return paddle.matmul(weights, v), None


def shifted(q, k, v, m):
    scores = paddle.scale(paddle.matmul(q, k, transpose_y=True), 0.5, bias=1.0)
    return paddle.matmul(F.softmax(scores), v) + paddle.mean(m), None


def key_not_transposed(q, k, v, m):
    scores = paddle.matmul(q, paddle.transpose(k, [0, 1, 3, 2]))
    return paddle.matmul(F.softmax(scores + m), v), None


def value_transposed(q, k, v, m):
    turned = paddle.transpose(v, [0, 1, 3, 2])
    return paddle.matmul(weights_of(q, k, m), turned, transpose_y=True), None


def three_dimensions(q, k, v, m):
    q, k, v, m = (paddle.flatten(t, 0, 1) for t in (q, k, v, m.expand([2, 2, 3, 5])))
    return paddle.matmul(weights_of(q, k, m), v), None


def weights_times_themselves(q, k, v, m):
    weights = weights_of(q, q)
    return paddle.matmul(weights, weights) + paddle.mean(k) + paddle.mean(v) + paddle.mean(m), None


LEFT = [
    fetched("weights"), fetched("scores"), weights_read_twice, scores_read_twice, read_in_a_block,
    key_written, other_axis, shifted, key_not_transposed, value_transposed, three_dimensions,
    weights_times_themselves,
]  # fmt: skip


TRAINED = [f for f in LEFT if f is not key_written]  # that overwrites what its gradient reads


@pytest.mark.parametrize(
    ("finish", "train"),
    [*((f, False) for f in LEFT), *((f, True) for f in TRAINED)],
    ids=lambda v: v.__name__ if callable(v) else "training" if v else "inference",
)
def test_it_leaves_alone(finish, train):
    with building() as (main, startup):
        out, extra = finish(*operands())
        fetch = [paddle.mean(out**2), *([extra] if extra else [])]
        if train:
            paddle.optimizer.SGD(0.1).minimize(fetch[0])
    found = types(main, FEED, fetch)
    assert "softmax" in found and NAME not in found
    assert ("softmax_grad" in found) is train
    same(main, startup, FEED, fetch)


def test_a_mask_that_is_trained_stays():
    with building() as (main, startup):
        q, k, v, m = operands(trained=True)
        loss = paddle.mean(paddle.matmul(weights_of(q, k, m), v) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    assert "softmax_grad" in types(main, FEED, [loss])
    same(main, startup, FEED, [loss, "m@GRAD"])


@pytest.mark.parametrize("slot", ["X@GRAD", "Out@GRAD"])
def test_a_gradient_that_is_fetched_stays(slot):
    with building() as (main, startup):
        q, k, v, m = operands()
        loss = paddle.mean(paddle.matmul(weights_of(q, k, m), v) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    back = next(op for op in main.global_block().ops if op.type == "softmax_grad")
    (name,) = {**back.inputs, **back.outputs}[slot]
    assert "softmax_grad" in types(main, FEED, [loss, name])
    same(main, startup, FEED, [loss, name])


def test_values_of_another_width_stay():
    with building() as (main, startup):
        q, k, v, _ = operands(width=6)
        out = paddle.matmul(weights_of(q, k), v)
    feed = fed("q", "k") | {"v": normal(2, 2, 5, 6)}
    assert "softmax" in types(main, feed, [out])
    same(main, startup, feed, [out])


def test_a_second_derivative_keeps_the_parts():
    with building() as (main, startup):
        q, k, v, _ = operands()
        out = paddle.mean(paddle.matmul(weights_of(q, k), v) ** 2)
        (d_q,) = paddle.static.gradients([out], [q])
        (again,) = paddle.static.gradients([paddle.mean(d_q**2)], [k])
    feed = fed("q", "k", "v")
    assert "softmax" in types(main, feed, [again])
    same(main, startup, feed, [again])
