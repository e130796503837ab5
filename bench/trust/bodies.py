"""Send 200 hostile bodies without a token to every route of a real server; measure its memory and other requests."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx

from bench.core.figures import Line
from bench.trust.api_server import MIB, ApiServer, api_server, latencies

BODIES, AT_ONCE, SECONDS = 200, 20, 10.0
LARGEST = 4 * MIB
# Shared: creating a client takes longer than a request.
CLIENT = httpx.Client(timeout=60, limits=httpx.Limits(max_connections=None))


def main() -> None:
    """Print growth of the server, the largest latency of others, and the CPU seconds."""
    with api_server() as server, ThreadPoolExecutor(AT_ONCE + 1) as threads:
        document = httpx.get(f"{server.url}/openapi.json").json()
        calls = [(method, path) for path, each in document["paths"].items() for method in each]
        latencies(f"{server.url}/ready", 1.0)
        memory, before = server.peak(), server.cpu()
        others = threads.submit(latencies, f"{server.url}/health", SECONDS)
        sent = [threads.submit(_send, server, *calls[at % len(calls)]) for at in range(max(BODIES, len(calls)))]
        served = sum(each.result() < 300 for each in sent)
        print(Line(f"growth during {len(sent)} bodies of {LARGEST // MIB} MiB", server.peak() - memory, 64, "MiB").text)
        print(Line("other requests, largest", max(others.result()), 0.2, "s").text)
        print(Line("CPU of the server", server.cpu() - before, None, "CPU s").text)
        print(Line("routes that served a body", served, None, "").text)


def _send(server: ApiServer, method: str, path: str) -> int:
    """Return the status; 499 if the connection ended before one."""
    url = server.url.removesuffix("/api/v1") + path.replace("{", "").replace("}", "")
    headers = {"Content-Type": "application/json"}
    try:
        return CLIENT.request(method.upper(), url, content=_parts(), headers=headers).status_code
    except httpx.TransportError:
        return 499


def _parts() -> Iterator[bytes]:
    yield b"["
    for _ in range(LARGEST // (64 * 1024)):
        yield b"[]," * (64 * 1024 // 3)


if __name__ == "__main__":
    main()
