"""Pieces of 1.x code, one or more for each name that the upgrade tool converts.

They are text, since the tool works on text. `scripts/oracle/upgrade_185.py` runs them under
PaddlePaddle 1.8.5 and freezes what they give; the tests convert them, run the result here, and
compare. In them `{f}` is the name under test. Syntax of Python 3.7; no import of paddle.
"""

# fmt: off
import numpy as np

R = np.random.RandomState(7)


def _f(*shape):
    return R.uniform(-1, 1, shape).astype("float32")


ARRAYS = {
    "x": _f(2, 3, 4), "y": _f(2, 3, 4), "p": np.abs(_f(2, 3, 4)) + 0.1, "m": _f(3, 4),
    "n": _f(4, 5), "m2": _f(3, 4), "v": _f(4), "v2": _f(4), "img": _f(2, 4, 6, 6), "vol": _f(1, 2, 4, 4, 4),
    "i": R.randint(-5, 6, (3, 4)).astype("int64") * 2 + 1, "j": R.randint(1, 5, (3, 4)).astype("int64"),
    "b": R.rand(3, 4) > 0.5, "b2": R.rand(3, 4) > 0.5, "prob": (lambda a: a / a.sum(1, keepdims=True))(np.abs(_f(3, 4)) + 0.1),
    "soft": (lambda a: a / a.sum(1, keepdims=True))(np.abs(_f(3, 4)) + 0.1),
    "lab": np.array([[1], [3], [0]], "int64"), "lab1": np.array([1, 3, 0], "int64"),
    "ids": np.array([2, 0], "int64"), "nd": np.array([[0, 1], [2, 3]], "int64"),
    "up": _f(2, 4), "big": _f(3, 4) * 30, "one": _f(2, 1, 4), "sq": _f(2, 3, 3), "s": np.array([2.0], "float32"),
    "sign": np.sign(_f(3, 1)), "left": _f(3, 1), "right": _f(3, 1), "bin": (R.rand(3, 4) > 0.5).astype("float32"),
    "wide": _f(2, 3, 3, 4), "bad": np.array([1.0, np.inf, 2.0, np.nan], "float32"),
    "theta": _f(2, 2, 3), "grid": _f(2, 6, 6, 2), "one_hot_able": np.array([[0, 2, 1], [3, 1, 0]], "int64"),
}  # fmt: skip

DYNAMIC = """\
import numpy as np
import paddle
import paddle.fluid as fluid


def run(a):
    with fluid.dygraph.guard():
{made}
{body}
"""

GRADIENT = """\
        out = {e}
        loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(out, out))
        loss.backward()
        return [out.numpy()] + [g.gradient() for g in [{names}]]
"""

PLAIN = """\
        out = {e}
        out = list(out) if isinstance(out, (list, tuple)) else [out]
        return [o.numpy() for o in out]
"""

STATIC = """\
import numpy as np
import paddle
import paddle.fluid as fluid


def run(a):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
{made}
{body}
        out = list(out) if isinstance(out, (list, tuple)) else [out]
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    return exe.run(main, feed={feed}, fetch_list=out)
"""


def _names(expression):
    """Return the arrays that a piece of code uses."""
    import re

    found = set(re.findall(r"(?<![\w.\"'])([a-z_]\w*)(?!\s*=[^=])\b", expression))
    return [n for n in ARRAYS if n in found]


def dynamic(expression, gradient):
    names = _names(expression)
    floats = [n for n in names if ARRAYS[n].dtype == np.float32]
    made = "\n".join('        {0} = fluid.dygraph.to_variable(a["{0}"])'.format(n) for n in names)
    if gradient:
        made += "".join("\n        {}.stop_gradient = False".format(n) for n in floats)
    body = (GRADIENT if gradient else PLAIN).replace("{e}", expression)
    return DYNAMIC.replace("{made}", made).replace("{body}", body.replace("{names}", ", ".join(floats)))


def static(body):
    names = _names(body)
    made = "\n".join(
        '        {0} = fluid.data(name="{0}", shape={1}, dtype="{2}")'.format(
            n, list(ARRAYS[n].shape), ARRAYS[n].dtype)
        for n in names
    )  # fmt: skip
    lines = "\n".join("        " + line for line in body.split("\n"))
    feed = "{" + ", ".join('"{0}": a["{0}"]'.format(n) for n in names) + "}"
    return STATIC.replace("{made}", made).replace("{body}", lines).replace("{feed}", feed)


L = "paddle.fluid.layers."
D = "paddle.fluid.dygraph."
FL = "paddle.fluid."
# name -> list of (kind, code): "g" dynamic with gradients, "d" dynamic, "s" static (assigns `out`),
# "r" dynamic, random: only shapes compare, "S" static and random.
CASES = {}


def case(prefix, names, kind, *codes):
    for name in names.split():
        CASES.setdefault(prefix + name, []).extend((kind, c) for c in codes)


case(L, "abs cos erf exp floor ceil relu relu6 sigmoid sin softsign square sign tanh tanh_shrink "
        "logsigmoid softplus elu gelu hard_swish swish stanh selu thresholded_relu round acos asin atan",
     "g", "{f}(x)")  # fmt: skip
case(L, "hard_shrink softshrink", "g", "{f}(x)", "{f}(x, 0.2)")
case(L, "hard_sigmoid", "g", "{f}(x)", "{f}(x, slope=0.3)")
case(L, "leaky_relu", "g", "{f}(x)", "{f}(x, alpha=0.3)")
case(L, "elu", "g", "{f}(x, 0.5)")
case(L, "gelu", "g", "{f}(x, True)")
case(L, "selu", "g", "{f}(x, scale=None)")
case(L, "log log1p rsqrt sqrt reciprocal", "g", "{f}(p)")
case(L, "pow", "g", "{f}(p)", "{f}(p, factor=2.5)", "{f}(p, 3.0)")
case(L, "softmax", "g", "{f}(x)", "{f}(input=x, axis=1, use_cudnn=False)", "{f}(x, False, None, 1)")
case(L, "log_softmax", "g", "{f}(x)", "{f}(x, axis=1)")
case(L, "maxout", "g", "{f}(img, 2)", "{f}(img, groups=2, axis=1)")
case(L, "scale", "g", "{f}(x, scale=2.0, bias=1.0)", "{f}(x, 2.0, 1.0, False)")
case(L, "scale", "s", "out = {f}(x, 2.0, act='relu')")
case(L, "clip clamp", "g", "{f}(x, -0.3, 0.4)", "{f}(x, min=-0.3, max=0.4)")
case(L, "mean", "g", "{f}(x)")
case(L, "reduce_sum reduce_mean reduce_max reduce_min reduce_prod", "g", "{f}(p)", "{f}(p, 1)",
     "{f}(input=p, dim=[0, 2], keep_dim=True)", "{f}(p, -1, True)")  # fmt: skip
