"""Layers that compute element by element, reduce, compare and multiply."""

try:
    from .table import cases, f, i, pos
except ImportError:  # PaddlePaddle's Python
    from table import cases, f, i, pos

import numpy as np

add = cases(globals())
NO = {"grad": False}
LOOSE = {"grad": False, "variables": False}

for _name in (
    "abs", "atan", "ceil", "cos", "erf", "exp", "floor", "logsigmoid", "round", "sigmoid",
    "sin", "softplus", "softsign", "square", "tanh", "tanh_shrink", "sign", "relu", "gelu",
    "softshrink", "hard_shrink", "thresholded_relu", "relu6", "elu", "brelu", "leaky_relu",
    "soft_relu", "stanh", "swish", "hard_sigmoid", "hard_swish", "selu", "mean", "mish",
):  # fmt: skip
    if not _name.endswith("_"):
        add(_name, lambda L, x, n=_name: getattr(L, n)(x), x=f(2, 5) * 2)
for _name in ["rsqrt", "sqrt", "reciprocal", "log", "log1p", "acos", "asin"]:
    add(_name, lambda L, x, n=_name: getattr(L, n)(x), x=pos(2, 3) * 0.8)
add("relu_named", lambda L, x: L.relu(x, name="mine"), x=f(2, 3))
add("softshrink_alpha", lambda L, x: L.softshrink(x, alpha=0.3), x=f(2, 3))
add("hard_shrink_t", lambda L, x: L.hard_shrink(x, threshold=0.2), x=f(2, 3))
add("thresholded_relu_t", lambda L, x: L.thresholded_relu(x, threshold=0.2), x=f(2, 3))
add("gelu_approximate", lambda L, x: L.gelu(x, approximate=True), x=f(2, 3))
add("elu_alpha", lambda L, x: L.elu(x, alpha=0.3), x=f(2, 3))
add("brelu_bounds", lambda L, x: L.brelu(x, 0.1, 0.4), x=f(2, 3))
add("swish_beta", lambda L, x: L.swish(x, beta=2.0), x=f(2, 3))
add("selu_scale", lambda L, x: L.selu(x, scale=1.5, alpha=0.5), x=f(2, 3))
add("stanh_scales", lambda L, x: L.stanh(x, 0.5, 2.0), x=f(2, 3))
add("cumsum", lambda L, x: L.cumsum(x), x=f(2, 3))
add("cumsum_axis", lambda L, x: L.cumsum(x, axis=0, exclusive=True, reverse=True), x=f(2, 3))
add("pow", lambda L, x: L.pow(x, 2.0), x=pos(2, 3))
add("pow_tensor", lambda L, x, y: L.pow(x, factor=y), x=pos(2, 3), y=np.array([3.0], "float32"),
    options={"grad": ["x"]})  # fmt: skip
add("scale", lambda L, x: L.scale(x, 2.0, 1.0), x=f(2, 3))
add("scale_act", lambda L, x: L.scale(x, 2.0, 1.0, bias_after_scale=False, act="relu"), x=f(2, 3))
add("scale_tensor", lambda L, x, y: L.scale(x, y, 0.5), x=f(2, 3), y=np.array([3.0], "float32"),
    options={"grad": ["x"]})  # fmt: skip
add("clip", lambda L, x: L.clip(x, -0.5, 0.5), x=f(2, 3))
add("clip_ints", lambda L, x: L.clip(x, -1, 1), x=f(2, 3))
add("clip_by_norm", lambda L, x: L.clip_by_norm(x, 0.5), x=f(2, 3))
add("maxout", lambda L, x: L.maxout(x, 2), x=f(2, 4, 3, 3))
add("maxout_axis", lambda L, x: L.maxout(x, 2, axis=-1), x=f(2, 3, 3, 4))

for _name in ["add", "sub", "mul", "div", "max", "min", "pow"]:
    add("elementwise_" + _name, lambda L, x, y, n=_name: getattr(L, "elementwise_" + n)(x, y),
        x=pos(2, 3), y=pos(2, 3)[::-1] * 0.9)  # fmt: skip
