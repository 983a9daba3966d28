"""Write ``paddle_upgrade_tool/rules.tsv``: what the upgrade tool does with each name of 1.x.

The facts are the tables of signatures and the map from 1.x to 2.0 under ``tests/data``. From them
follows how each argument moves; what they cannot say (two names that mean other numbers, a
default that hides in an operator) is written down here, in `TARGET`, `SPECIAL`, `STAYS`, `MOVES`.

    python scripts/make_upgrade_rules.py          # write the table
    python scripts/make_upgrade_rules.py --check  # exit 1 if the table is not what would be written

A row is: the old name; all its other paths; `rename`, `call`, `special` or `stays`; the new name;
the old parameters with how each moves; how many leading arguments may stay positional; keywords
to add; the code that handles the call; what to tell the user. A parameter moves as

    name>new            under a new name        name>new:0.2   and is written where it was left out
    name>-              falls away              name>!1.0      falls away if it is 1.0, else the
    name>@act           wraps the call                         call stays as it is
    name>new?           an explicit None falls away
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "paddle_upgrade_tool" / "rules.tsv"
L, D = "paddle.fluid.layers.", "paddle.fluid.dygraph."
F = "paddle.nn.functional."
HEADER = ["old", "aliases", "kind", "new", "params", "positional", "add", "handler", "message"]

# Another target than the map's, or one that the map lacks. The functional form of a layer that
# creates parameters is `static.nn`; the others are the same operator under its 2.0 name.
TARGET = {
    "paddle.fluid.embedding": "paddle.static.nn.embedding",
    "paddle.fluid.save": "paddle.static.save",
    "paddle.fluid.io.save": "paddle.static.save",
    "paddle.fluid.data": "paddle.static.data",
    "paddle.fluid.device_guard": "paddle.static.device_guard",
    "paddle.fluid.Scope": "paddle.static.Scope",
    "paddle.fluid.install_check.run_check": "paddle.utils.run_check",
    "paddle.fluid.unique_name.guard": "paddle.utils.unique_name.guard",
    "paddle.fluid.unique_name.generate": "paddle.utils.unique_name.generate",
    "paddle.fluid.unique_name.switch": "paddle.utils.unique_name.switch",
    "paddle.fluid.io.DataLoader.from_generator": "paddle.io.DataLoader.from_generator",
    "paddle.fluid.io.DataLoader.from_dataset": "paddle.io.DataLoader.from_dataset",
    **{
        f"paddle.fluid.incubate.data_generator.{name}": f"paddle.distributed.fleet.{name}"
        for name in ("MultiSlotDataGenerator", "MultiSlotStringDataGenerator")
    },
    D + "BatchNorm": "paddle.nn.BatchNorm",
    D + "InstanceNorm": "paddle.nn.InstanceNorm2D",
    D + "Dropout": "paddle.nn.Dropout",
    D + "declarative": "paddle.jit.to_static",
    D + "ParallelEnv": "paddle.distributed.ParallelEnv",
    D + "enabled": "paddle.in_dynamic_mode",
    L + "auc": "paddle.static.auc",
    L + "assign": "paddle.assign",
    L + "bilinear_tensor_product": "paddle.static.nn.bilinear_tensor_product",
    L + "clip": "paddle.clip",
    L + "create_global_var": "paddle.static.create_global_var",
    L + "cross_entropy": F + "cross_entropy",
    L + "elementwise_pow": "paddle.pow",
    L + "elementwise_sub": "paddle.subtract",
    L + "equal": "paddle.equal",
    L + "expand": "paddle.tile",
    L + "fill_constant": "paddle.full",
    L + "full": "paddle.full",
    L + "gather_tree": F + "gather_tree",
    L + "grid_sampler": F + "grid_sample",
    L + "has_inf": "paddle.isinf",
    L + "index_sample": "paddle.index_sample",
    L + "matmul": "paddle.matmul",
    L + "mean": "paddle.mean",
    L + "range": "paddle.arange",
    L + "reverse": "paddle.flip",
    L + "row_conv": "paddle.static.nn.row_conv",
    L + "sigmoid_cross_entropy_with_logits": F + "binary_cross_entropy_with_logits",
    L + "softmax_with_cross_entropy": F + "softmax_with_cross_entropy",
    L + "sum": "paddle.add_n",
    L + "temporal_shift": F + "temporal_shift",
    L + "uniform_random": "paddle.uniform",
    L + "where": "paddle.nonzero",
    L + "yolo_box": "paddle.vision.ops.yolo_box",
    L + "yolov3_loss": "paddle.vision.ops.yolo_loss",
    L + "image_resize": F + "interpolate",
    L + "resize_bilinear": F + "interpolate",
    L + "resize_nearest": F + "interpolate",
    L + "resize_trilinear": F + "interpolate",
    "paddle.fluid.optimizer.LambOptimizer": "paddle.optimizer.Lamb",
    D + "PiecewiseDecay": "paddle.optimizer.lr.PiecewiseDecay",
    D + "ExponentialDecay": "paddle.optimizer.lr.ExponentialDecay",
    D + "InverseTimeDecay": "paddle.optimizer.lr.InverseTimeDecay",
    **{
        L + name: "paddle.static.nn." + name
        for name in ("embedding", "fc", "conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose",
                     "prelu")
    },
    **{
        f"paddle.fluid.io.{name}": f"paddle.reader.{name}"
        for name in ("buffered", "cache", "chain", "compose", "firstn", "map_readers",
                     "multiprocess_reader", "shuffle", "xmap_readers", "ComposeNotAligned")
    },
    "paddle.fluid.io.save_vars": "paddle.static.save_vars",
    "paddle.fluid.io.load_vars": "paddle.static.load_vars",
}  # fmt: skip

# 2.0.0 has them only in fluid; later releases, and this package, under `static.nn`, unchanged.
SAME_IN_STATIC_NN = [
    "sequence_concat",
    "sequence_conv",
    "sequence_enumerate",
    "sequence_expand",
    "sequence_expand_as",
    "sequence_first_step",
    "sequence_last_step",
    "sequence_pad",
    "sequence_pool",
    "sequence_reshape",
    "sequence_reverse",
    "sequence_scatter",
    "sequence_slice",
    "sequence_softmax",
    "sequence_unpad",
]

SPECIAL = {
    D + "guard": "guard",
    D + "Conv3DTranspose": "conv3d_transpose_layer",
    D + "GroupNorm": "group_norm_layer",
    "paddle.fluid.optimizer.Adam": "adam",
    D + "Embedding": "embedding_layer",
    D + "LayerNorm": "layer_norm",
    D + "Pool2D": "pool_layer",
    D + "PRelu": "prelu_layer",
    D + "Dropout": "dropout_layer",
    D + "load_dygraph": "load_dygraph",
    D + "save_dygraph": "save_dygraph",
    D + "NoamDecay": "schedule",
    D + "PolynomialDecay": "schedule",
    D + "NaturalExpDecay": "schedule",
    D + "ExponentialDecay": "schedule",
    D + "InverseTimeDecay": "schedule",
    D + "PiecewiseDecay": "schedule",
    "paddle.fluid.initializer.MSRA": "uniform_or_normal",
    "paddle.fluid.initializer.Xavier": "uniform_or_normal",
    "paddle.fluid.io.save_inference_model": "save_inference_model",
    "paddle.fluid.io.load_inference_model": "load_inference_model",
    L + "adaptive_pool2d": "adaptive_pool",
    L + "adaptive_pool3d": "adaptive_pool",
    L + "argsort": "argsort",
    L + "crop": "crop",
    L + "data": "data",
    L + "dropout": "dropout",
    L + "embedding": "embedding",
    L + "flatten": "flatten",
    L + "gather": "gather",
    L + "has_inf": "over_all",
    L + "has_nan": "over_all",
    L + "isfinite": "over_all",
    L + "image_resize": "resize",
    L + "interpolate": "resize",
    L + "resize_bilinear": "resize",
    L + "resize_nearest": "resize",
    L + "resize_trilinear": "resize",
    L + "meshgrid": "meshgrid",
    L + "matmul": "matmul",
    L + "mul": "mul",
    L + "one_hot": "one_hot",
    L + "pad2d": "pad2d",
    L + "pool2d": "pool",
    L + "pool3d": "pool",
    L + "reshape": "reshape",
    L + "smooth_l1": "smooth_l1",
    "paddle.fluid.nets.sequence_conv_pool": "sequence_conv_pool",
    "paddle.fluid.nets.simple_img_conv_pool": "img_conv_pool",
    "paddle.fluid.nets.img_conv_group": "img_conv_group",
    "paddle.fluid.DataFeeder": "data_feeder",
    "paddle.fluid.io.PyReader": "py_reader",
    L + "cos_sim": "cos_sim",
    **{L + f"elementwise_{n}": "elementwise" for n in ("add", "sub", "mul", "div", "max", "min")},
}

_SCHEDULE = (
    "counts steps in a variable of the Program; write scheduler = {new}(...), give it to the "
    "optimizer, and call scheduler.step() after each exe.run"
)
_NOT_IN_2 = "the map names {new}, which 2.0 does not have"
STAYS = {
    L + "addcmul": _NOT_IN_2 + "; write paddle.add(input, paddle.scale(paddle.multiply(tensor1, tensor2), value))",
    L + "chunk_eval": _NOT_IN_2,
    L + "clip_by_norm": _NOT_IN_2,
    L + "mean_iou": _NOT_IN_2,
    "paddle.fluid.initializer.Bilinear": "starts with 1.8's values, which are not symmetric; {new} has the symmetric kernel",
    "paddle.fluid.optimizer.Adadelta": "takes a learning rate and does not use it; {new} does, and so makes other steps",
    L + "elementwise_mod": "the sign of the remainder is x's here and y's in {new}; write {new}(x, y) if no number is negative",
    L + "scatter": "the gradient of x keeps the rows that are overwritten; {new} has none there: write {new}(x, index, updates) if x is not trained",
    L + "Categorical": "2.0's Categorical takes weights where this takes the logarithms of them",
    L + "crop_tensor": "write paddle.crop(x, shape, offsets)",
    L + "dynamic_gru": "takes sequences with levels; {new} takes a padded batch, and other gate weights",
    L + "dynamic_lstm": "takes sequences with levels; paddle.nn.LSTM takes a padded batch",
    L + "exponential_decay": _SCHEDULE,
    L + "inverse_time_decay": _SCHEDULE,
    L + "piecewise_decay": _SCHEDULE,
    L + "natural_exp_decay": _SCHEDULE.replace("{new}", "paddle.optimizer.lr.NaturalExpDecay"),
    L + "noam_decay": _SCHEDULE.replace("{new}", "paddle.optimizer.lr.NoamDecay"),
    L + "polynomial_decay": _SCHEDULE.replace("{new}", "paddle.optimizer.lr.PolynomialDecay"),
    L + "cosine_decay": _SCHEDULE.replace("{new}", "paddle.optimizer.lr.CosineAnnealingDecay"),
    L + "linear_lr_warmup": _SCHEDULE.replace("{new}", "paddle.optimizer.lr.LinearWarmup"),
    L + "GRUCell": "makes its parameters when first called, in another layout than {new}",
    L + "RNNCell": "is no Layer; {new} is: rewrite the class",
    L + "hsigmoid": "creates its parameters; {new} takes them: create weight and bias",
    L + "lrn": "adds alpha times the sum over n where {new} takes the mean; write alpha=n * alpha",
    L + "lstm": "keeps its parameters in one piece; {new} has one for each gate matrix",
    L + "random_crop": "{new} works on images on the host, not on a Variable",
    L + "rnn": "runs a cell of 1.x; {new} is a Layer around a cell of 2.0",
    L + "sigmoid_focal_loss": "labels are class numbers here, one-hot rows in {new}, which sums",
    L + "unique": "keeps the order of first occurrence and gives the inverse; {new} sorts",
    L + "warpctc": "takes levels, and does not average; see {new}",
    L + "expand_as": "repeats x; {new} broadcasts, which is the same where the sizes of x are 1 or equal: write {new}(x, y) then",
    L + "l2_normalize": "adds epsilon under the root; paddle.nn.functional.normalize bounds the norm by it",
    L + "huber_loss": "gives one value per row; write paddle.nn.functional.smooth_l1_loss(input, label, reduction='none', delta=delta)",
    L + "While": "write paddle.static.nn.while_loop(cond, body, loop_vars)",
    L + "Switch": "write paddle.static.nn.case(pred_fn_pairs, default)",
    L + "IfElse": "write paddle.static.nn.cond, or paddle.where",
    L + "py_reader": "write paddle.io.DataLoader.from_generator(feed_list, capacity)",
    L + "create_py_reader_by_data": "write paddle.io.DataLoader.from_generator(feed_list, capacity)",
    L + "double_buffer": "paddle.io.DataLoader buffers by itself",
    L + "read_file": "paddle.io.DataLoader feeds the variables of feed_list itself",
    L + "GRUCell.call": "",
    D + "CosineDecay": "moves once in an epoch; {new} moves with each step()",
    D + "prepare_context": "write paddle.distributed.init_parallel_env(), and paddle.DataParallel(model)",
    "paddle.fluid.metrics.Accuracy": "{new} has compute, update and accumulate in place of update(value, weight) and eval",
    "paddle.fluid.metrics.Precision": "{new} has accumulate in place of eval",
    "paddle.fluid.metrics.Recall": "{new} has accumulate in place of eval",
    "paddle.fluid.dataset.InMemoryDataset": "{new} takes in init(...) what is set by methods here",
    "paddle.fluid.dataset.QueueDataset": "{new} takes in init(...) what is set by methods here",
    "paddle.fluid.clip.set_gradient_clip": "give grad_clip= to the optimizer",
    "paddle.fluid.create_lod_tensor": "2.0 has no levels; pad the sequences",
    "paddle.fluid.memory_optimize": "not needed in 2.0: delete the call",
    "paddle.fluid.release_memory": "not needed in 2.0: delete the call",
    **{
        f"paddle.fluid.io.{verb}_{what}": f"write paddle.static.{verb}(program, path_prefix); the files are laid out in another way"
        for verb in ("save", "load") for what in ("params", "persistables")
    },
}  # fmt: skip
del STAYS[L + "GRUCell.call"]

# How single arguments move where names and defaults do not say it.
MOVES: dict[str, dict[str, str]] = {
    "paddle.fluid.one_hot": {"depth": "num_classes", "allow_out_of_range": "!False"},
    L + "cumsum": {"axis": "axis:-1", "exclusive": "!None", "reverse": "!None"},
    L + "fc": {"act": "activation"},
    L + "fill_constant": {"value": "fill_value"},
    L + "kldiv_loss": {"x": "input", "target": "label"},
    L + "leaky_relu": {"alpha": "negative_slope:0.02"},
    L + "hard_shrink": {"threshold": "threshold"},
    L + "softshrink": {"alpha": "threshold"},
    L + "margin_rank_loss": {"left": "input", "right": "other", "margin": "margin:0.1"},
    L + "pow": {"factor": "y:1.0"},
    L + "sums": {"input": "inputs"},
    L + "sum": {"x": "inputs"},
    L + "assign": {"input": "x"},
    L + "reverse": {"axis": "axis"},
    L + "sigmoid_cross_entropy_with_logits": {
        "x": "logit", "ignore_index": "!-100", "normalize": "!False"},
    L + "where": {"condition": "x"},
    L + "expand": {"expand_times": "repeat_times"},
    L + "randint": {"shape": "shape", "seed": "!0", "stop_gradient": "!False"},
    L + "trace": {"dim1": "axis1", "dim2": "axis2"},
    L + "scatter_nd_add": {"ref": "x"},
    L + "log1p": {"out": "!None"},
    L + "diag": {"diagonal": "x"},
    L + "elementwise_pow": {"axis": "!-1"},
    D + "Conv2D": {"num_channels": "in_channels", "num_filters": "out_channels", "filter_size": "kernel_size"},
    D + "Conv3D": {"num_channels": "in_channels", "num_filters": "out_channels", "filter_size": "kernel_size"},
    D + "Conv2DTranspose": {"num_channels": "in_channels", "num_filters": "out_channels", "filter_size": "kernel_size"},
    D + "Conv3DTranspose": {"num_channels": "in_channels", "num_filters": "out_channels", "filter_size": "kernel_size"},
    D + "Linear": {"input_dim": "in_features", "output_dim": "out_features"},
    D + "BilinearTensorProduct": {"input1_dim": "in1_features", "input2_dim": "in2_features", "output_dim": "out_features"},
    D + "GroupNorm": {"channels": "num_channels", "groups": "num_groups", "data_layout": "data_format"},
    D + "InstanceNorm": {"num_channels": "num_features"},
    D + "to_variable": {"value": "data", "zero_copy": "-"},
    D + "declarative": {"func": "function"},
    "paddle.fluid.initializer.Normal": {"loc": "mean", "scale": "std"},
    "paddle.fluid.initializer.TruncatedNormal": {"loc": "mean", "scale": "std"},
    "paddle.fluid.regularizer.L1Decay": {"regularization_coeff": "coeff"},
    "paddle.fluid.regularizer.L2Decay": {"regularization_coeff": "coeff"},
}  # fmt: skip

# Paths that code uses and no table lists.
MORE_PATHS = {
    "paddle.fluid.CPUPlace": "paddle.fluid.core.CPUPlace",
    "paddle.fluid.CUDAPlace": "paddle.fluid.core.CUDAPlace",
    "paddle.fluid.CUDAPinnedPlace": "paddle.fluid.core.CUDAPinnedPlace",
    "paddle.fluid.is_compiled_with_cuda": "paddle.fluid.core.is_compiled_with_cuda",
    "paddle.fluid.Scope": "paddle.fluid.core.Scope",
    "paddle.fluid.optimizer.LambOptimizer": "paddle.fluid.optimizer.Lamb",
    "paddle.fluid.optimizer.RMSPropOptimizer": "paddle.fluid.optimizer.RMSProp",
    D + "ParallelEnv": "paddle.fluid.dygraph.parallel.Env,paddle.fluid.dygraph.Env",
    D + "load_dygraph": "paddle.fluid.load_dygraph",
    D + "save_dygraph": "paddle.fluid.save_dygraph",
    D + "Layer": "paddle.fluid.Layer",
}

# Constants: the same objects in 2.0.
CONSTANTS = {
    f"paddle.fluid.core.VarDesc.VarType.{old}": f"paddle.{new}"
    for old, new in {
        "BOOL": "bool", "UINT8": "uint8", "INT8": "int8", "INT16": "int16", "INT32": "int32",
        "INT64": "int64", "FP16": "float16", "FP32": "float32", "FP64": "float64",
    }.items()
}  # fmt: skip

# Keywords that the new call needs always.
ADD = {
    L + "cross_entropy": 'reduction="none", use_softmax=False',
    L + "sigmoid_cross_entropy_with_logits": 'reduction="none"',
    L + "margin_rank_loss": 'reduction="none"',
    L + "smooth_l1": 'reduction="none"',
}

NOTES = {
    D + "InstanceNorm": "for 4-D input; write InstanceNorm1D or InstanceNorm3D for other ranks",
}

RENAMES = {
    "input": "x", "dim": "axis", "dims": "axis", "axes": "axis", "keep_dim": "keepdim",
    "param_attr": "weight_attr", "parameter_list": "parameters", "regularization": "weight_decay",
    "other": "y", "data_layout": "data_format", "depth": "num_classes", "pool_size": "output_size",
    "end_learning_rate": "end_lr",
}  # fmt: skip
# Names of results, and choices of an engine, change no number.
FALLS_AWAY = {"name", "use_cudnn", "numeric_stable_mode", "force_cpu"}
# A default of None on one side stands for the other's.
SAME_DEFAULT = {
    ("groups", "None", "1"), ("deformable_groups", "None", "1"), ("im2col_step", "None", "1"),
    ("threshold", "None", "0.5"), ("alpha", "None", "0.5"), ("threshold", "None", "1.0"),
    ("axis", "None", "-1"), ("scale", "None", "1.0507009873554805"),
    ("alpha", "None", "1.6732632423543772"), ("shape", "None", "[1]"),
    ("dtype", "'float32'", "None"), ("use_global_stats", "False", "None"),
    ("dtype", "VarType.FP32", "'float32'"),
}  # fmt: skip


def read(name: str) -> list[dict[str, str]]:
    """Return the rows of a table under tests/data."""
    with open(ROOT / "tests/data" / name, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def parameters(signature: str) -> dict[str, str | None] | None:
    """Return the parameters of a signature with their defaults as text, None if it has stars."""
    text = signature.split(" [")[0] if signature.endswith("]") else signature
    text = re.sub(r"<[^<>]*>", "'...'", re.sub(r"functools\.partial\(.*?\)", "None", text))
    arguments = ast.parse(f"def f{text}: pass").body[0].args
    if arguments.vararg or arguments.kwarg:
        return None
    names = [a.arg for a in arguments.args]
    defaults: list[str | None] = [None] * (len(names) - len(arguments.defaults))
    return dict(zip(names, defaults + [ast.unparse(d) for d in arguments.defaults]))


def moves(old: str, before: dict, after: dict) -> tuple[list[str], int]:
    """Return how the arguments of `old` move, and how many leading ones keep their place."""
    special = MOVES.get(old, {})
    result: list[str] = []
    positional, in_place = 0, True
    for index, (name, default) in enumerate(before.items()):
        move = special.get(name)
        if move is None:
            if name in after and name != "name":
                move = name
            elif RENAMES.get(name) in after:
                move = RENAMES[name]
            elif name == "act":
                move = "@act"
            elif name in FALLS_AWAY:
                move = "name" if "name" in after and name == "name" else "-"
            elif default is not None:
                move = "!" + default
            else:
                raise SystemExit(f"{old}: where does the argument {name} go?")
        target = move.split(":")[0]
        if move[0] not in "-!@" and ":" not in move and default is not None:
            other = after[target]
            same = default == other or (target, default, other) in SAME_DEFAULT
            if not same:
                move = f"{move}:{default}"
            elif default == "None" != other:
                move += "?"
        names = list(after)
        in_place = in_place and target in after and names.index(target) == index
        positional += in_place
        result.append(f"{name}>{move}")
    return result, positional


def row(old: str, entry: dict, new: str, table: dict[str, dict]) -> dict[str, str]:
    """Return the row of one name."""
    aliases = ",".join([entry["aliases"], MORE_PATHS.get(old, "")])
    line = dict.fromkeys(HEADER, "")
    line.update(old=old, aliases=aliases, new=new, positional="0", message=NOTES.get(old, ""))
    before = parameters(entry["signature"]) if entry["signature"] else None
    if old in STAYS:
        return {**line, "kind": "stays", "message": STAYS[old].replace("{new}", new)}
    handler = SPECIAL.get(old, "")
    target = table.get(new)
    after = parameters(target["signature"]) if target else None
    if old.rsplit(".", 1)[1] in SAME_IN_STATIC_NN:
        after = before
    if handler:
        plain = ";".join(
            f"{name}>{name}" + (f":{default}" if default is not None else "")
            for name, default in (before or {}).items()
        )
        try:
            listed, positional = moves(old, before, after)
            text = ";".join(listed)
        except (SystemExit, KeyError, TypeError, AttributeError):
            text, positional = plain, 0
        return {**line, "kind": "special", "params": text, "positional": str(positional),
                "handler": handler, "add": ADD.get(old, "")}  # fmt: skip
    if before == after or before is None or after is None:
        if old not in ADD:
            return {**line, "kind": "rename", "params": ";".join(f"{n}>{n}" for n in before or {})}
    listed, positional = moves(old, before, after)
    only_names = all(m == f"{n}>{n}" for m, n in zip(listed, before))
    kind = "rename" if only_names and positional == len(before) and old not in ADD else "call"
    return {**line, "kind": kind, "params": ";".join(listed), "positional": str(positional),
            "add": ADD.get(old, "")}  # fmt: skip


def build() -> str:
    """Return the text of the table."""
    fluid = {r["name"]: r for r in read("fluid-1.8-api.tsv")}
    canonical = dict(fluid)
    for entry in fluid.values():
        for alias in entry["aliases"].split(","):
            canonical.setdefault(alias.strip(), entry)
    table: dict[str, dict] = {}
    for entry in read("api-2.0.tsv"):
        table[entry["name"]] = entry
    for entry in list(table.values()):
        for alias in entry["aliases"].split(","):
            table.setdefault(alias.strip(), entry)
    mapped = {r["old"]: r["new"].split(",")[0] for r in read("api-map-1x-to-2.tsv")}
    mapped.update(TARGET)
    mapped.update({L + n: "paddle.static.nn." + n for n in SAME_IN_STATIC_NN})
    rows: dict[str, dict] = {}
    for old, new in mapped.items():
        entry = canonical.get(old)
        if entry is None or old == new:
            continue
        name = entry["name"] if entry["name"].startswith("paddle.fluid") else old
        if name in rows:
            continue
        rows[name] = row(name, {**entry, "aliases": f"{entry['aliases']},{old}"}, new, table) \
            if name in mapped or name in SPECIAL else \
            row(name, {**entry, "aliases": f"{entry['aliases']},{old}"}, mapped[old], table)  # fmt: skip
    for old, new in CONSTANTS.items():
        line = dict.fromkeys(HEADER, "")
        line.update(old=old, kind="rename", new=new, positional="0")
        rows[old] = line
    for old in [*SPECIAL, *STAYS]:
        if old not in rows and old in canonical:
            rows[old] = row(old, canonical[old], "", table)
    for old, entry in fluid.items():
        known = {a for r in rows.values() for a in r["aliases"].split(",")}
        if entry["source"] == "1.8.5" and old.startswith("paddle.fluid.") and old not in rows \
                and old not in known and entry["kind"] in ("function", "class"):  # fmt: skip
            line = dict.fromkeys(HEADER, "")
            line.update(old=old, aliases=entry["aliases"], kind="stays", positional="0",
                        message="has no equal in 2.0")  # fmt: skip
            rows[old] = line
    lines = ["\t".join(HEADER)]
    for name in sorted(rows):
        entry = rows[name]
        entry["aliases"] = ",".join(dict.fromkeys(
            a.strip() for a in entry["aliases"].split(",") if a.strip() and a.strip() != name))  # fmt: skip
        lines.append("\t".join(entry[h] for h in HEADER))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the table, or compare it."""
    text = build()
    if "--check" in sys.argv:
        return int(OUT.read_text(encoding="utf-8") != text)
    OUT.write_text(text, encoding="utf-8")
    kinds = [line.split("\t")[2] for line in text.splitlines()[1:]]
    print({k: kinds.count(k) for k in sorted(set(kinds))})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
