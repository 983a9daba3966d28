"""Uses a device that only a record makes known; run by test_pretend.py in a process of its own."""

from __future__ import annotations

import numpy as np
import pretend

import paddle
from paddle import nn
from paddle.core.backends import backend_of, holds
from paddle.device.wait import synchronize

record = pretend.install()
log = record.log


def noted(*expected: str) -> None:
    """Checks that the record was asked for these things, and forgets them."""
    assert all(one in log for one in expected), (expected, log)
    log.clear()


# -- choosing it -----------------------------------------------------------------------------------
assert paddle.get_device() == "cpu"  # it is there, but not the default
place = paddle.set_device("pretend")
assert repr(place) == "PretendPlace(0)" and paddle.get_device() == "pretend:0"
noted("use pretend:0")
for wrong, expected in (("pretend:1", "pretender below 1"), ("pretend:x", "'pretend:n', but")):
    try:
        paddle.set_device(wrong)
    except ValueError as error:
        assert expected in str(error), error
    else:
        raise AssertionError(wrong)
try:
    paddle.to_tensor([1.0], place=pretend.PretendPlace(3))
except RuntimeError as error:
    assert "PretendPlace(3) was asked for, but 1 pretenders can be used" in str(error)

# -- tensors ---------------------------------------------------------------------------------------
made = [paddle.to_tensor([[1.0, 2.0]]), paddle.ones([2]), paddle.rand([2]), nn.Linear(2, 2).weight]
made.append(paddle.tanh(made[1]) + made[2])
assert [t.place for t in made] == [place] * 5
assert all(type(t._buf) is pretend.Buffer and not t._buf.is_cpu for t in made)
assert "place=PretendPlace(0)" in str(made[0]) and made[0].numpy().tolist() == [[1.0, 2.0]]
x = made[0]
back = x.cpu()
assert repr(back.place) == "CPUPlace" and back.to("pretend:0").place == place
assert repr(paddle.to_tensor([1.0], place="cpu").place) == "CPUPlace"
assert backend_of(x._buf) is record and not holds.tuned_forms(x._buf)
assert holds.tuned_forms(back._buf) and holds.racing_writes(x._buf)
assert not holds.racing_writes(back._buf)
rows = paddle.scatter(  # where writes race, the last one is found
    paddle.zeros([2, 1]), paddle.to_tensor([1, 1, 1]), paddle.to_tensor([[1.0], [2.0], [3.0]])
)
assert rows.numpy().tolist() == [[0.0], [3.0]]

# -- random numbers --------------------------------------------------------------------------------
paddle.seed(7)
first = paddle.rand([4]).numpy()
paddle.seed(7)
state = paddle.get_rng_state()
assert len(state) == 1 and np.array_equal(paddle.rand([4]).numpy(), first)
paddle.set_rng_state(state)
assert np.array_equal(paddle.rand([4]).numpy(), first)
kept = nn.functional.dropout(paddle.ones([64, 64]), 0.5)
assert 0.4 < float((kept > 0).astype("float32").mean()) < 0.6

# -- waiting, memory -------------------------------------------------------------------------------
log.clear()
synchronize()
paddle.device.empty_cache()
paddle.distributed.wait(x)
noted("synchronize", "empty_cache", "stream synchronize")
assert record.memory_allocated(x._buf.device) <= record.max_memory_allocated(x._buf.device)


# -- training, with batches that are prefetched ----------------------------------------------------
class Digits(paddle.io.Dataset):
    """Two classes of 8 x 8 images, told apart by their brighter half."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        label = index % 2
        image = np.random.default_rng(index).random((1, 8, 8)).astype("float32")
        image[:, :, 4 * label : 4 * label + 4] += 1
        return image, np.int64([label])


def trained(device: str, start: dict | None) -> tuple[list[float], dict]:
    paddle.set_device(device)
    paddle.seed(3)
    net = nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Linear(64, 2),
    )  # fmt: skip
    if start is not None:
        net.set_state_dict({name: paddle.to_tensor(value) for name, value in start.items()})
    begun = {name: value.numpy() for name, value in net.state_dict().items()}
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
    return losses, begun


on_cpu, start = trained("cpu", None)
log.clear()
calls = record.calls
there, _ = trained("pretend", start)
assert record.calls - calls > 500
noted("use pretend:0", "on_stream", "record_event", "wait_event", "record_use")
assert there[-1] < 0.3 * there[0]
np.testing.assert_allclose(there, on_cpu, rtol=1e-3)

# -- a Program -------------------------------------------------------------------------------------
paddle.enable_static()
fed = paddle.static.data("x", [None, 2])
out = paddle.static.nn.fc(fed, 3)
exe = paddle.static.Executor(place)
exe.run(paddle.static.default_startup_program())
(got,) = exe.run(feed={"x": np.ones([4, 2], "float32")}, fetch_list=[out], return_numpy=False)
assert got._place() == place and np.array(got).shape == (4, 3)
print("done")
