"""Uses XPUs that a package brings, as a user does; run by test_plugins.py in its own process."""

from __future__ import annotations

import warnings

import numpy as np

import paddle
from paddle import nn, static
from paddle.inference import Config, create_predictor

warnings.simplefilter("ignore")


def refused(error: type[Exception], call, *args, **named) -> str:
    """The text of the error that a call is to raise."""
    try:
        call(*args, **named)
    except error as raised:
        return str(raised)
    raise AssertionError(f"{call} did not raise")


# -- choosing one ----------------------------------------------------------------------------------
assert paddle.get_device() == "cpu"  # it is there, but not the default
place = paddle.set_device("xpu")
assert repr(place) == "XPUPlace(0)" and paddle.get_device() == "xpu:0"
assert paddle.is_compiled_with_xpu() and not paddle.is_compiled_with_npu()
assert paddle.device.get_available_device() == ["cpu", "xpu:0"]
assert paddle.device.get_available_custom_device() == ["xpu:0"]
assert paddle.device.get_all_device_type() == ["cpu", "xpu"]
assert paddle.device.get_all_custom_device_type() == ["xpu"]
assert paddle.device.is_compiled_with_custom_device("xpu")
assert static.xpu_places() == static.xpu_places([0]) == static.xpu_places(0) == [place]
assert "XPU below 1" in refused(ValueError, paddle.set_device, "xpu:1")
assert "'xpu:n', but received 'xpu:x'" in refused(ValueError, paddle.set_device, "xpu:x")
assert "XPUPlace(3) was asked" in refused(
    RuntimeError, paddle.to_tensor, [1.0], place=paddle.XPUPlace(3)
)

# -- Tensors ---------------------------------------------------------------------------------------
x = paddle.to_tensor([[1.0, -2.0], [3.0, 4.0]])
made = [x, paddle.ones([2]), paddle.rand([2]), nn.Linear(2, 2).weight, x.t().reshape([-1]), x[:, 1]]
assert [t.place for t in made] == [place] * 6
assert all(t._buf.device.type == "kunlun" for t in made)
assert "place=XPUPlace(0)" in str(x) and "-2." in str(x)
assert made[-2].numpy().tolist() == [1.0, 3.0, -2.0, 4.0]
here = x.cpu()
assert repr(here.place) == "CPUPlace" and here.to("xpu:0").place == here.to("xpu").place == place
assert paddle.to_tensor([1.0], place=paddle.CustomPlace("xpu", 0)).place == place
row = x[1]
row[0] = 9.0  # a view, or a copy, as on the CPU
assert x.numpy().tolist() == [[1.0, -2.0], [3.0, 4.0]] and row.numpy().tolist() == [9.0, 4.0]
x[0, 1] = 5.0
x.set_value(x + 1.0)
x.reshape_([4])
paddle.unsqueeze_(x, [0])
assert x.numpy().tolist() == [[2.0, 6.0, 4.0, 5.0]]
x.reshape_([2, 2])
assert x.numpy().tolist() == [[2.0, 6.0], [4.0, 5.0]]

# -- what it has no kernel for ---------------------------------------------------------------------
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for _ in range(3):
        first = paddle.tanh(x)
        paddle.nn.functional.relu(x)
[one] = told
assert "'xpu' has no kernel for aten::tanh, which the operator tanh calls" in str(one.message)
assert one.filename == __file__
np.testing.assert_allclose(first.numpy(), np.tanh(x.numpy()), rtol=1e-6)
paddle.set_flags({"FLAGS_device_fallback": False})
text = refused(NotImplementedError, paddle.tanh, x)
assert "'xpu' has no kernel for aten::tanh" in text and "operator < tanh > error" in text
assert "FLAGS_device_fallback=1" in text and "float32[2, 2]" in text
assert paddle.nn.functional.relu(x).numpy().tolist() == x.numpy().tolist()
paddle.set_flags({"FLAGS_device_fallback": True})

# -- random numbers --------------------------------------------------------------------------------
paddle.seed(7)
drawn = paddle.rand([4]).numpy()
paddle.seed(7)
state = paddle.get_rng_state()
assert np.array_equal(paddle.rand([4]).numpy(), drawn)
paddle.set_rng_state(state)
assert np.array_equal(paddle.rand([4]).numpy(), drawn)


