"""Model.fit(resume=True): a script that is started again ends with the undisturbed numbers."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.callbacks import Callback, ModelCheckpoint
from tests.distributed.ranks import Ranks


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


def _fit(folder: str, most: int = 1000, seed: int = 3, rate: float = 0.05, **options: Any) -> dict:
    """Trains; returns the losses of what was done here."""
    paddle.seed(3)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.Dropout(0.3), nn.Linear(8, 3))
    paddle.seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.Adam(rate, parameters=net.parameters()), nn.CrossEntropyLoss())
    data = _Samples()
    sampler = paddle.io.DistributedBatchSampler(data, 3, shuffle=True)
    noted = _Noted(most)
    try:
        model.fit(
            paddle.io.DataLoader(data, batch_sampler=sampler), data, batch_size=11, epochs=3,
            verbose=0, callbacks=[noted, ModelCheckpoint(save_dir=folder, save_steps=3)],
            resume=True, **options,
        )  # fmt: skip
    except ConnectionResetError:
        pass
    return noted.seen


def test_a_fit_goes_on_until_it_is_done(tmp_path: Path) -> None:
    undisturbed = _fit(str(tmp_path / "whole"))
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


def test_a_damaged_checkpoint_is_left_out(tmp_path: Path) -> None:
    undisturbed = _fit(str(tmp_path / "whole"))
    _fit(str(tmp_path / "run"), 15)
    newest = max(tmp_path.glob("run/*.pdstate"), key=lambda path: path.stat().st_mtime_ns)
    newest.write_bytes(newest.read_bytes()[:-9])
    with pytest.warns(UserWarning, match="newer ones are not whole"):
        rest = _fit(str(tmp_path / "run"), seed=4)
    assert 0 < len(rest) < len(undisturbed)
    assert rest == {key: undisturbed[key] for key in rest}


# ------------------------------------------------------------------ several processes


def _fit_rank(folder: str, most: int, seed: int) -> dict:
    # Parameters stay as they are, so that they are equal on all ranks whatever fit exchanges.
    return _fit(folder, most, seed + 10 * paddle.distributed.get_rank(), rate=0.0)


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


def test_several_processes_go_on(job: Ranks, tmp_path: Path) -> None:
    whole, run = str(tmp_path / "whole"), str(tmp_path / "run")
    undisturbed = job.run(_fit_rank, whole, 99, 3)
    assert undisturbed[0] != undisturbed[1]
    parts = [job.run(_fit_rank, run, 8, 3)]
    assert sorted(n for n in os.listdir(run) if "pdpart" in n) == [
        "0.rank1.pdpart",
        "1_2.rank1.pdpart",
    ]
    parts.append(job.run(_fit_rank, run, 99, 4))
    for rank in range(2):
        assert parts[1][rank] != {} and "0.0" not in parts[1][rank]
        assert {**parts[0][rank], **parts[1][rank]} == undisturbed[rank]


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
