"""Control flow of static graphs: the classes behind cond and while_loop, and those of 1.x."""

from __future__ import annotations

from paddle.static.control.conditional import ConditionalBlock
from paddle.static.control.loop import While
from paddle.static.control.rnn import StaticRNN
from paddle.static.control.row_split import IfElse
from paddle.static.control.switch import Switch

__all__ = ["ConditionalBlock", "IfElse", "StaticRNN", "Switch", "While"]
