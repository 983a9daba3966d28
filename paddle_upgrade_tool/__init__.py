"""Turn code for PaddlePaddle 1.x into code for 2.0 with the same numbers.

The command is `paddle_upgrade_tool --inpath FILE_OR_FOLDER` (or `python -m paddle_upgrade_tool`).
It needs libcst (`pip install "pypaddle[upgrade]"`), and neither paddle nor torch.
"""

from __future__ import annotations

__all__ = ["convert"]


def __getattr__(name: str):
    if name == "convert":
        from .convert import convert

        # The import leaves the module of that name here: the next who asks would get it.
        globals()["convert"] = convert
        return convert
    raise AttributeError(name)