case(L, "reduce_all reduce_any", "d", "{f}(b)", "{f}(b, dim=1, keep_dim=True)", "{f}(b, 0)")
case(L, "logsumexp", "g", "{f}(x)", "{f}(x, dim=1, keepdim=True)")
case(L, "cumsum", "g", "{f}(x)", "{f}(x, axis=1)", "{f}(x, 0)")
case(L, "elementwise_add elementwise_sub elementwise_mul elementwise_max elementwise_min", "g",
     "{f}(x, y)", "{f}(x, v)", "{f}(x=x, y=m, act='tanh')", "{f}(x, y, -1, 'relu')")  # fmt: skip
case(L, "elementwise_div", "g", "{f}(x, p)", "{f}(x=x, y=p, act='sigmoid')")
case(L, "elementwise_pow", "g", "{f}(p, y)")
case(L, "elementwise_floordiv", "d", "{f}(i, j)")
case(L, "elementwise_equal equal not_equal less_than less_equal greater_than greater_equal", "d",
     "{f}(i, j)", "{f}(x=j, y=j)")  # fmt: skip
case(L, "logical_and logical_or logical_xor", "d", "{f}(b, b2)", "{f}(x=b, y=b2)")
case(L, "logical_not", "d", "{f}(b)")
case(L, "matmul", "g", "{f}(x, n)", "{f}(m, m2, transpose_y=True, alpha=0.5)", "{f}(x, y, False, True)")
case(L, "bmm", "g", "{f}(sq, sq)")
case(L, "mul", "g", "{f}(m, n)", "{f}(x=m, y=n)")
case(L, "dot", "g", "{f}(m, m2)")
case(L, "addmm", "g", "{f}(input=fluid.layers.matmul(m, n), x=m, y=n, alpha=0.5, beta=2.0)", "{f}(fluid.layers.matmul(m, n), m, n, 0.5, 2.0)")
case(L, "cross", "g", "{f}(sq, sq)", "{f}(sq, sq, 1)")
case(L, "dist", "g", "{f}(x, y)", "{f}(x, y, 3)")
case(L, "kron", "g", "{f}(m, m2)")
case(L, "t", "g", "{f}(m)")
case(L, "trace", "g", "{f}(sq, 0, 1, 2)", "{f}(m, offset=1)", "{f}(input=sq, dim1=1, dim2=2)")
case(L, "allclose", "d", "{f}(x, x)", "{f}(input=x, other=y)")
case(L, "argmax argmin", "d", "{f}(x)", "{f}(x, axis=1)", "{f}(x, -1)")
case(L, "argsort", "d", "{f}(x)", "{f}(input=x, axis=1)", "{f}(x, 1, True)")
case(L, "topk", "d", "{f}(x, 2)", "{f}(input=x, k=2)")
case(L, "concat", "g", "{f}([x, y])", "{f}(input=[x, y], axis=1)")
case(L, "stack", "g", "{f}([x, y])", "{f}([x, y], axis=1)")
case(L, "sum", "g", "{f}([x, y])", "{f}(x)")
case(L, "sums", "g", "{f}([x, y])")
case(L, "split", "d", "{f}(x, 2)", "{f}(input=x, num_or_sections=[1, 2], dim=1)", "{f}(x, 3, 1)")
case(L, "unstack", "d", "{f}(x)", "{f}(x, axis=1)")
case(L, "reshape", "g", "{f}(x, [6, 4])", "{f}(x=x, shape=[-1, 2], act='relu', inplace=False)",
     "{f}(x, shape=[0, 12])")  # fmt: skip
