"""A convolutional autoencoder: strided and transposed convolutions, batch norm, upsampling."""

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

paddle.seed(1)
rng = np.random.RandomState(0)
encoder = nn.Sequential(
    nn.Conv2D(3, 16, 3, stride=2, padding=1), nn.BatchNorm2D(16), nn.LeakyReLU(0.1),
    nn.Conv2D(16, 32, 3, stride=2, padding=1), nn.GroupNorm(4, 32), nn.ReLU(),
)  # fmt: skip
decoder = nn.Sequential(
    nn.Conv2DTranspose(32, 16, 4, stride=2, padding=1), nn.InstanceNorm2D(16), nn.ReLU(),
    nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2D(16, 3, 3, padding=1), nn.Sigmoid(),
)  # fmt: skip
parameters = encoder.parameters() + decoder.parameters()
schedule = paddle.optimizer.lr.CosineAnnealingDecay(1e-3, T_max=10)
optimizer = paddle.optimizer.Adam(schedule, parameters=parameters)
for _step in range(3):
    image = paddle.to_tensor(rng.rand(8, 3, 32, 32).astype("float32"))
    made = decoder(encoder(F.dropout2d(image, 0.1)))
    loss = F.mse_loss(made, image)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    schedule.step()
for part in (encoder, decoder):
    part.eval()
small = F.interpolate(decoder(encoder(image)), [16, 16], mode="nearest")
small = F.adaptive_avg_pool2d(F.pad(small, [1, 1, 1, 1]), 4)
assert small.shape == [8, 3, 4, 4]
