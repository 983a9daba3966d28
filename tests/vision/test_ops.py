"""yolo_loss, yolo_box, deform_conv2d and DeformConv2D: values, gradients, Programs, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.vision import ops
from tests.op_samples.detection import yolo_loss as loss_samples
from tests.static import harness

T = paddle.to_tensor
X = np.random.RandomState(0).uniform(-1, 1, [2, 4, 6, 6]).astype("float32")
WEIGHT = np.random.RandomState(1).uniform(-1, 1, [6, 2, 3, 3]).astype("float32")
BIAS = np.arange(6, dtype="float32")


@pytest.mark.parametrize("stride, padding, dilation", [(1, 0, 1), (2, 1, 1), ([1, 2], [2, 1], 2)])
def test_without_offsets_it_is_a_convolution(stride: Any, padding: Any, dilation: Any) -> None:
    args = {"stride": stride, "padding": padding, "dilation": dilation, "groups": 2}
    plain = paddle.nn.functional.conv2d(T(X), T(WEIGHT), T(BIAS), **args)
    offset = paddle.zeros([2, 18, *plain.shape[2:]])
    mask = paddle.full([2, 9, *plain.shape[2:]], 0.5)
    made = ops.deform_conv2d(T(X), offset, T(WEIGHT), T(BIAS), **args)
    np.testing.assert_allclose(made.numpy(), plain.numpy(), rtol=1e-4, atol=1e-5)
    half = ops.deform_conv2d(T(X), offset, T(WEIGHT), mask=mask, **args)
    expected = (plain.numpy() - BIAS[:, None, None]) / 2
    np.testing.assert_allclose(half.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_whole_offsets_move_the_window() -> None:
    offset = np.zeros([2, 18, 4, 4], "float32")
    offset[:, 0::2] = 1.0  # every element a row lower
    made = ops.deform_conv2d(T(X), T(offset), T(WEIGHT), groups=2)
    moved = np.concatenate([X[:, :, 1:], np.zeros_like(X[:, :, :1])], 2)
    plain = paddle.nn.functional.conv2d(T(moved), T(WEIGHT), groups=2)
    np.testing.assert_allclose(made.numpy(), plain.numpy(), rtol=1e-4, atol=1e-5)


def test_the_layer_learns_everything() -> None:
    conv = ops.DeformConv2D(4, 6, 3, padding=1, groups=2)
    assert conv.weight.shape == [6, 2, 3, 3] and (conv.bias.numpy() == 0).all()
    offset = T(np.full([2, 18, 6, 6], 0.25, "float32"), stop_gradient=False)
    mask = T(np.ones([2, 9, 6, 6], "float32"), stop_gradient=False)
    conv(T(X), offset, mask).sum().backward()
    for tensor in (conv.weight, conv.bias, offset, mask):
        assert np.abs(tensor.grad.numpy()).max() > 0
    assert ops.DeformConv2D(4, 6, 3, bias_attr=False).bias is None
    assert "kernel_size=[3, 3]" in repr(conv)


def test_the_spread_of_the_first_filters() -> None:
    paddle.seed(1)
    weight = ops.DeformConv2D(16, 64, 3).weight.numpy()
    np.testing.assert_allclose(weight.std(), (2 / (16 * 9)) ** 0.5, rtol=0.05)


def _loss(x: Any, **extra: Any) -> Any:
    args = dict(loss_samples.ATTRS) | extra
    boxes, labels = loss_samples.BOXES.astype("float32"), loss_samples.LABELS
    return ops.yolo_loss(x, T(boxes), T(labels), **args)


def test_yolo_loss_and_its_gradient() -> None:
    x = T(loss_samples.X.astype("float32"), stop_gradient=False)
    loss = _loss(x, gt_score=T(loss_samples.SCORES.astype("float32")))
    ref = loss_samples._yolo_loss(
        loss_samples.X, loss_samples.BOXES, loss_samples.LABELS, loss_samples.SCORES,
        **loss_samples.ATTRS
    )  # fmt: skip
    np.testing.assert_allclose(loss.numpy(), ref[0], rtol=1e-5)
    loss.sum().backward()
    assert np.isfinite(x.grad.numpy()).all() and np.abs(x.grad.numpy()).max() > 0


def test_yolo_loss_falls_in_training() -> None:
    x = paddle.create_parameter([2, 16, 4, 4], "float32")
    adam = paddle.optimizer.Adam(0.1, parameters=[x])
    losses = []
    for _ in range(24):
        loss = _loss(x).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 2


def test_no_true_boxes() -> None:
    x = T(np.zeros([1, 16, 4, 4], "float32"))
    boxes, labels = paddle.zeros([1, 0, 4]), paddle.zeros([1, 0], dtype="int32")
    loss = ops.yolo_loss(x, boxes, labels, **loss_samples.ATTRS)
    np.testing.assert_allclose(loss.numpy(), [32 * np.log(2)], rtol=1e-6)


def test_yolo_box_of_a_sure_cell() -> None:
    x = np.zeros([1, 7, 2, 2], "float32")
    x[0, 4] = -50.0
    x[0, 4, 0, 1] = x[0, 5, 0, 1] = 50.0
    size = T(np.int32([[64, 64]]))
    boxes, scores = ops.yolo_box(T(x), size, [16, 8], 2, 0.5, 16)
    expected = np.zeros([4, 4])
    expected[1] = [48 - 16, 16 - 8, 48 + 16 - 1, 16 + 8]
    np.testing.assert_allclose(boxes.numpy()[0], expected, atol=1e-4)
    np.testing.assert_allclose(scores.numpy()[0], [[0, 0], [1, 0.5], [0, 0], [0, 0]], atol=1e-6)


def test_programs() -> None:
    offset = np.full([2, 18, 4, 4], 0.3, "float32")
    boxes, labels = loss_samples.BOXES.astype("float32"), loss_samples.LABELS
    feed = {"x": X, "o": offset, "f": loss_samples.X.astype("float32"), "b": boxes, "l": labels}
    with harness.static() as (main, startup):
        x, o, f, b, l = (harness.data(name, value, batch=True) for name, value in feed.items())
        conv = ops.deform_conv2d(x, o, paddle.assign(WEIGHT), groups=2)
        loss = ops.yolo_loss(f, b, l, **loss_samples.ATTRS)
        assert list(loss.shape) == [-1]
        got = harness.run(main, startup, feed, [conv, loss])
    eager = ops.deform_conv2d(T(X), T(offset), T(WEIGHT), groups=2)
    np.testing.assert_allclose(got[0], eager.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[1], _loss(T(feed["f"])).numpy(), rtol=1e-5)


def test_bad_input() -> None:
    offset = paddle.zeros([2, 18, 4, 4])
    with pytest.raises(TypeError, match=r"deform_conv2d\(x\): expected a Tensor, but received"):
        ops.deform_conv2d(X, offset, T(WEIGHT))
    with pytest.raises(ValueError, match=r"expected Offset of shape \[2, 18, 4, 4\]"):
        ops.deform_conv2d(T(X), offset[:, 1:], T(WEIGHT), groups=2)
    with pytest.raises(ValueError, match="multiples of groups = 4, but received 4 and 6"):
        ops.DeformConv2D(4, 6, 3, groups=4)
    with pytest.raises(ValueError, match=r"DeformConv2D\(groups\): expected at least 1"):
        ops.DeformConv2D(4, 6, 3, groups=0)
    with pytest.raises(TypeError, match=r"DeformConv2D\(in_channels\): expected an integer"):
        ops.DeformConv2D("4", 6, 3)
    with pytest.raises(ValueError, match=r"yolo_box\(anchors\): expected a list of an even number"):
        ops.yolo_box(T(X), T(np.int32([[4, 4]] * 2)), [1, 2, 3], 2, 0.5, 16)
    with pytest.raises(TypeError, match=r"yolo_loss\(anchor_mask\): expected a list of ints"):
        _loss(T(X), anchor_mask=3)
    with pytest.raises(ValueError, match=r"expected X \[N, 16, H, H\]"):
        _loss(T(X))


FROZEN = np.load(Path(__file__).parents[1] / "data" / "vision_ops.npz")


@pytest.mark.parametrize("name", ["plain", "scored", "sharp"])
def test_yolo_loss_against_paddle(name: str) -> None:
    x = T(FROZEN["x"], stop_gradient=False)
    extra: dict[str, Any] = {}
    if name == "scored":
        extra = {"gt_score": T(FROZEN["scores"]), "scale_x_y": 1.1}
    elif name == "sharp":
        extra = {"use_label_smooth": False}
    loss = ops.yolo_loss(x, T(FROZEN["boxes"]), T(FROZEN["labels"]), **loss_samples.ATTRS, **extra)
    np.testing.assert_allclose(loss.numpy(), FROZEN[f"loss_{name}"], rtol=1e-5)
    loss.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), FROZEN[f"grad_{name}"], rtol=1e-4, atol=1e-5)


def test_the_others_against_paddle() -> None:
    boxes, scores = ops.yolo_box(
        T(FROZEN["x"]), T(FROZEN["size"]), [10, 13, 16, 30], 3, 0.4, 8, scale_x_y=1.2
    )
    np.testing.assert_allclose(boxes.numpy(), FROZEN["box"], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(scores.numpy(), FROZEN["score"], rtol=1e-4, atol=1e-6)
    args = [T(FROZEN[name]) for name in ("image", "offset", "weight")]
    plain = ops.deform_conv2d(*args, groups=2)
    np.testing.assert_allclose(plain.numpy(), FROZEN["conv"], rtol=1e-4, atol=1e-5)
    masked = ops.deform_conv2d(*args, groups=2, mask=T(FROZEN["mask"]))
    np.testing.assert_allclose(masked.numpy(), FROZEN["conv_mask"], rtol=1e-4, atol=1e-5)