case(L, "transpose", "g", "{f}(x, [2, 0, 1])", "{f}(x, perm=[0, 2, 1])")
case(L, "squeeze", "g", "{f}(one, axes=[1])", "{f}(one, [1])", "{f}(input=one, axes=[])")
case(L, "unsqueeze", "g", "{f}(x, axes=[1])", "{f}(input=x, axes=[0, 2])")
case(L, "flatten", "g", "{f}(x)", "{f}(x, axis=1)")
case(L, "expand", "g", "{f}(x, [1, 2, 1])", "{f}(x=one, expand_times=[2, 3, 1])")
case(L, "flip reverse", "g", "{f}(x, [1])", "{f}(x, [0, 2])")
case(L, "roll", "g", "{f}(x, 1, 0)", "{f}(input=x, shifts=[1, 2], dims=[0, 2])")
case(L, "gather", "g", "{f}(m, ids, False)", "{f}(input=m, index=ids, overwrite=False)")
case(L, "gather_nd", "g", "{f}(m, nd)", "{f}(input=m, index=nd)")
case(L, "index_select", "g", "{f}(x, ids[:1], 1)", "{f}(input=m, index=ids)")
case(L, "index_sample", "d", "{f}(m, fluid.layers.cast(j - 1, 'int64'))")
case(L, "scatter_nd_add", "g", "{f}(m, nd, fluid.layers.slice(v, [0], [0], [2]))")
case(L, "scatter_nd", "g", "{f}(nd, fluid.layers.slice(v, [0], [0], [2]), [3, 4])")
case(L, "slice", "g", "{f}(x, [1], [0], [2])", "{f}(input=x, axes=[0, 2], starts=[0, 1], ends=[1, 3])")
case(L, "strided_slice", "g", "{f}(x, [2], [0], [4], [2])", "{f}(input=x, axes=[2], starts=[0], ends=[4], strides=[2])")
case(L, "tril triu", "g", "{f}(m)", "{f}(input=m, diagonal=1)")
case(L, "diag", "d", "{f}(v)", "{f}(diagonal=v)")
case(L, "diag_embed", "g", "{f}(m)")
case(L, "eye", "d", "{f}(3)", "{f}(num_rows=3, num_columns=2, dtype='int64')")
case(L, "meshgrid", "d", "{f}([v, v2])", "{f}(input=[v, v2])")
case(L, "multiplex", "g", "{f}([m, m2], fluid.layers.cast(fluid.layers.cast(sign, 'bool'), 'int32'))")
case(L, "nonzero", "d", "{f}(b)")
case(L, "where", "d", "{f}(b)", "{f}(condition=b)")
case(L, "cast", "d", "{f}(x, 'int32')", "{f}(x=x, dtype='float64')")
case(L, "assign", "g", "{f}(x)", "{f}(input=x)")
case(L, "shape rank size", "d", "{f}(x)")
case(L, "size shape", "d", "{f}(input=x)")
case(L, "is_empty", "d", "{f}(x)")
case(L, "has_inf has_nan isfinite", "d", "{f}(bad)", "{f}(x)")
case(L, "increment", "d", "{f}(s)", "{f}(x=s, value=2.0)")
case(L, "linspace", "d", "{f}(0.0, 1.0, 5, 'float32')", "{f}(start=0.0, stop=1.0, num=5, dtype='float64')")
case(L, "range arange", "d", "{f}(0, 6, 2, 'int64')")
case(L, "fill_constant", "d", "{f}([2, 3], 'float32', 1.5)", "{f}(shape=[2], value=3, dtype='int64')")
case(L, "full", "d", "{f}([2, 3], 1.5)", "{f}(shape=[2], fill_value=3, dtype='int64')")
case(L, "full_like", "d", "{f}(x, 1.5)")
case(L, "zeros ones", "d", "{f}([2, 3], 'float32')", "{f}(shape=[2], dtype='int64', force_cpu=True)")
case(L, "zeros_like ones_like", "d", "{f}(x)")
case(L, "one_hot", "d", "{f}(lab, 5)", "{f}(input=lab, depth=5)")
case(FL, "one_hot", "d", "{f}(one_hot_able, 5)", "{f}(input=lab1, depth=5)")
case(L, "shard_index", "d", "{f}(lab, 20, 2, 0)")
case(L, "cross_entropy", "g", "{f}(prob, lab)", "{f}(input=prob, label=lab)", "{f}(prob, lab1)")
case(L, "cross_entropy", "g", "{f}(prob, fluid.layers.assign(soft), soft_label=True)", "{f}(prob, lab, ignore_index=3)")
case(L, "softmax_with_cross_entropy", "g", "{f}(big, lab)", "{f}(logits=m, label=lab, ignore_index=3)",
     "{f}(m, soft, soft_label=True)")  # fmt: skip
case(L, "softmax_with_cross_entropy", "d", "{f}(m, lab, return_softmax=True)")
case(L, "sigmoid_cross_entropy_with_logits", "g", "{f}(m, bin)", "{f}(x=m, label=bin)",
     "{f}(m, fluid.layers.scale(bin, 101.0, -100.0))")  # fmt: skip
case(L, "square_error_cost mse_loss", "g", "{f}(m, m2)", "{f}(input=m, label=m2)")
case(L, "log_loss", "g", "{f}(fluid.layers.slice(prob, [1], [0], [1]), fluid.layers.slice(bin, [1], [0], [1]))")
case(L, "kldiv_loss", "g", "{f}(m, prob)", "{f}(x=m, target=prob, reduction='none')", "{f}(m, prob, 'batchmean')")
case(L, "smooth_l1", "g", "{f}(m, m2)", "{f}(x=m, y=m2, sigma=3.0)", "{f}(x=wide, y=wide * 2.0)")
case(L, "margin_rank_loss", "g", "{f}(sign, left, right)", "{f}(label=sign, left=left, right=right, margin=0.5)")
case(L, "dice_loss", "g", "{f}(prob, lab)")
case(L, "label_smooth", "g", "{f}(prob, epsilon=0.1)", "{f}(label=prob)")
case(L, "npair_loss", "g", "{f}(m, m2, fluid.layers.cast(lab1, 'float32'))")
case(L, "accuracy", "d", "{f}(prob, lab)", "{f}(input=prob, label=lab, k=2)")
case(L, "pool2d", "g", "{f}(img, 2)", "{f}(input=img, pool_size=3, pool_type='avg', pool_stride=2, pool_padding=1)",
     "{f}(img, pool_type='avg', global_pooling=True)", "{f}(img, 3, 'avg', 2, 1, exclusive=False)",
     "{f}(input=img, pool_size=2, pool_type='max', global_pooling=True)")  # fmt: skip
case(L, "pool3d", "g", "{f}(vol, 2)", "{f}(input=vol, pool_size=2, pool_type='avg', pool_stride=2)")
case(L, "adaptive_pool2d", "g", "{f}(img, 3, 'avg')", "{f}(input=img, pool_size=[2, 3], pool_type='max')")
case(L, "adaptive_pool3d", "g", "{f}(vol, 2, 'avg')", "{f}(input=vol, pool_size=2)")
case(L, "pad2d", "g", "{f}(img, [1, 2, 0, 1])", "{f}(input=img, paddings=[1, 2, 0, 1], mode='reflect')",
     "{f}(img, [1, 0, 2, 1], 'edge')", "{f}(input=img, paddings=[0, 1, 0, 1], pad_value=2.0)")  # fmt: skip
case(L, "pixel_shuffle", "g", "{f}(img, 2)")
case(L, "unfold", "g", "{f}(img, [2, 2])")
case(L, "affine_grid", "g", "{f}(theta, [2, 3, 4, 4])")
case(L, "grid_sampler", "g", "{f}(img, grid)")
case(L, "temporal_shift", "g", "{f}(img, 2, 0.25)")
case(L, "resize_bilinear", "g", "{f}(img, out_shape=[4, 9])", "{f}(input=img, scale=2.0)", "{f}(img, [3, 3], align_corners=False)",
     "{f}(img, [3, 3], align_corners=False, align_mode=0)")  # fmt: skip
case(L, "resize_nearest", "g", "{f}(img, out_shape=[4, 9], align_corners=False)")
case(L, "resize_trilinear", "g", "{f}(vol, out_shape=[3, 5, 6])")
case(L, "image_resize interpolate", "g", "{f}(img, out_shape=[4, 9])", "{f}(input=img, out_shape=[4, 9], resample='BILINEAR', align_mode=0)",
     "{f}(img, [4, 9], resample='NEAREST', align_corners=False)")  # fmt: skip
