"""The guide's 8.4.4, dynamic mode: relu2 on a Tensor. Run build.sh first."""

import numpy as np
from custom_op import relu2

import paddle

use_gpu = paddle.device.is_compiled_with_cuda()  # True or False
paddle.set_device("gpu" if use_gpu else "cpu")

x = np.random.uniform(-1, 1, [4, 32]).astype("float32")
t = paddle.to_tensor(x)
out = relu2(t)
print(np.allclose(out.numpy(), np.maximum(x, 0.0)))
