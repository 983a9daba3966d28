"""Guide 2.4: the layers there are, the models that come along, and the summary of LeNet."""

from __future__ import annotations

import ast

import pytest

import paddle
from tests.seeds.printed import output, squeezed

TABLE = {
    "Conv": "Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose",
    "Pool": """AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool1D
        AdaptiveMaxPool2D AdaptiveMaxPool3D AvgPool1D AvgPool2D AvgPool3D MaxPool1D MaxPool2D
        MaxPool3D""",
    "Padding": "Pad1D Pad2D",
    "Activation": """ELU GELU Hardshrink Hardtanh LeakyReLU LogSigmoid LogSoftmax PReLU ReLU ReLU6
        SELU Sigmoid Softmax Softplus Softshrink Softsign Tanh Tanhshrink""",
    "Normalization": """BatchNorm BatchNorm1D BatchNorm2D BatchNorm3D GroupNorm InstanceNorm1D
        InstanceNorm2D InstanceNorm3D LayerNorm SpectralNorm SyncBatchNorm""",
    "Recurrent NN": "BiRNN GRU GRUCell LSTM LSTMCell RNN RNNCellBase SimpleRNN SimpleRNNCell",
    "Transformer": """Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
        TransformerEncoderLayer""",
    "Dropout": "AlphaDropout Dropout",
    "Loss": """BCELoss BCEWithLogitsLoss CrossEntropyLoss CTCLoss KLDivLoss L1Loss
        MarginRankingLoss MSELoss NLLLoss SmoothL1Loss""",
    # The guide's table spells these Pad3d, Dropout2d, Dropout3d and HSigmoid; 2.0 has these names.
    "misspelt": "Pad3D Dropout2D Dropout3D HSigmoidLoss",
}
NAMES = [name for row in TABLE.values() for name in row.split()]


@pytest.mark.parametrize("name", NAMES)
def test_every_layer_of_the_table_exists(name: str) -> None:
    layer = getattr(paddle.nn, name)
    assert issubclass(layer, paddle.nn.Layer)
    assert layer.__doc__


def test_names_of_the_models() -> None:
    guide = """['ResNet', 'resnet18', 'resnet34', 'resnet50', 'resnet101', 'resnet152',
        'VGG', 'vgg11', 'vgg13', 'vgg16', 'vgg19', 'MobileNetV1', 'mobilenet_v1',
        'MobileNetV2', 'mobilenet_v2', 'LeNet']"""
    with output() as out:
        print("飞桨框架内置模型：", paddle.vision.models.__all__)
    out.is_(f"飞桨框架内置模型： {guide}")
    for name in ast.literal_eval(guide):
        assert callable(getattr(paddle.vision.models, name))


LENET = """
---------------------------------------------------------------------------
Layer (type) Input Shape Output Shape Param #
===========================================================================
Conv2D-1 [[64, 1, 28, 28]] [64, 6, 28, 28] 60
ReLU-1 [[64, 6, 28, 28]] [64, 6, 28, 28] 0
MaxPool2D-1 [[64, 6, 28, 28]] [64, 6, 14, 14] 0
Conv2D-2 [[64, 6, 14, 14]] [64, 16, 10, 10] 2,416
ReLU-2 [[64, 16, 10, 10]] [64, 16, 10, 10] 0
MaxPool2D-2 [[64, 16, 10, 10]] [64, 16, 5, 5] 0
Linear-1 [[64, 400]] [64, 120] 48,120
Linear-2 [[64, 120]] [64, 84] 10,164
Linear-3 [[64, 84]] [64, 10] 850
===========================================================================
Total params: 61,610
Trainable params: 61,610
Non-trainable params: 0
---------------------------------------------------------------------------
Input size (MB): 0.19
Forward/backward pass size (MB): 7.03
Params size (MB): 0.24
Estimated Total Size (MB): 7.46
---------------------------------------------------------------------------
"""


def test_summary_of_lenet() -> None:
    with paddle.utils.unique_name.guard():
        lenet = paddle.vision.models.LeNet()
    with output() as out:
        counts = paddle.summary(lenet, (64, 1, 28, 28))
    got = [squeezed(line) for line in out.text.strip().splitlines()]
    assert got == [squeezed(line) for line in LENET.strip().splitlines()]
    assert counts == {"total_params": 61610, "trainable_params": 61610}


SLIDE = {  # layer, input, output, parameters
    "Flatten": ("[[1, 28, 28]]", "[1, 784]", "0"),
    "Linear": ("[[1, 784]]", "[1, 1024]", "803,840"),
    "ReLU": ("[[1, 1024]]", "[1, 1024]", "0"),
}


def test_summary_of_the_slide() -> None:
    """The slide's numbers behind the layer names come from the notebook it was run in."""
    mnist = paddle.nn.Sequential(
        paddle.nn.Flatten(),
        paddle.nn.Linear(784, 1024),
        paddle.nn.ReLU(),
        paddle.nn.Linear(1024, 512),
        paddle.nn.ReLU(),
        paddle.nn.Linear(512, 10),
    )
    model = paddle.Model(mnist)
    with output() as out:
        print(model.summary((1, 28, 28)))
    lines = [squeezed(line) for line in out.text.strip().splitlines()]
    assert lines[1] == "Layer (type) Input Shape Output Shape Param #"
    for line, (kind, columns) in zip(lines[3:6], SLIDE.items()):
        assert line.startswith(f"{kind}-")
        assert line.split(" ", 1)[1] == squeezed(" ".join(columns))
    for said in (
        "Total params: 1,333,770",
        "Trainable params: 1,333,770",
        "Non-trainable params: 0",
        "Input size (MB): 0.00",
        "Forward/backward pass size (MB): 0.03",
        "Params size (MB): 5.09",
        "Estimated Total Size (MB): 5.12",
    ):
        assert said in lines
    assert lines[-1] == "{'total_params': 1333770, 'trainable_params': 1333770}"