case(L, "dropout", "s", "out = {f}(x, 0.3, is_test=True)", "out = {f}(x=x, dropout_prob=0.3, is_test=True, dropout_implementation='upscale_in_train')")
case(L, "dropout", "S", "out = {f}(x, dropout_prob=0.3)")
case(L, "gather_tree", "d", "{f}(fluid.layers.reshape(j, [3, 2, 2]), fluid.layers.zeros([3, 2, 2], 'int64'))")
case(L, "uniform_random randn", "r", "{f}([2, 3])")
case(L, "uniform_random", "r", "{f}(shape=[2, 3], min=-2.0, max=3.0)")
case(L, "randint", "r", "{f}(0, 10, [2, 3])", "{f}(low=0, high=5, shape=[2])")
case(L, "randperm", "r", "{f}(6)")
case(L, "Normal", "d", "{f}(0.5, 2.0).log_prob(s)", "{f}(0.5, 2.0).entropy()")
case(L, "Uniform", "d", "{f}(0.5, 2.0).entropy()")
C = "fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1))"
N = "fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer({}))"


def _w(*shape):
    n = int(np.prod(shape))
    return N.format("np.linspace(-1, 1, {}).reshape({}).astype('float32')".format(n, list(shape)))


case(L, "fc", "s", "out = {f}(m, 5, param_attr=" + _w(4, 5) + ")", "out = {f}(input=x, size=5, num_flatten_dims=2, act='tanh', param_attr=" + _w(4, 5) + ")",
     "out = {f}(input=[m, m2], size=2, param_attr=" + _w(4, 2) + ", bias_attr=False)")  # fmt: skip
case(L, "conv2d", "s", "out = {f}(img, 3, 3, param_attr=" + _w(3, 4, 3, 3) + ", act='relu')", "out = {f}(input=img, num_filters=4, filter_size=3, groups=2, padding=1, stride=2, param_attr=" + _w(4, 2, 3, 3) + ", use_cudnn=False)")
case(L, "conv3d", "s", "out = {f}(vol, 3, 2, param_attr=" + _w(3, 2, 2, 2, 2) + ")")
case(L, "conv2d_transpose", "s", "out = {f}(img, 3, filter_size=3, param_attr=" + _w(4, 3, 3, 3) + ")")
case(L, "conv3d_transpose", "s", "out = {f}(vol, 3, filter_size=2, param_attr=" + _w(2, 3, 2, 2, 2) + ")")
case(L, "batch_norm", "s", "out = {f}(img)", "out = {f}(input=img, act='relu', is_test=True, epsilon=1e-3)")
case(L, "layer_norm", "s", "out = {f}(x, begin_norm_axis=2)")
case(L, "group_norm", "s", "out = {f}(img, 2)")
case(L, "instance_norm", "s", "out = {f}(img)")
case(L, "data_norm", "s", "out = {f}(m)")
case(L, "embedding", "s", "out = {f}(lab, [5, 3], param_attr=" + _w(5, 3) + ")", "out = {f}(input=lab, size=[5, 3], padding_idx=1, param_attr=" + _w(5, 3) + ")")
case(FL, "embedding", "s", "out = {f}(one_hot_able, [5, 3], param_attr=" + _w(5, 3) + ")")
case(L, "prelu", "s", "out = {f}(img, 'channel')")
case(L, "bilinear_tensor_product", "s", "out = {f}(m, m2, 2, param_attr=" + _w(2, 4, 4) + ")")
case(FL + "nets.", "simple_img_conv_pool", "s", "out = {f}(img, 3, 3, 2, 2, act='relu', param_attr=" + _w(3, 4, 3, 3) + ")",
     "out = {f}(input=img, filter_size=3, num_filters=4, pool_size=2, pool_stride=1, pool_padding=1, pool_type='avg', "
     "conv_stride=2, conv_padding=1, conv_groups=2, use_cudnn=False, param_attr=" + _w(4, 2, 3, 3) + ")",
     "out = {f}(img, 3, 3, 2, 2, global_pooling=True, param_attr=" + _w(3, 4, 3, 3) + ")")
case(FL + "nets.", "img_conv_group", "s",
     "out = {f}(img, [3, 2], 2, conv_act='relu', param_attr=[" + _w(3, 4, 3, 3) + ", " + _w(2, 3, 3, 3) + "], pool_stride=2)",
     "out = {f}(input=img, conv_num_filter=(4, 4), pool_size=3, conv_filter_size=[1, 3], conv_padding=[0, 1], conv_act='tanh', "
     "param_attr=[" + _w(4, 4, 1, 1) + ", " + _w(4, 4, 3, 3) + "], conv_with_batchnorm=[True, False], pool_type='avg')",
     "n = [4] * 2\nout = {f}(input=img, conv_num_filter=n, pool_size=2, conv_act='relu', pool_stride=2, "
     "param_attr=" + _w(4, 4, 3, 3) + ", conv_with_batchnorm=True, use_cudnn=False)",
     )  # fmt: skip
AXIS = " ".join("elementwise_" + n for n in ["add", "sub", "mul", "max", "min"])
case(L, AXIS, "s", "out = {f}(img, v, axis=1)", "out = {f}(x=wide, y=sq, axis=0, act='tanh')",
     "below = fluid.layers.relu(img)\nout = {f}(below, v, 1, 'relu')", "out = {f}(x, s, axis=-1)")  # fmt: skip
