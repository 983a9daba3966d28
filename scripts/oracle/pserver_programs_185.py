"""Programs that DistributeTranspiler of PaddlePaddle 1.8.5 writes, for tests/distributed/ps_runtime.

    cd / && /work/oracle/p185/bin/python scripts/oracle/pserver_programs_185.py TARGET [rows]

With ``rows`` the first layer looks up a table of which the server keeps the rows. A trainer's and a
server's Programs, and the losses of one process without servers.
"""

import json
import sys

import numpy as np

import paddle.fluid as fluid

ENDPOINT = "127.0.0.1:6174"


def built(rows):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        start = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1))
        y = fluid.data("y", [None, 1])
        if rows:
            ids = fluid.data("ids", [None, 1], "int64")
            x = fluid.layers.embedding(ids, [50, 4], is_sparse=True, param_attr=start)
        else:
            x = fluid.data("x", [None, 4])
        hidden = fluid.layers.fc(x, 8, act="tanh", param_attr=start)
        score = fluid.layers.fc(hidden, 1, param_attr=start)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(score, y))
        rate = fluid.layers.exponential_decay(0.1, 2, 0.5)
        decay = None if rows else fluid.regularizer.L2Decay(0.01)
        fluid.optimizer.Adam(rate, regularization=decay).minimize(loss)
    return main, startup, loss


def data(rows):
    rng = np.random.RandomState(0)
    found = []
    for _ in range(6):
        x = rng.randint(0, 50, (16, 1)) if rows else rng.rand(16, 4).astype("float32")
        found.append({"ids" if rows else "x": x, "y": rng.rand(16, 1).astype("float32")})
    return found


def cut(rows):
    main, startup, loss = built(rows)
    made = fluid.DistributeTranspiler()
    made.transpile(0, program=main, pservers=ENDPOINT, trainers=1, startup_program=startup)
    return made, startup, loss


def main(target, rows):
    name = "%s/pserver_185%s" % (target, "_rows" if rows else "")
    made, startup, loss = cut(rows)
    files = {"trainer": made.get_trainer_program(wait_port=False), "trainer_startup": startup}
    made, _, _ = cut(rows)
    files["server"], files["server_startup"] = made.get_pserver_programs(ENDPOINT)
    for what, program in files.items():
        with open("%s_%s.pb" % (name, what), "wb") as file:
            file.write(program.desc.serialize_to_string())
    program, startup, loss = built(rows)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    losses = [float(exe.run(program, feed=b, fetch_list=[loss])[0][0]) for b in data(rows)]
    with open("%s.json" % name, "w") as file:
        json.dump({"loss": loss.name, "losses": losses, "endpoint": ENDPOINT}, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] == ["rows"])