add("elementwise_axis", lambda L, x, y: L.elementwise_add(x, y, axis=1, act="tanh", name="e"),
    x=f(2, 3, 4), y=f(3))  # fmt: skip
add("elementwise_axis0", lambda L, x, y: L.elementwise_mul(x, y, axis=0), x=f(2, 3), y=f(2))
for _name in ("mod", "floordiv"):
    add("elementwise_" + _name, lambda L, x, y, n=_name: getattr(L, "elementwise_" + n)(x, y),
        x=i([[7, 8, 9]]), y=i([[2, 3, 4]]))  # fmt: skip
for _name in ["and", "or", "xor"]:
    add("logical_" + _name, lambda L, x, y, n=_name: getattr(L, "logical_" + n)(x, y),
        x=np.array([[True, False, True]]), y=np.array([[True, True, False]]))  # fmt: skip
add("logical_not", lambda L, x: L.logical_not(x), x=np.array([[True, False]]))
add("logical_out", lambda L, x: L.logical_and(x, x, out=L.create_tensor("bool")),
    x=np.array([[True, False]]))  # fmt: skip
for _name in ["less_than", "less_equal", "greater_than", "greater_equal", "equal", "not_equal"]:
    add(_name, lambda L, x, y, n=_name: getattr(L, n)(x, y), x=f(2, 3), y=f(2, 3)[::-1].copy(),
        options=NO)  # fmt: skip
add("less_than_cond", lambda L, x, y: L.less_than(x, y, cond=L.create_tensor("bool")),
    x=i([[1, 2]]), y=i([[2, 2]]))  # fmt: skip
add("is_empty", lambda L, x: L.is_empty(x), x=f(2, 3), options=NO)
add("increment", lambda L, x: L.increment(L.scale(x), 2.0), x=f(1), options=NO)
add("increment_fresh", lambda L, x: L.increment(x, 2.0, in_place=False), x=f(1))
add("isfinite", lambda L, x: L.isfinite(x), x=f(2, 3), options=NO)
add("has_nan", lambda L, x: L.has_nan(x), x=np.array([[1, np.nan]], "float32"), options=LOOSE)
add("has_inf", lambda L, x: L.has_inf(x), x=np.array([[1, 2]], "float32"), options=LOOSE)

for _name in ["sum", "mean", "max", "min", "prod"]:
    add("reduce_" + _name, lambda L, x, n=_name: getattr(L, "reduce_" + n)(x), x=f(2, 3))
    add("reduce_" + _name + "_dim",
        lambda L, x, n=_name: getattr(L, "reduce_" + n)(x, dim=[0, -1], keep_dim=True),
        x=f(2, 3, 2))  # fmt: skip
    add(
        "reduce_" + _name + "_one",
        lambda L, x, n=_name: getattr(L, "reduce_" + n)(x, 1),
        x=f(2, 3, 2),
    )
for _name in ["all", "any"]:
    add("reduce_" + _name, lambda L, x, n=_name: getattr(L, "reduce_" + n)(x),
        x=np.array([[True, False], [True, True]]))  # fmt: skip
    add("reduce_" + _name + "_dim", lambda L, x, n=_name: getattr(L, "reduce_" + n)(x, 0, True),
        x=np.array([[True, False], [True, True]]))  # fmt: skip
add("logsumexp", lambda L, x: L.logsumexp(x), x=f(2, 3))
add("logsumexp_dim", lambda L, x: L.logsumexp(x, dim=1, keepdim=True), x=f(2, 3))
add("log_softmax", lambda L, x: L.log_softmax(x), x=f(2, 3))
add("softmax", lambda L, x: L.softmax(x), x=f(2, 3))
add("softmax_axis", lambda L, x: L.softmax(x, axis=1, name="s"), x=f(2, 3, 2))

add("matmul", lambda L, x, y: L.matmul(x, y), x=f(2, 3), y=f(3, 4), fixed=True)
add("matmul_flags", lambda L, x, y: L.matmul(x, y, True, True, alpha=0.5), x=f(2, 3, 2),
    y=f(2, 4, 3))  # fmt: skip
