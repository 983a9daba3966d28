"""Operators of users in Python: forms of kernels, gradients, Programs, files, bad input."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

import paddle
from paddle.core.op import REGISTRY, C
from paddle.testing import OpTest, gradcheck
from paddle.utils import register_op

X = np.linspace(-2, 2, 12).reshape(3, 4)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    """Operators that a test registers are gone behind it."""
    yield
    for made in REGISTRY.imported():
        if made.name.startswith("user_"):
            dict.pop(REGISTRY, made.name)
            vars(C).pop(made.name, None)


def forms() -> list:
    """The same operator in each form."""

    @register_op("user_of_tensors", "X -> Out")
    def of_tensors(x, *, scale=1.0):
        return paddle.tanh(x) * scale

    @register_op("user_of_torch", "X -> Out", buffers="torch", infer="same")
    def of_torch(x, *, scale=1.0):
        return torch.tanh(x) * scale

    @register_op("user_of_numpy", "X -> Out", buffers="numpy")
    def of_numpy(x, *, scale=1.0):
        return np.tanh(x) * np.asarray(scale, x.dtype)

    @of_numpy.grad("Out")
    def _(d_out, out, *, scale):
        return d_out * (scale - out * out / scale).astype(out.dtype)

    return [of_tensors, of_torch, of_numpy]


@pytest.mark.parametrize("which", [0, 1, 2], ids=["tensors", "torch", "numpy"])
def test_an_operator_in_each_form_and_mode(which: int) -> None:
    made = forms()[which]
    case = OpTest("check_output")
    case.op_type, case.inputs, case.attrs = made.name, {"X": X}, {"scale": 3.0}
    case.outputs = {"Out": 3 * np.tanh(X)}
    case.check_output()
    case.check_grad("X", "Out", numeric_grad_delta=1e-5, max_relative_error=1e-7)
    case.inputs = {"X": X.astype("float32")}
    case.check_output()
    x = paddle.to_tensor(X, stop_gradient=False)
    if which < 2:
        assert gradcheck(lambda x: made(x, scale=3.0), x, order=2)
    assert made(paddle.to_tensor(X).astype("bfloat16")).dtype == paddle.bfloat16 or which == 2


def test_a_program_with_an_unknown_batch() -> None:
    made = forms()
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [-1, 4], "float64")
            outs = [function(x, scale=2.0) for function in made]
        assert [tuple(o.shape) for o in outs] == [(-1, 4)] * 3
        assert {o.dtype for o in outs} == {paddle.float64}
        # The mode is still static: what a kernel of Tensors calls must run all the same.
        found = paddle.static.Executor().run(main, feed={"x": X}, fetch_list=outs)
        assert len(main.global_block().ops) == 3
    finally:
        paddle.disable_static()
    for array in found:
        np.testing.assert_allclose(array, 2 * np.tanh(X))


def test_slots_lists_and_missing_inputs() -> None:
    @register_op("user_slots", "X* Y? Label~ -> Out* Sum Rest?", buffers="numpy")
    def slots(xs, y, label, *, k=2):
        rest = None if y is None else y * k
        return [x + 1 for x in xs], sum(x.sum(keepdims=True).reshape(1) for x in xs), rest

    @slots.grad("X Y.shape")
    def _(d_outs, d_sum, d_rest, xs, y_shape, *, k, needs_grad):
        dx = [d + d_sum for d in d_outs]
        return dx, None if y_shape is None else np.full(y_shape, 7.0), None

    a = paddle.to_tensor(X, stop_gradient=False)
    label = paddle.to_tensor([1])
    outs, total, rest = slots([a, a], None, label)
    assert rest is None and len(outs) == 2
    np.testing.assert_allclose(total.numpy(), [2 * X.sum()], atol=1e-12)
    (outs[0].sum() + total.sum()).backward()
    np.testing.assert_allclose(a.grad.numpy(), np.full_like(X, 3.0))
    y = paddle.to_tensor([1.0, 2.0], dtype="float64", stop_gradient=False)
    rest = slots([a], y, label, k=3)[2]
    rest.sum().backward()
    np.testing.assert_allclose(rest.numpy(), [3.0, 6.0])
    np.testing.assert_allclose(y.grad.numpy(), [7.0, 7.0])


def test_shape_rules_of_users() -> None:
    seen = []

    def rule(inputs, attrs):
        seen.append((inputs[0].shape, attrs))
        return (inputs[0].shape[0], attrs["width"]), "int64"

    @register_op("user_rule", "X -> Out", buffers="numpy", infer=rule)
    def ruled(x, *, width=3):
        return np.zeros((x.shape[0], width), "int64")

    def two(inputs, attrs):
        return [inputs[0], ((1,), inputs[0].dtype)]

    @register_op("user_rule_of_two", "X -> Out Norm", buffers="torch", infer=two)
    def two_results(x):
        return x * 1, x.norm().reshape(1)

    block = paddle.static.Program().global_block()
    block.create_var(name="x", shape=[-1, 4], dtype="float32")
    block.append_op("user_rule", {"X": "x"}, {"Out": "y"}, {"width": 5})
    assert block.var("y").shape == (-1, 5) and block.var("y").dtype == paddle.int64
    assert seen[0] == ((-1, 4), {"width": 5})
    block.append_op("user_rule_of_two", {"X": "x"}, {"Out": "z", "Norm": "n"})
    assert block.var("z").shape == (-1, 4) and block.var("n").shape == (1,)
    with pytest.raises(ValueError, match=r"expected one of .*'same'.* received 'alike'"):
        register_op("user_wrong_rule", "X -> Out", infer="alike")(lambda x: x)
    register_op("user_rule_of_one", "X -> Out", infer=lambda inputs, attrs: 3)(lambda x: x)
    with pytest.raises(TypeError, match=r"shape rule of user_rule_of_one .* returned int 3"):
        block.append_op("user_rule_of_one", {"X": "x"}, {"Out": "w"})


def test_what_comes_in_is_protected() -> None:
    @register_op("user_writes", "X -> Out", buffers="numpy", infer="same")
    def writes(x):
        x += 1
        return x

    @register_op("user_identity", "X -> Out", buffers="numpy", infer="same")
    def identity(x):
        return x

    @register_op("user_identity_of_tensors", "X -> Out")
    def same_tensor(x):
        return x

    x = paddle.to_tensor(X)
    with pytest.raises(ValueError, match="read-only"):
        writes(x)
    for function in (identity, same_tensor):
        y = function(x)
        assert y is not x
        y[0] = 9.0
        np.testing.assert_array_equal(x.numpy(), X)


def test_without_a_gradient() -> None:
    @register_op("user_no_gradient", "X -> Out", buffers="numpy", infer="same")
    def none(x):
        return x * 2

    @register_op("user_not_differentiable", "X -> Out", differentiable=False)
    def cut(x):
        return x * 2

    x = paddle.to_tensor(X, stop_gradient=False)
    assert none(x).stop_gradient and cut(x).stop_gradient

    @none.grad()
    def _(d_out):
        return d_out * 2

    none(x).sum().backward()  # also after the first call
    np.testing.assert_array_equal(x.grad.numpy(), np.full_like(X, 2.0))


def test_mixed_precision_and_recording_inside() -> None:
    weight = paddle.to_tensor(np.ones((4, 2), "float32"), stop_gradient=False)

    @register_op("user_amp", "X -> Out", amp="white")
    def product(x):
        assert x.stop_gradient
        out = x @ weight.astype(x.dtype)
        assert out.stop_gradient  # nothing is recorded inside
        return out

    x = paddle.to_tensor(X.astype("float32"), stop_gradient=False)
    with paddle.amp.auto_cast():
        y = product(x)
    assert y.dtype in (paddle.bfloat16, paddle.float16)
    y.astype("float32").sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full_like(X, 2.0))
    assert weight.grad is None
    function = paddle.jit.to_static(lambda x: product(x) * 2.0)
    np.testing.assert_allclose(function(x).numpy(), 2 * X @ np.ones((4, 2)), rtol=1e-6)


def test_a_kernel_for_main_memory_beside_one_of_a_device() -> None:
    def on_cpu(x, y, *, k=1):
        return torch.relu(x + y) * k

    def grad_on_cpu(d_out, out, *, k):
        d = d_out * (out > 0) * k
        return d, d

    @register_op("user_device", "X Y -> Out", buffers="torch", cpu=on_cpu, infer="broadcast")
    def on_device(x, y, *, k=1):
        raise AssertionError("no device here")

    x = paddle.to_tensor(X, stop_gradient=False)
    assert on_device(x, x).stop_gradient  # a kernel of a device has no gradient but its own

    @on_device.grad("Out", cpu=grad_on_cpu)
    def _(d_out, out, *, k):
        raise AssertionError("no device here")

    y = on_device(x, x, k=2)
    np.testing.assert_allclose(y.numpy(), 2 * np.maximum(2 * X, 0))
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 4.0 * (X > 0))


def test_it_looks_like_the_function() -> None:
    @register_op("user_described", "X Y? -> Out")
    def described(x, y=None, *, alpha=0.5):
        """Says what it is."""
        return x * alpha

    assert described.name == "user_described" and described.__name__ == "described"
    assert described.__doc__ == "Says what it is."
    assert str(inspect.signature(described)) == "(x, y=None, *, alpha=0.5)"
    assert repr(described) == "<operator user_described: X Y -> Out; {'alpha': 0.5}>"
    assert described(x=paddle.ones([1]), alpha=2.0).item() == 2.0
    assert paddle.framework.core.ops.user_described(paddle.ones([1]), "alpha", 4.0).item() == 4.0


WRONG = [
    (
        ("relu", "X -> Out"),
        {},
        RuntimeError,
        r"there is an operator 'relu' already, of paddle\.ops",
    ),
    (("relu_grad", "X -> Out"), {}, RuntimeError, r"there is an operator 'relu(_grad)?'"),
    (("a b", "X -> Out"), {}, ValueError, r"name\): expected letters, digits and _, .*'a b'"),
    (("user_x", "X Out"), {}, ValueError, r"slots\): expected a text like 'X Y -> Out'"),
    (("user_x", "X ->"), {}, ValueError, "which has no output"),
    (("user_x", "X& -> Out"), {}, ValueError, "where 'X&' is no slot"),
    (
        ("user_x", "X -> Out"),
        {"buffers": "cupy"},
        ValueError,
        "None, 'torch' or 'numpy', .* 'cupy'",
    ),
    (("user_x", "X -> Out"), {"cpu": 3}, TypeError, r"cpu\): expected a function, .* int"),
    (("user_x", "X -> Out"), {"infer": 3}, TypeError, r"infer\): expected the name of a rule"),
    (("user_x", "X Y -> Out"), {}, ValueError, "does not fit slots"),
    (("user_x", "X -> Out"), {"speed": "high"}, TypeError, "speed"),
]


@pytest.mark.parametrize(("args", "options", "kind", "text"), WRONG)
def test_wrong_definitions(args: tuple, options: dict, kind: type, text: str) -> None:
    with pytest.raises(kind, match=text):
        register_op(*args, **options)(lambda x: x)
    assert "user_x" not in REGISTRY


def test_wrong_results_and_calls() -> None:
    @register_op("user_two", "X -> Out Other")
    def two(x):
        return x

    @register_op("user_text", "X -> Out")
    def text(x):
        return "out"

    @register_op("user_gradient", "X -> Out")
    def one(x):
        return x * 2

    with pytest.raises(ValueError, match=r"are no slots"):
        one.grad("Z")(lambda d, z: d)
    with pytest.raises(TypeError, match="expected a function to decorate"):
        register_op("user_nothing", "X -> Out")(None)
    x = paddle.ones([2])
    with pytest.raises(ValueError, match=r"two: expected 2 results, Out, Other, but it returned 1"):
        two(x)
    with pytest.raises(TypeError, match=r"text: Out is expected to be a tensor, .* str 'out'"):
        text(x)
    with pytest.raises(TypeError, match="user_gradient: argument X expects a Tensor"):
        one([1.0])


def test_results_that_are_not_what_the_rule_says() -> None:
    """Callers take the rule's word: a Tensor must not say float32 and hold float64."""
    x = paddle.to_tensor(X.astype("float32"))
    wrong = [
        ("same", {}, lambda x: x.astype("float64"), r"Out is float64\[3, 4\], .* float32\[3, 4\]"),
        ("same", {"buffers": "numpy"}, lambda x: x[:1], r"Out is float32\[1, 4\], .* it is f"),
        ("to_bool", {"buffers": "torch"}, lambda x: x + 1, r"Out is float32.* it is bool\[3"),
    ]  # fmt: skip
    for i, (infer, options, function, text) in enumerate(wrong):
        made = register_op(f"user_not_as_told_{i}", "X -> Out", infer=infer, **options)(function)
        with pytest.raises(ValueError, match=rf"(?s)user_not_as_told_{i}: {text}.*as infer="):
            made(x)
    block = paddle.static.Program().global_block()
    block.create_var(name="x", shape=[3, 4], dtype="float32")
    with pytest.raises(ValueError, match="user_not_as_told_0: Out is float64"):
        block.append_op("user_not_as_told_0", {"X": "x"}, {"Out": "y"})
    integers = register_op("user_integers", "X -> Out", buffers="numpy", infer="floating")(
        lambda x: x.astype("float32") / 2
    )
    assert integers(paddle.to_tensor([1, 2])).numpy().tolist() == [0.5, 1.0]


