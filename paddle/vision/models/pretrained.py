"""Loading the published weights of a model."""

from __future__ import annotations

from typing import Any, TypeVar

from paddle.core.errors import InvalidArgumentError
from paddle.framework.io import load
from paddle.nn import Layer
from paddle.utils.download import get_weights_path_from_url

_BASE = "https://paddle-hapi.bj.bcebos.com/models/"
# Name of the published weights: file and its MD5 checksum.
_FILES = {
    "resnet18": ("resnet18.pdparams", "cf548f46534aa3560945be4b95cd11c4"),
    "resnet34": ("resnet34.pdparams", "8d2275cf8706028345f78ac0e1d31969"),
    "resnet50": ("resnet50.pdparams", "ca6f485ee1ab0492d38f323885b0ad80"),
    "resnet101": ("resnet101.pdparams", "02f35f034ca3858e1e54d4036443c92d"),
    "resnet152": ("resnet152.pdparams", "7ad16a2f1e7333859ff986138630fd7a"),
    "vgg16": ("vgg16.pdparams", "89bbffc0f87d260be9b8cdc169c991c4"),
    "vgg19": ("vgg19.pdparams", "23b18bb13d8894f60f54e642be79a0dd"),
    "mobilenetv1_1.0": ("mobilenetv1_1.0.pdparams", "3033ab1975b1670bef51545feb65fc45"),
    "mobilenetv2_1.0": ("mobilenet_v2_x1.0.pdparams", "0340af0a901346c8d46f4529882fb63d"),
}

Network = TypeVar("Network", bound=Layer)


def with_weights(model: Network, name: str, pretrained: Any) -> Network:
    """Loads the published weights called ``name`` into ``model`` where they are asked for.

    Args:
        model (Layer): the network.
        name (str): name of its weights.
        pretrained (bool): whether to load them. They are taken from the cache,
            ``~/.cache/paddle/hapi/weights``, or downloaded to it.

    Returns:
        Layer: ``model``.

    Raises:
        ValueError: there are no published weights of this name.
        RuntimeError: the file is not in the cache and cannot be downloaded.
    """
    if not pretrained:
        return model
    if name not in _FILES:
        raise InvalidArgumentError(
            f"pretrained=True: expected a model with published weights, one of {sorted(_FILES)}, "
            f"but {name} has none.",
            hint="pass pretrained=False",
        )
    file, md5sum = _FILES[name]
    model.set_state_dict(load(get_weights_path_from_url(_BASE + file, md5sum)))
    return model
