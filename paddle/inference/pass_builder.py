"""PassBuilder: which passes optimise a Program, and in what order."""

from __future__ import annotations

from collections.abc import Iterable

from paddle.core.errors import OutOfRangeError
from paddle.inference.notices import Notices
from paddle.passes.inference.table import GRAPH, ONEDNN, TABLE, InferencePass

_ALIASES = {alias: entry.name for entry in TABLE for alias in entry.aliases}
_ORDER = {entry.name: place for place, entry in enumerate(TABLE)}
# Done to every Program, whatever is switched off; under PaddlePaddle's names.
ANALYSES = ("ir_graph_build_pass", "ir_analysis_pass", "memory_optimize_pass")


class PassBuilder:
    """The passes of one Config, from :meth:`Config.pass_builder`.

    Passes go by PaddlePaddle's names where PaddlePaddle has one that does the same. A name for
    which there is no pass here warns once and changes nothing else: no pass changes what a model
    computes.

    Args:
        passes (list): names of the passes, in their order.

    Examples:
        .. code-block:: python

            from paddle.inference import Config
            config = Config()
            builder = config.pass_builder()
            builder.delete_pass("fc_fuse_pass")
            print("fc_fuse_pass" in builder.all_passes())  # False
    """

    def __init__(self, passes: Iterable[str] = ()) -> None:
        self._names: list[str] = []
        self._notices = Notices()
        self.set_passes(passes)

    def all_passes(self) -> list[str]:
        """Returns the names of the passes, in their order."""
        return list(self._names)

    def set_passes(self, passes: Iterable[str]) -> None:
        """Sets all passes.

        Args:
            passes (list): names, in the order in which the passes are to run.
        """
        known = [self._known(name, "set_passes") for name in passes]
        self._names = list(dict.fromkeys(name for name in known if name))

    def append_pass(self, pass_type: str) -> None:
        """Adds a pass after all others; one that is there moves to the end.

        Args:
            pass_type (str): the name.
        """
        name = self._known(pass_type, "append_pass")
        if name:
            self._names = [n for n in self._names if n != name] + [name]

    def insert_pass(self, idx: int, pass_type: str) -> None:
        """Adds a pass at a position; one that is there moves.

        Args:
            idx (int): the position.
            pass_type (str): the name.
        """
        if not 0 <= idx <= len(self._names):
            raise OutOfRangeError(
                f"insert_pass(idx): expected 0 to {len(self._names)}, the number of passes, but "
                f"received {idx}."
            )
        name = self._known(pass_type, "insert_pass")
        if name:
            before = [n for n in self._names[:idx] if n != name]
            self._names = [*before, name, *(n for n in self._names[idx:] if n != name)]

    def delete_pass(self, pass_type: str) -> None:
        """Leaves a pass out.

        Args:
            pass_type (str): the name.
        """
        name = self._known(pass_type, "delete_pass")
        if name in self._names:
            self._names.remove(name)

    def turn_on_debug(self) -> None:
        """Writes the Program after each pass to a file; see :meth:`Config.switch_ir_debug`."""
        self.debugging = True

    debugging = False

    def analysis_passes(self) -> list[str]:
        """Returns what is done to every Program, by PaddlePaddle's names of it."""
        return list(ANALYSES)

    def append_analysis_pass(self, pass_type: str) -> None:
        """Raises: what is done to every Program is not chosen."""
        raise NotImplementedError(
            f"append_analysis_pass({pass_type!r}): what is done to every Program is fixed, "
            f"{', '.join(ANALYSES)}; append_pass adds a pass."
        )

    def debug_string(self) -> str:
        """Returns a text with the names of all passes, a name a line."""
        lines = ["analysis passes:", *(f"  - {n}" for n in ANALYSES)]
        return "\n".join([*lines, "passes:", *(f"  - {n}" for n in self._names), ""])

    def _known(self, name: str, method: str) -> str | None:
        """The name of a pass here; None, after a warning, where there is none."""
        if not isinstance(name, str):
            raise TypeError(
                f"{method}: expected the name of a pass, but received {type(name).__name__}."
            )
        found = name if name in _ORDER else _ALIASES.get(name)
        if found is None:
            self._notices.tell(
                f"{method}({name!r}): this version has no pass of that name, so nothing changes; "
                f"it has {', '.join(_ORDER)}."
            )
        return found

    # -- for a Config ---------------------------------------------------------------------------

    def switch(self, switch: str, on: bool) -> None:
        """Adds the passes of a switch where the table has them, or takes them out.

        Args:
            switch (str): of :mod:`paddle.passes.inference`.
            on (bool): whether to add them.
        """
        names = of_switch(switch)
        self._names = [n for n in self._names if n not in names]
        for name in names if on else ():
            later = (i for i, n in enumerate(self._names) if _ORDER[n] > _ORDER[name])
            self._names.insert(next(later, len(self._names)), name)

    def copy(self) -> PassBuilder:
        """Returns a PassBuilder with the same passes."""
        made = PassBuilder(self._names)
        made.debugging = self.debugging
        return made


def of_switch(switch: str) -> list[str]:
    """Returns the names of the passes that a switch turns on or off, in their order.

    The passes that make forms for oneDNN belong to the optimisation that is on at first, and to
    the switch of oneDNN too.

    Args:
        switch (str): of :mod:`paddle.passes.inference`.
    """
    return [
        entry.name for entry in TABLE
        if entry.switch == switch
        or (switch == ONEDNN and entry.switch == GRAPH and _for_onednn(entry))
    ]  # fmt: skip


def _for_onednn(entry: InferencePass) -> bool:
    return entry.needs is not None or "mkldnn" in entry.name
