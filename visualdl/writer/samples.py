"""The calls of a writer that log samples: pictures, sound and texts."""

from __future__ import annotations

from typing import Any

from visualdl.component import audio, image, text


class Samples:
    """What `LogWriter` has for samples."""

    def _add(self, record: Any) -> None:
        """Hands a Record over."""
        raise NotImplementedError

    def add_image(
        self,
        tag: str,
        img: Any,
        step: int,
        walltime: float | None = None,
        dataformats: str = "HWC",
    ) -> None:
        """Logs an image.

        Args:
            tag (str): its name.
            img (array): whole numbers of 0 to 255, or floats of 0 to 1; what lies outside is cut
                off. Grey, grey with alpha, colours, or colours with alpha.
            step (int): its step.
            walltime (float, optional): a time.
            dataformats (str): what the axes are, `HW`, `HWC`, `CHW`, or `NCHW` for a batch that
                becomes one picture. Two axes are taken for `HW` always.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import numpy as np

                from visualdl import LogWriter

                with LogWriter(logdir="log/image_test") as writer:
                    writer.add_image("noise", np.random.rand(32, 32, 3), step=0)
        """
        self._add(image.to_record(tag, img, step, walltime, dataformats))

    def add_image_matrix(
        self,
        tag: str,
        imgs: Any,
        step: int,
        rows: int = -1,
        scale: float = 1.0,
        walltime: float | None = None,
        dataformats: str = "HWC",
    ) -> None:
        """Logs several images as one picture.

        Args:
            tag (str): its name.
            imgs (list): images as `add_image` takes them; smaller ones stand in the middle of
                their place.
            step (int): their step.
            rows (int): how many rows they fill; -1 makes about as many rows as columns.
            scale (float): how much larger the picture becomes.
            walltime (float, optional): a time.
            dataformats (str): what the axes of one image are.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import numpy as np

                from visualdl import LogWriter

                with LogWriter(logdir="log/image_test") as writer:
                    digits = [np.random.rand(1, 28, 28) for _ in range(6)]
                    writer.add_image_matrix("digits", digits, step=0, rows=2, dataformats="CHW")
        """
        self._add(image.matrix_to_record(tag, imgs, step, rows, scale, walltime, dataformats))

    def add_figure(self, tag: str, figure: Any, step: int, walltime: float | None = None) -> None:
        """Logs a drawing of Matplotlib as an image.

        Args:
            tag (str): its name.
            figure (matplotlib.figure.Figure): the drawing; one of `pyplot` is closed after it.
            step (int): its step.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                from matplotlib.figure import Figure

                from visualdl import LogWriter

                figure = Figure(figsize=(3, 2))
                figure.subplots().plot([1, 4, 9])
                with LogWriter(logdir="log/figure_test") as writer:
                    writer.add_figure("squares", figure, step=0)
        """
        self._add(image.figure_to_record(tag, figure, step, walltime))

    def add_audio(
        self,
        tag: str,
        audio_array: Any,
        step: int,
        sample_rate: int = 8000,
        walltime: float | None = None,
    ) -> None:
        """Logs sound.

        Args:
            tag (str): its name.
            audio_array (array): floats of -1 to 1, whole numbers of 16 bits, or bytes as `wave`
                reads them, a pair a sample; of two axes the shorter one is that of the channels.
            step (int): its step.
            sample_rate (int): samples in a second.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import numpy as np

                from visualdl import LogWriter

                with LogWriter(logdir="log/audio_test") as writer:
                    tone = np.sin(np.arange(8000) * 0.3)
                    writer.add_audio("tone", tone, step=0, sample_rate=8000)
        """
        self._add(audio.to_record(tag, audio_array, step, sample_rate, walltime))

    def add_text(
        self,
        tag: str,
        text_string: str,
        step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a text; the board shows it as Markdown.

        Args:
            tag (str): its name.
            text_string (str): the text.
            step (int, optional): its step.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                from visualdl import LogWriter

                with LogWriter(logdir="log/text_test") as writer:
                    writer.add_text("answer", "a **cat** on a mat", step=0)
        """
        self._add(text.to_record(tag, text_string, step, walltime))
