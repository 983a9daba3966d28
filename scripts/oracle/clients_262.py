"""Writes what 2.6.2 computes by client libraries: tests/data/paddle{nlp-2.0.8,clas-2.2.1}.npz.

    PYTHONPATH=.venv/clients python scripts/oracle/clients_262.py [FOLDER]

Run by PaddlePaddle's own Python. 2.6.2 has no `paddle.fluid`:
what PaddleNLP takes of it is made of names that 2.6.2 has. With FOLDER, the models that
tests/clients/nlp_training.py exported there by this repository are loaded, and their outputs
compared with its own.
"""

from __future__ import annotations

import os
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "clients"))


def _matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0, name=None):
    import paddle

    return paddle.matmul(x, y, transpose_x, transpose_y) * alpha


def _filled(input, shape, dtype, value, input_dim_idx=0, output_dim_idx=0):
    import paddle

    shape = list(shape)
    shape[output_dim_idx] = input.shape[input_dim_idx]
    return paddle.full(shape, value, dtype)


def make_fluid():
    """Puts the parts of `paddle.fluid` into sys.modules that PaddleNLP imports."""
    import paddle
    from paddle.base import core, data_feeder, framework, layer_helper, unique_name
    from paddle.utils import layers_utils

    layers = types.SimpleNamespace(
        utils=layers_utils, matmul=_matmul, fill_constant_batch_size_like=_filled,
        expand_as=paddle.expand_as, create_parameter=paddle.create_parameter, ops=paddle.tensor.ops,
    )  # fmt: skip
    init = paddle.nn.initializer
    framework.ParamBase = framework.EagerParamBase
    parts = {
        "core": core, "framework": framework, "layer_helper": layer_helper, "layers": layers,
        "unique_name": unique_name, "layers.utils": layers_utils, "data_feeder": data_feeder,
        "dygraph": types.SimpleNamespace(base=paddle.base.dygraph.base),
        "dygraph.base": paddle.base.dygraph.base,
        "dygraph.parallel": types.SimpleNamespace(ParallelEnv=paddle.distributed.ParallelEnv),
        "optimizer": types.SimpleNamespace(Optimizer=paddle.optimizer.Optimizer),
        "initializer": types.SimpleNamespace(
            Normal=init.Normal, Constant=init.Constant, NumpyArrayInitializer=init.Assign
        ),
    }  # fmt: skip
    fluid = sys.modules["paddle.fluid"] = paddle.fluid = types.ModuleType("paddle.fluid")
    fluid.__path__ = []
    for name, part in parts.items():
        made = types.ModuleType("paddle.fluid." + name)
        made.__path__ = []
        made.__dict__.update({k: getattr(part, k) for k in dir(part) if not k.startswith("__")})
        sys.modules["paddle.fluid." + name] = made
        if "." not in name:
            setattr(fluid, name, made)


def compare(folder):
    """Loads the exported models and prints how far their outputs are from the frozen ones."""
    import nlp_training
    import numpy as np

    import paddle

    own = np.load(os.path.join(ROOT, "tests", "data", "paddlenlp-2.0.8.npz"))
    for name, make in nlp_training.CASES.items():
        case = nlp_training.alone(make)
        loaded = paddle.jit.load(os.path.join(folder, name))
        loaded.eval()
        try:
            got = nlp_training.flat(loaded(*[paddle.to_tensor(a) for a in case.exported]))
        except RuntimeError as error:  # GPT calls 1.x's expand_as, which 2.6.2 has no more
            print("%s: %s" % (name, str(error).strip().splitlines()[-3:]))
            continue
        away = [float(np.abs(a - own["%s_out%d" % (name, i)]).max()) for i, a in enumerate(got)]
        print("%s, exported there and loaded here: outputs differ by at most" % name, away)


if __name__ == "__main__":
    import stand_ins

    stand_ins.install()
    make_fluid()
    import nlp_training

    if sys.argv[1:]:
        compare(sys.argv[1])
    else:
        nlp_training.main([os.path.join(ROOT, "tests", "data", "paddlenlp-2.0.8.npz")])
        import clas_backbones

        clas_backbones.main(os.path.join(ROOT, "tests", "data", "paddleclas-2.2.1.npz"))
