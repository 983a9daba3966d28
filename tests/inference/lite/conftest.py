"""Models for the lite runtime, which lies beside this package and is no part of it."""

import sys
from pathlib import Path

import numpy as np
import pytest

import paddle

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "lite"))

from paddle.inference import Config, create_predictor  # noqa: E402
from paddle.inference.lite_export import Opt  # noqa: E402


def save(net, path, *shapes, dtype="float32"):
    """Saves a Layer, with statistics that a trained one could have; returns the prefix."""
    random = np.random.RandomState(7)
    for name, value in net.named_buffers():
        if name.endswith(("_mean", "_variance")):
            spread = random.uniform(0.5, 1.5, value.shape)
            value.set_value(
                (spread if name.endswith("_variance") else spread - 1).astype("float32")
            )
    net.eval()
    specs = [paddle.static.InputSpec(shape, dtype) for shape in shapes]
    paddle.jit.save(net, str(path), input_spec=specs)
    return str(path)


def converted(prefix, weights=""):
    """Writes the `.nb` file of a saved model beside it; returns its path."""
    opt = Opt()
    opt.set_model_dir(prefix)
    opt.set_optimize_out(prefix + weights)
    opt.set_quant_model(bool(weights))
    if weights:
        opt.set_quant_type(weights)
    return opt.run()


def answers(prefix, *arrays):
    """What paddle.inference gives."""
    predictor = create_predictor(Config(prefix))
    return predictor.run([np.ascontiguousarray(a) for a in arrays])


@pytest.fixture(scope="session")
def engines():
    """The engines that this machine has."""
    from paddlelite import native

    return ["numpy", "c"] if native.library() is not None else ["numpy"]


def lite(path, *arrays, engine="numpy"):
    """What the lite runtime gives."""
    from paddlelite.lite import MobileConfig, create_paddle_predictor

    config = MobileConfig()
    if isinstance(path, bytes):
        config.set_model_from_buffer(path)
    else:
        config.set_model_from_file(path)
    config.set_engine(engine)
    predictor = create_paddle_predictor(config)
    for i, array in enumerate(arrays):
        predictor.get_input(i).from_numpy(array)
    predictor.run()
    count = len(predictor.get_output_names())
    return [predictor.get_output(i).numpy() for i in range(count)]
