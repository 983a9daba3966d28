"""Updates of parameters that different processes keep: each leaves those of its own."""

from __future__ import annotations

from paddle.core.errors import UnimplementedError
from paddle.distributed.fleet.meta_optimizers.programs import insert
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program

_LISTS = ("check_finite_and_unscale", "update_loss_scaling")  # go over gradients in lists


class Division:
    """Who keeps which parameter, and what follows for one process's Programs.

    Args:
        main (Program): has gradients and updates.
        startup (Program): fills variables.
        grads (dict): parameter -> its gradient.
        owner (dict): parameter -> the member of the ring that keeps it.
        me (int): which member this process is.
        ring (int): the group of those who divide the parameters.
    """

    def __init__(
        self, main: Program, startup: Program, grads: dict[str, str], owner: dict[str, int],
        me: int, ring: int,
    ) -> None:  # fmt: skip
        self.main, self.startup, self.block = main, startup, main.global_block()
        self.grads, self.owner, self.ring = grads, owner, ring
        self.foreign = {name for name, member in owner.items() if member != me}

    def prune_updates(self) -> None:
        """Takes out what concerns other processes' parameters; sums over all are added up."""
        about: dict[str, set[str]] = {g: {p} for p, g in self.grads.items()}
        about |= {p: {p} for p in self.owner}
        for op in [op for op in self.block.ops if op.role & Role.OPTIMIZE]:
            concerned: set[str] = set()
            for name in op.input_arg_names:
                concerned |= about.get(name, set())
            if op.type in _LISTS:
                self._keep_own(op, about)
            elif len(concerned) > 1:
                self._add_up(op, about)
            elif concerned:
                for name in op.output_arg_names:
                    about.setdefault(name, set()).update(concerned)
                if concerned <= self.foreign:
                    self.block._remove_op(op.idx)

    def _own(self, names: list[str], about: dict[str, set[str]]) -> list[str]:
        return [n for n in names if not about.get(n, set()) & self.foreign]

    def _keep_own(self, op: Operator, about: dict[str, set[str]]) -> None:
        own = self._own(op.input("X"), about)
        if own:
            op.inputs["X"] = own
            op.outputs["Out"] = self._own(op.output("Out"), about)
        elif op.type == "check_finite_and_unscale":  # nothing here that could overflow
            at, (found,) = op.idx, op.output("FoundInfinite")
            self.block._remove_op(at)
            var = self.block.var(found)
            attrs = {"shape": list(var.shape) or [1], "dtype": int(var.dtype), "value": 0.0}
            insert(self.block, at, "fill_constant", {}, {"Out": found}, attrs, Role.OPTIMIZE)
        else:
            self.block._remove_op(op.idx)

    def _add_up(self, op: Operator, about: dict[str, set[str]]) -> None:
        """A sum over all parameters, such as the square of the global norm."""
        if op.type != "sum":
            raise UnimplementedError(
                f"fleet: the operator {op.type} needs values of several parameters, which are in "
                "several processes.",
                hint="clip by ClipGradByGlobalNorm, ClipGradByNorm or ClipGradByValue",
            )
        (out,) = op.output("Out")
        own, at = self._own(op.input("X"), about), op.idx
        if own:
            op.inputs["X"] = own
        else:
            self.block._remove_op(at)
            var = self.block.var(out)
            attrs = {"shape": list(var.shape) or [1], "dtype": int(var.dtype), "value": 0.0}
            insert(self.block, at, "fill_constant", {}, {"Out": out}, attrs, Role.OPTIMIZE)
        ring, role = {"ring_id": self.ring}, Role.OPTIMIZE
        insert(self.block, at + 1, "c_allreduce_sum", {"X": out}, {"Out": out}, ring, role)
        insert(self.block, at + 2, "c_sync_comm_stream", {"X": out}, {"Out": out}, ring, role)

    def forget(self) -> None:
        """Takes away parameters and accumulators that only others need, and what fills them."""
        used = {
            name
            for block in self.main.blocks
            for op in block.ops
            for name in [*op.input_arg_names, *op.output_arg_names]
        }
        held = {n for n, v in self.block.vars.items() if v.belong_to_optimizer}
        gone = (held | self.foreign) - used
        for name in gone:
            self.block._remove_var(name)
        top = self.startup.global_block()
        for op in list(top.ops):
            if op.output_arg_names and set(op.output_arg_names) <= gone:
                top._remove_op(op.idx)
        for name in gone:
            top._remove_var(name)
        self.main.__dict__["_fleet_own"] = sorted(self._only_here())

    def _only_here(self) -> set[str]:
        """What no other member of the ring keeps: it has to be saved here."""
        found = set(self.owner) - self.foreign
        for name, var in self.block.vars.items():
            if var.belong_to_optimizer and var.persistable:
                found.add(name)
        return found
