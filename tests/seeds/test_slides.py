"""The 2.0RC slides: the code on them runs and shows what they show."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
import paddle.core.errors as errors
import paddle.nn.functional as F
from tests.seeds.printed import output, small_mnist

ROOT = Path(__file__).resolve().parents[2]


def test_mnist_in_twenty_lines(tmp_path: Path) -> None:
    paddle.seed(1)
    with small_mnist(tmp_path, train=640, test=160):
        normalize = paddle.vision.transforms.Normalize(mean=[0.0], std=[256.0])
        train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=normalize)
        val_dataset = paddle.vision.datasets.MNIST(mode="test", transform=normalize)

    mnist = paddle.nn.Sequential(
        paddle.nn.Flatten(),
        paddle.nn.Linear(784, 1024),
        paddle.nn.ReLU(),
        paddle.nn.Linear(1024, 512),
        paddle.nn.ReLU(),
        paddle.nn.Linear(512, 10),
    )
    model = paddle.Model(mnist)

    model.prepare(
        paddle.optimizer.Adam(parameters=model.parameters()),
        paddle.nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )

    with output() as out:
        model.fit(train_dataset, val_dataset, epochs=5, batch_size=32, verbose=1)
    number, time = r"\d+\.\d{4}(?:e[-+]\d\d)?", r"\d+[mu]?s/step"
    for epoch in range(5):
        lines = out.lines[1 + 5 * epoch : 6 + 5 * epoch]
        assert lines[0] == f"Epoch {epoch + 1}/5"
        step = rf" \[={{30}}\] - loss: {number} - acc: [01]\.\d{{4}} - {time}"
        assert re.fullmatch("step 20/20" + step, lines[1])
        assert lines[2] == "Eval begin..."
        assert re.fullmatch("step 5/5" + step, lines[3])
        assert lines[4] == "Eval samples: 160"
    assert len(out.lines) == 26
    assert float(out.lines[-2].split("acc: ")[1].split()[0]) > 0.95


class FaceNet(paddle.nn.Layer):
    def __init__(self, num_keypoints, pretrained=False):
        super(FaceNet, self).__init__()  # noqa: UP008

        self.backbone = paddle.vision.resnet50(pretrained)

        self.outLayer1 = paddle.nn.Sequential(
            paddle.nn.Linear(1000, 512),
            paddle.nn.ReLU(),
            paddle.nn.Dropout(0.1))  # fmt: skip
        self.outLayer2 = paddle.nn.Linear(512, num_keypoints*2)  # fmt: skip

    def forward(self, inputs):
        out = self.backbone(inputs)
        out = self.outLayer1(out)
        out = self.outLayer2(out)
        return out


def test_face_keypoints() -> None:
    model = paddle.Model(FaceNet(num_keypoints=15))
    optim = paddle.optimizer.Adam(
        learning_rate=1e-3,
        parameters=model.parameters())  # fmt: skip
    model.prepare(optim, paddle.nn.MSELoss())
    faces = paddle.io.TensorDataset([paddle.rand([2, 3, 32, 32]), paddle.rand([2, 30])])
    before = model.network.outLayer2.weight.numpy()
    model.fit(faces, epochs=1, batch_size=2, verbose=0)
    assert not np.array_equal(model.network.outLayer2.weight.numpy(), before)
    assert len(model.parameters()) == 267 + 4  # BatchNorm's mean and variance are parameters, too


class MyNet(paddle.nn.Layer):
    def __init__(self):
        super(MyNet, self).__init__()  # noqa: UP008

        self.conv1 = paddle.nn.Conv2D(in_channels=3,
                                      out_channels=32,
                                      kernel_size=(3, 3),
                                      stride=2)  # fmt: skip

        self.conv2 = paddle.nn.Conv2D(in_channels=32,
                                      out_channels=64,
                                      kernel_size=(3, 3),
                                      stride=2)  # fmt: skip

        self.conv3 = paddle.nn.Conv2D(in_channels=64,
                                      out_channels=128,
                                      kernel_size=(3, 3),
                                      stride=2)  # fmt: skip

        self.global_pool = paddle.nn.AdaptiveAvgPool2D((1, 1))

        self.fc1 = paddle.nn.Linear(in_features=128, out_features=8)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = self.conv2(x)
        x = F.relu(x)
        x = self.conv3(x)
        x = F.relu(x)
        x = self.global_pool(x)
        x = paddle.squeeze(x, axis=[2, 3])
        x = self.fc1(x)
        x = x / paddle.norm(x, axis=1, keepdim=True)
        return x


def test_mynet_gives_unit_vectors() -> None:
    embeddings = MyNet()(paddle.rand([5, 3, 32, 32]))
    assert embeddings.shape == [5, 8]
    np.testing.assert_allclose((embeddings.numpy() ** 2).sum(1), np.ones(5), rtol=1e-5)


def test_image_similarity() -> None:
    paddle.seed(1)
    rng = np.random.default_rng(1)
    num_classes, epoch_num = 4, 8
    prototypes = rng.random((num_classes, 3, 1, 1)).astype("float32")
    inverse_temperature = paddle.to_tensor(np.array([1.0 / 0.2], dtype="float32"))

    def pairs_train_reader():
        for _ in range(4):
            noise = 0.1 * rng.random((2, num_classes, 3, 32, 32)).astype("float32")
            yield prototypes + noise[0], prototypes + noise[1]

    model = MyNet()
    opt = paddle.optimizer.Adam(learning_rate=0.01, parameters=model.parameters())
    losses = []
    for epoch in range(epoch_num):  # noqa: B007
        for batch_id, data in enumerate(pairs_train_reader()):  # noqa: B007
            anchors_data, positives_data = data[0], data[1]

            anchors = paddle.to_tensor(anchors_data)
            positives = paddle.to_tensor(positives_data)

            anchor_embeddings = model(anchors)
            positive_embeddings = model(positives)

            similarities = paddle.matmul(anchor_embeddings, positive_embeddings, transpose_y=True)
            similarities = paddle.multiply(similarities, inverse_temperature)

            sparse_labels = paddle.arange(0, num_classes, dtype="int64")

            loss = F.cross_entropy(similarities, sparse_labels)
            losses.append(float(loss))

            loss.backward()
            opt.step()
            opt.clear_grad()
    assert losses[-1] < 0.3 < losses[0]


SIGNATURES = {
    "Conv2D": """(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
        padding_mode='zeros', weight_attr=None, bias_attr=None, data_format='NCHW')""",
    "SimpleRNN": """(input_size, hidden_size, num_layers=1, direction='forward', time_major=False,
        dropout=0.0, activation='tanh', weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None,
        bias_hh_attr=None, name=None)""",
    "GRU": """(input_size, hidden_size, num_layers=1, direction='forward', time_major=False,
        dropout=0.0, weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None,
        name=None)""",
    "LSTM": """(input_size, hidden_size, num_layers=1, direction='forward', time_major=False,
        dropout=0.0, weight_ih_attr=None, weight_hh_attr=None, bias_ih_attr=None, bias_hh_attr=None,
        name=None)""",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name: str) -> None:
    layer = getattr(paddle.nn, name)
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in list(inspect.signature(layer.__init__).parameters.values())[1:]
    ]
    assert str(inspect.Signature(bare)) == " ".join(SIGNATURES[name].split())


SEEDED = """
import numpy as np
import paddle

