"""paddle.save and paddle.load: what a file holds, what comes back, which arguments are refused."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paddle.core.dtype import VarType
from paddle.core.tensor import Tensor
from paddle.framework.io import load, load_dygraph, save
from paddle.serialization.pickles import packing
from paddle.serialization.pickles.restoring import array_to_tensor
from tests.framework import saveload_cases as cases

DATA = Path(__file__).resolve().parents[1] / "data"
NAMES = sorted(cases.build(cases.as_array))


def tensor(array: Any, name: str | None = None, bf16: bool = False) -> Tensor:
    return array_to_tensor(np.array(array), name)


def raw(path: Path) -> Any:
    with open(path, "rb") as file:
        return pickle.load(file)


# -- round trips -------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_comes_back(tmp_path: Path, name: str, protocol: int) -> None:
    path = str(tmp_path / "x.pd")
    save(cases.build(tensor)[name], path, pickle_protocol=protocol)
    want = cases.build(cases.as_array)[name]
    assert cases.same(load(path), want)
    assert cases.same(load(path, return_numpy=True), want)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_a_file_announces_its_protocol(tmp_path: Path, protocol: int) -> None:
    save({"w": tensor([1.0])}, str(tmp_path / "x"), protocol)
    assert (tmp_path / "x").read_bytes()[:2] == bytes([0x80, protocol])
    save({"w": tensor([1.0])}, str(tmp_path / "y"), protocol=protocol)
    assert (tmp_path / "x").read_bytes()[:2] == (tmp_path / "y").read_bytes()[:2]


def test_the_default_protocol_is_2(tmp_path: Path) -> None:
    save({"w": tensor([1.0])}, str(tmp_path / "x"))
    assert (tmp_path / "x").read_bytes()[:2] == b"\x80\x02"


def test_loaded_tensors_have_name_dtype_and_no_gradient(tmp_path: Path) -> None:
    source = tensor(np.ones((2, 3), "float16"), "linear_0.w_0")
    source.stop_gradient = False
    save({"w": source}, str(tmp_path / "x"))
    got = load(str(tmp_path / "x"))["w"]
    assert type(got) is Tensor
    assert (got.name, got.dtype, got.stop_gradient) == ("linear_0.w_0", VarType.FP16, True)


def test_bfloat16_is_stored_as_its_bits(tmp_path: Path) -> None:
    source = tensor(cases.BFLOAT16_BITS)
    assert source.dtype == VarType.BF16
    save({"b": source}, str(tmp_path / "x"))
    assert raw(tmp_path / "x")["b"].dtype == np.uint16
    assert load(str(tmp_path / "x"))["b"].dtype == VarType.BF16


def test_loaded_values_are_independent_and_writable(tmp_path: Path) -> None:
    big = np.ones((100, 100), "float32")
    save({"w": tensor(big)}, str(tmp_path / "x"))
    one, two = load(str(tmp_path / "x")), load(str(tmp_path / "x"), return_numpy=True)
    one["w"].set_value(big * 2)
    two["w"][0, 0] = 5
    assert load(str(tmp_path / "x"))["w"].numpy().max() == 1
    assert two["w"][0, 0] == 5 and one["w"].numpy().min() == 2


def test_arrays_of_any_memory_order_are_kept(tmp_path: Path) -> None:
    base = np.arange(24, dtype="float64").reshape(2, 3, 4)
    arrays = [base.T, np.asfortranarray(base), base[:, ::2, 1:], base[::-1], base.astype(">f8")]
    save(arrays, str(tmp_path / "x"))
    for as_numpy in (True, False):
        for got, want in zip(load(str(tmp_path / "x"), return_numpy=as_numpy), arrays):
            np.testing.assert_array_equal(np.asarray(got), want)


def test_an_array_of_rank_0_becomes_a_tensor_of_shape_1(tmp_path: Path) -> None:
    save({"x": np.array(3.0)}, str(tmp_path / "x"))
    assert load(str(tmp_path / "x"))["x"].shape == [1]
    assert load(str(tmp_path / "x"), return_numpy=True)["x"].shape == ()


def test_tensors_saved_twice_come_back_as_one(tmp_path: Path) -> None:
    shared = tensor([1.0, 2.0])
    save([shared, {"k": shared}], str(tmp_path / "x"))
    got = load(str(tmp_path / "x"))
    assert got[0] is got[1]["k"]


def test_numpy_scalars_and_builtin_kinds(tmp_path: Path) -> None:
    scalars = [np.float32(1.5), np.int64(-3), np.bool_(True), np.dtype("float16"), 1j]
    sequences = [b"\x00\xff", b"", bytearray(b"ab"), slice(1, None, 2), range(3)]
    obj = [*scalars, *sequences, frozenset([1, "a"]), {(1, "k"): 2}]
    for protocol in (2, 3, 4):
        save(obj, str(tmp_path / "x"), protocol)
        got = load(str(tmp_path / "x"))
        assert got == obj
        assert [type(g) for g in got] == [type(o) for o in obj]


# -- layout ------------------------------------------------------------------------------
def test_layout_of_a_state_dict(tmp_path: Path) -> None:
    state = {"sub.weight": tensor(np.ones((2, 2), "float32"), "linear_0.w_0")}
    save(state | {"LR_Scheduler": {"last_epoch": 1}}, str(tmp_path / "x"))
    got = raw(tmp_path / "x")
    assert list(got) == ["sub.weight", "LR_Scheduler", "StructuredToParameterName@@"]
    assert isinstance(got["sub.weight"], np.ndarray)
    assert got["StructuredToParameterName@@"] == {"sub.weight": "linear_0.w_0"}
    assert got["LR_Scheduler"] == {"last_epoch": 1}


def test_layout_of_a_tensor_inside_an_object(tmp_path: Path) -> None:
    value = np.ones((2,), "float32")
    save([tensor(value, "w_0"), 1], str(tmp_path / "x"))
    (name, array), one = raw(tmp_path / "x")
    assert (name, array.tolist(), one) == ("w_0", [1.0, 1.0], 1)
    save(tensor(value, "w_0"), str(tmp_path / "x"))
    assert raw(tmp_path / "x")[0] == "w_0"


def test_the_file_names_numpys_helpers_where_numpy_1_has_them(tmp_path: Path) -> None:
    for protocol in (2, 4):
        save([tensor([1.0]), np.float32(2)], str(tmp_path / "x"), protocol)
        content = (tmp_path / "x").read_bytes()
        assert b"numpy.core.multiarray" in content
        assert b"numpy._core" not in content


@pytest.mark.parametrize("protocol", [2, 3])
def test_large_arrays_are_stored_in_parts(tmp_path: Path, protocol: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(packing, "SLICE_BYTES", 20)
    want = np.arange(12, dtype="float32").reshape(3, 4)
    save({"w": tensor(want), "b": tensor(want[0])}, str(tmp_path / "x"), protocol)
    got = raw(tmp_path / "x")
    table = {"w": {"OriginShape": (3, 4), "slices": ["w@@.0", "w@@.1", "w@@.2"]}}
    assert got["UnpackBigParamInfor@@"] == table
    assert [got[f"w@@.{i}"].tolist() for i in range(3)] == [
        [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11]]  # fmt: skip
    assert "w" not in got and got["b"].shape == (4,)
    loaded = load(str(tmp_path / "x"))
    assert sorted(loaded) == ["b", "w"]
    np.testing.assert_array_equal(loaded["w"].numpy(), want)
    save({"w": want}, str(tmp_path / "x"), protocol)
    np.testing.assert_array_equal(load(str(tmp_path / "x"), return_numpy=True)["w"], want)


def test_protocol_4_stores_large_arrays_whole(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(packing, "SLICE_BYTES", 20)
    save({"w": tensor(np.zeros(12, "float32"))}, str(tmp_path / "x"), 4)
    assert sorted(raw(tmp_path / "x")) == ["StructuredToParameterName@@", "w"]


def test_parts_that_do_not_fit_their_table_are_reported(tmp_path: Path) -> None:
    for table in ({"w": {"OriginShape": (3,), "slices": ["gone"]}}, {"w": 3}, 5):
        with open(tmp_path / "x", "wb") as file:
            pickle.dump({"a": np.ones(2), "UnpackBigParamInfor@@": table}, file, 2)
        with pytest.raises(ValueError, match=r"UnpackBigParamInfor@@.* of the file '.*x' does not"):
            load(str(tmp_path / "x"))


def test_large_array_content_has_the_standard_encoding(tmp_path: Path) -> None:
    array = np.random.default_rng(0).integers(0, 256, 100_000).astype("uint8")
    for protocol in (2, 3, 4):
        save([array], str(tmp_path / "x"), protocol)
        want = pickle.dumps([array], protocol)
        if protocol < 4:  # in 4 the frames' lengths count the module name too
            want = want.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
            assert (tmp_path / "x").read_bytes() == want
        assert np.array_equal(raw(tmp_path / "x")[0], array)


# -- files of PaddlePaddle 2.6.2 ----------------------------------------------------------
def expected(part: str) -> dict[str, np.ndarray]:
    with np.load(DATA / "saveload_262_expected.npz") as found:
        return {k.partition("/")[2]: found[k] for k in found if k.startswith(part + "/")}


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("suffix", ["pdparams", "pdopt"])
def test_state_dicts_written_by_paddlepaddle(protocol: int, suffix: str) -> None:
    path = str(DATA / f"saveload_262_p{protocol}.{suffix}")
    got, want = load(path), expected(suffix)
    assert {k for k in got if k != "LR_Scheduler"} == set(want)
    for key, value in want.items():
        assert isinstance(got[key], Tensor)
        assert cases.same(got[key], value)
    if suffix == "pdopt":
        assert got["LR_Scheduler"] == {"last_epoch": 1, "last_lr": 0.1}
    else:
        assert got["0.weight"].name == "linear_0.w_0"
    arrays = load(path, return_numpy=True)
    assert all(type(arrays[key]) is np.ndarray for key in want)


@pytest.mark.parametrize("protocol", [2, 4])
def test_nested_objects_written_by_paddlepaddle(protocol: int) -> None:
    want = cases.build(cases.as_array)
    path = str(DATA / f"saveload_262_nested_p{protocol}.pdparams")
    got = load(path)
    assert cases.same(got, {k: want[k] for k in ("nested", "bf16")})
    assert got["bf16"]["b"].dtype == VarType.BF16
    assert got["nested"]["model"]["weight"].name == "linear_0.w_0"


@pytest.mark.parametrize("suffix", ["pdparams", "pdopt"])
def test_static_files_written_by_paddlepaddle(suffix: str) -> None:
    got = load(str(DATA / f"saveload_262_static.{suffix}"), return_numpy=True)
    want = expected(f"static.{suffix}")
    assert cases.same(dict(sorted(got.items())), dict(sorted(want.items())))


def test_saving_a_loaded_file_again_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("p2.pdparams", "p2.pdopt", "p4.pdparams", "p4.pdopt", "nested_p4.pdparams"):
        original = DATA / f"saveload_262_{name}"
        save(load(str(original)), str(tmp_path / "x"), 2 if "p2" in name else 4)
        assert (tmp_path / "x").read_bytes() == original.read_bytes()


def test_python_2_pickles_are_read_as_latin_1(tmp_path: Path) -> None:
    # What Python 2 and NumPy wrote for {'w': array([1., 2.], float32)}: str keys and str content.
    array = (
        b"cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85U\x01b\x87R"
        b"(K\x01K\x02\x85cnumpy\ndtype\nq\x02U\x02f4K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff"
        b"\xffJ\xff\xff\xff\xffK\x00tb\x89U\x08\x00\x00\x80?\x00\x00\x00@tb"
    )
    (tmp_path / "x").write_bytes(
        b"\x80\x02}q\x05U\x01w" + array + b"sU\x02\xe9k" + b"L12L\nI01\n0s."
    )
    got = load(str(tmp_path / "x"), return_numpy=True)
    assert cases.same(got, {"w": np.array([1, 2], "float32"), "ék": 12})


@pytest.mark.parametrize("protocol", [0, 1])
def test_text_pickles_are_read(tmp_path: Path, protocol: int) -> None:
    obj = {"a": [1, -(2**40), 1.5, True, None, "ü\n", b"\xfe"], "w": np.arange(3.0), "s": {1, 2}}
    (tmp_path / "x").write_bytes(pickle.dumps(obj, protocol))
    assert cases.same(load(str(tmp_path / "x"), return_numpy=True), obj)


# -- options -----------------------------------------------------------------------------
def test_the_name_table_is_kept_on_request(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    save({"w": tensor([1.0], "w_0")}, path)
    assert list(load(path)) == ["w"]
    kept = load(path, keep_name_table=True)
    assert kept["StructuredToParameterName@@"] == {"w": "w_0"}
    save(kept, path)
    assert list(load(path)) == ["w"]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"foo": 1}, ValueError, "no option 'foo'"),
        ({"return_numpy": 1}, TypeError, "return_numpy to be a bool, but received int"),
        ({"keep_name_table": "yes"}, TypeError, "keep_name_table to be a bool, but received str"),
        ({"params_filename": 3}, TypeError, "params_filename to be a str, but received int"),
        ({"model_filename": "m"}, ValueError, "model_filename names a file in the folder"),
    ],
)
def test_wrong_load_options(
    tmp_path: Path, options: dict, error: type[Exception], text: str
) -> None:
    save({"w": tensor([1.0])}, str(tmp_path / "x"))
    with pytest.raises(error, match=text):
        load(str(tmp_path / "x"), **options)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"pickle_protocol": 5}, ValueError, "to be 2, 3 or 4, but received 5"),
        ({"protocol": 1}, ValueError, "to be 2, 3 or 4, but received 1"),
        ({"pickle_protocol": "2"}, ValueError, "to be an int, but received '2'"),
        ({"pickle_protocol": True}, ValueError, "to be an int, but received True"),
        ({"use_binary_format": True}, NotImplementedError, "use_binary_format"),
        ({"zip": True}, ValueError, "no option 'zip'"),
    ],
)
def test_wrong_save_options(
    tmp_path: Path, options: dict, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        save({"w": tensor([1.0])}, str(tmp_path / "x"), **options)
    assert not list(tmp_path.iterdir())


# -- objects that are no data -------------------------------------------------------------
class Thing:
    pass


class Net:
    def state_dict(self) -> dict:
        return {}


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (Thing(), r"cannot write a .*Thing \(obj\)"),
        ({"a": [1, (Thing(),)]}, r"Thing \(obj\['a'\]\[1\]\[0\]\)"),
        (Net(), r"Net \(obj\)\n.*x.state_dict\(\)"),
        ({"net": Net()}, r"Net \(obj\['net'\]\)\n.*x.state_dict\(\)"),
        (len, r"builtin_function_or_method \(obj\)"),
        ([np.array([1, None], object)], r"obj\[0\] is a NumPy object of dtype object"),
        ([np.array(["a"])], r"obj\[0\] is a NumPy object of dtype <U1"),
        ({"w": tensor([1.0]), "o": {"f": Thing()}}, r"Thing \(obj\['o'\]\['f'\]\)"),
        ({Thing(): 1}, r"Thing \(a key of obj\)"),
    ],
)
def test_objects_that_cannot_be_saved_are_named(tmp_path: Path, obj: Any, text: str) -> None:
    with pytest.raises(NotImplementedError, match=text):
        save(obj, str(tmp_path / "x"))
    assert not list(tmp_path.iterdir())


def test_sets_of_tensors_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match=r"obj\['s'\] is a set of Tensors"):
        save({"s": {tensor([1.0])}}, str(tmp_path / "x"))


def test_objects_that_contain_themselves_are_refused(tmp_path: Path) -> None:
    loop: dict = {"a": []}
    loop["a"].append(loop)
    with pytest.raises(ValueError, match="contains itself"):
        save(loop, str(tmp_path / "x"))
    deep: list = []
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        save(deep, str(tmp_path / "x"))
    assert not list(tmp_path.iterdir())


def test_an_empty_dict_is_saved_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="is empty"):
        save({}, str(tmp_path / "x"))
    assert load(str(tmp_path / "x")) == {}
    assert raw(tmp_path / "x") == {"StructuredToParameterName@@": {}}


# -- paths -------------------------------------------------------------------------------
def test_missing_folders_are_made_and_nothing_is_added_to_the_name(tmp_path: Path) -> None:
    save(3, str(tmp_path / "a" / "b" / "name"))
    assert load(str(tmp_path / "a" / "b" / "name")) == 3
    assert os.listdir(tmp_path / "a" / "b") == ["name"]


def test_path_objects_are_taken(tmp_path: Path) -> None:
    save(3, tmp_path / "x")
    assert load(tmp_path / "x") == 3


@pytest.mark.parametrize("path", ["", "folder/"])
def test_a_path_without_a_name_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="form folder/name, but received"):
        save(3, path)


def test_a_folder_is_no_path_to_save_to(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a folder"):
        save(3, str(tmp_path))


def test_wrong_path_types(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"save: expected path to be a str.*received int"):
        save(3, 3)
    with pytest.raises(TypeError, match=r"load: expected path to be a str.*received NoneType"):
        load(None)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no file '.*gone' \(looked for.*\.pdparams"):
        load(str(tmp_path / "gone"))


def test_a_prefix_gets_the_hint_which_name_to_give(tmp_path: Path) -> None:
    save(3, str(tmp_path / "model.pdparams"))
    with pytest.raises(ValueError, match=r"no file '.*model'.*\n.*load\('.*model\.pdparams'\)"):
        load(str(tmp_path / "model"))


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("m.pdmodel", b"\x0a\x20" + b"\x01" * 40, r"m.pdmodel' \(42 bytes\): program: expected a"),
        ("m.pdiparams", b"\0" * 40, r"m.pdiparams' \(40 bytes\): .*\n.*load_program_state"),
    ],
)
def test_other_formats_are_told_apart(tmp_path: Path, name: str, content: bytes, text: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=text):
        load(str(tmp_path / name))


def test_folders_and_program_prefixes_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file '.*__model__'; the folder .* is empty"):
        load(str(tmp_path), params_filename="__params__")
    (tmp_path / "net.pdmodel").write_bytes(b"\x0a")
    with pytest.raises(ValueError, match=r"net\.pdmodel' \(1 bytes\): program: expected a"):
        load(str(tmp_path / "net"))


def test_load_dygraph_takes_the_prefix(tmp_path: Path) -> None:
    prefix = str(tmp_path / "m")
    with pytest.raises(RuntimeError, match=r"neither '.*m\.pdparams' nor '.*m\.pdopt'"):
        load_dygraph(prefix)
    save({"w": tensor([1.0], "w_0")}, prefix + ".pdparams")
    params, state = load_dygraph(prefix, keep_name_table=True)
    assert params is not None and state is None
    assert type(params["w"]) is np.ndarray
    assert params["StructuredToParameterName@@"] == {"w": "w_0"}
    save({"m": tensor([2.0]), "LR_Scheduler": {"last_epoch": 2}}, prefix + ".pdopt")
    for path in (prefix, prefix + ".pdparams", prefix + ".pdopt"):
        params, state = load_dygraph(path)
        assert params == {"w": np.array([1.0])}
        assert state is not None and state["LR_Scheduler"] == {"last_epoch": 2}
