"""Models and states saved by PaddlePaddle 2.6.2: `python models_262.py ROOT [NAME]`.

ROOT is tests/data/models, where the part of 1.8.5 is already; with NAME only cases whose name
contains it (write those elsewhere).
"""

from __future__ import annotations

import os
import sys

import models_262_layers as nets
import models_262_old
import models_262_states
import numpy as np
from corpus import base, rng, write_values
from models import Models

import paddle
from paddle.static import InputSpec

RATE, STEPS = 0.05, 3


def floats(name: str, *shape: int) -> np.ndarray:
    return rng(name).randn(*shape).astype("float32")


def integers(name: str, high: int, *shape: int) -> np.ndarray:
    return rng(name).randint(0, high, shape).astype("int64")


def flat(outputs) -> list:
    """Tensors of a pytree, in the order in which jit.save lists them."""
    if isinstance(outputs, dict):
        return [t for value in outputs.values() for t in flat(value)]
    if isinstance(outputs, (list, tuple)):
        return [t for value in outputs for t in flat(value)]
    return [outputs]


def tensors(arrays) -> list:
    return [paddle.to_tensor(a) for a in arrays]


def weighted(outputs):
    """The loss of the corpus: the sum of each float output times cos(0), cos(1), cos(2), ..."""
    total = 0.0
    for out in outputs:
        if floating(out):
            count = int(np.prod(out.shape))
            weights = np.cos(np.arange(count)).reshape(out.shape).astype("float32")
            total = total + paddle.sum(out * paddle.to_tensor(weights))
    return total


def runs_of(layer, rounds, feeds: dict, expected: dict) -> list:
    """Run a layer's methods on all inputs, and note inputs and outputs."""
    runs = []
    for i, (method, arrays) in enumerate(rounds):
        feeds.update((f"{i}/{k}", a) for k, a in enumerate(arrays))
        for k, value in enumerate(flat(getattr(layer, method)(*tensors(arrays)))):
            expected[f"{i}/{k}"] = value.numpy()
        runs.append({"method": method, "feeds": len(arrays)})
    return runs


def followed(layer, inputs) -> list:
    """Outputs of a loaded layer in training; 2.6.2 forgets to let gradients into them."""
    outputs = flat(layer(*inputs))
    for tensor in outputs:
        tensor.stop_gradient = tensor.stop_gradient and not floating(tensor)
    return outputs


def tuned(begin, arrays, expected: dict, rate=RATE) -> dict:
    """What 2.6.2 gets when a layer is trained: gradients, losses, values afterwards.

    `begin` gives the layer and its tensors by the names that they have in the file. Gradients are
    those of `weighted`; the steps of SGD minimise the sum of mean((output - 0.5)^2). Outputs of
    other dtypes than float32 take no part.
    """
    layer, members = begin()
    inputs = tensors(arrays)
    for tensor in inputs:
        tensor.stop_gradient = tensor.dtype != paddle.float32
    loss = weighted(followed(layer, inputs))
    loss.backward()
    expected["loss"] = loss.numpy()
    gradients = dict(members)
    gradients.update((str(i), tensor) for i, tensor in enumerate(inputs))
    for name, tensor in gradients.items():
        if tensor.grad is not None:
            expected["gradient/" + name] = tensor.grad.numpy()
    layer, members = begin()
    sgd = paddle.optimizer.SGD(rate, parameters=layer.parameters())
    losses = []
    for _ in range(STEPS):
        outputs = followed(layer, tensors(arrays))
        loss = sum(paddle.mean(paddle.square(t - 0.5)) for t in outputs if floating(t))
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(float(loss))
    expected["losses"] = np.array(losses, "float32")
    for name, tensor in members.items():
        expected["after/" + name] = tensor.numpy()
    return {"rate": rate, "steps": STEPS}


def begin_again(layer):
    """A function that puts a layer's values back, and gives it and its tensors by their names."""
    values = {key: value.clone() for key, value in layer.state_dict().items()}

    def begin():
        layer.set_state_dict(values)
        layer.clear_gradients()
        layer.train()
        everything = list(layer.state_dict().values()) + [b for _, b in layer.named_buffers()]
        return layer, {tensor.name: tensor for tensor in everything}

    return begin


