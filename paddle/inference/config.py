"""Config: which model a Predictor runs, and how."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.executor import threads
from paddle.inference.device_switches import DeviceSwitches
from paddle.inference.kinds import PrecisionType
from paddle.inference.model_source import ModelSource
from paddle.inference.native_config import NativeConfig
from paddle.inference.pass_builder import PassBuilder, of_switch
from paddle.inference.quantizing import QuantizerConfig
from paddle.inference.settings import Settings
from paddle.inference.summary import summary_of
from paddle.ops.nn.packed_conv import available, bfloat16_available
from paddle.passes.inference.table import BFLOAT16, BFLOAT16_OPS, INT8, INT8_OPS, ONEDNN, TABLE


class Config(ModelSource, DeviceSwitches):
    """Which model is run, and how.

    A Config makes one Predictor; ``Config(config)`` is a copy for another one.

    Args:
        *model (str|Config): the folder of a 1.x model or the prefix of a 2.x model; or a program
            file and a file of parameters; or a Config to copy. Nothing: it is set later.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.inference import Config, create_predictor
            from paddle.static import InputSpec
            net = paddle.nn.Linear(4, 2)
            paddle.jit.save(net, "configured/net", input_spec=[InputSpec([None, 4])])
            config = Config("configured/net.pdmodel", "configured/net.pdiparams")
            config.disable_gpu()
            config.set_cpu_math_library_num_threads(1)
            predictor = create_predictor(config)
            print(config.ir_optim(), config.use_gpu())  # True False
    """

    Precision = PrecisionType
    Float32, Int8 = PrecisionType.Float32, PrecisionType.Int8
    Half, Bfloat16 = PrecisionType.Half, PrecisionType.Bfloat16

    def __init__(self, *model: Any) -> None:
        if len(model) == 1 and isinstance(model[0], Config):
            self._copy(model[0])
            return
        ModelSource.__init__(self)
        DeviceSwitches.__init__(self, Settings())
        self._valid = True
        if model:
            self.set_model(*model)

    def _copy(self, other: Config) -> None:
        self.__dict__.update(other.__dict__)
        self.settings = other.settings.copied()
        self._valid = True

    # -- validity -------------------------------------------------------------------------------

    def is_valid(self) -> bool:
        """Says whether no Predictor was made of this Config yet."""
        return self._valid

    def set_in_valid(self) -> None:
        """Notes that a Predictor was made of this Config."""
        self._valid = False

    SetInValid = set_in_valid

    # -- optimisation of the Program ------------------------------------------------------------

    def switch_ir_optim(self, x: bool = True) -> None:
        """Switches the optimisation of the Program on or off, all passes together.

        Args:
            x (bool): False runs the model operator by operator. Default: True.
        """
        self.settings.ir_optim = bool(x)

    def ir_optim(self) -> bool:
        """Says whether the Program is optimised."""
        return self.settings.ir_optim

    def switch_ir_debug(self, x: bool = True) -> None:
        """Switches on or off that each pass leaves the Program as a text.

        The files are called ``<number>_ir_<pass>.txt``. They lie in the folder of
        :meth:`set_optim_cache_dir`, else in the current one.

        Args:
            x (bool): Default: True.
        """
        self.settings.builder.debugging = bool(x)

    def ir_debug(self) -> bool:
        """Says whether each pass leaves the Program as a text."""
        return self.settings.builder.debugging

    def pass_builder(self) -> PassBuilder:
        """Returns the list of passes, to be changed before a Predictor is made."""
        return self.settings.builder

    def delete_pass(self, pass_name: str) -> None:
        """Leaves a pass out; see :class:`PassBuilder`.

        Args:
            pass_name (str): the name.
        """
        self.settings.builder.delete_pass(pass_name)

    def passes(self) -> list[str]:
        """Returns the names of the passes that run, in their order.

        Those of :meth:`pass_builder` that are for the device and the processor, if any are on.
        """
        kind = self.settings.device.torch_device().type
        fitting = {entry.name for entry in TABLE if entry.fits(kind)}
        names = self.settings.builder.all_passes() if self.settings.ir_optim else []
        return [name for name in names if name in fitting]

    def pass_options(self) -> dict[str, Any]:
        """Returns what some passes are told (:mod:`paddle.passes.inference`)."""
        halves, bytes_ = self.settings.bfloat16_ops, self.settings.int8_ops
        options: dict[str, Any] = {} if halves is None else {BFLOAT16_OPS: halves}
        return options | ({INT8_OPS: bytes_} if bytes_ else {})

    def set_optim_cache_dir(self, opt_cache_dir: str) -> None:
        """Sets the folder for what :meth:`switch_ir_debug` writes; it is made where it is missing.

        Args:
            opt_cache_dir (str): the folder.
        """
        self.settings.optim_cache_dir = str(opt_cache_dir)

    def optim_cache_dir(self) -> str:
        """Returns the folder for what :meth:`switch_ir_debug` writes; empty: the current one."""
        return self.settings.optim_cache_dir

    def enable_save_optim_model(self, save_optimized_model: bool = False) -> None:
        """Raises if it is asked for: an optimised Program is made for this machine alone.

        Args:
            save_optimized_model (bool): Default: False.
        """
        if save_optimized_model:
            raise NotImplementedError(
                "enable_save_optim_model(True): an optimised Program fits this machine and this "
                "version alone, and is made in the blink of an eye; switch_ir_debug shows it, and "
                "paddle.static.save_inference_model saves a model."
            )

    def enable_memory_optim(self, x: bool = True) -> None:
        """Asks that the memory of what is in between is used again, which is always so here.

        Args:
            x (bool): Default: True. False changes nothing and warns once.
        """
        if not x:
            self.settings.notices.tell(
                "Config.enable_memory_optim(False): memory of intermediate results is always freed "
                "after its last use, and used again."
            )

    def memory_optim_enabled(self) -> bool:
        """Returns True: memory is freed after its last use, and used again."""
        return True

    def enable_new_executor(self, x: bool = True) -> None:
        """Does nothing: there is one executor.

        Args:
            x (bool): which of 2.6's two executors runs the model there.
        """

    def new_executor_enabled(self) -> bool:
        """Returns True: there is one executor."""
        return True

    enable_new_ir = enable_new_executor
    new_ir_enabled = new_executor_enabled

    # -- oneDNN ---------------------------------------------------------------------------------

    def enable_mkldnn(self) -> None:
        """Switches on the passes that prepare a Program for oneDNN, as they are at first."""
        if not available():
            self._absent("oneDNN", "enable_mkldnn")
            return
        self.settings.switch(ONEDNN, True)

    def disable_mkldnn(self) -> None:
        """Switches off the passes that prepare a Program for oneDNN, and those that need them."""
        for switch in (BFLOAT16, ONEDNN):
            self.settings.switch(switch, False)

    def mkldnn_enabled(self) -> bool:
        """Says whether the passes that prepare a Program for oneDNN are on."""
        return ONEDNN in self.settings.switches

    def set_mkldnn_cache_capacity(self, capacity: int = 0) -> None:
        """Sets for how many input shapes PaddlePaddle's oneDNN keeps what it prepared.

        Here nothing is kept for a shape, so memory does not grow with their number, whatever this
        says.

        Args:
            capacity (int): Default: 0, any number.
        """
        self.settings.cache_capacity = int(capacity)

    def set_mkldnn_op(self, op_list: Collection[str]) -> None:
        """Warns once: passes are chosen by their names, not by operators.

        Args:
            op_list (set): types of operators.
        """
        self._not_by_operators("set_mkldnn_op")

    def _not_by_operators(self, method: str) -> None:
        self.settings.notices.tell(
            f"Config.{method}: passes are chosen by their names here, not by operators, so this "
            "changes nothing; delete_pass leaves a pass out."
        )

    def disable_mkldnn_fc_passes(self) -> None:
        """Leaves out the passes that prepare fully connected layers for oneDNN."""
        for name in of_switch(ONEDNN):
            if "fc" in name.split("_"):
                self.settings.builder.delete_pass(name)

    def enable_mkldnn_bfloat16(self) -> None:
        """Switches on arithmetic in bfloat16 (with sums in float32).

        On a processor that has no instructions for it, it would be slower: there it stays off, as
        in PaddlePaddle, with a warning that is given once.
        """
        if not bfloat16_available():
            self._absent("arithmetic in bfloat16 by this processor", "enable_mkldnn_bfloat16")
            return
        self.enable_mkldnn()
        self.settings.switch(BFLOAT16, True)

    def mkldnn_bfloat16_enabled(self) -> bool:
        """Says whether arithmetic in bfloat16 is on."""
        return BFLOAT16 in self.settings.switches

    def set_bfloat16_op(self, op_list: Collection[str]) -> None:
        """Sets which operators may compute in bfloat16.

        Args:
            op_list (set): types of operators, as the saved Program has them.
        """
        self.settings.bfloat16_ops = set(op_list)

    def enable_mkldnn_int8(self, mkldnn_int8_enabled_op_types: Collection[str] = ()) -> None:
        """Switches on arithmetic in 8 bits, for Programs that have operators of quantisation.

        Args:
            mkldnn_int8_enabled_op_types (set): operators to turn to 8 bits; empty means all that
                there is a form for.
        """
        self.enable_mkldnn()
        self.settings.switch(INT8, True)
        self.settings.int8_ops = set(mkldnn_int8_enabled_op_types)

    def mkldnn_int8_enabled(self) -> bool:
        """Says whether arithmetic in 8 bits is on."""
        return INT8 in self.settings.switches

    def enable_quantizer(self) -> None:
        """Switches on arithmetic in 8 bits with ranges measured on :meth:`quantizer_config`."""
        if self.settings.quantizer is None:
            self.settings.quantizer = QuantizerConfig()
        self.settings.switch(INT8, True)

    enable_mkldnn_quantizer = enable_quantizer

    def mkldnn_quantizer_enabled(self) -> bool:
        """Says whether :meth:`enable_quantizer` was called."""
        return self.settings.quantizer is not None

    def quantizer_config(self) -> QuantizerConfig:
        """Returns what to calibrate with.

        Raises:
            PreconditionNotMetError: :meth:`enable_quantizer` was not called.
        """
        if self.settings.quantizer is None:
            raise PreconditionNotMetError(
                "Config.quantizer_config: the quantizer is off.", hint="config.enable_quantizer()"
            )
        return self.settings.quantizer

    mkldnn_quantizer_config = quantizer_config

    # -- ONNX Runtime ---------------------------------------------------------------------------

    def enable_onnxruntime(self) -> None:
        """Runs the model by ONNX Runtime, through an export to ONNX.

        ``pip install onnx onnxruntime`` installs it; without it, making the Predictor raises.
        """
        self.settings.onnxruntime = True

    def disable_onnxruntime(self) -> None:
        """Runs the model by this package's own kernels."""
        self.settings.onnxruntime = False

    def onnxruntime_enabled(self) -> bool:
        """Says whether the model is run by ONNX Runtime."""
        return self.settings.onnxruntime

    def enable_ort_optimization(self) -> None:
        """Lets ONNX Runtime optimise all it can, even where ``switch_ir_optim`` is off."""
        self.settings.ort_optimization = True

    # -- streams, memory ------------------------------------------------------------------------

    def enable_gpu_multi_stream(self) -> None:
        """Warns once: all threads use one stream of the GPU."""
        self._absent("a stream of the GPU for each thread", "enable_gpu_multi_stream")

    def thread_local_stream_enabled(self) -> bool:
        """Returns False: all threads use one stream of the GPU."""
        return False

    def exp_enable_mixed_precision_ops(self, ops: Collection[str]) -> None:
        """Warns once: passes are chosen by their names, not by operators.

        Args:
            ops (set): types of operators.
        """
        self._not_by_operators("exp_enable_mixed_precision_ops")

    def exp_disable_mixed_precision_ops(self, ops: Collection[str]) -> None:
        """Warns once: passes are chosen by their names, not by operators.

        Args:
            ops (set): types of operators.
        """
        self._not_by_operators("exp_disable_mixed_precision_ops")

    def enable_low_precision_io(self, x: bool = True) -> None:
        """Raises if it is asked for: inputs and outputs have the types that the model states.

        Args:
            x (bool): Default: True.
        """
        if x:
            raise NotImplementedError(
                "enable_low_precision_io: inputs and outputs have the types that the model states; "
                "convert_to_mixed_precision(..., keep_io_types=False) states others."
            )

    # -- processors -----------------------------------------------------------------------------

    def set_cpu_math_library_num_threads(self, cpu_math_library_num_threads: int) -> None:
        """Sets how many threads compute one operator.

        Args:
            cpu_math_library_num_threads (int): 1 or more. Until it is set, it is the process's own
                number, and Predictors that run at the same time share it.
        """
        number = cpu_math_library_num_threads
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise InvalidArgumentError(
                "set_cpu_math_library_num_threads: expected a number of 1 or more, but received "
                f"{number!r}."
            )
        self.settings.threads = number

    def cpu_math_library_num_threads(self) -> int:
        """Returns how many threads compute one operator."""
        return self.settings.threads or threads.number()

    def disable_fc_padding(self) -> None:
        """Does nothing: weights of fully connected layers are never padded."""

    def use_fc_padding(self) -> bool:
        """Returns False: weights of fully connected layers are never padded."""
        return False

    # -- looking into runs ----------------------------------------------------------------------

    def enable_profile(self) -> None:
        """Measures each operator, and prints the times when the Predictor ends.

        That is when it and its clones are gone, or the process ends. The table goes to the
        standard error output. ONNX Runtime writes a file of its own instead,
        ``onnxruntime_profile_<time>.json`` in the folder of :meth:`set_optim_cache_dir`.
        """
        self.settings.profile = True

    def profile_enabled(self) -> bool:
        """Says whether operators are measured."""
        return self.settings.profile

    def disable_glog_info(self) -> None:
        """Notes that no log is wanted. Nothing is logged here while a model runs, but warnings."""
        self.settings.log = False

    def glog_info_disabled(self) -> bool:
        """Says whether no log is wanted."""
        return not self.settings.log

    def summary(self) -> str:
        """Returns a table of what is really on."""
        return summary_of(self)

    # -- 1.x ------------------------------------------------------------------------------------

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Notes whether inputs are given to ``run`` (1.x) or to handles; both work in any case.

        Args:
            x (bool): Default: True.
        """
        self.settings.feed_fetch = bool(x)

    def use_feed_fetch_ops_enabled(self) -> bool:
        """Says what :meth:`switch_use_feed_fetch_ops` was told; False at first."""
        return self.settings.feed_fetch

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Sets whether ``run([PaddleTensor, ...])`` finds inputs by their names.

        Args:
            x (bool): False: by their order. Default: True.
        """
        self.settings.names = bool(x)

    def specify_input_name(self) -> bool:
        """Says whether ``run([PaddleTensor, ...])`` finds inputs by their names."""
        return self.settings.names

    def to_native_config(self) -> NativeConfig:
        """Returns the same model as a NativeConfig of 1.x."""
        made = NativeConfig()
        made.model_dir, made.prog_file = self._model_dir, self._prog_file
        made.param_file, made.use_gpu = self._params_file, self.use_gpu()
        made.use_xpu = self.use_xpu()
        made.device, made.specify_input_name = self.gpu_device_id(), self.specify_input_name()
        made.threads = self.settings.threads
        return made
