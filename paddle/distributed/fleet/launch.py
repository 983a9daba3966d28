"""``python -m paddle.distributed.fleet.launch``: the launcher, by the name that 2.0 gave it too."""

from __future__ import annotations

from paddle.distributed.launch.main import launch, main

__all__ = ["launch"]

if __name__ == "__main__":
    main()
