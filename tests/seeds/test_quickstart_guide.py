"""Guide 2.1: handwritten digits in ten minutes (here: a few made-up digits in seconds)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import paddle
from paddle.vision.transforms import ToTensor
from tests.seeds.printed import output, small_mnist

BAR = r"\[={30}\]"
NUMBER = r"\d+\.\d{4}(?:e-\d+)?"


def test_version() -> None:
    with output() as out:
        print(paddle.__version__)
    out.is_("2.0.0")


def test_the_quick_start(tmp_path: Path) -> None:
    paddle.seed(2)
    np.random.seed(2)
    with small_mnist(tmp_path, train=650, test=200):
        train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
        val_dataset = paddle.vision.datasets.MNIST(mode="test", transform=ToTensor())
    assert train_dataset[0][0].shape == [1, 28, 28]

    mnist = paddle.nn.Sequential(
        paddle.nn.Flatten(),
        paddle.nn.Linear(784, 512),
        paddle.nn.ReLU(),
        paddle.nn.Dropout(0.2),
        paddle.nn.Linear(512, 10)
    )  # fmt: skip

    # 预计模型结构生成模型对象，便于进行后续的配置、训练和验证
    model = paddle.Model(mnist)

    # 模型训练相关配置，准备损失计算方法，优化器和精度计算方法
    model.prepare(paddle.optimizer.Adam(parameters=model.parameters()),
                  paddle.nn.CrossEntropyLoss(),
                  paddle.metric.Accuracy())  # fmt: skip

    # 开始模型训练
    with output() as out:
        model.fit(train_dataset,
                  epochs=5,
                  batch_size=64,
                  verbose=1)  # fmt: skip
    assert out.lines[0] == (
        "The loss value printed in the log is the current step, and the metric is the average "
        "value of previous step."
    )
    assert len(out.lines) == 11
    step = rf"step 11/11 {BAR} - loss: {NUMBER} - acc: [01]\.\d{{4}} - \d+[mu]?s/step"
    for epoch in range(5):
        assert out.lines[1 + 2 * epoch] == f"Epoch {epoch + 1}/5"
        assert re.fullmatch(step, out.lines[2 + 2 * epoch])

    with output() as out:
        result = model.evaluate(val_dataset, verbose=0)
    assert out.text == ""
    # {'loss': [0.0], 'acc': 0.9804}
    assert list(result) == ["loss", "acc"]
    assert len(result["loss"]) == 1
    assert isinstance(result["acc"], float)
    assert result["acc"] >= 0.98
    assert re.fullmatch(
        r"\{'loss': \[[0-9.e-]+\], 'acc': [0-9.]+\}", str(result)
    )  # plain numbers, as printed
