"""Requests to places that users name: to public addresses only, bounded in time, following nothing."""

import time
from ipaddress import ip_address

import pytest
from support.receivers import Reply, receiver, unused

from treaty.registry.notifications.transport import egress
from treaty.registry.notifications.transport.egress import (
    ANYWHERE,
    DestinationNotAllowed,
    DestinationUnreachable,
    EgressPolicy,
    OutboundClient,
    reach,
)

HERE = reach("127.0.0.0/8")
FORBIDDEN = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "100.100.100.200", "192.0.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1",
    "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1",
    "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a00:1::", "2001:0:7f00:1::", "2001:db8::1", "fec0::1", "feff:ffff::1",
    "168.63.129.16", "::ffff:168.63.129.16", "2002:a83f:8110::", "64:ff9b::a83f:8110", "64:ff9b:1::1", "192.88.99.1",
    "192.0.0.192", "::127.0.0.1", "::8.8.8.8", "5f00::1", "3fff::1", "100::1", "2001:2::1", "2001:20::1",
]  # fmt: skip


@pytest.mark.parametrize("address", FORBIDDEN)
def test_an_address_that_is_not_of_the_open_internet_is_refused_before_anything_is_sent(address: str) -> None:
    with pytest.raises(DestinationNotAllowed, match="not public"):
        egress.post("http://some.example/x", b"", {}, within=EgressPolicy(), find=lambda *_: [ip_address(address)])


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1"])
def test_public_addresses_are_admitted(address: str) -> None:
    assert EgressPolicy().admits("some.example", ip_address(address))


def test_a_name_of_which_one_address_is_private_is_refused() -> None:
    both = [ip_address("8.8.8.8"), ip_address("10.0.0.1")]
    with pytest.raises(DestinationNotAllowed):
        egress.post("http://some.example/x", b"", {}, within=EgressPolicy(), find=lambda *_: both)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x", "http://localhost/x", "http://2130706433/x", "http://0x7f.1/x", "http://127.1/x",
        "http://[::1]/x", "http://[::ffff:127.0.0.1]/x", "http://0/x", "https://169.254.169.254/latest/meta-data",
    ],
)  # fmt: skip
def test_an_address_is_refused_however_it_is_spelled(url: str) -> None:
    with pytest.raises((DestinationNotAllowed, DestinationUnreachable)):
        egress.post(url, b"", {}, within=EgressPolicy(), seconds=1)


@pytest.mark.parametrize(
    "url",
    [
        "", "ftp://some.example/x", "file:///etc/passwd", "gopher://some.example", "http:///x", "some.example/x",
        "http://user:word@some.example/x", "http://some.example:99999/x", "http://some.example/\n", "http://sömé/x",
        "http://some example/x", "javascript:alert(1)", "http://[::1/x",
    ],
)  # fmt: skip
def test_what_is_no_url_of_the_web_is_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(DestinationNotAllowed) as refused:
        egress.refuse_malformed(url)
    assert not url or url not in str(refused.value)


@pytest.mark.parametrize(
    ("allowed", "host", "address", "admitted"),
    [
        ("hooks.internal", "hooks.internal", "10.0.0.1", True),
        ("hooks.internal", "HOOKS.internal", "10.0.0.1", True),
        ("hooks.internal", "other.internal", "10.0.0.1", False),
        ("10.1.0.0/16, 10.9.9.9", "x", "10.1.2.3", True),
        ("10.1.0.0/16, 10.9.9.9", "x", "10.9.9.9", True),
        ("10.1.0.0/16, 10.9.9.9", "x", "10.9.9.8", False),
        ("fd00::/8", "x", "fd00::1", True),
        ("", "x", "10.0.0.1", False),
    ],
)
def test_the_setting_allows_names_and_networks(allowed: str, host: str, address: str, *, admitted: bool) -> None:
    assert reach(allowed).admits(host, ip_address(address)) is admitted


def test_a_name_is_looked_up_once_and_the_address_seen_is_the_one_asked() -> None:
    answers = [[ip_address("127.0.0.1")], [ip_address("127.0.0.2")]]
    with receiver() as hook:
        port = hook.url.rpartition(":")[2]
        url = f"http://rebinding.example:{port}/x"
        answer = egress.post(url, b"told", {"X-Some": "y"}, within=HERE, find=lambda *_: answers.pop(0))
    assert (answer.status, len(answers)) == (200, 1)
    (got,) = hook.got
    assert (got.path, got.body, got.headers["x-some"]) == ("/x", b"told", "y")
    assert got.headers["host"] == f"rebinding.example:{port}"


def test_a_redirect_is_not_followed() -> None:
    with receiver() as inner, receiver(Reply(302, {"Location": f"{inner.url}/secret"})) as hook:
        assert egress.post(f"{hook.url}/x", b"", {}, within=HERE).status == 302
    assert (len(hook.got), inner.got) == (1, [])


def test_a_place_that_takes_its_time_is_left() -> None:
    began = time.monotonic()
    with receiver(Reply(seconds=30)) as hook, pytest.raises(DestinationUnreachable, match=r"within 0\.3 seconds"):
        egress.post(f"{hook.url}/x", b"", {}, within=HERE, seconds=0.3)
    assert time.monotonic() - began < 10


def test_nobody_there_is_told_as_that() -> None:
    with pytest.raises(DestinationUnreachable, match="the connection failed"):
        egress.post(f"{unused()}/x", b"", {}, within=ANYWHERE, seconds=2)


def test_an_unknown_name_is_told_as_that() -> None:
    def unknown(*_: object) -> list[egress.Address]:
        raise OSError

    with pytest.raises(DestinationUnreachable, match="cannot be resolved"):
        egress.post("http://nowhere.example/x", b"", {}, within=ANYWHERE, find=unknown)


def test_headers_come_back_in_small_letters() -> None:
    with receiver(Reply(429, {"Retry-After": "7"})) as hook:
        answer = egress.post(f"{hook.url}/x", b"", {}, within=HERE)
    assert (answer.status, answer.headers["retry-after"]) == (429, "7")


def test_a_client_looks_a_name_up_once_and_stays_with_the_address() -> None:
    answers = [[ip_address("127.0.0.1")], [ip_address("10.0.0.1")]]
    with receiver() as hook, OutboundClient(HERE, find=lambda *_: answers.pop(0)) as client:
        url = f"http://rebinding.example:{hook.url.rpartition(':')[2]}/x"
        assert [client.request("POST", url, b"", {}).status for _ in range(3)] == [200] * 3
    assert (len(answers), len(hook.got)) == (1, 3)


def test_each_host_of_a_client_is_checked() -> None:
    within = EgressPolicy(names=frozenset({"one.example"}))
    with receiver() as hook, OutboundClient(within, find=lambda *_: [ip_address("127.0.0.1")]) as client:
        port = hook.url.rpartition(":")[2]
        assert client.request("POST", f"http://one.example:{port}/x", b"", {}).status == 200
        with pytest.raises(DestinationNotAllowed):
            client.request("POST", f"http://other.example:{port}/x", b"", {})
    assert len(hook.got) == 1


def test_methods_and_bodies_of_requests_are_sent() -> None:
    with receiver() as hook, OutboundClient(HERE) as client:
        answer = client.request("GET", f"{hook.url}/x", b"", {})
        assert answer.status == 501
        assert b"Unsupported method" in answer.body
        client.request("POST", f"{hook.url}/x", b"told", {})
    assert [each.body for each in hook.got] == [b"told"]
