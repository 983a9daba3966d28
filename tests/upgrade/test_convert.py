"""The text that comes out: traps, names and scopes, activations, guards, imports, comments."""

import sys
import textwrap
from pathlib import Path

import pytest

import paddle_upgrade_tool
from paddle_upgrade_tool.convert import convert

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = "import paddle\nimport paddle.fluid as fluid\n"


def upgraded(text, head=HEAD):
    """Convert a file, twice; return the text after the imports, and the findings."""
    whole = head + textwrap.dedent(text)
    new, findings, _ = convert(whole)
    assert convert(new)[0] == new, "a second run changes more"
    compile(new, "new", "exec")
    return new, findings


def body(text, head=HEAD):
    new, _ = upgraded(text, head)
    lines = [
        line for line in new.splitlines() if not line.startswith(("import paddle", "from paddle"))
    ]
    return "\n".join(lines).strip("\n")


# One line each: what is written, and what becomes of it ("" where it stays, and is reported).
TRAPS = [
    ("1 cross_entropy", "fluid.layers.cross_entropy(p, l)",
     'paddle.nn.functional.cross_entropy(p, l, reduction="none", use_softmax=False)'),
    ("2 softmax_with_cross_entropy", "fluid.layers.softmax_with_cross_entropy(p, l)",
     "paddle.nn.functional.softmax_with_cross_entropy(p, l)"),
    ("3 sigmoid", "fluid.layers.sigmoid_cross_entropy_with_logits(x=p, label=l)",
     'paddle.nn.functional.binary_cross_entropy_with_logits(logit=p, label=l, reduction="none")'),
    ("3 ignore_index", "fluid.layers.sigmoid_cross_entropy_with_logits(p, l, ignore_index=-1)", ""),
    ("3 normalize", "fluid.layers.sigmoid_cross_entropy_with_logits(p, l, normalize=True)", ""),
    ("4 dropout", "fluid.layers.dropout(x, 0.5)", ""),
    ("5 hard_sigmoid", "fluid.layers.hard_sigmoid(x)", "paddle.nn.functional.hardsigmoid(x, slope=0.2)"),
    ("6 leaky_relu", "fluid.layers.leaky_relu(x)",
     "paddle.nn.functional.leaky_relu(x, negative_slope=0.02)"),
    ("7 argmax", "fluid.layers.argmax(x)", "paddle.argmax(x, axis=0)"),
    ("7 argmin", "fluid.layers.argmin(x, -1)", "paddle.argmin(x, -1)"),
    ("8 expand", "fluid.layers.expand(x, expand_times=[2, 1])", "paddle.tile(x, repeat_times=[2, 1])"),
    ("9 axis", "fluid.layers.elementwise_add(x, y, axis=0)", ""),
    ("9 axis by place", "fluid.layers.elementwise_mul(x, y, 1)", ""),
    ("9 last axis", "fluid.layers.elementwise_add(x, y, axis=-1)", "paddle.add(x, y)"),
    ("10 embedding", "fluid.layers.embedding(x, [9, 3])",
     "paddle.static.nn.embedding(paddle.squeeze(x, axis=[-1]), [9, 3])"),
    ("10 embedding, levels", "fluid.layers.embedding(x, [9, 3]), fluid.layers.sequence_pool(y, 'max')",
     "paddle.static.nn.embedding(paddle.reshape(x, x.shape[:-1]), [9, 3]), "
     "paddle.static.nn.sequence_pool(y, 'max')"),
    ("10 fluid.embedding", "fluid.embedding(x, [9, 3])", "paddle.static.nn.embedding(x, [9, 3])"),
    ("10 one_hot", "fluid.layers.one_hot(x, depth=4)",
     "paddle.nn.functional.one_hot(paddle.squeeze(x, axis=[-1]), num_classes=4)"),
    ("11 data", "fluid.layers.data('x', [3], dtype='int64')",
     "paddle.static.data('x', [None, 3], dtype='int64')"),
    ("11 known batch", "fluid.layers.data(name='x', shape=[-1, 3])",
     "paddle.static.data(name='x', shape=[-1, 3])"),
    ("11 appended off", "fluid.layers.data('x', [2, 3], False, 'int64')",
     "paddle.static.data('x', [2, 3], dtype='int64')"),
    ("11 sizes by name", "fluid.layers.data('x', [SIZE, 2])", "paddle.static.data('x', [None, SIZE, 2])"),
    ("11 unknown size by name", "fluid.layers.data('x', [UNKNOWN, 2])", "paddle.static.data('x', [UNKNOWN, 2])"),
    ("11 sizes by a name bound twice", "fluid.layers.data('x', [TWICE, 2])", ""),
    ("11 unknown shape", "fluid.layers.data('x', shape)", ""),
    ("11 gradient", "fluid.layers.data('x', [3], stop_gradient=False)", ""),
    ("12 mean", "fluid.layers.mean(x)", "paddle.mean(x)"),
    ("13 smooth_l1", "fluid.layers.smooth_l1(x, y)",
     "paddle.sum(paddle.flatten(paddle.nn.functional.smooth_l1_loss(x, y, "
     'reduction="none"), start_axis=1), axis=1, keepdim=True)'),
    ("13 weights", "fluid.layers.smooth_l1(x, y, inside_weight=w)", ""),
    ("14 resize", "fluid.layers.resize_bilinear(x, [4, 4])",
     'paddle.nn.functional.interpolate(x, size=[4, 4], mode="bilinear", align_corners=True, align_mode=1)'),
    ("14 nearest", "fluid.layers.resize_nearest(x, [4, 4])", ""),
    ("15 fc", "fluid.layers.fc([x, y], 3, act='relu')", "paddle.static.nn.fc([x, y], 3, activation='relu')"),
    ("16 optimizer", "fluid.optimizer.SGD(0.1, ps, regularization=r)",
     "paddle.optimizer.SGD(0.1, ps, weight_decay=r)"),
    ("16 schedule", "fluid.layers.noam_decay(64, 10)", ""),
    ("16 dygraph schedule", "fluid.dygraph.NoamDecay(64, 10)", ""),
    ("17 save", "fluid.io.save_inference_model('d', ['x'], [y], exe)", ""),
    ("17 load", "fluid.io.load_inference_model('d', exe)", ""),
    ("17 load_dygraph", "fluid.dygraph.load_dygraph('d')", ""),
    ("18 sum", "fluid.layers.sum([x, y])", "paddle.add_n([x, y])"),
    ("row 266 is not binary_cross_entropy", "fluid.layers.reduce_sum(x, 1, True)", "paddle.sum(x, 1, keepdim=True)"),
    ("gather", "fluid.layers.gather(x, i)", ""),
    ("gather, added", "fluid.layers.gather(x, i, overwrite=False)", "paddle.gather(x, i)"),
    ("scatter", "fluid.layers.scatter(x, i, u)", ""),
    ("mod", "fluid.layers.elementwise_mod(x, y)", ""),
    ("cumsum", "fluid.layers.cumsum(x)", "paddle.cumsum(x, axis=-1)"),
    ("cumsum, exclusive", "fluid.layers.cumsum(x, 0, exclusive=True)", ""),
    ("lrn", "fluid.layers.lrn(x)", ""),
    ("isfinite", "fluid.layers.isfinite(x)", "paddle.all(paddle.isfinite(x))"),
    ("where", "fluid.layers.where(x > 0)", "paddle.nonzero(x > 0)"),
    ("split", "fluid.layers.split(x, 2)", "paddle.split(x, 2, axis=-1)"),
    ("flatten", "fluid.layers.flatten(x, axis=2)", ""),
    ("pad2d", "fluid.layers.pad2d(x, [1, 2, 3, 4])", "paddle.nn.functional.pad(x, pad=[3, 4, 1, 2])"),
    ("pad2d, unknown", "fluid.layers.pad2d(x, pads)", ""),
    ("pool2d", "fluid.layers.pool2d(x, 2, 'max', 2)", "paddle.nn.functional.max_pool2d(x, 2, stride=2)"),
    ("pool2d, stride 1", "fluid.layers.pool2d(x, pool_size=2)",
     "paddle.nn.functional.max_pool2d(x, kernel_size=2, stride=1)"),
    ("pool2d, unknown", "fluid.layers.pool2d(x, 2, kind)", ""),
    ("adam, epsilon", "fluid.optimizer.Adam(0.1, epsilon=1e-4)", ""),
    ("prelu layer", "fluid.dygraph.PRelu('all')", "paddle.nn.PReLU(init=1.0)"),
    ("layer_norm", "fluid.dygraph.LayerNorm(4, scale=False)", "paddle.nn.LayerNorm(4, weight_attr=False)"),
    ("embedding layer", "fluid.dygraph.Embedding(size, is_sparse=True)", "paddle.nn.Embedding(*size, sparse=True)"),
    ("data loader", "fluid.io.DataLoader(d)", "paddle.io.DataLoader(d, return_list=False)"),
    ("save", "fluid.save(program, 'p')", "paddle.static.save(program, 'p')"),
    ("stars", "fluid.layers.reduce_sum(*args)", ""),
    ("stars, same call", "fluid.layers.conv2d(*args, **more)", "paddle.static.nn.conv2d(*args, **more)"),
    ("unknown argument", "fluid.layers.reduce_sum(x, axis=1)", ""),
    ("unknown name", "fluid.layers.no_such_layer(x)", ""),
    ("act, unknown", "fluid.layers.elementwise_add(x, y, act=act)", ""),
    ("act", "fluid.layers.elementwise_add(x, y, act='relu')", "paddle.nn.functional.relu(paddle.add(x, y))"),
    ("act, None", "fluid.layers.elementwise_add(x, y, act=None)", "paddle.add(x, y)"),
    ("unique", "fluid.layers.unique(x)", ""),
    ("sequences", "fluid.layers.sequence_pool(x, 'max')", "paddle.static.nn.sequence_pool(x, 'max')"),
    ("convolution and pooling", "fluid.nets.simple_img_conv_pool(x, 4, 3, 2, 2, act='relu')",
     "paddle.nn.functional.max_pool2d(paddle.static.nn.conv2d(x, 4, 3, act='relu'), 2, stride=2)"),
    ("convolution and pooling, unknown", "fluid.nets.simple_img_conv_pool(x, 4, 3, 2, 2, pool_type=kind)", ""),
    ("sequence convolution and pooling", "fluid.nets.sequence_conv_pool(x, 4, 3)",
     'paddle.static.nn.sequence_pool(paddle.static.nn.sequence_conv(x, 4, 3, act="sigmoid"), "max")'),
    ("convolutions and pooling", "fluid.nets.img_conv_group(x, [4, 8], 2)", ""),
    ("feeder that is not assigned to one name", "fluid.DataFeeder([x], place).feed(rows)", ""),
    ("cosine of what has no name", "fluid.layers.cos_sim(x + 1, y)", ""),
    ("dynamic_lstm", "fluid.layers.dynamic_lstm(x, 8)", ""),
    ("member of a class", "fluid.io.DataLoader.from_generator(feed_list=f)",
     "paddle.io.DataLoader.from_generator(feed_list=f)"),
]  # fmt: skip


