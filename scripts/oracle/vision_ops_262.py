"""Freezes what PaddlePaddle 2.6.2's paddle.vision.ops give: tests/data/vision_ops.npz.

Run by PaddlePaddle's own Python: `python scripts/oracle/vision_ops_262.py`.
"""

from __future__ import annotations

import os

import numpy as np

import paddle

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
YOLO = {
    "anchors": [3, 4, 10, 13, 16, 19],
    "anchor_mask": [1, 2],
    "class_num": 3,
    "ignore_thresh": 0.3,
    "downsample_ratio": 8,
}


def main():
    random = np.random.RandomState(3)
    frozen = {
        "x": random.uniform(-2, 2, [2, 16, 4, 4]).astype("float32"),
        "boxes": random.uniform(0.05, 0.7, [2, 5, 4]).astype("float32"),
        "labels": random.randint(0, 3, [2, 5]).astype("int32"),
        "scores": random.uniform(0.2, 1, [2, 5]).astype("float32"),
        "image": random.uniform(-1, 1, [2, 4, 7, 7]).astype("float32"),
        "offset": random.uniform(-2, 2, [2, 18, 5, 5]).astype("float32"),
        "mask": random.uniform(0, 1, [2, 9, 5, 5]).astype("float32"),
        "weight": random.uniform(-1, 1, [6, 2, 3, 3]).astype("float32"),
        "size": np.int32([[40, 30], [25, 50]]),
    }
    frozen["boxes"][1, 4] = 0.0
    t = {name: paddle.to_tensor(value) for name, value in frozen.items()}
    t["x"].stop_gradient = False
    ops = paddle.vision.ops
    for name, extra in (
        ("plain", {}),
        ("scored", {"gt_score": t["scores"], "scale_x_y": 1.1}),
        ("sharp", {"use_label_smooth": False}),
    ):
        loss = ops.yolo_loss(t["x"], t["boxes"], t["labels"], **YOLO, **extra)
        (grad,) = paddle.grad(loss.sum(), [t["x"]])
        frozen["loss_" + name], frozen["grad_" + name] = loss.numpy(), grad.numpy()
    args = {"anchors": [10, 13, 16, 30], "class_num": 3, "conf_thresh": 0.4, "downsample_ratio": 8}
    boxes, scores = ops.yolo_box(t["x"], t["size"], **args, scale_x_y=1.2)
    frozen["box"], frozen["score"] = boxes.numpy(), scores.numpy()
    conv = {"x": t["image"], "offset": t["offset"], "weight": t["weight"], "groups": 2}
    frozen["conv"] = ops.deform_conv2d(**conv).numpy()
    frozen["conv_mask"] = ops.deform_conv2d(mask=t["mask"], **conv).numpy()
    np.savez_compressed(os.path.join(ROOT, "tests", "data", "vision_ops.npz"), **frozen)


if __name__ == "__main__":
    main()
