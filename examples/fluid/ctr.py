"""Click-through rates from text files, by ``train_from_dataset``: a 1.x script as it is.

Raw lines look like those of the Criteo challenge: a label, 13 integers and 26 categories in
hexadecimal, separated by tabs, any of them empty. This file is also the ``pipe_command`` that turns
them into records of 28 slots. The clicks are drawn from hidden weights of the categories and of the
integers; the best that can be known, the AUC of these weights themselves, is printed beside the
model's.

    python examples/fluid/ctr.py

24,000 records, three epochs of batches of 100: the AUC on 6,000 others is 0.903, where the hidden
weights reach 0.916. PaddlePaddle 1.8.5 runs the same file and gets 0.902 (random numbers differ).
"""

import os
import sys
import tempfile

import numpy as np

import paddle.fluid as fluid
import paddle.fluid.incubate.data_generator as dg

DENSE, SPARSE = 13, 26
TABLE = 20001
WIDTH = 8


class Criteo(dg.MultiSlotDataGenerator):
    """Records of raw lines: ``dense_input``, ``C1`` to ``C26`` and ``label``."""

    def generate_sample(self, line):
        """The one record of a line."""

        def read():
            label, values = line.rstrip("\n").split("\t", 1)
            values = values.split("\t")
            dense = [float(v or 0) / 20.0 for v in values[:DENSE]]
            sparse = [[int(v or "0", 16) * (i + 3) % TABLE] for i, v in enumerate(values[DENSE:])]
            names = [f"C{i + 1}" for i in range(SPARSE)]
            yield [("dense_input", dense)] + list(zip(names, sparse)) + [("label", [int(label)])]

        return read


def write_raw(path, records, seed):
    """Writes raw lines, and returns the labels with the logits that they were drawn from."""
    truth = np.random.RandomState(7)
    weights = truth.normal(0, 0.8, (SPARSE, 40)) * (truth.rand(SPARSE, 1) < 0.4)
    slopes = truth.normal(0, 0.05, DENSE)
    drawn = np.random.RandomState(seed)
    numbers = drawn.poisson(6, (records, DENSE))
    kinds = np.minimum(drawn.geometric(0.12, (records, SPARSE)) - 1, 39)
    logits = weights[np.arange(SPARSE), kinds].sum(1) + (numbers - 6).dot(slopes) - 0.5
    labels = (drawn.rand(records) < 1 / (1 + np.exp(-logits))).astype(int)
    with open(path, "w") as file:
        for label, dense, sparse in zip(labels, numbers, kinds):
            words = [f"{int(k) * 2654435761 % 2**32:08x}" if k else "" for k in sparse]
            file.write("\t".join([str(label)] + [str(n) for n in dense] + words) + "\n")
    return labels, logits


def network():
    """Inputs, the loss and the probability of a click."""
    dense = fluid.layers.data("dense_input", shape=[DENSE], dtype="float32")
    sparse = [
        fluid.layers.data(f"C{i + 1}", shape=[1], lod_level=1, dtype="int64") for i in range(SPARSE)
    ]
    label = fluid.layers.data("label", shape=[1], dtype="int64")
    rows = [
        fluid.layers.sequence_pool(
            fluid.layers.embedding(
                slot, size=[TABLE, WIDTH], is_sparse=True,
                param_attr=fluid.ParamAttr(
                    name="features", initializer=fluid.initializer.Uniform(-0.05, 0.05)),
            ), "sum")
        for slot in sparse
    ]  # fmt: skip
    hidden = fluid.layers.concat(rows + [dense], axis=1)
    for size in (64, 32):
        hidden = fluid.layers.fc(hidden, size, act="relu")
    guess = fluid.layers.fc(hidden, 2, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, label))
    return [dense] + sparse + [label], loss, guess


def dataset_of(paths, inputs, kind="QueueDataset"):
    """A dataset of raw files, which go through this script."""
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_use_var(inputs)
    dataset.set_pipe_command(f"{sys.executable} {os.path.abspath(__file__)} parse")
    dataset.set_batch_size(100)
    dataset.set_thread(1)
    dataset.set_filelist(paths)
    return dataset


def area(labels, scores):
    """The area under the ROC curve."""
    order = np.argsort(np.argsort(scores)) + 1
    positive = int(labels.sum())
    low = positive * (positive + 1) / 2
    return (order[labels == 1].sum() - low) / (positive * (len(labels) - positive))


def main(epochs=3, files=4, records=6000):
    """Trains and tests; returns the AUC of the model and that of the hidden weights."""
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, f"part-{i}") for i in range(files)]
    for number, path in enumerate(paths):
        write_raw(path, records, number)
    held_out = os.path.join(folder, "test")
    labels, logits = write_raw(held_out, records, 1000)

    inputs, loss, guess = network()
    program = fluid.default_main_program()
    program.random_seed = fluid.default_startup_program().random_seed = 11
    test_program = program.clone(for_test=True)
    fluid.optimizer.Adam(1e-3).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())

    dataset = dataset_of(paths, inputs, "InMemoryDataset")
    dataset.load_into_memory()
    for epoch in range(epochs):
        dataset.local_shuffle()
        exe.train_from_dataset(
            program, dataset, fetch_list=[loss], fetch_info=[f"epoch {epoch} loss"],
            print_period=120,
        )  # fmt: skip

    test = dataset_of([held_out], inputs)
    scores = []
    loader = fluid.io.DataLoader.from_dataset(test, fluid.cpu_places(1), drop_last=False)
    for batch in loader:
        scores.append(exe.run(test_program, feed=batch[0], fetch_list=[guess])[0][:, 1])
    model, best = area(labels, np.concatenate(scores)), area(labels, logits)
    print(f"AUC {model:.3f} of the model, {best:.3f} of the hidden weights")
    return model, best


if __name__ == "__main__":
    if sys.argv[1:] == ["parse"]:
        Criteo().run_from_stdin()
    else:
        main()