case(L, AXIS, "g", "{f}(img, fluid.layers.reshape(v, [4]), axis=1)", "{f}(x, fluid.layers.reshape(s, [-1]), axis=0)")
case(L, "elementwise_div", "s", "w = fluid.layers.exp(v)\nw = fluid.layers.reshape(w, [4])\nu = fluid.layers.reshape(w, [4])\nout = {f}(img, u, axis=1)")
case(L, "cos_sim", "g", "{f}(m, m2)", "{f}(X=x, Y=y)")
case(FL, "DataFeeder", "s",
     "out = fluid.layers.scale(x, 2.0)\nfeeder = {f}([x], fluid.CPUPlace())\nexe = fluid.Executor(fluid.CPUPlace())\n"
     "rows = [(r.reshape(-1).tolist(),) for r in a['x']]\nreturn exe.run(main, feed=feeder.feed(rows), fetch_list=[out])\nout = x",
     "out = fluid.layers.scale(one_hot_able, 2)\nfeeder = {f}(feed_list=['x', 'one_hot_able'], place=fluid.CPUPlace(), program=main)\nexe = fluid.Executor(fluid.CPUPlace())\n"
     "rows = [(a['x'][0], [5, 6, r]) for r in range(2)]\nfed = feeder.feed(iterable=rows)\nreturn exe.run(main, feed={'x': fed['x'], 'one_hot_able': fed['one_hot_able']}, fetch_list=[out, fluid.layers.scale(x, 1.0)])\nout = x",
     "words = fluid.data('words', [None, 1], 'float32', lod_level=1)\nout = fluid.layers.sequence_pool(words, 'sum')\nfeeder = {f}([words, 'x'], fluid.CPUPlace())\n"
     "exe = fluid.Executor(fluid.CPUPlace())\nrows = [([1, 2, 3], a['x'][0]), ([4], a['x'][1])]\nreturn exe.run(main, feed=feeder.feed(rows), fetch_list=[out])\nout = x",
     )  # fmt: skip
case(FL + "io.", "PyReader DataLoader.from_generator", "s",
     "out = fluid.layers.scale(x, 2.0)\nreader = {f}([x], 4)\nreader.{batches}(lambda: iter([[a['x']]] * 2), fluid.CPUPlace())\n"
     "exe = fluid.Executor(fluid.CPUPlace())\nreturn [exe.run(main, feed=data, fetch_list=[out])[0] for data in reader()]\nout = x",
     "words = fluid.data('words', [None, 1], 'float32', lod_level=1)\n"
     "reader = {f}(feed_list=[words], capacity=4, iterable=False)\nout = fluid.layers.sequence_pool(words, 'sum')\n"
     "reader.{samples}(lambda: iter([([1, 2, 3],), ([4],)]), batch_size=2)\nexe = fluid.Executor(fluid.CPUPlace())\n"
     "reader.start()\ngot = exe.run(main, fetch_list=[out])\nreader.reset()\nreturn got\nout = x",
     )  # fmt: skip
CASES[FL + "io.PyReader"] = [(k, c.replace("{batches}", "decorate_batch_generator").replace("{samples}(", "decorate_sample_generator(sample_generator="))
                             for k, c in CASES[FL + "io.PyReader"]]  # fmt: skip
_loader = FL + "io.DataLoader.from_generator"
CASES[_loader] = [(k, c.replace("{batches}", "set_batch_generator").replace("{samples}", "set_sample_generator")) for k, c in CASES[_loader]]
case(FL + "nets.", "sequence_conv_pool", "s",
     "rows = fluid.layers.sequence_unpad(x, fluid.layers.assign(np.array([3, 1], 'int64')))\nout = {f}(rows, 5, 3, " + _w(12, 5) + ")",
     "rows = fluid.layers.sequence_unpad(x, fluid.layers.fill_constant([2], 'int64', 2))\nout = {f}(input=rows, num_filters=5, filter_size=2, act=None, "
     "pool_type='sum', bias_attr=False, param_attr=" + _w(8, 5) + ")")
case(L, "row_conv", "s", "out = {f}(x, 1, param_attr=" + _w(2, 4) + ")")
case(L, "spectral_norm", "S", "out = {f}(m)")
case(L, "create_parameter", "s", "out = {f}([2, 3], 'float32', default_initializer=fluid.initializer.Constant(0.5))")
case(L, "create_global_var", "s", "out = {f}(shape=[2], value=1.5, dtype='float32', persistable=True)")
case(L, "cond", "s", "out = {f}(fluid.layers.less_than(fluid.layers.mean(x), fluid.layers.fill_constant([1], 'float32', 5.0)), lambda: x * 2.0, lambda: x)")
case(L, "case", "s", "out = {f}([(fluid.layers.less_than(fluid.layers.mean(x), fluid.layers.fill_constant([1], 'float32', 5.0)), lambda: x * 2.0)], lambda: x)")
case(L, "switch_case", "s", "out = {f}(fluid.layers.fill_constant([1], 'int32', 1), [lambda: x, lambda: x * 3.0])")
case(L, "while_loop", "s", "k = fluid.layers.fill_constant([1], 'int64', 0)\nend = fluid.layers.fill_constant([1], 'int64', 3)\nout = {f}(lambda k: fluid.layers.less_than(k, end), lambda k: [k + 1], [k])")
case(L, "py_func", "s", "out = fluid.default_main_program().global_block().create_var(name='o', dtype='float32', shape=[3, 4])\n{f}(lambda q: np.array(q) * 2, m, out)")
case(L, "Print", "s", "out = {f}(x, message='here')")
case(L, "auc", "s", "out = {f}(fluid.layers.softmax(fluid.layers.slice(m, [1], [0], [2])), fluid.layers.cast(fluid.layers.less_than(lab, fluid.layers.fill_constant([1], 'int64', 2)), 'int64'))[0]")
case(L, "data", "s", "q = {f}('q', [3, 4])\nout = fluid.layers.mean(x)", "q = {f}(name='q', shape=[3], append_batch_size=False, dtype='int64')\nout = fluid.layers.mean(x)")
case(L, "multi_box_head", "S", "out = list({f}(inputs=[img], image=img, base_size=60, num_classes=3, aspect_ratios=[[2.0]], min_sizes=[10.0], max_sizes=[20.0], flip=True))")
case(L, "nce", "S", "out = {f}(m, lab, 6)")
case(L, "deformable_conv", "s", "off = fluid.layers.zeros([2, 18, 4, 4], 'float32')\nmask = fluid.layers.ones([2, 9, 4, 4], 'float32')\nout = {f}(img, off, mask, 3, 3, im2col_step=1, param_attr=" + _w(3, 4, 3, 3) + ")")
case(L, "crop", "d", "{f}(m, [2, 2], [1, 1])", "{f}(x=m, shape=[2, 3], offsets=[0, 1])")
CRF = "fluid.ParamAttr(name='crfw', initializer=fluid.initializer.Constant(0.1))"
case(L, "crf_decoding", "s", "w = fluid.layers.create_parameter([6, 4], 'float32', attr=" + CRF + ")\nout = {f}(x, fluid.ParamAttr(name='crfw'), length=fluid.layers.fill_constant([2, 1], 'int64', 3))")
for _n in ["abs", "relu"]:
    case(L, _n, "s", "out = {f}(x)")
