"""Measure `/ready` while sixty wrong sign-ins run, on a real server."""

from concurrent.futures import ThreadPoolExecutor

import httpx

from bench.core.figures import Line
from bench.trust.api_server import ApiServer, api_server, latencies

ATTEMPTS, SECONDS = 60, 5.0
# Shared: creating a client takes longer than a request.
CLIENT = httpx.Client(timeout=60, limits=httpx.Limits(max_connections=None))


def main() -> None:
    """Print the largest latency of `/ready`, and the CPU seconds. Wall-clock figures depend on the machine's load."""
    with api_server() as server, ThreadPoolExecutor(ATTEMPTS + 1) as threads:
        alone, before = max(latencies(f"{server.url}/ready", 1.0)), server.cpu()
        ready = threads.submit(latencies, f"{server.url}/ready", SECONDS)
        statuses = [each.result() for each in [threads.submit(_attempt, server, at) for at in range(ATTEMPTS)]]
        print(Line("/ready without attempts, largest", alone, None, "s").text)
        print(Line(f"/ready during {ATTEMPTS} wrong attempts, largest", max(ready.result()), 0.2, "s").text)
        print(Line("CPU of the server", server.cpu() - before, None, "CPU s").text)
        print(Line("attempts that were hashed", statuses.count(401), ATTEMPTS / 2, "").text)


def _attempt(server: ApiServer, at: int) -> int:
    body = {"name": f"name-{at % 5}", "password": "a wrong password"}
    return CLIENT.post(f"{server.url}/session", json=body).status_code


if __name__ == "__main__":
    main()
