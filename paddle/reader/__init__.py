"""Readers: functions that give an iterator over samples, and functions that combine them."""

from paddle.reader.decorator import *  # noqa: F403
from paddle.reader.decorator import __all__
