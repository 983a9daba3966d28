"""Freezes Programs that PaddlePaddle's GradAllReduce made: tests/data/distributed/.

python3.7 (1.8.5) or python (2.6.2) scripts/oracle/collective_programs.py, and once more with
--fleet (2.6.2); for each rank of two the main and the startup Program, as bytes.
"""

import os
import sys

import paddle

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WHERE = ["127.0.0.1:6170", "127.0.0.1:6171"]


def made_185(rank):
    import paddle.fluid as fluid
    from paddle.fluid.transpiler.collective import GradAllReduce

    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = main.random_seed = 1
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 6], "float32")
        y = fluid.data("y", [None, 1], "float32")
        hidden = fluid.layers.fc(x, 8, act="relu")
        error = fluid.layers.elementwise_sub(fluid.layers.fc(hidden, 1), y)
        loss = fluid.layers.mean(fluid.layers.square(error))
        fluid.optimizer.Momentum(0.02, 0.9).minimize(loss)

        class Unconnected(GradAllReduce):  # a CPU build has no operators that connect
            def _transpile_startup_program(self):
                self._broadcast_params()

        Unconnected(2).transpile(startup, main, rank, list(WHERE), WHERE[rank], False)
    return main, startup, loss


def made_262(rank):
    from paddle.distributed.transpiler.collective import GradAllReduce

    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    startup.random_seed = main.random_seed = 1
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = paddle.static.data("x", [None, 6])
        y = paddle.static.data("y", [None, 1])
        hidden = paddle.static.nn.fc(x, 8, activation="relu")
        loss = paddle.mean(paddle.square(paddle.static.nn.fc(hidden, 1) - y))
        paddle.optimizer.Momentum(0.02, 0.9).minimize(loss)
        GradAllReduce(2).transpile(startup, main, rank, list(WHERE), WHERE[rank], False)
    return main, startup, loss


def made_by_fleet_262(rank):
    """What fleet writes by default: gradients in flat memory. Nothing is connected."""
    os.environ["PADDLE_TRAINER_ID"], os.environ["PADDLE_TRAINERS_NUM"] = str(rank), "2"
    os.environ["PADDLE_TRAINER_ENDPOINTS"] = ",".join(WHERE)
    os.environ["PADDLE_CURRENT_ENDPOINT"] = WHERE[rank]
    from paddle.distributed import fleet
    from paddle.distributed.fleet.base import distributed_strategy, role_maker
    from paddle.distributed.fleet.meta_optimizers import raw_program_optimizer

    paddle.enable_static()
    flags = paddle.get_flags
    # The protobuf that is installed beside it is newer than it expects.
    distributed_strategy.get_msg_dict = lambda message: {
        f.name: getattr(message, f.name) for f in message.DESCRIPTOR.fields
    }
    distributed_strategy.assign_configs_value = lambda message, values: [
        setattr(message, k, v) for k, v in values.items() if not isinstance(v, list)
    ]
    paddle.get_flags = lambda f: {f: False} if "unified_comm" in f else flags(f)
    raw_program_optimizer.RawProgramOptimizer._init_process_group = lambda self: None
    fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
    main, startup = paddle.static.Program(), paddle.static.Program()
    startup.random_seed = main.random_seed = 1
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = paddle.static.data("x", [None, 6])
        y = paddle.static.data("y", [None, 1])
        hidden = paddle.static.nn.fc(x, 8, activation="relu")
        loss = paddle.mean(paddle.square(paddle.static.nn.fc(hidden, 1) - y))
        strategy = fleet.DistributedStrategy()
        strategy.without_graph_optimization = True
        optimizer = paddle.optimizer.Momentum(0.02, 0.9)
        fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
    return main, startup, loss


if __name__ == "__main__":
    version = paddle.__version__
    folder = os.path.join(ROOT, "tests", "data", "distributed")
    os.makedirs(folder, exist_ok=True)
    made = made_185 if version.startswith("1.") else made_262
    if "--fleet" in sys.argv:
        made, version = made_by_fleet_262, "fleet"
    for rank in range(2):
        main, startup, loss = made(rank)
        print(version, rank, loss.name, [op.type for op in main.global_block().ops])
        for name, program in (("main", main), ("startup", startup)):
            for op in program.global_block().ops:
                if op.has_attr("op_callstack"):
                    op._remove_attr("op_callstack")
            path = os.path.join(folder, "%s_%s_%d.pdmodel" % (version, name, rank))
            with open(path, "wb") as file:
                file.write(program.desc.serialize_to_string())
