"""Once-for-all: a network of which parts work alone."""

from __future__ import annotations

import numpy as np

from tests.slim.stories import CLASSES, SIDE, dynamic_net, pictures, story


def _super_net():
    from paddleslim.nas.ofa import supernet
    from paddleslim.nas.ofa.convert_super import Convert

    config = supernet(kernel_size=(1, 3), expand_ratio=[0.5, 1.0])
    return Convert(config).convert(dynamic_net())


@story("nas.ofa.supernet")
def a_layer_becomes_a_supernet() -> None:
    from paddleslim.nas.ofa import OFA, layers, supernet

    import paddle

    net = _super_net()
    kinds = [type(layer).__name__ for layer in net.sublayers()]
    assert kinds.count("SuperConv2D") == 2 and kinds.count("SuperBatchNorm2D") == 2
    assert "SuperLinear" in kinds and isinstance(net[0].fn if hasattr(net[0], "fn") else net[0],
                                                 layers.SuperConv2D)  # fmt: skip
    with supernet(kernel_size=(1, 3), expand_ratio=[0.5, 1.0]) as wide:
        made = wide.convert(dynamic_net())
    made = OFA(made)
    made.set_task("expand_ratio")
    assert made(paddle.to_tensor(pictures(2)[0]))[0].shape == [2, CLASSES]


@story("nas.ofa.OFA", "nas.ofa.RunConfig", "nas.ofa.DistillConfig")
def parts_of_a_supernet_are_trained() -> None:
    from paddleslim.nas.ofa import OFA, DistillConfig, RunConfig

    import paddle
    from paddle.nn import functional as F

    run = RunConfig(
        train_batch_size=16, n_epochs=[[1], [2, 3]], init_learning_rate=[[0.001], [0.001, 0.001]],
        dynamic_batch_size=[1, 1], total_images=64,
    )  # fmt: skip
    teacher = _super_net()
    distill = DistillConfig(
        lambda_distill=0.1, teacher_model=teacher, mapping_layers=["3.fn"], mapping_op="conv2d"
    )
    net = OFA(_super_net(), run, distill_config=distill, elastic_order=["width", "kernel_size"])
    parameters = net.parameters() + net.netAs_param
    optimizer = paddle.optimizer.Adam(0.01, parameters=parameters)
    seen, losses = set(), []
    for step in range(24):
        net.set_epoch(step // 4)
        image, label = map(paddle.to_tensor, pictures(seed=step))
        student, _ = net(image)
        seen.add(str(net.get_current_config))
        loss = F.cross_entropy(student, label)
        far = net.calc_distill_loss()
        assert float(far) >= 0
        (loss + far).backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert len(seen) > 1 and np.mean(losses[-4:]) < np.mean(losses[:4])


@story("nas.ofa.OFA", "nas.ofa.check_search_space")
def a_part_is_taken_out() -> None:
    from paddleslim.analysis import dygraph_flops
    from paddleslim.core import GraphWrapper, dygraph2program
    from paddleslim.nas.ofa import OFA, check_search_space

    import paddle

    super_net = _super_net()
    net = OFA(super_net)
    net.set_epoch(0)
    net.set_task("expand_ratio")
    image = paddle.to_tensor(pictures(2)[0])
    net(image)
    config = net.get_current_config
    assert config, "nothing can be chosen"
    small = {name: {key: 0.5 if key == "expand_ratio" else each for key, each in choice.items()}
             for name, choice in config.items()}  # fmt: skip
    origin = dynamic_net()
    shape = [1, 3, SIDE, SIDE]
    found = check_search_space(GraphWrapper(dygraph2program(origin, shape)))
    if len(found) == 4:
        assert origin[8].weight.name in found[-1]  # what makes the results stays as wide as it is
    else:  # 2.1.1 looks for additions and depthwise layers alone
        assert found == (None, [])
    before = dynamic_flops = dygraph_flops(origin, shape)
    made = net.export(small, [shape], ["float32"], origin_model=origin)
    found = made(image)
    assert found.shape == [2, CLASSES], (found.shape, config)
    assert made[0].weight.shape == [4, 3, 3, 3], made[0].weight.shape
    after = dygraph_flops(made, shape)
    assert after < 0.7 * before == 0.7 * dynamic_flops


@story("nas.ofa.SuperConv2D", "nas.ofa.SuperConv2DTranspose", "nas.ofa.SuperSeparableConv2D",
       "nas.ofa.SuperBatchNorm2D", "nas.ofa.SuperLinear", "nas.ofa.SuperInstanceNorm2D",
       "nas.ofa.SuperGroupConv2D", "nas.ofa.SuperDepthwiseConv2D",
       "nas.ofa.SuperGroupConv2DTranspose", "nas.ofa.SuperDepthwiseConv2DTranspose",
       "nas.ofa.SuperLayerNorm", "nas.ofa.SuperEmbedding")  # fmt: skip
def every_layer_of_a_supernet() -> None:
    from paddleslim.nas.ofa import layers

    import paddle
    from paddle import nn

    paddle.seed(5)
    x4, x8 = paddle.rand([2, 4, 6, 6]), paddle.rand([2, 8, 6, 6])

    conv = layers.SuperConv2D(4, 8, 3, candidate_config={"channel": [4, 8]}, padding=1)
    close(conv(x4, channel=4), nn.functional.conv2d(x4, conv.weight[:4], conv.bias[:4], padding=1))
    assert conv(x4).shape == [2, 8, 6, 6]
    wide = layers.SuperConv2D(
        4, 8, 5, candidate_config={"kernel_size": [3, 5]}, padding=2, transform_kernel=True
    )
    assert wide(x4, kernel_size=3).shape == [2, 8, 6, 6]
    back = layers.SuperConv2DTranspose(8, 6, 3, candidate_config={"channel": [3, 6]}, padding=1)
    close(back(x8, channel=3), nn.functional.conv2d_transpose(
        x8, back.weight[:, :3], back.bias[:3], padding=1))  # fmt: skip
    linear = layers.SuperLinear(6, 8, candidate_config={"channel": [4, 8]})
    row = paddle.rand([3, 6])
    close(linear(row, channel=4), row.matmul(linear.weight[:, :4]) + linear.bias[:4])
    norm = layers.SuperBatchNorm2D(8)
    norm.eval()
    close(norm(x4), x4 / np.sqrt(1 + 1e-5))
    inner = layers.SuperInstanceNorm2D(8)
    close(inner(x4), nn.functional.instance_norm(x4))
    last = layers.SuperLayerNorm(8)
    half = paddle.rand([3, 4])
    close(last(half), nn.functional.layer_norm(half, 4))
    words = layers.SuperEmbedding(10, 8, candidate_config={"expand_ratio": [0.5, 1.0]})
    ids = paddle.to_tensor([1, 2, 3])
    close(words(ids, expand_ratio=0.5), words.weight.numpy()[[1, 2, 3], :4])
    deep = layers.SuperDepthwiseConv2D(
        8, 8, 3, candidate_config={"channel": [4, 8]}, padding=1, groups=8
    )
    assert deep(x4, channel=4).shape == [2, 4, 6, 6]
    groups = layers.SuperGroupConv2D(8, 8, 3, groups=2, padding=1)
    assert groups(x8).shape == [2, 8, 6, 6]
    for kind, options in (
        ("SuperGroupConv2DTranspose", {"groups": 2}),
        ("SuperDepthwiseConv2DTranspose", {"groups": 8}),
    ):  # fmt: skip
        layer = getattr(layers, kind)(8, 8, 3, padding=1, **options)
        assert layer(x8).shape == [2, 8, 6, 6], kind
    parts = layers.SuperSeparableConv2D(8, 6, 3, padding=1)
    assert parts(x8).shape == [2, 6, 6, 6]


def close(found, expected) -> None:
    expected = expected if isinstance(expected, np.ndarray) else expected.numpy()
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-5)