paddle.seed(12345)
# following codes will reproduce perfectly
net = paddle.nn.Linear(4, 3)
drawn = [net.weight, paddle.rand([3]), paddle.randn([3]), paddle.randint(0, 100, [5]),
         paddle.randperm(10), paddle.uniform([2]), paddle.normal(shape=[2]),
         paddle.nn.functional.dropout(paddle.ones([20])), paddle.bernoulli(paddle.full([9], 0.5)),
         paddle.multinomial(paddle.ones([5]), 3)]
print([t.numpy().tolist() for t in drawn])
"""


def test_a_seed_gives_the_same_numbers_in_every_run() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", SEEDED], cwd=ROOT, capture_output=True, text=True)
        for _ in range(2)
    ]
    assert runs[0].returncode == 0, runs[0].stderr
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout) > 300


ERRORS = {
    "InvalidArgument": ValueError,
    "NotFound": RuntimeError,
    "OutOfRange": IndexError,
    "AlreadyExists": RuntimeError,
    "ResourceExhausted": MemoryError,
    "PreconditionNotMet": RuntimeError,
    "PermissionDenied": RuntimeError,
    "ExecutionTimeout": RuntimeError,
    "Unimplemented": NotImplementedError,
    "Unavailable": RuntimeError,
    "Fatal": SystemError,
    "External": OSError,
}


@pytest.mark.parametrize("name", ERRORS)
def test_paddle_exception_mapping_rules(name: str) -> None:
    kind = getattr(errors, f"{name}Error")
    assert issubclass(kind, ERRORS[name])
    with pytest.raises(ERRORS[name], match=rf"^\({name}\) what is wrong"):
        raise kind("what is wrong")


@pytest.mark.filterwarnings("ignore:mixed precision on a CPU")
def test_mixed_precision() -> None:
    model = paddle.nn.Conv2D(3, 2, 3, bias_attr=True)
    optimizer = paddle.optimizer.SGD(learning_rate=0.01,
                                     parameters=model.parameters())  # fmt: skip
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024)
    data = paddle.rand([10, 3, 32, 32])
    before = model.bias.numpy()

    with paddle.amp.auto_cast():
        conv = model(data)
        loss = paddle.mean(conv)
        scaled = scaler.scale(loss)  # scale the loss
        scaled.backward()  # do backward
        scaler.minimize(optimizer, scaled)  # update parameters
    np.testing.assert_allclose(before - model.bias.numpy(), 0.01 * 0.5, rtol=1e-3)


def test_results_at_once() -> None:
    a = paddle.to_tensor(
        np.float32([[-1.07110083, 0.87224680], [-0.32849231, 0.26714513],
                    [1.46162450, -0.52989227], [-0.74100786, 0.67785585]]))  # fmt: skip
    b = paddle.arange(1, 3, dtype="float32")
    assert paddle.randn([4, 2]).shape == a.shape
    with output() as out:
        print(a)
        print(b)

        c = a + b
        print(c)

        d = paddle.matmul(a, b)
        print(d)
    shown = """
        Tensor(shape=[4, 2], dtype=float32, place=CPUPlace, stop_gradient=True,
              [[-1.07110083,  0.87224680],
               [-0.32849231,  0.26714513],
               [ 1.46162450, -0.52989227],
               [-0.74100786,  0.67785585]])
        Tensor(shape=[2], dtype=float32, place=CPUPlace, stop_gradient=True,
              [1., 2.])
        Tensor(shape=[4, 2], dtype=float32, place=CPUPlace, stop_gradient=True,
              [[-0.07110083,  2.87224674],
               [ 0.67150772,  2.26714516],
               [ 2.46162462,  1.47010779],
               [ 0.25899214,  2.67785597]])
        Tensor(shape=[4], dtype=float32, place=CPUPlace, stop_gradient=True,
              [0.67339277, 0.20579794, 0.40183997, 0.61470383])
    """
    out.is_(shown)


def test_control_flow_of_python() -> None:
    a = paddle.to_tensor(np.array([1, 2, 3]))
    b = paddle.to_tensor(np.array([4, 5, 6]))
    paddle.seed(1)

    with output() as out:
        for i in range(10):
            r = paddle.rand([1,])  # fmt: skip
            if r > 0.5:
                c = paddle.pow(a, i) + b
                print("{} +> {}".format(i, c.numpy()))  # noqa: UP032
            else:
                c = paddle.pow(a, i) - b
                print("{} -> {}".format(i, c.numpy()))  # noqa: UP032
    assert len(out.lines) == 10
    signs = set()
    for i, line in enumerate(out.lines):
        sign = 1 if "+>" in line else -1
        signs.add(sign)
        power = np.array([1, 2, 3]) ** i
        wanted = f"{i} {'+' if sign > 0 else '-'}> {power + sign * np.array([4, 5, 6])}"
        assert line == wanted
    assert signs == {1, -1}


def test_the_powers_of_the_slide_are_whole_numbers() -> None:
    """What the slide shows for 9: 3 ** 9 + 6, without rounding."""
    a = paddle.to_tensor(np.array([1, 2, 3]))
    c = paddle.pow(a, 9) + paddle.to_tensor(np.array([4, 5, 6]))
    assert "{} +> {}".format(9, c.numpy()) == "9 +> [    5   517 19689]"  # noqa: UP032


def test_sharing_a_weight() -> None:
    paddle.seed(1)
    inputs = paddle.rand((256, 64))

    linear = paddle.nn.Linear(64, 8, bias_attr=False)
    loss_fn = paddle.nn.MSELoss()
    optimizer = paddle.optimizer.Adam(0.01, parameters=linear.parameters())

    with output() as out:
        for i in range(10):
            hidden = linear(inputs)
            # weight from input to hidden is shared with
            # the linear mapping from hidden to output
            outputs = paddle.matmul(hidden, linear.weight, transpose_y=True)
            loss = loss_fn(outputs, inputs)
            loss.backward()
            print("step: {}, loss: {}".format(i, loss.numpy()))  # noqa: UP032
            optimizer.step()
            optimizer.clear_grad()
    losses = []
    for i, line in enumerate(out.lines):
        match = re.fullmatch(rf"step: {i}, loss: \[(0\.\d+)\]", line)
        assert match, line
        losses.append(float(match[1]))
    assert losses == sorted(losses, reverse=True)
    assert 0.25 < losses[0] < 0.4  # the slide: 0.3407
    assert losses[-1] < 0.15  # the slide: 0.1026


def test_the_gradient_of_a_shared_weight_has_both_parts() -> None:
    linear = paddle.nn.Linear(4, 2, bias_attr=False)
    x = paddle.rand([3, 4])
    paddle.matmul(linear(x), linear.weight, transpose_y=True).sum().backward()
    a, w = x.numpy(), linear.weight.numpy()
    ones = np.ones((3, 4), "float32")
    wanted = a.T @ (ones @ w) + ones.T @ (a @ w)
    np.testing.assert_allclose(linear.weight.grad.numpy(), wanted, rtol=1e-5)
