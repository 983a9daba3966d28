"""In all tests, and the processes they start, checks are on that are off by default.

The checker follows every pass over a Program, and backward refuses values updated since.
"""

from __future__ import annotations

import os

os.environ.setdefault("PADDLE_CHECK_PASSES", "1")
os.environ.setdefault("FLAGS_check_overwritten", "1")
