"""Program: the blocks of a static graph, with what is set while it is being built."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.guards import Guarded
from paddle.core.mode import recording
from paddle.core.random import default_generator
from paddle.core.setting import Setting
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role, here
from paddle.ir.raw import RawMode
from paddle.ir.variable import Parameter, Variable

if TYPE_CHECKING:
    from paddle.ir.program_methods import Methods  # what static/methods.py attaches
else:
    Methods = object

_serial = itertools.count()


# What name_scope and device_guard say of operators that are added now, to any Program.
name_scopes: Setting[tuple[str, ...]] = Setting("name scopes", ())
device_mark = Setting("device", "")


class Program(Guarded, Methods):
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

    raw_fields: bytes | None = None  # of a file: fields without a place here
    of_1x = False  # made by fluid: parameters are filled last first, unread feeds are ignored

    def __init__(self) -> None:
        self.blocks: list[Block] = [Block(self, 0)]
        self.current_block_idx = 0
        self._serial = next(_serial)  # tells Programs apart after one has been freed
        self._version = 0
        self._seed = 0
        self.program_version = 0
        self.op_versions: dict[str, int] = {}
        self._current_role = Role.FORWARD
        self._role_var: list[str] = []
        self._scope_counts: dict[tuple[str, str], int] = {}
        self._parameters_grads: Any = None
        self._is_distributed = False
        self._raw_mode: RawMode | None = None  # whether what is added is taken as it is

    def note_change(self) -> None:
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
        self.note_change()
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
        if self._raw_mode is not None and self._raw_mode.from_file:
            made.raw_fields = b""
        self.blocks.append(made)
        self.note_change()
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
        self.note_change()
        if seed and self.of_1x and not recording():  # 1.x seeds its dygraph this way
            default_generator().manual_seed(seed)

    def global_seed(self, seed: int = 0) -> None:
        """Sets the seed of this Program and of those made later.

        Args:
            seed (int): the seed. Default: 0.
        """
        from paddle.core import random

        random.seed(seed)
        self.random_seed = seed

    # -- as it is written down --------------------------------------------------------------------

    @contextlib.contextmanager
    def verbatim(self, version: int | None = None) -> Iterator[None]:
        """Inside, what is added to the Program is taken as it is written.

        Shapes are not inferred, operators get no attributes but those given and need not be
        registered, their inputs need not exist. ``to_python`` writes such source.

        Args:
            version (int, optional): the version that a file said, for a Program that came from one
                (0: it said none). Its bytes then keep the order in which things are added.
        """
        before, self._raw_mode = self._raw_mode, RawMode(version)
        if version is not None:
            self.program_version = version
            for block in self.blocks:
                block.raw_fields = b""
        try:
            yield
        finally:
            self._raw_mode = before

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
