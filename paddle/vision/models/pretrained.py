"""Where the weights of a model come from: the published files, or one that the user names."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from paddle.core.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    MissingFileError,
    UnavailableError,
)
from paddle.nn import Layer
from paddle.serialization.files.suffixes import PARAMS, PROGRAM, STREAMS
from paddle.serialization.tensor_stream import plain
from paddle.utils import download
from paddle.utils.download import get_weights_path_from_url, is_url
from paddle.vision.models.weights import load_weights

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
_SHOWN = 5

Network = TypeVar("Network", bound=Layer)


def with_weights(model: Network, name: str, pretrained: Any, head: str) -> Network:
    """Loads weights into ``model`` where they are asked for.

    Args:
        model (Layer): the network.
        name (str): name of its published weights.
        pretrained (bool|str|PathLike): True takes the published weights from the cache,
            ``~/.cache/paddle/hapi/weights``, or downloads them to it. A path, with ``.pdparams``
            or without, or an address takes that file; see :func:`load_weights` for what it may be.
        head (str): name of the layer that ``num_classes`` decides.

    Returns:
        Layer: ``model``.

    Raises:
        ValueError: there are no published weights of this name, or the file is damaged or holds
            those of another network; ``model`` is as it was.
        RuntimeError: the file is not there, or not in the cache and cannot be downloaded.
        TypeError: ``pretrained`` is something else.
    """
    if pretrained is None or pretrained is False:
        return model
    where = f"pretrained={pretrained!r} of {name}"
    if pretrained is True:
        path = _published(name, where)
    elif isinstance(pretrained, (str, os.PathLike)):
        path = _given(os.fsdecode(pretrained), name, where)
    else:
        raise ArgumentTypeError(
            f"{where}: expected True, False or the path of a {PARAMS} file, "
            f"but received {type(pretrained).__name__}."
        )
    load_weights(model, path, where, head)
    return model


def _published(name: str, where: str) -> str:
    """Returns the path of the published weights, downloading them unless the cache has them."""
    if name not in _FILES:
        raise InvalidArgumentError(
            f"{where}: expected a model with published weights, one of {sorted(_FILES)}, "
            f"but {name} has none.",
            hint="pass pretrained=False, or the path of a file with weights of this network",
        )
    file, md5sum = _FILES[name]
    try:
        return get_weights_path_from_url(_BASE + file, md5sum)
    except UnavailableError as error:
        place = os.path.join(download.WEIGHTS_HOME, file)
        reason = plain(error).partition("\n")[0]  # without its hint
        raise UnavailableError(
            f"{where}: {reason}",
            hint=f"get {_BASE}{file} (MD5 {md5sum}) by other means and put it at {place}; "
            f"or pass where you have it: pretrained='/folder/{file}'",
        ) from error


def _given(path: str, name: str, where: str) -> str:
    """Returns what a path of the user stands for: a file, or a folder or prefix of a model."""
    if is_url(path):
        return get_weights_path_from_url(path)
    prefix = path.removesuffix(STREAMS)
    if prefix != path and os.path.isfile(prefix + PROGRAM):
        return prefix  # the Program beside it has the names of what the file holds
    for candidate in (path, path + PARAMS):
        if os.path.isfile(candidate):
            return candidate
    if os.path.isdir(path) or os.path.isfile(path + PROGRAM):
        return path
    hints = [] if os.path.isabs(path) else [f"the path is seen from {os.getcwd()}"]
    if name in _FILES:
        hints.append("pretrained=True downloads the published weights")
    raise MissingFileError(
        f"{where}: there is neither '{path}' nor '{path}{PARAMS}'{_beside(path)}.",
        hint="; ".join(hints) or None,
    )


def _beside(path: str) -> str:
    """Which files with weights lie where one was looked for."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        return f"; there is no folder '{folder}'"
    names = sorted(n for n in os.listdir(folder) if n.endswith(PARAMS))
    more = ", ..." if len(names) > _SHOWN else ""
    return f"; there are {', '.join(names[:_SHOWN])}{more}" if names else ""
