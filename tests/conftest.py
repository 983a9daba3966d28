"""In all tests, and the processes they start, the checker follows every pass over a Program."""

from __future__ import annotations

import os

os.environ.setdefault("PADDLE_CHECK_PASSES", "1")
