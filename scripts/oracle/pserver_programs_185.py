"""Programs that DistributeTranspiler of PaddlePaddle 1.8.5 writes, for tests/distributed/ps_runtime.

    cd / && /work/oracle/p185/bin/python scripts/oracle/pserver_programs_185.py TARGET

A trainer's and a server's Programs, and the losses of one process without servers.
"""

import json
import sys

import numpy as np
import paddle.fluid as fluid

ENDPOINT = "127.0.0.1:6174"


def built():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 1])
        start = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1))
        hidden = fluid.layers.fc(x, 8, act="tanh", param_attr=start)
        score = fluid.layers.fc(hidden, 1, param_attr=start)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(score, y))
        rate = fluid.layers.exponential_decay(0.1, 2, 0.5)
        fluid.optimizer.Adam(rate, regularization=fluid.regularizer.L2Decay(0.01)).minimize(loss)
    return main, startup, loss


def data():
    rng = np.random.RandomState(0)
    return [
        {"x": rng.rand(16, 4).astype("float32"), "y": rng.rand(16, 1).astype("float32")}
        for _ in range(6)
    ]


def cut():
    main, startup, loss = built()
    made = fluid.DistributeTranspiler()
    made.transpile(0, program=main, pservers=ENDPOINT, trainers=1, startup_program=startup)
    return made, startup, loss


def main(target):
    made, startup, loss = cut()
    files = {"trainer": made.get_trainer_program(wait_port=False), "trainer_startup": startup}
    made, _, _ = cut()
    files["server"], files["server_startup"] = made.get_pserver_programs(ENDPOINT)
    for name, program in files.items():
        with open("%s/pserver_185_%s.pb" % (target, name), "wb") as file:
            file.write(program.desc.serialize_to_string())
    program, startup, loss = built()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    losses = [float(exe.run(program, feed=b, fetch_list=[loss])[0][0]) for b in data()]
    with open("%s/pserver_185.json" % target, "w") as file:
        json.dump({"loss": loss.name, "losses": losses, "endpoint": ENDPOINT}, file)


if __name__ == "__main__":
    main(sys.argv[1])
