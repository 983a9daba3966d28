"""Becomes ``paddle.testing.decorator_helper`` when a test imports ``decorator_helper``."""

if "." not in __name__:
    from paddle.testing.providing import provide

    provide()
