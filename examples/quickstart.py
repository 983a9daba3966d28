"""Train LeNet on MNIST with the high-level API, evaluate it, and draw what it predicts.

`make quickstart` fetches the data first; see scripts/fetch_mnist.sh.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import paddle
from paddle.vision.transforms import ToTensor

EPOCHS = 2
PROMISED = 0.98
OUTPUT = Path("output/quickstart")


def draw_grid(images, labels, predicted, path, columns=8, scale=3):
    """Write a PNG of digits, each with its predicted class: green if right, red if wrong."""
    size, caption = 28 * scale, 16
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * size, rows * (size + caption)), "white")
    draw = ImageDraw.Draw(sheet)
    draw.fontmode = "1"  # crisp letters: one colour each
    for index, image in enumerate(images):
        left, top = index % columns * size, index // columns * (size + caption)
        digit = Image.fromarray((image.reshape(28, 28) * 255).astype("uint8"))
        sheet.paste(digit.resize((size, size)), (left, top))
        right = predicted[index] == labels[index]
        text = str(predicted[index]) if right else f"{predicted[index]} (is {labels[index]})"
        draw.text((left + 4, top + size + 2), text, fill="green" if right else "red")
    sheet.save(path)


def main():
    """Return 0 if the promised accuracy was reached."""
    paddle.seed(2021)
    np.random.seed(2021)  # the order of the training samples

    train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
    val_dataset = paddle.vision.datasets.MNIST(mode="test", transform=ToTensor())

    model = paddle.Model(paddle.vision.models.LeNet())
    model.prepare(
        paddle.optimizer.Adam(parameters=model.parameters()),
        paddle.nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    model.fit(train_dataset, epochs=EPOCHS, batch_size=64, verbose=1)
    result = model.evaluate(val_dataset, batch_size=64, verbose=0)

    scores = model.predict(val_dataset, batch_size=64, stack_outputs=True)[0]
    predicted = scores.argmax(axis=1)
    labels = np.array([val_dataset[i][1].item() for i in range(32)])
    images = [np.asarray(val_dataset[i][0]) for i in range(32)]

    OUTPUT.mkdir(parents=True, exist_ok=True)
    draw_grid(images, labels, predicted, OUTPUT / "predictions.png")
    model.save(str(OUTPUT / "lenet"))

    accuracy = float(np.ravel(result["acc"])[0])
    reached = accuracy >= PROMISED
    print(f"accuracy on the {len(val_dataset)} test images: {accuracy:.4f}")
    print(f"the promised {PROMISED:.0%} was {'reached' if reached else 'NOT reached'}")
    print(f"parameters and a sheet of predictions are in {OUTPUT}/")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
