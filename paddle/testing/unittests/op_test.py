"""Becomes ``paddle.testing.op_test`` when a test imports ``op_test``."""

if "." not in __name__:
    from paddle.testing.providing import provide

    provide()
