"""Names of 1.x that can be imported and say on use why they are not there."""

from paddle.core.not_yet import NotYet


def servers(name: str) -> NotYet:
    """What works on the tables of 1.x's parameter servers.

    Args:
        name (str): dotted in full.
    """
    return NotYet(
        name,
        "tables that 1.x's servers saved are not read: fleet.save_inference_model saves a model "
        "with its tables, and fleet.init_server loads what fleet.save_persistables saved",
    )


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
