"""``python -m paddle.distributed.fleet.launch``: the launcher, under the name fleetrun had in 2.0."""

from __future__ import annotations

from paddle.distributed.launch.main import launch, main

__all__ = ["launch"]

if __name__ == "__main__":
    main()
