"""Layers with parameters, normalization, pooling, resizing."""

try:
    from .table import cases, f, i
except ImportError:  # PaddlePaddle's Python
    from table import cases, f, i

import numpy as np

add = cases(globals())
NO = {"grad": False}
LOOSE = {"variables": False}
X = f(2, 3, 6, 6)
V = f(1, 2, 4, 4, 4)


def attr(F, name, value=0.5):
    return F.ParamAttr(name=name, initializer=F.initializer.Constant(value))


add("fc", lambda L, x: L.fc(x, 3), x=f(2, 4))
add("fc_act", lambda L, x: L.fc(input=x, size=3, num_flatten_dims=2, act="relu", name="mine"),
    x=f(2, 3, 4))  # fmt: skip
add("fc_flat", lambda L, x: L.fc(x, 3, bias_attr=False), x=f(2, 3, 4))
add("fc_list", lambda L, x, y: L.fc([x, y], 3, act="tanh"), x=f(2, 4), y=f(2, 5))
add("fc_attrs", lambda F, x: F.layers.fc(x, 2, param_attr=attr(F, "w"), bias_attr=attr(F, "b")),
    x=f(2, 4), fluid_too=True)  # fmt: skip
add("fc_last", lambda L, x: L.fc(x, 2, num_flatten_dims=-1), x=f(2, 3, 4))
add("fc_two", lambda L, x: L.fc(L.fc(x, 3, act="sigmoid"), 2, act="softmax"), x=f(2, 4))
add("embedding", lambda L, x: L.embedding(x, [6, 3]), x=i([[1], [5]]))
add("embedding_pad", lambda L, x: L.embedding(x, size=[6, 3], padding_idx=-1, param_attr="table"),
    x=i([[[1], [5]]]))  # fmt: skip
add(
    "embedding_sparse",
    lambda L, x: L.embedding(x, [6, 3], is_sparse=True),
    x=i([[1], [5], [1]]),
    options=NO,
)
add("fluid_embedding", lambda F, x: F.embedding(x, [6, 3], padding_idx=2), x=i([[1, 2], [5, 0]]),
    fluid_too=True)  # fmt: skip
add("conv2d", lambda L, x: L.conv2d(x, 2, 3), x=X)
add(
    "conv2d_options",
    lambda L, x: L.conv2d(
        x,
        num_filters=3,
        filter_size=[3, 2],
        stride=2,
        padding=[1, 0, 0, 1],
        dilation=1,
        groups=3,
        bias_attr=False,
        act="relu",
        name="c",
    ),
    x=X,
)
add("conv2d_depthwise", lambda L, x: L.conv2d(x, 6, 3, padding=1, groups=3, use_cudnn=False), x=X)
add("conv2d_same", lambda L, x: L.conv2d(x, 2, 3, padding="SAME", stride=2), x=X)
add("conv2d_nhwc", lambda L, x: L.conv2d(x, 2, 3, data_format="NHWC"), x=f(1, 5, 5, 3))
add("conv3d", lambda L, x: L.conv3d(x, 2, 2, stride=2, act="relu"), x=V)
add("conv2d_transpose", lambda L, x: L.conv2d_transpose(x, 2, filter_size=3), x=f(1, 3, 3, 3))
add("conv2d_transpose_size",
    lambda L, x: L.conv2d_transpose(x, 2, output_size=[7, 7], stride=2, padding=1, act="relu"),
    x=f(1, 3, 3, 3))  # fmt: skip
add("conv3d_transpose", lambda L, x: L.conv3d_transpose(x, 2, filter_size=2, stride=2),
    x=f(1, 2, 2, 2, 2))  # fmt: skip
add("deformable_conv",
    lambda L, x, y, z: L.deformable_conv(x, y, z, 2, 3, padding=1, im2col_step=1),
    x=f(1, 2, 4, 4), y=f(1, 18, 4, 4) * 0.3, z=np.abs(f(1, 9, 4, 4)), fixed=True)  # fmt: skip
add("deformable_conv_v1",
    lambda L, x, y: L.deformable_conv(x, y, None, 2, 3, padding=1, im2col_step=1, modulated=False),
    x=f(1, 2, 4, 4), y=f(1, 18, 4, 4) * 0.3, fixed=True)  # fmt: skip
