"""run_check of 1.x."""

from paddle.utils import install_check

__all__ = ["run_check"]


def run_check() -> None:
    """Trains a small network and runs a small Program, and says whether that works.

    Raises:
        SystemError: it runs, but computes something else.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            fluid.install_check.run_check()
    """
    print("Running Verify Fluid Program ... ")
    install_check.run_check()
    print("Your Paddle Fluid works well on SINGLE GPU or CPU.")
    print(
        "Your Paddle Fluid is installed successfully! Let's start deep Learning with Paddle "
        "Fluid now"
    )
