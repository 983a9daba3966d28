"""Layers that make tensors, variables and random numbers, and that count."""

try:
    from .table import cases, f, i
except ImportError:  # PaddlePaddle's Python
    from table import cases, f, i

import numpy as np

add = cases(globals())
NO = {"grad": False}

add("fill_constant", lambda L: L.fill_constant([2, 3], "float32", 1.5))
add(
    "fill_constant_int",
    lambda L: L.fill_constant(shape=[2], dtype="int64", value=7, force_cpu=True),
)
add("fill_constant_out", lambda L: L.fill_constant([1], "int64", 3, out=L.create_tensor("int64")))
add("fill_constant_tensor", lambda L, x: L.fill_constant(x, "float32", 2.0), x=i([2, 3], "int32"),
    options=NO)  # fmt: skip
add("fill_constant_parts",
    lambda L: L.fill_constant([2, L.fill_constant([1], "int32", 3)], "float32", 2.0))  # fmt: skip
add("fill_constant_value", lambda L, x: L.fill_constant([2], "float32", x), x=f(1), options=NO)
add("fill_like_batch", lambda L, x: L.fill_constant_batch_size_like(x, [-1, 2], "int64", 3),
    x=f(3, 4), options=NO)  # fmt: skip
add("fill_like_batch_dims",
    lambda L, x: L.fill_constant_batch_size_like(x, [2, -1], "float32", 0.5, 1, 1), x=f(3, 4),
    options=NO)  # fmt: skip
add("ones", lambda L: L.ones([2, 3], "float32"))
add("zeros", lambda L: L.zeros([2, 3], "int64"))
add("ones_like", lambda L, x: L.ones_like(x), x=f(2, 3), options=NO)
add("zeros_like", lambda L, x: L.zeros_like(x), x=f(2, 3), options=NO)
add("zeros_like_out", lambda L, x: L.zeros_like(x, out=L.create_tensor("float32")), x=f(2, 3),
    options=NO)  # fmt: skip
add("full", lambda L: L.full([2, 3], 0.5))
add("full_options", lambda L: L.full([2], 3, dtype="int64", device="cpu", stop_gradient=False))
add("full_like", lambda L, x: L.full_like(x, 0.5), x=f(2, 3), options=NO)
add("eye", lambda L: L.eye(3, 2))
add("eye_batch", lambda L: L.eye(2, batch_shape=[2], dtype="int32"))
add("linspace", lambda L: L.linspace(0.0, 2.0, 5, "float32"))
add("linspace_tensors",
    lambda L: L.linspace(L.fill_constant([1], "float32", 1.0), 3.0, 3, "float32"))  # fmt: skip
add("range", lambda L: L.range(0, 10, 3, "int32"))
add("range_tensors", lambda L: L.range(0, L.fill_constant([1], "int64", 4), 1, "int64"))
add("range_floats", lambda L: L.range(0.0, 1.0, 0.25, "float32"))
add("arange", lambda L: L.arange(0, 5))
add("arange_one", lambda L: L.arange(0, 6, step=2, dtype="int64"))
add("diag", lambda L: L.diag(np.arange(3, dtype="float32")))
add("diag_tensor", lambda L, x: L.diag(x), x=f(3), options=NO)
add("assign", lambda L, x: L.assign(x), x=f(2, 3))
add("assign_array", lambda L: L.assign(np.array([[1.0, 2.5]], "float32")))
add("assign_ints", lambda L: L.assign(np.array([[1, 2]], "int64")))
add("assign_output", lambda L, x: L.assign(x, L.create_tensor("float32")), x=f(2, 3), options=NO)
add("uniform_random", lambda L: L.shape(L.uniform_random([2, 3], "float32", -2.0, 2.0, 5)))
add("uniform_random_tensor", lambda L, x: L.shape(L.uniform_random(x)), x=i([2, 3]), options=NO)
add("uniform_random_parts",
    lambda L: L.shape(L.uniform_random([2, L.fill_constant([1], "int64", 3)])))  # fmt: skip
add("gaussian_random", lambda L: L.shape(L.gaussian_random([2, 3], 1.0, 2.0)))
add(
    "uniform_like_batch",
    lambda L, x: L.shape(L.uniform_random_batch_size_like(x, [-1, 2])),
    x=f(3, 4),
    options=NO,
)
add(
    "gaussian_like_batch",
    lambda L, x: L.shape(L.gaussian_random_batch_size_like(x, [-1, 2])),
    x=f(3, 4),
    options=NO,
)
add("randint", lambda L: L.shape(L.randint(0, 5, [2, 3])))
add("randint_high", lambda L: L.shape(L.randint(5, shape=[3], dtype="int32")))
add("randn", lambda L: L.shape(L.randn([2, 3])))
add("randperm", lambda L: L.shape(L.randperm(6)))
add("sampling_id", lambda L, x: L.shape(L.sampling_id(x)), x=np.full([3, 2], 0.5, "float32"),
    options={"grad": False, "variables": False})  # fmt: skip
add("create_parameter", lambda L, x: x * L.create_parameter([3], "float32", name="w"), x=f(2, 3))
add("create_parameter_bias", lambda L, x: x + L.create_parameter([3], "float32", is_bias=True),
    x=f(2, 3))  # fmt: skip
add(
    "create_global_var",
    lambda L, x: x + L.create_global_var([1], 2.0, "float32", persistable=True, name="g"),
    x=f(2, 3),
)
add("create_global_var_unnamed", lambda L, x: x + L.create_global_var([1], 2.0, "float32", True),
    x=f(2, 3), options={"steps": 1})  # fmt: skip
add("step_counter", lambda L: L.autoincreased_step_counter(), options={"steps": 3})
add(
    "step_counter_named",
    lambda L: L.autoincreased_step_counter("count", 5, 2),
    options={"steps": 3},
)
