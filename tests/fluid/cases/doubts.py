"""Sequence convolutions with other starts and trained padding, lod_append, Bilinear, py_func."""

import numpy as np

X = np.cos(np.arange(24, dtype="float32")).reshape(2, 4, 3)
ROWS = X.reshape(12, 2)[:6]


def case_sequence_conv_starts(fluid):
    x = fluid.data("x", [None, 2], lod_level=1)
    outs = []
    for start in (1, 0, -1, -2, 2):
        out = fluid.layers.sequence_conv(x, 3, 3, padding_start=start, bias_attr=False)
        outs.append(out * out)
    return {"x": (ROWS, [[1, 0, 2, 3]])}, outs


def _trained(start):
    def case(fluid):
        block = fluid.default_main_program().current_block()
        x = fluid.data("x", [None, 2], lod_level=1)
        size = max(0, -start) + max(0, start + 2)
        make = fluid.layers.create_parameter
        weight, padding = make([6, 3], "float32", name="w"), make([size, 2], "float32", name="p")
        out = block.create_var(name="out", dtype="float32")
        block.append_op(
            type="sequence_conv", outputs={"Out": out},
            inputs={"X": [x], "Filter": [weight], "PaddingData": [padding]},
            attrs={"contextStride": 1, "contextStart": start, "contextLength": 3,
                   "paddingTrainable": True},
        )  # fmt: skip
        return {"x": (ROWS, [[1, 2, 3]])}, [out * out]

    return case


case_sequence_conv_trained = _trained(-1)
case_sequence_conv_trained_before = _trained(-2)
case_sequence_conv_trained_behind = _trained(0)


def case_lod_append(fluid):
    x = fluid.data("x", [6, 2], lod_level=1)
    out = fluid.layers.lod_append(x * x, [0, 1, 2, 3, 4, 5, 6])
    pooled = fluid.layers.sequence_pool(out, "sum")
    return {"x": (ROWS, [[1, 2, 3]])}, [pooled * pooled]


def case_bilinear(fluid):
    made = []
    for shape in ([2, 1, 4, 4], [3, 2, 3, 3], [1, 1, 5, 5]):
        init = fluid.initializer.Bilinear()
        made.append(fluid.layers.create_parameter(shape, "float32", default_initializer=init))
    return {}, made


case_bilinear.grad = False


def case_py_func(fluid):
    def forward(a):
        return np.tanh(np.array(a))

    def backward(a, y, d_y):
        return np.array(d_y) * (1 - np.square(np.array(y)))

    x = fluid.data("x", [4, 3])
    h = fluid.layers.fc(x, 3)
    out = fluid.default_main_program().current_block().create_var(
        name="o", dtype="float32", shape=[4, 3]
    )  # fmt: skip
    fluid.layers.py_func(forward, h, out, backward_func=backward)
    loss = fluid.layers.mean(out)
    fluid.optimizer.SGD(0.5).minimize(loss)
    return {"x": X[0]}, [loss]


case_py_func.steps = 3
case_py_func.program = False  # numbers of functions are the process's
case_lod_append.program = False  # 1.8.5 says how many rows sequence_pool gives
