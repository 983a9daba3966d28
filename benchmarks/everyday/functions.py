"""A walk through the common functions on tensors, with gradients where there are some."""

import numpy as np

import paddle

paddle.seed(1)
x = paddle.to_tensor(np.random.RandomState(0).rand(4, 6).astype("float32"), stop_gradient=False)
i = paddle.to_tensor([2, 0, 1])
parts = [
    paddle.concat([x, x * 2], axis=0), paddle.stack([x, x], axis=1), paddle.split(x, 3, axis=1)[1],
    paddle.reshape(x, [2, -1]), paddle.transpose(x, [1, 0]), paddle.squeeze(x.unsqueeze(0), 0),
    paddle.tile(x, [2, 1]), paddle.expand(x[:1], [3, 6]), paddle.flip(x, [0]), x.chunk(2)[0],
    paddle.gather(x, i), paddle.index_select(x, i, axis=1), paddle.gather_nd(x, i.unsqueeze(1)),
    paddle.scatter(x, i, paddle.ones([3, 6])), paddle.masked_select(x, x > 0.5), x[1:3, ::2],
    paddle.where(x > 0.5, x, -x), paddle.clip(x, 0.2, 0.8), paddle.sort(x, axis=1), x[i],
    paddle.topk(x, 2)[0], paddle.cumsum(x, axis=0), paddle.matmul(x, x, transpose_y=True),
    paddle.exp(x), paddle.log(x + 1), paddle.sqrt(x), paddle.abs(x), paddle.tanh(x), x.pow(2),
    paddle.maximum(x, 1 - x), x.mean(0), x.max(1), x.min(), x.prod(1), paddle.std(x), x.var(1),
    paddle.logsumexp(x, 1), paddle.norm(x), paddle.dist(x, x + 1), paddle.t(x), paddle.tril(x),
    paddle.nn.functional.softmax(x), paddle.addmm(x[:, :4], x, x.t()), x.unbind(0)[2], x / 3,
    paddle.bmm(x.unsqueeze(0), x.t().unsqueeze(0)), paddle.kron(x, x),
    paddle.cross(x[:, :3], x[:, 3:]),
]  # fmt: skip
sum(part.sum() for part in parts).backward()
assert x.grad.shape == [4, 6]
x = x.detach()
square = paddle.matmul(x, x, transpose_y=True) + paddle.eye(4)
np.testing.assert_allclose(
    paddle.matmul(paddle.inverse(square), square).numpy(), np.eye(4), atol=1e-3
)
paddle.cholesky(square)
assert paddle.argmax(x, axis=1).shape == [4] and paddle.argsort(x).shape == [4, 6]
assert bool((x == x).all()) and bool(paddle.allclose(x, x)) and not bool(paddle.isnan(x).any())
assert paddle.logical_and(x > 0.1, x < 0.9).dtype == paddle.bool
assert paddle.unique(paddle.to_tensor([3, 1, 3])).shape == [2]
assert paddle.nonzero(paddle.to_tensor([0, 1, 1])).shape == [2, 1]
x[0] = 0.0
x[:, 1] = paddle.ones([4])
assert float(x[0].sum()) == 1.0 and x.astype("int64").dtype == paddle.int64
paddle.randint(0, 9, [3]), paddle.randperm(5), paddle.uniform([2]), paddle.normal(shape=[2])
paddle.multinomial(paddle.to_tensor([0.3, 0.7]), 1), paddle.bernoulli(x.abs().clip(0, 1))
paddle.full([2], 1.5), paddle.linspace(0, 1, 5), paddle.meshgrid(i, i), paddle.diag(x[0])
str(x)