@pytest.mark.parametrize("old,new", [t[1:] for t in TRAPS], ids=[t[0] for t in TRAPS])
def test_trap(old, new):
    text, findings = upgraded(f"r = {old}\nSIZE, UNKNOWN = 3, -1\nTWICE = 1\nTWICE = 2\n")
    line = next(s for s in text.splitlines() if s.startswith("r = "))
    if new:
        assert line == f"r = {new}"
        assert not [f for f in findings if f.level == "left"]
    else:
        assert line == f"r = {old}"
        (finding,) = [f for f in findings if f.level == "left"]
        assert (finding.line, finding.column) == (3, 5) and finding.message
        assert finding.name.startswith("paddle.fluid.")


STATIC = """\
image = fluid.data("image", [None, 3, 8, 8])
"""


def grouped(call):
    new = body(STATIC + call)
    start = '    paddle.static.data("image", [None, 3, 8, 8])'.strip()
    return new[new.index(start) + len(start) :].strip("\n")


def test_a_group_of_convolutions():
    assert grouped("y = fluid.nets.img_conv_group(image, [4, 8], 2)  # here\n") == (
        "y = paddle.nn.functional.max_pool2d(paddle.static.nn.conv2d(paddle.static.nn.conv2d("
        "image, 4, 3, padding=1), 8, 3, padding=1), 2, stride=1)  # here"
    )
    assert grouped(
        "def f(x, many):\n    y = fluid.nets.img_conv_group(input=x, conv_num_filter=many, pool_size=2, "
        "conv_act='relu', conv_with_batchnorm=True, conv_batchnorm_drop_rate=0.3, "
        "param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1)))\n    return y\n"
    ) == textwrap.dedent("""\
        def f(x, many):
            y = x
            for filters in many:
                y = paddle.static.nn.conv2d(y, filters, 3, padding=1, param_attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(0.1)))
                y = paddle.static.nn.batch_norm(y, act='relu')
                y = paddle.nn.functional.dropout(y, p=0.3, mode="downscale_in_infer")
            y = paddle.nn.functional.max_pool2d(y, 2, stride=1)
            return y""")  # fmt: skip


