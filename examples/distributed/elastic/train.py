"""A training in several processes that survives the death of one; started by run.py.

Every process runs this script. ``--kill-at 25`` lets the last rank kill itself after that step, the
first time that it runs, as a machine that fails would.
"""

from __future__ import annotations

import argparse
import os
import signal

import numpy as np

import paddle
import paddle.distributed as dist


class Digits(paddle.io.Dataset):
    """Points around ten centres, to be told apart; with noise that is drawn anew each time."""

    def __init__(self, count: int = 640) -> None:
        source = np.random.RandomState(0)
        self.centres = source.randn(10, 16).astype("float32")
        self.labels = source.randint(0, 10, count)

    def __getitem__(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        noise = 0.5 * np.random.randn(16).astype("float32")
        return self.centres[self.labels[i]] + noise, self.labels[i : i + 1]

    def __len__(self) -> int:
        return len(self.labels)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", default="run.pdckpt", help="the file of the checkpoint")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--every", type=int, default=8, help="steps between checkpoints")
    parser.add_argument("--kill-at", type=int, default=0, help="a step; 0: nobody dies")
    given = parser.parse_args()

    dist.init_parallel_env()
    rank, restarts = dist.get_rank(), int(os.environ["PADDLE_RESTART_ROUND"])
    paddle.seed(1)
    np.random.seed(1 + rank)  # each rank draws its own noise
    net = paddle.nn.Sequential(
        paddle.nn.Linear(16, 64), paddle.nn.ReLU(), paddle.nn.Dropout(0.2), paddle.nn.Linear(64, 10)
    )
    model = paddle.DataParallel(net)
    optimizer = paddle.optimizer.Adam(0.005, parameters=net.parameters())
    data = Digits()
    sampler = paddle.io.DistributedBatchSampler(data, batch_size=16, shuffle=True)
    loader = paddle.io.DataLoader(data, batch_sampler=sampler)

    # All that the training depends on; random numbers come by themselves.
    state = {"net": net, "optimizer": optimizer, "loader": loader, "epoch": 0, "step": 0}
    if dist.resume(given.checkpoint, state) is not None:
        print(f"rank {rank} goes on from step {state['step']}")
    loss = None
    while state["epoch"] < given.epochs:
        for x, y in loader:
            loss = paddle.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            state["step"] += 1
            if state["step"] % given.every == 0:
                dist.checkpoint(state, given.checkpoint)
            if (
                state["step"] == given.kill_at
                and not restarts
                and rank == dist.get_world_size() - 1
            ):
                os.kill(os.getpid(), signal.SIGKILL)
        state["epoch"] += 1
    dist.all_reduce(loss)
    print(f"step {state['step']}, loss {float(loss / dist.get_world_size()):.9f}")


if __name__ == "__main__":
    main()
