"""Send requests to user-supplied URLs: public addresses only, with a deadline, without redirects.

A host name is resolved once and the request goes to the checked address, which prevents DNS rebinding."""

import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Self
from urllib.parse import SplitResult, urlsplit

from treaty.registry.core.errors import RegistryError

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpcore import ConnectionPool

    from treaty.registry.notifications.transport.pinned_dns import RequestDeadline

Address = IPv4Address | IPv6Address
Lookup = Callable[[str, int], Sequence[Address]]
PORTS = {"http": 80, "https": 443}
SECONDS = 10.0
MOST_BYTES = 16 * 1024 * 1024
# Global by the standard library, but not on the internet: site-local and documentation addresses, relays to IPv4, and
# the services that clouds offer to their own machines.
INTERNAL = tuple(map(ip_network, ("fec0::/10", "3fff::/20", "168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24")))
REMEDY = "an administrator can allow it with TREATY_WEBHOOK_ALLOWED_HOSTS"


class DestinationNotAllowed(RegistryError):
    """The destination may not be contacted."""


class DestinationUnreachable(RegistryError):
    """The destination does not respond."""


@dataclass(frozen=True)
class EgressPolicy:
    """Destinations that are allowed in addition to public addresses.

    `names`: host names. `networks`: networks of addresses. `anywhere`: allow all."""

    names: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    anywhere: bool = False

    def admits(self, host: str, address: Address) -> bool:
        """Return whether the host may be contacted at that address."""
        is_listed = self.anywhere or host.lower() in self.names
        return is_listed or is_public(address) or any(address in each for each in self.networks)


ANYWHERE = EgressPolicy(anywhere=True)


@dataclass(frozen=True)
class OutboundResponse:
    """A response, with header names in lower case. `body`: b'' if it was not read."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


def reach(allowed: str) -> EgressPolicy:
    """Parse the setting: comma-separated host names and networks."""
    words = [each.strip().lower() for each in allowed.split(",") if each.strip()]
    networks = {each: network for each in words if (network := _network(each)) is not None}
    return EgressPolicy(frozenset(words) - networks.keys(), tuple(networks.values()))


def is_public(address: Address) -> bool:
    """Return whether the address is on the public internet.

    Addresses of this machine, of private and special networks, and IPv6 addresses that map to such addresses are
    not."""
    special = address.is_multicast or address.is_reserved or not address.is_global
    internal = any(address in each for each in INTERNAL)
    inner = (address.ipv4_mapped, address.sixtofour) if isinstance(address, IPv6Address) else ()
    return not (special or internal) and all(each is None or is_public(each) for each in inner)


def lookup(host: str, port: int) -> Sequence[Address]:
    """Resolve a host name. Raises OSError, or UnicodeError for an invalid name."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(each[4][0]) for each in addresses]


def refuse_malformed(url: str) -> SplitResult:
    """Parse a URL. Raises DestinationNotAllowed, without quoting the URL, if no request may be sent to it."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise DestinationNotAllowed("the URL is invalid: use https://HOST/PATH") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise DestinationNotAllowed("only http and https URLs are allowed: use https://HOST/PATH")
    if "@" in parts.netloc or not url.isascii() or not url.isprintable() or " " in url:
        raise DestinationNotAllowed(
            "the URL has credentials or invalid characters: use https://HOST/PATH, with special characters as %XX"
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
    """Send a POST request and return the response.

    `seconds`: deadline of the whole request. Raises DestinationNotAllowed and DestinationUnreachable."""
    with OutboundClient(within, find=find) as client:
        return client.request("POST", url, body, headers, seconds=seconds, most_bytes=0)


class OutboundClient:
    """Requests to allowed destinations. Each host is resolved and checked once, and connections are reused.

    Not safe for use by several threads."""

    def __init__(self, within: EgressPolicy, *, find: Lookup = lookup) -> None:
        self._within, self._find = within, find
        self._pools: dict[tuple[str, str, int | None], tuple[ConnectionPool, RequestDeadline]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pool, _deadline in self._pools.values():
            pool.close()
        self._pools.clear()

    def request(
        self,
        method: str,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        seconds: float = SECONDS,
        most_bytes: int = MOST_BYTES,
    ) -> OutboundResponse:
        """Send a request and return the response.

        `seconds`: deadline of the whole request. `most_bytes`: maximum size of the body, which is not read if 0.
        Raises DestinationNotAllowed and DestinationUnreachable."""
        import httpcore

        parts = refuse_malformed(url)
        pool, deadline = self._pool(parts)
        deadline.until = time.monotonic() + seconds
        try:
            with pool.stream(method, url, headers=list(headers.items()), content=body) as answer:
                content = _content(answer.iter_stream(), most_bytes) if most_bytes else b""
                return OutboundResponse(answer.status, _plain(answer.headers), content)
        except httpcore.TimeoutException:
            raise DestinationUnreachable(f"no response within {seconds:g} seconds") from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise DestinationUnreachable(f"the connection failed: {type(error).__name__}") from None

    def _pool(self, parts: SplitResult) -> "tuple[ConnectionPool, RequestDeadline]":
        import httpcore

        from treaty.registry.notifications.transport.pinned_dns import PinnedBackend, RequestDeadline

        key = parts.scheme, str(parts.hostname), parts.port
        if key not in self._pools:
            address, deadline = _admitted(parts, self._within, self._find), RequestDeadline(0)
            backend = PinnedBackend(str(address), deadline)
            self._pools[key] = httpcore.ConnectionPool(network_backend=backend, ssl_context=_trusted()), deadline
        return self._pools[key]


def _admitted(parts: SplitResult, within: EgressPolicy, find: Lookup) -> Address:
    """Return the address to contact. If a name has several addresses, all must be allowed."""
    host = str(parts.hostname)
    try:
        addresses = find(host, parts.port or PORTS[parts.scheme])
    except (OSError, UnicodeError):
        raise DestinationUnreachable("the host name cannot be resolved") from None
    if not addresses:
        raise DestinationUnreachable("the host name cannot be resolved")
    if not all(within.admits(host, each) for each in addresses):
        raise DestinationNotAllowed(f"the address is not public; {REMEDY}")
    return addresses[0]


def _content(parts: Iterable[bytes], most_bytes: int) -> bytes:
    """Return the body. Raises DestinationUnreachable if it is larger than allowed."""
    content = bytearray()
    for each in parts:
        content += each
        if len(content) > most_bytes:
            raise DestinationUnreachable(f"the response is larger than {most_bytes:,} bytes")
    return bytes(content)


@cache
def _trusted() -> "SSLContext":
    """Return the TLS context, cached because loading the certificates is slow."""
    import httpx

    return httpx.create_ssl_context()


def _plain(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def _network(word: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(word, strict=False)
    except ValueError:
        return None
