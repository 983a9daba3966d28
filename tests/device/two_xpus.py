"""Two XPUs, of which each process sees the one that it was given."""

from __future__ import annotations

import kunlun  # examples/device_plugin
import torch

from paddle.core.place_types import Place
from paddle.device import Device


class TwoXpus(kunlun.Kunlun):
    """torch's only device of a kind that Python implements stands for each of them."""

    def count(self) -> int:
        return 2

    def device(self, number: int = 0) -> torch.device:
        return torch.device("kunlun:0")

    def place(self, number: int = 0) -> Place:
        return super().place(self.selected())


def devices() -> Device:
    kunlun.devices()
    return TwoXpus()
