"""A small network learns digits from 1,000 labels, alone and with a teacher.

    python examples/compress/distill_mnist.py [--quick]

Measured: TODO

The teacher is LeNet, trained with all labels. It tells the student how likely each digit is, which
says more than a label: that a 4 looks a little like a 9. Both ways start from the same parameters
and see the same images in the same order. Needs MNIST (`make mnist` fetches it).
"""

import argparse
import time

import numpy as np
from digits import accuracy, arrays, network, train

import paddle
from paddle import nn
from paddle.incubate import compress

LABELS = 1000


def small():
    """A network with a fiftieth of LeNet's operations."""
    return nn.Sequential(
        nn.Conv2D(1, 4, 5, stride=2), nn.ReLU(), nn.Conv2D(4, 8, 3, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(8 * 5 * 5, 10),
    )  # fmt: skip


def student_after(seed, teacher, x, y, epochs):
    """A student trained from a seed, with a teacher or without."""
    paddle.seed(seed)
    student = small()
    if teacher is None:
        train(student, x, y, epochs, 5e-3, seed)
        return student
    soft = compress.DistillLoss("soft_label", weight=4.0, temperature=4.0)
    both = compress.distill(student, teacher, [soft])

    def loss(logits, labels):
        return both.loss(nn.functional.cross_entropy(logits, labels))

    train(both, x, y, epochs, 5e-3, seed, loss)
    return student


def main(quick=False):
    """Returns the teacher's accuracy, and those of the students: alone, taught, for each seed."""
    paddle.seed(1)
    began = time.time()
    x, y = arrays("train", count=6000 if quick else None)
    test = arrays("test", count=2000 if quick else None)
    teacher = network("lenet")
    train(teacher, x, y, 1 if quick else 2, 2e-3)
    best = accuracy(teacher, *test)
    rows = []
    for seed in range(2 if quick else 5):
        few = x[:LABELS], y[:LABELS]
        pair = [accuracy(student_after(seed, t, *few, 30), *test) for t in (None, teacher)]
        rows.append(pair)
        print(f"seed {seed}: alone {pair[0]:.2f}, taught {pair[1]:.2f}")
    alone, taught = np.mean(rows, axis=0)
    print(f"teacher {best:.2f}; student alone {alone:.2f}, taught {taught:.2f}; "
          f"{time.time() - began:.0f} s")  # fmt: skip
    return best, rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="two seeds, a tenth of the images")
    main(parser.parse_args().quick)