# ---- initializers, regularizers, clips, optimizers
P = "out = fluid.layers.create_parameter([3, 4], 'float32', attr=fluid.ParamAttr(name='w', initializer={f}(%s)))"
case(FL + "initializer.", "Constant ConstantInitializer", "s", P % "0.3", P % "value=0.3, force_cpu=True", P % "")
case(FL + "initializer.", "NumpyArrayInitializer", "s", P % "np.arange(12).reshape([3, 4]).astype('float32')")
case(FL + "initializer.", "", "s", "out = fluid.layers.create_parameter([2, 2, 4, 4], 'float32', attr=fluid.ParamAttr(name='w', initializer={f}()))")
case(FL + "initializer.", "Normal NormalInitializer TruncatedNormal TruncatedNormalInitializer", "S", P % "loc=0.0, scale=0.5", P % "0.0, 0.5, 0")
case(FL + "initializer.", "Uniform UniformInitializer", "S", P % "-0.5, 0.5", P % "low=-0.1, high=0.1, seed=0")
case(FL + "initializer.", "MSRA MSRAInitializer", "S", P % "", P % "uniform=False, fan_in=4")
case(FL + "initializer.", "Xavier XavierInitializer", "S", P % "", P % "False", P % "uniform=True, fan_in=3, fan_out=4")
O = """\
w = fluid.layers.create_parameter([4, 2], 'float32', attr=fluid.ParamAttr(name='w', initializer=fluid.initializer.Constant(0.3)%s))
loss = fluid.layers.mean(fluid.layers.square(fluid.layers.matmul(m, w)))
opt = %s
opt.minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(startup)
for _ in range(3):
    got = exe.run(main, feed={"m": a["m"]}, fetch_list=[loss, w])
return got
out = loss"""
T = FL + "optimizer."
case(T, "SGD SGDOptimizer", "s", O % ("", "{f}(0.1)"), O % ("", "{f}(learning_rate=0.1, regularization=fluid.regularizer.L2Decay(0.1))"))
case(T, "Momentum MomentumOptimizer", "s", O % ("", "{f}(0.1, 0.9)"), O % ("", "{f}(learning_rate=0.1, momentum=0.9, use_nesterov=True)"),
     O % ("", "{f}(0.1, 0.9, None, True, fluid.regularizer.L1Decay(0.01), fluid.clip.GradientClipByGlobalNorm(0.1))"))  # fmt: skip
case(T, "Adam AdamOptimizer Adamax AdamaxOptimizer", "s", O % ("", "{f}(0.1)"), O % ("", "{f}(learning_rate=0.1, beta1=0.8, beta2=0.99)"))
case(T, "Adamax", "s", O % ("", "{f}(0.1, epsilon=1e-6)"))
case(T, "Adam", "s", O % ("", "{f}(0.1, 0.8, 0.99, 1e-8, None, fluid.regularizer.L2Decay(0.1), None, None, True)"))
case(T, "Adagrad AdagradOptimizer", "s", O % ("", "{f}(0.1)"), O % ("", "{f}(0.1, initial_accumulator_value=0.1)"))
case(T, "RMSPropOptimizer", "s", O % ("", "{f}(0.1)"), O % ("", "{f}(learning_rate=0.1, rho=0.9, momentum=0.5, centered=True)"))
case(T, "LambOptimizer", "s", O % ("", "{f}(0.1)"))
case(FL + "regularizer.", "L1Decay L1DecayRegularizer L2Decay L2DecayRegularizer", "s", O % (", regularizer={f}(0.2)", "fluid.optimizer.SGD(0.1)"),
     O % ("", "fluid.optimizer.SGD(0.1, regularization={f}(regularization_coeff=0.3))"))  # fmt: skip
case(FL + "clip.", "GradientClipByGlobalNorm GradientClipByNorm GradientClipByValue", "s", O % ("", "fluid.optimizer.SGD(0.1, grad_clip={f}(0.01))"))
case(FL + "clip.", "GradientClipByValue", "s", O % ("", "fluid.optimizer.SGD(0.1, grad_clip={f}(max=0.02, min=-0.01))"))
case(FL + "backward.", "append_backward", "s", "w = fluid.layers.create_parameter([4, 2], 'float32', attr=fluid.ParamAttr(name='w', initializer=fluid.initializer.Constant(0.3)))\nout = {f}(fluid.layers.mean(fluid.layers.matmul(m, w)))[0][1]")
case(FL, "gradients backward.gradients", "s", "m.stop_gradient = False\nout = {f}(fluid.layers.square(m), m)")
case(FL, "ParamAttr", "s", "out = fluid.layers.fc(m, 2, param_attr={f}(name='w', initializer=fluid.initializer.Constant(0.1), learning_rate=0.5))", "out = fluid.layers.fc(m, 2, param_attr={f}('w', fluid.initializer.Constant(0.1)))")
case(FL, "WeightNormParamAttr", "s", "out = fluid.layers.fc(m, 2, param_attr={f}(dim=None, name='wn', initializer=fluid.initializer.Constant(0.1)))")
case(FL, "name_scope", "s", "with {f}('here'):\n    out = fluid.layers.relu(x)")
case(FL, "scope_guard", "s", "with {f}(fluid.Scope()):\n    out = fluid.layers.relu(x)")
case(FL, "global_scope executor.global_scope", "s", "out = fluid.layers.relu(x)\n{f}().find_var('nothing')")
case(FL, "executor.scope_guard", "s", "with {f}(fluid.Scope()):\n    out = fluid.layers.relu(x)")
case(FL, "default_main_program default_startup_program", "s", "{f}().random_seed = 3\nout = fluid.layers.relu(x)")
case(FL, "Variable", "s", "out = fluid.layers.fill_constant([1], 'int64', int(isinstance(x, {f})))")
case(FL, "is_compiled_with_cuda", "s", "out = fluid.layers.fill_constant([1], 'int64', int({f}() is None))")
case(FL, "in_dygraph_mode", "s", "out = fluid.layers.fill_constant([1], 'int64', int({f}()))")
case(FL, "cpu_places", "s", "out = fluid.layers.fill_constant([1], 'int64', len({f}(2)))")
case(FL, "CPUPlace Executor executor.Executor Program program_guard data ExecutionStrategy BuildStrategy", "s", "out = fluid.layers.relu(x)")
case(FL, "require_version", "s", "out = fluid.layers.relu(x)")
case(FL + "unique_name.", "guard", "s", "with {f}():\n    out = fluid.layers.relu(x)")
case(FL, "device_guard", "s", "with {f}('cpu'):\n    out = fluid.layers.relu(x)")
case(FL, "CompiledProgram", "s", "out = fluid.layers.relu(x)\n{f}(main)")


