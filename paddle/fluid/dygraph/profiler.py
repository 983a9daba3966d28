"""The profiler names of 1.x dygraph; released versions of 1.x do nothing in them."""

from __future__ import annotations

import warnings

__all__ = ["start_gperf_profiler", "stop_gperf_profiler"]

_TEXT = (
    "{}: gperftools profile native code of PaddlePaddle, of which there is none here; nothing is "
    "measured, as in the released builds of 1.x. Use fluid.profiler.profiler."
)


def start_gperf_profiler() -> None:
    """Would start gperftools; says that it measures nothing, and what does.

    Examples:
        .. code-block:: python

            import warnings
            import paddle.fluid as fluid
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fluid.dygraph.profiler.start_gperf_profiler()
                fluid.dygraph.profiler.stop_gperf_profiler()
    """
    warnings.warn(_TEXT.format("start_gperf_profiler"), stacklevel=2)


def stop_gperf_profiler() -> None:
    """Would stop gperftools; does nothing.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            fluid.dygraph.profiler.stop_gperf_profiler()
    """
