"""BaseTransform, the protocol every transform follows, and Compose, a chain of transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.core.errors import UnimplementedError
from paddle.core.guards import Guarded
from paddle.vision.transforms import checks


class BaseTransform(Guarded):
    """Base of all transforms: says what each of several inputs is and how it is transformed.

    Called with a tuple such as ``(image, boxes, label)``, a transform applies ``_apply_<key>`` to
    the input at the position of each key, and passes further inputs through. Before that,
    ``_get_params(inputs)`` runs once; what it returns is ``self.params``, so that all inputs of one
    call share the same random numbers. A subclass defines ``_apply_image``, and, as it needs,
    ``_apply_boxes``, ``_apply_mask`` or any other ``_apply_<key>``, and ``_get_params``.

    Args:
        keys (list|tuple, optional): what each input is: 'image', 'boxes', 'mask' or another kind
            that the class has a method for; None for an input to leave alone. Default None, which
            means ('image',).

    Raises:
        TypeError: `keys` is not a list or tuple.
        NotImplementedError: the class has no method for a key.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.vision.transforms as T

            class FlipWithBoxes(T.BaseTransform):
                def _get_params(self, inputs):
                    return inputs[self.keys.index("image")].shape[1]  # the width

                def _apply_image(self, image):
                    return T.hflip(image)

                def _apply_boxes(self, boxes):  # (x1, y1, x2, y2)
                    flipped = boxes.copy()
                    flipped[:, [0, 2]] = self.params - boxes[:, [2, 0]]
                    return flipped

            flip = FlipWithBoxes(keys=("image", "boxes"))
            image, boxes, label = flip((np.zeros((4, 10, 3)), np.array([[1, 0, 3, 2]]), 7))
            print(boxes, label)  # [[7 0 9 2]] 7
    """

    def __init__(self, keys: Sequence[str | None] | None = None) -> None:
        if keys is None:
            keys = ("image",)
        elif not isinstance(keys, (list, tuple)):
            raise TypeError(
                f"{type(self).__name__}: 'keys' must be a list or tuple such as ('image', 'boxes'),"
                f" got {checks.describe(keys)}."
            )
        for key in keys:
            if key is not None and self._get_apply(key) is None:
                raise UnimplementedError(
                    f"{type(self).__name__}: no input of kind {key!r} can be transformed, the "
                    f"class has no method _apply_{key}.",
                    hint="define the method in a subclass, or give None to leave the input alone",
                )
        self.keys = keys
        self.params: Any = None

    def __call__(self, inputs: Any) -> Any:
        """Transform one input, or each input of a tuple by its key.

        Args:
            inputs (Any|tuple): the image, or a tuple of inputs in the order of `keys`.

        Returns:
            The transformed input, or a tuple of all inputs.
        """
        if not isinstance(inputs, tuple):
            inputs = (inputs,)
        self.params = self._get_params(inputs)
        outputs = []
        for key, value in zip(self.keys, inputs):
            apply = self._get_apply(key)
            outputs.append(value if apply is None else apply(value))
        if len(inputs) > len(outputs):
            outputs.extend(inputs[len(outputs) :])
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    # A class may define _joined(self, following, data): what data becomes by this transform and the
    # one that follows in a Compose, or None where it knows no faster way to it.

    def _get_params(self, inputs: tuple) -> Any:
        """Return what all inputs of this call share, for instance random numbers."""
        return None

    def _get_apply(self, key: str | None) -> Callable[[Any], Any] | None:
        return getattr(self, f"_apply_{key}", None)

    def _image_of(self, inputs: tuple) -> Any:
        """Return the first input that is an image."""
        for key, value in zip(self.keys, inputs):
            if key == "image":
                return checks.image(type(self).__name__, value)
        raise TypeError(
            f"{type(self).__name__}: expected an input with the key 'image', got keys "
            f"{tuple(self.keys)} for {len(inputs)} inputs."
        )

    def _apply_image(self, image: Any) -> Any:
        raise UnimplementedError(f"{type(self).__name__} must define _apply_image(self, image).")

    def _apply_boxes(self, boxes: Any) -> Any:
        raise UnimplementedError(f"{type(self).__name__} must define _apply_boxes(self, boxes).")

    def _apply_mask(self, mask: Any) -> Any:
        raise UnimplementedError(f"{type(self).__name__} must define _apply_mask(self, mask).")


class Compose(Guarded):
    """Apply transforms one after the other.

    Args:
        transforms (list|tuple): callables, each taking what the one before returned.

    Returns:
        callable: the chain.

    Raises:
        TypeError: `transforms` is not a list or tuple of callables.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.vision.transforms import ColorJitter, Compose, Resize

            transform = Compose([ColorJitter(), Resize(size=32)])
            print(transform(np.ones((28, 28, 3), "uint8")).shape)  # (32, 32, 3)
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        if not isinstance(transforms, (list, tuple)):
            raise TypeError(
                "Compose: 'transforms' must be a list or tuple of callables, got "
                f"{checks.describe(transforms)}."
            )
        for i, transform in enumerate(transforms):
            if not callable(transform):
                raise TypeError(
                    f"Compose: 'transforms[{i}]' must be callable, got "
                    f"{checks.describe(transform)}."
                )
        self.transforms = transforms

    def __call__(self, data: Any) -> Any:
        """Run `data` through the chain.

        Args:
            data (Any): what the first transform takes.

        Returns:
            What the last transform returns.
        """
        skip = False
        for i, transform in enumerate(self.transforms):
            if skip:
                skip = False
                continue
            try:
                join = vars(type(transform)).get("_joined")  # not of subclasses
                if join is not None and i + 1 < len(self.transforms):
                    both = join(transform, self.transforms[i + 1], data)
                    if both is not None:
                        data, skip = both, True
                        continue
                data = transform(data)
            except Exception as error:
                if hasattr(error, "add_note"):  # Python 3.11
                    error.add_note(f"[in transform {i} of Compose: {transform!r}]")
                raise
        return data

    def __repr__(self) -> str:
        lines = "".join(f"\n    {transform!r}" for transform in self.transforms)
        return f"{type(self).__name__}({lines}\n)"