def test_a_group_of_convolutions_keeps_line_ends():
    text = HEAD + STATIC + "y = fluid.nets.img_conv_group(image, [\n    4] * 2, 2)\n"
    new = convert(text.replace("\n", "\r\n"))[0]
    assert "for filters in [\r\n    4] * 2:\r\n    y = " in new
    assert new.replace("\r\n", "\n") == convert(text)[0]


@pytest.mark.parametrize(
    "call",
    [
        "y = fluid.nets.img_conv_group(image, [4, 8], 2, conv_padding=pads)",
        "y = fluid.nets.img_conv_group(image, [4, 8], 2, conv_padding=[1])",
        "y = fluid.nets.img_conv_group(image, y, 2)",
        "y = [fluid.nets.img_conv_group(image, many, 2)]",
        "x = 1; y = fluid.nets.img_conv_group(image, many, 2)",
        "y = fluid.nets.img_conv_group(image, [4, 8],  # two\n    2)",
    ],
)
def test_a_group_of_convolutions_that_stays(call):
    assert grouped(call) == call


def test_a_feeder_becomes_a_loader():
    text = """
    def train(rows):
        x = fluid.data("x", [None, 2])
        feeder = fluid.DataFeeder(feed_list=[x, "y"], place=fluid.CUDAPlace(0), program=main)
        exe.run(main, feed=feeder.feed(rows))
        return [feeder.feed(part)["x"] for part in rows]
    """
    new = body(text)
    assert (
        'feeder = paddle.io.DataLoader.from_generator(feed_list=[x, main.global_block().var("y")], '
        "capacity=1)\n" in new
    )
    fed = (
        "next(iter(feeder.set_sample_list_generator(lambda: [{}], places=paddle.CUDAPlace(0))))[0]"
    )
    assert f"exe.run(main, feed={fed.format('rows')})" in new
    assert f'return [{fed.format("part")}["x"] for part in rows]' in new


