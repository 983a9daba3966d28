"""``python -m paddle.distributed.launch``, where :mod:`paddle` was imported whole."""

from paddle.distributed.launch.main import main

if __name__ == "__main__":
    main()
