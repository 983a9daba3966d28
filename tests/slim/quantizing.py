"""Quantisation: of Programs, of saved models, of Layers, of embeddings."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import numpy as np

from tests.slim.stories import CLASSES, SIDE, dynamic_net, pictures, right, static_net, story, train

FAKE = ("fake_quantize", "fake_channel_wise", "fake_dequantize")


def _kinds(program) -> list[str]:
    return [op.type for op in program.global_block().ops]


@story("quant.quant_aware", "quant.convert", static=True)
def training_that_knows_of_int8() -> None:
    from paddleslim.quant import convert, quant_aware

    import paddle

    net = static_net(optimizer=False, steps=0)
    test = net.main.clone(for_test=True)
    paddle.optimizer.Momentum(0.1, 0.9).minimize(net.loss)
    net.exe.run(net.startup)
    for step in range(20):
        net.step(seed=step)
    before = net.right(test)
    place = paddle.CPUPlace()
    test = quant_aware(test, place, for_test=True)
    main = quant_aware(net.main, place, for_test=False)
    kinds = _kinds(test)
    assert sum(k.startswith("fake_channel_wise") for k in kinds) >= 3
    assert sum("moving_average_abs_max" in k for k in kinds) >= 3
    losses = [net.step(main, seed) for seed in range(30)]
    assert losses[-1] < 0.3
    after = net.right(test)
    assert after >= before - 0.05 and after > 0.9
    frozen, int8 = convert(test, place, save_int8=True)
    assert net.right(frozen) >= after - 0.05
    names = [p.name for p in int8.global_block().all_parameters()]
    stored = {n: paddle.static.global_scope().find_var(n).get_tensor() for n in
              {v.name for v in int8.list_vars() if v.persistable and "int8" in v.name}}  # fmt: skip
    assert len(stored) >= 3 and {str(np.array(t).dtype) for t in stored.values()} == {"int8"}
    assert names is not None


@story("quant.quant_aware", "quant.convert", static=True)
def all_that_can_be_quantised() -> None:
    from paddleslim.quant import convert, quant_aware

    import paddle

    net = static_net(steps=10)
    config = {
        "weight_quantize_type": "abs_max", "activation_quantize_type": "moving_average_abs_max",
        "quantize_op_types": ["conv2d", "mul", "pool2d", "elementwise_add"],
        "not_quant_pattern": ["skip"],
    }  # fmt: skip
    test = quant_aware(net.test, paddle.CPUPlace(), config, for_test=True)
    main = quant_aware(net.main, paddle.CPUPlace(), config, return_program=True)
    assert isinstance(main, paddle.static.Program)
    assert sum(k.startswith("fake_quantize_dequantize") for k in _kinds(main)) >= 2
    for step in range(15):
        net.step(main, step)
    frozen = convert(test, paddle.CPUPlace(), config)
    assert net.right(frozen) > 0.9
    frozen_kinds = _kinds(frozen)
    assert any(k.startswith("fake_") for k in frozen_kinds)


@story("quant.quant_aware", static=True)
def pact_by_functions() -> None:
    """A function clips what goes into layers before it is quantised; its bound is trained."""
    from paddleslim.quant import convert, quant_aware

    import paddle

    net = static_net(optimizer=False)
    test = net.main.clone(for_test=True)

    def pact(x):
        bound = paddle.static.create_parameter(
            [1], "float32", name=x.name.split(".")[0] + "_pact",
            default_initializer=paddle.nn.initializer.Constant(20.0),
        )  # fmt: skip
        above = paddle.nn.functional.relu(x - bound)
        below = paddle.nn.functional.relu(-bound - x)
        return x - above + below

    def optimizer():
        return paddle.optimizer.Momentum(0.1)

    paddle.optimizer.Momentum(0.1, 0.9).minimize(net.loss)
    net.exe.run(net.startup)
    place = paddle.CPUPlace()
    test = quant_aware(
        test, place, act_preprocess_func=pact, optimizer_func=optimizer, executor=net.exe,
        for_test=True,
    )  # fmt: skip
    main = quant_aware(
        net.main, place, act_preprocess_func=pact, optimizer_func=optimizer, executor=net.exe
    )
    losses = [net.step(main, seed) for seed in range(25)]
    assert losses[-1] < 0.5 * losses[0]
    assert net.right(convert(test, place)) > 0.9


def _saved_model() -> tuple:
    import paddle

    net = static_net(steps=25)
    block = net.test.global_block()
    paddle.fluid.io.save_inference_model(
        "float", ["image"], [block.var(net.logits.name)], net.exe, net.test,
        model_filename="__model__", params_filename="__params__",
    )  # fmt: skip
    return net, _answers(net.exe, "float")


def _answers(exe, folder: str, model: str | None = "__model__", params: str | None = "__params__"):
    import paddle

    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.fluid.io.load_inference_model(folder, exe, model, params)
        image, label = pictures(64, seed=99)
        found = exe.run(program, {feeds[0]: image}, fetches)[0]
        return program, found, float((found.argmax(-1) == label[:, 0]).mean())


def _samples(count: int = 32):
    def reader():
        for picture in pictures(count, seed=7)[0]:
            yield (picture,)

    return reader


@story("quant.quant_post_static", "quant.quant_post", static=True)
def a_saved_model_is_calibrated() -> None:
    from paddleslim.quant import quant_post, quant_post_static

    net, (_, outs, before) = _saved_model()
    assert quant_post is quant_post_static or callable(quant_post)
    for algo in ("hist", "KL", "abs_max", "avg", "mse"):
        quant_post_static(
            net.exe, "float", f"int8_{algo}", sample_generator=_samples(), batch_size=8,
            batch_nums=4, model_filename="__model__", params_filename="__params__", algo=algo,
        )  # fmt: skip
        program, found, after = _answers(net.exe, f"int8_{algo}")
        assert any(k.startswith("fake_") or k.startswith("quantize_") for k in _kinds(program))
        assert after >= before - 0.05, (algo, before, after)
        assert 0 < np.abs(found - outs).mean() < 0.3 * np.abs(outs).mean(), algo


@story("quant.quant_post_dynamic", "quant.quant_post_only_weight", static=True)
def weights_of_a_saved_model_become_int8() -> None:
    from paddleslim.quant import quant_post_dynamic, quant_post_only_weight

    net, (_, outs, before) = _saved_model()
    assert quant_post_only_weight is quant_post_dynamic
    for bits in (8, 16):
        quant_post_dynamic(
            "float", f"small{bits}", model_filename="__model__", params_filename="__params__",
            save_model_filename="__model__", save_params_filename="__params__",
            weight_bits=bits, generate_test_model=True,
        )  # fmt: skip
        folder = Path(f"small{bits}")
        made = folder / "quantized_model" if (folder / "quantized_model").is_dir() else folder
        small, large = (made / "__params__").stat().st_size, Path("float/__params__").stat().st_size
        assert small < (0.75 if bits == 16 else 0.55) * large, (bits, small, large)
        program, found, after = _answers(net.exe, str(folder / "test_model"))
        assert after >= before - 0.05
        far = np.abs(found - outs).max() / np.abs(outs).max()
        assert far < (0.05 if bits == 8 else 1e-3), (bits, far)
        assert program is not None


@story("quant.quant_embedding", static=True)
def an_embedding_becomes_int8() -> None:
    from paddleslim.quant import quant_embedding

    import paddle
    from paddle import static

    words = static.data("words", [None, 3], "int64")
    kind, stored = "lookup_table_v2", "table.int"
    if kind in sys.modules[quant_embedding.__module__].SUPPORT_OP_TYPES:
        make, ids_of = paddle.fluid.embedding, words
    else:  # 2.1.1 knows the operator of 1.x alone, whose ids have another dimension
        kind, stored = "lookup_table", "table.int8"
        make, ids_of = paddle.fluid.layers.embedding, words.unsqueeze(2)
    made = make(ids_of, [50, 8], param_attr=paddle.ParamAttr(name="table"))
    out = paddle.sum(made, 1)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    main = static.default_main_program().clone(for_test=True)
    ids = np.random.RandomState(0).randint(0, 50, [5, 3])
    expected = exe.run(main, {"words": ids}, [out.name])[0]
    table = np.array(static.global_scope().find_var("table").get_tensor())
    program = quant_embedding(main, paddle.CPUPlace(), {"quantize_op_types": [kind]})
    found = exe.run(program, {"words": ids}, [out.name])[0]
    step = np.abs(table).max() / 127
    assert 0 < np.abs(found - expected).max() <= 3 * step
    assert not program.global_block().has_var("table")
    assert program.global_block().var(stored).persistable
    int8 = np.array(static.global_scope().find_var(stored).get_tensor())
    assert int8.dtype == np.int8 and int8.shape == (50, 8)
    np.testing.assert_allclose(int8 * step, table, atol=step * 0.51)


def _trained():
    import paddle

    net = dynamic_net()
    train(net, paddle.optimizer.Momentum(0.05, parameters=net.parameters()), 25)
    assert right(net) > 0.9
    return net


def _loaded(path: str) -> float:
    import paddle

    paddle.enable_static()
    exe = paddle.static.Executor()
    folder, _, name = path.rpartition("/")
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(
            path, exe, model_filename=None, params_filename=None
        ) if not folder else paddle.static.load_inference_model(path, exe)  # fmt: skip
        image, label = pictures(64, seed=99)
        found = exe.run(program, {feeds[0]: image}, fetches)[0]
    paddle.disable_static()
    assert found.shape == (64, CLASSES) and name
    return float((found.argmax(-1) == label[:, 0]).mean())


def _qat(config: dict) -> None:
    from paddleslim.dygraph.quant import QAT

    import paddle

    net = _trained()
    qat = QAT(config=config)
    if "inplace" in inspect.signature(qat.quantize).parameters:
        made = qat.quantize(net, inplace=False)
    else:  # 2.1.1 quantises what it is given
        qat.quantize(net)
        made = net
    kinds = {type(layer).__name__ for layer in made.sublayers()}
    assert any("Quantized" in kind and "Conv2D" in kind for kind in kinds), kinds
    losses = train(made, paddle.optimizer.Momentum(0.02, parameters=made.parameters()), 15)
    assert losses[-1] < 0.3
    assert right(made) > 0.9
    made.eval()
    spec = [paddle.static.InputSpec([None, 3, SIDE, SIDE], "float32", "image")]
    qat.save_quantized_model(made, "qat/net", spec)
    assert _loaded("qat/net") > 0.9


@story("dygraph.QAT", "QAT")
def a_layer_trains_with_int8() -> None:
    assert "QAT"
    _qat({"weight_quantize_type": "channel_wise_abs_max"})


@story("dygraph.QAT")
def a_layer_trains_with_pact() -> None:
    assert "QAT"
    _qat({"activation_preprocess_type": "PACT", "weight_quantize_type": "abs_max"})


@story("dygraph.PTQ", "PTQ", "dygraph.AbsmaxQuantizer", "AbsmaxQuantizer", "dygraph.HistQuantizer",
       "HistQuantizer", "dygraph.KLQuantizer", "KLQuantizer", "dygraph.PerChannelAbsmaxQuantizer",
       "PerChannelAbsmaxQuantizer", not_before="2.2.0")  # fmt: skip
def a_layer_is_calibrated() -> None:
    from paddleslim.dygraph.quant import PTQ

    import paddle

    net = _trained()
    spec = [paddle.static.InputSpec([None, 3, SIDE, SIDE], "float32", "image")]
    weights = "PerChannelAbsmaxQuantizer"
    for kind in ("AbsmaxQuantizer", "HistQuantizer", "KLQuantizer"):
        for fuse in (False, True):
            net.eval()
            ptq = PTQ(activation_quantizer=kind, weight_quantizer=weights)
            made = ptq.quantize(net, inplace=False, fuse=fuse)
            for step in range(3):
                made(paddle.to_tensor(pictures(seed=step)[0]))
            path = f"ptq_{kind}_{fuse}/net"
            ptq.save_quantized_model(made, path, spec)
            assert _loaded(path) > 0.9, (kind, fuse)
