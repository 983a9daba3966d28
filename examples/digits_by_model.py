"""Digits by paddle.Model: train with validation, keep the best, see what is confused, serve.

Measured: accuracy 0.988 on the test images; 43 s of one core.

What `examples/quickstart.py` begins, a whole project goes on with: a network of one's own, images
held back for validation, a learning rate that falls, curves, a confusion matrix, and
files to go on training from or to serve. `digits_by_hand.py` does it without Model.

Needs matplotlib (`pip install matplotlib`) and MNIST (`make mnist` fetches it).
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import paddle
from paddle import nn
from paddle.static import InputSpec
from paddle.vision.datasets import MNIST
from paddle.vision.transforms import Compose, Normalize, ToTensor

matplotlib.use("Agg")
from matplotlib import pyplot as plt

OUTPUT = Path("output/digits_by_model")
BATCH = 128


class Digits(nn.Layer):
    """Scores of the ten digits, [batch, 10], for images [batch, 1, 28, 28]."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 16, 3, padding=1, bias_attr=False),
            nn.BatchNorm2D(16),
            nn.ReLU(),
            nn.MaxPool2D(2),
            nn.Conv2D(16, 32, 3, padding=1, bias_attr=False),
            nn.BatchNorm2D(32),
            nn.ReLU(),
            nn.MaxPool2D(2),
        )
        self.decide = nn.Sequential(nn.Flatten(), nn.Dropout(0.3), nn.Linear(32 * 7 * 7, 10))

    def forward(self, image):
        return self.decide(self.features(image))


def data():
    """The data to train on, to choose by, and to report: 55,000, 5,000 and 10,000 images."""
    transform = Compose([ToTensor(), Normalize([0.13], [0.31])])
    train, validation = paddle.io.random_split(
        MNIST(mode="train", transform=transform), [55000, 5000]
    )
    return train, validation, MNIST(mode="test", transform=transform)


def confusion(labels, predicted):
    """How often the digit of the row was taken for that of the column, [10, 10]."""
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (labels, predicted), 1)
    return counts


def draw_confusion(counts, path):
    """A picture of the errors; the diagonal, which would outshine them, is left out."""
    errors = counts * (1 - np.eye(10, dtype=int))
    figure, axis = plt.subplots(figsize=(5, 4.6))
    axis.imshow(errors, cmap="Reds")
    for row, column in np.ndindex(10, 10):
        if counts[row, column]:
            colour = "white" if errors[row, column] > 0.6 * errors.max() else "black"
            axis.text(column, row, counts[row, column], ha="center", va="center", color=colour)
    axis.set_xticks(range(10))
    axis.set_yticks(range(10))
    axis.set_xlabel("taken for")
    axis.set_ylabel("is a")
    axis.set_title(f"{errors.sum()} of {counts.sum()} wrong")
    figure.tight_layout()
    figure.savefig(path, dpi=75)
    plt.close(figure)


def served(path, images):
    """The digits that the exported model sees; it needs neither Digits nor Model."""
    net = paddle.jit.load(path)
    net.eval()
    return net(paddle.to_tensor(images)).numpy().argmax(axis=1)


def main(quick=False):
    """Returns the accuracy on the test images and the History of the training."""
    paddle.seed(4)
    np.random.seed(4)
    train, validation, test = data()
    epochs = 4
    if quick:
        train, epochs = paddle.io.Subset(train, range(12800)), 2

    model = paddle.Model(Digits(), inputs=InputSpec([None, 1, 28, 28], "float32", "image"))
    model.summary()
    steps = epochs * -(-len(train) // BATCH)
    rate = paddle.optimizer.lr.CosineAnnealingDecay(2e-3, T_max=steps)  # fit moves it every step
    model.prepare(
        paddle.optimizer.Adam(rate, parameters=model.parameters(), weight_decay=1e-5),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    best = paddle.callbacks.EarlyStopping("acc", mode="max", patience=2, save_best_model=True)
    history = model.fit(
        train,
        validation,
        batch_size=BATCH,
        epochs=epochs,
        save_dir=str(OUTPUT / "checkpoints"),
        callbacks=best,
        verbose=1,
    )
    history.plot(str(OUTPUT / "curves.png"))
    print("validation:", " ".join(f"{a:.4f}" for a in history.history["eval_acc"]))

    # The epoch that was best in validation is what we report and keep.
    model.load(str(OUTPUT / "checkpoints" / "best_model"))
    accuracy = model.evaluate(test, batch_size=500, verbose=0)["acc"]
    scores = model.predict(test, batch_size=500, stack_outputs=True, verbose=0)[0]
    labels = np.array([test[i][1].item() for i in range(len(test))])
    counts = confusion(labels, scores.argmax(axis=1))
    draw_confusion(counts, OUTPUT / "confusion.png")
    print(f"accuracy on {len(test)} test images: {accuracy:.4f}")
    errors = counts * (1 - np.eye(10, dtype=int))
    for place in np.argsort(errors, axis=None)[:-4:-1]:
        print("a {} was taken for a {} {} times".format(*divmod(place, 10), errors.flat[place]))

    model.save(str(OUTPUT / "digits"))  # to go on training: digits.pdparams, digits.pdopt
    model.save(str(OUTPUT / "served"), training=False)  # to serve: served.pdmodel, .pdiparams
    images = np.stack([np.asarray(test[i][0]) for i in range(100)])
    same = (served(str(OUTPUT / "served"), images) == scores[:100].argmax(axis=1)).all()
    print(f"the served model sees the same digits: {same}")
    print(f"curves, confusion matrix and files are in {OUTPUT}/")
    return accuracy, history, same


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a quarter of the data, two epochs")
    main(**vars(parser.parse_args()))
