"""Guide 2.8.3: model and parameters to files and back; its examples run as printed.

3.1.1          test_train_converted_and_save
3.1.1 (1)      test_with_an_input_spec
3.1.1 (2)      test_a_loss_in_forward
3.1.1 (3)      test_several_methods
3.1.2          test_train_dynamic_and_save, with a spec and with an example
3.2            test_load: predict, tune, save again, the parameters alone
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.optimizer as opt
from paddle.static import InputSpec
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

    @paddle.jit.to_static
    def forward(self, x):
        return self._linear(x)


class DynamicNet(nn.Layer):
    def __init__(self):
        super(DynamicNet, self).__init__()  # noqa: UP008
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


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def trained(layer: Any) -> None:
    """Creates data loader, loss and optimizer as printed, and trains."""
    # create network
    loss_fn = nn.CrossEntropyLoss()
    adam = opt.Adam(learning_rate=0.001, parameters=layer.parameters())

    # create data loader
    dataset = RandomDataset(BATCH_NUM * BATCH_SIZE)
    loader = paddle.io.DataLoader(dataset,
        batch_size=BATCH_SIZE,
        shuffle=True,
        drop_last=True,
        num_workers=2)  # fmt: skip

    before = [p.numpy() for p in layer.parameters()]
    with output() as out:
        # train
        train(layer, loader, loss_fn, adam)
    assert len(out.lines) == EPOCH_NUM * BATCH_NUM
    for number, line in enumerate(out.lines):
        head = f"Epoch {number // BATCH_NUM} batch {number % BATCH_NUM}: loss = "
        assert re.fullmatch(head + r"\d+\.\d+", line)
    assert all((p.numpy() != b).any() for p, b in zip(layer.parameters(), before))


def assert_computes(path: str, layer: Any, name: str = "_linear", method: str = "") -> Any:
    """Asserts that the file at ``path`` computes one of the layer's Linears; returns the loaded."""
    loaded = paddle.jit.load(path)
    loaded.eval()
    x = paddle.randn([3, IMAGE_SIZE], "float32")
    weight = layer.state_dict()[f"{name}.weight"].numpy()
    bias = layer.state_dict()[f"{name}.bias"].numpy()
    run = getattr(loaded, method) if method else loaded
    np.testing.assert_allclose(run(x).numpy(), x.numpy() @ weight + bias, rtol=1e-4, atol=1e-5)
    return loaded


def files(folder: str) -> list[str]:
    return sorted(os.listdir(folder))


LINEAR = ["linear.pdiparams", "linear.pdiparams.info", "linear.pdmodel"]


def test_train_converted_and_save() -> None:
    layer = LinearNet()
    trained(layer)

    # save
    path = "example.model/linear"
    paddle.jit.save(layer, path)

    assert files("example.model") == LINEAR
    loaded = paddle.jit.load(path)
    x = paddle.randn([BATCH_SIZE, IMAGE_SIZE], "float32")
    loaded.eval()
    np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-5, atol=1e-6)


def test_with_an_input_spec() -> None:
    class LinearNet(nn.Layer):
        def __init__(self):
            super(LinearNet, self).__init__()  # noqa: UP008
            self._linear = nn.Linear(IMAGE_SIZE, CLASS_NUM)

        @paddle.jit.to_static(input_spec=[InputSpec(shape=[None, 784], dtype="float32")])
        def forward(self, x):
            return self._linear(x)

    layer = LinearNet()
    assert [v.name for v in layer.forward.inputs] == ["x"]
    paddle.jit.save(layer, "example.model/linear")
    assert_computes("example.model/linear", layer)


