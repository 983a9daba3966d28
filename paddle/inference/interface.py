"""What a saved model takes and returns."""

from __future__ import annotations

from paddle.executor.inference_values import ExpectedInput
from paddle.serialization.models.layouts import MAIN
from paddle.serialization.models.saved_model import SavedModel


def inputs_and_outputs(model: SavedModel) -> tuple[list[ExpectedInput], list[str]]:
    """Returns what a model takes, and the names of what it returns.

    Args:
        model (SavedModel): with feed and fetch operators.
    """
    block = model.programs[MAIN].global_block()
    return [ExpectedInput(block.var(n)) for n in model.feeds()], [v.name for v in model.fetches()]
