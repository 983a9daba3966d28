"""Inference Programs: how they are reduced, saved and loaded, and what is refused."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.dtype import VarType
from paddle.serialization.tensor_stream import read_tensor
from tests.static.harness import static as building
from tests.static.io_cases import Net, classifier

PARAMS = ["batch_norm_0.b_0", "batch_norm_0.w_0", "batch_norm_0.w_1", "batch_norm_0.w_2",
          "fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0"]  # fmt: skip


@pytest.fixture
def exe() -> Iterator[static.Executor]:
    with static.scope_guard(static.Scope()):
        yield static.Executor(paddle.CPUPlace())


@pytest.fixture
def net(exe: Any) -> Net:
    made = classifier()
    exe.run(made.startup)
    for _ in range(2):
        exe.run(made.main, feed=made.feeds, fetch_list=[made.loss])
    return made


def test_normalize_keeps_what_leads_from_inputs_to_outputs(net: Net) -> None:
    before = net.main.desc.serialize_to_string()
    small = static.normalize_program(net.main, [net.x], [net.out])
    block = small.global_block()
    types = ["feed", "mul", "elementwise_add", "batch_norm", "dropout", "mul", "elementwise_add"]
    assert [op.type for op in block.ops] == [*types, "softmax", "scale", "fetch"]
    assert all(op.attr("is_test") for op in block.ops if op.type in ("batch_norm", "dropout"))
    assert sorted(v.name for v in small.list_vars() if v.persistable) == [*PARAMS, "feed", "fetch"]
    assert (block.var("feed").type, block.var("fetch").type) == (
        VarType.FEED_MINIBATCH,
        VarType.FETCH_LIST,
    )
    assert "y" not in block.vars
    assert not any("moment" in n or "GRAD" in n for n in block.vars)
    assert net.main.desc.serialize_to_string() == before


def test_columns_follow_the_order_that_is_given(net: Net) -> None:
    outs = [net.out, net.hidden, net.out]
    small = static.normalize_program(net.main, net.x, outs)
    ops = small.global_block().ops
    assert [(op.output("Out"), op.attr("col")) for op in ops if op.type == "feed"] == [(["x"], 0)]
    fetched = [(op.attr("col"), op.input("X")[0]) for op in ops if op.type == "fetch"]
    assert fetched == [(i, f"save_infer_model/scale_{i}.tmp_0") for i in range(3)]
    sources = [op.input("X")[0] for op in ops if op.type == "scale"]
    assert sources == [v.name for v in outs]


def test_normalizing_twice_changes_nothing(net: Net) -> None:
    once = static.normalize_program(net.main, [net.x], [net.out])
    fetch = once.global_block().var("save_infer_model/scale_0.tmp_0")
    twice = static.normalize_program(once, [once.global_block().var("x")], [fetch])
    assert str(twice) == str(once)


def test_an_intermediate_result_may_be_an_input(net: Net, tmp_path: Path, exe: Any) -> None:
    prefix = str(tmp_path / "net")
    static.save_inference_model(prefix, [net.hidden], [net.out], exe, program=net.main)
    program, feeds, fetches = static.load_inference_model(prefix, exe)
    assert feeds == [net.hidden.name]
    kept = {v.name for v in program.list_vars() if v.persistable}
    assert kept == {"fc_1.b_0", "fc_1.w_0", "feed", "fetch"}
    test = net.main.clone(for_test=True)
    hidden, out = exe.run(test, feed=net.feeds, fetch_list=[net.hidden, net.out])
    (got,) = exe.run(program, feed={feeds[0]: hidden}, fetch_list=fetches)
    np.testing.assert_allclose(got, out, rtol=1e-6)


@pytest.mark.parametrize("compiled", [False, True])
def test_saved_model_computes_the_same_in_another_scope(
    net: Net, tmp_path: Path, exe: Any, compiled: bool
) -> None:
    prefix = str(tmp_path / "deep" / "er" / "net")
    want = net.infer(exe)
    from paddle.static.compiled import CompiledProgram

    saved = CompiledProgram(net.main) if compiled else net.main
    result = static.save_inference_model(prefix, [net.x], [net.out], exe, program=saved)
    assert result is None
    assert sorted(p.name for p in (tmp_path / "deep" / "er").iterdir()) == [
        "net.pdiparams",
        "net.pdmodel",
    ]
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(prefix, exe)
        (got,) = exe.run(program, feed={feeds[0]: net.feeds["x"]}, fetch_list=fetches)
    np.testing.assert_array_equal(got, want)


def test_default_main_program_is_what_is_saved(tmp_path: Path, exe: Any) -> None:
    prefix = str(tmp_path / "net")
    with building() as (_main, startup):
        x = static.data("x", [None, 2])
        y = static.nn.fc(x, 2)
        exe.run(startup)
        static.save_inference_model(prefix, x, y, exe)
        data = static.serialize_program(x, y)
    assert Path(prefix + ".pdmodel").read_bytes() == data


def test_parameters_are_streams_in_order_of_their_names(net: Net, exe: Any) -> None:
    data = static.serialize_persistables([net.x], [net.out], exe, program=net.main)
    file = io.BytesIO(data)
    state = net.main.state_dict()
    for name in PARAMS:
        array, lod = read_tensor(file)
        assert lod == []
        np.testing.assert_array_equal(array, state[name].numpy())
    assert file.read() == b""


def test_pieces_put_together_by_hand(net: Net, tmp_path: Path, exe: Any) -> None:
    want = net.infer(exe)
    program = static.serialize_program([net.x], [net.out], program=net.main)
    values = static.serialize_persistables([net.x], [net.out], exe, program=net.main)
    static.save_to_file(str(tmp_path / "a" / "p"), program)
    assert static.load_from_file(str(tmp_path / "a" / "p")) == program
    with static.scope_guard(static.Scope()):
        made = static.deserialize_program(program)
        assert static.deserialize_persistables(made, values, exe) is None
        (got,) = exe.run(made, feed={"x": net.feeds["x"]},
                         fetch_list=["save_infer_model/scale_0.tmp_0"])  # fmt: skip
        np.testing.assert_array_equal(got, want)
    with static.scope_guard(static.Scope()):
        made, _feeds, fetches = static.load_inference_model(
            None, exe, model_filename=program, params_filename=values
        )
        (got,) = exe.run(made, feed={"x": net.feeds["x"]}, fetch_list=fetches)
        np.testing.assert_array_equal(got, want)


def test_model_without_parameters_has_no_file_for_them(tmp_path: Path, exe: Any) -> None:
    prefix = str(tmp_path / "net")
    with building() as (main, _):
        x = static.data("x", [None, 2])
        flag, number = x > 0.0, paddle.argmax(x, axis=1)
    static.save_inference_model(prefix, [x], [flag, number], exe, program=main)
    assert [p.name for p in tmp_path.iterdir()] == ["net.pdmodel"]
    assert static.serialize_persistables([x], [flag], exe, program=main) is None
    program, _, fetches = static.load_inference_model(prefix, exe)
    values = np.array([[1, -1], [-2, 3]], "float32")
    got = exe.run(program, feed={"x": values}, fetch_list=fetches)
    np.testing.assert_array_equal(got[0], values > 0)
    np.testing.assert_array_equal(got[1], [0, 1])


def test_model_with_control_flow_keeps_what_branches_read(tmp_path: Path, exe: Any) -> None:
    prefix = str(tmp_path / "net")
    with building() as (main, startup):
        x = static.data("x", [None, 2])
        w = static.create_parameter([2, 2], "float32", name="w")
        static.create_parameter([2, 2], "float32", name="unused")
        out = static.nn.cond(paddle.sum(x) > 0.0, lambda: paddle.matmul(x, w), lambda: x - 1.0)
    exe.run(startup)
    static.save_inference_model(prefix, [x], [out], exe, program=main)
    weight = main.state_dict()["w"].numpy()
    with static.scope_guard(static.Scope()):
        program, _, fetches = static.load_inference_model(prefix, exe)
        assert list(program.state_dict()) == ["w"]
        for sign in (1.0, -1.0):
            value = np.full([1, 2], sign, "float32")
            (got,) = exe.run(program, feed={"x": value}, fetch_list=fetches)
            np.testing.assert_allclose(got, value @ weight if sign > 0 else value - 1, rtol=1e-6)


def test_an_older_model_survives_a_failure(net: Net, tmp_path: Path, exe: Any) -> None:
    prefix = str(tmp_path / "net")
    static.save_inference_model(prefix, [net.x], [net.out], exe, program=net.main)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with static.scope_guard(static.Scope()), pytest.raises(RuntimeError, match="not initialized"):
        static.save_inference_model(prefix, [net.x], [net.hidden], exe, program=net.main)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


# -- what is refused --------------------------------------------------------------------------------  # noqa: E501


def save(exe: Any, net: Net, path: Any = "x/net", feeds: Any = None, fetches: Any = None,
         **options: Any) -> None:  # fmt: skip
    feeds = [net.x] if feeds is None else feeds
    fetches = [net.out] if fetches is None else fetches
    static.save_inference_model(path, feeds, fetches, exe, **{"program": net.main, **options})


def test_ends_that_are_no_variables(net: Net, exe: Any) -> None:
    with pytest.raises(TypeError, match=r"feed_vars to be a Variable, but received str; use prog"):
        save(exe, net, feeds="x")
    with pytest.raises(TypeError, match=r"fetch_vars\[1\] to be a Variable, but received Tensor"):
        save(exe, net, fetches=[net.out, paddle.ones([1])])
    with pytest.raises(ValueError, match=r"fetch_vars\): expected at least one Variable"):
        save(exe, net, fetches=[])
    with pytest.raises(TypeError, match=r"normalize_program\(program\): .* but received int"):
        static.normalize_program(1, [net.x], [net.out])


def test_ends_that_do_not_fit_the_program(net: Net, exe: Any) -> None:
    with pytest.raises(
        ValueError, match=r"feed_vars\[0\]: the Program has no variable 'x'.*\n.*pr"
    ):
        save(exe, net, program=static.Program())
    with pytest.raises(
        ValueError, match=r"feed_vars\[1\]: 'y' is not needed to compute fetch_vars"
    ):
        save(exe, net, feeds=[net.x, net.y])
    with pytest.raises(ValueError, match=r"need \['y'\] too; given are \['x'\]"):
        save(exe, net, fetches=[net.loss])
    with pytest.raises(ValueError, match=r"feed_vars\[1\]: 'x' is given twice"):
        save(exe, net, feeds=[net.x, net.x])


def test_parameters_before_startup(exe: Any) -> None:
    net = classifier()
    text = r"8 of 8 variables are not initialized: 'batch_norm_0\.b_0'.*\n.*run the startup program"
    with pytest.raises(RuntimeError, match=text):
        save(exe, net)
    with pytest.raises(RuntimeError, match=text):
        static.serialize_persistables([net.x], [net.out], exe, program=net.main)


def test_other_wrong_arguments(net: Net, exe: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no option 'clip'; the options are program"):
        save(exe, net, clip=True)
    with pytest.raises(ValueError, match="whose name is empty"):
        save(exe, net, path=str(tmp_path) + "/")
    with pytest.raises(ValueError, match="is a folder"):
        save(exe, net, path=str(tmp_path))
    with pytest.raises(TypeError, match=r"path_prefix\): expected a str, but received NoneType"):
        static.save_inference_model(None, [net.x], [net.out], exe)
    with pytest.raises(TypeError, match=r"executor\): expected a paddle.static.Executor"):
        save(paddle.CPUPlace(), net)
    with pytest.raises(TypeError, match=r"content\): expected bytes, but received str"):
        static.save_to_file(str(tmp_path / "a"), "text")
    with pytest.raises(TypeError, match=r"data\): expected bytes, but received str"):
        static.deserialize_program("text")
    with pytest.raises(TypeError, match=r"without a path, expected the content in model_filename"):
        static.load_inference_model(None, exe)
    with pytest.raises(NotImplementedError, match="parameter servers"):
        static.load_inference_model("x", exe, pserver_endpoints=["a"])


def test_missing_files_name_what_lies_beside(net: Net, exe: Any, tmp_path: Path) -> None:
    prefix = str(tmp_path / "net")
    with pytest.raises(
        FileNotFoundError, match=r"no file '.*net\.pdmodel'; the folder .* is empty"
    ):
        static.load_inference_model(prefix, exe)
    save(exe, net, prefix)
    with pytest.raises(
        RuntimeError, match=r"no file '.*nett\.pdmodel'; .* holds net\.pdiparams, n"
    ):
        static.load_inference_model(prefix + "t", exe)
    with pytest.raises(
        FileNotFoundError, match=r"no file '.*__model__'.*\n.*give the prefix: '.*net"
    ):
        static.load_inference_model(str(tmp_path), exe)
    (tmp_path / "net.pdiparams").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"no file '.*net\.pdiparams'; .* holds net\.pdmodel"
    ):
        static.load_inference_model(prefix, exe)
    with pytest.raises(FileNotFoundError, match=r"'.*/nowhere' does not exist"):
        static.load_from_file(str(tmp_path / "nowhere" / "x"))
    with pytest.raises(
        FileNotFoundError, match=r"no files .*batch_norm_0\.b_0', .* 8 of 8 variables"
    ):
        static.load_inference_model(str(tmp_path), exe, model_filename="net.pdmodel")
    static.save(net.main, str(tmp_path / "train"))
    with pytest.raises(FileNotFoundError, match=r"train\.pdparams' is of static\.save: load it by"):
        static.load_inference_model(str(tmp_path / "train"), exe)


def test_damaged_files(net: Net, exe: Any, tmp_path: Path) -> None:
    prefix = str(tmp_path / "net")
    save(exe, net, prefix)
    params, model = tmp_path / "net.pdiparams", tmp_path / "net.pdmodel"
    whole = params.read_bytes()
    params.write_bytes(whole[:-5])
    text = rf"net\.pdiparams' \({len(whole) - 5} bytes\): variable 'fc_1\.w_0': .*\n.*truncated"
    with pytest.raises(ValueError, match=text):
        static.load_inference_model(prefix, exe)
    params.write_bytes(whole + whole)
    with pytest.raises(
        ValueError, match=r"expected the end behind 8 variables.*\n.*another program"
    ):
        static.load_inference_model(prefix, exe)
    model.write_bytes(model.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"net\.pdmodel' \(100 bytes\): program"):
        static.load_inference_model(prefix, exe)


def test_parameters_of_another_model_change_nothing(net: Net, exe: Any, tmp_path: Path) -> None:
    save(exe, net, str(tmp_path / "a"))
    other = classifier(width=4)
    with static.scope_guard(static.Scope()):
        exe.run(other.startup)
        save(exe, other, str(tmp_path / "b"))
    (tmp_path / "a.pdiparams").write_bytes((tmp_path / "b.pdiparams").read_bytes())
    before = {k: v.numpy() for k, v in net.main.state_dict().items()}
    text = (r"another Program: batch_norm_0\.b_0: expected shape \[5\], got \[4\].*"
            r"fc_0\.w_0: expected shape \[6, 5\], got \[6, 4\]")  # fmt: skip
    with pytest.raises(ValueError, match=text):
        static.load_inference_model(str(tmp_path / "a"), exe)
    for key, value in net.main.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[key])


def test_an_input_that_is_overwritten_keeps_what_overwrites_it(tmp_path: Path, exe: Any) -> None:
    """Loops in models of 2.6.2 do that with their input."""
    with building() as (main, _):
        x = static.data("x", [2])
        paddle.assign(x * 2.0, output=x)
        y = x + 1.0
    path = str(tmp_path / "net")
    static.save_inference_model(path, [x], [y], exe, program=main)
    program, feeds, fetches = static.load_inference_model(path, exe)
    found = exe.run(program, {feeds[0]: np.array([3.0, 4.0], "float32")}, fetches)
    np.testing.assert_array_equal(found[0], [7.0, 9.0])
