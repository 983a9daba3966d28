"""The networks of the benchmarks written in plain torch, layer for layer like pypaddle's."""

from __future__ import annotations

import torch
from torch import nn


def mlp(dropout: float) -> nn.Module:
    """784-512-10 with ReLU."""
    hidden = [nn.Linear(784, 512), nn.ReLU()]
    if dropout:
        hidden.append(nn.Dropout(dropout))
    return nn.Sequential(nn.Flatten(), *hidden, nn.Linear(512, 10))


def lenet() -> nn.Module:
    """LeNet-5 of paddle.vision.models."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.Linear(120, 84),
        nn.Linear(84, 10),
    )


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions beside a shortcut."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        out = 4 * width
        self.body = nn.Sequential(
            *_conv(channels, width, 1, 1),
            nn.ReLU(inplace=True),
            *_conv(width, width, 3, stride),
            nn.ReLU(inplace=True),
            *_conv(width, out, 1, 1),
        )
        changes = stride != 1 or channels != out
        self.shortcut = nn.Sequential(*_conv(channels, out, 1, stride)) if changes else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        beside = x if self.shortcut is None else self.shortcut(x)
        return torch.relu_(self.body(x).add_(beside))


def _conv(channels: int, out: int, size: int, stride: int) -> list[nn.Module]:
    conv = nn.Conv2d(channels, out, size, stride, size // 2, bias=False)
    return [conv, nn.BatchNorm2d(out)]


def resnet50() -> nn.Module:
    """ResNet-50, He et al. 2015, the stride on the 3x3 convolutions."""
    layers: list[nn.Module] = [*_conv(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            layers.append(Bottleneck(channels, width, stride))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


class BasicBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *_conv(channels, out, 3, stride), nn.ReLU(inplace=True), *_conv(out, out, 3, 1)
        )
        changes = stride != 1 or channels != out
        self.shortcut = nn.Sequential(*_conv(channels, out, 1, stride)) if changes else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        beside = x if self.shortcut is None else self.shortcut(x)
        return torch.relu_(self.body(x).add_(beside))


def resnet18() -> nn.Module:
    """ResNet-18, He et al. 2015."""
    layers: list[nn.Module] = [*_conv(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for stage in range(4):
        for block in range(2):
            out = 64 << stage
            layers.append(BasicBlock(channels, out, 2 if stage and not block else 1))
            channels = out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


class Last(nn.Module):
    """Two LSTM layers of 256, classes from the last step."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(256, 256, num_layers=2, batch_first=True)
        self.head = nn.Linear(256, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(x)[0][:, -1])


class Encoder(nn.Module):
    """Four Transformer encoder layers of 768 with 12 heads, classes from the mean of all steps."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 4)
        self.head = nn.Linear(768, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(x).mean(1))


class Clicks(nn.Module):
    """A table for each categorical feature, three linear layers over what was looked up."""

    def __init__(self, fields: int, rows: int, width: int, numbers: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(fields))
        inputs = fields * width + numbers
        self.deep = nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU())
        self.head = nn.Linear(128, 1)

    def forward(self, ids: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        found = [table(ids[:, i]) for i, table in enumerate(self.tables)]
        return self.head(self.deep(torch.cat([*found, numbers], 1)))
