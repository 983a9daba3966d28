# custom_op.py
"""The guide's 8.4.3: a Python function around the operator of relu2_op.so (see build.sh)."""

import paddle.incubate as incubate

# 调用 load_op_library 加载动态库
incubate.load_op_library("relu2_op.so")

from paddle.incubate import LayerHelper


def relu2(x, name=None):
    # relu2 的 type 和在 OP 中定义的 type 相同
    helper = LayerHelper("relu2", **locals())
    # 创建输出 Variable
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(type="relu2", inputs={"X": x}, outputs={"Y": out})
    return out
