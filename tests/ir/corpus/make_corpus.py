"""Writes the program files of this folder; run by a real PaddlePaddle, 1.8.5 or 2.6.2, in here.

Of each release: a training program with control flow and sparse gradients (``train_*.pb``), an
inference model with its parameters, and what it computes (``infer_*.npz``). Call stacks are taken
out, for they quote the sources of the release.
"""

import sys

import numpy as np

R = np.random.RandomState(0)
X = R.randn(5, 4).astype("float32")
Y = np.array([[1], [0], [2], [1], [3]], "int64")


def bare(data):
    """Takes the call stacks out of a program file."""
    try:
        from paddle.base.proto.framework_pb2 import ProgramDesc
    except ImportError:
        from paddle.fluid.proto.framework_pb2 import ProgramDesc
    program = ProgramDesc.FromString(data)
    for block in program.blocks:
        for op in block.ops:
            for at in reversed(range(len(op.attrs))):
                if op.attrs[at].name == "op_callstack":
                    del op.attrs[at]
    return program.SerializeToString()


def bare_file(path):
    with open(path, "rb") as file:
        data = file.read()
    write(path, bare(data))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def new():
    import paddle

    paddle.enable_static()
    static = paddle.static
    main, start = static.Program(), static.Program()
    with static.program_guard(main, start):
        x = static.data("x", [-1, 4], "float32")
        y = static.data("y", [-1, 1], "int64")
        h = static.nn.fc(x, 8, activation="relu")
        h = static.nn.batch_norm(h)
        e = paddle.sum(static.nn.embedding(y, [10, 8], is_sparse=True), axis=1)
        out = paddle.nn.functional.softmax(static.nn.fc(h + e, 3))
        infer = main.clone(for_test=True)
        loss = paddle.mean(paddle.nn.functional.cross_entropy(out, y % 3, use_softmax=False))
        loss = loss + 0.0 * paddle.nn.functional.dropout(out, paddle.full([1], 0.3)).mean()
        i, n = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
        paddle.static.nn.while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s * 2], [i, loss])
        static.nn.cond(loss > 1.0, lambda: loss * 2, lambda: loss - 1)
        for dtype in ("bool", "int64", "float32"):
            paddle.assign(np.array([1, 0, 1], dtype))
        static.py_func(
            lambda t: t, loss, main.global_block().create_var(name="p", shape=[1], dtype="float32")
        )
        paddle.optimizer.Adam(1e-3, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)).minimize(loss)
    write("train_2.6.2.pb", bare(main.desc.serialize_to_string()))
    exe = static.Executor()
    exe.run(start)
    found = exe.run(infer, feed={"x": X, "y": Y}, fetch_list=[out.name])[0]
    np.savez("infer_2.6.2.npz", x=X, y=Y, out=found)
    static.save_inference_model("infer_2.6.2", [x, y], [out], exe, program=infer)
    bare_file("infer_2.6.2.pdmodel")


def old():
    import paddle.fluid as fluid

    layers = fluid.layers
    main, start = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, start):
        x = fluid.data("x", [None, 4], "float32")
        y = fluid.data("y", [None, 1], "int64")
        h = layers.batch_norm(layers.fc(x, 8, act="relu"))
        e = layers.embedding(y, [10, 8], is_sparse=True)
        out = layers.fc(h + layers.reshape(e, [-1, 8]), 3, act="softmax")
        infer = main.clone(for_test=True)
        loss = layers.mean(layers.cross_entropy(layers.dropout(out, 0.3), y))
        i, n = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 3)
        layers.while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s * 2.0], [i, loss])
        layers.cond(loss > 1.0, lambda: loss * 2.0, lambda: loss - 1.0)
        layers.array_write(loss, i)
        fluid.optimizer.Adam(1e-3).minimize(loss)
    write("train_1.8.5.pb", bare(main.desc.serialize_to_string()))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(start)
    found = exe.run(infer, feed={"x": X, "y": Y}, fetch_list=[out.name])[0]
    np.savez("infer_1.8.5.npz", x=X, y=Y, out=found)
    fluid.io.save_inference_model(
        ".", ["x", "y"], [out], exe, infer, "infer_1.8.5.pdmodel", "infer_1.8.5.pdiparams"
    )
    bare_file("infer_1.8.5.pdmodel")


if __name__ == "__main__":
    old() if sys.version_info < (3, 8) else new()
