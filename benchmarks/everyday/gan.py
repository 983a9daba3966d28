"""A generative adversarial network with a gradient penalty (a derivative of second order)."""

import numpy as np

import paddle
from paddle import nn

paddle.seed(1)
rng = np.random.RandomState(0)
generator = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.Tanh())
critic = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
of_generator = paddle.optimizer.Adam(1e-3, beta1=0.5, parameters=generator.parameters())
of_critic = paddle.optimizer.Adam(1e-3, beta1=0.5, parameters=critic.parameters())
for _step in range(3):
    real = paddle.to_tensor(rng.randn(32, 16).astype("float32"))
    made = generator(paddle.randn([32, 8])).detach()
    share = paddle.rand([32, 1])
    between = share * real + (1 - share) * made
    between.stop_gradient = False
    slope = paddle.grad(critic(between).sum(), between, create_graph=True)[0]
    penalty = ((slope.norm(p=2, axis=1) - 1) ** 2).mean()
    loss = critic(made).mean() - critic(real).mean() + 10 * penalty
    loss.backward()
    of_critic.step()
    of_critic.clear_grad()
    cost = -critic(generator(paddle.randn([32, 8]))).mean()
    cost.backward()
    of_generator.step()
    of_generator.clear_grad()
    of_critic.clear_grad()
assert np.isfinite(float(loss)) and np.isfinite(float(cost))