# -- training --------------------------------------------------------------------------------------
class Digits(paddle.io.Dataset):
    """Two classes of 8 x 8 images, told apart by their brighter half."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        label = index % 2
        image = np.random.default_rng(index).random((1, 8, 8)).astype("float32")
        image[:, :, 4 * label : 4 * label + 4] += 1
        return image, np.int64([label])


def network() -> nn.Layer:
    return nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Linear(64, 2),
    )  # fmt: skip


def trained(device: str, start: dict) -> tuple[list[float], nn.Layer]:
    paddle.set_device(device)
    net = network()
    net.set_state_dict({name: paddle.to_tensor(value) for name, value in start.items()})
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    losses = []
    for _ in range(3):
        for image, label in paddle.io.DataLoader(Digits(), batch_size=16):
            assert image.place == label.place == net[0].weight.place
            loss = nn.functional.cross_entropy(net(image), label)
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
    paddle.save(adam.state_dict(), f"{device}.pdopt")
    return losses, net


start = {name: value.numpy() for name, value in network().state_dict().items()}
expected, _ = trained("cpu", start)
losses, net = trained("xpu", start)
np.testing.assert_allclose(losses, expected, rtol=1e-3)
assert losses[-1] < 0.3 * losses[0]
images = np.stack([Digits()[i][0] for i in range(4)])
net.eval()
right = net(paddle.to_tensor(images)).numpy()
with paddle.amp.auto_cast():
    assert net(paddle.to_tensor(images)).place == place
with paddle.no_grad():
    half = net.astype("float64")(paddle.to_tensor(images, dtype="float64"))
np.testing.assert_allclose(half.numpy(), right, rtol=1e-4)
net.astype("float32")

# -- Model, files ----------------------------------------------------------------------------------
model = paddle.Model(net)
model.prepare(
    paddle.optimizer.SGD(0.0, parameters=net.parameters()), nn.CrossEntropyLoss(),
    paddle.metric.Accuracy(),
)  # fmt: skip
model.fit(Digits(), batch_size=16, epochs=1, verbose=0)
assert model.evaluate(Digits(), batch_size=16, verbose=0)["acc"] == 1.0
paddle.save(net.state_dict(), "net.pdparams")  # test_plugins.py reads it without the plug-in
again = paddle.load("net.pdparams")
assert all(value.place == place for value in again.values())
again = network()
again.set_state_dict(paddle.load("net.pdparams"))
again.eval()
np.testing.assert_allclose(again(paddle.to_tensor(images)).numpy(), net(paddle.to_tensor(images)))
net.eval()
right = net(paddle.to_tensor(images)).numpy()
spec = [static.InputSpec([None, 1, 8, 8], "float32", "image")]
paddle.jit.save(paddle.jit.to_static(net, input_spec=spec), "saved/net")
np.testing.assert_allclose(
    paddle.jit.load("saved/net")(paddle.to_tensor(images)).numpy(), right, rtol=1e-4, atol=1e-5
)

# -- inference -------------------------------------------------------------------------------------
paddle.set_device("cpu")
config = Config("saved/net.pdmodel", "saved/net.pdiparams")
config.enable_xpu(1 << 20)
assert config.use_xpu() and config.xpu_device_id() == 0 and not config.use_gpu()
assert "xpu:0" in config.summary()
predictor = create_predictor(config)
[got] = predictor.run([images])
np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-5)
predictor.get_input_handle("image").copy_from_cpu(images)
predictor.run()
kept = predictor.get_output_handle(predictor.get_output_names()[0])
np.testing.assert_allclose(kept.copy_to_cpu(), right, rtol=1e-4, atol=1e-5)
assert kept.buffer.device.type == "kunlun" and paddle.get_device() == "cpu"
other = Config("saved/net.pdmodel", "saved/net.pdiparams")
other.enable_custom_device("xpu", 0)
assert other.use_xpu() and other.custom_device_type() == "xpu"
paddle.set_device("xpu")

# -- Programs --------------------------------------------------------------------------------------
paddle.enable_static()
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    image = static.data("image", [None, 8])
    label = static.data("label", [None, 1], "int64")
    with static.device_guard("xpu"):
        out = static.nn.fc(image, 2)
    loss = paddle.mean(nn.functional.cross_entropy(out, label))
    paddle.optimizer.Momentum(0.1).minimize(loss)
exe = static.Executor(static.xpu_places()[0])
exe.run(startup)
feed = {"image": images.reshape(-1, 8)[:8], "label": np.arange(8).reshape(8, 1) % 2}
seen = [exe.run(main, feed=feed, fetch_list=[loss], return_numpy=False)[0] for _ in range(5)]
assert seen[0]._place() == place and float(np.array(seen[-1])) < float(np.array(seen[0]))
several = static.CompiledProgram(main).with_data_parallel(loss.name, places=static.xpu_places())
exe.run(several, feed=feed, fetch_list=[loss])
paddle.disable_static()
paddle.device.empty_cache()
paddle.utils.run_check()
print("done")
