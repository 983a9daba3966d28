"""Images: data sets, networks, transforms and reading of files."""

from paddle.vision import datasets, image, models, ops, transforms
from paddle.vision.datasets import *  # noqa: F403
from paddle.vision.image import get_image_backend, image_load, set_image_backend
from paddle.vision.models import *  # noqa: F403
from paddle.vision.transforms import *  # noqa: F403

__all__ = [
    "datasets", "get_image_backend", "image", "image_load", "models", "ops", "set_image_backend",
    "transforms", *datasets.__all__, *models.__all__, *transforms.__all__,
]  # fmt: skip
