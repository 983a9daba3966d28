"""Config: models in all forms, switches and their getters, the summary."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import paddle
from paddle.core import backends
from paddle.core.backends import CPU
from paddle.fluid import core
from paddle.inference import Config, PrecisionType, create_predictor, devices
from paddle.inference.pass_builder import PassBuilder, of_switch
from paddle.ops.nn.packed_conv import available
from paddle.ops.quantization.int8 import usable
from paddle.passes.inference.table import (
    BFLOAT16,
    BFLOAT16_OPS,
    GRAPH,
    INT8,
    ONEDNN,
    TABLE,
    InferencePass,
    passes_of,
)
from tests.inference.conftest import config_of, ones

FITTING = {entry.name for entry in TABLE if entry.fits("cpu")}
X = np.arange(8, dtype="float32").reshape(2, 4)


def outputs(config):
    return create_predictor(config).run([X])[0]


# -- which model ----------------------------------------------------------------------------------


def test_every_way_to_name_a_model_gives_the_same(models, tmp_path):
    program, params = models / "linear.pdmodel", models / "linear.pdiparams"
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "weights").write_bytes(params.read_bytes())
    expected = outputs(Config(str(program), str(params)))
    configs = [Config(str(models / "linear")), Config(str(program)), Config(program, params)]
    configs.append(Config(str(program), str(other / "weights")))
    for method in ("set_model", "set_prog_file", "set_model_buffer", "by_name", "copy"):
        config = Config()
        if method == "set_model":
            config.set_model(str(program), str(params))
        elif method == "set_prog_file":
            config.set_prog_file(str(program))
            config.set_params_file(str(params))
        elif method == "by_name":
            config.set_model(prog_file=str(program), params_file=str(params))
        elif method == "copy":
            config = Config(configs[0])
        else:
            a, b = program.read_bytes(), params.read_bytes()
            config.set_model_buffer(a + b"more", len(a), b, len(b))
            assert config.model_from_memory()
        configs.append(config)
    for config in configs:
        np.testing.assert_array_equal(outputs(config), expected)


def test_getters_of_files(models):
    config = Config("a", "b")
    assert (config.model_dir(), config.prog_file(), config.params_file()) == ("", "a", "b")
    config.set_model("folder")
    assert (config.model_dir(), config.prog_file(), config.params_file()) == ("folder", "", "")
    config.set_model_buffer(b"ab", 1, b"", 0)
    assert config.model_from_memory() and not config.model_dir()
    config.set_model("folder")
    assert not config.model_from_memory()


@pytest.mark.parametrize("args, kwargs", [
    ((), {}), (("a", "b", "c"), {}), ((3,), {}), (("a",), {"model_dir": "b"}), ((), {"path": "a"}),
])  # fmt: skip
def test_set_model_refuses_what_is_no_path(args, kwargs):
    with pytest.raises(TypeError, match="set_model: expected"):
        Config().set_model(*args, **kwargs)


def test_buffers_are_checked():
    with pytest.raises(TypeError, match=r"prog_buffer.*expected bytes, but received str"):
        Config().set_model_buffer("text", 4, b"", 0)
    with pytest.raises(ValueError, match=r"params_buffer_size.*expected 0 to 2"):
        Config().set_model_buffer(b"a", 1, b"ab", 3)


# -- one Config, one Predictor --------------------------------------------------------------------


def test_a_config_makes_one_predictor(models):
    config = config_of(models, "linear")
    assert config.is_valid()
    create_predictor(config)
    assert not config.is_valid()
    with pytest.raises(RuntimeError, match="makes one Predictor"):
        create_predictor(config)
    create_predictor(Config(config))
    config = config_of(models, "linear")
    config.SetInValid()
    with pytest.raises(RuntimeError, match=r"clone\(\)"):
        create_predictor(config)


def test_a_copy_is_a_copy(models):
    config = config_of(models, "linear")
    other = Config(config)
    other.disable_mkldnn()
    other.pass_builder().delete_pass("fc_fuse_pass")
    other.set_model("elsewhere")
    assert config.mkldnn_enabled() and "fc_fuse_pass" in config.passes()
    assert config.prog_file().endswith("linear.pdmodel")


# -- switches -------------------------------------------------------------------------------------


def test_getters_begin_as_in_paddlepaddle():
    config = Config()
    assert config.ir_optim() and not config.use_gpu() and not config.specify_input_name()
    assert not config.use_feed_fetch_ops_enabled() and not config.glog_info_disabled()
    assert config.mkldnn_enabled() is available() and not config.onnxruntime_enabled()
    assert config.gpu_device_id() == 0 and config.memory_pool_init_size_mb() == 100
    assert config.fraction_of_gpu_memory_for_pool() == 0.0
    assert config.tensorrt_precision_mode() is PrecisionType.Float32


@pytest.mark.parametrize("turn_on, getter", [
    ("enable_mkldnn_int8", "mkldnn_int8_enabled"),
    ("enable_quantizer", "mkldnn_quantizer_enabled"), ("enable_profile", "profile_enabled"),
    ("enable_onnxruntime", "onnxruntime_enabled"), ("disable_glog_info", "glog_info_disabled"),
    ("switch_ir_debug", "ir_debug"), ("switch_specify_input_names", "specify_input_name"),
    ("switch_use_feed_fetch_ops", "use_feed_fetch_ops_enabled"),
])  # fmt: skip
def test_switches_are_told_by_their_getters(turn_on, getter):
    config = Config()
    assert not getattr(config, getter)()
    getattr(config, turn_on)()
    assert getattr(config, getter)()


def test_mkldnn_off_takes_bfloat16_with_it(monkeypatch):
    monkeypatch.setattr("paddle.inference.config.bfloat16_available", lambda: True)
    config = Config()
    config.enable_mkldnn_bfloat16()
    assert config.mkldnn_enabled() and config.mkldnn_bfloat16_enabled()
    config.disable_mkldnn()
    assert not config.mkldnn_enabled() and not config.mkldnn_bfloat16_enabled()
    assert "cpu_bfloat16_pass" not in config.pass_builder().all_passes()


def test_bfloat16_stays_off_on_a_processor_without_it(monkeypatch):
    monkeypatch.setattr("paddle.inference.config.bfloat16_available", lambda: False)
    config = Config()
    with pytest.warns(UserWarning, match="bfloat16"):
        config.enable_mkldnn_bfloat16()
    assert not config.mkldnn_bfloat16_enabled() and "not available" in config.summary()


ABSENT = [
    ("enable_tensorrt_engine", (), "tensorrt_engine_enabled"),
    ("enable_lite_engine", (), "lite_engine_enabled"),
    ("enable_xpu", (), "use_xpu"),
    ("enable_npu", (), "use_npu"),
    ("enable_opencl", (), "use_opencl"),
    ("enable_tensorrt_dla", (), "tensorrt_dla_enabled"),
    ("enable_tensorrt_oss", (), "tensorrt_oss_enabled"),
    ("set_trt_dynamic_shape_info", (), "tensorrt_dynamic_shape_enabled"),
    ("enable_tuned_tensorrt_dynamic_shape", (), "tuned_tensorrt_dynamic_shape"),
    ("collect_shape_range_info", ("file",), "shape_range_info_collected"),
    ("enable_gpu_multi_stream", (), "thread_local_stream_enabled"),
    ("enable_custom_device", ("npu",), None), ("enable_ipu", (), None), ("enable_dlnne", (), None),
]  # fmt: skip


@pytest.mark.parametrize("method, args, getter", ABSENT, ids=[m for m, *_ in ABSENT])
def test_absent_engines_warn_once_and_the_summary_says_so(method, args, getter):
    config = Config()
    with pytest.warns(UserWarning, match=f"Config.{method}: .* not available here"):
        getattr(config, method)(*args)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(config, method)(*args)
        getattr(Config(config), method)(*args)
    assert getter is None or getattr(config, getter)() is False
    assert re.search(r"\| +not available", config.summary())


def test_a_gpu_that_is_not_there(models, monkeypatch):
    monkeypatch.setattr(devices.CUDA, "count", lambda: 0, raising=False)
    config = config_of(models, "linear")
    with pytest.warns(UserWarning, match="enable_use_gpu: GPU 1 is not available"):
        config.enable_use_gpu(200, 1)
    assert not config.use_gpu() and config.gpu_device_id() == 1
    assert config.memory_pool_init_size_mb() == 200
    assert outputs(config).shape == (2, 2)
    with pytest.raises(NotImplementedError, match="convert_to_mixed_precision"):
        config.enable_use_gpu(100, 0, PrecisionType.Half)
    with pytest.raises(ValueError, match="device_id"):
        config.enable_use_gpu(100, -1)


def test_kinds_of_devices_have_numbers_and_settings_of_their_own(monkeypatch):
    class Kind(backends.Backend):
        torch_type, title = "meta", "KIND"

        def __init__(self, name):
            self.name = name

        def count(self):
            return 2

    kinds = {name: Kind(name) for name in ("xpu", "npu")}
    monkeypatch.setattr("paddle.inference.device_switches.named", {**kinds, "cpu": CPU}.get)
    config = Config()
    config.enable_custom_device("npu", 1)
    config.enable_xpu(1 << 20)  # not the second one: that was the NPU's number
    told = config.xpu_device_id(), config.custom_device_id(), config.gpu_device_id()
    assert told == (0, 0, 0) and config.npu_device_id() == 1 and config.use_xpu()
    other = Config(config)
    config.set_xpu_device_id(1)
    assert (config.custom_device_id(), other.custom_device_id()) == (1, 0)
    assert config.settings.device.options["l3_workspace_size"] == 1 << 20
    config.enable_npu()
    assert config.settings.device.options == {} and config.use_npu()  # an XPU's are not an NPU's
    config.enable_custom_device("cpu")
    assert not config.use_custom_device() and config.custom_device_type() == ""
    with pytest.raises(TypeError, match=r"device_type\): expected a str, but received int"):
        config.enable_custom_device(3)


def test_a_model_runs_on_another_device(models):
    script = (
        "import sys, numpy as np, paddle\n"
        "from tests.device import pretend\n"
        "from paddle.core.backends import backend_for\n"
        "from paddle.inference import Config, create_predictor, devices\n"
        "pretend.install()\n"
        "devices.CUDA = backend_for(pretend.PretendPlace(0))\n"
        "paddle.set_device('cpu')\n"
        "x = np.ones([2, 4], 'float32')\n"
        "plain = create_predictor(Config(sys.argv[1])).run([x])[0]\n"
        "config = Config(sys.argv[1])\n"
        "config.enable_use_gpu(100, 0)\n"
        "assert config.use_gpu()\n"
        "predictor = create_predictor(config)\n"
        "before = pretend.Pretend.calls\n"
        "predictor.get_input_handle('x').copy_from_cpu(x)\n"
        "predictor.run()\n"
        "[name] = predictor.get_output_names()\n"
        "out = predictor.get_output_handle(name)\n"
        "print(out.buffer.device.type, pretend.Pretend.calls > before, paddle.get_device())\n"
        "print(np.allclose(out.copy_to_cpu(), plain))\n"
    )
    command = [sys.executable, "-c", script, str(models / "linear")]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stdout == "pretend True cpu\nTrue\n", run.stderr


def test_what_is_not_there_says_what_to_do():
    config = Config()
    with pytest.raises(NotImplementedError, match="save_inference_model"):
        config.enable_save_optim_model(True)
    config.enable_save_optim_model()
    with pytest.raises(NotImplementedError, match="keep_io_types"):
        config.enable_low_precision_io()
    with pytest.raises(RuntimeError, match="quantizer is off"):
        config.quantizer_config()
    for method in ("nnadapter", "xpu_config", "dist_config"):
        with pytest.raises(NotImplementedError, match="nothing to configure"):
            getattr(config, method)()


def test_the_quantizer_keeps_what_it_is_told():
    config = Config()
    config.enable_quantizer()
    told = config.quantizer_config()
    told.set_quant_data([ones(2, 4)])
    told.set_quant_batch_size(2)
    told.set_enabled_op_types({"conv2d"})
    assert config.quantizer_config() is told
    assert (len(told.data), told.batch_size, told.op_types) == (1, 2, {"conv2d"})
    with pytest.raises(ValueError, match="1 or more"):
        told.set_quant_batch_size(0)


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "2"])
def test_a_number_of_threads_is_1_or_more(number):
    with pytest.raises(ValueError, match="expected a number of 1 or more"):
        Config().set_cpu_math_library_num_threads(number)


def test_a_run_has_its_number_of_threads_and_leaves_the_process_its_own(models, monkeypatch):
    import torch

    from paddle.executor import inference

    seen = []
    made = inference.caller

    def caller(*args):
        call = made(*args)
        return lambda buffers: seen.append(torch.get_num_threads()) or call(buffers)

    monkeypatch.setattr(inference, "caller", caller)
    config = config_of(models, "linear")
    config.set_cpu_math_library_num_threads(3)
    assert config.cpu_math_library_num_threads() == 3
    before = torch.get_num_threads()
    create_predictor(config).run([X])
    assert seen == [3] and torch.get_num_threads() == before


# -- passes ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not available(), reason="this torch has no oneDNN")
def test_the_passes_are_those_of_the_switches():
    config = Config()
    listed = config.pass_builder().all_passes
    first, onednn = passes_of({GRAPH, ONEDNN}), of_switch(ONEDNN)
    assert listed() == first and {"conv_weight_prepack_pass", "fc_mkldnn_pass"} <= set(onednn)
    config.disable_mkldnn()
    assert listed() == [n for n in first if n not in onednn] and not config.mkldnn_enabled()
    config.enable_mkldnn()
    assert listed() == first and config.mkldnn_enabled()
    config.disable_mkldnn_fc_passes()
    assert [n for n in first if n not in listed()] == [n for n in onednn if n.startswith("fc_")]
    config = Config()
    config.enable_quantizer()
    assert listed() != config.pass_builder().all_passes() == passes_of({GRAPH, ONEDNN, INT8})
    config.switch_ir_optim(False)
    assert config.passes() == [] and not config.ir_optim()


def test_passes_that_this_machine_has_no_use_for_do_not_run(monkeypatch):
    config = Config()
    assert config.passes() == [n for n in config.pass_builder().all_passes() if n in FITTING]
    monkeypatch.setattr(InferencePass, "fits", lambda self, device: self.needs is None)
    assert config.passes() == [e.name for e in TABLE if e.switch == GRAPH and e.needs is None]


def test_operators_for_bfloat16():
    config = Config()
    assert config.pass_options() == {}
    config.set_bfloat16_op({"conv2d"})
    assert config.pass_options() == {BFLOAT16_OPS: {"conv2d"}}


def test_a_switch_puts_passes_where_the_table_has_them():
    names = [entry.name for entry in TABLE]
    builder = PassBuilder(n for n in names if n not in passes_of({GRAPH}))
    builder.switch(GRAPH, True)
    assert builder.all_passes() == names
    builder.switch(BFLOAT16, False)
    assert builder.all_passes() == [n for n in names if n not in passes_of({BFLOAT16})]


def test_a_pass_builder_edits_the_list():
    first, second, *_ = passes_of({GRAPH})
    builder = Config().pass_builder()
    builder.set_passes([second, first, second])
    assert builder.all_passes() == [second, first]
    builder.delete_pass(second)
    builder.append_pass(second)
    builder.insert_pass(0, second)
    assert builder.all_passes() == [second, first]
    builder.delete_pass(first)
    builder.delete_pass(first)
    assert builder.all_passes() == [second] and second in builder.debug_string()
    assert "ir_analysis_pass" in builder.analysis_passes()
    with pytest.raises(IndexError, match="expected 0 to 1"):
        builder.insert_pass(2, first)
    with pytest.raises(NotImplementedError, match="append_pass"):
        builder.append_analysis_pass("mine")
    with pytest.raises(TypeError, match="name of a pass"):
        builder.delete_pass(3)


def test_another_name_of_paddlepaddles_means_the_same_pass():
    config = Config()
    config.delete_pass("conv_eltwiseadd_bn_fuse_pass")
    assert "conv_bn_fuse_pass" not in config.passes()


@pytest.mark.parametrize("method", ["delete_pass", "append_pass"])
def test_a_pass_that_is_not_here_warns_once(method):
    builder = Config().pass_builder()
    before = builder.all_passes()
    with pytest.warns(UserWarning, match="has no pass of that name, so nothing changes"):
        getattr(builder, method)("seqpool_concat_fuse_pass")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(builder, method)("seqpool_concat_fuse_pass")
    assert builder.all_passes() == before


def test_a_pass_that_is_left_out_does_not_run(models):
    def types(config):
        engine = create_predictor(config)._shared.engine
        return [op.type for op in engine.program.optimised.global_block().ops]

    plain = config_of(models, "linear")
    plain.switch_ir_optim(False)
    with_all, without = config_of(models, "linear"), config_of(models, "linear")
    for name in without.passes():
        without.delete_pass(name)
    assert types(without) == types(plain)
    np.testing.assert_allclose(outputs(Config(with_all)), outputs(Config(without)), rtol=1e-5)


def test_ir_debug_writes_a_text_after_each_pass(models, tmp_path):
    config = config_of(models, "linear")
    config.switch_ir_debug()
    config.set_optim_cache_dir(str(tmp_path / "texts"))
    names = config.passes()
    create_predictor(config)
    files = sorted((tmp_path / "texts").iterdir(), key=lambda f: int(f.name.split("_")[0]))
    done = [f.name.split("_ir_")[1].removesuffix(".txt") for f in files]
    assert [n for n in done if n in names] == names
    assert "var x : LOD_TENSOR.shape(-1, 4)" in files[0].read_text(encoding="utf8")
    config = Config()
    config.pass_builder().turn_on_debug()
    assert config.ir_debug()


# -- summary and profile --------------------------------------------------------------------------


def test_the_summary_says_what_is_on(models):
    config = config_of(models, "linear")
    config.set_mkldnn_cache_capacity(3)
    config.set_cpu_math_library_num_threads(2)
    rows = dict(re.findall(r"^\| (\S+) +\| (.*?) *\|$", config.summary(), re.M))
    assert rows["model_file"].endswith("linear.pdmodel") and rows["engine"] == "pypaddle"
    assert rows["enable_mkldnn"] == str(available()).lower()
    assert not available() or rows["mkldnn_cache_capacity"] == "3"
    assert rows["cpu_math_thread"] == "2" and rows["use_gpu"] == "false"
    assert rows["passes"] == config.passes()[0]
    config.switch_ir_optim(False)
    assert re.search(r"\| passes +\| none +\|", config.summary())
    lengths = {len(line) for line in config.summary().strip().splitlines()}
    assert len(lengths) == 1


def test_a_profile_is_printed_when_the_last_predictor_is_gone(models, capfd):
    config = config_of(models, "linear")
    config.enable_profile()
    predictor = create_predictor(config)
    predictor.run([X])
    other = predictor.clone()
    other.run([X])
    del predictor
    assert capfd.readouterr().err == ""
    del other
    told = capfd.readouterr().err
    assert "operators over 2 runs" in told and re.search(r"\d+ calls .* ms .*%", told)


# -- 8 bits ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def wide(tmp_path_factory):
    """A network whose products are large enough to gain by 8 bits, and its data."""
    paddle.seed(3)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(32, 64, 3, padding=1), paddle.nn.ReLU(), paddle.nn.MaxPool2D(2),
        paddle.nn.Flatten(), paddle.nn.Linear(64 * 64, 512), paddle.nn.ReLU(),
        paddle.nn.Linear(512, 10),
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("wide")
    paddle.jit.save(net, str(folder / "net"), [paddle.static.InputSpec([None, 32, 16, 16])])
    return folder, np.random.RandomState(0).rand(8, 32, 16, 16).astype("float32")


def quantized(folder, data=None, ops=()):
    config = config_of(folder, "net")
    config.enable_quantizer()
    if data is not None:
        config.quantizer_config().set_quant_data([data])
        config.quantizer_config().set_quant_batch_size(8)
    config.quantizer_config().set_enabled_op_types(ops)
    return create_predictor(config)


def types(predictor):
    return [op.type for op in predictor._shared.engine.program.optimised.global_block().ops]


@pytest.mark.skipif(not usable(), reason="this processor multiplies no bytes exactly")
def test_a_quantizer_computes_in_8_bits(wide):
    folder, data = wide
    [expected] = create_predictor(config_of(folder, "net")).run([data])
    predictor = quantized(folder, data)
    [found] = predictor.run([data])
    assert any(t.startswith("int8") for t in types(predictor))
    assert 0 < np.abs(found - expected).max() < 0.1 * np.abs(expected).max()
    assert types(quantized(folder, data, {"conv2d"})) != types(predictor)
    np.testing.assert_array_equal(quantized(folder, core.PaddleTensor(data)).run([data])[0], found)


def test_a_quantizer_needs_data_that_fits(models, wide):
    with pytest.raises(RuntimeError, match="needs data to calibrate with"):
        quantized(wide[0])
    config = config_of(models, "two")
    config.enable_quantizer()
    config.quantizer_config().set_quant_data([ones(2, 4)])
    with pytest.raises(ValueError, match=r"an array for each of the inputs \['ids', 'x'\]"):
        create_predictor(config)
    off = config_of(wide[0], "net")
    off.enable_quantizer()
    off.switch_ir_optim(False)
    assert "int8" not in " ".join(types(create_predictor(off)))
