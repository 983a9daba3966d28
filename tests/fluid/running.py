"""Runs a case and describes what came out; works with PaddlePaddle 1.8.5 (Python 3.7) too."""

import numpy as np

ENGINE = (
    "use_", "mkldnn_", "op_", "is_test", "data_format", "fuse_", "with_quant", "workspace_",
    "exhaustive_search", "Scale_", "force_fp32", "scale_", "fix_seed", "seed", "rnn_", "is_mkldnn",
)  # fmt: skip
RANDOM = ("uniform_random", "gaussian_random", "truncated_gaussian_random")


def filled(shape, k):
    """What a parameter is filled with: number k of those that have random numbers."""
    n = int(np.prod(shape))
    return (np.cos(np.arange(n) * 0.37 + k) * 0.5).reshape(shape)


def described(program, operators):
    """Blocks of operators, and the variables of the first block, before gradients are added."""
    blocks = []
    for block in program.blocks:
        ops = block.ops if block.idx else block.ops[:operators]
        blocks.append([_operator(op) for op in ops])
    variables = {}
    for var in program.global_block().vars.values():
        if "@GRAD" in var.name:
            continue
        try:
            shape = list(var.shape)
            variables[var.name] = [shape, int(var.dtype), var.lod_level, bool(var.persistable)]
        except Exception:  # a kind of variable without these
            variables[var.name] = None
    return blocks, variables


def _operator(op):
    attrs = {}
    for name in op.attr_names:
        if name.startswith(ENGINE):
            continue
        value = op.attr(name)
        if type(value).__name__ in ("Block", "BlockDesc"):
            value = int(getattr(value, "idx", getattr(value, "id", 0)))
        if isinstance(value, (bool, int, float, str)):
            attrs[name] = value
        elif isinstance(value, (list, tuple)):
            if all(isinstance(v, (bool, int, float, str)) for v in value):
                attrs[name] = list(value)
    ins = {s: list(op.input(s)) for s in op.input_names if op.input(s)}
    outs = {s: list(op.output(s)) for s in op.output_names if op.output(s)}
    return [op.type, ins, outs, attrs]


def run(fluid, case, seen=None):
    """Returns a description (for JSON) and arrays by key; ``seen`` is called with the Programs."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    arrays = {}
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        feeds, fetches = case(fluid)
        fetches = list(fetches)
        many = getattr(case, "steps", 0)
        blocks, variables = described(main, len(main.global_block().ops))
        names, gradients = [], []
        if not many:
            names, gradients = _gradients(fluid, case, main, feeds, fetches)
    if seen is not None:
        seen(main, startup)
    filling = [_operator(op)[::2] + [_operator(op)[3]] for op in startup.global_block().ops]
    told = {
        "blocks": blocks, "variables": variables, "startup": filling,
        "fetches": [v.name for v in fetches], "gradients": names, "lod": {},
    }  # fmt: skip
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        _fill(fluid, scope, startup)
        given = {name: _fed(fluid, value) for name, value in feeds.items()}
        for step in range(max(many, 1)):
            results = exe.run(main, given, fetches + gradients, return_numpy=False)
            for i, value in enumerate(results):
                kind = "out" if i < len(fetches) else "grad"
                key = "%s%d.%d" % (kind, step, i if kind == "out" else i - len(fetches))
                _keep(told, arrays, key, value)
        if many:
            for name, var in sorted(main.global_block().vars.items()):
                if var.persistable and scope.find_var(name) is not None:
                    try:
                        arrays["end:" + name] = np.array(scope.find_var(name).get_tensor())
                    except Exception:  # no tensor: a reader, an array
                        pass
    return told, arrays


def _keep(told, arrays, key, value):
    if isinstance(value, list) or type(value).__name__ == "LoDTensorArray":
        for i, item in enumerate(value):
            _keep(told, arrays, "%s[%d]" % (key, i), item)
        return
    if hasattr(value, "get_tensor"):  # rows
        told["lod"][key + ":rows"] = [list(map(int, value.rows())), int(value.height())]
        value = value.get_tensor()
    arrays[key] = np.array(value)
    lod = value.lod()
    if lod:
        told["lod"][key] = [[int(n) for n in level] for level in lod]


def _fed(fluid, value):
    if not isinstance(value, tuple):
        return value
    return fluid.create_lod_tensor(value[0], value[1], fluid.CPUPlace())


def _floating(var):
    return int(var.dtype) in (4, 5, 6)


def _gradients(fluid, case, main, feeds, fetches):
    wanted = getattr(case, "grad", True)
    if wanted is False:
        return [], []
    block = main.global_block()
    for name in feeds:
        if block.has_var(name) and _floating(block.var(name)):
            block.var(name).stop_gradient = False
    if wanted is True:
        names = [n for n in feeds if block.has_var(n) and _floating(block.var(n))]
        names += sorted(p.name for p in main.all_parameters() if p.trainable)
    else:
        names = list(wanted)
    targets = [v for v in fetches if _floating(v) and not v.stop_gradient]
    if not names or not targets:
        return [], []
    found = fluid.gradients(targets, [block.var(n) for n in names])
    kept = [(n, g) for n, g in zip(names, found) if g is not None]
    return [n for n, _ in kept], [g for _, g in kept]


def _fill(fluid, scope, startup):
    k = 0
    for op in startup.global_block().ops:
        if op.type in RANDOM:
            for name in op.output("Out"):
                tensor = scope.find_var(name).get_tensor()
                old = np.array(tensor)
                tensor.set(filled(old.shape, k).astype(old.dtype), fluid.CPUPlace())
                k += 1
