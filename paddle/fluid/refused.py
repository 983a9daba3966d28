"""Names of 1.x that can be imported and say on use why they are not there."""

from paddle.core.not_yet import NotYet


def pslib(name: str) -> NotYet:
    """What works on the servers that Baidu has inside: pslib, started by MPI.

    Args:
        name (str): dotted in full.
    """
    return NotYet(
        name,
        "it needs PaddlePaddle's pslib and MPI (mpi4py), which are not public: "
        "paddle.distributed.fleet trains with parameter servers",
    )
