"""A cache of small data sets, texts and images, for examples that would read the true ones."""

from __future__ import annotations

from pathlib import Path

from tests.dataset import image_archives, text_archives


def write_home(home: Path) -> Path:
    """Writes all of them, and returns the folder."""
    return image_archives.write_home(text_archives.write_home(home))
