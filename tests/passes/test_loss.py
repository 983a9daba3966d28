"""The pass loss: a softmax loss of class numbers and its mean or sum are one operator."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from tests.executor.building import building
from tests.passes.cases import normal, same, types

F = paddle.nn.functional
FEED = {"x": normal(6, 5), "label": np.array([[0], [1], [4], [2], [2], [3]])}


def network(finish, **options):
    x = paddle.static.data("x", [None, 5])
    label = paddle.assign(paddle.static.data("label", [None, 1], "int64"))
    logits = paddle.static.nn.fc(x, 5)
    loss, soft = F.softmax_with_cross_entropy(logits, label, return_softmax=True, **options)
    return finish(loss), loss, soft, logits, label


@pytest.mark.parametrize("finish", [paddle.mean, paddle.sum], ids=["mean", "sum"])
@pytest.mark.parametrize("options", [{}, {"ignore_index": 2}], ids=["all", "some ignored"])
def test_a_loss_and_its_reduction_are_joined(finish, options):
    with building() as (main, startup):
        total, *_ = network(finish, **options)
        paddle.optimizer.SGD(0.1).minimize(total)
    found = types(main, FEED, [total])
    assert found.count("hard_cross_entropy") == found.count("hard_cross_entropy_grad") == 1
    assert not any("softmax" in t or "reduce" in t or t.startswith("mean") for t in found)
    assert "softmax_with_cross_entropy_grad" in types(main, FEED, [total], skipped=["loss"])
    if options and finish is paddle.mean:
        return  # the next test
    same(main, startup, FEED, [total])


def test_an_ignored_label_counts_in_the_mean():
    with building() as (main, startup):
        total, *_ = network(paddle.mean, ignore_index=2)
        paddle.optimizer.SGD(0.1).minimize(total)
    same(main, startup, FEED, [total])


def test_it_is_joined_where_nothing_is_trained():
    with building() as (main, startup):
        total, *_ = network(paddle.mean)
    assert types(main, FEED, [total])[-1] == "hard_cross_entropy"
    same(main, startup, FEED, [total])


def test_the_gradient_of_a_mean_as_paddlepaddle_writes_it():
    with building() as (main, _):
        total, *_ = network(paddle.mean)
        paddle.optimizer.SGD(0.1).minimize(total)
    gradient = next(op for op in main.global_block().ops if op.type == "reduce_mean_grad")
    assert gradient.attrs["dim"] == []
    gradient._set_attr("dim", [0])  # it is that of the forward operator; all are reduced
    assert "hard_cross_entropy_grad" in types(main, FEED, [total])
    gradient._set_attr("dim", [1])
    assert "hard_cross_entropy_grad" not in types(main, FEED, [total])


def test_what_is_fetched_stays():
    with building() as (main, startup):
        total, loss, soft, *_ = network(paddle.mean)
        paddle.optimizer.SGD(0.1).minimize(total)
    for extra in (loss, soft):
        assert "softmax_with_cross_entropy" in types(main, FEED, [total, extra])
        same(main, startup, FEED, [total, extra])


def read_twice(loss, soft, logits, label):
    return paddle.mean(loss) + paddle.sum(loss)


def probabilities(loss, soft, logits, label):
    return paddle.mean(loss) + paddle.sum(soft)


def along_an_axis(loss, soft, logits, label):
    return paddle.mean(paddle.sum(loss, axis=0))


def in_a_block(loss, soft, logits, label):
    return paddle.mean(loss) + paddle.static.nn.cond(
        paddle.mean(logits) > 0.0, lambda: paddle.sum(loss), lambda: paddle.sum(loss) * 2.0
    )


def labels_written(loss, soft, logits, label):
    paddle.assign(paddle.zeros_like(label), label)
    return paddle.mean(loss) + paddle.mean(paddle.cast(label, "float32"))


@pytest.mark.parametrize(
    "finish", [read_twice, probabilities, along_an_axis, in_a_block, labels_written]
)
def test_it_leaves_alone(finish):
    with building() as (main, startup):
        _, loss, soft, logits, label = network(lambda loss: None)
        total = finish(loss, soft, logits, label)
    assert "softmax_with_cross_entropy" in types(main, FEED, [total])
    same(main, startup, FEED, [total])


def test_soft_labels_stay():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 5])
        label = paddle.static.data("label", [None, 5])
        loss = paddle.mean(
            F.softmax_with_cross_entropy(paddle.static.nn.fc(x, 5), label, soft_label=True)
        )
        paddle.optimizer.SGD(0.1).minimize(loss)
    feed = {"x": FEED["x"], "label": np.full([6, 5], 0.2, "float32")}
    assert "softmax_with_cross_entropy" in types(main, feed, [loss])
    same(main, startup, feed, [loss])
