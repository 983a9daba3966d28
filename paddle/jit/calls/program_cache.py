"""ProgramCache: the Programs recorded of one function; the least recently used one goes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle.core import flags
from paddle.jit.explaining import logs
from paddle.static.input import InputSpec

MANY = 16
MOST_LOOKS = 4096  # of calls to remember: with InputSpec([None]) each size is one


class ProgramCache:
    """Programs by the kind of call that they are for.

    ``FLAGS_to_static_cache_size`` says how many there may be. Where one more is recorded, that goes
    whose last run lies furthest back, with its plans and its scope.
    """

    def __init__(self) -> None:
        self._programs: dict[tuple, Any] = {}
        self._guards: dict[tuple, Any] = {}
        # What runs a Program, by how a call looks that was seen before.
        self.entries: dict[tuple, Any] = {}
        self._looks: dict[tuple, list[tuple]] = {}  # kind of call -> such looks
        self._warned = False

    def get(self, key: tuple) -> Any:
        """The Program for a kind of call; None if there is none that is valid."""
        program = self._programs.get(key)
        return program if program is not None and self._guards[key].hold() else None

    def remember(self, look: tuple, key: tuple, run: Any) -> None:
        """Keeps what runs the Program for a kind of call, by how the call looks.

        Args:
            look (tuple): the description of a call.
            key (tuple): the kind that it is of.
            run (callable): takes the Tensors of the call.
        """
        if len(self.entries) >= MOST_LOOKS:
            self.entries.clear()
            self._looks.clear()
        if look not in self.entries:
            self._looks.setdefault(key, []).append(look)
        self.entries[look] = run

    def _forget(self, key: tuple) -> None:
        del self._programs[key], self._guards[key]
        for look in self._looks.pop(key, ()):
            self.entries.pop(look, None)

    def _make_room(self) -> None:
        most = flags.get("FLAGS_to_static_cache_size")
        while len(self._programs) >= most > 0:
            self._forget(min(self._programs, key=lambda key: self._programs[key].used))

    def guards(self, key: tuple) -> Any:
        """What tells whether the Program for a kind of call is still valid."""
        return self._guards[key]

    def add(
        self, key: tuple, program: Any, guards: Any, function: str = "", names: Any = ()
    ) -> None:
        """Keeps a Program; once there are many it warns of what differs between them.

        Args:
            key (tuple): a context, and one description per argument.
            program (ConcreteProgram): what was recorded.
            guards (Guards): what tells whether it is still valid.
            function (str): whose it is, for the warning.
            names (Sequence[str]): the names of the arguments.
        """
        if self._programs.pop(key, None) is None:  # the last one recorded comes last
            self._make_room()
        self._programs[key] = program
        self._guards[key] = guards
        if len(self._programs) > MANY and not self._warned:
            self._warned = True
            logs.warn(
                f"{function} has {len(self._programs)} Programs already, and recording each takes "
                f"time and memory: {self._cause(list(names))}"
            )

    def _cause(self, names: list[str]) -> str:
        kinds = [len({key[1][i] for key in self._programs}) for i in range(len(names))]
        states = len({key[0] for key in self._programs})
        if not kinds or max(kinds) <= states:
            return (
                "the modes of its layers, or their parameters and buffers, keep changing. Set new "
                "values by set_value, which keeps the Tensors."
            )
        at = kinds.index(max(kinds))
        seen = [key[1][at] for key in self._programs]
        count = f"argument {names[at]!r} came in {max(kinds)} kinds"
        if seen[-1][0] is InputSpec:
            shapes = list(dict.fromkeys(str(list(s[1])) for s in seen if s[0] is InputSpec))
            return (
                f"{count}, such as Tensors of shape {', '.join(shapes[-3:])}. Where a size varies, "
                "to_static(input_spec=[InputSpec([None, ...])]) makes one Program for all."
            )
        return (
            f"{count}. Values other than Tensors are constants of a Program; give what changes "
            "from call to call as a Tensor, and sizes that vary as None of an InputSpec."
        )

    def last(self) -> Any:
        """The Program that was recorded last.

        Raises:
            LookupError: there is none.
        """
        if not self._programs:
            raise LookupError("ProgramCache.last: no Program has been recorded yet.")
        return next(reversed(self._programs.values()))

    def concrete_programs(self) -> list[Any]:
        """All Programs, in the order in which they were recorded."""
        return list(self._programs.values())

    def items(self) -> list[tuple[tuple, Any]]:
        """Each kind of call, as a context and one description per argument, and its Program."""
        return list(self._programs.items())

    def clear(self) -> None:
        """Forgets all Programs."""
        self._programs.clear()
        self._guards.clear()
        self.entries.clear()
        self._looks.clear()

    def __len__(self) -> int:
        return len(self._programs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.concrete_programs())
