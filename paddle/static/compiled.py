"""CompiledProgram and ParallelExecutor: a Program on several places."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterable
from typing import Any

from paddle.core import flags, random
from paddle.core.backends import CUDA, Backend, backend_on, named
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import Guarded, guard_module
from paddle.core.place import CPUPlace, no_xpu, to_torch_device
from paddle.core.rings import Communicator, rings
from paddle.core.tensor import Tensor
from paddle.executor.agreement import agree
from paddle.executor.debug import debug_callback
from paddle.executor.executor import (
    Executor,
    check_feed,
    check_names,
    feed_buffer,
    fetch_names,
    read_feeds,
    set_learning_rates,
)
from paddle.executor.int8_choice import asked_for
from paddle.executor.parallel import ParallelPlan, merge, split_feed
from paddle.executor.scope import Scope, global_scope
from paddle.ir.cloning import clone, prune
from paddle.ir.current import default_main_program
from paddle.ir.operator import Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.passes.graph import Graph
from paddle.static.strategy import BuildStrategy, ExecutionStrategy, check_strategy

__all__ = ["CompiledProgram", "ParallelExecutor", "cpu_places", "cuda_places", "xpu_places"]


_MOST_PLACES = 4096  # each is a thread and a part of the batch


def cpu_places(device_count: int | None = None) -> list[Any]:
    """Returns a list of CPU places.

    Args:
        device_count (int, optional): how many; None takes the environment's CPU_NUM, or 1.

    Examples:
        .. code-block:: python

            import paddle
            print(len(paddle.static.cpu_places(2)))  # 2
    """
    count = int(os.environ.get("CPU_NUM", 1)) if device_count is None else device_count
    if not isinstance(count, int) or not 1 <= count <= _MOST_PLACES:
        raise InvalidArgumentError(
            f"cpu_places(device_count): expected an int >= 1 and <= {_MOST_PLACES}, got {count!r}."
        )
    return [CPUPlace() for _ in range(count)]


def cuda_places(device_ids: Any = None) -> list[Any]:
    """Returns a list of GPU places.

    Args:
        device_ids (list[int]|int, optional): the GPUs; None takes FLAGS_selected_gpus, or all.

    Raises:
        RuntimeError: there is no GPU.

    Examples:
        .. code-block:: python

            import paddle
            if paddle.get_device().startswith("gpu"):
                print(paddle.static.cuda_places([0]))
    """
    return _places("cuda_places", "GPU", CUDA, device_ids, "use paddle.static.cpu_places()")


def xpu_places(device_ids: Any = None) -> list[Any]:
    """Returns a list of XPU places.

    Args:
        device_ids (list[int]|int, optional): the XPUs; None takes FLAGS_selected_xpus, or all.

    Raises:
        RuntimeError: there is no XPU.

    Examples:
        .. code-block:: python

            import paddle
            if paddle.is_compiled_with_xpu():
                print(paddle.static.xpu_places([0]))
    """
    return _places("xpu_places", "XPU", named("xpu"), device_ids, no_xpu)


def _places(api: str, title: str, backend: Backend | None, chosen: Any, hint: str) -> list[Any]:
    if backend is None or not backend.count():
        raise PreconditionNotMetError(
            f"{api}: this machine has no {title} that can be used.", hint=hint
        )
    if chosen is None:
        return list(backend.places())
    return [backend.place(int(i)) for i in ([chosen] if isinstance(chosen, int) else chosen)]


class CompiledProgram(Guarded):
    """A Program with strategies and, after :meth:`with_data_parallel`, several places.

    Args:
        program_or_graph (Program|core.Graph): the Program, or a graph of one.
        build_strategy (BuildStrategy, optional): how it is made ready.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 1], "float32")
                loss = paddle.mean(static.nn.fc(x, 10))
                paddle.optimizer.SGD(0.01).minimize(loss)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            compiled = static.CompiledProgram(main).with_data_parallel(
                loss_name=loss.name, places=static.cpu_places(2))
            out, = exe.run(compiled, feed={"x": np.ones([4, 1], "float32")}, fetch_list=[loss])
            print(out.shape)  # (2,): a loss for each place
            paddle.disable_static()
    """

    def __init__(self, program_or_graph: Any, build_strategy: Any = None) -> None:
        if isinstance(program_or_graph, CompiledProgram):
            program_or_graph = program_or_graph._program
        if isinstance(program_or_graph, Graph):
            program_or_graph = program_or_graph.to_program()
        if not isinstance(program_or_graph, Program):
            raise TypeError(
                "CompiledProgram(program_or_graph): expected a Program or a core.Graph, "
                f"but received {type(program_or_graph).__name__}."
            )
        self._program: Program = program_or_graph
        self._build = check_strategy(
            build_strategy, BuildStrategy, "build_strategy", "CompiledProgram"
        )
        self._execution = ExecutionStrategy()
        self._loss: str | None = None
        self._places: list[Any] | None = None
        self._parallel = False
        self._plans: dict[Any, ParallelPlan] = {}
        self._met: weakref.WeakSet[Scope] = weakref.WeakSet()  # whose parameters are process 0's

    def with_data_parallel(
        self,
        loss_name: str | None = None,
        build_strategy: Any = None,
        exec_strategy: Any = None,
        share_vars_from: Any = None,
        places: Any = None,
    ) -> CompiledProgram:
        """Lets every place take a part of each batch.

        Args:
            loss_name (str, optional): the loss of a training Program; None for a test Program.
            build_strategy (BuildStrategy, optional): how the Program is made ready.
            exec_strategy (ExecutionStrategy, optional): how it runs.
            share_vars_from (CompiledProgram, optional): the training Program whose parameters a
                test Program uses. Parameters live in the scope, so they are shared anyway.
            places (list[Place]|list[str], optional): None means all GPUs, or CPU_NUM CPU places.

        Returns:
            CompiledProgram: itself.
        """
        if self._parallel:
            raise PreconditionNotMetError("with_data_parallel: it has been called already.")
        if share_vars_from is not None and not (
            isinstance(share_vars_from, CompiledProgram) and share_vars_from._parallel
        ):
            raise InvalidArgumentError(
                "with_data_parallel(share_vars_from): expected a CompiledProgram that is data "
                "parallel itself."
            )
        if isinstance(loss_name, Variable):
            loss_name = loss_name.name
        loss_name = loss_name or None  # tests of 2.0 say "" where there is no loss
        if loss_name is not None and loss_name not in self._program.global_block().vars:
            raise InvalidArgumentError(
                f"with_data_parallel(loss_name): the Program has no variable {loss_name!r}."
            )
        if build_strategy is not None:
            self._build = check_strategy(build_strategy, BuildStrategy, "build_strategy")
        self._execution = check_strategy(exec_strategy, ExecutionStrategy, "exec_strategy")
        self._loss = loss_name
        if places is not None:
            listed = list(places) if isinstance(places, (list, tuple)) else [places]
            if not listed:
                raise InvalidArgumentError("with_data_parallel(places): the list is empty.")
            self._places = listed
        self._parallel = True
        return self

    def _with_inference_optimize(self, config: Any = None) -> CompiledProgram:
        self._program = self._program.clone(for_test=True)
        return self

    # -- running ----------------------------------------------------------------------------------

    def _run_by(self, exe: Executor, feed: Any, fetch_list: Any, scope: Scope | None,
                return_numpy: bool, return_merged: bool, use_prune: bool) -> list:  # fmt: skip
        """Runs on behalf of an Executor."""
        scope = global_scope() if scope is None else scope
        places = self._devices(exe)
        names = fetch_names(fetch_list)
        parts = self._parts(feed, len(places))
        if self._build.num_trainers > 1:
            self._meet(self._build.num_trainers, scope)
        plan = self._plan(tuple(parts[0]), names, places, use_prune)
        agree(self._program, *plan.plans)
        top = self._program.global_block().vars
        rates = self._program.__dict__.get("_lr_schedulers")
        execution: Any = self._execution
        threads = execution.num_threads or len(places)
        results: list = []
        with self._random():
            for _ in range(execution.num_iteration_per_run):
                if rates:
                    set_learning_rates(rates, scope, to_torch_device(exe.place))
                buffers = [
                    [feed_buffer(part[n], top.get(n), n, device) for n in plan.forward.feeds]
                    for part, device in zip(parts, places, strict=True)
                ]
                results = plan.run(scope, buffers, threads)
        merged = return_merged or not self._parallel
        return [merge(values, return_numpy, merged) for values in results]

    def _meet(self, trainers: int, scope: Scope) -> None:
        """Connects the processes, and takes the parameters of the first, once."""
        if scope in self._met:
            return
        build = self._build
        listed = self._program.__dict__.get("_trainers_endpoints") or build.trainers_endpoints
        if listed and len(listed) != trainers:
            raise InvalidArgumentError(
                f"BuildStrategy.num_trainers: expected {len(listed)}, as many as there are "
                f"addresses of processes, but received {trainers}."
            )
        if not rings.known(0):
            rings.connect(0, listed, build.trainer_id)
        ring = rings.get(0)
        if ring.size != trainers:
            raise InvalidArgumentError(
                f"BuildStrategy.num_trainers: expected {ring.size}, as many processes as there "
                f"are, but received {trainers}."
            )
        held = self._program.global_block().vars.items()
        take_over(ring, scope, sorted(name for name, var in held if var.persistable))
        self._met.add(scope)

    def _random(self) -> contextlib.AbstractContextManager:
        """The random numbers of a Program with a seed of its own."""
        program = self._program
        if not program._seed:
            return contextlib.nullcontext()
        return random.sequence_of(program._serial, program._seed)

    def _devices(self, exe: Executor) -> list[Any]:
        if not self._parallel:
            return [to_torch_device(exe.place)]
        places = self._places
        if places is None:
            backend = backend_on(to_torch_device(exe.place))
            places = cpu_places() if backend.host else backend.places()
        return [to_torch_device(p) for p in places]

    def _parts(self, feed: Any, count: int) -> list[dict[str, Any]]:
        if isinstance(feed, (list, tuple)) and len(feed) > 1:
            if len(feed) != count:
                raise InvalidArgumentError(
                    f"Executor.run(feed): expected one dict for each of {count} places, "
                    f"but received {len(feed)}."
                )
            parts = [check_feed(part) for part in feed]
            for i, part in enumerate(parts):
                if set(part) != set(parts[0]):
                    raise InvalidArgumentError(
                        f"Executor.run(feed): expected the same variables for every place, "
                        f"{sorted(parts[0])}, but place {i} gets {sorted(part)}."
                    )
            return parts
        whole = check_feed(feed)
        return [whole] if count == 1 else split_feed(whole, count)

    def _plan(
        self, feeds: tuple[str, ...], names: list[str], places: list[Any], use_prune: bool
    ) -> ParallelPlan:
        program = self._program
        scale = self._build.gradient_scale_strategy
        skipped = self._build._skipped()
        op_callback = debug_callback()
        key = (
            program._version, feeds, tuple(names), tuple(places), scale, tuple(skipped), use_prune,
            op_callback, flags.run_limit, self._build.num_trainers, self._build.sync_batch_norm,
            asked_for(),
        )  # fmt: skip
        found = self._plans.get(key)
        if found is None:
            feeds = read_feeds(program, feeds, names)
            check_names(program, feeds, names)
            self._draw()
            if scale is BuildStrategy.GradientScaleStrategy.Customized:
                program = self._without_loss_gradient()
            if use_prune and names:
                program = prune(program, list(feeds), names)
            if self._build.sync_batch_norm:
                program = _synchronized(program)
            average = scale is BuildStrategy.GradientScaleStrategy.CoeffNumDevice
            found = self._plans[key] = ParallelPlan(
                program, feeds, names, places, average, skipped, op_callback,
                self._build.num_trainers,
            )  # fmt: skip
        return found

    def _without_loss_gradient(self) -> Program:
        """A copy that does not set the gradient of the loss, because it is fed."""
        made = clone(self._program)
        block = made.global_block()
        wanted = Role.BACKWARD | Role.LOSS
        block.ops = [op for op in block.ops if op.role != wanted or op.type != "fill_constant"]
        made.note_change()
        return made

    def _draw(self) -> None:
        path = self._build.debug_graphviz_path
        if path:
            from paddle.ir.text.graphviz import write_graph

            write_graph(self._program, path)


def _synchronized(program: Program) -> Program:
    """A copy in which batch norm takes the statistics of the whole batch."""
    made = clone(program)
    for block in made.blocks:
        for op in block.ops:
            if op.type in ("batch_norm", "batch_norm_grad"):
                op.type = f"sync_{op.type}"
    made.note_change()
    return made


class ParallelExecutor(Guarded):
    """The 1.x form of :class:`CompiledProgram` and :class:`Executor` in one.

    Args:
        use_cuda (bool): on GPUs rather than CPUs.
        loss_name (str, optional): the loss of a training Program.
        main_program (Program, optional): None means the default one.
        share_vars_from (ParallelExecutor, optional): shares its variables.
        exec_strategy (ExecutionStrategy, optional): how it runs.
        build_strategy (BuildStrategy, optional): how the Program is made ready.
        num_trainers (int): how many processes add up their gradients. Default: 1.
        trainer_id (int): which of them this is. Default: 0.
        scope (Scope, optional): where the parameters are.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 1], "float32")
                loss = paddle.mean(static.nn.fc(x, 10))
            static.Executor(paddle.CPUPlace()).run(startup)
            exe = static.ParallelExecutor(use_cuda=False, main_program=main)
            print(len(exe.run([loss.name], feed={"x": np.ones([4, 1], "float32")})))  # 1
            paddle.disable_static()
    """

    def __init__(
        self,
        use_cuda: bool,
        loss_name: str | None = None,
        main_program: Any = None,
        share_vars_from: Any = None,
        exec_strategy: Any = None,
        build_strategy: Any = None,
        num_trainers: int = 1,
        trainer_id: int = 0,
        scope: Scope | None = None,
    ) -> None:
        if share_vars_from is not None and not isinstance(share_vars_from, ParallelExecutor):
            raise TypeError(
                "ParallelExecutor(share_vars_from): expected a ParallelExecutor, "
                f"but received {type(share_vars_from).__name__}."
            )
        self._places = cuda_places() if use_cuda else cpu_places()
        self._scope = scope
        if scope is None and share_vars_from is not None:
            self._scope = share_vars_from._scope
        program = default_main_program() if main_program is None else main_program
        if num_trainers != 1 or trainer_id != 0:
            build_strategy = BuildStrategy() if build_strategy is None else build_strategy
            build_strategy.num_trainers = num_trainers
            build_strategy.trainer_id = trainer_id
        self._compiled = CompiledProgram(program).with_data_parallel(
            loss_name, build_strategy, exec_strategy, places=self._places
        )
        self._exe = Executor(self._places[0])

    def run(
        self, fetch_list: Any, feed: Any = None, feed_dict: Any = None, return_numpy: bool = True
    ) -> list:
        """Runs one step.

        Args:
            fetch_list (list): variables to return, joined over the places.
            feed (dict|list[dict], optional): a batch, or one for each place.
            feed_dict (dict, optional): the older name of ``feed``.
            return_numpy (bool): arrays rather than Tensors. Default: True.
        """
        given = feed_dict if feed is None else feed
        return self._exe.run(
            self._compiled, given, fetch_list, scope=self._scope, return_numpy=return_numpy
        )

    @property
    def device_count(self) -> int:
        """The number of places."""
        return len(self._places)

    def drop_local_exe_scopes(self) -> None:
        """Frees what is kept between runs; the next one makes it anew."""
        self._compiled._plans.clear()


def take_over(ring: Communicator, scope: Scope, names: Iterable[str]) -> None:
    """Gives variables of a scope the values that they have in the first process; all call it.

    Args:
        ring (Communicator): the processes.
        scope (Scope): has the variables; those that hold nothing yet are left out.
        names (list[str]): their names, in one order everywhere.
    """
    for name in names:
        found = scope.find_var(name)
        if found is not None and isinstance(found.held.tensor, Tensor):
            found.held.put(ring.broadcast(found.held.tensor._buf, 0))


guard_module(globals())
