"""Cases as files: written by one release, run by another; works with 1.8.5 (Python 3.7) too."""

import json

import numpy as np

try:
    from tests.fluid import running
except ImportError:
    import running

PARTS = ("main", "startup", "json")
# What the tests read as 1.8.5 wrote it (tests/data/fluid/exchange.npz).
CHOSEN = (
    "contrib.case_fused_elemwise_activation", "contrib.case_selected_rows",
    "contrib.case_filter_by_instag", "control.case_dynamic_rnn_all", "control.case_while_gradient",
    "control.case_static_rnn_init", "control.case_if_else", "decoder.case_training",
    "layers_loss.case_hsigmoid", "layers_loss.case_hsigmoid_custom", "layers_loss.case_nce_custom",
    "layers_loss.case_cross_entropy", "layers_math.case_trace", "layers_nn.case_batch_norm",
    "layers_nn.case_data_norm", "layers_shape.case_roll", "layers_shape.case_flip",
    "optimizers.case_adam_epsilon", "optimizers.case_lamb", "optimizers.case_sgd",
    "rnn.case_lstm_cell", "rnn.case_training_helper", "sequences.case_sequence_conv",
    "sequences.case_sequence_concat", "sequences_labels.case_crf", "sequences_labels.case_warpctc",
    "sequences_fused.case_fused_embedding_seq_pool", "sequences_recurrent.case_dynamic_lstm",
    "sequences_recurrent.case_dynamic_gru",
)  # fmt: skip


def write_one(fluid, case, path):
    """Writes main and startup Program, and the names of what is fetched."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        feeds, fetches = case(fluid)
        fetches, gradients = list(fetches), []
        if not getattr(case, "steps", 0):
            gradients = running._gradients(fluid, case, main, feeds, fetches)[1]
    names = [v.name for v in fetches], [v.name for v in gradients]
    with open(path + ".json", "w") as file:
        json.dump(names, file)
    for kind, program in (("main", main), ("startup", startup)):
        with open(path + "." + kind, "wb") as file:
            file.write(program.desc.serialize_to_string())


def program_of(fluid, path):
    with open(path, "rb") as file:
        return fluid.Program.parse_from_string(file.read())


def run_one(fluid, case, path):
    """The arrays and levels of a case whose Programs come from files."""
    main, startup = program_of(fluid, path + ".main"), program_of(fluid, path + ".startup")
    with open(path + ".json") as file:
        fetches, gradients = json.load(file)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        feeds = case(fluid)[0]
    told, arrays = {"lod": {}}, {}
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        running._fill(fluid, scope, startup)
        given = {name: running._fed(fluid, value) for name, value in feeds.items()}
        for step in range(max(getattr(case, "steps", 0), 1)):
            results = exe.run(main, given, fetches + gradients, return_numpy=False)
            for i, value in enumerate(results):
                kind = "out" if i < len(fetches) else "grad"
                key = "%s%d.%d" % (kind, step, i if kind == "out" else i - len(fetches))
                running._keep(told, arrays, key, value)
        if getattr(case, "steps", 0):
            for name, var in sorted(main.global_block().vars.items()):
                if var.persistable and scope.find_var(name) is not None:
                    try:
                        arrays["end:" + name] = np.array(scope.find_var(name).get_tensor())
                    except Exception:  # no tensor: a reader, an array
                        pass
    return told["lod"], arrays


def differences(want, told, lod, arrays, close):
    """Lines that say what is not as it was frozen."""
    lines = []
    for key, value in want.items():
        if key == "told":
            continue
        if key not in arrays:
            lines.append("%s is missing" % key)
            continue
        got = arrays[key]
        if got.shape != value.shape or got.dtype != value.dtype:
            pair = got.dtype, got.shape, value.dtype, value.shape
            lines.append("%s: %s %s, not %s %s" % ((key,) + pair))
            continue
        if value.dtype.kind != "f":
            if not (got == value).all():
                lines.append("%s differs" % key)
            continue
        finite = np.abs(value[np.isfinite(value)])
        size = max(float(finite.max()) if finite.size else 0.0, 1e-3)
        if not np.allclose(got, value, close, close * size, equal_nan=True):
            gap = np.nanmax(np.abs(got.astype("float64") - value))
            lines.append("%s differs by %g of %g" % (key, gap, size))
    for key, levels in told["lod"].items():
        if lod.get(key) != levels:
            lines.append("levels of %s: %s, not %s" % (key, lod.get(key), levels))
    return lines