# ---- layers of dynamic mode: their parameters are set, so that the numbers are the same
def layer(arguments, call="net(x)", more=""):
    return """\
        net = {f}(%s)
        for i, q in enumerate(net.parameters()):
            q.set_value((np.linspace(-1, 1, int(np.prod(q.shape))) + 0.1 * i).reshape(q.shape).astype('float32'))
        %s
        out = %s
        loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(out, out))
        loss.backward()
        return [out.numpy()] + [q.gradient() for q in net.parameters()]""" % (arguments, more or "net.train()", call)  # fmt: skip


case(D, "Linear", "D", layer("4, 5"), layer("input_dim=4, output_dim=5, act='relu'"), layer("4, 5, bias_attr=False, dtype='float32'"),
     layer("4, 5, fluid.ParamAttr(learning_rate=0.5), None, 'tanh'"))  # fmt: skip
case(D, "Conv2D", "D", layer("4, 3, 3", "net(img)"), layer("num_channels=4, num_filters=4, filter_size=3, stride=2, padding=1, groups=2, act='relu', use_cudnn=False", "net(img)"),
     layer("4, 4, 3, 1, 1, 1, None, None, False", "net(img)"), layer("4, 3, 3, groups=None, act='leaky_relu'", "net(img)"))  # fmt: skip
case(D, "Conv3D", "D", layer("2, 3, 2, act='sigmoid'", "net(vol)"))
case(D, "Conv2DTranspose", "D", layer("4, 3, 3", "net(img)"), layer("4, 3, 3, padding=1, stride=2, act='relu'", "net(img)"))
case(D, "Conv3DTranspose", "g", "{f}(2, 3, 2, param_attr=" + _w(2, 3, 2, 2, 2) + ", bias_attr=False)(vol)")
case(D, "BatchNorm", "D", layer("4", "net(img)", "img.stop_gradient = False"), layer("4, act='relu', momentum=0.8", "net(img)", "img.stop_gradient = False"), layer("num_channels=4, is_test=True", "net(img)", "net.eval()"))
case(D, "GroupNorm", "g", "{f}(4, 2)(img)", "{f}(channels=4, groups=2, epsilon=1e-3)(img)")
case(D, "InstanceNorm", "D", layer("4", "net(img)", "img.stop_gradient = False"))
case(D, "LayerNorm", "D", layer("4"), layer("normalized_shape=[3, 4], scale=False, act='relu'"), layer("4, True, False, 1e-3"))
case(D, "Embedding", "D", layer("[5, 3]", "net(one_hot_able)"), layer("size=[5, 3], padding_idx=1, is_sparse=False", "net(one_hot_able)"), layer("(5, 3)", "net(one_hot_able)"))
case(D, "Pool2D", "D", layer("2", "net(img)", "img.stop_gradient = False"), layer("pool_size=3, pool_type='avg', pool_stride=2, pool_padding=1", "net(img)", "img.stop_gradient = False"), layer("pool_type='avg', global_pooling=True", "net(img)", "img.stop_gradient = False"))
case(D, "PRelu", "D", layer("'all'"), layer("mode='channel', channel=4", "net(img)"))
case(D, "PRelu", "d", "{f}('all')(x)", "{f}(mode='channel', channel=4)(img)")
case(D, "BilinearTensorProduct", "D", layer("4, 4, 2", "net(m, m2)"), layer("input1_dim=4, input2_dim=4, output_dim=2, act='relu'", "net(m, m2)"))
case(D, "SpectralNorm", "r", "{f}([3, 4], dim=0, power_iters=2)(m)")
case(D, "Dropout", "D", layer("0.4", "net(x)", "net.eval(); x.stop_gradient = False"), layer("p=0.4, dropout_implementation='upscale_in_train'", "net(x)", "net.eval(); x.stop_gradient = False"))
case(D, "Sequential", "D", layer("fluid.dygraph.Linear(4, 3), fluid.dygraph.Linear(3, 2)"))
case(D, "LayerList", "D", layer("[fluid.dygraph.Linear(4, 3), fluid.dygraph.Linear(4, 2)]", "net[1](x)"))
case(D, "ParameterList", "d", "fluid.layers.matmul(x, {f}([fluid.layers.create_parameter([4, 2], 'float32', default_initializer=fluid.initializer.Constant(0.5))])[0])")
case(D, "BCELoss", "g", "{f}()(prob, fluid.layers.assign(bin))", "{f}(reduction='sum')(prob, bin)")
case(D, "L1Loss MSELoss", "g", "{f}()(m, m2)", "{f}(reduction='sum')(m, m2)")
case(D, "NLLLoss", "g", "{f}()(m, lab1)", "{f}(None, 'sum')(m, lab1)", "{f}(reduction='none', ignore_index=3)(m, lab1)")
case(D, "to_variable", "d", "{f}(a['x'])", "{f}(value=a['i'])", "{f}(a['x'], name='here', zero_copy=False)")
case(D, "grad", "D", "        m.stop_gradient = False\n        return [g.numpy() for g in {f}([fluid.layers.square(m)], [m])]",
     "        m.stop_gradient = False\n        return [{f}(outputs=fluid.layers.square(m), inputs=m, retain_graph=True, backward_strategy=None)[0].numpy()]")  # fmt: skip
