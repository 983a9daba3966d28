"""PostTrainingQuantization: a trained model is quantised by what it computes for some data."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import CPUPlace
from paddle.executor.scope import Scope, scope_guard
from paddle.ir.program import Program
from paddle.quantization.add_quant_dequant import AddQuantDequantPass
from paddle.quantization.calibrate import ALGORITHMS, COUNTED, Seen, observe
from paddle.quantization.folding import fold_program
from paddle.quantization.freeze import QuantizationFreezePass
from paddle.quantization.inserting import check_choice
from paddle.quantization.linear_format import QuantWeightPass, ReplaceFakeQuantDequantPass
from paddle.quantization.numbers import held, put, scales_of, top_step
from paddle.quantization.out_scale import results
from paddle.quantization.rounding import Gram, adapt, rows_of
from paddle.quantization.tables import CONVOLUTIONS, WEIGHTED, WEIGHTLESS, result_slot
from paddle.quantization.transform import QuantizationTransformPass, has_weight
from paddle.static.io_folder import save_inference_model
from paddle.static.io_inference import load_inference_model
from paddle.static.ir_graph import Graph, IrGraph

__all__ = ["PostTrainingQuantization"]

_NAME = "PostTrainingQuantization"
_TYPES = ["conv2d", "depthwise_conv2d", "mul"]


class PostTrainingQuantization:
    """Quantises a saved model of floats by running it over some data.

    Args:
        executor (Executor): runs the model.
        scope (Scope, optional): where the model is loaded to. Default: one of its own.
        model_dir (str): the folder of the model, or the prefix of its files.
        model_filename (str, optional): the file of the Program in the folder.
        params_filename (str, optional): the file of the parameters in the folder.
        batch_generator (callable, optional): makes a generator of batches.
        sample_generator (callable, optional): makes a generator of samples.
        batch_size (int): samples of ``sample_generator`` in a batch. Default: 10.
        batch_nums (int, optional): how many batches at most. 0 or None, the default: all.
        algo (str): how scales are made: ``KL`` leaves out the least information, ``KL_kept`` the
            same but few large values stay, ``hist`` covers ``hist_percent`` of values,
            ``mse`` and ``emd`` have the least error, ``avg`` is the average over samples,
            ``abs_max`` and ``min_max`` leave out nothing. Default: "KL".
        quantizable_op_type (list): which operators.
        is_full_quantize (bool): all operators that can be. Default: False.
        activation_bits (int): of a value. Default: 8.
        weight_bits (int): of a weight. Default: 8.
        activation_quantize_type (str): ``range_abs_max`` or ``moving_average_abs_max``: which
            operators are written. The numbers are the same. Default: "range_abs_max".
        weight_quantize_type (str): ``abs_max`` or ``channel_wise_abs_max``.
        optimize_model (bool): fold batch normalisation into convolutions first. Default: False.
        is_use_cache_file (bool): has no effect: histograms need no file. Default: False.
        cache_dir (str, optional): has no effect.
        data_loader (iterable, optional): of batches: dicts, or lists in the order of the inputs.
        hist_percent (float): for ``hist``. Default: 0.99999.
        round_type (str): ``round`` takes the nearest step; ``adaround`` rounds each element of a
            weight up or down so that results move the least. Default: "round".
        learning_rate (float): has no effect: adaptive rounding searches without one.
        bias_correction (bool): let mean and spread of each channel of a weight stay.
        skip_tensor_list (list, optional): products that read or write such a variable stay.
        onnx_format (bool): write ``quantize_linear`` and ``dequantize_linear``, and weights as
            bytes. Default: False.

    Raises:
        ValueError: an algorithm or type that there is not, or no data.

    Examples:
        .. code-block:: python

            import os, tempfile
            import numpy as np
            import paddle
            from paddle import static
            from paddle.quantization import PostTrainingQuantization
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 4])
                y = static.nn.fc(x, 3)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            data = [{"x": np.ones([2, 4], "float32")}]
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, "net")
                static.save_inference_model(prefix, [x], [y], exe, program=main)
                ptq = PostTrainingQuantization(exe, model_dir=prefix, data_loader=data)
                program = ptq.quantize()
            print(program.global_block().ops[1].type)  # fake_quantize_range_abs_max
            paddle.disable_static()
    """

    def __init__(
        self,
        executor: Any = None,
        scope: Any = None,
        model_dir: Any = None,
        model_filename: str | None = None,
        params_filename: str | None = None,
        batch_generator: Callable | None = None,
        sample_generator: Callable | None = None,
        batch_size: int = 10,
        batch_nums: int | None = None,
        algo: str = "KL",
        quantizable_op_type: Any = ["conv2d", "depthwise_conv2d", "mul"],  # noqa: B006
        is_full_quantize: bool = False,
        activation_bits: int = 8,
        weight_bits: int = 8,
        activation_quantize_type: str = "range_abs_max",
        weight_quantize_type: str = "channel_wise_abs_max",
        optimize_model: bool = False,
        is_use_cache_file: bool = False,
        cache_dir: str | None = None,
        *,
        data_loader: Any = None,
        hist_percent: float = 0.99999,
        round_type: str = "round",
        learning_rate: float = 0.001,
        bias_correction: bool = False,
        skip_tensor_list: Any = None,
        onnx_format: bool = False,
    ) -> None:
        if isinstance(scope, (str, os.PathLike)):  # later versions have these the other way round
            scope, model_dir = (model_dir if isinstance(model_dir, Scope) else None), scope
        if executor is None or model_dir is None:
            raise InvalidArgumentError(f"{_NAME}: expected an executor and model_dir.")
        check_choice(algo, ALGORITHMS, f"{_NAME}(algo)")
        check_choice(round_type, ("round", "adaround"), f"{_NAME}(round_type)")
        allowed = ("abs_max", "channel_wise_abs_max")
        check_choice(weight_quantize_type, allowed, f"{_NAME}(weight_quantize_type)")
        allowed = ("range_abs_max", "moving_average_abs_max")
        check_choice(activation_quantize_type, allowed, f"{_NAME}(activation_quantize_type)")
        for bits in (activation_bits, weight_bits):
            top_step(bits)
        if learning_rate <= 0:
            raise InvalidArgumentError(
                f"{_NAME}(learning_rate): expected more than 0, but got {learning_rate!r}."
            )
        if batch_nums is not None and (not isinstance(batch_nums, int) or batch_nums < 0):
            raise InvalidArgumentError(
                f"{_NAME}(batch_nums): expected a number of batches, 0 or None for all, but got "
                f"{batch_nums!r}."
            )
        if not 0 < hist_percent <= 1:
            raise InvalidArgumentError(
                f"{_NAME}(hist_percent): expected a share up to 1, but got {hist_percent!r}."
            )
        self._executor, self._path = executor, os.fspath(model_dir)
        self.scope = Scope() if scope is None else scope
        self._files = {"model_filename": model_filename, "params_filename": params_filename}
        self._limit, self._algo, self._percent = batch_nums or None, algo, hist_percent
        self._data = _source(
            data_loader, batch_generator, sample_generator, batch_size, self._limit
        )
        self.bits: dict[str, Any] = {
            "activation_bits": activation_bits,
            "weight_bits": weight_bits,
        }
        self.kinds: dict[str, Any] = {
            "activation_quantize_type": activation_quantize_type,
            "weight_quantize_type": weight_quantize_type,
        }
        self._types = _types(quantizable_op_type, is_full_quantize)
        self._fold, self._linear = optimize_model, onnx_format
        self._correct, self._adapt = bias_correction, round_type == "adaround"
        self._skip = set(skip_tensor_list or ())
        self.program: Program | None = None
        self.feeds: list[str] = []
        self.fetches: list[Any] = []
        self.seen: dict[str, Seen] = {}
        self._made: dict[str, float] = {}  # scales
        self.table: dict[str, str] = {}  # result of a product -> the name of its values

    def quantize(self) -> Program:
        """Loads the model, runs it over the data, and quantises it.

        Returns:
            Program: with steps in the place of weights, which lie in the scope.

        Raises:
            ValueError: there is no data, it does not fit, or a value is not finite.
        """
        with scope_guard(self.scope):
            files = {k: v for k, v in self._files.items() if v is not None}
            program, self.feeds, self.fetches = load_inference_model(
                self._path, self._executor, **files
            )
            if self._fold:
                fold_program(program, self.fetches, self.scope)
            self.float_program = program
            _check_floats(program)
            graph = IrGraph(Graph(program), for_test=True)
            values = self._values(graph)
            names = list(dict.fromkeys([*values, *self._results(graph)]))
            if values:
                self._made = {}
                self.seen = observe(
                    self._executor, program, names, self._batches, self.scope, self._algo in COUNTED
                )
                if self._adapt:
                    self._round(graph, program)
                self._rewrite(graph, values)
            else:
                warnings.warn(
                    f"{_NAME}: nothing to quantise: no operator of {sorted(self._types)} with a "
                    "weight or value of floats is in the model, which stays as it is.",
                    stacklevel=2,
                )
            self.program = graph.to_program()
            table = self.table = getattr(graph, "out_node_mapping_table", {})
            block = self.program.global_block()
            self.fetches = [block.var(table.get(v.name, v.name)) for v in self.fetches]
        return self.program

    def save_quantized_model(
        self,
        save_model_path: str,
        model_filename: str | None = None,
        params_filename: str | None = None,
    ) -> None:
        """Saves what :meth:`quantize` made, in a folder.

        Args:
            save_model_path (str): the folder.
            model_filename (str, optional): the file of the Program. Default: ``__model__``.
            params_filename (str, optional): the file of all parameters. Default: one for each.

        Raises:
            ValueError: :meth:`quantize` was not called.
        """
        if self.program is None:
            raise InvalidArgumentError(f"{_NAME}.save_quantized_model: call quantize() first.")
        with scope_guard(self.scope):
            save_inference_model(
                save_model_path, self.feeds, self.fetches, self._executor, self.program,
                model_filename=model_filename, params_filename=params_filename,
            )  # fmt: skip

    # -- what is looked at ------------------------------------------------------------------------

    def _products(self) -> list[str]:
        return [kind for kind in self._types if kind in WEIGHTED]

    def _others(self) -> list[str]:
        return [kind for kind in self._types if kind in WEIGHTLESS and kind not in WEIGHTED]

    def _marked(self, graph: IrGraph) -> Iterator[Any]:
        """The operators to quantise; those left alone are put into a name scope of that name."""
        for op in graph.topology_sort():
            if op.name() not in self._types:
                continue
            if self._skip & {*op.input_arg_names(), *op.output_arg_names()}:
                op.set_attr("op_namescope", "/skip_quant/")
                continue
            yield op

    def _values(self, graph: IrGraph) -> list[str]:
        """The values that are rounded: read by products with a weight, and by others."""
        found: list[str] = []
        for op in self._marked(graph):
            slots = WEIGHTLESS.get(op.name(), ((), ""))[0]
            nodes = {node.name(): node for node in op.inputs if node.is_var()}
            if op.name() in WEIGHTED:
                value, weight = WEIGHTED[op.name()][:2]
                if any(nodes[n].persistable() for n in op.input(weight)):
                    slots = (value,)
                else:
                    continue
            names = [n for slot in slots for n in op.node.op.inputs.get(slot, ())]
            if any(nodes[n].persistable() or nodes[n].dtype() != VarType.FP32 for n in names):
                continue
            found += names
        return list(dict.fromkeys(found))

    def _results(self, graph: IrGraph) -> list[str]:
        return [node.name() for _, nodes in results(graph) for node in nodes]

    def _batches(self) -> Iterator[dict[str, Any]]:
        for batch in itertools.islice(self._data(), self._limit):
            yield _feed(batch, self.feeds)

    # -- what is written --------------------------------------------------------------------------

    def _scale(self, name: str) -> float:
        if name not in self._made:
            bits = self.bits["activation_bits"]
            scale = self.seen[name].scale(self._algo, bits, self._percent)
            self._made[name] = scale or 1e-8  # nothing but zeros was seen
        return self._made[name]

    def _round(self, graph: IrGraph, program: Program) -> None:
        """Puts weights onto steps, each element up or down, so that results move the least."""
        ops = [op for op in self._marked(graph) if op.name() in WEIGHTED]
        ops = [op for op in ops if has_weight(op)]
        names = list(dict.fromkeys(op.input(WEIGHTED[op.name()][0])[0] for op in ops))
        weights = {op.input(WEIGHTED[op.name()][1])[0]: op for op in ops}
        grams: dict[str, Gram] = {}
        for feed in self._batches():
            seen = self._executor.run(program, feed=feed, fetch_list=names, scope=self.scope)
            values = dict(zip(names, seen, strict=True))
            for weight, op in weights.items():
                value = np.asarray(values[op.input(WEIGHTED[op.name()][0])[0]])
                rows = rows_of(op.node.op, value, held(self.scope, weight))
                if rows is not None:
                    grams.setdefault(weight, Gram()).add(rows)
        by_channel = self.kinds["weight_quantize_type"] == "channel_wise_abs_max"
        for name, gram in grams.items():
            op, weight = weights[name], held(self.scope, name)
            axis = WEIGHTED[op.name()][3] if by_channel else None
            bits, first = self.bits["weight_bits"], op.name() in CONVOLUTIONS
            made = adapt(weight, scales_of(weight, axis), bits, axis, gram, first)
            put(self.scope, name, made)

    def _rewrite(self, graph: IrGraph, values: list[str]) -> None:
        place = CPUPlace()
        marks = [(op, i, n.name()) for op, nodes in results(graph) for i, n in enumerate(nodes)]
        QuantizationTransformPass(
            self.scope, place, quantizable_op_type=self._products(), **self.bits, **self.kinds
        ).apply(graph)
        AddQuantDequantPass(
            self.scope, place, quant_bits=self.bits["activation_bits"],
            quantizable_op_type=self._others(),
        ).apply(graph)  # fmt: skip
        for name in values:
            scale = np.array([self._scale(name)], "float32")
            for variable in (f"{name}.scale", f"{name}.quant_dequant.scale"):
                if self.scope.find_var(variable) is not None:
                    put(self.scope, variable, scale, place)
        for op, at, name in marks:
            limit = float(np.float32(self._scale(name)))
            if op.node.op.attrs.get("quantization_type") is not None:
                op.set_attr("quantization_type", f"post_{self._algo.lower()}")
            op.set_attr("with_quant_attr", True)
            op.set_attr("out_threshold", limit)
            op.set_attr(f"{result_slot(op.name())}{at}_threshold", limit)
            if self._algo == "min_max":
                op.set_attr("out_min", self.seen[name].least)
                op.set_attr("out_max", self.seen[name].most)
        if self._linear:
            ReplaceFakeQuantDequantPass(self.scope, place).apply(graph)
            QuantWeightPass(self.scope, place, self._correct).apply(graph)
            return
        QuantizationFreezePass(
            self.scope, place, weight_quantize_type=self.kinds["weight_quantize_type"],
            bias_correction=self._correct, **self.bits,
        ).apply(graph)  # fmt: skip


def _check_floats(program: Program) -> None:
    for op in program.global_block().ops:
        if op.type.startswith("fake_") or op.type in ("quantize_linear", "dequantize_linear"):
            raise InvalidArgumentError(
                f"{_NAME}: the model is quantised already: it has {op.type} of "
                f"{op.input('X')[0]!r}. Give the model in floats."
            )


def _types(given: Any, full: bool) -> list[str]:
    known = {*WEIGHTED, *WEIGHTLESS}
    for kind in given or ():
        if kind not in known:
            raise InvalidArgumentError(
                f"{_NAME}(quantizable_op_type): {kind!r} is none of the operators that can be "
                f"quantised: {sorted(known)}."
            )
    if full:
        return sorted(known)
    return list(given or _TYPES)


def _source(
    loader: Any, batches: Any, samples: Any, size: int, limit: int | None
) -> Callable[[], Any]:
    """What makes an iterator of batches."""
    if sum(given is not None for given in (loader, batches, samples)) != 1:
        raise InvalidArgumentError(
            f"{_NAME}: expected one of data_loader, batch_generator and sample_generator."
        )
    if loader is not None:
        if not callable(loader) and iter(loader) is loader:
            loader = list(itertools.islice(loader, limit))  # it can be gone through only once
        return loader if callable(loader) else lambda: iter(loader)
    if batches is not None:
        return batches
    if not isinstance(size, int) or size < 1:
        raise InvalidArgumentError(f"{_NAME}(batch_size): expected at least 1, but got {size!r}.")

    def stacked() -> Iterator[list[np.ndarray]]:
        rows: list[Any] = []
        for sample in samples():
            rows.append(sample if isinstance(sample, (list, tuple)) else [sample])
            if len(rows) == size:
                yield [np.stack(column) for column in zip(*rows, strict=True)]
                rows = []
        if rows:
            yield [np.stack(column) for column in zip(*rows, strict=True)]

    return stacked


def _feed(batch: Any, feeds: list[str]) -> dict[str, Any]:
    """A batch as what is fed."""
    if isinstance(batch, (list, tuple)) and len(batch) == 1 and isinstance(batch[0], dict):
        batch = batch[0]
    if isinstance(batch, dict):
        missing = [name for name in feeds if name not in batch]
        if missing:
            raise InvalidArgumentError(
                f"{_NAME}: expected a batch for the inputs {feeds}, but it has no {missing}."
            )
        return {name: _array(batch[name]) for name in feeds}
    arrays = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    if len(arrays) != len(feeds):
        raise InvalidArgumentError(
            f"{_NAME}: expected a batch for the inputs {feeds}, but it has {len(arrays)} arrays."
        )
    return {name: _array(value) for name, value in zip(feeds, arrays, strict=True)}


def _array(value: Any) -> np.ndarray:
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)
