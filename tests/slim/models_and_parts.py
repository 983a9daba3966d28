"""The models that come along, graphs, and the small parts of paddleslim.common."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.slim.stories import CLASSES, SIDE, dynamic_net, pictures, static_net, story


@story("models.image_classification", static=True)
def a_model_by_its_name_learns() -> None:
    from paddleslim.models import image_classification

    exe, train, test, (image, label), names = image_classification("MobileNet", [3, 32, 32], 4)
    random = np.random.RandomState(0)
    shown = random.rand(8, 3, 32, 32).astype("float32")
    feed = {image.name: shown, label.name: random.randint(0, 4, [8, 1])}
    losses = [float(np.asarray(exe.run(train, feed, [names[2]])[0]).reshape(-1)[0])
              for _ in range(8)]  # fmt: skip
    assert min(losses[3:]) < losses[0]
    out = exe.run(test, feed, [names[3]])[0]
    assert out.shape == (8, 4)


@story("models.MobileNet", "models.ResNet", "models.ResNet34", "models.ResNet50", static=True)
def classes_of_models() -> None:
    import paddle
    from paddleslim import models

    sizes = {}
    for name in ("MobileNet", "ResNet34", "ResNet50"):
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
            made = getattr(models, name)()
            out = made.net(paddle.static.data("x", [None, 3, 32, 32]), class_dim=10)
            assert tuple(out.shape)[-1] == 10
        sizes[name] = sum(int(np.prod(p.shape)) for p in main.all_parameters())
    assert models.ResNet
    assert sizes["MobileNet"] < sizes["ResNet34"] < sizes["ResNet50"] < 26e6


@story("models.SlimMobileNet_v1", "models.SlimFaceNet_A_x0_60", static=True)
def models_found_by_search() -> None:
    import paddle
    from paddleslim.models import SlimFaceNet_A_x0_60, SlimMobileNet_v1

    x = paddle.static.data("x", [2, 3, 112, 96])
    label = paddle.static.data("label", [2, 1], "int64")
    out = SlimMobileNet_v1(None).net(x, class_dim=7)  # it has tokens of its own
    assert tuple(out.shape) == (2, 7)
    face = SlimFaceNet_A_x0_60(class_dim=7)
    found = face.net(x, label) if hasattr(face, "net") else face(x, label)
    found = found if isinstance(found, (list, tuple)) else [found]
    assert all(v.shape[0] in (2, 1) for v in found)


@story("core.GraphWrapper", "core.VarWrapper", "core.OpWrapper", static=True)
def a_program_as_a_graph() -> None:
    from paddleslim.core import GraphWrapper, OpWrapper, VarWrapper

    net = static_net()
    graph = GraphWrapper(
        net.main, in_nodes=[("image", "image")], out_nodes=[("loss", net.loss.name)]
    )
    parameters = graph.all_parameters()
    assert all(isinstance(p, VarWrapper) and p.is_parameter() for p in parameters)
    names = {p.name(): p for p in parameters}
    conv = names["conv1_weights"].outputs()[0]
    assert isinstance(conv, OpWrapper) and conv.type() == "conv2d" and conv.idx() == 0
    assert conv.attr("strides") == [1, 1] and conv.attr("nothing") is None
    assert [op.type() for op in graph.next_ops(conv)][:1] == ["batch_norm"]
    assert conv in graph.pre_ops(graph.next_ops(conv)[0])
    assert names["conv1_weights"] in graph.get_param_by_op(conv)
    assert [op for op in graph.ops() if op.is_bwd_op()] and [
        op for op in graph.ops() if op.is_opt_op()
    ]
    assert graph.numel_params() == sum(int(np.prod(p.shape())) for p in parameters)
    graph.var("image").set_shape([5, 3, SIDE, SIDE])
    graph.infer_shape()
    assert graph.var(net.logits.name).shape() == (5, CLASSES)
    assert net.main.global_block().var("image").shape[0] == 5  # no copy
    twin = graph.clone(for_test=True)
    assert not [op for op in twin.ops() if op.is_bwd_op()]
    assert conv.inputs("Filter")[0] == names["conv1_weights"] and repr(conv).startswith("op[id: 0")


@story("core.dygraph2program")
def a_layer_as_a_program() -> None:
    import paddle
    from paddleslim.core import dygraph2program

    net = dynamic_net()
    net.eval()
    program = dygraph2program(net, [1, 3, SIDE, SIDE])
    kinds = [op.type for op in program.global_block().ops]
    assert kinds[:3] == ["conv2d", "batch_norm", "relu"] and "matmul_v2" in kinds, kinds
    scope = paddle.static.Scope()
    for tensor in net.state_dict().values():
        scope.var(tensor.name).get_tensor().set(tensor.numpy(), paddle.CPUPlace())
    image = pictures(1)[0]
    found = paddle.static.Executor().run(program, {"feed_0": image}, ["fetch_0"], scope=scope)
    np.testing.assert_allclose(found[0], net(paddle.to_tensor(image)).numpy(), rtol=1e-4, atol=1e-5)


@story("core.Registry")
def a_registry_of_classes() -> None:
    from paddleslim.core import Registry

    kinds = Registry("kinds")

    @kinds.register
    class One:
        pass

    assert kinds.get("One") is One and kinds.name == "kinds"


@story("common.SAController", "common.EvolutionaryController", "common.ControllerServer",
       "common.ControllerClient")  # fmt: skip
def a_controller_behind_a_port() -> None:
    from paddleslim.common import (
        ControllerClient,
        ControllerServer,
        EvolutionaryController,
        SAController,
    )

    table = ([0] * 4, [5] * 4)
    controller = SAController(table, 0.9, 10.0, 50, init_tokens=[1] * 4)
    assert isinstance(controller, EvolutionaryController)
    server = ControllerServer(
        controller, ("127.0.0.1", 0), max_client_num=4, search_steps=20, key="k"
    )
    server.start()
    client = ControllerClient(server.ip(), server.port(), key="k", client_name="one")
    best = -1.0
    for step in range(1, 6):
        tokens = client.next_tokens()
        assert len(tokens) == 4 and all(0 <= t < 5 for t in tokens)
        best = max(best, float(sum(tokens)))
        assert client.update(tokens, float(sum(tokens)), step)
    info = client.request_current_info()
    assert float(info["best_reward"]) == best
    server.close()


@story("common.AvgrageMeter", "common.cached_reader", "common.get_logger", "common.lock",
       "common.unlock")  # fmt: skip
def small_parts() -> None:
    import logging

    from paddleslim.common import AvgrageMeter, cached_reader, get_logger, lock, unlock

    meter = AvgrageMeter()
    meter.update(2.0, 1)
    meter.update(5.0, 2)
    assert meter.avg == 4.0 and meter.cnt == 3

    def reader():
        for i in range(10):
            yield np.full([2], i)

    kept = cached_reader(reader, 0.5, "cache", 3)
    first = [a.tolist() for a in kept()]
    assert 1 <= len(first) < 10 and [a.tolist() for a in kept()] == first
    assert get_logger("x", level=logging.INFO).level == logging.INFO
    with Path("locked").open("w") as file:
        lock(file)
        unlock(file)


@story("common.VarCollector", static=True)
def values_on_the_way_are_collected() -> None:
    from paddleslim.common import VarCollector

    net = static_net(optimizer=False)
    image, label = pictures(8)

    loader = [{"image": image, "label": label}] * 3
    names = [net.logits.name, net.loss.name]
    collector = VarCollector(net.main, names, use_ema=True)
    found = collector.abs_max_run(loader, net.exe, step=None, loss_name=net.loss.name)
    got = {name: float(np.asarray(v).reshape(-1)[0]) for name, v in found.items()} if isinstance(
        found, dict
    ) else dict(zip(names, found, strict=False))  # fmt: skip
    logits = net.exe.run(net.main, {"image": image, "label": label}, names[:1])[0]
    assert abs(float(np.asarray(got[names[0]]).reshape(-1)[0]) - np.abs(logits).max()) < 0.1
    assert CLASSES
