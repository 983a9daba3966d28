"""paddle.onnx: models for engines that read ONNX."""

from __future__ import annotations

from paddle.onnx.exporting import export

__all__ = ["export"]
