"""Names that no table of 1.8 lists and real code takes: they resolve, and do what 1.8.5 does.

Counted in 1,208 files; what is expected here was seen on 1.8.5, but for what is noted.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.core.not_yet import MissingPartError
from paddle.fluid import core, framework
from scripts import api_table

# Module -> names.
UNLISTED = {
    "core": """EOFException get_cuda_device_count Scope is_compiled_with_cuda CPUPlace CUDAPlace
        CUDAPinnedPlace LoDTensor LoDTensorArray Tensor Place EnforceNotMet AnalysisConfig VarDesc
        create_paddle_predictor PaddleTensor PaddleDType ops VarBase BackwardStrategy
        VarDesc.VarType""",
    "core.PaddleDType": "FLOAT32 INT64 INT32",
    "core.VarDesc.VarType": """BOOL FP16 FP32 FP64 INT8 INT16 INT32 INT64 UINT8 LOD_TENSOR
        LOD_TENSOR_ARRAY SELECTED_ROWS FEED_MINIBATCH FETCH_LIST STEP_SCOPES LOD_RANK_TABLE READER
        RAW PLACE_LIST""",
    "core.op_proto_and_checker_maker": """OpRole kOpRoleAttrName kOpRoleVarAttrName
        kOpNameScopeAttrName kOpDeviceAttrName kOpCreationCallstackAttrName""",
    "core.op_proto_and_checker_maker.OpRole": "Forward Backward Optimize RPC Dist LRSched Loss",
    "core_avx": "EOFException Scope VarDesc.VarType.FP32 CPUPlace ops AnalysisConfig",
    "proto.framework_pb2.VarType": "FP32 INT64 LOD_TENSOR SELECTED_ROWS",
    "framework": """Parameter ParamBase Variable _get_var Block Operator unique_name
        convert_np_dtype_to_dtype_ in_dygraph_mode _dygraph_tracer _current_expected_place
        is_compiled_with_cuda is_compiled_with_xpu cpu_places program_guard name_scope core""",
    "": """save_dygraph load_dygraph DatasetFactory load_program_state set_program_state Layer FC
        AsyncExecutor memory_optimize release_memory""",
    "dygraph": "FC Layer",
    "dygraph.nn": "FC Linear",
    "dygraph.base": "_switch_tracer_mode_guard_ guard to_variable no_grad in_dygraph_mode",
    "dygraph.parallel": "Env ParallelEnv DataParallel prepare_context",
    "dygraph.learning_rate_scheduler": "LearningRateDecay",
    "layers.learning_rate_scheduler": "_decay_step_counter",
    "layers.utils": """map_structure convert_to_list flatten is_sequence pack_sequence_as
        assert_same_structure""",
    "layers.tensor": "Variable concat",
    "layer_helper": "LayerHelper",
    "io": "is_parameter is_persistable",
    "executor": "_fetch_var global_scope",
    "optimizer": "RMSProp Lamb Optimizer RMSPropOptimizer",
    "contrib.layers": "index_sample",
    "incubate.fleet.collective": "fleet DistributedStrategy CollectiveOptimizer TrainStatus",
    "incubate.fleet.base.role_maker": "PaddleCloudRoleMaker Role",
    "transpiler.distribute_transpiler": "DistributeTranspilerConfig DistributeTranspiler",
    "parallel_executor": "ExecutionStrategy BuildStrategy ParallelExecutor",
    "clip": "append_gradient_clip_ops error_clip_callback",
}  # fmt: skip
NAMES = [
    ".".join(filter(None, ("paddle.fluid", module, name)))
    for module, names in UNLISTED.items() for name in names.split()
] + ["paddle.dataset.imdb.word_dict", "paddle.dataset.conll05.test",
     "paddle.dataset.conll05.get_dict"]  # fmt: skip

# What says on use what it needs.
REFUSED = """incubate.fleet.parameter_server.pslib.fleet"""

# Deep imports of 2.0 clients -> what each name is.
DEEP = {
    "paddle.fluid.layer_helper.LayerHelper": "paddle.incubate.LayerHelper",
    "paddle.fluid.framework.Block": "paddle.ir.block.Block",
    "paddle.fluid.dygraph.base.to_variable": "paddle.fluid.dygraph.to_variable",
    "paddle.fluid.dygraph.nn.Conv2D": "paddle.fluid.dygraph.Conv2D",
    "paddle.fluid.initializer.Constant": "paddle.fluid.initializer.ConstantInitializer",
    "paddle.fluid.data_feeder.check_type": "paddle.framework.checks.check_type",
    "paddle.fluid.parallel_executor.ExecutionStrategy": "paddle.fluid.ExecutionStrategy",
    "paddle.fluid.layers.tensor.Variable": "paddle.fluid.Variable",
    "paddle.nn.layer.common.Linear": "paddle.nn.Linear",
    "paddle.nn.layer.ReLU": "paddle.nn.ReLU",
    "paddle.tensor.math.add": "paddle.add",
}


@pytest.fixture
def program() -> Any:
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield fluid.default_main_program()


def test_they_resolve() -> None:
    assert len(NAMES) >= 120
    assert not [name for name in NAMES if api_table.resolve(name) is api_table.MISSING]


def test_what_is_refused_can_be_imported() -> None:
    for name in REFUSED.split():
        module, _, last = f"paddle.fluid.{name}".rpartition(".")
        made = getattr(importlib.import_module(module), last)
        with pytest.raises(MissingPartError, match=f"{last} is not part of this version"):
            made()


def test_deep_paths_lead_to_the_same_objects() -> None:
    for path, public in DEEP.items():
        assert api_table.resolve(path) is api_table.resolve(public), path
    names = importlib.import_module("paddle.nn.layer.activation").__all__
    assert {"ReLU", "Softmax", "LeakyReLU"} <= set(names)


def test_core() -> None:
    assert core.EOFException is importlib.import_module("paddle.fluid.core_avx").EOFException
    assert issubclass(core.EOFException, Exception) and issubclass(core.EnforceNotMet, Exception)
    assert core.get_cuda_device_count() == fluid.core.get_cuda_device_count() >= 0
    kind = core.VarDesc.VarType
    assert kind(5) == kind.FP32 == framework.convert_np_dtype_to_dtype_("float32")
    assert int(kind.INT64) == 3 and str(kind.FP32) == "VarType.FP32"
    assert isinstance(fluid.CPUPlace(), core.CPUPlace) and str(core.CPUPlace()) == "CPUPlace"
    scope = core.Scope()
    assert scope.find_var("x") is None
    scope.var("x").get_tensor().set(np.ones([2], "float32"), core.CPUPlace())
    assert np.array(scope.find_var("x").get_tensor()).tolist() == [1, 1]
    assert core.LoDTensor().shape() == [0]
    tensor = core.PaddleTensor(np.ones([2, 3], "float32"))
    assert tensor.shape == [2, 3] and tensor.dtype == core.PaddleDType.FLOAT32
    assert core.AnalysisConfig("/folder").model_dir() == "/folder"


def test_roles_of_operators(program: Any) -> None:
    makers = core.op_proto_and_checker_maker
    x = fluid.data("x", [None, 4])
    loss = fluid.layers.mean(fluid.layers.fc(x, 2))
    fluid.optimizer.SGD(0.1).minimize(loss)
    ops = program.global_block().ops
    roles = [int(op.attr(makers.kOpRoleAttrName())) for op in ops]
    role = makers.OpRole
    assert roles[0] == int(role.Forward) == 0 and roles[-1] == int(role.Optimize) == 2
    assert int(role.Forward | role.Loss) in roles and int(role.Backward | role.Loss) in roles
    assert ops[-1].attr(makers.kOpRoleVarAttrName()) == ["fc_0.w_0", "fc_0.w_0@GRAD"]


def test_programs(program: Any) -> None:
    x = fluid.data("x", [None, 4])
    fluid.layers.fc(x, 3)
    weight = program.all_parameters()[0]
    assert framework._get_var("x") is x and framework._get_var("x", program) is x
    with pytest.raises(ValueError, match="no variable 'nn'"):
        framework._get_var("nn")
    assert fluid.io.is_parameter(weight) and not fluid.io.is_parameter(x)
    assert fluid.io.is_persistable(weight) and not fluid.io.is_persistable(x)
    assert isinstance(weight, framework.Parameter) and isinstance(x, fluid.layers.tensor.Variable)
    assert type(x.block) is framework.Block
    assert isinstance(program.global_block().ops[0], framework.Operator)
    made = framework.Parameter(program.global_block(), [2, 3], "float32", name="made")
    assert program.global_block().var("made") is made
    assert framework.Variable(program.global_block(), name="v").block.has_var("v")
    with fluid.scope_guard(fluid.Scope()):
        fluid.Executor(fluid.CPUPlace()).run(fluid.default_startup_program())
        assert fluid.executor._fetch_var(weight.name).shape == (4, 3)
        assert type(fluid.executor._fetch_var(weight.name, return_numpy=False)) is fluid.LoDTensor
        with pytest.raises(AssertionError, match="no 'nn' in the scope"):
            fluid.executor._fetch_var("nn")
    assert fluid.clip.append_gradient_clip_ops([]) == []
    index = fluid.data("index", [None, 2], "int64")
    assert list(fluid.contrib.layers.index_sample(x, index).shape)[1] == 2


def test_counters_of_schedules(program: Any) -> None:
    step = fluid.layers.learning_rate_scheduler._decay_step_counter(begin=1)
    assert step.name == "cast_0.tmp_0" and step.dtype == core.VarDesc.VarType.FP32
    assert "@LR_DECAY_COUNTER@" in program.global_block().vars
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        assert [exe.run(fetch_list=[step])[0].item() for _ in range(2)] == [1, 2]


def test_structures() -> None:
    utils = fluid.layers.utils
    nested = [1, (2, {"b": 3, "a": 4})]
    assert utils.map_structure(lambda a, b: a + b, nested, nested) == [2, (4, {"b": 6, "a": 8})]
    assert utils.map_structure(lambda a: a + 1, 5) == 6
    assert utils.flatten(nested) == [1, 2, 4, 3] and utils.flatten(5) == [5]
    assert utils.pack_sequence_as(nested, [5, 6, 7, 8]) == [5, (6, {"b": 8, "a": 7})]
    asked = [[1], "abc", {"a": 1}, (1,), np.ones(2)]
    assert [utils.is_sequence(each) for each in asked] == [True, False, True, True, False]
    assert utils.convert_to_list(3, 2, "k") == [3, 3]
    assert utils.convert_to_list((3, 4), 2, "k") == [3, 4]
    for bad in ([3, 4, 5], "a", (3, "b")):
        with pytest.raises(ValueError, match="k: expected"):
            utils.convert_to_list(bad, 2, "k")
    with pytest.raises(ValueError, match="expected"):  # 1.8.5 takes what is there
        utils.map_structure(lambda a, b: a, [1], [1, 2])
    with pytest.raises(TypeError, match="expected two structures of one kind"):
        utils.assert_same_structure([1, (2,)], [1, [2]])


def test_dynamic_mode(tmp_path: Path) -> None:
    env = fluid.dygraph.parallel.Env()
    assert (env.nranks, env.local_rank, env.dev_id, env.current_endpoint) == (1, 0, 0, "")
    assert env.trainer_endpoints == [""] and type(env) is fluid.dygraph.ParallelEnv
    with fluid.dygraph.guard():
        layer = fluid.Layer("scope")
        linear = fluid.dygraph.Linear(2, 3)
        path = str(tmp_path / "model")
        fluid.save_dygraph(linear.state_dict(), path)
        parameters, optimizer = fluid.load_dygraph(path)
        assert sorted(parameters) == ["bias", "weight"] and optimizer is None
        with pytest.raises(RuntimeError, match="none"):
            fluid.load_dygraph(str(tmp_path / "none"))
        x = fluid.dygraph.to_variable(np.ones([1, 2], "float32"))
        with fluid.dygraph.base._switch_tracer_mode_guard_(is_train=False):
            assert linear(x).stop_gradient
        y = linear(x)
        assert isinstance(y, core.VarBase) and isinstance(y, framework.Variable)
        assert isinstance(linear.weight, (framework.ParamBase, framework.Parameter))
        np.testing.assert_array_equal(core.ops.relu(y).numpy(), np.maximum(y.numpy(), 0))
        assert y.to_string(True) == str(y)
        decay = fluid.dygraph.learning_rate_scheduler.LearningRateDecay
        assert decay(3, 2).step_num == 3 and issubclass(fluid.dygraph.NoamDecay, decay)
        fc = fluid.FC("fc", 3, num_flatten_dims=2, act="relu")
        wide = fluid.dygraph.to_variable(np.ones([2, 4, 5], "float32"))
        assert fc(wide).shape == [2, 4, 3] and fc.weight.shape == [5, 3]
        with pytest.raises(ValueError, match=r"FC\(num_flatten_dims=2\)"):
            fc(x)
    assert isinstance(layer, fluid.dygraph.Layer) and len(fc.parameters()) == 2


def test_complex_numbers_in_two_parts() -> None:
    with fluid.dygraph.guard():
        real, imag = (fluid.dygraph.to_variable(np.full([2], n, "float32")) for n in (1, 2))
        both = fluid.ComplexVariable(real, imag)
        assert both.dtype == "complex64" and both.shape == [2]
        assert both.numpy().tolist() == [1 + 2j, 1 + 2j] and both.name["real"] == real.name
        both.name = "z"
        assert both.name == {"real": "z.real", "imag": "z.imag"} and "IMAG: " in str(both)
        with pytest.raises(ValueError, match=r"one shape and dtype, .* \[2\] of .* \[1\] of"):
            fluid.ComplexVariable(real, fluid.dygraph.to_variable(np.ones([1], "float32")))
        with pytest.raises(ValueError, match="expected float32 or float64, but received"):
            fluid.ComplexVariable(*[fluid.dygraph.to_variable(np.ones([1], "int64"))] * 2)


def test_a_generator_of_ones_own() -> None:
    generators = [fluid.generator.Generator(place) for place in (None, fluid.CPUPlace())]
    first, second = (each.manual_seed(7).random() for each in generators)
    assert first == second and generators[0].initial_seed() == 7
    assert paddle.get_device().startswith(("cpu", "gpu"))


def test_when_servers_add_rows() -> None:
    entries = fluid.entry_attr
    assert entries.CountFilterEntry(10).to_attr() == "count_filter_entry:10"
    assert entries.ProbabilityEntry(0.5).to_attr() == "probability_entry:0.5"
    for bad in (-1, 1.5, "a", True):
        with pytest.raises(ValueError, match="expected an int that is 0 or more, but received"):
            entries.CountFilterEntry(bad)
    for bad in (0.0, 1.0, 1, "a"):
        with pytest.raises(ValueError, match="above 0 and below 1, but received"):
            entries.ProbabilityEntry(bad)
