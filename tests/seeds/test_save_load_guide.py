"""Guide 2.8.2: parameters of layer and optimizer to files and back, data from two workers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.optimizer as opt
from tests.seeds.printed import output

BATCH_SIZE = 16
BATCH_NUM = 4
EPOCH_NUM = 4

IMAGE_SIZE = 784
CLASS_NUM = 10


# define a random dataset
class RandomDataset(paddle.io.Dataset):
    def __init__(self, num_samples):
        self.num_samples = num_samples

    def __getitem__(self, idx):
        image = np.random.random([IMAGE_SIZE]).astype("float32")
        label = np.random.randint(0, CLASS_NUM - 1, (1,)).astype("int64")
        return image, label

    def __len__(self):
        return self.num_samples


class LinearNet(nn.Layer):
    def __init__(self):
        super(LinearNet, self).__init__()  # noqa: UP008
        self._linear = nn.Linear(IMAGE_SIZE, CLASS_NUM)

    def forward(self, x):
        return self._linear(x)


def train(layer, loader, loss_fn, opt):
    for epoch_id in range(EPOCH_NUM):
        for batch_id, (image, label) in enumerate(loader()):
            out = layer(image)
            loss = loss_fn(out, label)
            loss.backward()
            opt.step()
            opt.clear_grad()
            print("Epoch {} batch {}: loss = {}".format(  # noqa: UP032
                epoch_id, batch_id, np.mean(loss.numpy())))  # fmt: skip


def test_train_save_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # create network
    layer = LinearNet()
    loss_fn = nn.CrossEntropyLoss()
    adam = opt.Adam(learning_rate=0.001, parameters=layer.parameters())

    # create data loader
    dataset = RandomDataset(BATCH_NUM * BATCH_SIZE)
    loader = paddle.io.DataLoader(dataset,
        batch_size=BATCH_SIZE,
        shuffle=True,
        drop_last=True,
        num_workers=2)  # fmt: skip

    # train
    with output() as out:
        train(layer, loader, loss_fn, adam)
    assert len(out.lines) == EPOCH_NUM * BATCH_NUM
    for number, line in enumerate(out.lines):
        head = f"Epoch {number // BATCH_NUM} batch {number % BATCH_NUM}: loss = "
        assert re.fullmatch(head + r"\d+\.\d+", line)

    # save
    paddle.save(layer.state_dict(), "linear_net.pdparams")
    paddle.save(adam.state_dict(), "adam.pdopt")
    trained = {name: value.numpy() for name, value in layer.state_dict().items()}
    assert sorted(trained) == ["_linear.bias", "_linear.weight"]
    moments = {name: np.array(value) for name, value in adam.state_dict().items()}

    train(layer, loader, loss_fn, adam)  # goes on: what was saved must not change with it

    # load
    layer_state_dict = paddle.load("linear_net.pdparams")
    opt_state_dict = paddle.load("adam.pdopt")

    layer.set_state_dict(layer_state_dict)
    adam.set_state_dict(opt_state_dict)

    for name, value in layer.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), trained[name])
    again = {name: np.array(value) for name, value in adam.state_dict().items()}
    assert sorted(again) == sorted(moments)
    for name, value in again.items():
        np.testing.assert_array_equal(value, moments[name], err_msg=name)
