"""The high-level interface: Model, its callbacks, summary and flops."""

from paddle.hapi import callbacks, logger
from paddle.hapi.flop_count import flops
from paddle.hapi.model import Model
from paddle.hapi.model_summary import summary

__all__ = ["Model", "callbacks", "flops", "logger", "summary"]
