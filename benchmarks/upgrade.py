"""The upgrade tool: files of 1.x code converted in a second of one core, and by two processes.

The files are made up, of the shape of the models that were written for 1.8: a network of layers
in classes, a training script in dynamic mode, one that builds a Program, and helpers of plain
Python; 90 files of about 290 lines, all of which use fluid, with some 50 uses each (libraries of
1.x have 15 on average, `-p 2` works on four times as many files).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

from benchmarks.measure import interleave, local
from benchmarks.options import Options
from benchmarks.table import Row

GROUP = "upgrade"
NAME = "90 files of 1.x"
TWO = "90 files of 1.x, -p 2"
FILES, LINES = 90, 290
LEAST, GAIN = 25.0, 1.7

HEAD = '''\
"""Part {0} of a model, {1}."""

import argparse
import os

import numpy as np
import paddle
import paddle.fluid as fluid
import paddle.fluid.layers as L
from paddle.fluid.dygraph import BatchNorm, Conv2D, Linear, Pool2D, to_variable
from paddle.fluid.param_attr import ParamAttr

'''

BLOCKS = (
    '''
class Unit{0}(fluid.dygraph.Layer):
    """A convolution and what follows it."""

    def __init__(self, channels, filters, size=3, stride=1, groups=1):
        super(Unit{0}, self).__init__()
        self._conv = Conv2D(
            num_channels=channels, num_filters=filters, filter_size=size, stride=stride,
            padding=(size - 1) // 2, groups=groups, act=None, bias_attr=False,
            param_attr=ParamAttr(name="unit{0}_weights"))  # no bias
        self._norm = BatchNorm(filters, act="relu")
        self._pool = Pool2D(pool_size=2, pool_stride=2, pool_type="max")
        self._out = Linear(filters, 10, act="softmax",
                           param_attr=fluid.initializer.MSRA(uniform=False))

    def forward(self, inputs, label=None):
        y = self._norm(self._conv(inputs))
        y = L.elementwise_add(x=y, y=inputs, act="relu")
        y = self._pool(y)
        y = L.reshape(y, shape=[0, -1])
        y = L.dropout(y, dropout_prob=0.5)
        y = self._out(y)
        if label is not None:
            return y, fluid.layers.accuracy(input=y, label=label)
        return y
''',
    '''
def net{0}(image, label, classes=10):
    """The same network in a Program."""
    conv = fluid.layers.conv2d(input=image, num_filters=32, filter_size=3, act="relu",
                               param_attr=fluid.ParamAttr(name="conv{0}_w"))
    pool = fluid.layers.pool2d(conv, pool_size=2, pool_stride=2, pool_type="avg")
    hidden = fluid.layers.fc(input=pool, size=128, act="tanh")
    logits = fluid.layers.fc(hidden, size=classes)
    cost = fluid.layers.softmax_with_cross_entropy(logits, label)
    scaled = L.scale(L.leaky_relu(L.hard_sigmoid(logits)), 2.0)
    top, index = L.topk(L.softmax(scaled, axis=1), k=5)
    total = L.reduce_sum(L.square(top), dim=1, keep_dim=True)
    where = L.cast(L.argmax(logits, axis=1), "int64")
    return fluid.layers.mean(cost), L.concat([total, L.elementwise_mul(total, total)], axis=1)
''',
    '''
def train{0}(args):
    """Train in dynamic mode."""
    place = fluid.CUDAPlace(0) if args.use_gpu else fluid.CPUPlace()
    with fluid.dygraph.guard(place):
        model = Unit{0}(3, 16)
        optimizer = fluid.optimizer.AdamOptimizer(
            learning_rate=args.lr, parameter_list=model.parameters(),
            regularization=fluid.regularizer.L2Decay(regularization_coeff=1e-4))
        for epoch in range(args.epochs):
            for step, data in enumerate(args.reader()):
                image = to_variable(np.array([item[0] for item in data]).astype("float32"))
                label = to_variable(np.array([item[1] for item in data]).astype("int64"))
                label.stop_gradient = True
                out, accuracy = model(image, label)
                loss = fluid.layers.cross_entropy(input=out, label=label)
                avg_loss = fluid.layers.mean(loss)
                avg_loss.backward()
                optimizer.minimize(avg_loss)
                model.clear_gradients()
                if step % 100 == 0:
                    print("epoch {{}} step {{}}: {{}}".format(epoch, step, avg_loss.numpy()))
            fluid.save_dygraph(model.state_dict(), os.path.join(args.out, "model{0}"))
''',
    '''
def options{0}(text=None):
    """Read the command line."""
    parser = argparse.ArgumentParser(description="part {0}")
    parser.add_argument("--epochs", type=int, default=10, help="how often to see the data")
    parser.add_argument("--lr", type=float, default=0.001, help="the learning rate")
    parser.add_argument("--out", default="output", help="where the model goes")
    values = parser.parse_args(text)
    names = [name for name in dir(values) if not name.startswith("_")]
    for name in sorted(names):
        print("{{}}: {{}}".format(name, getattr(values, name)))
    return values


def batches{0}(path, size=32, shuffle=True, seed=None):
    """Read lines of numbers, and give them in batches."""
    with open(path) as file:
        lines = [line.strip().split("\\t") for line in file if line.strip()]
    order = np.arange(len(lines))
    if shuffle:
        np.random.RandomState(seed).shuffle(order)
    batch = []
    for index in order:
        values = [float(value) for value in lines[index][:-1]]
        batch.append((np.array(values, dtype="float32"), int(lines[index][-1])))
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def report{0}(history, every=10):
    """Print means of what was measured."""
    for key in sorted(history):
        values = history[key]
        for start in range(0, len(values), every):
            part = values[start : start + every]
            mean = sum(part) / len(part)
            spread = (sum((value - mean) ** 2 for value in part) / len(part)) ** 0.5
            print("{{:>10}} {{:6d}} {{:.5f}} +- {{:.5f}}".format(key, start, mean, spread))
''',
)
PLAIN = BLOCKS[-1]


def write_files(folder: str) -> int:
    """Write the files; return how many."""
    for number in range(FILES):
        pieces = [HEAD.format(number, "in words of its own")]
        index = number
        while sum(piece.count("\n") for piece in pieces) < LINES:
            pieces.append(BLOCKS[index % (len(BLOCKS) - 1)].format(index))
            pieces += [PLAIN.format(f"{index}_{i}") for i in range(2)]
            index += 1
        with open(os.path.join(folder, f"part_{number:02}.py"), "w", encoding="utf-8") as file:
            file.write("\n".join(pieces))
    return FILES


def rows(options: Options) -> Iterator[Row]:
    """One row of one core, and one of two processes beside one."""
    from paddle_upgrade_tool import files
    from paddle_upgrade_tool.cli import REFACTORS, _many, work

    steps = frozenset(REFACTORS)
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        paths = list(files.find(folder))
        results = [work(path, steps) for path in paths]  # also warms up
        left = sum(len(r.left) for r in results)
        changes = sum(r.converted for r in results)
        if options.wants(GROUP, NAME) and 1 in options.threads:
            sides = {"ours": local(lambda: [work(path, steps) for path in paths])}
            result = interleave(sides, options.effort(7, 1.0), "cpu")
            took = result.median("ours")
            note = (
                f"{FILES / took:.0f} files/s, target at least {LEAST:.0f}; "
                f"{changes} changes, {left} left"
            )
            yield Row(GROUP, NAME, 1, "cpu", "s", took, None, took, "value", FILES / LEAST, note)
        if options.wants(GROUP, TWO) and 2 in options.threads:
            sides = {
                "one": local(lambda: list(_many(paths * 4, steps, 1))),
                "ours": local(lambda: list(_many(paths * 4, steps, 2))),
            }
            result = interleave(sides, options.effort(5, 1.0), "wall")
            ratio = result.ratio("ours", "one")
            note = f"{1 / ratio:.2f} times one process, target {GAIN}"
            yield Row(
                GROUP,
                TWO,
                2,
                "wall",
                "s",
                result.median("ours"),
                None,
                ratio,
                "value",
                1 / GAIN,
                note,
            )
