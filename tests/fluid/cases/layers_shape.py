"""Layers that move, select and join elements."""

try:
    from .table import cases, f, i
except ImportError:  # PaddlePaddle's Python
    from table import cases, f, i

import numpy as np

add = cases(globals())
NO = {"grad": False}
LOOSE = {"grad": False, "variables": False}

add("reshape", lambda L, x: L.reshape(x, [-1, 6]), x=f(2, 3, 4))
add("reshape_zero", lambda L, x: L.reshape(x, shape=[0, -1], act="relu"), x=f(2, 3, 4))
add(
    "reshape_inplace",
    lambda L, x: L.reshape(L.scale(x), [-1, 2], inplace=True),
    x=f(2, 3, 4),
    options=NO,
)
add("reshape_actual", lambda L, x, y: L.reshape(x, [-1, 2], actual_shape=y), x=f(2, 3, 4),
    y=i([3, 8], "int32"), options={"grad": ["x"]})  # fmt: skip
add("reshape_parts", lambda L, x: L.reshape(x, [L.fill_constant([1], "int32", 4), 6]),
    x=f(2, 3, 4))  # fmt: skip
add("squeeze", lambda L, x: L.squeeze(x, axes=[1]), x=f(2, 1, 3))
add("unsqueeze", lambda L, x: L.unsqueeze(x, axes=[1, 3]), x=f(2, 3))
add("unsqueeze_one", lambda L, x: L.unsqueeze(x, axes=0), x=f(2, 3))
add("transpose", lambda L, x: L.transpose(x, perm=[1, 0, 2]), x=f(2, 3, 4))
add("flatten", lambda L, x: L.flatten(x, axis=2), x=f(2, 3, 4))
add("t", lambda L, x: L.t(x), x=f(2, 3))
add("expand", lambda L, x: L.expand(x, [2, 1]), x=f(2, 3))
add("expand_part", lambda L, x: L.expand(x, [1, L.fill_constant([1], "int32", 2)]), x=f(2, 3))
add("expand_tensor", lambda L, x, y: L.expand(x, y), x=f(2, 3), y=i([2, 2], "int32"),
    options={"grad": ["x"]})  # fmt: skip
add(
    "expand_as",
    lambda L, x, y: L.expand_as(x, y),
    x=f(1, 3),
    y=f(4, 6),
    options={"grad": ["x"], "variables": False},
)
add("concat", lambda L, x, y: L.concat([x, y], axis=1), x=f(2, 3), y=f(2, 2))
add("concat_one", lambda L, x: L.concat([x]), x=f(2, 3))
add("split", lambda L, x: L.split(x, 2, dim=1), x=f(2, 4))
add("split_sections", lambda L, x: L.split(x, [1, -1], dim=-1), x=f(2, 4))
add("stack", lambda L, x, y: L.stack([x, y], axis=1), x=f(2, 3), y=f(2, 3) * 2)
add("stack_one", lambda L, x: L.stack(x), x=f(2, 3))
add("unstack", lambda L, x: L.unstack(x, axis=1), x=f(2, 3))
add("slice", lambda L, x: L.slice(x, axes=[0, 1], starts=[0, 1], ends=[1, 10]), x=f(2, 3))
add("slice_parts", lambda L, x: L.slice(x, [1], [L.fill_constant([1], "int32", 1)], [3]), x=f(2, 3))
add("slice_tensor", lambda L, x, y: L.slice(x, [1], y, [3]), x=f(2, 3), y=i([1], "int32"),
    options={"grad": ["x"]})  # fmt: skip
add("strided_slice", lambda L, x: L.strided_slice(x, [1], [0], [5], [2]), x=f(2, 5))
add("crop", lambda L, x: L.crop(x, shape=[2, 2], offsets=[0, 1]), x=f(2, 3), fixed=True)
add("crop_by", lambda L, x, y: L.crop(x, shape=y), x=f(3, 3), y=f(2, 2), fixed=True,
    options={"grad": ["x"]})  # fmt: skip
add(
    "crop_tensor",
    lambda L, x: L.crop_tensor(x, shape=[2, 2], offsets=[0, 1]),
    x=f(2, 3),
    fixed=True,
)
add("crop_tensor_all", lambda L, x: L.crop_tensor(x, shape=[-1, 2]), x=f(2, 3))
add("crop_tensor_parts",
    lambda L, x: L.crop_tensor(x, [2, L.fill_constant([1], "int32", 2)], [0, 1]),
    x=f(2, 3), fixed=True)  # fmt: skip
add("pad", lambda L, x: L.pad(x, [0, 1, 1, 0], pad_value=0.5), x=f(2, 3))
add("pad2d", lambda L, x: L.pad2d(x, [1, 0, 0, 1], pad_value=0.5), x=f(1, 2, 3, 3))
add("pad2d_reflect", lambda L, x: L.pad2d(x, [1, 1, 1, 1], mode="reflect", data_format="NHWC"),
    x=f(1, 3, 3, 2))  # fmt: skip
add("pad_constant_like", lambda L, x, y: L.pad_constant_like(x, y, 1.5), x=f(3, 4), y=f(2, 3),
    fixed=True, options={"grad": ["y"]})  # fmt: skip
add("gather", lambda L, x, y: L.gather(x, y), x=f(4, 3), y=i([2, 0, 2]))
add("gather_nd", lambda L, x, y: L.gather_nd(x, y), x=f(3, 3), y=i([[0, 1], [2, 2]]))
add(
    "scatter",
    lambda L, x, y, z: L.scatter(x, y, z),
    x=f(4, 3),
    y=i([2, 0]),
    z=f(2, 3) * 5,
    fixed=True,
    options={"grad": ["z"]},
)
add("scatter_add", lambda L, x, y, z: L.scatter(x, y, z, overwrite=False), x=f(4, 3), y=i([2, 2]),
    z=f(2, 3) * 5, fixed=True, options={"grad": ["z"]})  # fmt: skip
