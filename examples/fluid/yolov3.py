"""Where are which shapes? Two heads of YOLOv3 in 1.x's `paddle.fluid`.

Measured on 200 pictures not trained on: 83 % of the shapes are found, by class and with an
overlap of at least one half, and 71 % of what is found is right; 33 s on one core.

    python examples/fluid/yolov3.py

Pictures of 64 by 64 have one to three discs, squares and triangles on a noisy ground. Two maps of
features, of 4 and 8 places a side, tell for three anchors at each place how sure they are that a
shape has its middle there, what it is and how large. `yolov3_loss` takes padded boxes (middle and
size); `yolo_box` decodes and `multiclass_nms` suppresses what overlaps. The file runs unchanged on
PaddlePaddle 1.8.5, and has its losses from the same parameters (tests/fluid/test_books.py).
"""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.param_attr import ParamAttr
from paddle.fluid.regularizer import L2Decay

SIZE = 64
CLASSES = 3
MOST = 4  # boxes of a picture
ANCHORS = [12, 12, 14, 14, 17, 17, 21, 21, 25, 25, 30, 30]
MASKS = [[3, 4, 5], [0, 1, 2]]
BATCH = 16


# ---- data ---------------------------------------------------------------------------------------


def picture(random):
    """A picture [3, 64, 64], the boxes in it from 0 to 1 (middle and size), and their classes."""
    y, x = np.mgrid[:SIZE, :SIZE]
    image = random.normal(0, 0.1, (3, SIZE, SIZE)) + random.uniform(-0.3, 0.3, (3, 1, 1))
    boxes, kinds = [], []
    for _ in range(random.randint(1, 4)):
        half = random.randint(6, 16)
        row, column = random.randint(half, SIZE - half, 2)
        dy, dx = y - row, x - column
        kind = random.randint(CLASSES)
        inside = [
            dx**2 + dy**2 <= half**2,
            np.maximum(abs(dx), abs(dy)) <= half,
            (abs(dx) * 2 <= dy + half) & (dy <= half),
        ][kind]
        box = np.array([column + 0.5, row + 0.5, 2 * half + 1, 2 * half + 1]) / SIZE
        if any(overlap(box, other) > 0.1 for other in boxes):
            continue
        colour = random.uniform(0.4, 1.0, (3, 1, 1)) * random.choice([-1, 1], (3, 1, 1))
        image = np.where(inside, colour, image)
        boxes.append(box)
        kinds.append(kind)
    return image, boxes, kinds


def overlap(a, b):
    """The common part of two boxes, as a share of both together."""
    low = np.maximum(a[:2] - a[2:] / 2, b[:2] - b[2:] / 2)
    common = np.prod(np.maximum(np.minimum(a[:2] + a[2:] / 2, b[:2] + b[2:] / 2) - low, 0))
    return common / (np.prod(a[2:]) + np.prod(b[2:]) - common)


def fed(pictures):
    """What the network is fed; a picture without further boxes has boxes of no size."""
    boxes = np.zeros((len(pictures), MOST, 4), "float32")
    kinds = np.zeros((len(pictures), MOST), "int32")
    for i, (_, some, classes) in enumerate(pictures):
        boxes[i, : len(some)] = some
        kinds[i, : len(some)] = classes
    images = np.array([image for image, _, _ in pictures], "float32")
    return {"image": images, "gt_box": boxes, "gt_label": kinds}


def batch(random, size=8):
    """What a training step is fed."""
    return fed([picture(random) for _ in range(size)])


# ---- the network --------------------------------------------------------------------------------


def conv_bn(x, channels, size, stride, name):
    """A convolution, a normalization and a leaky rectifier."""
    x = fluid.layers.conv2d(
        input=x, num_filters=channels, filter_size=size, stride=stride, padding=(size - 1) // 2,
        act=None, param_attr=ParamAttr(name=name + ".conv.weights"), bias_attr=False,
    )  # fmt: skip
    x = fluid.layers.batch_norm(
        input=x,
        act=None,
        param_attr=ParamAttr(name=name + ".bn.scale", regularizer=L2Decay(0.0)),
        bias_attr=ParamAttr(name=name + ".bn.offset", regularizer=L2Decay(0.0)),
    )
    return fluid.layers.leaky_relu(x=x, alpha=0.1)


