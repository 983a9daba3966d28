"""checkpoint, resume, fit(resume=True): a training that goes on computes the same numbers."""

from __future__ import annotations

import os
import random
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.callbacks import Callback, ModelCheckpoint
from tests.distributed.ranks import Ranks


class _Training:
    """A training with everything that has a state: drop-out, momenta, schedules, shuffling."""

    def __init__(self, seed: int = 1) -> None:
        paddle.seed(seed)
        np.random.seed(seed)
        random.seed(seed)
        self.net = paddle.nn.Sequential(
            paddle.nn.Linear(4, 8), paddle.nn.BatchNorm1D(8), paddle.nn.Dropout(0.3),
            paddle.nn.Linear(8, 1),
        )  # fmt: skip
        rate = paddle.optimizer.lr.StepDecay(0.1, step_size=3)
        self.optimizer = paddle.optimizer.Adam(rate, parameters=self.net.parameters())
        drawn = np.random.RandomState(0).rand(22, 5).astype("float32")
        data = paddle.io.TensorDataset(
            [paddle.to_tensor(drawn[:, :4]), paddle.to_tensor(drawn[:, 4:])]
        )
        sampler = paddle.io.DistributedBatchSampler(data, 4, shuffle=True)
        self.loader = paddle.io.DataLoader(data, batch_sampler=sampler)
        self.state: dict[str, Any] = {
            "net": self.net, "optimizer": self.optimizer, "rate": rate, "loader": self.loader,
            "epoch": 0, "step": 0, "note": {"scale": np.arange(3.0), "of": ("a", None)},
        }  # fmt: skip

    def run(self, path: str, steps: int, every: int = 4, parts: bool = False) -> list[float]:
        """Trains up to a number of steps; returns the losses of those done here."""
        losses = []
        while self.state["step"] < steps:
            for x, y in self.loader:
                x = x * (1 + np.random.rand()) + random.random()
                loss = paddle.nn.functional.mse_loss(self.net(x), y)
                loss.backward()
                self.optimizer.step()
                self.optimizer.clear_grad()
                self.state["rate"].step()
                losses.append(float(loss))
                self.state["step"] += 1
                if self.state["step"] % every == 0:
                    dist.checkpoint(self.state, path, parts=parts)
                if self.state["step"] == steps:
                    return losses
            self.state["epoch"] += 1
        return losses


def test_a_training_goes_on_at_its_step(tmp_path: Path) -> None:
    path = str(tmp_path / "run.pdckpt")
    undisturbed = _Training().run(path, 17)
    os.unlink(path)
    first = _Training()
    assert dist.resume(path, first.state) is None
    first.run(path, 10)  # the checkpoint is of step 8
    second = _Training(seed=5)
    found = dist.resume(path, second.state)
    assert found is not None and found["step"] == second.state["step"] == 8
    assert second.state["epoch"] == 1 and second.state["note"]["of"] == ("a", None)
    assert second.run(path, 17) == undisturbed[8:]
    assert os.listdir(tmp_path) == ["run.pdckpt"]


def test_what_is_saved_can_be_read_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.pdckpt"
    training = _Training()
    dist.checkpoint(training.state, path)
    found = dist.resume(path)
    assert set(found) == set(training.state) - {"loader"}
    assert np.array_equal(found["net"]["0.weight"].numpy(), training.net[0].weight.numpy())


