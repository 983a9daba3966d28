"""What the ranks of these tests do: a small network, trained by fleet with some strategy."""

from __future__ import annotations

import ctypes
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import paddle
import paddle.fluid as fluid
import paddle.static as static
from paddle.distributed import fleet

ROWS = 8  # of a step, of all ranks together


def data(step: int) -> tuple[np.ndarray, np.ndarray]:
    """The joined batch of a step."""
    state = np.random.RandomState(step)
    x = state.uniform(-1, 1, [ROWS, 6]).astype("float32")
    return x, (x.sum(1, keepdims=True) * 0.3 + 0.1).astype("float32")


def joined(step: int, group: int) -> tuple[np.ndarray, np.ndarray]:
    """The batches of several steps as one."""
    parts = [data(step * group + i) for i in range(group)]
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def _attr(name: str, *shape: int) -> Any:
    state = np.random.RandomState(len(name) + sum(shape))
    value = (state.uniform(-1, 1, shape) / np.sqrt(shape[0])).astype("float32")
    return paddle.ParamAttr(name=name, initializer=paddle.nn.initializer.Assign(value))


def network(width: int = 4, devices: bool = False, norm: bool = False, given: Any = None) -> Any:
    """Records two layers and their loss; with ``devices`` each is a section of a pipeline."""

    def on(number: int) -> Any:
        return static.device_guard(f"gpu:{number}" if devices else None)

    x = static.data("x", [None, 6], "float32") if given is None else given[0]
    y = static.data("y", [None, 1], "float32") if given is None else given[1]
    with on(0):
        h = static.nn.fc(x, width, weight_attr=_attr("w1", 6, width), bias_attr=_attr("b1", width),
                         name="first")  # fmt: skip
        if norm:
            h = static.nn.batch_norm(h, param_attr=_attr("g", width), bias_attr=_attr("c", width),
                                     moving_mean_name="mean",
                                     moving_variance_name="variance")  # fmt: skip
        h = paddle.tanh(h)
    with on(1):
        out = static.nn.fc(h, 1, weight_attr=_attr("w2", width, 1), bias_attr=_attr("b2", 1))
        loss = paddle.mean(paddle.square(out - y))
    return loss, h


def optimizer(name: str, **given: Any) -> Any:
    """An optimizer by its name, of 1.x after ``fluid.``; ``clip`` and ``clip_one`` are norms."""
    if name.startswith("fluid."):
        decay, norm = given.pop("weight_decay", 0.0), given.pop("clip_one", None)
        clips = fluid.clip.GradientClipByNorm(norm) if norm else None
        return getattr(fluid.optimizer, name[6:])(
            regularization=fluid.regularizer.L2Decay(decay), grad_clip=clips, **given
        )
    clip = given.pop("clip", None)
    if clip is not None:
        given["grad_clip"] = paddle.nn.ClipGradByGlobalNorm(clip)
    norm = given.pop("clip_one", None)
    if norm is not None:
        given["grad_clip"] = paddle.nn.ClipGradByNorm(norm)
    return getattr(paddle.optimizer, name)(**given)


def strategy_of(switches: dict[str, Any]) -> Any:
    """A DistributedStrategy from a dictionary."""
    made = fleet.DistributedStrategy()
    for name, value in switches.items():
        setattr(made, name, value)
    return made


class Trained:
    """What a rank tells: losses, values of persistable variables, operators, warnings."""

    def __init__(self, losses: list, values: dict, ops: list, startup: list, told: list) -> None:
        self.losses, self.values = losses, values
        self.ops, self.startup, self.told = ops, startup, told


def train(
    switches: dict[str, Any], rule: tuple[str, dict], steps: int = 4, width: int = 4,
    feed: str = "part", group: int = 1, spoil: int = -1, only: Any = None, group_size: int = 1,
    **model: Any,
) -> Trained:  # fmt: skip
    """Trains by fleet, on this rank's part of the batch or (``feed="whole"``) on all of it.

    ``group``: so many steps' batches are fed at once; ``spoil``: the step whose batch has an
    infinite value; ``only``: the parameters to update; ``group_size``: how many ranks take the
    same part.
    """
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    fleet.init(is_collective=True)
    rank, count = fleet.worker_index(), fleet.worker_num()
    with (
        warnings.catch_warnings(record=True) as told,
        static.program_guard(main, startup),
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
    ):
        warnings.simplefilter("always")
        loss, hidden = network(width, **model)
        switches = dict(switches)
        if switches.get("recompute"):
            switches["recompute_configs"] = {"checkpoints": [hidden.name]}
        made = optimizer(rule[0], **rule[1])
        made = fleet.distributed_optimizer(made, strategy_of(switches))
        made.minimize(loss, startup, only)
        exe = static.Executor()
        exe.run(startup)
        losses = []
        for step in range(steps):
            x, y = joined(step, group)
            if step == spoil:
                x[0, 0] = np.inf
            if feed == "part":
                at, every = rank // group_size, count // group_size
                x, y = (np.ascontiguousarray(part[at::every]) for part in (x, y))
            losses.append(float(exe.run(main, {"x": x, "y": y}, [loss])[0].item()))
        values = _values(main)
        ops = [[op.type for op in block.ops] for block in main.blocks]
        begun = [op.type for op in startup.global_block().ops]
    paddle.disable_static()
    return Trained(losses, values, ops, begun, [str(w.message) for w in told])


