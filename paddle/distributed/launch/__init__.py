"""``python -m paddle.distributed.launch train.py``: a script in processes that train together.

The launcher's own modules do without the rest of ``paddle``, whose import would keep the processes
waiting. See ``docs/distributed.md``.
"""

from __future__ import annotations

from paddle.distributed.launch.main import launch

__all__ = ["launch"]
