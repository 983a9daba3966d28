"""A logger that prints to the console and, if asked, to a file."""

from __future__ import annotations

import logging
import os
import sys

__all__ = ["setup_logger"]

_FORM = "%(asctime)s - %(name)s - %(levelname)s - %(message)s"


def setup_logger(
    output: str | None = None, name: str = "hapi", log_level: int = logging.INFO
) -> logging.Logger:
    """Makes the logger of a name ready, so that its messages do not reach those above it.

    Calling it again for the same name adds no second handler for the same place.

    Args:
        output (str, optional): a file that ends in ``.txt`` or ``.log``, or a folder, in which
            the file is called ``log.txt``. Only the first of several processes
            (``PADDLE_TRAINER_ID``) writes to that name and prints; the others add their number.
            Default: None, no file.
        name (str): of the logger. Default: hapi.
        log_level (int): messages below it are left out. Default: ``logging.INFO``.

    Returns:
        logging.Logger: the logger.

    Raises:
        TypeError: ``output`` is no path.

    Examples:
        .. code-block:: python

            from paddle.hapi.logger import setup_logger

            logger = setup_logger(name="example")
            logger.info("an epoch is over")
            print(logger.name, logger.propagate)  # example False
    """
    if output is not None and not isinstance(output, (str, os.PathLike)):
        raise TypeError(
            f"setup_logger(output): expected a path or None, but received {type(output).__name__}."
        )
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(log_level)
    rank = int(os.getenv("PADDLE_TRAINER_ID") or 0)
    made: list[logging.Handler] = [] if rank else [logging.StreamHandler(sys.stdout)]
    if output is not None:
        path = os.fspath(output)
        if not path.endswith((".txt", ".log")):
            path = os.path.join(path, "log.txt")
        path = os.path.abspath(f"{path}.rank{rank}" if rank else path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        made.append(logging.FileHandler(path, delay=True))
    known = {_place(handler) for handler in logger.handlers}
    for handler in made:
        if _place(handler) not in known:
            handler.setFormatter(logging.Formatter(_FORM))
            handler.setLevel(log_level)
            logger.addHandler(handler)
    return logger


def _place(handler: logging.Handler) -> object:
    """Where a handler writes to."""
    if isinstance(handler, logging.FileHandler):
        return handler.baseFilename
    return type(handler), getattr(handler, "stream", None)
