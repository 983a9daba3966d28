"""Whole networks: the lite runtime gives what paddle.inference gives."""

import os
import subprocess
import sys
from threading import Thread

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.inference.lite_export import Opt
from paddle.inference.lite_export.command import main
from paddle.vision import models

from .conftest import ROOT, answers, converted, lite, save

NETS = {
    "lenet": (lambda: models.LeNet(), (2, 1, 28, 28)),
    "mobilenet_v1": (lambda: models.mobilenet_v1(scale=0.25, num_classes=10), (2, 3, 40, 48)),
    "mobilenet_v2": (lambda: models.mobilenet_v2(scale=0.25, num_classes=10), (1, 3, 48, 40)),
    "resnet18": (lambda: models.resnet18(num_classes=10), (1, 3, 40, 40)),
}


def near(got, want, tolerance=1e-5):
    assert got.shape == want.shape and got.dtype == want.dtype
    assert np.abs(got - want).max() <= tolerance * max(1e-6, np.abs(want).max())


@pytest.mark.parametrize("name", NETS)
def test_a_network(name, tmp_path, engines):
    paddle.seed(3)
    make, shape = NETS[name]
    prefix = save(make(), tmp_path / "net", [None, *shape[1:]])
    x = np.random.RandomState(0).randn(*shape).astype("float32")
    (want,) = answers(prefix, x)
    path = converted(prefix)
    for engine in engines:
        near(lite(path, x, engine=engine)[0], want, 3e-5)


class Parts(paddle.nn.Layer):
    """Operators that the networks above do not have."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.norm, self.first = nn.BatchNorm2D(4), nn.Conv2D(4, 6, 3, padding=1, groups=2)
        self.rows, self.out = nn.LayerNorm(12), nn.Linear(12, 8)

    def forward(self, x):
        f = paddle.nn.functional
        y = f.hardswish(self.norm(x))
        y = f.gelu(self.first(f.max_pool2d(y, 3, 2, 1, ceil_mode=True)))
        y = paddle.concat([y, f.sigmoid(y) * 2 - 1], axis=1)
        small = f.avg_pool2d(y, 3, 2, 1)
        y = y[:, :, :4, :4] + f.interpolate(small, scale_factor=2, mode="nearest")[:, :, :4, :4]
        y = f.interpolate(y, size=[5, 5], mode="bilinear", align_corners=False)
        a, b = paddle.split(y, 2, axis=1)
        y = paddle.concat([a, paddle.exp(-b * b)], axis=1)
        y = paddle.transpose(paddle.reshape(y, [0, 12, -1]), [0, 2, 1])
        y = self.rows(y)
        y = y + paddle.matmul(f.softmax(paddle.matmul(y, y, transpose_y=True) * 0.3), y)
        y = f.leaky_relu(self.out(y), 0.1)
        return paddle.mean(y, axis=[1], keepdim=False), paddle.unsqueeze(paddle.max(y, 2), 1)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    paddle.seed(3)
    return save(Parts(), tmp_path_factory.mktemp("parts") / "net", [None, 4, 10, 9])


def test_other_operators(parts, engines):
    x = np.random.RandomState(0).randn(2, 4, 10, 9).astype("float32")
    path = converted(parts)
    for engine in engines:
        for got, want in zip(lite(path, x, engine=engine), answers(parts, x), strict=True):
            near(got, want)


def test_words(tmp_path, engines):
    class Words(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.table, self.out = paddle.nn.Embedding(20, 6), paddle.nn.Linear(6, 3)

        def forward(self, ids):
            return paddle.tanh(self.out(self.table(ids)))

    prefix = save(Words(), tmp_path / "words", [None, None], dtype="int64")
    ids = np.arange(12).reshape(3, 4)
    path = converted(prefix)
    for engine in engines:
        near(lite(path, ids, engine=engine)[0], answers(prefix, ids)[0])


class Encoder(paddle.nn.Layer):
    """A small Transformer."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu")
        self.table, self.body = nn.Embedding(30, 16), nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(16, 5)

    def forward(self, ids):
        return self.out(self.body(self.table(ids)))


