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


class InvertedResidual(nn.Module):
    """Widens, filters each channel, narrows; with a shortcut where input and output fit."""

    def __init__(self, channels: int, out: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = channels * expansion
        layers: list[nn.Module] = []
        if expansion != 1:
            layers += [*_conv(channels, wide, 1, 1), nn.ReLU6(inplace=True)]
        filtered = nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False)
        layers += [filtered, nn.BatchNorm2d(wide), nn.ReLU6(inplace=True), *_conv(wide, out, 1, 1)]
        self.body = nn.Sequential(*layers)
        self.shortcut = stride == 1 and channels == out

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.shortcut else self.body(x)


def mobilenet_v2() -> nn.Module:
    """MobileNetV2, Sandler et al. 2018."""
    layers: list[nn.Module] = [*_conv(3, 32, 3, 2), nn.ReLU6(inplace=True)]
    channels = 32
    groups = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
              (6, 160, 3, 2), (6, 320, 1, 1))  # fmt: skip
    for expansion, out, count, stride in groups:
        for i in range(count):
            layers.append(InvertedResidual(channels, out, 1 if i else stride, expansion))
            channels = out
    layers += [*_conv(channels, 1280, 1, 1), nn.ReLU6(inplace=True), nn.AdaptiveAvgPool2d(1)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(1280, 1000))


class Bert(nn.Module):
    """Embeddings, Transformer encoder layers of 768 with 12 heads, and the pooled first step."""

    def __init__(self, words: int, steps: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, 768)
        self.positions = nn.Embedding(steps, 768)
        self.kinds = nn.Embedding(2, 768)
        self.norm = nn.LayerNorm(768)
        layer = nn.TransformerEncoderLayer(
            768, 12, 3072, dropout=0.0, activation="gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.pooler = nn.Linear(768, 768)
        self.register_buffer("steps", torch.arange(steps)[None])

    def forward(self, words: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        x = self.words(words) + self.positions(self.steps) + self.kinds(kinds)
        return torch.tanh(self.pooler(self.encoder(self.norm(x))[:, 0]))


class Recogniser(nn.Module):
    """Convolutions over a line of text 32 high, a bidirectional LSTM, classes for each column."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for out, pool in ((64, (2, 2)), (128, (2, 2)), (256, None), (256, (2, 1)), (512, None),
                          (512, (2, 1))):  # fmt: skip
            layers += [*_conv(channels, out, 3, 1), nn.ReLU(inplace=True)]
            if pool:
                layers.append(nn.MaxPool2d(pool, pool))
            channels = out
        layers += [nn.Conv2d(512, 512, (2, 1), bias=False), nn.BatchNorm2d(512), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.lstm = nn.LSTM(512, 256, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(512, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        columns = self.features(x).squeeze(2).permute(0, 2, 1)
        return torch.softmax(self.head(self.lstm(columns)[0]), 2)
