"""One of two processes that train together on XPUs; started by the launcher."""

from __future__ import annotations

import warnings

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import nn

warnings.simplefilter("ignore")
dist.init_parallel_env()
env = dist.ParallelEnv()
rank = dist.get_rank()
assert env.device_id == rank and paddle.get_device() == f"xpu:{rank}"
assert paddle.set_device("xpu") == paddle.static.xpu_places()[0] == paddle.XPUPlace(rank)

# -- exchanges, by way of main memory --------------------------------------------------------------
x = paddle.to_tensor([1.0 + rank, 2.0])
dist.all_reduce(x)
assert x.numpy().tolist() == [3.0, 4.0] and x.place == paddle.XPUPlace(rank)
dist.broadcast(x, 0)
parts: list[paddle.Tensor] = []
dist.all_gather(parts, paddle.to_tensor([rank]))
assert [int(p) for p in parts] == [0, 1] and parts[0].place == x.place
got = paddle.zeros([1])
dist.scatter(got, [paddle.ones([1]), paddle.full([1], 2.0)] if rank == 0 else None, src=0)
assert float(got) == 1.0 + rank
dist.reduce(got, 0)
out: list[paddle.Tensor] = []
dist.alltoall([paddle.full([1], float(rank)), paddle.full([1], 10.0 + rank)], out)
assert [float(o) for o in out] == ([0.0, 1.0] if rank == 0 else [10.0, 11.0])
if rank == 0:
    dist.send(paddle.to_tensor([7.0]), 1)
else:
    dist.recv(got, 0)
    assert float(got) == 7.0 and got.place == x.place
dist.barrier()

# -- training --------------------------------------------------------------------------------------
paddle.seed(1)
net = paddle.DataParallel(nn.Linear(4, 1))
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
data = np.random.default_rng(0).random((16, 4)).astype("float32")
for _ in range(10):
    mine = paddle.to_tensor(data[rank::2])
    loss = paddle.mean((net(mine) - mine.sum(1, keepdim=True)) ** 2)
    loss.backward()
    sgd.step()
    sgd.clear_grad()
weights: list[paddle.Tensor] = []
dist.all_gather(weights, net.parameters()[0])
assert np.array_equal(weights[0].numpy(), weights[1].numpy())
print(f"rank {rank} on {paddle.get_device()}: {float(loss):.4f}")
