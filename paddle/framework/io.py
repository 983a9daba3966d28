"""paddle.save and paddle.load: state dicts and plain objects with Tensors; Programs and models."""

from __future__ import annotations

import os
import warnings
from typing import Any

from paddle.core.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    NotFoundError,
    UnimplementedError,
)
from paddle.serialization.files.atomic import atomic_files, atomic_write
from paddle.serialization.files.seals import SaveSet, read_sealed, seal_wanted
from paddle.serialization.files.suffixes import OPT, PARAMS, PROGRAM, STREAMS
from paddle.serialization.pickles import file_objects
from paddle.serialization.pickles.object_writing import write_object
from paddle.serialization.pickles.restoring import from_file_form

__all__ = ["load", "load_dygraph", "save"]


def protocol_of(value: Any, configs: dict[str, Any], where: str = "paddle.save") -> int:
    """Returns the pickle protocol that the arguments of a saving function ask for."""
    if "protocol" in configs:
        value = configs["protocol"]
    unknown = sorted(set(configs) - {"protocol", "use_binary_format"})
    if unknown:
        raise InvalidArgumentError(
            f"{where} takes no option {unknown[0]!r}",
            hint="The options are pickle_protocol and, in paddle.save, checksum.",
        )
    if configs.get("use_binary_format"):
        raise UnimplementedError(
            f"{where}(use_binary_format=True) belongs to later releases",
            hint="Leave it out: the file is a pickle that all 2.x releases read.",
        )
    if type(value) is not int:
        raise InvalidArgumentError(
            f"{where}: expected pickle_protocol to be an int, but received {value!r}"
        )
    if not 2 <= value <= 4:
        raise InvalidArgumentError(
            f"{where}: expected pickle_protocol to be 2, 3 or 4, but received {value}"
        )
    return value


