"""Mixed precision: operators that gain from it run in 16 bits, the others stay in 32."""

from paddle.amp.auto_cast import auto_cast
from paddle.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "auto_cast"]