def residual(x, name):
    """Two convolutions beside a short cut."""
    channels = x.shape[1]
    deep = conv_bn(conv_bn(x, channels // 2, 1, 1, name + ".0"), channels, 3, 1, name + ".1")
    return fluid.layers.elementwise_add(x=x, y=deep, act=None)


def heads(image):
    """What the two maps tell: 3 anchors with 5 + 3 channels each."""
    x = conv_bn(image, 16, 3, 2, "stem")
    x = residual(conv_bn(x, 32, 3, 2, "stage.0"), "stage.0.block")
    fine = residual(conv_bn(x, 48, 3, 2, "stage.1"), "stage.1.block")
    coarse = residual(conv_bn(fine, 64, 3, 2, "stage.2"), "stage.2.block")
    route = conv_bn(coarse, 32, 1, 1, "route")
    route = fluid.layers.resize_nearest(input=route, scale=2.0, align_corners=False)
    fine = fluid.layers.concat(input=[route, fine], axis=1)
    outputs = []
    for i, features in enumerate((coarse, fine)):
        tip = conv_bn(features, 64, 3, 1, f"tip.{i}")
        outputs.append(
            fluid.layers.conv2d(
                input=tip,
                num_filters=len(MASKS[i]) * (CLASSES + 5),
                filter_size=1,
                param_attr=ParamAttr(name=f"head.{i}.weights"),
                bias_attr=ParamAttr(name=f"head.{i}.bias", regularizer=L2Decay(0.0)),
            )
        )
    return outputs


def built():
    """The loss, and a Program with what is found."""
    image = fluid.data(name="image", shape=[None, 3, SIZE, SIZE], dtype="float32")
    gt_box = fluid.data(name="gt_box", shape=[None, MOST, 4], dtype="float32")
    gt_label = fluid.data(name="gt_label", shape=[None, MOST], dtype="int32")
    outputs = heads(image)
    losses, ratio = [], 16
    for mask, output in zip(MASKS, outputs):
        loss = fluid.layers.yolov3_loss(
            x=output,
            gt_box=gt_box,
            gt_label=gt_label,
            anchors=ANCHORS,
            anchor_mask=mask,
            class_num=CLASSES,
            ignore_thresh=0.7,
            downsample_ratio=ratio,
            use_label_smooth=False,
        )
        losses.append(fluid.layers.reduce_mean(loss))
        ratio //= 2
    loss = losses[0] + losses[1]
    test = fluid.default_main_program().clone(for_test=True)
    optimizer = fluid.optimizer.Adam(
        learning_rate=fluid.layers.piecewise_decay([900, 1100], [3e-3, 1e-3, 2e-4]),
        regularization=L2Decay(1e-5),
    )
    optimizer.minimize(loss)

    with fluid.program_guard(test):
        size = fluid.layers.fill_constant([1, 2], "int32", SIZE)
        size = fluid.layers.expand(size, [20, 1])
        boxes, scores, ratio = [], [], 16
        for mask, output in zip(MASKS, outputs):
            anchors = [ANCHORS[2 * i + j] for i in mask for j in (0, 1)]
            box, score = fluid.layers.yolo_box(
                x=output, img_size=size, anchors=anchors, class_num=CLASSES, conf_thresh=0.05,
                downsample_ratio=ratio,
            )  # fmt: skip
            boxes.append(box)
            scores.append(fluid.layers.transpose(score, perm=[0, 2, 1]))
            ratio //= 2
        found = fluid.layers.multiclass_nms(
            bboxes=fluid.layers.concat(boxes, axis=1),
            scores=fluid.layers.concat(scores, axis=2),
            score_threshold=0.5, nms_top_k=50, keep_top_k=10, nms_threshold=0.45,
            background_label=-1,
        )  # fmt: skip
    return loss, test, found


def training():
    """The loss."""
    return built()[0]


# ---- training -----------------------------------------------------------------------------------


def matched(rows, boxes, kinds):
    """How many of the true boxes are found by rows of class, score and corners."""
    left, hits = list(zip(boxes, kinds)), 0
    for row in rows:
        corners = row[2:] / SIZE
        box = np.append((corners[:2] + corners[2:]) / 2, corners[2:] - corners[:2])
        for each in left:
            if each[1] == row[0] and overlap(box, each[0]) >= 0.5:
                left = [other for other in left if other is not each]
                hits += 1
                break
    return hits


def main(steps=1200):
    """Trains; returns which share of shapes is found, and which share of what is found is right."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup):
        loss, test, found = built()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    random = np.random.RandomState(0)
    for number in range(steps):
        (value,) = exe.run(program, feed=batch(random, BATCH), fetch_list=[loss])
        if number % 200 == 0:
            print(f"step {number}: loss {float(value[0]):.3f}")

    hits = true = told = 0
    for _ in range(10):
        pictures = [picture(random) for _ in range(20)]
        feed = fed(pictures)
        (rows,) = exe.run(test, feed=feed, fetch_list=[found], return_numpy=False)
        offsets, rows = rows.lod()[0], np.array(rows)
        for i, (_, boxes, kinds) in enumerate(pictures):
            some = rows[offsets[i] : offsets[i + 1]]
            some = some if some.shape[-1] == 6 else some[:0]  # one column: nothing was found
            hits += matched(some, boxes, kinds)
            true += len(boxes)
            told += len(some)
    print(f"{100.0 * hits / true:.1f} % found, {100.0 * hits / told:.1f} % of that right")
    return hits / true, hits / told


if __name__ == "__main__":
    main()
