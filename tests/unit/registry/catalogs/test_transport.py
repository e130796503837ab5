"""Faults of a catalog over real HTTP: each is an error that names the request, or is overcome by a retry."""

import time
from collections.abc import Callable

import pytest
from support.iceberg_rest import IcebergCatalog, Reply, access, serving

from treaty.engine.core import clock
from treaty.registry.catalogs.errors import (
    CatalogAnswerInvalid,
    CatalogBudgetSpent,
    CatalogError,
    CatalogPermissionMissing,
    CatalogRefused,
    CatalogUnavailable,
)
from treaty.registry.catalogs.kinds.iceberg.reader import IcebergRest
from treaty.registry.catalogs.transport import CatalogTransport, RequestBudget, retry_after
from treaty.registry.notifications.transport import egress
from treaty.registry.notifications.transport.egress import ANYWHERE, EgressPolicy, OutboundResponse

MANY = 1_000_000


def shop() -> IcebergCatalog:
    catalog = IcebergCatalog()
    catalog.put("shop", "orders")
    return catalog


def transport(url: str, within: EgressPolicy = ANYWHERE, **budget: float) -> CatalogTransport:
    wanted = RequestBudget.of(requests=int(budget.get("requests", 1_000)), seconds=budget.get("seconds", 60))
    return CatalogTransport(address=url, within=within, budget=wanted, jitter=lambda: 0.0, sleep=lambda _: None)


def read(catalog: IcebergCatalog, **budget: float) -> int:
    """The number of tables."""
    with serving(catalog) as url, transport(url, **budget) as http:
        return len(http.run(http.run(IcebergRest().open(access())).listing(MANY)).tables)


OVERCOME: list[Callable[[], Reply]] = [
    lambda: Reply(500),
    lambda: Reply(503, headers={"Retry-After": "1"}),
    lambda: Reply(429, headers={"Retry-After": "0"}),
    lambda: Reply(429),
    lambda: Reply(200, b'{"namespaces": [', claimed=4_000),
]


@pytest.mark.parametrize("fault", OVERCOME, ids=["500", "503", "429", "429 alone", "half an answer"])
def test_a_fault_that_passes_is_overcome_by_a_retry(fault: Callable[[], Reply]) -> None:
    catalog = shop()
    catalog.faults = {1: fault, 2: fault}
    assert read(catalog) == 1
    assert catalog.requests.count("GET v1/namespaces") == 4


LASTING: list[tuple[str, Reply, type[CatalogError], str]] = [
    ("401", Reply(401), CatalogRefused, "GET v1/config: status 401"),
    ("403", Reply(403), CatalogPermissionMissing, "GET v1/config: status 403.*grant: access to the warehouse"),
    ("404", Reply(404), CatalogRefused, "GET v1/config: status 404"),
    ("409", Reply(409), CatalogUnavailable, "GET v1/config: status 409"),
    ("redirect", Reply(302, headers={"Location": "http://127.0.0.1/x"}), CatalogUnavailable, "status 302"),
    ("429", Reply(429, headers={"Retry-After": "3600"}), CatalogUnavailable, "asks to wait 3600 seconds"),
    ("500", Reply(500, b"password=hidden"), CatalogUnavailable, "GET v1/config: status 500"),
    ("half", Reply(200, b"{", claimed=100), CatalogUnavailable, "the connection failed: RemoteProtocolError"),
    ("html", Reply(200, b"<html>hidden</html>"), CatalogAnswerInvalid, "the response is not JSON"),
    ("deep", Reply(200, b"[" * 500 + b"]" * 500), CatalogAnswerInvalid, "not JSON, or too complex"),
    ("list", Reply(200, b"[]"), CatalogAnswerInvalid, "the response is not an object"),
    ("empty", Reply(200), CatalogAnswerInvalid, "the response is not an object"),
]


@pytest.mark.parametrize(
    ("reply", "error", "message"), [each[1:] for each in LASTING], ids=[each[0] for each in LASTING]
)
def test_a_fault_that_stays_is_an_error_that_names_the_request(
    reply: Reply, error: type[CatalogError], message: str
) -> None:
    catalog = shop()
    catalog.faults = dict.fromkeys(range(10), lambda: reply)
    with pytest.raises(error, match=message) as raised:
        read(catalog)
    assert "hidden" not in str(raised.value)
    assert len(catalog.requests) <= 4


def test_a_slow_drip_is_left_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress.OutboundClient.request, "__kwdefaults__", {"seconds": 0.3, "most_bytes": 1_000})
    catalog = shop()
    catalog.faults = dict.fromkeys(range(10), lambda: Reply(200, b'{"defaults": {}, "overrides": {}}', pause=0.05))
    began = time.monotonic()
    with pytest.raises(CatalogUnavailable, match=r"no response within 0\.3 seconds"):
        read(catalog)
    assert time.monotonic() - began < 10


def test_a_response_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress.OutboundClient.request, "__kwdefaults__", {"seconds": 5, "most_bytes": 1_000})
    catalog = shop()
    catalog.faults = dict.fromkeys(range(10), lambda: Reply(200, b" " * 100_000))
    with pytest.raises(CatalogUnavailable, match="larger than 1,000 bytes"):
        read(catalog)


@pytest.mark.parametrize("budget", [{"requests": 2}, {"seconds": 0}], ids=str)
def test_reading_ends_with_its_budget(budget: dict[str, float]) -> None:
    catalog = shop()
    with pytest.raises(CatalogBudgetSpent, match="the limit of one read"):
        read(catalog, **budget)
    assert len(catalog.requests) <= 2


def test_private_addresses_are_refused_unless_the_connection_allows_them() -> None:
    with serving(shop()) as url:
        with transport(url, EgressPolicy()) as http, pytest.raises(CatalogUnavailable, match="or for this connection"):
            http.run(IcebergRest().open(access()))
        with transport(url, EgressPolicy(names=frozenset({"127.0.0.1"}))) as http:
            assert http.run(IcebergRest().open(access()))


def test_connections_are_reused_and_each_request_has_its_own_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress.OutboundClient.request, "__kwdefaults__", {"seconds": 1.0, "most_bytes": 1_000_000})
    catalog = shop()
    with serving(catalog) as url, transport(url) as http:
        reader = http.run(IcebergRest().open(access()))
        time.sleep(1.1)
        assert len(http.run(reader.listing(MANY)).tables) == 1
        assert http.sent == len(catalog.requests)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7", 7.0), ("", None), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("-1", None), ("Wed, 21", None)],
)
def test_retry_after_is_seconds_or_a_date(text: str, expected: float | None) -> None:
    assert retry_after(OutboundResponse(429, {"retry-after": text})) == expected


def test_a_date_of_retry_after_is_counted_from_now() -> None:
    later = clock.now().replace(year=clock.now().year + 1).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert (retry_after(OutboundResponse(429, {"retry-after": later})) or 0) > 300 * 86_400
