"""What DistributeTranspiler makes, described for JSON; works with PaddlePaddle 1.8.5 too."""

ENGINE = ("use_", "mkldnn_", "op_", "force_fp32", "scale_", "seed", "x_data", "y_data")
ENDPOINTS = ["127.0.0.1:6174", "127.0.0.1:6175"]
HIDDEN = ("grad_to_block_id", "num", "merge_add", "_", "str_value")


def _built(fluid, optimizer, slices, **told):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 100], "float32")
        hidden = fluid.layers.fc(x, 200)
        optimizer(fluid).minimize(fluid.layers.mean(fluid.layers.fc(hidden, 1)))
        config = fluid.DistributeTranspilerConfig()
        config.slice_var_up = slices
        made = fluid.DistributeTranspiler(config=config)
        made.transpile(
            0, program=main, pservers=",".join(ENDPOINTS), trainers=2, startup_program=startup,
            **told
        )  # fmt: skip
    return made, main, startup


CASES = {
    "sgd": (lambda f: f.optimizer.SGD(0.1), True, {}),
    "async": (lambda f: f.optimizer.SGD(0.1), True, {"sync_mode": False}),
    "adam": (
        lambda f: f.optimizer.Adam(f.layers.exponential_decay(0.1, 10, 0.5)), True, {},
    ),
    "whole": (lambda f: f.optimizer.Momentum(0.1, 0.9), False, {}),
    "decay": (
        lambda f: f.optimizer.SGD(0.1, regularization=f.regularizer.L2Decay(0.5)), True, {},
    ),
}  # fmt: skip


def described(program):
    """Blocks of operators; what orders operators is numbered as it comes."""
    controls = {}

    def named(name):
        if name.startswith("__control_var@"):
            return controls.setdefault(name, "control%d" % len(controls))
        return name

    blocks = []
    for block in program.blocks:
        ops = []
        for op in block.ops:
            attrs = {}
            for name in op.attr_names:
                value = op.attr(name)
                if name.startswith(ENGINE) or name.startswith(HIDDEN):
                    continue
                if isinstance(value, (bool, int, float, str)):
                    attrs[name] = value
                elif isinstance(value, list) and all(isinstance(v, (int, str)) for v in value):
                    attrs[name] = list(value)
            ins = {s: [named(n) for n in op.input(s)] for s in op.input_names if op.input(s)}
            outs = {s: [named(n) for n in op.output(s)] for s in op.output_names if op.output(s)}
            ops.append([op.type, ins, outs, attrs])
        blocks.append([block.parent_idx, ops])
    shapes = {
        v.name: [list(v.shape), bool(v.persistable)]
        for v in program.list_vars()
        if "control" not in v.name
    }
    return {"blocks": blocks, "variables": shapes}


def run(fluid, name):
    """All Programs of a case by name."""
    optimizer, slices, told = CASES[name]
    made, _, startup = _built(fluid, optimizer, slices, **told)
    found = {"trainer": described(made.get_trainer_program(wait_port=False))}
    found["startup"] = described(startup)
    for endpoint in ENDPOINTS:
        made, _, startup = _built(fluid, optimizer, slices, **told)
        server, filling = made.get_pserver_programs(endpoint)
        found["server " + endpoint] = described(server)
        found["filling " + endpoint] = described(filling)
    return found
