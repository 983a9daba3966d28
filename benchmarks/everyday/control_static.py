"""A Program with a loop, a branch, comparisons and an embedding over sentences of any length."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import static

paddle.enable_static()
paddle.seed(1)
rng = np.random.RandomState(0)
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    words = static.data("words", [None, None], "int64")
    label = static.data("label", [None], "int64")
    count = paddle.full([1], 0, "int64")
    total = paddle.full([1], 0.0, "float32")
    count, total = static.nn.while_loop(
        lambda i, s: i < 3,
        lambda i, s: [i + 1, s + paddle.cast(i, "float32")],
        [count, total],
    )
    known = paddle.cast(paddle.not_equal(words, paddle.zeros_like(words)), "float32")
    states = static.nn.embedding(words, [200, 16]) * paddle.unsqueeze(known, 2)
    pooled = paddle.sum(states, axis=1) / (paddle.sum(known, axis=1, keepdim=True) + 1e-6)
    scores = static.nn.fc(pooled, 4)
    scores = static.nn.cond(total > 1.0, lambda: scores * 2, lambda: scores)
    loss = F.cross_entropy(scores, label)
    top, _ = paddle.topk(F.softmax(scores), 2)
    best = paddle.argmax(scores, axis=1)
    paddle.optimizer.SGD(0.1).minimize(loss)
exe = static.Executor(paddle.CPUPlace())
exe.run(startup)
for length in (5, 9):
    feed = {"words": rng.randint(0, 200, (8, length)), "label": rng.randint(0, 4, (8,))}
    value, chosen, highest = exe.run(main, feed=feed, fetch_list=[loss, best, top])
assert np.isfinite(value).all() and chosen.shape == (8,) and highest.shape == (8, 2)
paddle.disable_static()
