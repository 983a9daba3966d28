"""The guide's MLP (6.2.2), first form: one process.

    python single.py

1,001 steps: the cost falls from 0.74 to 0.57.
"""

import paddle

paddle.enable_static()

from nets import mlp
from utils import gen_data

input_x = paddle.static.data(name="x", shape=[None, 32], dtype="float32")
input_y = paddle.static.data(name="y", shape=[None, 1], dtype="int64")
cost = mlp(input_x, input_y)
optimizer = paddle.optimizer.SGD(learning_rate=0.01)
optimizer.minimize(cost)
place = paddle.CUDAPlace(0) if paddle.is_compiled_with_cuda() else paddle.CPUPlace()
exe = paddle.static.Executor(place)
exe.run(paddle.static.default_startup_program())
step = 1001
for i in range(step):
    cost_val = exe.run(feed=gen_data(), fetch_list=[cost.name])
    if i % 100 == 0:
        print("step%d cost=%f" % (i, cost_val[0].item()))  # noqa: UP031
