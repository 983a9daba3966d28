"""U-Net finds circles, squares and triangles: segmentation of pictures that the example draws.

Measured (seed 2021): after 8 epochs on 600 pictures the mean intersection over union of the four
classes (background and three shapes) is 0.92 on 100 new pictures; 42 seconds of one core. Needs
matplotlib.

U-Net looks at a picture through two paths. Going down, each step halves the picture and sees more
of it at once; going up, each step doubles it again and joins what the path down had seen at that
size, so that borders stay sharp. Every pixel gets a class.
"""

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # pictures go to files
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageDraw

import paddle
import paddle.nn.functional as F
from paddle import nn

OUTPUT = Path("output/unet_shapes")
CLASSES = ["background", "circle", "square", "triangle"]
SIZE = 64


def draw_shapes(random):
    """Draw one to four shapes, later ones over earlier ones; return picture and classes."""
    picture = Image.new("RGB", (SIZE, SIZE), tuple(random.randint(0, 100, 3).tolist()))
    classes = Image.new("L", (SIZE, SIZE), 0)
    for _ in range(random.randint(1, 5)):
        kind = random.randint(1, len(CLASSES))
        x, y = random.randint(8, SIZE - 8, 2).tolist()
        radius = random.randint(6, 16)
        colour = tuple(random.randint(100, 256, 3).tolist())
        left, right, top, bottom = x - radius, x + radius, y - radius, y + radius
        for sheet, fill in ((picture, colour), (classes, kind)):
            pen = ImageDraw.Draw(sheet)
            if kind == 1:
                pen.ellipse([left, top, right, bottom], fill=fill)
            elif kind == 2:
                pen.rectangle([left, top, right, bottom], fill=fill)
            else:
                pen.polygon([(x, top), (left, bottom), (right, bottom)], fill=fill)
    noise = random.normal(0, 12, (SIZE, SIZE, 3))
    pixels = np.clip(np.asarray(picture) + noise, 0, 255).astype("float32") / 255
    return pixels.transpose(2, 0, 1), np.asarray(classes, dtype="int64")


class Shapes(paddle.io.Dataset):
    """Pictures [3, 64, 64] in [0, 1] and the class of each pixel, [64, 64]."""

    def __init__(self, count, seed):
        super().__init__()
        random = np.random.RandomState(seed)
        self.samples = [draw_shapes(random) for _ in range(count)]

    def __getitem__(self, index):
        return self.samples[index]

    def __len__(self):
        return len(self.samples)


class Twice(nn.Sequential):
    """Two convolutions of 3 x 3, each with batch normalization and ReLU."""

    def __init__(self, channels, filters):
        super().__init__(
            nn.Conv2D(channels, filters, 3, padding=1, bias_attr=False),
            nn.BatchNorm2D(filters),
            nn.ReLU(),
            nn.Conv2D(filters, filters, 3, padding=1, bias_attr=False),
            nn.BatchNorm2D(filters),
            nn.ReLU(),
        )


class UNet(nn.Layer):
    """Scores of the classes for each pixel; as many steps down and up as there are widths."""

    def __init__(self, num_classes, widths=(16, 32, 64)):
        super().__init__()
        channels = 3
        self.down = nn.LayerList()
        for width in widths:
            self.down.append(Twice(channels, width))
            channels = width
        self.pool = nn.MaxPool2D(2)
        self.bottom = Twice(channels, 2 * channels)
        channels *= 2
        self.grow, self.up = nn.LayerList(), nn.LayerList()
        for width in reversed(widths):
            self.grow.append(nn.Conv2DTranspose(channels, width, 2, stride=2))
            self.up.append(Twice(2 * width, width))
            channels = width
        self.score = nn.Conv2D(channels, num_classes, 1)

    def forward(self, x):
        seen = []
        for block in self.down:
            seen.append(block(x))
            x = self.pool(seen[-1])
        x = self.bottom(x)
        for grow, block in zip(self.grow, self.up):
            x = block(paddle.concat([grow(x), seen.pop()], axis=1))
        return self.score(x)


def train(network, dataset, epochs, batch_size=8):
    """Train with a falling learning rate, and print the loss of each epoch."""
    loader = paddle.io.DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)
    rate = paddle.optimizer.lr.CosineAnnealingDecay(4e-3, T_max=epochs * len(loader))
    optimizer = paddle.optimizer.Adam(rate, parameters=network.parameters())
    network.train()
    for epoch in range(epochs):
        losses = []
        for pictures, classes in loader:
            loss = F.cross_entropy(network(pictures), classes, axis=1)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            rate.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}")


def predict(network, dataset):
    """Return the class of each pixel of all pictures, [N, 64, 64]."""
    network.eval()
    with paddle.no_grad():
        found = [
            network(pictures).argmax(axis=1).numpy()
            for pictures, _ in paddle.io.DataLoader(dataset, batch_size=50)
        ]
    return np.concatenate(found)


def intersection_over_union(predicted, truth):
    """Return for each class: pixels that are it in both, by those that are it in either."""
    scores = []
    for kind in range(len(CLASSES)):
        a, b = predicted == kind, truth == kind
        scores.append((a & b).sum() / (a | b).sum())
    return scores


def draw(dataset, predicted, path, count=6):
    """Draw pictures above their true and their predicted classes."""
    figure, axes = plt.subplots(3, count, figsize=(1.1 * count, 3.5))
    for column in range(count):
        picture, classes = dataset[column]
        axes[0, column].imshow(picture.transpose(1, 2, 0))
        for row, sheet in ((1, classes), (2, predicted[column])):
            axes[row, column].imshow(sheet, cmap="viridis", vmin=0, vmax=len(CLASSES) - 1)
    for row, title in enumerate(["picture", "truth", "found"]):
        axes[row, 0].set_ylabel(title)
    for one in axes.flat:
        one.set(xticks=[], yticks=[])
    figure.tight_layout(pad=0.4)
    figure.savefig(path, dpi=80)
    plt.close(figure)


def main(pictures=600, epochs=8):
    """Return the mean intersection over union on new pictures."""
    paddle.seed(2021)
    np.random.seed(2021)  # the order of the training pictures
    network = UNet(len(CLASSES))
    train(network, Shapes(pictures, seed=0), epochs)

    test = Shapes(100, seed=1)
    predicted = predict(network, test)
    scores = intersection_over_union(predicted, np.stack([classes for _, classes in test]))
    for name, score in zip(CLASSES, scores):
        print(f"  {name:10} {score:.3f}")
    mean = float(np.mean(scores))
    print(f"mean intersection over union on {len(test)} new pictures: {mean:.3f}")

    OUTPUT.mkdir(parents=True, exist_ok=True)
    draw(test, predicted, OUTPUT / "segmentation.png")
    return mean


if __name__ == "__main__":
    started = time.time()
    main()
    print(f"{time.time() - started:.0f} seconds; some pictures are in {OUTPUT}/segmentation.png")
