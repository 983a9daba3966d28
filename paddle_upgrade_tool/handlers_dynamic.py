"""Handlers of dynamic mode, of training and of files: layers, schedules, saving and loading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from .calls import CallEdit, Stays, call, code, literal
from .handlers import handler

if TYPE_CHECKING:
    from .places import Place


# --------------------------------------------------------- dynamic layers
@handler
def embedding_layer(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`size` is a pair in 1.x."""
    if edit.literal("dtype", "float32") != "float32":
        raise Stays("2.0's Embedding takes the default dtype: call paddle.set_default_dtype")
    for name in ("is_distributed", "dtype"):
        edit.drop(name)
    size = edit.get("size")
    if size is None:
        raise Stays("has no size")
    for name in list(edit.names):
        if name != "size":
            new = {"is_sparse": "sparse", "param_attr": "weight_attr"}.get(name, name)
            edit.rename(name, new)
    i = edit.names.index("size")
    if i:
        raise Stays("write size first")
    arg = edit.args[0]
    if isinstance(size, (cst.List, cst.Tuple)) and len(size.elements) == 2:
        pair = [e.value for e in size.elements]
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        new_args = [cst.Arg(pair[0], comma=comma), cst.Arg(pair[1], comma=arg.comma,
                    whitespace_after_arg=arg.whitespace_after_arg)]  # fmt: skip
    else:
        new_args = [arg.with_changes(star="*", keyword=None, equal=cst.MaybeSentinel.DEFAULT)]
    edit.args[0:1] = new_args
    return edit.build("paddle.nn.Embedding")