@pytest.mark.parametrize(
    "text",
    [
        "feeder = fluid.DataFeeder([x], place())\nfeeder.feed(rows)\n",
        "feeder = fluid.DataFeeder(xs, fluid.CPUPlace())\nfeeder.feed(rows)\n",
        "feeder = fluid.DataFeeder([x], fluid.CPUPlace())\nfeeder.feed_parallel(rows, 2)\n",
        "feeder = fluid.DataFeeder([x], fluid.CPUPlace())\ntrain(feeder)\n",
        "feeder = fluid.DataFeeder([x], fluid.CPUPlace())\nfeeder.feed((n := rows))\n",
        "feeder = fluid.DataFeeder([x], fluid.CPUPlace())\nfeeder = None\nfeeder.feed(rows)\n",
    ],
)
def test_a_feeder_that_stays(text):
    new, findings = upgraded(text)
    assert "fluid.DataFeeder(" in new
    assert "paddle.fluid.DataFeeder" in [f.name for f in findings if f.level == "left"]


@pytest.mark.parametrize(
    "use",
    ["train(reader)", "reader.next()", "reader.queue.size()", "y = reader.decorate_batch_generator(f)",
     "f = reader.start"],
)  # fmt: skip
def test_a_reader_that_stays(use):
    text = f"x = fluid.data('x', [2])\nreader = fluid.io.PyReader([x], 4)\n{use}\n"
    new, findings = upgraded(text)
    assert f"reader = fluid.io.PyReader([x], 4)\n{use}" in new
    assert "paddle.fluid.io.PyReader" in [f.name for f in findings if f.level == "left"]


def test_operands_are_lined_up_where_their_ranks_are_known():
    text = """
    x = fluid.data("x", [None, 3, 4, 5])
    y = fluid.layers.data("y", [4])
    c = fluid.layers.elementwise_mul(x, fluid.layers.reshape(z, [-1]), axis=1)
    c = fluid.layers.elementwise_add(x=x, y=y, axis=0, act="relu")
    c = fluid.layers.elementwise_sub(a, fluid.layers.reshape(z, [-1]), 2)
    c = fluid.layers.elementwise_sub(fluid.layers.log(x=a), fluid.layers.reshape(z, [-1]), axis=0)
    c = fluid.layers.elementwise_sub(a, y, axis=0)
    c = fluid.layers.elementwise_sub(fluid.layers.relu(a), z, axis=0)
    """
    assert body(text).splitlines()[-6:] == [
        "c = paddle.multiply(x, paddle.unsqueeze(paddle.reshape(z, [-1]), axis=[1, 2]))",
        "c = paddle.nn.functional.relu(paddle.add(x=x, y=paddle.unsqueeze(y, axis=[2, 3])))",
        "c = paddle.subtract(a, paddle.reshape(paddle.reshape(z, [-1]), shape=[-1] + [1] * (len(a.shape) - 3)))",
        "c = paddle.subtract(paddle.log(x=a), paddle.reshape(paddle.reshape(z, [-1]), shape=[-1] + [1] * (len(a.shape) - 1)))",
        "c = fluid.layers.elementwise_sub(a, y, axis=0)",
        "c = fluid.layers.elementwise_sub(paddle.nn.functional.relu(a), z, axis=0)",
    ]  # fmt: skip


def test_operators_that_mean_something_else_are_noted():
    text = """\
    x, one = fluid.data("x", [None, 4]), 1
    x = fluid.data("x", [None, 4])
    w = fluid.data("w", [None, 4])
    y = fluid.data("y", [None])
    i = fluid.layers.data("i", [1], dtype="int64")
    a = w * y + w - 1
    b = w + fluid.layers.reduce_sum(w, dim=1)
    d = i / 2
    e = 3.0 * y + i // 2 + w / i + y * y + w * fluid.layers.reduce_sum(w, dim=1, keep_dim=True)
    def f(q, y):
        return q * y
    def g(q):
        return q - y
    """
    new, findings = upgraded(text)
    found = [(f.line, f.name) for f in findings if f.level == "note"]
    assert found == [(8, "operator *"), (9, "operator +"), (10, "operator /"), (15, "operator -")]
    assert "a = w * y + w - 1" in new


# ------------------------------------------------------------------ names
def test_a_module_under_another_name_goes():
    head = "import paddle.fluid as fluid\n\nlayers = fluid.layers\nL = layers\n\n"
    new, findings = upgraded("def f(x):\n    return L.relu(layers.concat(x))\n", head)
    assert not findings
    assert new.replace("\n\n\n", "\n\n") == (
        "import paddle\n\ndef f(x):\n    return paddle.nn.functional.relu(paddle.concat(x))\n"
    )


def test_a_module_under_another_name_stays_for_what_stays():
    head = "import paddle.fluid as fluid\n\nlayers = fluid.layers\n"
    new, findings = upgraded("a, b = layers.relu(x), layers.While(x)\n", head)
    assert (
        "layers = fluid.layers\n" in new and "paddle.nn.functional.relu(x), layers.While(x)" in new
    )
    assert [(f.line, f.name) for f in findings] == [
        (3, "paddle.fluid.layers"), (4, "paddle.fluid.layers.While")]  # fmt: skip


