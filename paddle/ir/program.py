"""Program: the blocks of a static graph, with what is set while it is being built."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.guards import Guarded
from paddle.core.setting import Setting
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role, here
from paddle.ir.raw import Verbatim
from paddle.ir.variable import Parameter, Variable

_serial = itertools.count()


# What name_scope and device_guard say of operators that are added now, to any Program.
name_scopes: Setting[tuple[str, ...]] = Setting("name scopes", ())
device_mark = Setting("device", "")


class Program(Guarded):
    """A description of a computation: blocks of variables and operators.

    Usually there are two: the startup program gives parameters their first values and runs once;
    the main program computes. In static mode public functions add operators to the current block of
    :func:`paddle.static.default_main_program`.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 4])
                y = x * 2.0
            print(main.num_blocks, [op.type for op in main.global_block().ops])  # 1 ['scale']
            paddle.disable_static()
    """

    wire_rest: bytes  # of a file: fields without a place here; only what was read has it

    def __init__(self) -> None:
        self.blocks: list[Block] = [Block(self, 0)]
        self.current_block_idx = 0
        self._serial = next(_serial)  # tells Programs apart after one has been freed
        self._version = 0
        self._seed = 0
        self.wire_version = 0
        self.op_versions: dict[str, int] = {}
        self._current_role = Role.FORWARD
        self._role_var: list[str] = []
        self._scope_counts: dict[tuple[str, str], int] = {}
        self._parameters_grads: Any = None
        self._is_distributed = False
        self._verbatim: Verbatim | None = None  # whether what is added is taken as it is

    def _changed(self) -> None:
        """Notes a change: plans made of the Program before are out of date."""
        self._version += 1

    # -- blocks ---------------------------------------------------------------------------------

    @property
    def num_blocks(self) -> int:
        """The number of blocks.

        Examples:
            .. code-block:: python

                import paddle
                print(paddle.static.default_main_program().num_blocks)  # 1
        """
        return len(self.blocks)

    def global_block(self) -> Block:
        """Returns the first block, which holds parameters and inputs."""
        return self.blocks[0]

    def block(self, index: int) -> Block:
        """Returns a block by its position.

        Args:
            index (int): position, from 0.
        """
        if isinstance(index, bool) or not hasattr(index, "__index__"):
            raise TypeError(
                f"Program.block(index): expected an int, but got {type(index).__name__}.{here()}"
            )
        if not -len(self.blocks) <= index < len(self.blocks):
            raise OutOfRangeError(
                f"Program.block(index): expected an int below {len(self.blocks)}, but received "
                f"{index}.{here()}"
            )
        return self.blocks[index]

    def current_block(self) -> Block:
        """Returns the block to which operators are added now."""
        return self.blocks[self.current_block_idx]

    def _create_block(self, parent_idx: int | None = None) -> Block:
        """Opens a block inside the current one; operators go there from now on."""
        parent = self.current_block_idx if parent_idx is None else parent_idx
        made = Block(self, len(self.blocks), parent)
        self.blocks.append(made)
        self.current_block_idx = made.idx
        self._changed()
        return made

    def create_block(self, parent: Block | None = None) -> Block:
        """Adds an empty block, for an operator of control flow; the current block stays current.

        Args:
            parent (Block, optional): the block around it; None means the current one.

        Examples:
            .. code-block:: python

                import paddle
                program = paddle.static.Program()
                inner = program.create_block()
                print(inner.idx, inner.parent_idx, program.current_block().idx)  # 1 0 0
        """
        around = self.current_block() if parent is None else parent
        if not any(around is block for block in self.blocks):
            raise InvalidArgumentError(
                f"Program.create_block(parent): expected a block of this Program, "
                f"but got {around!r:.60}.{here()}"
            )
        made = Block(self, len(self.blocks), around.idx)
        if self._verbatim is not None and self._verbatim.filed:
            made.wire_rest = b""
        self.blocks.append(made)
        self._changed()
        return made

    def _rollback(self) -> None:
        """Closes the current block."""
        self.current_block_idx = self.current_block().parent_idx

    # -- what it holds --------------------------------------------------------------------------

    def list_vars(self) -> Iterator[Variable]:
        """Goes over all variables of all blocks."""
        for block in self.blocks:
            yield from list(block.vars.values())

    def all_parameters(self) -> list[Parameter]:
        """Returns all parameters.

        Examples:
            .. code-block:: python

                import paddle
                paddle.enable_static()
                main = paddle.static.Program()
                with paddle.static.program_guard(main, paddle.static.Program()):
                    x = paddle.static.data("x", [None, 13])
                    paddle.static.nn.fc(x, 10, name="out")
                print([p.name for p in main.all_parameters()])  # ['out.w_0', 'out.b_0']
                paddle.disable_static()
        """
        return [p for block in self.blocks for p in block.all_parameters()]

    def _find_var(self, name: str) -> Variable | None:
        return next((b.vars[name] for b in self.blocks if name in b.vars), None)

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Any]:
        """Returns the persistable variables' values by name.

        Args:
            mode (str): ``"param"``: parameters, ``"opt"``: what optimizers keep, ``"all"``.
            scope (Scope, optional): where the values are; None means the global one.

        Returns:
            dict: name -> Tensor.
        """
        from paddle.serialization.program_state import program_state

        return program_state(self, mode, scope)

    def set_state_dict(self, state_dict: dict[str, Any], scope: Any = None) -> None:
        """Gives persistable variables the values of :meth:`state_dict`.

        Args:
            state_dict (dict): name -> Tensor or array.
            scope (Scope, optional): where the values go; None means the global one.
        """
        from paddle.serialization.program_state import set_program_state

        set_program_state(self, state_dict, scope)

    # -- random numbers ---------------------------------------------------------------------------

    @property
    def random_seed(self) -> int:
        """The seed of its random operators; 0 means another one in each process.

        Examples:
            .. code-block:: python

                import paddle
                program = paddle.static.Program()
                program.random_seed = 7
                print(program.random_seed)  # 7
        """
        return self._seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise InvalidArgumentError(
                f"Program.random_seed: expected an int, but received {seed!r}.{here()}"
            )
        self._seed = seed
        self._changed()

    def global_seed(self, seed: int = 0) -> None:
        """Sets the seed of this Program and of those made later.

        Args:
            seed (int): the seed. Default: 0.
        """
        from paddle.core import random

        random.seed(seed)
        self.random_seed = seed

    # -- copies -----------------------------------------------------------------------------------

    def clone(self, for_test: bool = False) -> Program:
        """Returns a copy; for testing without backward, optimizer and training behaviour.

        Args:
            for_test (bool): leave out operators of backward and optimizer and set ``is_test``
                where an operator has it. Default: False.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.static as static
                paddle.enable_static()
                main = static.Program()
                with static.program_guard(main, static.Program()):
                    x = static.data("x", [None, 4])
                    loss = paddle.nn.functional.dropout(x, 0.5).mean()
                    test = main.clone(for_test=True)
                print(main.global_block().ops[0].attr("is_test"))  # False
                print(test.global_block().ops[0].attr("is_test"))  # True
                paddle.disable_static()
        """
        from paddle.ir.cloning import clone, for_testing

        if not isinstance(for_test, bool):
            raise TypeError(
                f"Program.clone(for_test): expected a bool, but got {type(for_test).__name__}."
                f"{here()}"
            )
        return for_testing(self) if for_test else clone(self)

    def _prune(self, targets: Any) -> Program:
        from paddle.ir.cloning import prune

        return prune(self, [], targets)

    def _prune_with_input(self, feeded_var_names: list[str], targets: Any) -> Program:
        from paddle.ir.cloning import prune

        return prune(self, feeded_var_names, targets)

    def _inference_optimize(self, prune_read_op: bool = True) -> Program:
        return self.clone(for_test=True)

    # -- files and text ---------------------------------------------------------------------------

    @property
    def desc(self) -> Any:
        """The Program as the wire format sees it, with ``serialize_to_string()``."""
        from paddle.ir.desc import ProgramDesc

        return ProgramDesc(self)

    @staticmethod
    def parse_from_string(binary_str: bytes) -> Program:
        """Makes a Program of the bytes of a ProgramDesc.

        Args:
            binary_str (bytes): what ``program.desc.serialize_to_string()`` returned.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.static as static
                paddle.enable_static()
                main = static.Program()
                with static.program_guard(main, static.Program()):
                    z = static.data("X", [10, 4]).matmul(static.data("Y", [4, 2]))
                restored = static.Program.parse_from_string(main.desc.serialize_to_string())
                print(str(restored) == str(main))  # True
                paddle.disable_static()
        """
        from paddle.serialization.program.proto import from_bytes

        return from_bytes(binary_str)

    def to_string(self, throw_on_error: bool, with_details: bool = False) -> str:
        """Returns the Program as text in the form of its wire format.

        Args:
            throw_on_error (bool): fail where a required field is not set.
            with_details (bool): add what is not part of the wire format. Default: False.
        """
        from paddle.ir.text.printing import program_details

        return program_details(self, throw_on_error, with_details)

    def to_python(self, startup_program: Program | None = None) -> str:
        """Returns readable Python source that builds the Program anew.

        The source defines ``build()``, which returns an equal Program: the same blocks, names and
        bytes. What is no part of a Program is not in it: values of parameters, a scheduler that an
        optimizer was given, functions of ``py_func`` (their numbers hold in this process only).

        Args:
            startup_program (Program, optional): the source then also defines ``build_startup()``,
                which returns this Program.

        Raises:
            InvalidArgumentError: an attribute cannot be written as Python source.

        Examples:
            .. code-block:: python

                import paddle
                paddle.enable_static()
                main = paddle.static.Program()
                with paddle.static.program_guard(main, paddle.static.Program()):
                    y = paddle.static.data("x", [None, 3]) * 2.0
                made = {}
                exec(main.to_python(), made)
                print(str(made["build"]()) == str(main))  # True
                paddle.disable_static()
        """
        from paddle.ir.text.source import program_source

        return program_source(self, startup_program)

    @contextlib.contextmanager
    def verbatim(self, version: int | None = None) -> Iterator[None]:
        """Inside, what is added to the Program is taken as it is written.

        Shapes are not inferred, operators get no attributes but those given and need not be
        registered, their inputs need not exist. ``to_python`` writes such source.

        Args:
            version (int, optional): the version that a file said, for a Program that came from one
                (0: it said none). Its bytes then keep the order in which things are added.
        """
        before, self._verbatim = self._verbatim, Verbatim(version)
        if version is not None:
            self.wire_version = version
            for block in self.blocks:
                block.wire_rest = b""
        try:
            yield
        finally:
            self._verbatim = before

    def __repr__(self) -> str:
        from paddle.ir.text.printing import program_text

        return program_text(self)

    __str__ = __repr__

    # -- what operators get as they are added -----------------------------------------------------

    @property
    def op_role(self) -> int:
        """The attribute op_role of operators added from now on: 0 forward, 1 backward, 2 update."""
        return self._current_role

    @op_role.setter
    def op_role(self, role: int) -> None:
        self._current_role = role

    set_op_role = op_role  # by this name 1.x assigns it

    @property
    def op_role_var(self) -> list[str]:
        """The attribute op_role_var of operators added from now on: names of variables."""
        return self._role_var

    @op_role_var.setter
    def op_role_var(self, names: list[str]) -> None:
        self._role_var = list(names)

    set_op_role_var = op_role_var

    def _mark(self, op: Operator) -> None:
        attrs = op.attrs
        attrs.setdefault("op_role", self._current_role)
        if self._role_var:
            attrs.setdefault("op_role_var", list(self._role_var))
        if scopes := name_scopes.get():
            attrs.setdefault("op_namescope", "/" + "".join(n + "/" for n in scopes))
        if device := device_mark.get():
            attrs.setdefault("op_device", device)

    @contextlib.contextmanager
    def _roled(self, role: int, variables: Any = ()) -> Iterator[None]:
        """Gives operators added inside a role and the variables it concerns."""
        before = self._current_role, self._role_var
        self._current_role = role
        self._role_var = [v if isinstance(v, str) else v.name for v in variables]
        try:
            yield
        finally:
            self._current_role, self._role_var = before

    def _optimized_guard(self, param_and_grads: Any) -> Any:
        """The context in which an optimizer adds its operators."""
        return self._roled(Role.OPTIMIZE, [v for v in param_and_grads if v is not None])

    def _backward_role_guard(self) -> Any:
        """The context in which backward adds its operators."""
        return self._roled(Role.BACKWARD)

    def _lr_schedule_guard(self, is_with_opt: bool = False) -> Any:
        """The context in which operators of a learning rate schedule are added."""
        return self._roled(Role.LR_SCHED | (Role.OPTIMIZE if is_with_opt else 0))
