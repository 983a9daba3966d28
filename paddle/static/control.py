"""Control flow of static graphs: the classes behind cond and while_loop, and those of 1.x."""

from __future__ import annotations

from paddle.ir.control.conditional import ConditionalBlock
from paddle.ir.control.loop import While
from paddle.ir.control.rnn import StaticRNN
from paddle.ir.control.row_split import IfElse
from paddle.ir.control.switch import Switch

__all__ = ["ConditionalBlock", "IfElse", "StaticRNN", "Switch", "While"]