@pytest.mark.parametrize(
    "more", ["layers = None\n", "def g():\n    global layers\n    layers = 1\n"]
)
def test_a_module_under_a_name_bound_twice(more):
    new, findings = upgraded("layers = fluid.layers\ny = layers.relu(x)\n" + more)
    assert "y = layers.relu(x)" in new and "layers = fluid.layers" in new
    assert any("several ways" in f.message for f in findings)


def test_a_parameter_of_that_name_is_something_else():
    text = "layers = fluid.layers\ndef g(layers):\n    return layers.relu(1)\n"
    assert "return layers.relu(1)" in body(text)


@pytest.mark.parametrize(
    "head,use",
    [
        ("import paddle.fluid as fluid", "fluid.layers.relu(x)"),
        ("import paddle.fluid", "paddle.fluid.layers.relu(x)"),
        ("from paddle import fluid", "fluid.layers.relu(x)"),
        ("from paddle import fluid as F", "F.layers.nn.relu(x)"),
        ("import paddle.fluid.layers as L", "L.relu(x)"),
        ("from paddle.fluid import layers", "layers.relu(x)"),
        ("from paddle.fluid.layers import relu", "relu(x)"),
        ("from paddle.fluid.layers import relu as r, tanh", "r(x)"),
        ("from paddle.fluid.layers import *", "relu(x)"),
        ("from paddle.fluid import *", "layers.relu(x)"),
        (
            "try:\n    import paddle.fluid as fluid\nexcept ImportError:\n    raise",
            "fluid.layers.relu(x)",
        ),
        ("import os, paddle.fluid as fluid", "fluid.layers.relu(x)"),
    ],
)
def test_every_way_to_import(head, use):
    new, findings, _ = convert(f"{head}\n\n\ndef f(x):\n    return {use}\n")
    assert "fluid" not in new and not findings
    assert "    return paddle.nn.functional.relu(x)\n" in new
    assert new.count("import paddle") == 1
    assert ("import os" in head) == ("import os" in new)


def test_an_import_inside_a_function():
    text = "def f(x):\n    import paddle.fluid as fluid\n    return fluid.layers.relu(x)\n"
    new, _, _ = convert(text)
    assert new == "def f(x):\n    import paddle\n    return paddle.nn.functional.relu(x)\n"
    only = "import paddle\n\ndef f(x):\n    import paddle.fluid as fluid\n\npaddle.batch(f, 1)\n"
    assert "    pass\n" in convert(only)[0]


def test_imports_inside_functions_that_stay():
    text = """
    def f(x):
        import paddle.fluid as fluid
        from paddle.fluid.framework import Program
        return fluid.layers.mean(x), fluid.core.thing, Program()

    def g(x):
        import paddle.fluid as fluid
        return fluid.core.thing
    """
    new, _ = upgraded(text, "import os\n")
    assert new.count("import paddle\n") == 1 and new.count("import paddle.fluid as fluid\n") == 2
    assert "return paddle.mean(x), fluid.core.thing, paddle.static.Program()" in new
    exe = "def f():\n    import paddle.fluid as fluid\n    return fluid.Executor()\n"
    assert convert(exe)[0].startswith("import paddle\n\npaddle.enable_static()\n\ndef f():")


def test_constants():
    code = "d = fluid.core.VarDesc.VarType.FP32\n"
    assert body(code) == "d = paddle.float32"


def test_shadowed_names_are_left_alone():
    text = '''
    def f(fluid):
        return fluid.layers.mean(1)

    def g(xs):
        fluid = object()
        return [fluid.layers.mean(x) for x in xs]

    h = lambda fluid: fluid.layers.mean(2)
    k = [fluid.layers.mean(3) for fluid in ()]
    '''  # fmt: skip
    old = textwrap.dedent(text).strip("\n")
    assert body(text).strip("\n").splitlines()[0:7] == old.splitlines()[0:7]
    assert "lambda fluid: fluid.layers.mean(2)" in body(text)
    assert "[fluid.layers.mean(3) for fluid in ()]" in body(text)
    seen = body(
        "class A:\n    fluid = 1\n    def f(self, x):\n        return fluid.layers.mean(x)\n"
    )
    assert "paddle.mean(x)" in seen


def test_a_name_bound_in_two_ways_is_reported():
    head = "try:\n    import paddle.fluid as fluid\nexcept ImportError:\n    fluid = None\n"
    new, findings = upgraded("r = fluid.layers.mean(x)\n", head)
    assert "fluid.layers.mean(x)" in new
    assert [f.line for f in findings if f.level == "left"] == [5]


def test_paddle_as_another_name():
    new, findings = upgraded("def f(paddle):\n    return fluid.layers.mean(paddle)\n")
    assert "fluid.layers.mean(paddle)" in new and findings[0].level == "left"


def test_what_remains_keeps_its_import():
    new, findings = upgraded(
        "a = relu(x)\nb = huber_loss(x, y)\n",
        "import paddle\nfrom paddle.fluid.layers import huber_loss, relu\n",
    )
    assert "from paddle.fluid.layers import huber_loss\n" in new and "relu," not in new
    assert [(f.line, f.column) for f in findings] == [(4, 5)]