add("scatter_nd", lambda L, y, z: L.scatter_nd(y, z, [4, 3]), y=i([[1], [3]]), z=f(2, 3))
add("scatter_nd_add", lambda L, x, y, z: L.scatter_nd_add(x, y, z), x=f(4, 3), y=i([[1], [3]]),
    z=f(2, 3))  # fmt: skip
add("reverse", lambda L, x: L.reverse(x, axis=[0, 1]), x=f(2, 3))
add("reverse_one", lambda L, x: L.reverse(x, axis=1), x=f(2, 3))
add("flip", lambda L, x: L.flip(x, [0, 1]), x=f(2, 3))
add("roll", lambda L, x: L.roll(x, shifts=1, dims=0), x=f(3, 3), options=LOOSE)
add("roll_flat", lambda L, x: L.roll(x, shifts=2), x=f(3, 3), fixed=True, options=LOOSE)
add("meshgrid", lambda L, x, y: L.meshgrid([x, y]), x=f(2), y=f(3))
add("topk", lambda L, x: L.topk(x, 2), x=f(2, 4))
add(
    "topk_tensor",
    lambda L, x: L.topk(x, L.fill_constant([1], "int32", 2)),
    x=f(2, 4),
    options={"variables": False},
)
add("argmax", lambda L, x: L.argmax(x), x=f(2, 4), options=NO)
add("argmin", lambda L, x: L.argmin(x, axis=-1), x=f(2, 4), options=NO)
add("argsort", lambda L, x: L.argsort(x, axis=0, descending=True), x=f(3, 4))
add("unique", lambda L, x: L.unique(x), x=i([2, 3, 3, 1, 5, 3]), options=LOOSE)
add("unique_with_counts", lambda L, x: L.unique_with_counts(x, "int64"), x=i([2, 3, 3, 1, 5, 3]),
    options=NO)  # fmt: skip
add("where", lambda L, x: L.where(x), x=np.array([[True, False, True]]), options=NO)
add("nonzero", lambda L, x: L.nonzero(x), x=i([[1, 0, 2]]), options=NO)
add("nonzero_tuple", lambda L, x: L.nonzero(x, as_tuple=True), x=i([[1, 0, 2]]), options=NO)
add("index_select", lambda L, x, y: L.index_select(x, y, dim=1), x=f(3, 4), y=i([2, 0]))
add("index_sample", lambda L, x, y: L.index_sample(x, y), x=f(3, 4), y=i([[2, 0], [1, 1], [3, 2]]))
add("multiplex", lambda L, x, y, z: L.multiplex([x, y], z), x=f(3, 2), y=f(3, 2) * 5,
    z=i([[1], [0], [1]], "int32"))  # fmt: skip
add("tril", lambda L, x: L.tril(x, 1), x=f(3, 4), fixed=True)
add("triu", lambda L, x: L.triu(x), x=f(3, 4), fixed=True)
add("diag_embed", lambda L, x: L.diag_embed(x, offset=1), x=f(2, 3), fixed=True)
add("shard_index", lambda L, x: L.shard_index(x, 20, 2, 0), x=i([[16], [1]]), options=NO)
add("gather_tree", lambda L, x, y: L.gather_tree(x, y), x=i([[[2, 2]], [[6, 1]]]),
    y=i([[[0, 0]], [[1, 1]]]), options=NO)  # fmt: skip
add("unfold", lambda L, x: L.unfold(x, [2, 2], 1, 1, 1), x=f(1, 2, 3, 3))
add("space_to_depth", lambda L, x: L.space_to_depth(x, 2), x=f(1, 4, 4, 4))
add("pixel_shuffle", lambda L, x: L.pixel_shuffle(x, 2), x=f(1, 4, 2, 2))
add("shuffle_channel", lambda L, x: L.shuffle_channel(x, 2), x=f(1, 4, 2, 2))
add("temporal_shift", lambda L, x: L.temporal_shift(x, 2, 0.25), x=f(4, 4, 2, 2))
add("grid_sampler", lambda L, x, y: L.grid_sampler(x, y), x=f(1, 2, 3, 3), y=f(1, 3, 3, 2) * 0.9)
add("affine_grid", lambda L, x: L.affine_grid(x, [1, 2, 3, 3]), x=f(1, 2, 3))
add("affine_grid_tensor", lambda L, x, y: L.affine_grid(x, y), x=f(1, 2, 3),
    y=i([1, 2, 3, 3], "int32"), options={"grad": ["x"]})  # fmt: skip
add("one_hot", lambda L, x: L.one_hot(x, 4), x=i([[1], [3]]), options=NO)
add("fluid_one_hot", lambda F, x: F.one_hot(x, 4), fluid_too=True, x=i([1, 3]), options=NO)
add("unbind_like", lambda L, x: L.unstack(x, 0), x=f(2, 3), fixed=True)
add("cast", lambda L, x: L.cast(x, "float64"), x=f(2, 3))
add("cast_int", lambda L, x: L.cast(x, np.int32), x=f(2, 3) * 5, options=NO)
add("continuous_value_model", lambda L, x, y: L.continuous_value_model(x, y, True), x=f(2, 5),
    y=np.ones([2, 2], "float32"), options={"grad": ["x"]})  # fmt: skip