add("pool2d", lambda L, x: L.pool2d(x, 2, "max", 2), x=X)
add(
    "pool2d_avg",
    lambda L, x: L.pool2d(
        x,
        pool_size=3,
        pool_type="avg",
        pool_stride=2,
        pool_padding=1,
        exclusive=False,
    ),
    x=X,
)
add("pool2d_global", lambda L, x: L.pool2d(x, global_pooling=True, pool_type="avg"), x=X)
add("pool2d_same", lambda L, x: L.pool2d(x, [3, 2], "avg", 2, "SAME", name="p"), x=X)
add("pool3d", lambda L, x: L.pool3d(x, 2, "avg", 2), x=V)
add("adaptive_pool2d", lambda L, x: L.adaptive_pool2d(x, [3, 2], "avg"), x=X)
add(
    "adaptive_pool2d_max",
    lambda L, x: L.adaptive_pool2d(x, 2, require_index=True),
    x=X,
    options=LOOSE,
)
add("adaptive_pool3d", lambda L, x: L.adaptive_pool3d(x, 2, "avg"), x=V)
add(
    "adaptive_pool3d_max",
    lambda L, x: L.adaptive_pool3d(x, 2, require_index=True),
    x=V,
    options=LOOSE,
)
add("batch_norm", lambda L, x: L.elementwise_mul(L.batch_norm(x), x), x=X)
add("batch_norm_options",
    lambda F, x: F.layers.batch_norm(x, act="relu", momentum=0.8, epsilon=1e-4, name="bn",
                                     param_attr=attr(F, "s", 1.5), moving_mean_name="m",
                                     moving_variance_name="v"),
    x=X, fluid_too=True)  # fmt: skip
add("batch_norm_test", lambda L, x: L.batch_norm(x, is_test=True, data_layout="NHWC"),
    x=f(2, 3, 3, 2), options=NO)  # fmt: skip
add("batch_norm_global", lambda L, x: L.batch_norm(x, use_global_stats=True), x=X)
add("batch_norm_steps", lambda L, x: L.batch_norm(x, momentum=0.5), x=f(4, 3), options={"steps": 2})
# Its gradient puts the input back into the variable, so something else has to read the result.
add("inplace_abn", lambda L, x: L.scale(L.inplace_abn(x, act="leaky_relu", act_alpha=0.2), 2.0),
    x=X)  # fmt: skip
add(
    "instance_norm",
    lambda L, x: L.elementwise_mul(L.instance_norm(x), x),
    x=X,
)
add(
    "group_norm",
    lambda L, x: L.group_norm(x, 3, 1e-4, "gs", "gb", "relu"),
    x=X,
)
add("group_norm_plain", lambda L, x: L.group_norm(x, 1), x=X, options=NO)  # fmt: skip
add("layer_norm", lambda L, x: L.layer_norm(x), x=f(2, 3, 4), options={"close": 5e-4})
add("layer_norm_options",
    lambda L, x: L.layer_norm(x, shift=False, begin_norm_axis=2, epsilon=1e-3, act="tanh"),
    x=f(2, 3, 4))  # fmt: skip
add("data_norm", lambda L, x: L.data_norm(x, name="d"), x=f(4, 3))
add(
    "data_norm_affine",
    lambda L, x: L.data_norm(
        x,
        act="relu",
        name="d",
        param_attr={"batch_size": 1e3, "scale_w": 2.0},
        enable_scale_and_shift=True,
    ),
    x=f(4, 3),
)
add("spectral_norm", lambda L, x: L.spectral_norm(x, dim=1, power_iters=2), x=f(3, 4), fixed=True)
add("lrn", lambda L, x: L.lrn(x, n=3), x=X)
add("prelu_all", lambda L, x: L.prelu(x, "all"), x=X)
add("prelu_channel", lambda F, x: F.layers.prelu(x, "channel", attr(F, "a", 0.1)), x=X,
    fluid_too=True)  # fmt: skip
add("prelu_element", lambda L, x: L.prelu(x, mode="element", name="p"), x=X)
add("dropout", lambda L, x: L.dropout(x, 0.4, is_test=True), x=f(2, 3), options=NO)
add(
    "dropout_upscale",
    lambda L, x: L.dropout(x, 0.4, True, 3, "d", "upscale_in_train"),
    x=f(2, 3),
    options=NO,
)
add("dropout_train", lambda L, x: L.shape(L.dropout(x, dropout_prob=0.4, seed=7)), x=f(2, 3),
    options=NO)  # fmt: skip
add("image_resize", lambda L, x: L.image_resize(x, [4, 8]), x=X)
add("image_resize_nearest", lambda L, x: L.image_resize(x, scale=1.5, resample="NEAREST"), x=X)
add("image_resize_actual",
    lambda L, x, y: L.image_resize(x, [4, 8], actual_shape=y), x=X, y=i([3, 5], "int32"),
    options={"grad": ["x"], "variables": False})  # fmt: skip