def test_names_in_strings_and_f_strings():
    new, findings = upgraded('a = "fluid.layers.mean"\nb = f"{fluid.layers.mean(x)}"\n')
    assert '"fluid.layers.mean"' in new and 'f"{fluid.layers.mean(x)}"' in new
    assert [f.line for f in findings] == [4] and "import paddle.fluid as fluid" in new


def test_a_function_that_is_no_call():
    new, findings = upgraded(
        "a = map(fluid.layers.relu, xs)\nb = map(fluid.layers.reduce_sum, xs)\n"
    )
    assert "map(paddle.nn.functional.relu, xs)" in new
    assert "map(fluid.layers.reduce_sum, xs)" in new and len(findings) == 1
    assert "isinstance(x, (paddle.nn.Linear, int))" in body(
        "a = isinstance(x, (fluid.dygraph.Linear, int))\n"
    )


# ------------------------------------------------------------ activations
def test_act_goes_around_the_calls():
    text = """
    class Net(fluid.dygraph.Layer):
        def __init__(self):
            super(Net, self).__init__()
            self.fc = fluid.dygraph.Linear(3, 4, act="tanh")

        def forward(self, x):
            return self.fc(self.fc(x)) + self.fc.weight
    """
    new = body(text)
    assert "self.fc = paddle.nn.Linear(3, 4)\n" in new
    assert "return paddle.tanh(self.fc(paddle.tanh(self.fc(x)))) + self.fc.weight" in new


def test_act_of_classes_with_the_same_attribute():
    one = """
    class {0}(fluid.dygraph.Layer):
        def __init__(self):
            self.fc = fluid.dygraph.Linear(3, 4, act="tanh")

        def forward(self, x):
            return self.fc(x)
    """
    new = body(one.format("A") + one.format("B"))
    assert new.count("return paddle.tanh(self.fc(x))") == 2
    derived = one.format("A") + one.format("B").replace("fluid.dygraph.Layer", "A")
    assert 'act="tanh"' in body(derived)


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    return fluid.dygraph.Linear(3, 4, act='tanh')\n",
        "net = [fluid.dygraph.Linear(3, 4, act='tanh')]\n",
        "fc = fluid.dygraph.Linear(3, 4, act='tanh')\nkeep(fc)\n",
        "fc = fluid.dygraph.Linear(3, 4, act=kind)\ny = fc(x)\n",
        "fc = fluid.dygraph.Linear(3, 4, act='tanh')\nfc = fluid.dygraph.Linear(3, 4)\ny = fc(x)\n",
        "class A(fluid.dygraph.Layer):\n    def __init__(self):\n"
        "        self.fc = fluid.dygraph.Linear(3, 4, act='tanh')\n\n\ny = A().fc(x)\n",
        "fc = fluid.dygraph.Linear(3, 4, act='no_such')\ny = fc(x)\n",
    ],
)
def test_act_is_never_dropped(code):
    new, findings = upgraded(code)
    assert "act=" in new and [f for f in findings if f.level == "left" and "act" in f.message]
    assert "fluid.dygraph.Linear(3, 4, act=" in new and "tanh(" not in new.replace("'tanh')", "")


# ----------------------------------------------------------------- guards
def test_guard_moves_its_block_to_the_left():
    text = '''
    def train(place):
        with fluid.dygraph.guard(place):  # here
            x = """
            not moved
        """
            # a comment
            if x:

                y = (1 +
                     2)
        return y
    '''
    want = '''
    def train(place):
        paddle.disable_static(place)  # here
        x = """
            not moved
        """
        # a comment
        if x:

            y = (1 +
                 2)
        return y
    '''
    assert body(text) == textwrap.dedent(want).strip("\n")


def test_guard_beside_static_code():
    text = """
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.dygraph.guard():
        a = fluid.layers.mean(x)
    b = 1
    """
    new = body(text)
    assert "paddle.enable_static()\n" in new
    assert (
        "paddle.disable_static()\ntry:\n    a = paddle.mean(x)\nfinally:\n"
        "    paddle.enable_static()\nb = 1" in new
    )


@pytest.mark.parametrize("open_, close", [("", ""), ("(", ")")])
def test_guard_before_other_items(open_, close):
    text = f"""\
    def f():
        with {open_}fluid.dygraph.guard(place), fluid.unique_name.guard(), open(g) as h{close}:  # here
            a = fluid.dygraph.to_variable(b)
    """
    want = f"""\
    def f():
        paddle.disable_static(place)
        with {open_}paddle.utils.unique_name.guard(), open(g) as h{close}:  # here
            a = paddle.to_tensor(b)"""
    assert body(text) == textwrap.dedent(want)


def test_guard_before_other_items_beside_static_code():
    text = "exe = fluid.Executor()\nwith fluid.dygraph.guard(), open(g):\n    pass\n"
    new, findings = upgraded(text)
    assert "with fluid.dygraph.guard(), open(g):" in new and len(findings) == 1