class Detector(paddle.nn.Layer):
    """What finds text: pixels become smaller, and larger again."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.down = nn.Conv2D(3, 8, 3, padding="SAME", stride=2)
        self.pool = nn.AvgPool2D(3, 2, padding="SAME")
        self.up, self.norm = nn.Conv2DTranspose(8, 4, 2, stride=2), nn.BatchNorm2D(4)
        self.last = nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1, groups=2)

    def forward(self, x):
        y = self.norm(self.up(self.pool(self.down(x))))
        return paddle.nn.functional.sigmoid(self.last(y))


class Recognizer(paddle.nn.Layer):
    """What reads text: convolution, LSTM in both directions, GRU."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.conv, self.lstm = nn.Conv2D(1, 8, 3, padding=1), nn.LSTM(32, 6, 2, "bidirect")
        self.gru, self.out = nn.GRU(12, 5), nn.Linear(5, 7)

    def forward(self, x):
        y = paddle.nn.functional.max_pool2d(self.conv(x), 2, 2)
        y = paddle.flatten(paddle.transpose(y, [0, 3, 1, 2]), 2)
        y = self.out(self.gru(self.lstm(y)[0])[0])
        return paddle.nn.functional.softmax(y), paddle.argmax(y, axis=2)


@pytest.mark.parametrize(
    ("net", "shape"),
    [(Encoder, (2, 7)), (Detector, (2, 3, 15, 18)), (Recognizer, (2, 1, 8, 20))],
)
def test_what_words_and_pages_need(net, shape, tmp_path, engines):
    paddle.seed(3)
    random, words = np.random.RandomState(0), net is Encoder
    x = random.randint(0, 30, shape) if words else random.randn(*shape).astype("float32")
    spec = [None, None] if words else [None, *shape[1:]]
    prefix = save(net(), tmp_path / "net", spec, dtype="int64" if words else "float32")
    path = converted(prefix)
    for engine in engines:
        for got, want in zip(lite(path, x, engine=engine), answers(prefix, x), strict=True):
            near(got, want)


class Yolo(paddle.nn.Layer):
    """Two maps of YOLOv3, and what suppresses boxes; the older form gives one number for none."""

    def __init__(self, threshold, older=False, eta=1.0):
        super().__init__()
        self.large, self.small = paddle.nn.Conv2D(3, 16, 1), paddle.nn.Conv2D(3, 16, 2, 2)
        self.threshold, self.older, self.eta = threshold, older, eta

    def forward(self, x, size):
        maps = (self.large(x), [10, 13, 16, 30], 8), (self.small(x), [30, 61, 62, 45], 16)
        parts = [paddle.vision.ops.yolo_box(y, size, a, 3, 0.2, r) for y, a, r in maps]
        boxes = paddle.concat([p[0] for p in parts], axis=1)
        scores = paddle.transpose(paddle.concat([p[1] for p in parts], axis=1), [0, 2, 1])
        call = paddle.fluid.layers.multiclass_nms
        if not self.older:
            call = paddle.fluid.contrib.layers.multiclass_nms2
        return call(boxes, scores, self.threshold, 20, 15, 0.3, True, self.eta, -1)


def save_yolo(net, folder):
    net.eval()
    specs = [
        paddle.static.InputSpec([2, 3, 4, 6], "float32"),
        paddle.static.InputSpec([2, 2], "int32"),
    ]
    paddle.jit.save(net, str(folder / "net"), input_spec=specs)
    return str(folder / "net")


@pytest.mark.parametrize(
    ("threshold", "older", "eta"), [(0.1, False, 1.0), (0.1, True, 0.7), (0.999, True, 1.0)]
)
def test_boxes(threshold, older, eta, tmp_path, engines):
    paddle.seed(3)
    x = np.random.RandomState(0).randn(2, 3, 4, 6).astype("float32")
    size = np.array([[32, 48], [64, 50]], "int32")
    prefix = save_yolo(Yolo(threshold, older, eta), tmp_path)
    path, (want,) = converted(prefix), answers(prefix, x, size)
    assert (len(want) > 5) == (threshold < 0.9)
    for engine in engines:
        near(lite(path, x, size, engine=engine)[0], want)


