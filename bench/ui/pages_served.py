"""Measure the pages' server with many users and without browsers.

On two cores the browsers' share of CPU would be the larger one. Each session uses the server as a browser does: it
signs in, opens the socket, requests a page and waits until the server reports that its script has finished. One
process runs all sessions; it reads messages and renders nothing."""

import asyncio
import time
from collections.abc import Sequence
from http.cookies import SimpleCookie
from random import Random
from urllib.parse import urlsplit

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

LARGEST = 64 * 2**20
DONE = ForwardMsg.FINISHED_SUCCESSFULLY


def browsed(
    address: str, pages: Sequence[str], form: dict[str, str], *, sessions: int, seconds: float, thinks: float
) -> list[float]:
    """Return the milliseconds of each page load, except each session's first.

    `thinks`: mean seconds between page loads. `pages`: paths with their query strings. `form`: fields of the sign-in.
    Raises AssertionError if a page fails."""

    async def all_of_them() -> list[float]:
        cookies = [await _cookie(address, form) for _ in range(sessions)]
        played = (_session(address, pages, cookie, at, seconds, thinks) for at, cookie in enumerate(cookies))
        return [each for one in await asyncio.gather(*played) for each in one[1:]]

    return asyncio.run(all_of_them())


async def _cookie(address: str, form: dict[str, str]) -> str:
    """Sign in and return the value of the Cookie header."""
    async with httpx.AsyncClient(base_url=address) as http:
        answer = await http.post("/sign-in", data=form, headers={"Origin": address})
    cookies = SimpleCookie(";".join(answer.headers.get_list("set-cookie")))
    return "; ".join(f"{each.key}={each.value}" for each in cookies.values())


async def _session(
    address: str, pages: Sequence[str], cookie: str, at: int, seconds: float, thinks: float
) -> list[float]:
    random, took, ends = Random(at), list[float](), time.monotonic() + seconds
    await asyncio.sleep(random.uniform(0, thinks))
    while time.monotonic() < ends:
        started = time.perf_counter()
        await _page(address, random.choice(pages), cookie)
        took.append((time.perf_counter() - started) * 1000)
        await asyncio.sleep(random.uniform(0.5, 1.5) * thinks)
    return took


async def _page(address: str, path: str, cookie: str) -> None:
    """Open the page in a new session, as following an external link does."""
    stream = address.replace("http", "ws", 1) + "/_stcore/stream"
    headers = {"Cookie": cookie, "User-Agent": "bench"}
    async with connect(
        stream, origin=address, additional_headers=headers, subprotocols=["streamlit"], max_size=LARGEST
    ) as socket:
        await socket.send(_get(address, path))
        await _done(socket)


def _get(address: str, path: str) -> bytes:
    parts, message = urlsplit(path), BackMsg()
    message.rerun_script.query_string = parts.query
    message.rerun_script.page_name = parts.path.strip("/")
    message.rerun_script.context_info.url = address + path
    message.rerun_script.context_info.timezone = "UTC"
    return bytes(message.SerializeToString())


async def _done(socket: ClientConnection) -> None:
    while True:
        message = ForwardMsg.FromString(await socket.recv(decode=False))
        assert not message.HasField("page_not_found"), "the page was not found"
        if message.HasField("script_finished"):
            assert message.script_finished == DONE, ForwardMsg.ScriptFinishedStatus.Name(message.script_finished)
            return
