"""What append_backward and gradients of PaddlePaddle 2.6.2 add to small forward Programs.

A case holds forward.pb and backward.pb, the list of added operators (grads.json, to compare
structures) and the gradients computed (expected.npz).
"""

from __future__ import annotations

import numpy as np
from corpus import (
    RELEASE,
    Corpus,
    base,
    build_programs,
    rng,
    stored_values,
    write_json,
    write_program,
    write_values,
)

import paddle
import paddle.nn.functional as F
from paddle import static


def operators(program, skip: int = 0) -> list:
    """Blocks of a program as plain data; the first `skip` operators of block 0 are left out."""
    blocks = []
    for block in program.blocks:
        listed = block.ops[skip:] if block.idx == 0 else block.ops
        blocks.append(
            {
                "parent": block.parent_idx,
                "forward_block": block.forward_block_idx,
                "ops": [operator_form(op) for op in listed],
            }
        )
    return blocks


def operator_form(op) -> dict:
    form = {
        "type": op.type,
        "inputs": {slot: op.input(slot) for slot in op.input_names},
        "outputs": {slot: op.output(slot) for slot in op.output_names},
        "op_role": op.attr("op_role"),
    }
    if op.has_attr("op_role_var") and op.attr("op_role_var"):
        form["op_role_var"] = op.attr("op_role_var")
    return form


class Asked:
    """What a builder of this file returns: the feeds, and how to differentiate."""

    def __init__(self, feeds, loss, **options):
        self.feeds, self.loss, self.options = feeds, loss, options
        self.targets = None


def x_of(name: str, stop: bool = True):
    x = static.data("x", [3, 4])
    x.stop_gradient = stop
    return {"x": rng(name).randn(3, 4).astype("float32")}, x


def chain():
    feeds, x = x_of("chain")
    return Asked(feeds, paddle.mean(static.nn.fc(static.nn.fc(x, 5, activation="relu"), 2)))


def shared_input():
    """One value used three times: its gradients are summed."""
    feeds, x = x_of("shared_input", False)
    w = static.create_parameter([4, 4], "float32", name="w")
    y = paddle.matmul(x, w)
    z = paddle.tanh(y) + y * y
    return Asked(feeds, paddle.sum(paddle.matmul(z, w)))


def same_input_twice():
    feeds, x = x_of("same_input_twice", False)
    return Asked(feeds, paddle.mean(paddle.multiply(x, x) + paddle.concat([x, x], 0)[0:3]))


def stopped_branch():
    feeds, x = x_of("stopped_branch")
    a, b = static.nn.fc(x, 4), static.nn.fc(x, 4)
    b.stop_gradient = True
    return Asked(feeds, paddle.mean(a * b + static.nn.fc(x, 4).detach()))


def no_grad_set():
    feeds, x = x_of("no_grad_set", False)
    w = static.create_parameter([4, 4], "float32", name="w")
    v = static.create_parameter([4, 4], "float32", name="v")
    y = paddle.matmul(paddle.matmul(x, w), v)
    return Asked(feeds, paddle.mean(y), no_grad_set={"w"})


def parameter_list():
    feeds, x = x_of("parameter_list")
    w = static.create_parameter([4, 4], "float32", name="w")
    v = static.create_parameter([4, 4], "float32", name="v")
    y = paddle.matmul(paddle.matmul(x, w), v)
    return Asked(feeds, paddle.mean(y), parameter_list=["v"])


def unused_output():
    """Only one output of a split is used; the gradient of the other is filled with zeros."""
    feeds, x = x_of("unused_output", False)
    a, _b = paddle.split(x, 2, axis=1)
    values, _ = paddle.topk(x, 2, axis=1)
    return Asked(feeds, paddle.mean(paddle.square(a)) + paddle.sum(values))


def classified():
    feeds, x = x_of("classified")
    feeds["label"] = np.array([[1], [0], [2]], "int64")
    label = static.data("label", [3, 1], "int64")
    hidden = static.nn.batch_norm(static.nn.fc(x, 5))
    logits = static.nn.fc(F.dropout(hidden, 0.0), 3)
    return Asked(feeds, paddle.mean(F.cross_entropy(logits, label)))


def embedded():
    ids = static.data("ids", [4, 2], "int64")
    out = static.nn.embedding(ids, [6, 3], is_sparse=False)
    feeds = {"ids": np.array([[1, 2], [2, 2], [0, 5], [3, 1]], "int64")}
    return Asked(feeds, paddle.mean(paddle.square(out)))


