"""get_logger of 1.x."""

import logging

__all__ = ["get_logger"]


def get_logger(name: str, level: int, fmt: str | None = None) -> logging.Logger:
    """Returns a logger that prints to standard error, and hands nothing on.

    Args:
        name (str): its name.
        level (int): from which level on it prints.
        fmt (str, optional): the form of a line.

    Examples:
        .. code-block:: python

            import logging
            import paddle.fluid as fluid
            logger = fluid.log_helper.get_logger("mine", logging.INFO, fmt="%(message)s")
            logger.info("hello")
    """
    logger = logging.getLogger(name)
    logger.setLevel(level)
    handler = logging.StreamHandler()
    if fmt:
        handler.setFormatter(logging.Formatter(fmt=fmt))
    logger.addHandler(handler)
    logger.propagate = False
    return logger