def _path(function: str, path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(
            f"{function}: expected path to be a str or os.PathLike, "
            f"but received {type(path).__name__}"
        )
    return os.fsdecode(path)


def save(obj: Any, path: Any, pickle_protocol: int = 2, **configs: Any) -> None:
    """Writes a state dict, or any plain object with Tensors inside, to a file.

    The file appears under its name only when it is complete; an older file survives a failure.
    Files are those of PaddlePaddle: what is written here loads there.

    - A dict of Tensors (a Layer's or an Optimizer's ``state_dict()``) becomes a dict of arrays
      plus a table of the variables' names.
    - In any other object each Tensor becomes a tuple ``(name, array)``; it is read as a Tensor
      again (and so is such a tuple of the user's own).
    - A Program becomes a program file, as ``.pdmodel`` files are.

    Args:
        obj (object): a Tensor, array, number, str, bytes, None, or a dict, OrderedDict, list,
            tuple or set of them, nested at will; or a static Program.
        path (str|BinaryIO): where to write; missing folders are created. By convention parameters
            end in ``.pdparams`` and optimizer states in ``.pdopt``; nothing is added. An open
            binary file (``io.BytesIO()``, ``open(name, "wb")``) is written to as it stands.
        pickle_protocol (int): 2, 3 or 4. With 2 and 3 arrays over 1 GiB in a state dict are
            stored in parts.
        **configs: ``protocol``, the later name of ``pickle_protocol``.
            ``checksum`` (bool): add a checksum behind the object, where other readers of pickles
            do not look; :func:`load` then refuses a damaged file. Default: whether
            ``FLAGS_require_checksums`` is set. A program file has no room for one.

    Raises:
        ValueError: the path is a folder or has no file name, the protocol is not known, the
            object contains itself or is nested too deeply, or an array is too large for it.
        NotImplementedError: the object holds something that is no data, for instance a Layer.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle

            layer = paddle.nn.Linear(3, 4)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "linear.pdparams")
                paddle.save(layer.state_dict(), path)
                print(list(paddle.load(path)))  # ['weight', 'bias']
    """
    is_program = file_objects.is_program(obj)
    sealed = seal_wanted(configs, is_program)
    protocol = protocol_of(pickle_protocol, configs)
    if file_objects.is_file(path, "write"):
        if sealed:
            raise InvalidArgumentError(
                "paddle.save: a checksum is written behind a file, not into an open one.",
                hint="give a path, or checksum=False",
            )
        return file_objects.save(obj, path, protocol)
    name = _path("paddle.save", path)
    check_target(name)
    if is_program:
        content = obj.desc.serialize_to_string()
        with atomic_write(name) as file:
            file.write(content)
        return
    if isinstance(obj, dict) and not obj:
        warnings.warn(f"paddle.save: the dict for {name!r} is empty", stacklevel=2)
    with atomic_files(SaveSet(name)) as files:
        write_object(obj, files.open(name, sealed), protocol, name)


def check_target(name: str) -> None:
    """Refuses a path that no file can have.

    Args:
        name (str): where an object is to be written.
    """
    if not os.path.basename(name):
        raise InvalidArgumentError(
            f"paddle.save: expected a path of the form folder/name, but received {name!r}, "
            "whose name is empty"
        )
    if os.path.isdir(name):
        raise InvalidArgumentError(
            f"paddle.save: expected a file path, but {name!r} is a folder",
            hint="Add a file name.",
        )


def _first_bytes(path: str) -> bytes:
    """The start of a file, which tells programs and tensors from pickles."""
    with open(path, "rb") as file:
        return file.read(4)


def _missing(path: str) -> Exception:
    """The error for a path that is no file."""
    near = [path + s for s in (PARAMS, OPT) if os.path.isfile(path + s)]
    if near:
        choice = " or ".join(f"paddle.load({name!r})" for name in near)
        return InvalidArgumentError(
            f"paddle.load: there is no file '{path}'; it is the prefix of other files",
            hint=f"Give the full file name: {choice}.",
        )
    return InvalidArgumentError(
        f"paddle.load: there is no file '{path}' (looked for it, and for it with "
        f"{PARAMS}, {OPT} and {PROGRAM} added)"
    )


def _is_checkpoint(path: str) -> bool:
    """Whether a path is the prefix of what static.save wrote: not a model, but a training state."""
    found = [s for s in (PARAMS, STREAMS) if os.path.isfile(path + s)]
    return found == [PARAMS]


def _load_options(configs: dict[str, Any], path: str) -> tuple[bool, bool]:
    """Checks the options; returns ``return_numpy`` and ``keep_name_table``."""
    for key, value in configs.items():
        if key in ("model_filename", "params_filename"):
            if value is not None and not isinstance(value, str):
                raise TypeError(
                    f"paddle.load: expected {key} to be a str, but received {type(value).__name__}"
                )
            if value is not None and os.path.isfile(path):
                raise InvalidArgumentError(
                    f"paddle.load: {key} names a file in the folder of an inference model, but "
                    f"'{path}' is a file"
                )
        elif key in ("return_numpy", "keep_name_table"):
            if type(value) is not bool:
                raise TypeError(
                    f"paddle.load: expected {key} to be a bool, but received {type(value).__name__}"
                )
        else:
            raise InvalidArgumentError(
                f"paddle.load takes no option {key!r}",
                hint="The options are return_numpy, keep_name_table, model_filename and "
                "params_filename.",
            )
    return configs.get("return_numpy", False), configs.get("keep_name_table", False)


def load(path: Any, **configs: Any) -> Any:
    """Reads a file that :func:`paddle.save` wrote, or the parameters of a saved model.

    Files of PaddlePaddle are read too, those of 1.x (``fluid.save``, ``fluid.save_dygraph``) given
    their full name. Of a saved model (``jit.save``, ``save_inference_model``, and folders of
    1.x with a file for each parameter) the parameters are read, by the names of their variables, or
    by their names in the Layer if the model tells them. A program file gives a Program.
    Only data is read: a file that asks for anything but arrays and builtin containers is refused,
    so that a file from elsewhere cannot run a program. What was saved with checksums is checked
    against them; with ``FLAGS_require_checksums`` files without are refused.

    Args:
        path (str|BinaryIO): the full file name, with its suffix; or the prefix or folder of a
            model; or an open binary file, which is read from where it stands and left behind the
            object.
        **configs: options.
            ``return_numpy`` (bool): give ``numpy.ndarray`` in place of Tensor; bfloat16 as the
            uint16 of its bits. Default False.
            ``keep_name_table`` (bool): keep the entry ``StructuredToParameterName@@`` of a state
            dict, which maps its keys to the names of variables. Default False.
            ``model_filename``, ``params_filename`` (str): the program file, and the file of all
            parameters, in the folder of a model, where they have other names than ``__model__``
            and ``__params__``.

    Returns:
        The object, with a Tensor (``stop_gradient`` True, its name as saved) for each that was
        saved. Arrays become Tensors too, unless the file marks Tensors by ``(name, array)``.

    Raises:
        ValueError: there is no such file, or it is empty, truncated, damaged or asks for more
            than data; the text names the file, its size and the reason.
        RuntimeError: (also a FileNotFoundError) a file of a model is not there.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle

            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "x.pdtensor")
                paddle.save({"epoch": 3, "x": paddle.ones([2])}, path)
                print(paddle.load(path)["epoch"])  # 3
                print(paddle.load(path, return_numpy=True)["x"])  # [1. 1.]
    """
    if file_objects.is_file(path, "read"):
        return file_objects.load(path, *_load_options(configs, ""))
    name = _path("paddle.load", path)
    as_numpy, keep_names = _load_options(configs, name)
    head = _first_bytes(name) if os.path.isfile(name) else None
    if head is not None and head[:1] != b"\n" and head != b"\0\0\0\0":
        return from_file_form(read_sealed(name), name, not as_numpy, keep_names)
    from paddle.serialization.models import object_loading

    if head is None:
        if not object_loading.is_model(name) or _is_checkpoint(name):
            raise _missing(name)
        names = configs.get("model_filename"), configs.get("params_filename")
        return object_loading.read_model_state(name, names, as_numpy, keep_names)
    if head[:1] == b"\n":
        return object_loading.read_program(name)
    return object_loading.read_tensor(name, as_numpy)


def load_dygraph(model_path: str, **configs: Any) -> tuple[dict | None, dict | None]:
    """Reads ``<prefix>.pdparams`` and ``<prefix>.pdopt``, as 1.x code names them.

    Args:
        model_path (str): the prefix; a suffix ``.pdparams`` or ``.pdopt`` may be present.
        **configs: ``keep_name_table`` (bool), see :func:`load`.

    Returns:
        tuple: the parameters and the optimizer state, as dicts of ``numpy.ndarray``; None where
        there is no such file.

    Raises:
        RuntimeError: neither file exists.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle.framework.io import load_dygraph

            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, "model")
                paddle.save({"w": paddle.ones([2])}, prefix + ".pdparams")
                params, state = load_dygraph(prefix)
                print(params["w"], state)  # [1. 1.] None
    """
    prefix = _path("load_dygraph", model_path)
    for suffix in (PARAMS, OPT):
        prefix = prefix.removesuffix(suffix)
    files = [prefix + PARAMS, prefix + OPT]
    if not any(map(os.path.isfile, files)):
        raise NotFoundError(f"load_dygraph: there is neither '{files[0]}' nor '{files[1]}'")
    configs = {**configs, "return_numpy": True}
    params, state = (load(f, **configs) if os.path.isfile(f) else None for f in files)
    return params, state
