"""What DistributeTranspiler makes, described for JSON; works with PaddlePaddle 1.8.5 too."""

ENGINE = ("use_", "mkldnn_", "op_", "force_fp32", "scale_", "seed", "x_data", "y_data")
ENDPOINTS = ["127.0.0.1:6174", "127.0.0.1:6175"]
HIDDEN = ("grad_to_block_id", "num", "merge_add", "_", "str_value")


def _dense(fluid):
    x = fluid.data("x", [None, 100], "float32")
    return fluid.layers.fc(fluid.layers.fc(x, 200), 1)


def _rows(fluid):
    """A table that is looked up twice, of which servers keep the rows."""
    pooled = []
    for name in ("a", "b"):
        ids = fluid.data(name, [None, 1], "int64", lod_level=1)
        found = fluid.layers.embedding(
            ids, [1000, 20], is_sparse=True, param_attr=fluid.ParamAttr(name="table")
        )
        pooled.append(fluid.layers.sequence_pool(found, "sum"))
    return fluid.layers.fc(fluid.layers.fc(fluid.layers.concat(pooled, 1), 500), 1)


def _clipped(fluid):
    """With a clip of 1.x; what an optimizer's grad_clip does, 1.8.5 cuts wrongly."""
    made = _dense(fluid)
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0))
    return made


def _built(fluid, net, optimizer, config, told):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        optimizer(fluid).minimize(fluid.layers.mean(net(fluid)))
        made = fluid.DistributeTranspilerConfig()
        for name, value in config:
            setattr(made, name, value)
        made = fluid.DistributeTranspiler(config=made)
        made.transpile(
            0, program=main, pservers=",".join(ENDPOINTS), trainers=2, startup_program=startup,
            **told
        )  # fmt: skip
    return made, main, startup


def _sgd(fluid):
    return fluid.optimizer.SGD(0.1)


_ASYNC = {"sync_mode": False}
CASES = {
    "sgd": (_dense, _sgd, [], {}),
    "async": (_dense, _sgd, [], _ASYNC),
    "adam": (
        _dense, lambda f: f.optimizer.Adam(f.layers.exponential_decay(0.1, 10, 0.5)), [], {},
    ),
    "whole": (_dense, lambda f: f.optimizer.Momentum(0.1, 0.9), [("slice_var_up", False)], {}),
    "decay": (
        _dense, lambda f: f.optimizer.SGD(0.1, regularization=f.regularizer.L2Decay(0.5)), [], {},
    ),
    "clip": (_clipped, _sgd, [], {}),
    "cut while sent": (
        _dense, _sgd, [("sync_mode", False), ("runtime_split_send_recv", True)], _ASYNC,
    ),
    "rows": (_rows, _sgd, [], {}),
    "rows async": (_rows, _sgd, [], _ASYNC),
    "rows whole": (_rows, lambda f: f.optimizer.Adam(0.1), [("slice_var_up", False)], {}),
    "rows cut while sent": (
        _rows, _sgd, [("sync_mode", False), ("runtime_split_send_recv", True)], _ASYNC,
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
    case = CASES[name]
    made, _, startup = _built(fluid, *case)
    found = {"trainer": described(made.get_trainer_program(wait_port=False))}
    found["startup"] = described(startup)
    for endpoint in ENDPOINTS:
        made, _, startup = _built(fluid, *case)
        server, filling = made.get_pserver_programs(endpoint)
        found["server " + endpoint] = described(server)
        found["filling " + endpoint] = described(filling)
    return found
