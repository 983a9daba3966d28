"""Takes the pictures of docs/visualdl.md: run it after `make board ARGS=--no-board`.

python scripts/board_pictures.py [--logdir output/visualdl_board] [--only scalars graph]
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "img"
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]
FLAGS += ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PAGES = {
    "scalars": "scalar?smooth=0.8",
    "images": "image",
    "histograms": "histogram",
    "curves": "curves",
    "embeddings": "embedding",
    "hparams": "hparam",
    "graph": "graph",
}
"""The name of a picture -> what the address of the board says behind #/."""
SIZE = (1280, 860)
SETTLED = 6000
"""Milliseconds until what is drawn step by step stands still."""


def started(logdir: str) -> tuple[subprocess.Popen[str], str]:
    """Starts a board; returns its process and its address."""
    command = [sys.executable, "-m", "visualdl.server.cli", "--logdir", logdir, "--language", "en"]
    board = subprocess.Popen([*command, "--theme", "light"], stdout=subprocess.PIPE, text=True)
    assert board.stdout is not None
    line = board.stdout.readline()
    return board, next(word for word in line.split() if word.startswith("http"))


def main() -> int:
    """Takes the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--logdir", default="output/visualdl_board")
    parser.add_argument("--only", nargs="+", choices=PAGES, default=list(PAGES))
    options = parser.parse_args()
    board, address = started(options.logdir)
    try:
        with sync_playwright() as play:
            chromium = shutil.which("chromium")
            browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
            for name in options.only:
                page.goto(f"{address}#/{PAGES[name]}")
                page.reload()
                page.wait_for_timeout(SETTLED)
                taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                few = taken.quantize(256, dither=Image.Dither.NONE)
                few.save(IMAGES / f"board_{name}.png", optimize=True)
            browser.close()
    finally:
        board.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
