"""Programs that are quantised already: lite computes with their steps, in float32."""

import numpy as np
import pytest

import paddle
from paddle.inference import Config, create_predictor
from paddle.inference.lite_export import Opt

from .conftest import ROOT, answers, converted, lite
from .test_models import near

DATA = ROOT / "tests" / "quantization" / "data"
FROZEN = {
    "185-moving_average_abs_max": ("__model__", "params"),
    "262-moving_average_abs_max": ("model.pdmodel", "model.pdiparams"),
}


@pytest.mark.parametrize("name", FROZEN)
def test_frozen_by_paddlepaddle(name, tmp_path, engines):
    files = [str(DATA / name / file) for file in FROZEN[name]]
    opt = Opt()
    opt.set_model_file(files[0])
    opt.set_param_file(files[1])
    opt.set_optimize_out(str(tmp_path / name))
    path = opt.run()
    x = np.random.RandomState(0).randn(4, 1, 8, 8).astype("float32")
    [want] = create_predictor(Config(*files)).run([x])
    for engine in engines:
        near(lite(path, x, engine=engine)[0], want)


def test_trained_with_quantisation(tmp_path, engines):
    from paddle.fluid.contrib.slim.quantization import ImperativeQuantAware

    paddle.seed(3)
    net, aware = paddle.vision.models.LeNet(), ImperativeQuantAware()
    aware.quantize(net)
    x = np.random.RandomState(0).rand(8, 1, 28, 28).astype("float32")
    for _ in range(3):
        net(paddle.to_tensor(x))
    net.eval()
    spec = [paddle.static.InputSpec([None, 1, 28, 28], "float32")]
    aware.save_quantized_model(net, str(tmp_path / "net"), input_spec=spec)
    [want] = answers(str(tmp_path / "net"), x)
    whole, small = (converted(str(tmp_path / "net"), kind) for kind in ("", "QUANT_INT8"))
    for engine in engines:
        near(lite(whole, x, engine=engine)[0], want)
        near(lite(small, x, engine=engine)[0], want, 0.02)
