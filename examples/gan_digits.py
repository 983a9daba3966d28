"""A generator learns to write digits against a discriminator that tells written from generated.

Measured: a classifier of real digits is sure of generated ones by 0.82 in the mean, and finds all
ten among them, the rarest with 3 %; 71 s of one core.

The networks are small convolutional ones (DCGAN). Nobody can measure a picture's beauty, so a
judge, a classifier that was trained on real digits only, looks at a thousand generated ones: how
sure is it of what it sees, and are all ten digits among them?

Needs matplotlib (`pip install matplotlib`) and MNIST (`make mnist` fetches it).
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.vision.datasets import MNIST
from paddle.vision.transforms import Compose, Normalize, ToTensor

matplotlib.use("Agg")
from matplotlib import pyplot as plt

OUTPUT = Path("output/gan_digits")
NOISE = 64  # a digit is made of so many random numbers
BATCH = 32


class Generator(nn.Layer):
    """Makes [batch, 1, 28, 28] of noise [batch, NOISE]: 7 x 7 cells grow to 14 x 14 to 28 x 28."""

    def __init__(self):
        super().__init__()
        self.start = nn.Sequential(nn.Linear(NOISE, 64 * 7 * 7), nn.BatchNorm1D(64 * 7 * 7))
        self.grow = nn.Conv2DTranspose(64, 32, 4, stride=2, padding=1)
        self.norm = nn.BatchNorm2D(32)
        self.draw = nn.Conv2DTranspose(32, 1, 4, stride=2, padding=1)

    def forward(self, noise):
        cells = F.relu(self.start(noise)).reshape([-1, 64, 7, 7])
        return F.tanh(self.draw(F.relu(self.norm(self.grow(cells)))))


class Discriminator(nn.Layer):
    """Says by a number how real an image looks; its sigmoid is a probability."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2D(1, 24, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2),
            nn.Conv2D(24, 48, 4, stride=2, padding=1),
            nn.BatchNorm2D(48),
            nn.LeakyReLU(0.2),
            nn.Flatten(),
            nn.Linear(48 * 7 * 7, 1),
        )

    def forward(self, image):
        return self.layers(image)


def digits(mode):
    """The real digits, with values from -1 to 1 as tanh gives them."""
    return MNIST(mode=mode, transform=Compose([ToTensor(), Normalize([0.5], [0.5])]))


