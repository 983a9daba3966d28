"""Networks whose summary and flops were frozen from PaddlePaddle 2.6.2; names count."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn


class Multi(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 3)
        self.b = nn.Linear(5, 3)

    def forward(self, x: Any, y: Any) -> Any:
        return self.a(x) + self.b(y), self.a(x)


class Named(Multi):
    """The same with one input, a dict."""

    def forward(self, given: Any) -> Any:  # type: ignore[override]
        return {"out": self.a(given["x"]) + self.b(given["y"])}


class Listed(Multi):
    """The same with one input, a list."""

    def forward(self, given: Any) -> Any:  # type: ignore[override]
        return [self.a(given[0]), self.b(given[1])]


class Shared(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.r = nn.ReLU()

    def forward(self, x: Any) -> Any:
        return self.a(self.r(self.a(x)))


class Frozen2(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.c = nn.Linear(4, 4)
        for parameter in self.a.parameters():
            parameter.trainable = False

    def forward(self, x: Any) -> Any:
        return self.c(self.a(x))


class Unused(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.u = nn.Linear(4, 9)

    def forward(self, x: Any) -> Any:
        return self.a(x)


class VeryLongLayerNameForATestOfWidths(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Conv2D(3, 8, 3, padding=1)
        self.own = self.create_parameter([1])

    def forward(self, x: Any) -> Any:
        return self.c(x) * self.own


class Wrap(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.v = VeryLongLayerNameForATestOfWidths()
        inner = nn.Sequential(nn.BatchNorm2D(8), nn.ReLU())
        self.s = nn.Sequential(nn.Conv2D(8, 8, 3), inner)

    def forward(self, x: Any) -> Any:
        return self.s(self.v(x))


class Pair(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.f = nn.Linear(256, 256)

    def forward(self, x: Any) -> Any:
        y = self.f(x)
        return y, (y * 2, y)


class Nested(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.p = Pair()
        self.q = nn.Linear(256, 16)

    def forward(self, x: Any) -> Any:
        a, (b, _) = self.p(x)
        return self.q(a), b


class BlockB(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Conv2D(4, 4, 3, padding=1, bias_attr=False)
        self.bn = nn.BatchNorm2D(4)
        self.r = nn.ReLU6()

    def forward(self, x: Any) -> Any:
        return self.r(self.bn(self.c(x))) + x


class Flop(nn.Layer):
    """Every kind of layer that flops counts, and some that it does not; one pool runs twice."""

    def __init__(self) -> None:
        super().__init__()
        self.c1 = nn.Conv2D(3, 4, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm2D(4)
        self.r = nn.ReLU()
        self.b = BlockB()
        self.c2 = nn.Conv2D(4, 8, 3, groups=2, dilation=2, bias_attr=False)
        self.r2 = nn.PReLU()
        self.mp = nn.MaxPool2D(2)
        self.ap = nn.AvgPool2D(2)
        self.aap = nn.AdaptiveAvgPool2D(2)
        self.ct = nn.Conv2DTranspose(8, 4, 3)
        self.up = nn.Upsample(scale_factor=2)
        self.sg = nn.Sigmoid()
        self.lr = nn.LeakyReLU()
        self.do = nn.Dropout(0.5)
        self.g = nn.GELU()
        self.sm = nn.Softmax()
        self.ln = nn.LayerNorm(10)
        self.f = nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        x = self.b(self.r(self.bn(self.c1(x))))
        x = self.ct(self.aap(self.ap(self.mp(self.r2(self.c2(x))))))
        x = paddle.flatten(self.aap(self.lr(self.sg(self.up(x)))), 1)
        x = paddle.concat([x] * 4, 1)
        return self.sm(self.ln(self.g(self.do(self.f(x)))))