add("matmul_vector", lambda L, x, y: L.matmul(x, y), x=f(2, 3), y=f(3))
add("mul", lambda L, x, y: L.mul(x, y, 2), x=f(2, 3, 4), y=f(4, 2), fixed=True)
add("bmm", lambda L, x, y: L.bmm(x, y), x=f(2, 3, 2), y=f(2, 2, 4))
add("dot", lambda L, x, y: L.dot(x, y), x=f(2, 3), y=f(2, 3) * 2)
add("addmm", lambda L, x, y, z: L.addmm(x, y, z, alpha=0.5, beta=2.0), x=f(2, 3), y=f(2, 4),
    z=f(4, 3), fixed=True)  # fmt: skip
add("addcmul", lambda L, x, y, z: L.addcmul(x, y, z, value=0.5), x=f(2, 3), y=f(2, 3) * 2,
    z=f(2, 3) * 3)  # fmt: skip
add("clamp", lambda L, x: L.clamp(x, -0.5, 0.5), x=f(2, 3))
add("clamp_min", lambda L, x: L.clamp(x, min=0.1), x=f(2, 3))
add("cross", lambda L, x, y: L.cross(x, y), x=f(2, 3), y=f(2, 3) * 2 + 1, fixed=True)
add("cross_dim", lambda L, x, y: L.cross(x, y, dim=1), x=f(2, 3), y=f(2, 3) * 2 + 1, fixed=True)
add("dist", lambda L, x, y: L.dist(x, y, 2), x=f(2, 3), y=f(2, 3) * 2)
add("kron", lambda L, x, y: L.kron(x, y), x=f(2, 3), y=f(2, 2), fixed=True)
add("allclose", lambda L, x, y: L.allclose(x, y, rtol=0.1), x=f(2, 3), y=f(2, 3) + 0.001,
    fixed=True, options=LOOSE)  # fmt: skip
add("elementwise_equal", lambda L, x, y: L.elementwise_equal(x, y), x=i([[1, 2]]), y=i([[1, 3]]))
add("sum", lambda L, x, y: L.sum([x, y]), x=f(2, 3), y=f(2, 3) * 2)
add("sum_one", lambda L, x: L.sum(x), x=f(2, 3))
add("sums", lambda L, x, y: L.sums([x, y]), x=f(2, 3), y=f(2, 3) * 2)
add("sums_out", lambda L, x, y: L.sums([x, y], out=L.create_tensor("float32")), x=f(2, 3),
    y=f(2, 3) * 2, options=NO)  # fmt: skip
add("cos_sim", lambda L, x, y: L.cos_sim(x, y), x=f(3, 4), y=f(3, 4) * 2 + 1)
add("fsp_matrix", lambda L, x, y: L.fsp_matrix(x, y), x=f(2, 3, 4, 4), y=f(2, 2, 4, 4))
add(
    "trace",
    lambda L, x: L.trace(x, offset=1, dim1=0, dim2=1),
    x=f(3, 4),
    options={"variables": False},
)
add("affine_channel", lambda L, x, y, z: L.affine_channel(x, y, z, act="relu"), x=f(2, 3, 2, 2),
    y=f(3), z=f(3) * 2)  # fmt: skip
add("bilinear", lambda L, x, y: L.bilinear_tensor_product(x, y, size=3, act="tanh"), x=f(2, 3),
    y=f(2, 4))  # fmt: skip
add("rank", lambda L, x: L.reshape(L.rank(x), [1]), x=f(2, 3), options=LOOSE)
add("size", lambda L, x: L.size(x), x=f(2, 3), options=NO)
add("shape", lambda L, x: L.shape(x), x=f(2, 3), options=NO)
add("l2_normalize", lambda L, x: L.l2_normalize(x, axis=1), x=f(2, 3))
add("l2_normalize_axis0", lambda L, x: L.l2_normalize(x, axis=-1, epsilon=1e-3, name="n"),
    x=f(2, 3, 2))  # fmt: skip
