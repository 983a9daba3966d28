"""Settings of all tests and the processes they start.

The checker follows every pass over a Program, backward refuses values updated since, and nothing is
measured to choose among the forms of a kernel: a test should not depend on how busy the machine is.
"""

from __future__ import annotations

import os

os.environ.setdefault("PADDLE_CHECK_PASSES", "1")
os.environ.setdefault("FLAGS_check_overwritten", "1")
os.environ.setdefault("FLAGS_kernel_tuning", "0")