def begin_loaded(path: str, **names):
    """The same for a layer that jit.load loads."""

    def begin():
        layer = paddle.jit.load(path, **names)
        layer.train()
        return layer, stored(layer)

    return begin


def stored(layer) -> dict:
    """Tensors of a loaded layer by the names that their variables have in the file."""
    members, found = dict(layer.state_dict()), {}
    members.update(layer.named_buffers())
    for holder in layer._program_holder_dict.values():
        for name in holder.persistable_names:
            member = members[layer._persistable_var_name_dict[name]]
            found[holder._suffix_varname_dict.get(name, name)] = member
    return found


def floating(tensor) -> bool:
    return tensor.dtype == paddle.float32


def saved(make, spec, rounds, train=0.0, alone=False, training=False, **config):
    """jit.save of a layer; `rounds` are (method, inputs).

    `train` is the rate of its training after loading; with `alone` the layer itself is trained
    instead, since what 2.6.2 has loaded loses gradients into outputs of rank 0 that are used twice.
    `training` saves it in that mode; saved in the other, batch norm keeps its statistics forever.
    """

    def fill(folder: str) -> dict:
        paddle.seed(7)
        with base.unique_name.guard():
            layer = make()
            for _ in range(2):
                layer(*tensors(rounds[0][1]))
            layer.eval()
            prefix = os.path.join(folder, "model", "net")
            options = dict(config)
            if "output_spec" in options:
                options["output_spec"] = options["output_spec"](layer, spec)
            if training:
                layer.train()
            paddle.jit.save(layer, prefix, input_spec=spec, **options)
            layer.eval()
            feeds, expected = {}, {}
            for key, value in layer.state_dict().items():
                expected["stored/" + key] = value.numpy()
                expected["name/" + key] = np.array(value.name)
        with base.unique_name.guard():
            # jit.load of 2.6.2 puts outputs of dtype bool last, so the layer itself is asked.
            # It cannot load what combine_params saved at all: that is for its C++ library.
            combined = config.get("combine_params")
            loaded = layer if combined else paddle.jit.load(prefix)
            runs = runs_of(loaded if "output_spec" in config else layer, rounds, feeds, expected)
            again = flat(loaded(*tensors(rounds[0][1])))
            again = sorted(again, key=lambda t: t.dtype == paddle.bool)
            wanted = sorted(outputs_of(expected), key=lambda a: a.dtype == bool)
            for a, b in zip(again, wanted):
                np.testing.assert_allclose(a.numpy(), b, rtol=1e-5, atol=1e-5)
            meta = {"kind": "jit", "names": {"prefix": "model/net"}, "runs": runs}
            if train:
                begin = begin_again(layer) if alone else begin_loaded(prefix)
                meta["train"] = tuned(begin, rounds[0][1], expected, train)
        write_values(folder, "feeds.npz", feeds)
        write_values(folder, "expected.npz", expected)
        return meta

    return fill


def outputs_of(expected: dict) -> list:
    """The expected outputs of the first round."""
    return [value for key, value in expected.items() if key.startswith("0/")]


def forward(*inputs) -> list:
    return [("forward", list(arrays)) for arrays in inputs]


def first_output(layer, spec):
    """output_spec: keep the first of the outputs only."""
    whole = paddle.jit.to_static(layer.forward, input_spec=spec, full_graph=True)
    return flat(whole.outputs)[:1]


