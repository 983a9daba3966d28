"""Settings: what the switches of a Config were set to."""

from __future__ import annotations

import copy
import dataclasses

from paddle.inference.devices import Chosen
from paddle.inference.notices import Notices
from paddle.inference.pass_builder import PassBuilder
from paddle.inference.quantizing import QuantizerConfig
from paddle.ops.nn.packed_conv import available
from paddle.passes.inference.table import GRAPH, ONEDNN, passes_of


def _first() -> set[str]:
    """The switches that are on at first: oneDNN is, where it is, for it is the fastest form."""
    return {GRAPH, ONEDNN} if available() else {GRAPH}


@dataclasses.dataclass
class Settings:
    """What the switches of a Config were set to.

    Attributes:
        switches (set[str]): of :mod:`paddle.passes.inference`, that are on.
        builder (PassBuilder): the passes.
        ir_optim (bool): whether any pass runs.
        device (Chosen): where the model is run.
        threads (int|None): how many compute one operator; None: it was not said.
        cache_capacity (int): what ``set_mkldnn_cache_capacity`` was told.
        bfloat16_ops (set[str]|None): operators that may compute in bfloat16; None: all that can.
        quantizer (QuantizerConfig|None): what to calibrate with.
        int8_ops (set[str]): operators that may run in 8 bits; empty means all.
        optim_cache_dir (str): the folder for texts of Programs.
        profile (bool): whether operators are measured.
        log (bool): whether a log is wanted.
        feed_fetch (bool): what ``switch_use_feed_fetch_ops`` was told.
        names (bool): whether PaddleTensors are found by their names.
        onnxruntime (bool): whether ONNX Runtime runs the model.
        ort_optimization (bool): whether it optimises all it can in any case.
        asked_for (list[str]): engines and devices that are not here.
        notices (Notices): what was said of switches that change nothing.
    """

    switches: set[str] = dataclasses.field(default_factory=_first)
    builder: PassBuilder = dataclasses.field(
        default_factory=lambda: PassBuilder(passes_of(_first()))
    )
    ir_optim: bool = True
    device: Chosen = dataclasses.field(default_factory=Chosen)
    threads: int | None = None
    cache_capacity: int = 10
    bfloat16_ops: set[str] | None = None
    quantizer: QuantizerConfig | None = None
    int8_ops: set[str] = dataclasses.field(default_factory=set)
    optim_cache_dir: str = ""
    profile: bool = False
    log: bool = True
    feed_fetch: bool = False
    names: bool = False
    onnxruntime: bool = False
    ort_optimization: bool = False
    asked_for: list[str] = dataclasses.field(default_factory=list)
    notices: Notices = dataclasses.field(default_factory=Notices)

    def copied(self) -> Settings:
        """Returns settings that can be changed apart from these."""
        made = copy.copy(self)
        made.switches, made.asked_for = set(self.switches), list(self.asked_for)
        made.builder, made.device = self.builder.copy(), copy.copy(self.device)
        made.quantizer, made.notices = copy.copy(self.quantizer), self.notices.copy()
        return made

    def switch(self, name: str, on: bool) -> None:
        """Turns a switch, and so its passes, on or off.

        Args:
            name (str): of :mod:`paddle.passes.inference`.
            on (bool): on or off.
        """
        if on != (name in self.switches):
            (self.switches.add if on else self.switches.discard)(name)
            self.builder.switch(name, on)
