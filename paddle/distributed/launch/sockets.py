"""Addresses of a job: reading them, holding free ports, and which are this machine's."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Iterable

LOOPBACK = "127.0.0.1"


class AddressError(ValueError):
    """An address that cannot be used: misspelt, taken, or of another machine."""


def split_endpoint(text: str, port: int | None = None) -> tuple[str, int]:
    """Reads ``ip:port``.

    Args:
        text (str): the address.
        port (int, optional): the port where the text has none; None: it must have one.

    Raises:
        AddressError: it is not an address with a port from 1 to 65535.
    """
    ip, colon, digits = text.strip().rpartition(":")
    if not colon and port is not None:
        ip, digits = text.strip(), str(port)
    if not ip or not digits.isdecimal() or not 0 < int(digits) < 65536:
        raise AddressError(f"expected an address ip:port with a port of 1 to 65535, got {text!r}.")
    if ip in ("0.0.0.0", "::", "*"):
        raise AddressError(f"{text!r} means every interface; give the machine's own address.")
    return ip, int(digits)


def is_loopback(ip: str) -> bool:
    """Says whether an address can only be reached from this machine."""
    try:
        return ipaddress.ip_address(ip).is_loopback
    except ValueError:
        return ip == "localhost"


def is_here(ip: str) -> bool:
    """Says whether an address belongs to this machine: whether one can listen there."""
    try:
        hold(ip, 0).close()
        return True
    except AddressError:
        return False


def hold(ip: str, port: int, listen: bool = False) -> socket.socket:
    """Takes a port, so that it stays free for this job.

    A socket that is bound with SO_REUSEADDR but does not listen keeps others from being given the
    port, and lets one that also sets SO_REUSEADDR listen there.

    Args:
        ip (str): an address of this machine.
        port (int): 0: any free one.
        listen (bool): listen at once, for a socket that is handed on.

    Raises:
        AddressError: the port is taken, or the address is not this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(ip, port, type=socket.SOCK_STREAM)[
            0
        ]
    except OSError as error:
        raise AddressError(f"the address {ip!r} is not known: {error.strerror}.") from None
    if not listen and port and _somebody_listens(family, address):
        raise AddressError(f"the port {ip}:{port} is taken by another process.")
    taken = socket.socket(family, kind, protocol)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        if listen:
            taken.listen(1024)
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressError(f"the port {ip}:{port} is taken by another process.") from None
        raise AddressError(f"cannot bind to {ip}:{port}: {error.strerror}.") from None
    return taken


def _somebody_listens(family: int, address: tuple) -> bool:
    """Says whether a port is listened at; asked without SO_REUSEADDR, as its user might."""
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(address)
            return False
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return False
    with socket.socket(family, socket.SOCK_STREAM) as probe:  # an old connection that lingers?
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
            return False
        except OSError:
            return True


def port_of(held: socket.socket) -> int:
    """Returns the port of a bound socket."""
    return held.getsockname()[1]


def own_address(ips: Iterable[str], told: str | None, option: str) -> str:
    """Returns which of the machines of a job this one is.

    Args:
        ips (iterable): an address of each machine.
        told (str, optional): what the user says.
        option (str): where the addresses come from, for error texts.

    Raises:
        AddressError: none is, or several are and nothing was told.
    """
    ips = list(dict.fromkeys(ips))
    if told is not None:
        if told not in ips:
            raise AddressError(f"--node_ip: {told!r} is not one of {option}: {','.join(ips)}.")
        return told
    if len(ips) == 1 and is_loopback(ips[0]):
        return ips[0]
    here = [ip for ip in ips if is_here(ip)]
    if len(here) != 1:
        which = f"several, {','.join(here)}, are" if here else "none is"
        raise AddressError(
            f"{option}: of {','.join(ips)} {which} this machine's; tell its own by --node_ip."
        )
    return here[0]
