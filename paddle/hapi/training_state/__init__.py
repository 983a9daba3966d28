"""The state of a training run in one file, from which another process goes on."""

from paddle.hapi.training_state.state import TrainingState

__all__ = ["TrainingState"]
