"""Writes weights of the image models as PaddlePaddle 1.8.5 does, and what it computes with them.

python scripts/oracle/pretrained_185.py tests/data/pretrained [NAME ...]

1.8.5 has no such models; they are built here of its layers, with the names that 2.0 gives them.
"""

import os
import sys
import tempfile

import numpy as np
from pretrained_cases import chosen, images, note, pack, values

import paddle.fluid as fluid
from paddle.fluid import dygraph, layers
from paddle.fluid.dygraph import BatchNorm, Conv2D, Linear, Sequential

STAGES = {
    "resnet18": (2, 2, 2, 2),
    "resnet34": (3, 4, 6, 3),
    "resnet50": (3, 4, 6, 3),
    "resnet101": (3, 4, 23, 3),
    "resnet152": (3, 8, 36, 3),
    "vgg11": (1, 1, 2, 2, 2),
    "vgg13": (2, 2, 2, 2, 2),
    "vgg16": (2, 2, 3, 3, 3),
    "vgg19": (2, 2, 4, 4, 4),
}


class Call(dygraph.Layer):
    """A function in the place of a layer without weights."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def conv(channels, filters, size, stride=1, groups=1, bias=False):
    pad = size // 2
    attr = None if bias else False
    return Conv2D(channels, filters, size, stride, pad, groups=groups, bias_attr=attr)


def pool(x):
    return layers.pool2d(x, 2, "max", 2)


def average(x):
    return layers.reshape(layers.pool2d(x, pool_type="avg", global_pooling=True), [2, -1])


class LeNet(dygraph.Layer):
    def __init__(self):
        super().__init__()
        first, second = Conv2D(1, 6, 3, padding=1), Conv2D(6, 16, 5)
        relu, down = Call(layers.relu), Call(pool)
        self.features = Sequential(first, relu, down, second, Call(layers.relu), Call(pool))
        self.fc = Sequential(Linear(400, 120), Linear(120, 84), Linear(84, 10))

    def forward(self, x):
        return self.fc(layers.reshape(self.features(x), [2, -1]))


class Block(dygraph.Layer):
    def __init__(self, channels, planes, stride, deep, shortcut):
        super().__init__()
        shapes = [(channels, planes, 3, stride), (planes, planes, 3, 1)]
        if deep:
            last = (planes, 4 * planes, 1, 1)
            shapes = [(channels, planes, 1, 1), (planes, planes, 3, stride), last]
        self.count = len(shapes)
        for i, shape in enumerate(shapes, 1):
            setattr(self, "conv%d" % i, conv(*shape))
            setattr(self, "bn%d" % i, BatchNorm(shape[1]))
        self.downsample = shortcut if shortcut is not None else Call(lambda x: x)

    def forward(self, x):
        out = x
        for i in range(1, self.count + 1):
            out = getattr(self, "bn%d" % i)(getattr(self, "conv%d" % i)(out))
            if i < self.count:
                out = layers.relu(out)
        return layers.relu(out + self.downsample(x))


class ResNet(dygraph.Layer):
    def __init__(self, name, classes):
        super().__init__()
        deep = int(name[6:]) > 34
        self.conv1, self.bn1 = conv(3, 64, 7, 2), BatchNorm(64)
        channels = 64
        for i, count in enumerate(STAGES[name]):
            planes = 64 << i
            width = 4 * planes if deep else planes
            blocks = []
            for j in range(count):
                stride = 2 if i and not j else 1
                shortcut = None
                if stride > 1 or channels != width:
                    shortcut = Sequential(conv(channels, width, 1, stride), BatchNorm(width))
                blocks.append(Block(channels, planes, stride, deep, shortcut))
                channels = width
            setattr(self, "layer%d" % (i + 1), Sequential(*blocks))
        self.fc = Linear(channels, classes)

    def forward(self, x):
        x = layers.pool2d(layers.relu(self.bn1(self.conv1(x))), 3, "max", 2, 1)
        for i in range(1, 5):
            x = getattr(self, "layer%d" % i)(x)
        return self.fc(average(x))


class VGG(dygraph.Layer):
    def __init__(self, name, batch_norm):
        super().__init__()
        made, channels = [], 3
        for count, width in zip(STAGES[name], (64, 128, 256, 512, 512)):
            for _ in range(count):
                made.append(conv(channels, width, 3, bias=True))
                made += [BatchNorm(width)] if batch_norm else []
                made.append(Call(layers.relu))
                channels = width
            made.append(Call(pool))
        self.features = Sequential(*made)

    def forward(self, x):
        return self.features(x)


def unit(channels, filters, size=3, stride=1, groups=1, act=layers.relu):
    return Sequential(conv(channels, filters, size, stride, groups), BatchNorm(filters), Call(act))


V1 = [("2_1", 32, 64, 1), ("2_2", 64, 128, 2), ("3_1", 128, 128, 1), ("3_2", 128, 256, 2)]
V1 += [("4_1", 256, 256, 1), ("4_2", 256, 512, 2)]
V1 += [("5_%d" % i, 512, 512, 1) for i in range(1, 6)]
V1 += [("5_6", 512, 1024, 2), ("6", 1024, 1024, 1)]


class Separable(dygraph.Layer):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self._depthwise_conv = unit(channels, channels, 3, stride, channels)
        self._pointwise_conv = unit(channels, filters, 1)

    def forward(self, x):
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(dygraph.Layer):
    def __init__(self, scale=1.0, num_classes=1000):
        super().__init__()
        self.conv1 = unit(3, int(32 * scale), 3, 2)
        for name, channels, filters, stride in V1:
            block = Separable(int(channels * scale), int(filters * scale), stride)
            setattr(self, "conv" + name, block)
        self.fc = Linear(int(1024 * scale), num_classes)

    def forward(self, x):
        x = self.conv1(x)
        for name, _, _, _ in V1:
            x = getattr(self, "conv" + name)(x)
        return self.fc(average(x))


def eights(channels):
    nearest = max(8, int(channels + 4) // 8 * 8)
    return nearest + 8 if nearest < 0.9 * channels else nearest


class Inverted(dygraph.Layer):
    def __init__(self, channels, filters, stride, wider):
        super().__init__()
        self.adds = stride == 1 and channels == filters
        wide = channels * wider
        parts = [unit(channels, wide, 1, act=layers.relu6)] if wider != 1 else []
        parts += [unit(wide, wide, 3, stride, wide, layers.relu6), conv(wide, filters, 1)]
        self.conv = Sequential(*(parts + [BatchNorm(filters)]))

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


V2 = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2)]
V2 += [(6, 320, 1, 1)]


class MobileNetV2(dygraph.Layer):
    def __init__(self, scale=1.0, num_classes=1000):
        super().__init__()
        channels = eights(32 * scale)
        made = [unit(3, channels, 3, 2, act=layers.relu6)]
        for wider, width, count, stride in V2:
            for i in range(count):
                filters = eights(width * scale)
                made.append(Inverted(channels, filters, 1 if i else stride, wider))
                channels = filters
        last = eights(1280 * max(1.0, scale))
        self.features = Sequential(*(made + [unit(channels, last, 1, act=layers.relu6)]))
        self.classifier = Sequential(Call(lambda x: x), Linear(last, num_classes))

    def forward(self, x):
        return self.classifier(average(self.features(x)))


def build(name, maker, options):
    if maker == "LeNet":
        return LeNet()
    if maker.startswith("resnet"):
        return ResNet(maker, options.get("num_classes", 1000))
    if maker.startswith("vgg"):
        return VGG(maker, options.get("batch_norm", False))
    return {"mobilenet_v1": MobileNetV1, "mobilenet_v2": MobileNetV2}[maker](**options)


def dynamic(root, names):
    for name, (maker, options, size) in chosen(names).items():
        with dygraph.guard(fluid.CPUPlace()):
            net = build(name, maker, options)
            net.eval()
            net.set_dict(values(net.state_dict().items(), name))
            given = dygraph.to_variable(images(size, 1 if name == "lenet" else 3))
            out = net(given).numpy()
            path = os.path.join(tempfile.mkdtemp(), "net")
            fluid.save_dygraph(net.state_dict(), path)
            pack(path + ".pdparams", root, name + ".pdparams", "1.8.5", out)
            os.remove(path + ".pdparams")


def static_v1(x, scale, classes):
    def normed(x, filters, size, stride=1, groups=1):
        pad = size // 2
        x = layers.conv2d(x, filters, size, stride, pad, groups=groups, bias_attr=False)
        return layers.batch_norm(x, act="relu", is_test=True)

    x = normed(x, int(32 * scale), 3, 2)
    for _, channels, filters, stride in V1:
        x = normed(x, int(channels * scale), 3, stride, int(channels * scale))
        x = normed(x, int(filters * scale), 1)
    return layers.fc(layers.pool2d(x, pool_type="avg", global_pooling=True), classes)


def static(root):
    """MobileNetV1 as a Program, its values in all the layouts that 1.8.5 writes."""
    import zipfile

    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        out = static_v1(fluid.data("x", [None, 3, 64, 64], "float32"), 0.25, 10)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    held = [v for v in main.list_vars() if fluid.io.is_persistable(v)]
    kinds = {"w_1": "_mean", "w_2": "_variance", "w_0": "weight", "b_0": "bias"}
    for place, var in enumerate(sorted(held, key=lambda v: v.name)):
        (value,) = values([(kinds[var.name.rpartition(".")[2]], var)], "mobilenet_v1").values()
        value = np.roll(value.reshape(-1), 7 * place).reshape(value.shape)
        fluid.global_scope().find_var(var.name).get_tensor().set(value, fluid.CPUPlace())
    (got,) = exe.run(main, {"x": images(64)}, [out])
    folder = tempfile.mkdtemp()
    fluid.save(main, folder + "/saved/net")
    fluid.io.save_persistables(exe, folder + "/separate", main)
    fluid.io.save_persistables(exe, folder + "/combined", main, filename="weights")
    fluid.io.save_inference_model(folder + "/inference", ["x"], [out], exe, main)
    target = os.path.join(root, "1.8.5", "static_mobilenet_v1_0.25.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_LZMA) as packed:
        for below, _, files in sorted(os.walk(folder)):
            for name in sorted(files):
                path = os.path.join(below, name)
                if not name.endswith((".pdopt", ".pdmodel")):
                    packed.write(path, os.path.relpath(path, folder))
    note(root, "static_mobilenet_v1_0.25", "1.8.5", got)


dynamic(sys.argv[1], sys.argv[2:])
static(sys.argv[1])