def train_judge(steps):
    """Trains a classifier on real digits; returns it with its accuracy on the test images."""
    judge = nn.Sequential(
        nn.Conv2D(1, 16, 5, stride=2, padding=2),
        nn.BatchNorm2D(16),
        nn.ReLU(),
        nn.Conv2D(16, 32, 5, stride=2, padding=2),
        nn.BatchNorm2D(32),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, 10),
    )
    model = paddle.Model(judge)
    model.prepare(
        paddle.optimizer.Adam(1e-3, parameters=judge.parameters()),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    sample = paddle.io.Subset(digits("train"), range(steps * BATCH))
    model.fit(sample, batch_size=BATCH, epochs=1, verbose=0)
    accuracy = model.evaluate(digits("test"), batch_size=256, verbose=0)["acc"]
    judge.eval()
    return judge, accuracy


def judged(judge, generator, count=1000):
    """Mean confidence of the judge in its answers, and the share of each digit in them."""
    generator.eval()
    with paddle.no_grad():
        scores = F.softmax(judge(generator(paddle.randn([count, NOISE])))).numpy()
    generator.train()
    shares = np.bincount(scores.argmax(axis=1), minlength=10) / count
    return float(scores.max(axis=1).mean()), shares


def learning(net, on):
    """Says whether a network's weights get gradients."""
    for parameter in net.parameters():
        parameter.stop_gradient = not on


def train(generator, discriminator, steps, looks):
    """Both learn in turn. Returns the losses, and what the same noise gave at the steps `looks`."""
    rate = paddle.optimizer.lr.PolynomialDecay(1e-3, steps, end_lr=1e-4)
    generator_adam, discriminator_adam = (
        paddle.optimizer.Adam(rate, beta1=0.5, parameters=net.parameters())
        for net in (generator, discriminator)
    )
    loader = paddle.io.DataLoader(digits("train"), batch_size=BATCH, shuffle=True, drop_last=True)
    ones, zeros = paddle.ones([BATCH, 1]), paddle.zeros([BATCH, 1])
    noise_to_show = paddle.randn([10, NOISE])
    losses, shown, batches = [], [], iter(loader)
    for step in range(1, steps + 1):
        real = next(batches, None)
        if real is None:
            batches = iter(loader)
            real = next(batches)
        fake = generator(paddle.randn([BATCH, NOISE]))

        # The discriminator: real images are to be called 0.9 (a doubt that keeps it from being too
        # sure too soon), generated ones 0. detach: the generator does not learn from this.
        seen = discriminator(real[0])
        unmasked = discriminator(fake.detach())
        d_loss = F.binary_cross_entropy_with_logits(seen, ones * 0.9)
        d_loss = d_loss + F.binary_cross_entropy_with_logits(unmasked, zeros)
        d_loss.backward()
        discriminator_adam.step()
        discriminator_adam.clear_grad()

        # The generator: its images are to be called real. The way back leads through the
        # discriminator, whose weights need no gradients of it.
        learning(discriminator, False)
        g_loss = F.binary_cross_entropy_with_logits(discriminator(fake), ones)
        g_loss.backward()
        generator_adam.step()
        generator_adam.clear_grad()
        learning(discriminator, True)
        rate.step()

        losses.append((float(d_loss), float(g_loss)))
        if step in looks:
            generator.eval()
            with paddle.no_grad():
                shown.append(generator(noise_to_show).numpy())
            generator.train()
            print(
                f"step {step:5}: discriminator {losses[-1][0]:.3f}, generator {losses[-1][1]:.3f}"
            )
    return np.array(losses), shown


def draw(shown, looks, losses, path):
    """A row of digits for each look, and the losses below."""
    figure, (top, below) = plt.subplots(
        2, 1, figsize=(6, 0.6 * len(shown) + 2.2), height_ratios=[0.6 * len(shown), 1.8]
    )
    rows = [np.concatenate(list(images[:, 0]), axis=1) for images in shown]
    top.imshow(np.concatenate(rows), cmap="gray_r")
    top.set_yticks([28 * i + 14 for i in range(len(looks))], [f"step {n}" for n in looks])
    top.set_xticks([])
    smooth = np.ones(20) / 20
    for column, name in enumerate(("discriminator", "generator")):
        below.plot(np.convolve(losses[:, column], smooth, "valid"), label=name)
    below.set_xlabel("step")
    below.set_ylabel("loss")
    below.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def main(quick=False):
    """Returns the accuracy of the judge, its mean confidence, and the shares of the digits."""
    paddle.seed(3)
    np.random.seed(3)
    steps = 800 if quick else 4000
    judge, accuracy = train_judge(steps=600 if quick else 1800)
    print(f"the judge knows {accuracy:.3f} of the real test images")

    generator, discriminator = Generator(), Discriminator()
    looks = [steps // 10, steps // 4, steps // 2, steps]
    losses, shown = train(generator, discriminator, steps, looks)
    confidence, shares = judged(judge, generator)

    OUTPUT.mkdir(parents=True, exist_ok=True)
    draw(shown, looks, losses, OUTPUT / "digits.png")
    paddle.save(generator.state_dict(), str(OUTPUT / "generator.pdparams"))
    print(f"the judge is sure of generated digits by {confidence:.3f} in the mean")
    print("share of each digit:", " ".join(f"{i}: {s:.1%}" for i, s in enumerate(shares)))
    print(f"the digits over training are in {OUTPUT / 'digits.png'}")
    return accuracy, confidence, shares


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the steps")
    main(**vars(parser.parse_args()))
