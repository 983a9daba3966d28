"""A small classifier with everything that training needs, for the tests of saving and loading."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import static
from tests.static.harness import static as building


class Net(NamedTuple):
    """The Programs, their variables, and what is fed."""

    main: Any
    startup: Any
    x: Any
    y: Any
    hidden: Any
    out: Any
    loss: Any
    feeds: dict[str, np.ndarray]

    def infer(self, exe: Any) -> np.ndarray:
        test = self.main.clone(for_test=True)
        return exe.run(test, feed=self.feeds, fetch_list=[self.out])[0]


def classifier(width: int = 5) -> Net:
    random = np.random.RandomState(3)
    feeds = {
        "x": random.randn(4, 6).astype("float32"),
        "y": random.randint(0, 3, (4, 1)).astype("int64"),
    }
    with building() as (main, startup):
        x, y = static.data("x", [None, 6]), static.data("y", [None, 1], "int64")
        hidden = F.dropout(static.nn.batch_norm(static.nn.fc(x, width)), 0.5)
        logits = static.nn.fc(hidden, 3)
        out = F.softmax(logits)
        loss = paddle.mean(F.cross_entropy(logits, y))
        paddle.optimizer.Adam(0.05).minimize(loss)
    return Net(main, startup, x, y, hidden, out, loss, feeds)