case(D, "no_grad", "D", "        with {f}():\n            out = fluid.layers.relu(x)\n        return [out.numpy(), np.array(out.stop_gradient)]")
case(D, "DataParallel", "D", "        net = {f}(fluid.dygraph.Linear(4, 2, fluid.initializer.Constant(0.5)), None)\n        return [net(x).numpy()]")
case(D, "NoamDecay", "L", "fluid.dygraph.NoamDecay(64, 4)", "fluid.dygraph.NoamDecay(64, 4, learning_rate=2.0)")
case(D, "PolynomialDecay", "L", "fluid.dygraph.PolynomialDecay(0.1, 4, end_learning_rate=0.01, power=2.0)", "fluid.dygraph.PolynomialDecay(0.1, 3, 0.01, 1.0, True)")
case(D, "NaturalExpDecay", "L", "fluid.dygraph.NaturalExpDecay(0.1, 4, 0.5)", "fluid.dygraph.NaturalExpDecay(learning_rate=0.1, decay_steps=4, decay_rate=0.5, staircase=False)")
case(D, "ExponentialDecay", "L", "fluid.dygraph.ExponentialDecay(0.1, 4, 0.5)")
case(D, "InverseTimeDecay", "L", "fluid.dygraph.InverseTimeDecay(0.1, 4, 0.5)")
case(D, "PiecewiseDecay", "L", "fluid.dygraph.PiecewiseDecay([2, 4], [0.1, 0.05, 0.01], 0)")

TRAINING = """\
        net = fluid.dygraph.Linear(4, 2)
        net.weight.set_value(np.full([4, 2], 0.3, 'float32'))
        rate = %s
        opt = fluid.optimizer.SGD(learning_rate=rate, parameter_list=net.parameters())
        seen = []
        for _ in range(6):
            loss = fluid.layers.mean(fluid.layers.square(net(m)))
            loss.backward()
            opt.minimize(loss)
            net.clear_gradients()
            seen.append(net.weight.numpy())
        return seen"""


# Whole programs: kind "P", the text is the file.
case("program.", "digits", "P", """\
import numpy as np
import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph import BatchNorm, Conv2D, Linear, Pool2D, to_variable


class ConvPool(fluid.dygraph.Layer):
    def __init__(self, channels, filters):
        super(ConvPool, self).__init__()
        self._conv = Conv2D(num_channels=channels, num_filters=filters, filter_size=3, padding=1,
                            act="relu", use_cudnn=False)  # 3 x 3
        self._pool = Pool2D(pool_size=2, pool_type="max", pool_stride=2)
        self._norm = BatchNorm(filters, act=None)

    def forward(self, x):
        return self._norm(self._pool(self._conv(x)))


class Net(fluid.dygraph.Layer):
    def __init__(self):
        super(Net, self).__init__()
        self.first = ConvPool(4, 6)
        self.last = Linear(6 * 3 * 3, 3, act="softmax")

    def forward(self, x, label=None):
        x = fluid.layers.reshape(self.first(x), shape=[-1, 6 * 3 * 3])
        x = self.last(x)
        if label is None:
            return x
        return x, fluid.layers.accuracy(input=x, label=label)


def run(a):
    seen = []
    with fluid.dygraph.guard():
        net = Net()
        for i, p in enumerate(net.parameters()):
            p.set_value(np.cos(np.arange(int(np.prod(p.shape))) + i).reshape(p.shape).astype("float32"))
        adam = fluid.optimizer.AdamOptimizer(learning_rate=0.01, parameter_list=net.parameters(),
                                             regularization=fluid.regularizer.L2Decay(0.1))
        net.train()
        for _ in range(4):
            img = to_variable(a["img"])
            label = to_variable(np.array([[1], [2]], "int64"))
            label.stop_gradient = True
            cost, acc = net(img, label)
            loss = fluid.layers.cross_entropy(cost, label)
            avg_loss = fluid.layers.mean(loss)
            avg_loss.backward()
            adam.minimize(avg_loss)
            net.clear_gradients()
            seen += [avg_loss.numpy(), acc.numpy()]
        net.eval()
        seen.append(net(to_variable(a["img"])).numpy())
    return seen
""")
case("program.", "regression", "P", """\
import numpy as np
import paddle
import paddle.fluid as fluid
import paddle.fluid.layers as layers


def net():
    x = layers.data(name="m", shape=[4], dtype="float32")
    y = layers.data(name="left", shape=[1], dtype="float32")
    hidden = layers.fc(input=x, size=5, act="tanh", param_attr=fluid.ParamAttr(
        name="w1", initializer=fluid.initializer.Constant(0.2)))
    hidden = layers.dropout(hidden, dropout_prob=0.0)
    out = layers.fc(hidden, 1, param_attr=fluid.initializer.Constant(0.1))
    return x, y, out, layers.mean(layers.square_error_cost(input=out, label=y))


def run(a):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x, y, out, loss = net()
        test = main.clone(for_test=True)
        sgd = fluid.optimizer.Momentum(0.1, 0.9, regularization=fluid.regularizer.L2Decay(0.01),
                                       grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0))
        sgd.minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    seen = []
    for _ in range(4):
        seen += exe.run(main, feed={"m": a["m"], "left": a["left"]}, fetch_list=[loss])
    return seen + exe.run(test, feed={"m": a["m"], "left": a["left"]}, fetch_list=[out.name])
""")


def text_of(name, kind, code):
    """Return the file for one case."""
    if kind == "P":
        return code
    code = code.replace("{f}", name.replace("paddle.fluid", "fluid", 1))
    if kind in "gdr":
        return dynamic(code, kind == "g")
    if kind in "sS":
        return static(code)
    if kind == "L":
        code = TRAINING % code
    names = _names(code)
    made = "\n".join('        {0} = fluid.dygraph.to_variable(a["{0}"])'.format(n) for n in names)
    return DYNAMIC.replace("{made}", made or "        pass").replace("{body}", code)


def every():
    """Yield key, name, kind and text of every case."""
    for name in sorted(CASES):
        for index, (kind, code) in enumerate(CASES[name]):
            yield "{}#{}".format(name, index), name, kind, text_of(name, kind, code)


def run(text, where="<snippet>"):
    """Run a file's `run`, and return its arrays."""
    space = {"__name__": where}
    exec(compile(text, where, "exec"), space)
    arrays = {k: v.copy() for k, v in ARRAYS.items()}
    # No gradient is an empty array.
    return [np.zeros(0) if v is None else np.asarray(v) for v in space["run"](arrays)]