def test_guards_that_stay():
    new, findings = upgraded(
        "with fluid.dygraph.guard() as g:\n    pass\nh = fluid.dygraph.guard\n"
    )
    assert "with fluid.dygraph.guard() as g" in new and len(findings) == 2


def test_lines_are_those_of_the_old_file():
    text = "exe = fluid.Executor()\nwith fluid.dygraph.guard():\n    pass\nfluid.layers.huber_loss(x, y)\n"
    _, findings = upgraded(text)
    assert [(f.line, f.column) for f in findings] == [(6, 1)]


# --------------------------------------------------------------- training
def test_minimize_takes_parameters():
    text = """\
    opt = fluid.optimizer.SGD(0.1)
    opt.minimize(a, b, parameter_list=c)
    fluid.optimizer.SGD(0.1).minimize(a, parameter_list=c)
    other.minimize(a, parameter_list=c)
    """
    assert body(text).splitlines() == [
        "opt = paddle.optimizer.SGD(0.1)", "opt.minimize(a, b, parameters=c)",
        "paddle.optimizer.SGD(0.1).minimize(a, parameters=c)",
        "other.minimize(a, parameter_list=c)",
    ]  # fmt: skip


def test_optimizer_stays_with_a_schedule_out_of_sight():
    text = """\
    def rate():
        return fluid.layers.noam_decay(64, 10)
    a = fluid.optimizer.SGD(rate())
    b = fluid.optimizer.SGD(learning_rate=given).minimize(loss, parameter_list=c)
    d = fluid.optimizer.SGD(0.1)
    """
    new, findings = upgraded(text)
    assert "a = fluid.optimizer.SGD(rate())" in new and "d = paddle.optimizer.SGD(0.1)" in new
    assert "b = fluid.optimizer.SGD(learning_rate=given).minimize(loss, parameter_list=c)" in new
    assert len(findings) == 3 and "may be a schedule" in findings[1].message


def test_training_by_hand():
    text = """
    net = Net()
    rate = fluid.dygraph.PiecewiseDecay([2], [0.1, 0.01], 0)
    opt = fluid.optimizer.SGD(rate, parameter_list=net.parameters())
    for x in xs:
        loss = net(x)
        loss.backward()
        opt.minimize(loss)  # step
        net.clear_gradients()
    """
    assert body(text).splitlines()[1:] == [
        "rate = paddle.optimizer.lr.PiecewiseDecay([2], [0.1, 0.01])",
        "opt = paddle.optimizer.SGD(rate, parameters=net.parameters())",
        "for x in xs:", "    loss = net(x)", "    loss.backward()", "    opt.step()  # step",
        "    rate.step()", "    opt.clear_grad()",
    ]  # fmt: skip


@pytest.mark.parametrize("made, rate", [
    ("rate = fluid.layers.noam_decay(512, 9)\n", "rate"),
    ("", "learning_rate=fluid.layers.exponential_decay(0.1, 9, 0.5)"),
    ("self.rate = fluid.dygraph.NoamDecay(512, 9)\n", "self.rate"),
])  # fmt: skip
def test_an_optimizer_stays_with_its_schedule(made, rate):
    new, findings = upgraded(f"{made}opt = fluid.optimizer.SGD({rate})\n")
    assert f"opt = fluid.optimizer.SGD({rate})" in new
    assert sorted(f.level for f in findings) == ["left", "left"]
    assert any("its learning rate is a paddle.fluid." in f.message for f in findings)


def test_minimize_of_a_program_stays():
    assert "opt.minimize(loss)" in body("opt = fluid.optimizer.SGD(0.1)\nopt.minimize(loss)\n")


def test_saving_and_loading():
    text = """
    class Net(fluid.dygraph.Layer):
        def keep(self, p):
            fluid.save_dygraph(self.state_dict(), p)

    net, opt = 1, 2
    net = Net()
    opt = fluid.optimizer.SGD(0.1, parameter_list=net.parameters())
    fluid.save_dygraph(net.state_dict(), "a")
    fluid.dygraph.save_dygraph(opt.state_dict(), "a/" + name)
    fluid.save_dygraph(other.state_dict(), "a")
    state, _ = fluid.load_dygraph("a")
    _, more = fluid.load_dygraph(path)
    one, two = fluid.load_dygraph(path)
    print(state, more, one, two)
    """
    new = body(text)
    assert 'paddle.save(self.state_dict(), p + ".pdparams")' in new
    assert 'paddle.save(net.state_dict(), "a.pdparams")' in new
    assert 'paddle.save(opt.state_dict(), ("a/" + name) + ".pdopt")' in new
    assert 'fluid.save_dygraph(other.state_dict(), "a")' in new
    assert 'state, _ = paddle.load("a.pdparams"), None' in new
    assert '_, more = None, paddle.load(path + ".pdopt")' in new
    assert "one, two = fluid.load_dygraph(path)" in new


