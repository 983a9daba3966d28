"""Becomes ``paddle.testing.white_list`` when a test imports ``white_list``."""

if "." not in __name__:
    from paddle.testing.providing import provide

    provide()