add("image_resize_parts",
    lambda L, x: L.image_resize(x, [L.fill_constant([1], "int32", 4), 8]), x=X,
    options=LOOSE)  # fmt: skip
add("image_resize_tensor", lambda L, x, y: L.image_resize(x, y), x=X, y=i([3, 5], "int32"),
    options={"grad": ["x"]})  # fmt: skip
add("image_resize_scale", lambda L, x, y: L.image_resize(x, scale=y), x=X,
    y=np.array([0.5], "float32"), options={"grad": ["x"]})  # fmt: skip
add("image_resize_short", lambda L, x: L.image_resize_short(x, 3), x=f(1, 2, 6, 4), fixed=True)
add(
    "resize_bilinear",
    lambda L, x: L.resize_bilinear(x, [4, 8], align_corners=False, align_mode=0, name="r"),
    x=X,
)
add("resize_nearest", lambda L, x: L.resize_nearest(x, [4, 8], align_corners=False), x=X)
add("resize_trilinear", lambda L, x: L.resize_trilinear(x, [2, 3, 5]), x=V)
add("resize_nhwc", lambda L, x: L.resize_bilinear(x, [4, 3], data_format="NHWC"), x=f(1, 3, 3, 2))
add("interpolate", lambda L, x: L.interpolate(x, [4, 8], resample="NEAREST"), x=X)
add("label_smooth", lambda L, x: L.label_smooth(x, epsilon=0.2), x=np.eye(3, dtype="float32"))
add("label_smooth_prior", lambda L, x, y: L.label_smooth(x, y, 0.2), x=np.eye(3, dtype="float32"),
    y=np.array([[0.2, 0.3, 0.5]], "float32"), fixed=True, options={"grad": ["x"]})  # fmt: skip
add("accuracy", lambda L, x, y: L.accuracy(x, y), x=np.abs(f(4, 3)), y=i([[0], [1], [2], [0]]),
    options=NO)  # fmt: skip
add("accuracy_k",
    lambda L, x, y: L.accuracy(x, y, k=2, correct=L.create_tensor("int32"),
                               total=L.create_tensor("int32")),
    x=np.abs(f(4, 3)), y=i([[0], [1], [2], [0]]), options=NO)  # fmt: skip
add("auc", lambda L, x, y: list(L.auc(x, y, num_thresholds=20)[:2]),
    x=np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.8, 0.2]], "float32"),
    y=i([[0], [1], [0], [1]]), options={"steps": 2})  # fmt: skip
add("mean_iou", lambda L, x, y: L.mean_iou(x, y, 3), x=i([[0, 1], [2, 2]], "int32"),
    y=i([[0, 1], [1, 2]], "int32"), options=NO)  # fmt: skip


def _double(x):
    return np.array(x) * 2


def case_py_func(fluid):
    x = fluid.data("x", [2, 3], "float32")
    out = fluid.default_main_program().current_block().create_var(
        name="o", dtype="float32", shape=[2, 3])  # fmt: skip
    fluid.layers.py_func(_double, x, out)
    return {"x": f(2, 3)}, [out]


case_py_func.grad = False


def case_nets_simple_img_conv_pool(fluid):
    x = fluid.data("x", [None, 1, 6, 6], "float32")
    return {"x": f(2, 1, 6, 6)}, [fluid.nets.simple_img_conv_pool(x, 2, 3, 2, 2, act="relu")]


def case_nets_img_conv_group(fluid):
    x = fluid.data("x", [None, 1, 6, 6], "float32")
    out = fluid.nets.img_conv_group(
        x, conv_num_filter=[2, 2], pool_size=2, conv_act="relu", conv_with_batchnorm=True,
        pool_stride=2)  # fmt: skip
    return {"x": f(2, 1, 6, 6)}, [out]


case_nets_img_conv_group.grad = ["x"]


def case_nets_glu(fluid):
    x = fluid.data("x", [None, 6], "float32")
    return {"x": f(2, 6)}, [fluid.nets.glu(x, dim=-1)]


def case_nets_attention(fluid):
    q = fluid.data("q", [2, 3, 4], "float32")
    k = fluid.data("k", [2, 5, 4], "float32")
    v = fluid.data("v", [2, 5, 6], "float32")
    out = fluid.nets.scaled_dot_product_attention(q, k, v, num_heads=2)
    return {"q": f(2, 3, 4), "k": f(2, 5, 4), "v": f(2, 5, 6)}, [out]


case_nets_attention.grad = ["q", "v", "fc_0.w_0"]


def case_nets_attention_one(fluid):
    q = fluid.data("q", [2, 3, 4], "float32")
    out = fluid.nets.scaled_dot_product_attention(q, q, q)
    return {"q": f(2, 3, 4)}, [out]