@story("nas.ofa.SuperSyncBatchNorm")
def a_batch_norm_over_processes() -> None:
    """In one process: as the plain one, and for the first channels alone."""
    from paddleslim.nas.ofa.layers import SuperSyncBatchNorm

    import paddle
    from paddle import nn

    paddle.seed(3)
    x = paddle.randn([4, 8, 5, 5])
    norm, plain = SuperSyncBatchNorm(8), nn.BatchNorm2D(8)
    close(norm(x), plain(x))
    half, small = SuperSyncBatchNorm(8), nn.BatchNorm2D(4)
    close(half(x[:, :4]), small(x[:, :4]))
    if not hasattr(norm, "cur_config"):
        return  # 2.1.1 moves the statistics of a slice, which is a copy
    assert half.cur_config == {"prune_dim": 4}
    close(norm._mean, plain._mean)
    close(norm._variance, plain._variance)
    norm.eval()
    plain.eval()
    close(norm(x), plain(x))


@story("nas.ofa.dynabert_config")
def widths_of_a_transformer() -> None:
    from paddleslim.nas.ofa import dynabert_config, supernet
    from paddleslim.nas.ofa.convert_super import Convert

    from paddle import nn

    class Bert(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            layer = nn.TransformerEncoderLayer(8, 2, 16)
            self.encoder = nn.TransformerEncoder(layer, 2)

        def forward(self, x):
            return self.encoder(x)

    from paddleslim.nas.ofa import OFA

    net = OFA(Convert(supernet(expand_ratio=[0.5, 1.0])).convert(Bert()))
    config = dynabert_config(net, 0.5)
    assert config and all(c.get("expand_ratio") in (0.5, 1.0, None) for c in config.values())
    assert 0.5 in [c.get("expand_ratio") for c in config.values()]
