"""Quadrangles made upright: their matrices, those without area, saved Programs with all outputs."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.op import C
from tests.executor.building import building, run
from tests.op_samples.detection import psroi_pool as loops

HEIGHT, WIDTH = loops.UPRIGHT["transformed_height"], loops.UPRIGHT["transformed_width"]


def _transformed(rois, **attrs):
    image = paddle.to_tensor(loops.QUADS["X"])
    return C.roi_perspective_transform(image, paddle.to_tensor(rois), **loops.UPRIGHT | attrs)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_the_matrix_projects_corners_to_corners(scale):
    rois = loops.QUADS["ROIs"]
    matrices = _transformed(rois, spatial_scale=scale)[2].numpy()
    for roi, matrix in zip(rois, matrices, strict=True):
        expected = loops.projection(roi.reshape(4, 2) * scale, HEIGHT, WIDTH)
        np.testing.assert_allclose(matrix, expected, atol=1e-5)


def test_a_narrow_quadrangle_fills_the_left_part():
    """Its proportions stay: 2 to 4 of the image's pixels are 3 to 4 of the result's."""
    tall = np.array([[1.0, 0.5, 3.0, 0.5, 3.0, 4.5, 1.0, 4.5]])
    mask = _transformed(tall)[1].numpy()[0, 0]
    np.testing.assert_array_equal(mask, np.repeat([[1, 1, 1, 0, 0]], HEIGHT, 0))


@pytest.mark.parametrize("roi", [[2.0, 2.0] * 4, [1.0, 2.0, 3.0, 2.0, 3.0, 2.0, 1.0, 2.0]])
def test_without_area_there_is_no_infinity(roi):
    out, mask, _ = _transformed(np.array([roi]))
    assert np.isfinite(out.numpy()).all()
    np.testing.assert_array_equal(out.numpy() * (1 - mask.numpy()), 0)


def test_a_program_that_names_the_outputs_for_training():
    """Programs of 1.x have two outputs more, which nothing but PaddlePaddle's gradient reads."""
    feed = {name: value.astype("float32") for name, value in loops.QUADS.items()}
    names = ["Out", "Mask", "TransformMatrix", "Out2InIdx", "Out2InWeights"]
    with building() as (main, _):
        block = main.global_block()
        ins = {
            name: [block.create_var(name=name, shape=list(value.shape), dtype="float32")]
            for name, value in feed.items()
        }
        outs = {name: [block.create_var(name=name)] for name in names}
        block.append_op(
            type="roi_perspective_transform", inputs=ins, outputs=outs, attrs=loops.UPRIGHT
        )
    out, mask = run(main, feed, ["Out", "Mask"])
    expected = loops.roi_perspective_transform(*loops.QUADS.values(), HEIGHT, WIDTH)
    np.testing.assert_allclose(out, expected[0], atol=1e-3)
    np.testing.assert_array_equal(mask, expected[1])


@pytest.mark.parametrize("name", ["psroi_pool", "prroi_pool"])
def test_no_regions_give_nothing(name):
    attrs = {"output_channels": 12} if name == "psroi_pool" else {}
    image, rois = paddle.to_tensor(loops.DEEP["X"]), paddle.zeros([0, 4], "float64")
    counts = paddle.zeros([4], "int32")
    image.stop_gradient = rois.stop_gradient = False
    out = getattr(C, name)(image, rois, counts, **attrs)
    assert out.shape == [0, 12, 1, 1]
    (grad,) = paddle.grad(paddle.sum(out), [image], allow_unused=True)
    assert grad is None or not grad.numpy().any()