def write(models: Models) -> None:
    """Write all layers."""

    def add(name, *args, **options) -> None:
        models.add(name, saved(*args, **options))

    def spec(*shape, dtype="float32", name=None):
        return InputSpec(list(shape), dtype, name)

    rows = forward([floats("rows 0", 4, 6)], [floats("rows 1", 2, 6)])
    add("dense", nets.Dense, [spec(None, 6, name="x")], rows, train=RATE)
    add("scalars", nets.Scalars, [spec(None, 6)], rows, train=0.002, alone=True)
    add("only_scalar", nets.OnlyScalar, [spec(None, 6)], rows, train=RATE)
    pictures = forward([floats("digits 0", 3, 1, 14, 14)], [floats("digits 1", 1, 1, 14, 14)])
    add("digits", nets.Digits, [spec(None, 1, 14, 14, name="image")], pictures)
    for name, mode in (("batch_norm", True), ("batch_norm_fixed", False)):
        add(name, nets.Normed, [spec(None, 6)], rows, train=RATE, training=mode)
    words = forward([integers("words 0", 20, 3, 7)], [integers("words 1", 20, 2, 7)])
    add("sentiment", nets.Sentiment, [spec(None, None, dtype="int64")], words, train=RATE)
    series = forward([floats("series 0", 3, 5, 4), np.array([5, 2, 3])],
                     [floats("series 1", 2, 5, 4), np.array([1, 4])])  # fmt: skip
    add("recurrent", nets.Recurrent, [spec(None, 5, 4), spec(None, dtype="int64")], series,
        train=RATE)  # fmt: skip
    add("simple_rnn", nets.Simple, [spec(None, 5, 4)], [(m, a[:1]) for m, a in series], train=RATE)
    tokens = forward([floats("tokens 0", 2, 5, 8)], [floats("tokens 1", 3, 5, 8)])
    add("attention", nets.Attention, [spec(None, None, 8)], tokens, train=RATE)
    add("encoder", nets.Encoder, [spec(None, 5, 8)], tokens, train=RATE)
    masked = forward([integers("mask ids", 15, 2, 6), floats("mask", 2, 1, 1, 6)])
    add("language", nets.Language, [spec(None, 6, dtype="int64"), spec(None, 1, 1, 6)], masked,
        train=RATE)  # fmt: skip
    images = forward([floats("mobile 0", 2, 3, 12, 12)], [floats("mobile 1", 1, 3, 12, 12)])
    add("mobile", nets.Mobile, [spec(None, 3, 12, 12)], images, train=RATE,
        training=True)  # fmt: skip
    add("segmentation", nets.Segmentation, [spec(None, 3, 12, 12)], images)
    boxes = [[a[0], np.array([[24, 24]] * len(a[0]), "int32")] for _, a in images]
    add("detection", nets.Detection, [spec(None, 3, 12, 12), spec(None, 2, dtype="int32")],
        forward(*boxes))  # fmt: skip
    ids = forward([integers("ids 0", 12, 3, 4)], [integers("ids 1", 12, 1, 4)])
    add("classes", nets.Classes, [spec(None, 4, dtype="int64")], ids)
    both = forward([abs(rows[0][1][0])], [-abs(rows[0][1][0])])
    add("branches", nets.Branches, [spec(None, 6)], both, train=RATE)
    add("loops", nets.Loops, [spec(None, 6), spec(1, dtype="int64")],
        forward([rows[0][1][0], np.array([4])], [rows[1][1][0], np.array([0])]))  # fmt: skip
    add("looped_training", nets.LoopedTraining, [spec(4, 6)], rows[:1], train=RATE)
    add("breaking", nets.Breaking, [spec(None, 6)], both)
    add("rows_loop", nets.RowsLoop, [spec(3, 6)], forward([floats("rl", 3, 6)]), train=RATE)
    add("nested_outputs", nets.Nested, [spec(None, 6)], rows)
    add("output_spec", nets.Nested, [spec(None, 6)], rows, output_spec=first_output)
    methods = [(m, a) for m in ("forward", "score") for _, a in rows]
    add("methods", nets.Methods, None, methods)
    add("methods_combined", nets.Methods, None, methods, combine_params=True)
    add("pruned_input", nets.Unused, [spec(None, 6, name="x")], rows)
    add("buffers", nets.Buffers, [spec(None, 6)], rows, train=RATE)
    add("no_parameters", nets.NoParameters, [spec(None, 6)], rows)
    add("indexing", nets.Indexing, [spec(4, 6)], rows[:1])
    add("dtypes", nets.Dtypes, [spec(None, 6)], rows)
    add("newer_operators", nets.Newer, [spec(None, 6)], rows)
    add("shared", nets.Shared, [spec(None, 6)], rows, train=RATE)
    add("frozen", nets.Frozen, [spec(None, 6)], rows, train=RATE)
    models_262_states.write(models)


def main(root: str, only: str = "") -> None:
    models = Models(root, only)
    write(models)
    models_262_old.write(models, begin_loaded, tuned)
    models.finish()


if __name__ == "__main__":
    main(*sys.argv[1:3])