class Geometries(paddle.nn.Layer):
    """Convolutions and pools of many forms, and a block of MobileNetV3."""

    FORMS = [  # kernel, stride, padding, dilation, groups
        (3, 1, 1, 1, 1), (3, 3, 2, 1, 1), (1, 2, 0, 1, 1), ([3, 2], [2, 3], [1, 0], 1, 2),
        (3, 1, [1, 2, 0, 3], 2, 1), (3, 2, 1, 1, 6), (5, 1, 2, 1, 6), (3, 1, 2, 2, 6),
        (7, 2, 3, 1, 3), (2, 5, "SAME", 1, 6), (3, 1, "VALID", 1, 1),
    ]  # fmt: skip

    def __init__(self):
        super().__init__()
        conv = paddle.nn.Conv2D
        made = [conv(6, 12, k, s, p, d, g) for k, s, p, d, g in self.FORMS]
        self.convs = paddle.nn.LayerList(made)
        self.squeeze, self.excite = conv(6, 3, 1), conv(3, 6, 1)

    def forward(self, x):
        f = paddle.nn.functional
        gate = f.relu(self.squeeze(f.adaptive_avg_pool2d(x, 1)))
        made = [c(x) for c in self.convs] + [f.hardswish(x * f.hardsigmoid(self.excite(gate)))]
        made += [f.avg_pool2d(x, 3, 2, 1, ceil_mode=True, exclusive=e) for e in (True, False)]
        return [
            *made,
            f.max_pool2d(x, [2, 3], [1, 2]),
            f.max_pool2d(x, 3, 2, [1, 0], ceil_mode=True),
        ]


@pytest.mark.parametrize("size", [(17, 23), (33, 40)])
def test_geometries(size, tmp_path, engines):
    paddle.seed(3)
    prefix = save(Geometries(), tmp_path / "net", [None, 6, None, None])
    x = np.random.RandomState(0).randn(2, 6, *size).astype("float32")
    path = converted(prefix)
    for engine in engines:
        for got, want in zip(lite(path, x, engine=engine), answers(prefix, x), strict=True):
            near(got, want)


GROWTH = """
import sys
sys.path.insert(0, {lite!r})
import numpy as np
from paddlelite.lite import MobileConfig, create_paddle_predictor

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

config = MobileConfig()
config.set_model_from_file({path!r})
config.set_engine({engine!r})
config.set_threads({threads})
predictor = create_paddle_predictor(config)
predictor.get_input(0).from_numpy(np.ones({shape}, "float32"))
for _ in range(100):
    predictor.run()
before = resident()
for _ in range({runs}):
    predictor.run()
print(resident() - before)
"""