def conditional():
    feeds, x = x_of("conditional")
    w = static.create_parameter([4, 4], "float32", name="w")
    y = static.nn.fc(x, 4)
    z = static.nn.cond(paddle.sum(y) > -1000.0, lambda: paddle.matmul(y, w), lambda: paddle.tanh(y))
    return Asked(feeds, paddle.mean(z * y))


def looped():
    feeds, x = x_of("looped")
    start = static.nn.fc(x, 4)
    w = static.create_parameter([4, 4], "float32", name="w")
    i, n = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
    _, y = static.nn.while_loop(
        lambda i, y: i < n, lambda i, y: [i + 1, paddle.tanh(paddle.matmul(y, w))], [i, start]
    )
    return Asked(feeds, paddle.mean(y))


def recomputed():
    feeds, x = x_of("recomputed")
    first = static.nn.fc(x, 5, activation="relu")
    second = static.nn.fc(first, 5, activation="tanh")
    third = static.nn.fc(second, 5, activation="sigmoid")
    return Asked(feeds, paddle.mean(third), checkpoints=[first, second])


def by_inputs():
    """static.gradients of two targets with one given output gradient."""
    feeds, x = x_of("by_inputs", False)
    y = paddle.tanh(x)
    a, b = y * y, paddle.sum(x * y, axis=1)
    asked = Asked(feeds, None)
    asked.targets = ([a, b], [x, y], [None, paddle.full([3], 2.0)])
    return asked


def twice():
    """A gradient of a gradient."""
    feeds, x = x_of("twice", False)
    y = paddle.sum(paddle.tanh(x) * x * x)
    asked = Asked(feeds, None)
    asked.targets = (static.gradients([y], [x]), [x], None)
    return asked


def differentiate(asked) -> list:
    """Append the gradients; pairs (of what, gradient name)."""
    if asked.targets is None:
        pairs = static.append_backward(asked.loss, **asked.options)
        if "checkpoints" in asked.options:  # here 2.6.2 returns more than the documented list
            pairs = pairs[0]
        named = [[p.name, g.name] for p, g in pairs]
        block = asked.loss.block
        return named + [[n, n + "@GRAD"] for n in asked.feeds if block.has_var(n + "@GRAD")]
    targets, inputs, given = asked.targets
    found = static.gradients(targets, inputs, given)
    return [[v.name, g.name] for v, g in zip(inputs, found) if g is not None]


def case(corpus: Corpus, build) -> None:
    name = "grads_" + build.__name__
    if not corpus.wants(name):
        return
    main, startup, asked = build_programs(build)
    forward = main.clone()
    count = len(main.global_block().ops)
    with static.program_guard(main, startup):
        pairs = differentiate(asked)
    scope = base.core.Scope()
    executor = static.Executor(base.CPUPlace())
    with static.scope_guard(scope):
        executor.run(startup)
        before = stored_values(main, scope)
        fetched = executor.run(main, feed=asked.feeds, fetch_list=[g for _, g in pairs])
    meta = {
        "release": RELEASE,
        "kind": "backward",
        "feeds": list(asked.feeds),
        "fetches": [g for _, g in pairs],
        "pairs": pairs,
        "loss": asked.loss.name if asked.loss is not None else None,
    }
    for option, value in asked.options.items():
        meta[option] = sorted(v if isinstance(v, str) else v.name for v in value)
    if asked.targets is not None:
        targets, inputs, given = asked.targets
        meta["targets"] = [v.name for v in targets]
        meta["inputs"] = [v.name for v in inputs]
        meta["target_gradients"] = [v.name if v is not None else None for v in given or []]

    def fill(folder: str) -> None:
        write_program(folder, "forward.pb", forward)
        write_program(folder, "main.pb", main)
        write_program(folder, "startup.pb", startup)
        write_json(folder, "grads.json", operators(main, count))
        write_values(folder, "feeds.npz", asked.feeds)
        write_values(folder, "params.npz", before)
        write_values(folder, "expected.npz", {f"fetch_{i}": v for i, v in enumerate(fetched)})
        write_json(folder, "meta.json", meta)

    corpus.pack(name, fill)


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    for build in (
        chain,
        shared_input,
        same_input_twice,
        stopped_branch,
        no_grad_set,
        parameter_list,
        unused_output,
        classified,
        embedded,
        conditional,
        looped,
        recomputed,
        by_inputs,
        twice,
    ):
        case(corpus, build)