def test_bfloat16_for_kernels_of_arrays() -> None:
    @register_op("user_narrow", "X -> Out", buffers="numpy", infer="same")
    def narrow(x):
        assert x.dtype == "float32"
        return x * 3

    @narrow.grad("X")
    def _(d_out, x):
        return d_out * 3

    x = paddle.to_tensor([[1.0, 2.0]], dtype="bfloat16", stop_gradient=False)
    y = narrow(x)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == paddle.bfloat16
    assert y.astype("float32").numpy().tolist() == [[3.0, 6.0]]
    assert x.grad.astype("float32").numpy().tolist() == [[3.0, 3.0]]
    with paddle.amp.auto_cast():
        z = narrow(paddle.ones([2, 2]) @ paddle.ones([2, 2]))
    np.testing.assert_array_equal(z.astype("float32").numpy(), np.full((2, 2), 6.0))


def test_copies_and_pickles_are_the_operator_itself() -> None:
    class Net(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.function = kept

        def forward(self, x):
            return self.function(x)

    made = kept = register_op("user_copied", "X -> Out")(_plus)
    assert copy.deepcopy(made) is made and copy.copy(made) is made
    assert copy.deepcopy(Net()).function is made
    globals()["_plus"], before = made, _plus
    try:
        assert pickle.loads(pickle.dumps(made)) is made
    finally:
        globals()["_plus"] = before


def _plus(x):
    return x + 1


def test_what_is_said_of_functions_without_a_shape_rule() -> None:
    def refuses_ones(x):
        if x.min() > 0:
            raise ValueError("not of ones")
        return x

    cases = [
        ("numpy", refuses_ones, "(?s)not of ones.*was run on ones; give register_op a shape rule"),
        ("numpy", lambda x: x[0] if len(x) > 100 else x, "how many dimensions its results have"),
        ("numpy", lambda x: x.astype("uint32"), "Out is uint32, which no Tensor can have"),
        (None, lambda x: x * 2 if float(x.sum()) > 0 else x, "(?s)depends on the data.*as infer="),
        (None, lambda x: paddle.to_tensor(x.numpy()), "(?s)depends on the data.*as infer="),
    ]  # fmt: skip
    block = paddle.static.Program().global_block()
    block.create_var(name="x", shape=[-1, 4], dtype="float32")
    for i, (buffers, function, text) in enumerate(cases):
        register_op(f"user_ruleless_{i}", "X -> Out", buffers=buffers)(function)
        with pytest.raises((ValueError, NotImplementedError), match=text):
            block.append_op(f"user_ruleless_{i}", {"X": "x"}, {"Out": "y"})


def test_results_that_are_written_into_inputs() -> None:
    functions = {
        None: lambda x, total, *, by=1: (x * by, total + x),
        "torch": lambda x, total, *, by=1: (x * by, total.add_(x)),
        "numpy": lambda x, total, *, by=1: (x * by, total + x),
    }
    for form, function in functions.items():
        made = register_op(
            f"user_writes_{form}", "X Total~ -> Out TotalOut=Total", buffers=form, infer=_two_like
        )(function)
        x, total = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([10.0, 10.0])
        before = total.detach().clone()
        for _ in range(2):
            assert made(x, total, by=3).numpy().tolist() == [3.0, 6.0]
        assert total.numpy().tolist() == [12.0, 14.0] and before.numpy().tolist() == [10.0, 10.0]
        paddle.enable_static()
        try:
            main, startup = paddle.static.Program(), paddle.static.Program()
            with paddle.static.program_guard(main, startup):
                x = paddle.static.data("x", [2])
                total = paddle.static.create_global_var([2], 10.0, "float32", persistable=True)
                out = made(x, total, by=3)
            exe = paddle.static.Executor()
            exe.run(startup)
            for _ in range(2):
                got = exe.run(
                    main, feed={"x": np.array([1, 2], "float32")}, fetch_list=[out, total]
                )
        finally:
            paddle.disable_static()
        assert [v.tolist() for v in got] == [[3.0, 6.0], [12.0, 14.0]]
    wrong = register_op("user_writes_more", "X -> XOut=X", buffers="numpy")(lambda x: x[:1])
    with pytest.raises(ValueError, match=r"XOut is float32\[1\], but the input .* float32\[2\]"):
        wrong(paddle.ones([2]))
    with pytest.raises(ValueError, match="Out is to be written into Y, which is no input in"):
        register_op("user_writes_nothing", "X -> Out=Y")(lambda x: x)


def _two_like(inputs, attrs):
    return [inputs[0], inputs[1]]


def test_gradients_that_are_wrong() -> None:
    x = paddle.to_tensor(X, stop_gradient=False)
    for i, (wrong, text) in enumerate([
        (lambda d: (d, d), "the gradient of user_wrong_gradient_0: .*returned a tuple of 2"),
        (lambda d: d[:1], r"a Tensor of shape \[3, 4\], is expected .*has shape \[1, 4\]"),
    ]):  # fmt: skip
        made = register_op(f"user_wrong_gradient_{i}", "X -> Out", buffers="numpy")(lambda x: x * 2)
        made.grad()(wrong)
        with pytest.raises((ValueError, TypeError), match=text):
            made(x).sum().backward()


MODULE = '''
"""Operators of a user."""
import numpy as np
from paddle.utils import register_op

@register_op("user_saved_scale", "X -> Out", buffers="numpy", infer="same")
def scale(x, *, by=1.0):
    return x * np.asarray(by, x.dtype)

@scale.grad("Out.shape")
def _(d_out, shape, *, by):
    return d_out * np.asarray(by, d_out.dtype)
'''
SAVE = """
import paddle
import my_operators
paddle.enable_static()
x = paddle.static.data("x", [-1, 2])
y = my_operators.scale(x, by=2.5)
exe = paddle.static.Executor()
paddle.static.save_inference_model("net", [x], [y], exe)
"""
LOAD = """
import sys
import numpy as np
import paddle
if len(sys.argv) > 1:
    import my_operators
paddle.enable_static()
exe = paddle.static.Executor()
program, feeds, fetches = paddle.static.load_inference_model("net", exe)
print(exe.run(program, feed={feeds[0]: np.ones((3, 2), "float32")}, fetch_list=fetches)[0].sum())
from paddle.inference import Config, create_predictor
predictor = create_predictor(Config("net.pdmodel", "net.pdiparams"))
print(predictor.run([np.ones((1, 2), "float32")])[0])
"""


@pytest.mark.slow
def test_a_saved_program_says_what_to_import(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(paddle.__file__).parents[1])}

    def run(code: str, *args: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-c", code, *args], cwd=tmp_path, env=env,
                              capture_output=True, text=True, check=False)  # fmt: skip

    (tmp_path / "my_operators.py").write_text(MODULE, "utf8")
    done = run(SAVE)
    assert done.returncode == 0, done.stderr
    done = run(LOAD)
    assert done.returncode and "before it is loaded: import my_operators" in done.stderr
    assert "Operator 'user_saved_scale' has not been registered" in done.stderr
    done = run(LOAD, "import")
    assert done.returncode == 0 and done.stdout.startswith("15.0\n[[2.5 2.5]]"), done.stderr
    # A script registers it too; it can be imported by its name.
    script = MODULE + SAVE.replace("import my_operators", "").replace("my_operators.", "")
    (tmp_path / "my_script.py").write_text(script, "utf8")
    done = subprocess.run([sys.executable, "my_script.py"], cwd=tmp_path, env=env, check=True)
    done = run(LOAD)
    assert "The Program needs module my_script" in done.stderr, done.stderr
