"""Define requests to a catalog and their answers, without any network.

A kind of catalog is written as generators: they yield requests and receive answers, so that a test can answer them."""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from treaty.registry.catalogs.errors import (
    CatalogAnswerInvalid,
    CatalogError,
    CatalogPermissionMissing,
    CatalogRefused,
    CatalogUnavailable,
)

Result = TypeVar("Result")
Item = TypeVar("Item")
Value = TypeVar("Value")
# A catalog with more pages than this in one listing is not read further.
MOST_PAGES = 10_000
WORDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text", int: "a number", bool: "true or false"}


@dataclass(frozen=True, kw_only=True)
class CatalogRequest:
    """A request. `path`: below the address of the catalog, or a full URL. Headers and body may be secret.

    `permission`: what the catalog has to grant for it, for people."""

    method: str = "GET"
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    permission: str = ""

    @property
    def target(self) -> str:
        """Return the path with its query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class CatalogAnswer:
    """An answer: its status, its headers with names in lower case, and its JSON; None if it has no body."""

    status: int
    content: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Steps = Generator[CatalogRequest, CatalogAnswer, Result]


def segment(*parts: str, separator: str = "%2F") -> str:
    """Return the parts as one segment of a path, quoted. `separator`: as it stands in the path."""
    return separator.join(quote(each, safe="") for each in parts)


def answered(request: CatalogRequest, *, also: Iterable[int] = ()) -> Steps[CatalogAnswer]:
    """Send the request and return its answer: a success, or one of the statuses in `also`.

    Raises CatalogRefused and CatalogUnavailable."""
    answer = yield request
    if 200 <= answer.status < 300 or answer.status in also:
        return answer
    raise _refusal(request, answer)


def paged(
    page_request: Callable[[str | None], CatalogRequest],
    read: Callable[[CatalogAnswer, CatalogRequest], tuple[list[Item], str | None]],
    *,
    most: int,
    also: Iterable[int] = (),
) -> Steps[list[Item]]:
    """Return the items of all pages, until there are `most` or more.

    `page_request`: returns the request of a page. `read`: returns its items and the token of the next page; None
    for the last.
    Raises CatalogAnswerInvalid for pages without an end."""
    items: list[Item] = []
    tokens: set[str | None] = set()
    token: str | None = None
    while token not in tokens and len(tokens) < MOST_PAGES:
        tokens.add(token)
        request = page_request(token)
        page, token = read((yield from answered(request, also=also)), request)
        items += page
        if not token or len(items) >= most:
            return items
    raise CatalogAnswerInvalid(f"{request}: the pages do not end. Report this to the operator of the catalog.")


def expect(kind: type[Value], value: Any, request: CatalogRequest, what: str) -> Value:
    """Return the value. Raises CatalogAnswerInvalid if it has another type."""
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    raise CatalogAnswerInvalid(
        f"{request}: {what} is not {WORDS[kind]}. Check that the address and the kind of the connection fit together."
    )


def _refusal(request: CatalogRequest, answer: CatalogAnswer) -> CatalogError:
    if answer.status == 401:
        return CatalogRefused(f"{request}: status 401. The catalog does not accept the secret of the connection.")
    if answer.status == 403:
        needed = f" It has to grant: {request.permission}." if request.permission else ""
        return CatalogPermissionMissing(f"{request}: status 403. The catalog denies access.{needed}")
    if answer.status == 404:
        return CatalogRefused(f"{request}: status 404. Check the address of the connection and its options.")
    return CatalogUnavailable(f"{request}: status {answer.status}. Check the catalog, then read it again.")