def growth(path, shape, engine, threads, runs):
    """How many bytes more are resident after so many runs, in a process that does nothing else."""
    script = GROWTH.format(
        lite=str(ROOT / "lite"), path=path, engine=engine, threads=threads, shape=shape, runs=runs
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


@pytest.mark.parametrize("runs", [900, pytest.param(10_000, marks=pytest.mark.slow)])
def test_many_runs_need_no_more_memory(runs, parts, engines):
    for engine in engines:
        assert growth(converted(parts), (1, 4, 10, 9), engine, 1, runs) < 1 << 21


@pytest.mark.slow
def test_many_runs_in_threads_need_no_more_memory(tmp_path, engines):
    if "c" not in engines:
        pytest.skip("no C kernels")
    path = converted(save(paddle.nn.Conv2D(16, 16, 3), tmp_path / "net", [1, 16, 32, 32]))
    assert growth(path, (1, 16, 32, 32), "c", 2, 10_000) < 1 << 21


@pytest.mark.parametrize(
    ("kind", "share", "error"), [("QUANT_INT8", 0.3, 0.05), ("QUANT_INT16", 0.55, 3e-4)]
)
def test_weights_in_fewer_bits(kind, share, error, tmp_path, engines):
    paddle.seed(3)
    prefix = save(models.mobilenet_v1(scale=0.25, num_classes=10), tmp_path / "net", [1, 3, 32, 32])
    x = np.random.RandomState(0).randn(1, 3, 32, 32).astype("float32")
    whole, small = converted(prefix), converted(prefix, kind)
    assert os.path.getsize(small) < share * os.path.getsize(whole)
    for engine in engines:
        near(lite(small, x, engine=engine)[0], lite(whole, x, engine=engine)[0], error)


def test_the_command(parts, tmp_path, capsys):
    assert main(["--model_dir", parts, "--optimize_out", str(tmp_path / "a")]) == 0
    assert (tmp_path / "a.nb").exists() and "a.nb" in capsys.readouterr().out
    assert main(["--print_supported_ops"]) == 0
    assert "conv2d" in capsys.readouterr().out.split()
    assert main(["--model_dir", parts, "--print_model_ops"]) == 0
    assert main(["--model_dir", str(tmp_path / "none"), "--optimize_out", "x"]) == 1


def test_the_command_knows_the_options_of_paddle_lite(parts, tmp_path, capsys):
    out = str(tmp_path / "small")
    files = ["--model_file", parts + ".pdmodel", "--param_file", parts + ".pdiparams"]
    asked = ["--optimize_out", out, "--valid_targets=x86 arm", "--optimize_out_type=naive_buffer"]
    small = ["--quant_model=true", "--quant_type=QUANT_INT16", "--enable_fp16=false"]
    assert main(["--model_dir", "ignored", *files, *asked, *small]) == 0
    assert os.path.getsize(out + ".nb") < os.path.getsize(converted(parts))
    assert main(["--print_all_ops=true"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert "supported  conv2d" in rows and "-          while" in rows
    refused = {
        "--enable_fp16=true": "float32", "--sparse_model=true": "sparse", "--sparse_threshold=0.5":
        "sparse", "--record_tailoring_info=true": "not cut", "--display_kernels=true": "one kernel",
        "--model_set=x": "by itself", "--optimize_out_type=protobuf": "expected 'naive_buffer'",
        "--valid_targets=opencl,arm": "received opencl", "--quant_type=INT4": "received 'INT4'",
    }  # fmt: skip
    for option, word in refused.items():
        assert main(["--model_dir", parts, "--optimize_out", out, option]) == 1
        assert word in capsys.readouterr().err, option
    for wrong in [["--quant_model=maybe"], ["--optimize_out", out], []]:
        with pytest.raises(SystemExit):
            main(wrong)


def test_opt_takes_places_and_all_at_once(parts, tmp_path):
    from paddlelite.lite import Place, TargetType

    opt = Opt()
    opt.set_valid_places([Place(TargetType.ARM), Place(TargetType.X86)])
    with pytest.raises(InvalidArgumentError, match="received opencl"):
        opt.set_valid_places([Place(TargetType.OpenCL)])
    with pytest.raises(InvalidArgumentError, match="received none"):
        opt.set_valid_places([])
    path = opt.run_optimize(parts, "", "", "naive_buffer", "x86", str(tmp_path / "a"))
    assert path.endswith("a.nb") and opt.check_if_model_supported(False)
    with pytest.raises(UnimplementedError, match="passes"):
        opt.set_passes_internal(["conv_bn_fuse_pass"])


def test_operators_outside_are_listed(tmp_path):
    class Other(paddle.nn.Layer):
        def forward(self, x):
            return paddle.cumsum(x, 1) + paddle.sin(x)

    prefix = save(Other(), tmp_path / "other", [2, 3])
    with pytest.raises(UnimplementedError) as error:
        converted(prefix)
    assert "1 x cumsum" in str(error.value) and "1 x sin" in str(error.value)


def test_configs(parts, engines):
    from paddlelite import LiteError
    from paddlelite.lite import (
        CxxConfig,
        MobileConfig,
        Place,
        PrecisionType,
        TargetType,
        create_paddle_predictor,
    )

    config = CxxConfig()
    config.set_model_dir(parts)
    config.set_valid_places([Place(TargetType.ARM, PrecisionType.FP32)])
    predictor = create_paddle_predictor(config)
    given = predictor.get_input_by_name(predictor.get_input_names()[0])
    assert given.shape() == [-1, 4, 10, 9] and predictor.engine() in engines
    given.resize([1, 4, 10, 9])
    given.set_float_data([0.5] * 360)
    predictor.run()
    x = np.full((1, 4, 10, 9), 0.5, "float32")
    near(predictor.get_output(1).numpy(), answers(parts, x)[1])
    assert predictor.get_output(1).shape() == list(answers(parts, x)[1].shape)
    with pytest.raises(LiteError, match="no tensor"):
        predictor.get_output(5)
    with pytest.raises(LiteError, match="names no model"):
        create_paddle_predictor(MobileConfig())
    with pytest.raises(LiteError, match="cannot read"):
        lite("/nowhere/model.nb")
    with pytest.raises(LiteError, match="1 or more"):
        config.set_threads(0)
    with pytest.raises(LiteError, match="expected one of"):
        config.set_engine("gpu")


def test_names_of_paddle_lite(parts, tmp_path):
    from paddlelite import LiteError, __version__
    from paddlelite.lite import (
        CxxConfig,
        DataLayoutType,
        MobileConfig,
        Place,
        PowerMode,
        PrecisionType,
        TargetType,
        create_paddle_predictor,
    )

    config = CxxConfig()
    config.set_model_file(parts + ".pdmodel")
    config.set_param_file(parts + ".pdiparams")
    assert (config.model_dir(), config.param_file()) == ("", parts + ".pdiparams")
    config.set_valid_places([Place(TargetType.OpenCL), Place(TargetType.ARM, PrecisionType.INT8)])
    with pytest.raises(LiteError, match="not among"):
        config.set_valid_places([Place(TargetType.ARM, layout=DataLayoutType.NHWC)])
    config.set_power_mode(PowerMode.LITE_POWER_NO_BIND)
    with pytest.raises(LiteError, match="not bound"):
        config.set_power_mode(PowerMode.LITE_POWER_HIGH)
    predictor = create_paddle_predictor(config)
    predictor.save_optimized_model(str(tmp_path / "again"))
    again = MobileConfig()
    again.set_model_from_file(str(tmp_path / "again.nb"))
    other = create_paddle_predictor(again)
    x = np.random.RandomState(0).randn(1, 4, 10, 9).astype("float32")
    for p in (predictor, predictor.clone(), other):
        given = p.get_input(0)
        assert (given.precision(), given.lod()) == (PrecisionType.FP32, [])
        given.from_numpy(x)
        p.run()
        near(p.get_output(0).numpy(), answers(parts, x)[0])
    assert predictor.get_version() == __version__
    with pytest.raises(LiteError, match="no LoD"):
        given.set_lod([[0, 1]])
    given.resize([1, 4, 10, 9])
    with pytest.raises(LiteError, match="as many of float32"):
        given.set_float_data([1.0])


def test_whole_numbers_are_not_cut_from_others(tmp_path, engines):
    from paddlelite import LiteError
    from paddlelite.lite import MobileConfig, create_paddle_predictor

    table = paddle.nn.Embedding(20, 6)
    config = MobileConfig()
    config.set_model_from_file(converted(save(table, tmp_path / "net", [2, 3], dtype="int64")))
    predictor = create_paddle_predictor(config)
    given = predictor.get_input(0)
    given.resize([2, 3])
    with pytest.raises(LiteError, match="received 6 of float64"):
        given.set_int64_data([0.5] * 6)
    given.set_int64_data([1, 2, 3, 4, 5, 19])
    predictor.run()
    assert given.int64_data() == [1, 2, 3, 4, 5, 19]
    np.testing.assert_array_equal(predictor.get_output(0).numpy()[1, 2], table.weight.numpy()[19])


def test_a_predictor_for_each_thread(parts, engines):
    from paddlelite.lite import MobileConfig, create_paddle_predictor

    x = np.random.RandomState(0).randn(2, 4, 10, 9).astype("float32")
    for engine in engines:
        config = MobileConfig()
        config.set_model_from_file(converted(parts))
        config.set_engine(engine)
        first = create_paddle_predictor(config)

        def run(scale, found, first=first):
            predictor = first.clone()
            predictor.get_input(0).from_numpy(x * scale)
            for _ in range(20):
                predictor.run()
                found.append(predictor.get_output(0).numpy())

        results = [[], [], []]
        threads = [Thread(target=run, args=(i + 1, results[i])) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, found in enumerate(results):
            want = answers(parts, x * (i + 1))[0]
            assert len(found) == 20
            for got in found:
                near(got, want)
