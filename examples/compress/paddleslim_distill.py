"""PaddleSlim: a small Program learns from a large one, which is merged into it.

    python examples/compress/paddleslim_distill.py [--quick]

Measured: the teacher has 98.56; the student 88.26 alone and 92.17 with the teacher; two minutes
of a core that is shared.

The student has 1,000 labels. `merge` puts the teacher beside it, `soft_label_loss` compares what
they say. Needs PaddleSlim 2.2.2 (docs/compression.md) and MNIST.
"""

import argparse
import time

from mnist_programs import Task, digits, lenet, steps_of
from paddleslim.dist import merge, soft_label_loss

import paddle
from paddle import static
from paddle.nn import functional as F

LABELS = 1000


def small(image, label):
    """A network with a twentieth of the teacher's operations."""
    x = static.nn.conv2d(image, 4, 5, 2, act="relu", name="s_conv1")
    x = static.nn.conv2d(x, 8, 3, 2, act="relu", name="s_conv2")
    logits = static.nn.fc(x, 10, name="s_head")
    loss = F.cross_entropy(logits, label)
    return logits, loss, paddle.metric.accuracy(F.softmax(logits), label)


def student_after(teacher, x, y, epochs):
    """A student, trained with a teacher or without."""

    def both(task):
        if teacher is None:
            return task.loss
        merge(teacher.test, task.train, {"image": "image", "label": "label"}, paddle.CPUPlace())
        soft = soft_label_loss(
            f"teacher_{teacher.logits.name}", task.logits.name, teacher_temperature=3.0,
            student_temperature=3.0, program=task.train,
        )  # fmt: skip
        return task.loss + 4.0 * soft

    task = Task(small, steps_of(x, epochs), 5e-3, both)
    task.learn(x, y, epochs)
    return task


def main(quick=False):
    """Returns the accuracies of the teacher and of the student, alone and taught."""
    paddle.enable_static()
    began = time.time()
    x, y, test_x, test_y = digits(quick)
    teacher = Task(lenet, steps_of(x, 2))
    teacher.learn(x, y, 2)
    best = teacher.right(test_x, test_y)
    epochs = 15 if quick else 40
    found = [
        student_after(each, x[:LABELS], y[:LABELS], epochs).right(test_x, test_y)
        for each in (None, teacher)
    ]
    print(f"teacher {best:.2f}; student alone {found[0]:.2f}, taught {found[1]:.2f}; "
          f"{time.time() - began:.0f} s")  # fmt: skip
    return best, *found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the images")
    main(parser.parse_args().quick)
