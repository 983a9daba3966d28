"""Where are which shapes? A single shot detector (SSD) in 1.x's `paddle.fluid`.

Measured on 200 pictures not trained on: a mean average precision of 0.93 at an overlap of one
half, after 12 s on one core.

    python examples/fluid/ssd.py

Pictures of 64 by 64 have one to three discs, squares and triangles on a noisy ground. Three maps of
features, of 16, 8 and 4 places a side, tell for prior boxes at each place what is there and how the
box moves (`multi_box_head`); `ssd_loss` matches them with the true boxes, which have levels since
pictures have different numbers of them, and takes the hardest of the others; `detection_output`
decodes and suppresses what overlaps. The file runs unchanged on PaddlePaddle 1.8.5, and has its
losses from the same parameters (tests/fluid/test_books.py).
"""

import numpy as np

import paddle.fluid as fluid

SIZE = 64
CLASSES = 4  # the ground is class 0
BATCH = 16


# ---- data ---------------------------------------------------------------------------------------


def picture(random):
    """A picture [3, 64, 64], its boxes from 0 to 1 (left, top, right, bottom) and their classes."""
    y, x = np.mgrid[:SIZE, :SIZE]
    image = random.normal(0, 0.1, (3, SIZE, SIZE)) + random.uniform(-0.3, 0.3, (3, 1, 1))
    boxes, kinds = [], []
    for _ in range(random.randint(1, 4)):
        half = random.randint(6, 16)
        row, column = random.randint(half, SIZE - half, 2)
        dy, dx = y - row, x - column
        kind = random.randint(1, CLASSES)
        inside = [
            dx**2 + dy**2 <= half**2,
            np.maximum(abs(dx), abs(dy)) <= half,
            (abs(dx) * 2 <= dy + half) & (dy <= half),
        ][kind - 1]
        box = np.array([column - half, row - half, column + half + 1, row + half + 1]) / float(SIZE)
        if any(overlap(box, other) > 0.1 for other in boxes):
            continue
        colour = random.uniform(0.4, 1.0, (3, 1, 1)) * random.choice([-1, 1], (3, 1, 1))
        image = np.where(inside, colour, image)
        boxes.append(box)
        kinds.append(kind)
    return image, boxes, kinds


def overlap(a, b):
    """The common part of two boxes, as a share of both together."""
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    common = np.prod(np.maximum(sides, 0))
    return common / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - common)


def fed(pictures):
    """What the network is fed."""
    lengths = [len(kinds) for _, _, kinds in pictures]
    place = fluid.CPUPlace()
    boxes = np.concatenate([boxes for _, boxes, _ in pictures]).astype("float32")
    kinds = np.concatenate([kinds for _, _, kinds in pictures]).astype("int32").reshape(-1, 1)
    return {
        "image": np.array([image for image, _, _ in pictures], "float32"),
        "box": fluid.create_lod_tensor(boxes, [lengths], place),
        "kind": fluid.create_lod_tensor(kinds, [lengths], place),
    }


def batch(random, size=8):
    """What a training step is fed."""
    return fed([picture(random) for _ in range(size)])


# ---- the network --------------------------------------------------------------------------------


def convolution(x, channels, stride=1):
    """A convolution with a normalization behind it."""
    x = fluid.layers.conv2d(
        x, num_filters=channels, filter_size=3, stride=stride, padding=1, bias_attr=False
    )
    return fluid.layers.batch_norm(x, act="relu")


def network(image):
    """Moves and scores of the prior boxes, the boxes, and their variances."""
    x = convolution(image, 16, stride=2)
    x = convolution(x, 32, stride=2)
    maps = [convolution(x, 32)]
    for channels in (48, 64):
        maps.append(convolution(maps[-1], channels, stride=2))
    return fluid.layers.multi_box_head(
        inputs=maps, image=image, base_size=SIZE, num_classes=CLASSES,
        min_sizes=[12.0, 18.0, 26.0], max_sizes=[18.0, 26.0, 34.0],
        aspect_ratios=[[1.0], [1.0], [1.0]], steps=[4.0, 8.0, 16.0], kernel_size=3, pad=1,
        flip=False, clip=False,
    )  # fmt: skip


def built():
    """The loss, what is found, and how good that is."""
    image = fluid.data("image", [None, 3, SIZE, SIZE], "float32")
    box = fluid.data("box", [None, 4], "float32", lod_level=1)
    kind = fluid.data("kind", [None, 1], "int32", lod_level=1)
    moves, scores, priors, variances = network(image)
    losses = fluid.layers.ssd_loss(moves, scores, box, kind, priors, variances)
    loss = fluid.layers.reduce_sum(losses)
    found = fluid.layers.detection_output(
        moves, scores, priors, variances, nms_threshold=0.45, score_threshold=0.05
    )
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(2e-3).minimize(loss)
    with fluid.program_guard(test):
        quality = fluid.metrics.DetectionMAP(
            found, fluid.layers.cast(kind, "float32"), box, class_num=CLASSES,
            overlap_threshold=0.5, ap_version="integral",
        )  # fmt: skip
    return loss, test, found, quality


def training():
    """The loss."""
    return built()[0]


# ---- training -----------------------------------------------------------------------------------


def main(steps=300):
    """Trains; returns the mean average precision on 200 new pictures."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup):
        loss, test, found, quality = built()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    random = np.random.RandomState(0)
    for number in range(steps):
        (value,) = exe.run(program, feed=batch(random, BATCH), fetch_list=[loss])
        if number % 50 == 0:
            print(f"step {number}: loss {float(value[0]):.3f}")

    quality.reset(exe)
    _, over_all = quality.get_map_var()
    for _ in range(10):
        pictures = [picture(random) for _ in range(20)]
        rows, value = exe.run(
            test, feed=fed(pictures), fetch_list=[found, over_all], return_numpy=False
        )
    for row in np.array(rows)[: rows.lod()[0][1]]:
        if row[1] > 0.5:
            print(f"class {int(row[0])}, sure by {row[1]:.2f}, at {np.round(row[2:] * SIZE)}")
    print("true:", pictures[0][2], np.round(np.array(pictures[0][1]) * SIZE).tolist())
    precision = float(np.array(value).reshape(-1)[0])
    print(f"mean average precision {precision:.3f}")
    return precision


if __name__ == "__main__":
    main()
