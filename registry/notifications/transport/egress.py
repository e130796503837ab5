"""Requests to places that users name: to public addresses only, bounded in time, following nothing.

A name is looked up once. The address that was looked at is the one that is asked, so that a name which then stands for
another leads nowhere else."""

import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from treaty.registry.core.errors import RegistryError

if TYPE_CHECKING:
    from ssl import SSLContext

Address = IPv4Address | IPv6Address
Lookup = Callable[[str, int], Sequence[Address]]
PORTS = {"http": 80, "https": 443}
SECONDS = 10.0
REMEDY = "an administrator may allow it: TREATY_WEBHOOK_ALLOWED_HOSTS"


class DestinationNotAllowed(RegistryError):
    """The place is none that may be asked."""


class DestinationUnreachable(RegistryError):
    """The place does not answer."""


@dataclass(frozen=True)
class EgressPolicy:
    """Which places may be asked beside public addresses: by name, by address, or all (`anywhere`)."""

    names: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    anywhere: bool = False

    def admits(self, host: str, address: Address) -> bool:
        """Whether the host may be asked at that address."""
        named = self.anywhere or host.lower() in self.names
        return named or is_public(address) or any(address in each for each in self.networks)


ANYWHERE = EgressPolicy(anywhere=True)


@dataclass(frozen=True)
class OutboundResponse:
    """What a place answered: the status and the headers, in small letters. What else it says is not read."""

    status: int
    headers: Mapping[str, str]


def reach(allowed: str) -> EgressPolicy:
    """What the setting allows: names of hosts and networks, comma-separated."""
    words = [each.strip().lower() for each in allowed.split(",") if each.strip()]
    networks = {each: found for each in words if (found := _network(each)) is not None}
    return EgressPolicy(frozenset(words) - networks.keys(), tuple(networks.values()))


def is_public(address: Address) -> bool:
    """Whether the address is one of the open internet: not of this machine, of a private or a special network, or one
    that stands for such an address."""
    special = address.is_multicast or address.is_reserved or not address.is_global
    inner = (address.ipv4_mapped, address.sixtofour) if isinstance(address, IPv6Address) else ()
    return not special and all(each is None or is_public(each) for each in inner)


def lookup(host: str, port: int) -> Sequence[Address]:
    """The addresses of a host. Raises OSError, or UnicodeError for what is no name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(each[4][0]) for each in found]


def refuse_malformed(url: str) -> SplitResult:
    """The URL in its parts. Raises Refused for one that no request is sent to, without quoting it."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise DestinationNotAllowed("this is no URL: write https://HOST/PATH") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise DestinationNotAllowed("only http and https URLs are asked: write https://HOST/PATH")
    if "@" in parts.netloc or not url.isascii() or not url.isprintable() or " " in url:
        raise DestinationNotAllowed(
            "the URL has a user or characters that no URL has: write https://HOST/PATH, others as %XX"
        )
    return parts


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    within: EgressPolicy,
    find: Lookup = lookup,
    seconds: float = SECONDS,
) -> OutboundResponse:
    """What the place answers to the POST. Raises Refused for a place that may not be asked, Unreachable."""
    parts = refuse_malformed(url)
    address = _admitted(parts, within, find)
    return _request(url, body, headers, address=address, seconds=seconds)


def _admitted(parts: SplitResult, within: EgressPolicy, find: Lookup) -> Address:
    """The address to ask. Of several that a name has, none may be a forbidden one."""
    host = str(parts.hostname)
    try:
        found = find(host, parts.port or PORTS[parts.scheme])
    except (OSError, UnicodeError):
        raise DestinationUnreachable("its name is not known") from None
    if not found:
        raise DestinationUnreachable("its name is not known")
    if not all(within.admits(host, each) for each in found):
        raise DestinationNotAllowed(f"its address is not public; {REMEDY}")
    return found[0]


def _request(
    url: str, body: bytes, headers: Mapping[str, str], *, address: Address, seconds: float
) -> OutboundResponse:
    import httpcore

    from treaty.registry.notifications.transport.pinned_dns import PinnedBackend

    network = PinnedBackend(str(address), time.monotonic() + seconds)
    try:
        with (
            httpcore.ConnectionPool(network_backend=network, ssl_context=_trusted()) as pool,
            pool.stream("POST", url, headers=list(headers.items()), content=body) as answer,
        ):
            return OutboundResponse(answer.status, _plain(answer.headers))
    except httpcore.TimeoutException:
        raise DestinationUnreachable(f"it did not answer within {seconds:g} seconds") from None
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise DestinationUnreachable(f"the connection failed: {type(error).__name__}") from None


@cache
def _trusted() -> "SSLContext":
    """Whose certificates are believed. To read them takes a while."""
    import httpx

    return httpx.create_ssl_context()


def _plain(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def _network(word: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(word, strict=False)
    except ValueError:
        return None