def test_wrong_states_and_files(tmp_path: Path) -> None:
    path = tmp_path / "run.pdckpt"
    with pytest.raises(TypeError, match=r"checkpoint\(state\): expected a dict"):
        dist.checkpoint([1], path)
    with pytest.raises(ValueError, match=r"checkpoint\(path\): expected the name of a file"):
        dist.checkpoint({}, tmp_path)
    dist.checkpoint({"a": 1}, path)
    with pytest.raises(ValueError, match=r"expected a state with \['b'\].* has \['a'\]"):
        dist.resume(path, {"b": 1})
    with pytest.raises(NotImplementedError, match=r"cannot write a builtins\.function"):
        dist.checkpoint({"a": lambda: 1}, path)
    assert dist.resume(path) == {"a": 1}
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises((ValueError, RuntimeError)):
        dist.resume(path)
    paddle.save({"weight": 1}, str(path))
    with pytest.raises(ValueError, match=r"expected a file of paddle\.distributed\.checkpoint"):
        dist.resume(path)


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    path = tmp_path / "run.pdckpt"
    dist.checkpoint({"a": np.zeros(10)}, path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(OSError):
            dist.checkpoint({"a": np.ones(100_000)}, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == ["run.pdckpt"]
    assert dist.resume(path)["a"].numpy().sum() == 0


def test_the_parts_of_other_checkpoints_stay(tmp_path: Path) -> None:
    number = "0123456789abcdef"
    own, others = f"run.{number}.rank1", f"run.best.{number}.rank1"
    for name in (own, others):
        (tmp_path / name).write_bytes(b"")
    dist.checkpoint({"a": 1}, tmp_path / "run")
    assert sorted(os.listdir(tmp_path)) == ["run", others]


# ------------------------------------------------------------------ several processes


def _begin(folder: str, parts: bool) -> list[float]:
    training = _Training(seed=dist.get_rank() * parts)
    undisturbed = training.run(folder + "/whole", 17, every=100)
    training = _Training(seed=dist.get_rank() * parts)
    assert dist.resume(folder + "/run", training.state) is None
    training.run(folder + "/run", 10, parts=parts)
    return undisturbed


def _go_on(folder: str, parts: bool) -> list[float]:
    training = _Training(seed=77)
    assert dist.resume(folder + "/run", training.state)["step"] == 8
    return training.run(folder + "/run", 17, every=100)


def _save_badly(folder: str) -> None:
    dist.checkpoint({"a": (lambda: 1) if dist.get_rank() else 1}, folder + "/bad", parts=True)


def _save_badly_first(folder: str) -> None:
    dist.checkpoint({"a": 1 if dist.get_rank() else (lambda: 1)}, folder + "/bad", parts=True)


class _Unnamed:
    """An optimizer whose parameters have no names, which only the first process asks for."""

    _parameter_list = (1,)

    def state_dict(self) -> dict:
        return {}


def _save_unnamed(folder: str) -> None:
    dist.checkpoint({"a": _Unnamed()}, folder + "/bad")


@pytest.fixture(scope="module")
def job() -> Any:
    with Ranks(2) as started:
        yield started


@pytest.mark.parametrize("parts", [False, True])
def test_several_processes_go_on(job: Any, parts: bool, tmp_path: Path) -> None:
    undisturbed = job.run(_begin, str(tmp_path), parts)
    assert len(os.listdir(tmp_path)) == 2  # of one checkpoint
    again = job.run(_go_on, str(tmp_path), parts)
    for rank in range(2) if parts else (0,):  # without parts batch norms are the first's
        assert again[rank] == undisturbed[rank][8:]


@pytest.mark.parametrize(("save", "bad"), [(_save_badly, 1), (_save_badly_first, 0)])
def test_one_that_cannot_save(job: Any, save: Any, bad: int, tmp_path: Path) -> None:
    errors = job.run_each(save, [(str(tmp_path),)] * 2, alive=True)
    assert isinstance(errors[bad], NotImplementedError)
    assert f"rank {bad} could not do it" in str(errors[1 - bad])
    assert os.listdir(tmp_path) == []


def test_the_first_fails_after_the_others(job: Any, tmp_path: Path) -> None:
    first, second = job.run_each(_save_unnamed, [(str(tmp_path),)] * 2, alive=True)
    assert isinstance(first, AttributeError)
    assert "rank 0 could not do it" in str(second)
    assert os.listdir(tmp_path) == []


def test_another_number_of_processes(job: Any, tmp_path: Path) -> None:
    job.run(_begin, str(tmp_path), True)
    with pytest.raises(ValueError, match="2 processes saved a part each, but there are 1"):
        dist.resume(tmp_path / "run")
    job.run(_begin, str(tmp_path / "b"), False)
    assert dist.resume(tmp_path / "b" / "run")["step"] == 8


# ------------------------------------------------------------------ Model.fit(resume=True)


class _Samples(paddle.io.Dataset):
    """Samples with noise."""

    def __getitem__(self, i: int) -> Any:
        x = np.linspace(0, i, 4).astype("float32") + np.random.rand(4).astype("float32")
        return x + np.float32(random.random()), np.array([i % 3])

    def __len__(self) -> int:
        return 22


class _Noted(Callback):
    """Losses by epoch and step, and those of evaluations; ends the run after some steps."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most, self.seen, self.epoch = most, {}, 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = epoch

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        if len(self.seen) == self.most:
            raise ConnectionResetError("killed")
        self.seen[f"{self.epoch}.{step}"] = float(logs["loss"][0])

    def on_eval_end(self, logs: Any = None) -> None:
        self.seen[f"{self.epoch}.eval"] = float(logs["loss"][0])


def _fit(folder: str, most: int = 1000, seed: int = 3) -> dict:
    """Trains; returns the losses of what was done here."""
    paddle.seed(3)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.Dropout(0.3), nn.Linear(8, 3))
    paddle.seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.Adam(0.05, parameters=net.parameters()), nn.CrossEntropyLoss())
    data = _Samples()
    sampler = paddle.io.DistributedBatchSampler(data, 3, shuffle=True)
    noted = _Noted(most)
    try:
        model.fit(
            paddle.io.DataLoader(data, batch_sampler=sampler), data, batch_size=11, epochs=3,
            verbose=0, callbacks=[noted, ModelCheckpoint(save_dir=folder, save_steps=3)],
            resume=True,
        )  # fmt: skip
    except ConnectionResetError:
        pass
    return noted.seen


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return _fit(str(tmp_path_factory.mktemp("whole")))


def test_a_fit_goes_on_until_it_is_done(tmp_path: Path, undisturbed: dict) -> None:
    parts = [_fit(str(tmp_path / "run"), most, seed) for most, seed in ((6, 3), (7, 4), (99, 5))]
    assert [len(part) for part in parts[:2]] == [6, 7]
    together: dict = {}
    for part in parts:
        assert part  # each of them did something
        together.update(part)
    assert together == undisturbed
    left = _fit(str(tmp_path / "run"), seed=6)  # an evaluation follows the last checkpoint
    assert left == {"2.eval": undisturbed["2.eval"]}


def test_without_a_folder() -> None:
    model = paddle.Model(nn.Linear(4, 3))
    model.prepare(paddle.optimizer.SGD(parameters=model.parameters()), nn.CrossEntropyLoss())
    with pytest.raises(ValueError, match=r"fit\(resume=True\): expected save_dir"):
        model.fit(_Samples(), resume=True)


def test_a_damaged_checkpoint_is_left_out(tmp_path: Path, undisturbed: dict) -> None:
    _fit(str(tmp_path / "run"), 15)
    newest = max(tmp_path.glob("run/*.pdstate"), key=lambda path: path.stat().st_mtime_ns)
    newest.write_bytes(newest.read_bytes()[:-9])
    with pytest.warns(UserWarning, match="newer ones are not whole"):
        rest = _fit(str(tmp_path / "run"), seed=4)
    assert 0 < len(rest) < len(undisturbed)
    assert rest == {key: undisturbed[key] for key in rest}


def _fit_rank(folder: str, most: int, seed: int) -> dict:
    return _fit(folder, most, seed + 10 * paddle.distributed.get_rank())  # noise of its own


def test_several_processes_go_on_with_fit(job: Ranks, tmp_path: Path) -> None:
    whole, run = str(tmp_path / "whole"), str(tmp_path / "run")
    undisturbed = job.run(_fit_rank, whole, 99, 3)
    assert undisturbed[0] == undisturbed[1]  # losses are those of all processes
    parts = [job.run(_fit_rank, run, 8, 3)]
    assert sorted(n for n in os.listdir(run) if "pdpart" in n) == [
        "0.rank1.pdpart",
        "1_2.rank1.pdpart",
    ]
    parts.append(job.run(_fit_rank, run, 99, 4))
    for rank in range(2):
        assert parts[1][rank] != {} and "0.0" not in parts[1][rank]
        assert {**parts[0][rank], **parts[1][rank]} == undisturbed[rank]


@pytest.mark.slow
def test_all_take_the_newest_that_all_have(job: Ranks, tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    undisturbed = job.run(_fit_rank, run, 99, 3)
    newest = max(tmp_path.glob("run/*.pdstate"), key=lambda path: path.stat().st_mtime_ns)
    os.unlink(str(newest).replace(".pdstate", ".rank1.pdpart"))
    again = job.run(_fit_rank, run, 99, 4)
    for rank in range(2):
        assert again[rank] != {} and "0.0" not in again[rank]
        assert again[rank] == {key: undisturbed[rank][key] for key in again[rank]}


def test_one_process_does_not_go_on_from_two(job: Ranks, tmp_path: Path) -> None:
    job.run(_fit_rank, str(tmp_path), 6, 3)
    with pytest.raises(ValueError, match="one of 2 processes, but there are 1"):
        _fit(str(tmp_path))
