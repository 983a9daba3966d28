"""``python -m paddle.distributed.launch_ps``: starts a job with parameter servers; as in 1.8."""

from __future__ import annotations

from paddle.distributed.launch.main import launch as _launch
from paddle.distributed.launch.main import main_ps

__all__ = ["launch"]


def launch(argv: list[str] | None = None) -> int:
    """Starts servers and trainers and waits for them; see :func:`paddle.distributed.launch.launch`.

    Args:
        argv (list[str], optional): the command line; None: this process's.

    Returns:
        int: 0, or the exit status of the process that failed first.
    """
    return _launch(argv, servers=True)


if __name__ == "__main__":
    main_ps()
