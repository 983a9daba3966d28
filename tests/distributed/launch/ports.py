"""Free ports for jobs that have to know them beforehand."""

from __future__ import annotations

import random
import socket


def free_range(ips: list[str], count: int) -> int:
    """Returns the first of several successive ports that are free at all of some addresses.

    They lie below those that the kernel gives to others by itself.
    """
    for _ in range(200):
        first = random.SystemRandom().randrange(10000, 32000 - count)
        opened = []
        try:
            for ip in ips:
                for port in range(first, first + count):
                    opened.append(socket.socket())
                    opened[-1].bind((ip, port))
            return first
        except OSError:
            continue
        finally:
            for one in opened:
                one.close()
    raise AssertionError("no free ports")
