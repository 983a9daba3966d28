"""Guide 2.5: fit, evaluate, predict, and the loops they stand for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.vision.transforms import ToTensor
from tests.seeds.printed import output, small_mnist

BAR = r"\[={30}\]"
LOSS = r"\d+\.\d{4}(?:e[-+]\d\d)?"
TIME = r"\d+[mu]?s/step"
VALUE = r"\[[0-9.e+-]+\]"


class Prepared:
    """What 2.5.1 sets up."""

    def __init__(self, folder: Path) -> None:
        paddle.seed(5)
        np.random.seed(5)
        with small_mnist(folder, train=330, test=150):
            # 加载数据集
            self.train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
            self.test_dataset = paddle.vision.datasets.MNIST(mode="test", transform=ToTensor())
        # 定义网络结构
        self.mnist = paddle.nn.Sequential(
            paddle.nn.Flatten(1, -1),
            paddle.nn.Linear(784, 512),
            paddle.nn.ReLU(),
            paddle.nn.Dropout(0.2),
            paddle.nn.Linear(512, 10)
        )  # fmt: skip


@pytest.fixture
def ready(tmp_path: Path) -> Prepared:
    return Prepared(tmp_path)


def test_fit_evaluate_predict(ready: Prepared) -> None:
    model = paddle.Model(ready.mnist)
    # 为模型训练做准备，设置优化器，损失函数和精度计算方式
    model.prepare(optimizer=paddle.optimizer.Adam(parameters=model.parameters()),
                  loss=paddle.nn.CrossEntropyLoss(),
                  metrics=paddle.metric.Accuracy())  # fmt: skip

    with output() as out:
        # 启动模型训练，指定训练数据集，设置训练轮次，设置每次数据集计算的批次大小，设置日志格式
        model.fit(ready.train_dataset,
                  epochs=5,
                  batch_size=64,
                  verbose=1)  # fmt: skip
    assert out.lines[0] == (
        "The loss value printed in the log is the current step, and the metric is the average "
        "value of previous step."
    )
    assert out.lines[1::2] == [f"Epoch {epoch}/5" for epoch in (1, 2, 3, 4, 5)]
    for line in out.lines[2::2]:
        assert re.fullmatch(rf"step 6/6 {BAR} - loss: {LOSS} - acc: [01]\.\d{{4}} - {TIME}", line)

    with output() as out:
        # 用 evaluate 在测试集上对模型进行验证
        eval_result = model.evaluate(ready.test_dataset, verbose=1)
    assert out.lines[:2] == [
        "Eval begin...",
        "The loss value printed in the log is the current batch, and the metric is the average "
        "value of previous step.",
    ]
    assert re.fullmatch(
        rf"step 150/150 {BAR} - loss: {LOSS} - acc: [01]\.\d{{4}} - {TIME}", out.lines[2]
    )
    assert out.lines[3:] == ["Eval samples: 150"]
    assert list(eval_result) == ["loss", "acc"]
    assert eval_result["acc"] >= 0.98

    with output() as out:
        # 用 predict 在测试集上对模型进行测试
        test_result = model.predict(ready.test_dataset)
    assert out.lines[0] == "Predict begin..."
    assert re.fullmatch(rf"step 150/150 {BAR} - {TIME}", out.lines[1])
    assert out.lines[2:] == ["Predict samples: 150"]
    # 模型是单一输出：[(numpy_ndarray_1, numpy_ndarray_2, ⋯, numpy_ndarray_n)]
    assert len(test_result) == 1
    assert len(test_result[0]) == 150
    assert {(type(a), a.shape) for a in test_result[0]} == {(np.ndarray, (1, 10))}
    found = [int(a.argmax()) for a in test_result[0]]
    right = sum(f == i % 10 for i, f in enumerate(found)) / 150
    assert right == pytest.approx(eval_result["acc"])


def test_keys_of_the_result_of_evaluate(ready: Prepared) -> None:
    model = paddle.Model(ready.mnist)
    loss = paddle.nn.CrossEntropyLoss()
    model.prepare(loss=loss)
    assert list(model.evaluate(ready.test_dataset, batch_size=64, verbose=0)) == ["loss"]
    model.prepare(loss=loss, metrics=paddle.metric.Accuracy())
    assert list(model.evaluate(ready.test_dataset, batch_size=64, verbose=0)) == ["loss", "acc"]
    model.prepare(loss=loss, metrics=[paddle.metric.Accuracy(), paddle.metric.Accuracy(topk=(2,))])
    result = model.evaluate(ready.test_dataset, batch_size=64, verbose=0)
    assert list(result) in (["loss", "acc"], ["loss", "acc", "acc_top2"])


def test_predicting_with_several_outputs() -> None:
    class Two(paddle.nn.Layer):
        def forward(self, x):
            return x + 1, x * 2

    data = paddle.io.TensorDataset([paddle.arange(6, dtype="float32").reshape([3, 2])])
    model = paddle.Model(Two())
    plus, times = model.predict(data, verbose=0)
    assert [a.tolist() for a in plus] == [[[1, 2]], [[3, 4]], [[5, 6]]]
    assert [a.tolist() for a in times] == [[[0, 2]], [[4, 6]], [[8, 10]]]


def basic_training(mnist, train_dataset, every: int, shuffle: bool = True) -> None:
    """3.1 拆解 Model.prepare()、Model.fit()"""
    # 用 DataLoader 实现数据加载
    train_loader = paddle.io.DataLoader(train_dataset, batch_size=64, shuffle=shuffle)

    mnist.train()

    # 设置迭代次数
    epochs = 5

    # 设置优化器
    optim = paddle.optimizer.Adam(parameters=mnist.parameters())
    # 设置损失函数
    loss_fn = paddle.nn.CrossEntropyLoss()

    for epoch in range(epochs):
        for batch_id, data in enumerate(train_loader()):
            x_data = data[0]  # 训练数据
            y_data = data[1]  # 训练数据标签
            predicts = mnist(x_data)  # 预测结果

            # 计算损失 等价于 prepare 中 loss 的设置
            loss = loss_fn(predicts, y_data)

            # 计算准确率 等价于 prepare 中 metrics 的设置
            acc = paddle.metric.accuracy(predicts, y_data)

            # 下面的反向传播、打印训练信息、更新参数、梯度清零都被封装到 Model.fit() 中

            # 反向传播
            loss.backward()

            if (batch_id + 1) % every == 0:
                print(
                    "epoch: {}, batch_id: {}, loss is: {}, acc is: {}".format(  # noqa: UP032
                        epoch, batch_id + 1, loss.numpy(), acc.numpy()
                    )
                )

            # 更新参数
            optim.step()

            # 梯度清零
            optim.clear_grad()


def test_the_basic_api(ready: Prepared) -> None:
    mnist = ready.mnist
    with output() as out:
        basic_training(mnist, ready.train_dataset, every=5)
    assert len(out.lines) == 5
    for epoch, line in enumerate(out.lines):
        head = f"epoch: {epoch}, batch_id: 5, "
        assert re.fullmatch(rf"{head}loss is: {VALUE}, acc is: {VALUE}", line)

    # 加载测试数据集
    test_loader = paddle.io.DataLoader(ready.test_dataset, batch_size=64, drop_last=True)
    loss_fn = paddle.nn.CrossEntropyLoss()

    mnist.eval()
    with output() as out:
        for batch_id, data in enumerate(test_loader()):
            x_data = data[0]  # 测试数据
            y_data = data[1]  # 测试数据标签
            predicts = mnist(x_data)  # 预测结果

            # 计算损失与精度
            loss = loss_fn(predicts, y_data)
            acc = paddle.metric.accuracy(predicts, y_data)

            # 打印信息
            if (batch_id + 1) % 2 == 0:
                print("batch_id: {}, loss is: {}, acc is: {}".format(  # noqa: UP032
                    batch_id + 1, loss.numpy(), acc.numpy()))  # fmt: skip
    assert batch_id == 1  # 150 = 2 * 64 + 22, and the rest is dropped
    assert re.fullmatch(rf"batch_id: 2, loss is: {VALUE}, acc is: {VALUE}", out.text.strip())
    assert float(acc) >= 0.95

    # 加载测试数据集
    test_loader = paddle.io.DataLoader(ready.test_dataset, batch_size=64, drop_last=True)

    mnist.eval()
    with output() as out:
        for batch_id, data in enumerate(test_loader()):  # noqa: B007
            x_data = data[0]
            predicts = mnist(x_data)

            # 获取预测结果
        print("predict finished")
    out.is_("predict finished")


def test_fit_does_what_the_basic_loop_does(ready: Prepared) -> None:
    """Same seeds, same numbers: the guide says that fit is made of the basic API."""
    start = {name: value.numpy() for name, value in ready.mnist.state_dict().items()}

    def reset() -> None:
        ready.mnist.set_state_dict({n: paddle.to_tensor(v) for n, v in start.items()})
        paddle.seed(9)
        np.random.seed(9)

    reset()
    with output():
        basic_training(ready.mnist, ready.train_dataset, every=5, shuffle=False)
    by_hand = {name: value.numpy() for name, value in ready.mnist.state_dict().items()}
    reset()
    model = paddle.Model(ready.mnist)
    model.prepare(paddle.optimizer.Adam(parameters=model.parameters()),
                  paddle.nn.CrossEntropyLoss())  # fmt: skip
    model.fit(ready.train_dataset, epochs=5, batch_size=64, shuffle=False, verbose=0)
    for name, value in ready.mnist.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), by_hand[name], err_msg=name)
