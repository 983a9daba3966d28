"""The guide's MLP (6.2.2), second form: parameter servers.

    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 2 parameter_server.py

1,001 steps: the cost of worker 0 falls from 0.69 to 0.54. The guide does not call init_worker;
the first step then connects.
"""

import paddle

paddle.enable_static()

from nets import mlp
from utils import gen_data

import paddle.distributed.fleet as fleet
import paddle.distributed.fleet.base.role_maker as role_maker

input_x = paddle.static.data(name="x", shape=[None, 32], dtype="float32")
input_y = paddle.static.data(name="y", shape=[None, 1], dtype="int64")
cost = mlp(input_x, input_y)
optimizer = paddle.optimizer.SGD(learning_rate=0.01)
role = role_maker.PaddleCloudRoleMaker()
fleet.init(role)
strategy = paddle.distributed.fleet.DistributedStrategy()
strategy.a_sync = True
optimizer = fleet.distributed_optimizer(optimizer, strategy)
optimizer.minimize(cost)
if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
elif fleet.is_worker():
    place = paddle.CPUPlace()
    exe = paddle.static.Executor(place)
    exe.run(paddle.static.default_startup_program())
    step = 1001
    for i in range(step):
        cost_val = exe.run(
            program=paddle.static.default_main_program(), feed=gen_data(), fetch_list=[cost.name]
        )
        if i % 100 == 0:
            told = (fleet.worker_index(), i, cost_val[0].item())
            print("worker_index: %d, step%d cost = %f" % told)  # noqa: UP031