def _values(main: Any) -> dict[str, np.ndarray]:
    found = {}
    for var in main.list_vars():
        held = static.global_scope().find_var(var.name) if var.persistable else None
        if held is not None and held.is_initialized():
            found[var.name] = np.array(held.get_tensor().numpy())
    return found


def rank(spec: dict[str, Any]) -> Trained:
    """:func:`train` with its arguments in a dictionary, as ranks are called."""
    return train(**spec)


def deep_memory(switches: dict[str, Any], width: int = 512, layers: int = 24) -> tuple[int, int]:
    """Bytes of what this process keeps between steps, and by how many it grew at most, as run."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    fleet.init(is_collective=True)
    with (
        static.program_guard(main, startup),
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
    ):
        h = static.data("x", [None, width], "float32")
        for _ in range(layers):
            h = static.nn.fc(h, width, activation="tanh")
        loss = paddle.mean(h)
        made = paddle.optimizer.Adam(0.01)
        fleet.distributed_optimizer(made, strategy_of(switches)).minimize(loss, startup)
        exe = static.Executor()
        feed = {"x": np.ones([4, width], "float32")}
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
        before = _status("VmRSS")
        exe.run(startup)
        for _ in range(3):
            exe.run(main, feed, [loss])
        held = sum(v.nbytes for v in _values(main).values())
    paddle.disable_static()
    return held, _status("VmHWM") - before


def _status(name: str) -> int:
    """A number of bytes that the kernel tells about this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) * 1024


def save_all(folder: str, switches: dict[str, Any], feed: str, devices: bool) -> dict[str, Any]:
    """Trains, and saves by fleet; returns what this rank has."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    fleet.init(is_collective=True)
    with (
        static.program_guard(main, startup),
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
    ):
        loss, _ = network(devices=devices)
        made = paddle.optimizer.Adam(0.1)
        fleet.distributed_optimizer(made, strategy_of(switches)).minimize(loss, startup)
        exe = static.Executor()
        exe.run(startup)
        x, y = data(0)
        exe.run(main, {"x": x, "y": y})
        fleet.save_persistables(exe, folder, main)
        found = _values(main)
    paddle.disable_static()
    return found


def save_model(folder: str, switches: dict[str, Any], devices: bool) -> None:
    """Trains a step, and saves by fleet what gives the output."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    fleet.init(is_collective=True)
    with (
        static.program_guard(main, startup),
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
    ):
        loss, _ = network(devices=devices)
        output = main.global_block().var("fc_0.tmp_1")
        made = paddle.optimizer.Adam(0.1)
        fleet.distributed_optimizer(made, strategy_of(switches)).minimize(loss, startup)
        exe = static.Executor()
        exe.run(startup)
        x, y = data(0)
        exe.run(main, {"x": x, "y": y})
        fleet.save_inference_model(exe, folder, ["x"], [output], main)
    paddle.disable_static()


def predicted(folder: str) -> np.ndarray:
    """What a saved model says of a batch."""
    paddle.enable_static()
    with static.scope_guard(static.Scope()):
        exe = static.Executor()
        program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
        found = exe.run(program, {feeds[0]: data(1)[0]}, fetches)[0]
    paddle.disable_static()
    return found


def loaded_by(
    maker: str, switches: dict[str, Any], steps: int, section: bool = False
) -> list[float] | str:
    """Trains from a loader of 1.x that is part of the Program, until its data ends."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    fleet.init(is_collective=True)
    losses: list[float] = []
    with (
        static.program_guard(main, startup),
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
    ):
        x = static.data("x", [None, 6], "float32")
        y = static.data("y", [None, 1], "float32")
        loader = paddle.io.DataLoader.from_generator([x, y], capacity=4, iterable=False)
        loader.set_batch_generator(lambda: (data(i) for i in range(steps)))
        loss, _ = network(devices=section, given=(x, y))
        fleet.distributed_optimizer(optimizer(maker, learning_rate=0.1), strategy_of(switches)
                                    ).minimize(loss, startup)  # fmt: skip
        exe = static.Executor()
        exe.run(startup)
        loader.start()
        try:
            while True:
                losses.append(float(exe.run(main, fetch_list=[loss])[0].item()))
        except paddle.fluid.core.EOFException:
            loader.reset()
    paddle.disable_static()
    return losses


def tested(switches: dict[str, Any], devices: bool) -> tuple[float, float]:
    """The loss of a step, and then that of a copy of the Program for testing."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    fleet.init(is_collective=True)
    with (
        static.program_guard(main, startup),
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
    ):
        loss, _ = network(devices=devices)
        made = paddle.optimizer.Adam(0.1)
        fleet.distributed_optimizer(made, strategy_of(switches)).minimize(loss, startup)
        test = main.clone(for_test=True)
        exe = static.Executor()
        exe.run(startup)
        x, y = data(0)
        losses = [exe.run(p, {"x": x, "y": y}, [loss])[0].item() for p in (main, test)]
    paddle.disable_static()
    return losses[0], losses[1]
