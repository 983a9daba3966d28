"""Save a layer's and an optimizer's state and continue from it: the same losses either way."""

import tempfile
from pathlib import Path

import numpy as np

import paddle
from paddle import nn

IMAGE_SIZE = 784
CLASS_NUM = 10
BATCH_SIZE = 16
BATCH_NUM = 4


class RandomDataset(paddle.io.Dataset):
    """Random images with random labels, the same in every epoch."""

    def __init__(self, num_samples, seed=0):
        super().__init__()
        rng = np.random.RandomState(seed)
        self.images = rng.random_sample((num_samples, IMAGE_SIZE)).astype("float32")
        self.labels = rng.randint(0, CLASS_NUM, (num_samples, 1)).astype("int64")

    def __getitem__(self, idx):
        return self.images[idx], self.labels[idx]

    def __len__(self):
        return len(self.images)


class LinearNet(nn.Layer):
    """One linear layer."""

    def __init__(self):
        super().__init__()
        self._linear = nn.Linear(IMAGE_SIZE, CLASS_NUM)

    def forward(self, x):
        return self._linear(x)


def train(layer, optimizer, loader, epochs):
    """Train and return every loss."""
    loss_fn = nn.CrossEntropyLoss()
    losses = []
    for _ in range(epochs):
        for image, label in loader():
            loss = loss_fn(layer(image), label)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
    return losses


def build():
    """A fresh layer and its optimizer."""
    layer = LinearNet()
    return layer, paddle.optimizer.Adam(learning_rate=0.001, parameters=layer.parameters())


def main():
    """Return the losses of going on and of going on from the files."""
    paddle.seed(1)
    dataset = RandomDataset(BATCH_NUM * BATCH_SIZE)
    loader = paddle.io.DataLoader(dataset, batch_size=BATCH_SIZE, shuffle=False, drop_last=True)
    with paddle.utils.unique_name.guard():
        layer, adam = build()
    before = train(layer, adam, loader, epochs=4)
    print(f"loss {before[0]:.4f} -> {before[-1]:.4f}")

    with tempfile.TemporaryDirectory() as folder:
        paddle.save(layer.state_dict(), str(Path(folder) / "linear_net.pdparams"))
        paddle.save(adam.state_dict(), str(Path(folder) / "adam.pdopt"))
        layer_state = paddle.load(str(Path(folder) / "linear_net.pdparams"))
        opt_state = paddle.load(str(Path(folder) / "adam.pdopt"))

    with paddle.utils.unique_name.guard():  # the second net's parameters get the names of the first
        again, adam_again = build()
    again.set_state_dict(layer_state)
    adam_again.set_state_dict(opt_state)

    went_on = train(layer, adam, loader, epochs=2)
    resumed = train(again, adam_again, loader, epochs=2)
    print(f"going on: {went_on[-1]:.6f}, from the files: {resumed[-1]:.6f}")
    if went_on != resumed:
        raise SystemExit("the losses differ")
    return went_on, resumed


if __name__ == "__main__":
    main()
