"""Train LeNet on MNIST, and let C answer on arm64, which qemu-user emulates.

    apt install gcc-aarch64-linux-gnu qemu-user
    python examples/lite/mnist_on_arm64.py

Result: 95.0 % by pypaddle with float weights, 95.1 % by C on arm64 with int8 weights, from a file
of 65 KB by a library of 66 KB; half a minute in all. The cross compiler builds the library and the
demo; on a board they run as they are.
"""

import sys

import mnist_in_c


def main():
    sys.argv += ["--arch", "aarch64"]
    mnist_in_c.main()


if __name__ == "__main__":
    main()
