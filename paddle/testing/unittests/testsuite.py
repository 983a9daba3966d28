"""Becomes ``paddle.testing.testsuite`` when a test imports ``testsuite``."""

if "." not in __name__:
    from paddle.testing.providing import provide

    provide()
