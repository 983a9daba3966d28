"""Guide 1.2.2 to 1.2.4: making tensors, datasets, networks, training with both APIs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.io import Dataset
from paddle.vision.transforms import ToTensor
from tests.seeds.printed import output, small_mnist


def test_dygraph_is_the_default() -> None:
    assert paddle.in_dynamic_mode()


def test_tensors_from_data() -> None:
    assert paddle.to_tensor(1).numpy().tolist() == [1]
    np.testing.assert_array_equal(paddle.to_tensor((1.1, 2.2)).numpy(), np.float32([1.1, 2.2]))
    array = np.random.randn(3, 4)
    np.testing.assert_array_equal(paddle.to_tensor(array).numpy(), array)


def test_tensors_from_creating_functions() -> None:
    paddle.seed(3)
    shape = [50, 40]
    assert paddle.zeros(shape).shape == paddle.ones(shape).shape == paddle.full(shape, 2).shape
    assert paddle.arange(5).numpy().tolist() == [0, 1, 2, 3, 4]
    uniform = paddle.rand(shape).numpy()
    assert uniform.shape == (50, 40)
    assert 0 <= uniform.min() < 0.01
    assert 0.99 < uniform.max() < 1
    assert abs(float(paddle.randn(shape).mean())) < 0.1
    assert set(paddle.randint(0, 3, shape).numpy().ravel()) == {0, 1, 2}
    assert abs(float(paddle.normal(5.0, 2.0, shape).mean()) - 5) < 0.2
    assert float(paddle.uniform(shape, min=-1.0, max=1.0).min()) < -0.99


ALIASES = [
    ("add", "tensor.add"),
    ("tanh", "tensor.tanh"),
    ("tanh", "nn.functional.tanh"),
    ("remainder", "mod"),
    ("mod", "floor_mod"),
    ("nn.Layer.set_state_dict", "nn.Layer.set_dict"),
]


def found(name: str) -> object:
    """paddle.<name>."""
    thing: object = paddle
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize(("short", "long"), ALIASES)
def test_aliases(short: str, long: str) -> None:
    assert found(short) is found(long)


@pytest.mark.parametrize(("short", "long"), [("rand", "uniform"), ("randn", "standard_normal")])
def test_random_names_that_draw_the_same_numbers(short: str, long: str) -> None:
    first_two_of = {"uniform": {"min": 0.0, "max": 1.0}}
    paddle.seed(7)
    one = found(short)([3, 4])
    paddle.seed(7)
    other = found(long)([3, 4], **first_two_of.get(long, {}))
    np.testing.assert_array_equal(one.numpy(), other.numpy())


class MyDataset(Dataset):
    """步骤一：继承 paddle.io.Dataset 类"""

    def __init__(self, mode="train"):
        """步骤二：实现构造函数，定义数据读取方式，划分训练和测试数据集"""
        super(MyDataset, self).__init__()  # noqa: UP008

        if mode == "train":
            self.data = [
                ["traindata1", "label1"],
                ["traindata2", "label2"],
                ["traindata3", "label3"],
                ["traindata4", "label4"],
            ]
        else:
            self.data = [
                ["testdata1", "label1"],
                ["testdata2", "label2"],
                ["testdata3", "label3"],
                ["testdata4", "label4"],
            ]

    def __getitem__(self, index):
        """步骤三：实现__getitem__ 方法，定义指定 index 时如何获取数据，并返回单条数据"""
        data = self.data[index][0]
        label = self.data[index][1]
        return data, label

    def __len__(self):
        """步骤四：实现__len__ 方法，返回数据集总数目"""
        return len(self.data)


def test_a_dataset_of_ones_own() -> None:
    train_dataset = MyDataset(mode="train")
    val_dataset = MyDataset(mode="test")
    with output() as out:
        print("=============train dataset=============")
        for data, label in train_dataset:
            print(data, label)
        print("=============evaluation dataset=============")
        for data, label in val_dataset:
            print(data, label)
    assert out.lines == [
        "=============train dataset=============",
        *(f"traindata{i} label{i}" for i in (1, 2, 3, 4)),
        "=============evaluation dataset=============",
        *(f"testdata{i} label{i}" for i in (1, 2, 3, 4)),
    ]
    assert len(train_dataset) == 4


def sequential() -> paddle.nn.Layer:
    """Sequential 形式组网"""
    mnist = paddle.nn.Sequential(
        paddle.nn.Flatten(),
        paddle.nn.Linear(784, 512),
        paddle.nn.ReLU(),
        paddle.nn.Dropout(0.2),
        paddle.nn.Linear(512, 10)
    )  # fmt: skip
    return mnist


class Mnist(paddle.nn.Layer):
    """Layer 类继承方式组网"""

    def __init__(self):
        super(Mnist, self).__init__()  # noqa: UP008
        self.flatten = paddle.nn.Flatten()
        self.linear_1 = paddle.nn.Linear(784, 512)
        self.linear_2 = paddle.nn.Linear(512, 10)
        self.relu = paddle.nn.ReLU()
        self.dropout = paddle.nn.Dropout(0.2)

    def forward(self, inputs):
        y = self.flatten(inputs)
        y = self.linear_1(y)
        y = self.relu(y)
        y = self.dropout(y)
        y = self.linear_2(y)
        return y


def test_both_ways_to_build_a_network_compute_the_same() -> None:
    mnist, by_class = sequential(), Mnist()
    weights = list(mnist.state_dict().values())
    by_class.set_state_dict(dict(zip(by_class.state_dict(), weights)))
    mnist.eval()
    by_class.eval()
    images = paddle.rand([4, 1, 28, 28])
    assert mnist(images).shape == [4, 10]
    np.testing.assert_array_equal(mnist(images).numpy(), by_class(images).numpy())
    w, b = weights[0].numpy(), weights[1].numpy()
    hidden = np.maximum(images.numpy().reshape(4, 784) @ w + b, 0)
    np.testing.assert_allclose(
        mnist(images).numpy(), hidden @ weights[2].numpy() + weights[3].numpy(), atol=1e-5
    )


def test_training_with_the_high_level_api(tmp_path: Path) -> None:
    paddle.seed(1)
    np.random.seed(1)
    with small_mnist(tmp_path, train=640, test=160):
        train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
        test_dataset = paddle.vision.datasets.MNIST(mode="test", transform=ToTensor())
    lenet = paddle.vision.models.LeNet()

    # Mnist 继承 paddle.nn.Layer 属于 Net，model 包含了训练功能
    model = paddle.Model(lenet)

    # 设置训练模型所需的 optimizer, loss, metric
    model.prepare(
        paddle.optimizer.Adam(learning_rate=0.001, parameters=model.parameters()),
        paddle.nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(topk=(1, 2))
    )  # fmt: skip
    with output() as out:
        # 启动训练
        model.fit(train_dataset, epochs=2, batch_size=64, log_freq=200)
        # 启动评估
        result = model.evaluate(test_dataset, log_freq=20, batch_size=64)
    assert list(result) == ["loss", "acc_top1", "acc_top2"]
    assert result["acc_top1"] > 0.8
    assert result["acc_top2"] >= result["acc_top1"]
    last_of_epoch_1 = out.lines[2]
    assert last_of_epoch_1.startswith("step 10/10 - loss: ")
    assert " - acc_top1: " in last_of_epoch_1
    assert " - acc_top2: " in last_of_epoch_1


def test_training_with_the_basic_api(tmp_path: Path) -> None:
    paddle.seed(1)
    np.random.seed(1)
    with small_mnist(tmp_path, train=640, test=64):
        train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
    lenet = paddle.vision.models.LeNet()
    loss_fn = paddle.nn.CrossEntropyLoss()

    # 加载训练集 batch_size 设为 64
    train_loader = paddle.io.DataLoader(train_dataset, batch_size=64, shuffle=True)

    def train():
        epochs = 2
        adam = paddle.optimizer.Adam(learning_rate=0.001, parameters=lenet.parameters())
        # 用 Adam 作为优化函数
        for epoch in range(epochs):
            for batch_id, data in enumerate(train_loader()):
                x_data = data[0]
                y_data = data[1]
                predicts = lenet(x_data)
                acc = paddle.metric.accuracy(predicts, y_data)
                loss = loss_fn(predicts, y_data)
                loss.backward()
                if batch_id % 5 == 0:
                    print(
                        "epoch: {}, batch_id: {}, loss is: {}, acc is: {}".format(  # noqa: UP032
                            epoch, batch_id, loss.numpy(), acc.numpy()
                        )
                    )
                adam.step()
                adam.clear_grad()
        return acc

    # 启动训练
    with output() as out:
        acc = train()
    assert acc.shape == [1]
    assert float(acc) > 0.8
    number = r"\[[0-9.e+-]+\]"
    assert len(out.lines) == 4
    for line, (epoch, batch) in zip(out.lines, [(0, 0), (0, 5), (1, 0), (1, 5)]):
        wanted = f"epoch: {epoch}, batch_id: {batch}, loss is: {number}, acc is: {number}"
        assert re.fullmatch(wanted, line)


def test_mnist_without_a_transform_trains_too(tmp_path: Path) -> None:
    """The guide's distributed script gives PIL images straight to a DataLoader."""
    with small_mnist(tmp_path, train=64, test=10):
        train_dataset = paddle.vision.datasets.MNIST(mode="train")
    train_loader = paddle.io.DataLoader(train_dataset, batch_size=64, shuffle=False)
    image, label = next(iter(train_loader()))
    assert str(image.dtype) == "VarType.FP32"
    assert image.shape[0] == 64
    assert image.numpy().max() == 250
    assert label.numpy()[:3].tolist() == [[0], [1], [2]]
