"""An Iceberg REST catalog in memory, for tests: without a network, or as an HTTP server with faults."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from json import dumps
from threading import Event as Flag
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

from treaty.registry.catalogs.kinds.protocol import CatalogAccess
from treaty.registry.catalogs.model import Identifier
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest, Steps

SEPARATOR = "\x1f"
DEFAULTS = {
    "warehouse": "", "auth": "bearer", "oauth2-server-uri": "", "scope": "catalog", "only": "", "nested": "yes",
}  # fmt: skip


def access(secret: str = "", address: str = "http://catalog.example", **options: str) -> CatalogAccess:
    """Access to a catalog with the default options, but for these."""
    spelled = {name.replace("_", "-"): value for name, value in options.items()}
    return CatalogAccess(address=address, options={**DEFAULTS, **spelled}, secret=secret)


def column(number: int, name: str, kind: Any = "long", **more: Any) -> dict[str, Any]:
    """A field of a schema."""
    return {"id": number, "name": name, "required": False, "type": kind, **more}


def metadata(*columns: dict[str, Any], location: str = "file:/lake/t", **more: Any) -> dict[str, Any]:
    """Metadata of a table with these columns; `keys`: ids of its key columns."""
    schema = {"type": "struct", "schema-id": 0, "identifier-field-ids": more.pop("keys", []), "fields": list(columns)}
    return {
        "format-version": 2, "location": location, "schemas": [schema], "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": more.pop("partitions", [])}], "default-spec-id": 0,
        "properties": more.pop("properties", {}), **more,
    }  # fmt: skip


@dataclass
class IcebergCatalog:
    """The catalog. `token`: the bearer token it demands; '' for none. `denied`: namespaces that deny access.

    `etags`: whether it sends and compares them. `faults`: by number of the request, what is answered instead."""

    tables: dict[Identifier, dict[str, Any]] = field(default_factory=dict)
    prefix: str = ""
    token: str = ""
    page_size: int = 1000
    etags: bool = True
    denied: set[Identifier] = field(default_factory=set)
    versions: dict[Identifier, int] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    faults: dict[int, Callable[[], "Reply"]] = field(default_factory=dict)

    def put(self, *identifier: str, **content: Any) -> None:
        """Create or change a table."""
        self.tables[identifier] = metadata(*content.pop("columns", [column(1, "id")]), **content)
        self.versions[identifier] = self.versions.get(identifier, 0) + 1

    def drop(self, *identifier: str) -> None:
        """Drop a table."""
        del self.tables[identifier]

    def namespaces(self) -> set[Identifier]:
        """All namespaces, with those above them."""
        return {each[:end] for each in self.tables for end in range(1, len(each))}

    def answer(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> CatalogAnswer:
        """Answer a request; `path` begins with `v1`."""
        self.requests.append(f"{method} {path}")
        if path == "v1/oauth/tokens":
            form = dict(parse_qsl(body.decode()))
            right = (form["client_id"], form["client_secret"]) == ("robot", "hidden")
            return CatalogAnswer(200, {"access_token": self.token}) if right else CatalogAnswer(400)
        if self.token and headers.get("Authorization") != f"Bearer {self.token}":
            return CatalogAnswer(401)
        if path == "v1/config":
            prefix = {"prefix": self.prefix} if self.prefix else {}
            return CatalogAnswer(200, {"defaults": self.settings, "overrides": prefix})
        steps = path.removeprefix("/".join(filter(None, ("v1", self.prefix)))).strip("/").split("/")
        return self._below(steps, query, headers)

    def _below(self, steps: Sequence[str], query: Mapping[str, str], headers: Mapping[str, str]) -> CatalogAnswer:
        names = [tuple(unquote(each).split(SEPARATOR)) for each in steps]
        if len(steps) == 1:
            parent = tuple(query["parent"].split(SEPARATOR)) if "parent" in query else ()
            below = sorted(n for n in self.namespaces() if n[:-1] == parent)
            return self._page(below, "namespaces", list, query)
        if names[1] in self.denied:
            return CatalogAnswer(403)
        if len(steps) == 3 and names[1] not in self.namespaces():
            return CatalogAnswer(404)
        if len(steps) == 3:
            within = sorted(each for each in self.tables if each[:-1] == names[1])
            return self._page(within, "identifiers", lambda t: {"namespace": t[:-1], "name": t[-1]}, query)
        return self._load((*names[1], names[3][0]), headers)

    def _load(self, identifier: Identifier, headers: Mapping[str, str]) -> CatalogAnswer:
        if identifier not in self.tables:
            return CatalogAnswer(404)
        version = self.versions[identifier]
        etag = f'"{version}"'
        if self.etags and headers.get("If-None-Match") == etag:
            return CatalogAnswer(304)
        content = {"metadata-location": f"/m/{version}.json", "metadata": self.tables[identifier], "config": {}}
        return CatalogAnswer(200, content, {"etag": etag} if self.etags else {})

    def _page(self, items: Sequence[Any], key: str, form: Any, query: Mapping[str, str]) -> CatalogAnswer:
        start = int(query.get("pageToken") or 0)
        end = start + self.page_size
        more = {"next-page-token": str(end)} if end < len(items) else {}
        return CatalogAnswer(200, {key: [form(each) for each in items[start:end]], **more})


def drive(steps: Steps[Any], answer: Callable[[CatalogRequest], CatalogAnswer]) -> Any:
    """Run the generator with these answers and return its result."""
    try:
        request = next(steps)
        while True:
            request = steps.send(answer(request))
    except StopIteration as end:
        return end.value


def without_network(catalog: IcebergCatalog) -> Callable[[CatalogRequest], CatalogAnswer]:
    """Answers of the catalog."""
    return lambda each: catalog.answer(each.method, each.path, each.query, each.headers, each.body)


@dataclass(frozen=True)
class Reply:
    """A raw answer. `claimed`: the Content-Length; None is that of the body. `pause`: before each byte."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    claimed: int | None = None
    pause: float = 0.0


class Answering(BaseHTTPRequestHandler):
    """HTTP requests to a catalog, until the flag is set."""

    catalog: ClassVar[IcebergCatalog]
    over: ClassVar[Flag]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.catalog.faults.get(len(self.catalog.requests))
        parts = urlsplit(self.path)
        path, query = parts.path.strip("/"), dict(parse_qsl(parts.query, keep_blank_values=True))
        answer = self.catalog.answer(self.command, path, query, dict(self.headers.items()), body)
        self._reply(fault() if fault else _plain(answer))

    def _reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        length = len(reply.body) if reply.claimed is None else reply.claimed
        for name, value in {"Content-Length": str(length), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):
            self._write(reply)
        self.close_connection = reply.claimed is not None

    def _write(self, reply: Reply) -> None:
        for each in (bytes([one]) for one in reply.body) if reply.pause else [reply.body]:
            if reply.pause and self.over.wait(reply.pause):
                return
            self.wfile.write(each)

    def log_message(self, *_: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients leave in the middle of answers here."""


@contextmanager
def serving(catalog: IcebergCatalog) -> Iterator[str]:
    """The URL at which the catalog answers, on this machine."""
    over = Flag()
    handler = type("Bound", (Answering,), {"catalog": catalog, "over": over})
    server = _Server(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def _plain(answer: CatalogAnswer) -> Reply:
    body = b"" if answer.status == 304 else dumps(answer.content).encode()
    return Reply(answer.status, body, answer.headers)