@handler
def layer_norm(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`scale=False` is `weight_attr=False` in 2.0."""
    scale, shift = edit.literal("scale", True), edit.literal("shift", True)
    for name in ("scale", "shift"):
        edit.drop(name)
    if not scale:
        edit.drop("param_attr")
    if not shift:
        edit.drop("bias_attr")
    edit.move()
    if not scale:
        edit.add("weight_attr", "False")
    if not shift:
        edit.add("bias_attr", "False")
    return place.with_activation(edit, "paddle.nn.LayerNorm")


@handler
def prelu_layer(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x starts with 1, 2.0 with 0.25; the mode is the number of parameters."""
    mode = edit.literal("mode")
    if mode not in ("all", "channel") or edit.literal("dtype", "float32") != "float32":
        raise Stays("2.0's PReLU has one slope, or one for each channel")
    channel = edit.get("channel")
    attr = edit.get("param_attr")
    arguments: list = []
    if mode == "channel":
        if channel is None:
            raise Stays("has no channel")
        arguments.append(f"num_parameters={code(channel)}")
    arguments.append("init=1.0")
    if attr is not None:
        arguments.append(f"weight_attr={code(attr)}")
    return call("paddle.nn.PReLU", *arguments)


@handler
def dropout_layer(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x scales by 1 - p in the test."""
    mode = edit.literal("dropout_implementation", "downgrade_in_infer")
    edit.drop("dropout_implementation")
    edit.move()
    if mode == "downgrade_in_infer":
        edit.add("mode", '"downscale_in_infer"')
    return edit.build("paddle.nn.Dropout")


@handler
def uniform_or_normal(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`uniform` chooses the class in 2.0."""
    uniform = edit.literal("uniform", True)
    edit.drop("uniform")
    kind = "Kaiming" if "MSRA" in edit.rule.old else "Xavier"
    for name in list(edit.names):
        if name.startswith("fan"):
            edit.rename(name, name)
    edit.move()
    return edit.build(f"paddle.nn.initializer.{kind}{'Uniform' if uniform else 'Normal'}")


@handler
def conv3d_transpose_layer(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.8 makes a bias, and does not add it."""
    if edit.literal("bias_attr", None) is not False:
        raise Stays("1.8 does not add the bias; write bias_attr=False for the same numbers")
    edit.move()
    return place.with_activation(edit, "paddle.nn.Conv3DTranspose")


@handler
def group_norm_layer(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.8 has a scale and a shift only where it is told their attributes."""
    for name in ("param_attr", "bias_attr"):
        value = edit.get(name)
        if value is not None and literal(value) in (None, False):
            edit.drop(name)
    given = [name for name in ("param_attr", "bias_attr") if name in edit.names]
    edit.move()
    for name, new in (("param_attr", "weight_attr"), ("bias_attr", "bias_attr")):
        if name not in given:
            edit.add(new, "False")
    return place.with_activation(edit, "paddle.nn.GroupNorm")


# ------------------------------------------------------------- optimizers
_EPSILON = (
    "2.0 corrects epsilon as it does the root of the second moment: steps differ for gradients "
    "below about a thousand times epsilon"
)


@handler
def adam(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.8 adds epsilon to the corrected root, 2.0 corrects it too."""
    epsilon = edit.literal("epsilon", 1e-8)
    if not isinstance(epsilon, float) or epsilon > 1e-8:
        raise Stays(f"epsilon={epsilon}: {edit.rule.new} scales it by the root of 1 - beta2**t")
    edit.move()
    place.note(_EPSILON)
    return edit.build("paddle.optimizer.Adam")


# -------------------------------------------------------------- schedules
@handler
def schedule(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """A schedule of 1.x counts the optimizer's steps; in 2.0 it is stepped by hand.

    It is converted where the tool saw the optimizer's step, and could write `scheduler.step()`.
    """
    name = edit.rule.old.rpartition(".")[2]
    new = edit.rule.new
    if not place.steps:
        raise Stays(
            f"is counted by the optimizer; write scheduler = {new}(...), and scheduler.step() "
            "after each step of the optimizer"
        )
    if edit.literal("step", 1) != 1 or edit.literal("dtype", "float32") != "float32":
        raise Stays("step other than 1: call scheduler.step() as often")
    begin = edit.literal("begin", 1 if name == "NoamDecay" else 0)
    if begin != (1 if name == "NoamDecay" else 0):
        raise Stays(f"begin={begin}: give last_epoch")
    if edit.get("staircase") is not None and edit.literal("staircase"):
        raise Stays("staircase: write paddle.optimizer.lr.StepDecay")
    for param in ("begin", "step", "dtype", "staircase"):
        edit.drop(param)
    steps, rate = edit.get("decay_steps"), edit.get("decay_rate")
    if name in ("NaturalExpDecay", "ExponentialDecay", "InverseTimeDecay"):
        if steps is None or rate is None:
            raise Stays("has no decay_steps and decay_rate")
        power = name == "ExponentialDecay"
        one = _grouped(steps)
        gamma = (
            f"{_grouped(rate)} ** (1.0 / {one})"
            if power
            else f"{_grouped(rate)} / float({code(steps)})"
        )
        edit.drop("decay_steps")
        edit.drop("decay_rate")
        edit.add("gamma", gamma)
    elif name == "NoamDecay":
        for param in list(edit.names):
            if edit.args[edit.names.index(param)].keyword is None and param == "learning_rate":
                edit.rename(param, param)
        edit.add("last_epoch", "0")
    elif name == "PolynomialDecay":
        for param, move in edit.rule.moves.items():
            if param in edit.names[2:]:
                edit.rename(param, move.new)
    return edit.build(new)


def _grouped(node: cst.BaseExpression) -> str:
    text = code(node)
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"


# ------------------------------------------------------- saving and loading
@handler
def save_dygraph(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x chooses the suffix by what it is given."""
    state, path = edit.get("state_dict"), edit.get("model_path")
    if state is None or path is None:
        raise Stays("has no state_dict or model_path")
    kind = place.state_of(state)
    if not kind:
        raise Stays(
            "whose state this is cannot be seen; write paddle.save(state, path + '.pdparams') "
            "or '.pdopt'"
        )
    edit.set("model_path", _suffixed(path, kind))
    for name, new in (("state_dict", "obj"), ("model_path", "path")):
        if edit.args[edit.names.index(name)].keyword is not None:
            edit.rename(name, new)
    return edit.build("paddle.save")


def _suffixed(path: cst.BaseExpression, suffix: str) -> cst.BaseExpression:
    value = literal(path)
    if isinstance(path, cst.SimpleString) and isinstance(value, str):
        if value.endswith(suffix):
            return path
        for other in (".pdparams", ".pdopt"):
            if value.endswith(other):
                raise Stays(f"the path ends in {other}; write paddle.save or paddle.load")
        text, quote = path.value, path.quote
        return path.with_changes(value=text[: -len(quote)] + suffix + quote)
    simple = isinstance(path, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or path.lpar
    left = path if simple else path.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.BinaryOperation(left, cst.Add(), cst.SimpleString(f'"{suffix}"'))


@handler
def load_dygraph(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x gives a pair: the parameters, and the optimizer's state or None."""
    path = edit.get("model_path")
    if path is None or edit.get("keep_name_table") is not None:
        raise Stays("write paddle.load(path + '.pdparams')")
    wanted = place.unpacked()
    if wanted is None:
        raise Stays(
            "gives a pair; write paddle.load(path + '.pdparams') and paddle.load(path + '.pdopt')"
        )
    if wanted == (True, True):
        raise Stays(
            "the second is None where there is no file; write paddle.load(path + '.pdparams'), "
            "and paddle.load(path + '.pdopt') where that exists"
        )
    place.note("a path that ends in a suffix already, or a folder, has to be given without")
    suffix = ".pdparams" if wanted[0] else ".pdopt"
    found = call("paddle.load", _suffixed(path, suffix))
    nothing = cst.Name("None")
    pair = [found, nothing] if wanted[0] else [nothing, found]
    space = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return cst.Tuple([cst.Element(pair[0], space), cst.Element(pair[1])], lpar=[], rpar=[])


@handler
def save_inference_model(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """2.0 takes Variables in place of names, and a prefix in place of a folder."""
    dirname = edit.get("dirname")
    if dirname is None or code(dirname) not in place.inference_pairs:
        raise Stays(
            "the files get other names; write paddle.static.save_inference_model(path_prefix, "
            "feed_vars, fetch_vars, exe), and load_inference_model of that prefix"
        )
    names = edit.literal("feeded_var_names")
    if any(edit.get(n) is not None for n in ("model_filename", "params_filename",
                                             "export_for_deployment", "program_only")):  # fmt: skip
        raise Stays("file names and options: 2.0 writes PREFIX.pdmodel and PREFIX.pdiparams")
    if isinstance(names, str):
        names = [names]
    program = edit.get("main_program")
    owner = code(program) if program is not None and literal(program) is not None else ""
    block = f"{owner or 'paddle.static.default_main_program()'}.global_block()"
    known = [place.variable_called(name) for name in names]
    feeds = known if all(known) else [f"{block}.var({name!r})" for name in names]
    feeds = [f.replace("'", '"') for f in feeds]
    edit.set("feeded_var_names", f"[{', '.join(feeds)}]")
    for old, new in (("dirname", "path_prefix"), ("feeded_var_names", "feed_vars"),
                     ("target_vars", "fetch_vars"), ("main_program", "program")):  # fmt: skip
        if old in edit.names and (
            edit.args[edit.names.index(old)].keyword is not None or old == "main_program"
        ):
            edit.rename(old, new)
    return edit.build("paddle.static.save_inference_model")


@handler
def load_inference_model(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """Only what this file saved as well is known to be in the new form."""
    dirname = edit.get("dirname")
    if dirname is None or code(dirname) not in place.inference_pairs or len(edit.names) > 2:
        raise Stays(
            "reads a folder that 1.x wrote; paddle.static.load_inference_model reads "
            "PREFIX.pdmodel: save the model anew"
        )
    if edit.args[0].keyword is not None:
        edit.rename("dirname", "path_prefix")
    return edit.build("paddle.static.load_inference_model")