def test_inference_models_that_a_file_saves_and_loads():
    text = """
    x = fluid.data(name="x", shape=[None, 3])
    fluid.io.save_inference_model("d", ["x", "z"], [y], exe)
    fluid.io.save_inference_model("e", feeded_var_names=["x"], target_vars=[y], executor=exe, main_program=main)
    a = fluid.io.load_inference_model("d", exe)
    b = fluid.io.load_inference_model(dirname="e", executor=exe)
    """
    new = body(text)
    assert '"d", [paddle.static.default_main_program().global_block().var("x"), paddle' in new
    assert '"e", feed_vars=[x], fetch_vars=[y], executor=exe, program=main)' in new
    assert 'paddle.static.load_inference_model("d", exe)' in new
    assert 'paddle.static.load_inference_model(path_prefix="e", executor=exe)' in new


def test_static_mode_is_turned_on_once():
    text = "'''doc'''\nimport paddle.fluid as fluid\nimport sys\n\nexe = fluid.Executor()\n"
    new, _, _ = convert(text)
    assert new == (
        "'''doc'''\nimport paddle\nimport sys\n\npaddle.enable_static()\n\n"
        "exe = paddle.static.Executor()\n"
    )
    library = "import paddle.fluid as fluid\n\ndef net(x):\n    return fluid.layers.fc(x, 3)\n"
    assert "enable_static" not in convert(library)[0]
    dynamic = "import paddle.fluid as fluid\nfluid.enable_dygraph()\n"
    assert convert(dynamic)[0] == "import paddle\npaddle.disable_static()\n"


def test_dropout_asks_the_layer():
    text = """
    class Net(fluid.dygraph.Layer):
        def forward(self, x):
            return fluid.layers.dropout(x, dropout_prob=0.5)
    """
    assert 'dropout(x, p=0.5, training=self.training, mode="downscale_in_infer")' in body(text)
    static = "x = fluid.data('x', [3])\ny = fluid.layers.dropout(x, 0.5, is_test=test)\n"
    assert 'dropout(x, 0.5, training=not test, mode="downscale_in_infer")' in body(static)


# --------------------------------------------------- comments and the like
def test_comments_and_blanks_stay():
    text = """
    # before
    y = fluid.layers.reduce_mean(  # the call
        input=x,  # what
        # about the next
        dim=[0,
             1],   # where
        keep_dim = True  # last
    )  # after
    z = fluid.layers.softmax(x,
                             use_cudnn=False,  # slow
                             axis=1)
    conv = fluid.dygraph.Conv2D(3, 4, 5,
                                act=None)  # none
    """
    want = """
    # before
    y = paddle.mean(  # the call
        x=x,  # what
        # about the next
        axis=[0,
             1],   # where
        keepdim = True  # last
    )  # after
    z = paddle.nn.functional.softmax(x,  # slow
                             axis=1)
    conv = paddle.nn.Conv2D(3, 4, 5)  # none
    """
    assert body(text) == textwrap.dedent(want).strip("\n")
    more = "y = fluid.layers.hard_sigmoid(\n    x,  # here\n)\nz = fluid.layers.argmax(\n    x  # c\n)\n"
    new = body(more)
    assert "# here" in new and "slope=0.2" in new and "# c" in new and "axis=0" in new


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_stay(newline):
    text = (
        "import paddle.fluid as fluid\nfor x in xs:\n\ty = fluid.layers.reduce_sum(x,\n\t\tdim=1)\n"
        "\tif y:\n\t        z = fluid.layers.mean(\n\ty)\n"
    ).replace("\n", newline)
    new, _, _ = convert(text)
    assert new.count("\n") == text.count("\n") and new.count("\r") == text.count("\r")
    assert "fluid" not in new and f"paddle.sum(x,{newline}\t\taxis=1)" in new
    compile(new, "new", "exec")


def test_no_end_of_line_and_wide_characters():
    text = 'import paddle.fluid as fluid\ns = "漢字"; y = fluid.layers.mean("é" + s)'
    assert convert(text)[0] == 'import paddle\ns = "漢字"; y = paddle.mean("é" + s)'
    _, findings, _ = convert('import paddle.fluid as fluid\ns = "漢字"; y = fluid.layers.lrn(x)\n')
    assert findings[0].line == 2


def test_semicolons_and_one_line_blocks():
    text = "import paddle.fluid as fluid; import os\nif os: y = fluid.layers.mean(x)\nelse: pass\n"
    assert convert(text)[0] == "import paddle; import os\nif os: y = paddle.mean(x)\nelse: pass\n"


def test_two_point_zero_code_is_left_alone():
    """The examples of this repository are 2.0 code: not a byte changes."""
    paths = sorted((ROOT / "examples").glob("*.py"))
    assert len(paths) > 15
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert convert(text) == (text, [], 0), path


def test_no_paddle_no_parsing():
    assert convert("this is no python (") == ("this is no python (", [], 0)


def test_the_package_has_the_function_and_not_the_module_of_its_name(monkeypatch):
    monkeypatch.delattr(paddle_upgrade_tool, "convert", raising=False)
    monkeypatch.delitem(sys.modules, "paddle_upgrade_tool.convert")
    assert paddle_upgrade_tool.convert is paddle_upgrade_tool.convert
    assert paddle_upgrade_tool.convert("x = 1\n")[0] == "x = 1\n"
