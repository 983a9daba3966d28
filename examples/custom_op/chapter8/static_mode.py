"""The guide's 8.4.4, static mode: relu2 in a Program. Run build.sh first."""

import numpy as np
from custom_op import relu2

import paddle

paddle.enable_static()
data = paddle.static.data(name="data", shape=[None, 32], dtype="float32")
relu = relu2(data)
use_gpu = paddle.device.is_compiled_with_cuda()  # True or False
paddle.set_device("gpu" if use_gpu else "cpu")
exe = paddle.static.Executor()

x = np.random.uniform(-1, 1, [4, 32]).astype("float32")
(out,) = exe.run(feed={"data": x}, fetch_list=[relu])
print(np.allclose(out, np.maximum(x, 0.0)))