def test_a_loss_in_forward() -> None:
    """“错误示例”: it works without the label, which is all that its file can predict."""

    class LinearNet(nn.Layer):
        def __init__(self):
            super(LinearNet, self).__init__()  # noqa: UP008
            self._linear = nn.Linear(IMAGE_SIZE, CLASS_NUM)

        @paddle.jit.to_static
        def forward(self, x, label=None):
            out = self._linear(x)
            if label:
                loss = nn.functional.cross_entropy(out, label)
                avg_loss = nn.functional.mean(loss)
                return out, avg_loss
            else:
                return out

    layer = LinearNet()
    assert layer(paddle.randn([2, IMAGE_SIZE])).shape == [2, CLASS_NUM]
    with pytest.raises(ValueError, match=r"one element.*\[2, 1\]|\[2, 1\].*one element"):
        layer(paddle.randn([2, IMAGE_SIZE]), paddle.zeros([2, 1], "int64"))


def test_several_methods() -> None:
    class LinearNet(nn.Layer):
        def __init__(self):
            super(LinearNet, self).__init__()  # noqa: UP008
            self._linear = nn.Linear(IMAGE_SIZE, CLASS_NUM)
            self._linear_2 = nn.Linear(IMAGE_SIZE, CLASS_NUM)

        @paddle.jit.to_static(input_spec=[InputSpec(shape=[None, IMAGE_SIZE], dtype="float32")])
        def forward(self, x):
            return self._linear(x)

        @paddle.jit.to_static(input_spec=[InputSpec(shape=[None, IMAGE_SIZE], dtype="float32")])
        def another_forward(self, x):
            return self._linear_2(x)

    inps = paddle.randn([1, IMAGE_SIZE])
    layer = LinearNet()
    before_0 = layer.another_forward(inps)
    before_1 = layer(inps)

    # save and load
    path = "example.model/linear"
    paddle.jit.save(layer, path)

    assert files("example.model") == [
        "linear.another_forward.pdiparams", "linear.another_forward.pdmodel", *LINEAR,
    ]  # fmt: skip
    loaded = paddle.jit.load(path)
    loaded.eval()
    np.testing.assert_allclose(loaded(inps).numpy(), before_1.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        loaded.another_forward(inps).numpy(), before_0.numpy(), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("forward_too", [False, True])
def test_several_methods_take_no_input_spec(forward_too: bool) -> None:
    """“如果仅装饰非 forward的方法 ... 是不符合规范的。此时 ... input_spec参数必须为 None”"""

    class LinearNet(nn.Layer):
        def __init__(self):
            super().__init__()
            self._linear = nn.Linear(IMAGE_SIZE, CLASS_NUM)

        def forward(self, x):
            return self._linear(x)

        @paddle.jit.to_static(input_spec=[InputSpec(shape=[None, IMAGE_SIZE], dtype="float32")])
        def another_forward(self, x):
            return self._linear(x) * 2

    layer = LinearNet()
    words = r"decorates \['another_forward'\] with to_static, but not forward"
    if forward_too:
        layer = paddle.jit.to_static(layer)
        words = r"input_spec\): expected None .* \['another_forward', 'forward'\]"
    with pytest.raises(ValueError, match=words):
        paddle.jit.save(layer, "example.model/linear", input_spec=[InputSpec([None, IMAGE_SIZE])])
    assert os.listdir() == []


@pytest.mark.parametrize("by_example", [False, True])
def test_train_dynamic_and_save(by_example: bool) -> None:
    layer = DynamicNet()
    trained(layer)

    # save
    path = "example.dy_model/linear"
    if by_example:
        image = paddle.randn([3, IMAGE_SIZE], "float32")
        paddle.jit.save(
            layer=layer,
            path=path,
            input_spec=[image])  # fmt: skip
    else:
        paddle.jit.save(
            layer=layer,
            path=path,
            input_spec=[InputSpec(shape=[None, 784], dtype='float32')])  # fmt: skip

    assert files("example.dy_model") == LINEAR
    loaded = assert_computes(path, layer)
    if not by_example:  # name省略的情况下会使用 forward的对应参数名作为 name，所以这里的 name为 x
        data = [v.name for v in loaded.program().list_vars() if v.is_data or v.need_check_feed]
        assert data == ["x"]
    # The layer stays what it was.
    assert not isinstance(type(layer).forward, type(LinearNet.forward))
    layer(paddle.randn([2, IMAGE_SIZE]))


def test_dynamic_without_an_input_spec() -> None:
    """“需要指定 Layer的 InputSpec，... 不能省略”"""
    with pytest.raises((ValueError, RuntimeError), match="input_spec"):
        paddle.jit.save(DynamicNet(), "example.dy_model/linear")
    assert not Path("example.dy_model").exists() or files("example.dy_model") == []


def test_load() -> None:
    layer = LinearNet()
    layer(paddle.randn([BATCH_SIZE, IMAGE_SIZE]))
    source = layer
    paddle.jit.save(layer, "example.model/linear", input_spec=[InputSpec([None, IMAGE_SIZE])])

    # load
    path = "example.model/linear"
    loaded_layer = paddle.jit.load(path)
    assert isinstance(loaded_layer, paddle.jit.TranslatedLayer)
    assert isinstance(loaded_layer, nn.Layer)
    # 为了规避变量名字冲突，载入之后会重命名变量。
    again = paddle.jit.load(path)
    names = [p.name for m in (source, loaded_layer, again) for p in m.parameters()]
    assert len(set(names)) == 6

    # inference
    loaded_layer.eval()
    x = paddle.randn([1, IMAGE_SIZE], 'float32')  # fmt: skip
    pred = loaded_layer(x)
    np.testing.assert_allclose(pred.numpy(), source(x).numpy(), rtol=1e-5, atol=1e-6)

    # fine-tune
    loaded_layer.train()
    trained(loaded_layer)
    tuned = loaded_layer(x)
    assert np.abs(tuned.numpy() - pred.numpy()).max() > 1e-3

    # save after fine-tuning
    paddle.jit.save(loaded_layer, "fine-tune.model/linear", input_spec=[x])
    assert files("fine-tune.model") == LINEAR
    loaded_layer.eval()
    tuned_again = paddle.jit.load("fine-tune.model/linear")
    tuned_again.eval()
    np.testing.assert_allclose(
        tuned_again(x).numpy(), loaded_layer(x).numpy(), rtol=1e-5, atol=1e-6
    )


def test_load_the_parameters_alone() -> None:
    saved = LinearNet()
    paddle.jit.save(saved, "example.model/linear", input_spec=[InputSpec([None, IMAGE_SIZE])])

    # create network
    layer = LinearNet()

    # load
    path = "example.model/linear"
    state_dict = paddle.load(path)

    # inference
    layer.set_state_dict(state_dict, use_structured_name=False)
    layer.eval()
    x = paddle.randn([1, IMAGE_SIZE], 'float32')  # fmt: skip
    pred = layer(x)

    assert sorted(state_dict) == ["_linear.bias", "_linear.weight"]
    np.testing.assert_allclose(pred.numpy(), saved(x).numpy(), rtol=1e-5, atol=1e-6)


def test_one_key_to_static() -> None:
    """The guide's part on upgrading, and the slide of the same words."""
    from paddle.jit import to_static

    class SimpleNet(paddle.nn.Layer):
        def __init__(self):
            super(SimpleNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)

        # 通过 InputSpec 指定输入数据的形状，None 表示可变长
        # 通过 to_static 装饰器将动态图转换为静态图 Program
        @to_static(input_spec=[InputSpec(shape=[None, 10], name='x'), InputSpec(shape=[3], name='y')])  # noqa: E501  # fmt: skip
        def forward(self, x, y):
            out = self.linear(x)
            out = out + y
            return out

    net = SimpleNet()

    # 保存静态图模型，可用于预测部署
    paddle.jit.save(net, './simple_net')  # fmt: skip

    loaded = paddle.jit.load("./simple_net")
    loaded.eval()
    for size in (1, 6):
        x, y = paddle.rand([size, 10]), paddle.rand([3])
        np.testing.assert_allclose(loaded(x, y).numpy(), net(x, y).numpy(), rtol=1e-5, atol=1e-6)
