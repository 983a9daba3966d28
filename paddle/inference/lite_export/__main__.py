"""``python -m paddle.inference.lite_export``: the command ``paddle_lite_opt``."""

import sys

from paddle.inference.lite_export.command import main

sys.exit(main())
