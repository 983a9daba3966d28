"""DatasetFolder and ImageFolder: images in folders of the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError, MissingFileError, NotFoundError
from paddle.core.guards import guard_module
from paddle.io import Dataset

__all__ = []

IMG_EXTENSIONS = (
    ".jpg",
    ".jpeg",
    ".png",
    ".ppm",
    ".bmp",
    ".pgm",
    ".tif",
    ".tiff",
    ".webp",
)


def default_loader(path: str) -> Any:
    """Reads an image the way ``paddle.vision.set_image_backend`` says (PIL at first, in RGB)."""
    from paddle.vision.image import load_sample

    return load_sample(path)


def _file_test(api: str, extensions: Any, is_valid_file: Any) -> tuple[Callable[[str], bool], Any]:
    if is_valid_file is not None:
        if not callable(is_valid_file):
            raise TypeError(
                f"{api}(is_valid_file): expected a function or None, "
                f"but received {type(is_valid_file).__name__}."
            )
        if extensions is not None:
            raise InvalidArgumentError(
                f"{api}: expected either extensions or is_valid_file, but received both."
            )
        return is_valid_file, IMG_EXTENSIONS
    endings = IMG_EXTENSIONS if extensions is None else extensions
    if isinstance(endings, str) or not all(isinstance(ending, str) for ending in endings):
        raise TypeError(
            f"{api}(extensions): expected a list or tuple of endings such as '.png', "
            f"but received {extensions!r}."
        )
    lowered = tuple(ending.lower() for ending in endings)
    return (lambda path: path.lower().endswith(lowered)), endings


def _files_below(folder: str, accept: Callable[[str], bool]) -> Iterator[str]:
    for place, _, names in sorted(os.walk(folder, followlinks=True)):
        for name in sorted(names):
            path = os.path.join(place, name)
            if accept(path):
                yield path


def _check_root(api: str, root: Any) -> None:
    if not os.path.isdir(root):
        raise MissingFileError(f"{api}(root): expected a folder at {root}, but there is none.")


def _nothing(api: str, root: Any, endings: Sequence[str]) -> NotFoundError:
    return NotFoundError(
        f"{api}(root): expected files below {root} that are accepted (by default those ending in "
        f"{', '.join(endings)}), but found none."
    )


class DatasetFolder(Dataset):
    """Images in one folder per class: ``root/cat/1.png``, ``root/dog/2.png``, ...

    Classes are the folders of ``root``, in alphabetical order; files may lie deeper.

    Args:
        root (str): the folder of folders.
        loader (callable|None): reads a file; None reads images, see
            ``paddle.vision.set_image_backend``.
        extensions (list|tuple|None): endings of the files that count; None means those of images.
        transform (callable|None): applied to what the loader returns.
        is_valid_file (callable|None): says whether a path counts, in place of ``extensions``.

    Returns:
        Dataset: sample ``i`` is the image and the number of its class. ``classes``,
        ``class_to_idx``, ``samples`` (paths and numbers) and ``targets`` (numbers) tell more.

    Raises:
        RuntimeError: no folder, no folder in it, or no file that counts.

    Examples:
        .. code-block:: python

            import os, tempfile
            from PIL import Image
            from paddle.vision.datasets import DatasetFolder

            root = tempfile.mkdtemp()
            for kind in ("cat", "dog"):
                os.mkdir(os.path.join(root, kind))
                Image.new("RGB", (4, 4)).save(os.path.join(root, kind, "1.png"))
            pictures = DatasetFolder(root)
            print(pictures.classes, pictures[1][1])  # ['cat', 'dog'] 1
    """

    def __init__(
        self,
        root: str,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        _check_root("DatasetFolder", root)
        accept, endings = _file_test("DatasetFolder", extensions, is_valid_file)
        self.root = root
        self.transform = transform
        self.loader = default_loader if loader is None else loader
        self.extensions = endings
        self.classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = [
            (path, number)
            for name, number in self.class_to_idx.items()
            for path in _files_below(os.path.join(root, name), accept)
        ]
        if not self.samples:
            raise _nothing("DatasetFolder", root, endings)
        self.targets = [number for _, number in self.samples]

    def __getitem__(self, index: int) -> tuple[Any, int]:
        path, target = self.samples[index]
        sample = self.loader(path)
        if self.transform is not None:
            sample = self.transform(sample)
        return sample, target

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(Dataset):
    """All images below a folder, without labels.

    Args:
        root (str): the folder.
        loader (callable|None): reads a file; None reads images, see
            ``paddle.vision.set_image_backend``.
        extensions (list|tuple|None): endings of the files that count; None means those of images.
        transform (callable|None): applied to what the loader returns.
        is_valid_file (callable|None): says whether a path counts, in place of ``extensions``.

    Returns:
        Dataset: sample ``i`` is a list of one image; ``samples`` holds the paths.

    Raises:
        RuntimeError: no folder, or no file that counts in it.

    Examples:
        .. code-block:: python

            import os, tempfile
            from PIL import Image
            from paddle.vision.datasets import ImageFolder

            root = tempfile.mkdtemp()
            Image.new("RGB", (4, 4)).save(os.path.join(root, "1.png"))
            pictures = ImageFolder(root)
            print(len(pictures), pictures[0][0].size)  # 1 (4, 4)
    """

    def __init__(
        self,
        root: str,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        _check_root("ImageFolder", root)
        accept, endings = _file_test("ImageFolder", extensions, is_valid_file)
        self.root = root
        self.transform = transform
        self.loader = default_loader if loader is None else loader
        self.extensions = endings
        self.samples = list(_files_below(root, accept))
        if not self.samples:
            raise _nothing("ImageFolder", root, endings)

    def __getitem__(self, index: int) -> list[Any]:
        sample = self.loader(self.samples[index])
        if self.transform is not None:
            sample = self.transform(sample)
        return [sample]

    def __len__(self) -> int:
        return len(self.samples)


guard_module(globals())
