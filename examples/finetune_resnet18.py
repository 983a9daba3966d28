"""Fine-tune ResNet18 from a `.pdparams` file: few images are enough for a network that can see.

Measured (seed 2021): with 20 labelled images of each digit 5 to 9, the network that was trained on
digits 0 to 4 before reaches 87.0% on the 4861 test images of its new digits; the same network,
trained as long from scratch, reaches 76.3%. 64 seconds of one core. Needs matplotlib.

The story has two parts. First somebody with many images of digits 0 to 4 trains ResNet18 and saves
its weights. Then somebody with few images of digits 5 to 9 begins with that file:

    resnet18(pretrained="output/finetune_resnet18/digits_0_to_4.pdparams", num_classes=0)

`num_classes=0` leaves out the last layer, which knew the old digits; a new one is put in its place.
With `pretrained=True` the published weights of ImageNet are downloaded and serve the same way.
`make mnist` fetches the data.
"""

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # pictures go to files
import matplotlib.pyplot as plt
import numpy as np

import paddle
from paddle.vision import transforms
from paddle.vision.models import resnet18

OUTPUT = Path("output/finetune_resnet18")


class Digits(paddle.io.Dataset):
    """Images of some digits of MNIST in the form ResNet takes, [3, 32, 32], numbered from 0."""

    def __init__(self, mode, digits, per_digit=None):
        super().__init__()
        self.mnist = paddle.vision.datasets.MNIST(mode=mode)
        self.digits = list(digits)
        labels = self.mnist.labels.reshape(-1)
        chosen = [np.flatnonzero(labels == digit)[:per_digit] for digit in self.digits]
        self.rows = np.sort(np.concatenate(chosen))
        self.transform = transforms.Compose([
            transforms.Pad(2),
            transforms.Grayscale(num_output_channels=3),
            transforms.ToTensor(),
            transforms.Normalize(mean=[0.5] * 3, std=[0.5] * 3),
        ])  # fmt: skip

    def __getitem__(self, index):
        image, label = self.mnist[self.rows[index]]
        return self.transform(image), np.array([self.digits.index(int(label[0]))])

    def __len__(self):
        return len(self.rows)


def prepared(network, learning_rate):
    """Wrap a network for training by the high-level API."""
    model = paddle.Model(network)
    model.prepare(
        paddle.optimizer.Adam(learning_rate, parameters=model.parameters()),
        paddle.nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    return model


def accuracy(model, dataset):
    """Return the share of images that a model classifies correctly."""
    return float(np.ravel(model.evaluate(dataset, batch_size=256, verbose=0)["acc"])[0])


def pretrain(path, per_digit, epochs):
    """Train on digits 0 to 4, save the weights, and return the accuracy."""
    network = resnet18(num_classes=5)
    model = prepared(network, 1e-3)
    model.fit(Digits("train", range(5), per_digit), epochs=epochs, batch_size=64, verbose=0)
    paddle.save(network.state_dict(), str(path))
    return accuracy(model, Digits("test", range(5)))


def with_new_head(pretrained):
    """Return ResNet18 without its last layer, and a new one for the five new digits."""
    return paddle.nn.Sequential(
        resnet18(pretrained=pretrained, num_classes=0),  # the averages, [N, 512, 1, 1]
        paddle.nn.Flatten(),
        paddle.nn.Linear(512, 5),
    )


def train_on_few(pretrained, few, watched, epochs):
    """Train with few images; return the model, and its accuracy on others after each epoch."""
    paddle.seed(2021)
    np.random.seed(2021)  # the order of the training images
    model = prepared(with_new_head(pretrained), 5e-4)
    curve = []
    for _ in range(epochs):
        model.fit(few, epochs=1, batch_size=20, verbose=0)
        curve.append(accuracy(model, watched))
    return model, curve


def draw(curves, path):
    """Draw the accuracy after each epoch."""
    figure, axes = plt.subplots(figsize=(5.2, 3.4))
    for name, curve in curves.items():
        axes.plot(range(1, len(curve) + 1), curve, marker="o", markersize=3, label=name)
    axes.set(xlabel="epoch", ylabel="accuracy on new digits", ylim=(0, 1))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def main(base_images=1500, base_epochs=2, few_images=20, epochs=12):
    """Return the final accuracies: on the old digits, fine-tuned, and from scratch."""
    paddle.seed(2021)
    np.random.seed(2021)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    path = OUTPUT / "digits_0_to_4.pdparams"

    base = pretrain(path, base_images, base_epochs)
    print(f"digits 0 to 4, {5 * base_images} images: accuracy {base:.1%}, saved as {path}")

    few = Digits("train", range(5, 10), few_images)
    watched = Digits("train", range(5, 10), few_images + 100)  # 100 more of each, to draw curves
    watched.rows = np.setdiff1d(watched.rows, few.rows)
    tuned, tuned_curve = train_on_few(str(path), few, watched, epochs)
    scratch, scratch_curve = train_on_few(False, few, watched, epochs)

    test = Digits("test", range(5, 10))
    results = [base, accuracy(tuned, test), accuracy(scratch, test)]
    print(f"digits 5 to 9, {len(few)} images: accuracy on {len(test)} test images")
    print(f"  fine-tuned   {results[1]:.1%}")
    print(f"  from scratch {results[2]:.1%}")

    draw({"fine-tuned": tuned_curve, "from scratch": scratch_curve}, OUTPUT / "accuracy.png")
    return results


if __name__ == "__main__":
    started = time.time()
    main()
    print(f"{time.time() - started:.0f} seconds; the curves are in {OUTPUT}/accuracy.png")
