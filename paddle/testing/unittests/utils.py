"""Becomes ``paddle.testing.program_utils`` when a test without its own imports ``utils``."""

if "." not in __name__:
    import sys

    from paddle.testing import program_utils

    sys.modules[__name__] = program_utils
