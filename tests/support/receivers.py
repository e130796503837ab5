"""Receivers for tests: an HTTP server that answers as it is told, and a mail server; both of this process."""

import socket
import socketserver
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext, SSLSocket
from threading import Event as Flag
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Got:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """What to answer; `seconds` to wait before."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass
class Receiver:
    """What an HTTP server got. `replies` are given one after another; after them 200."""

    url: str
    got: list[Got] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)


@contextmanager
def receiver(*replies: Reply) -> Iterator[Receiver]:
    """An HTTP server on this machine."""
    kept = Receiver("", replies=list(replies))
    over = Flag()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            kept.got.append(Got(self.path, {key.lower(): value for key, value in self.headers.items()}, body))
            reply = kept.replies.pop(0) if kept.replies else Reply()
            if reply.seconds and over.wait(reply.seconds):
                return
            with suppress(OSError):
                self.send_response(reply.status)
                for name, value in {"Content-Length": "0", **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Answering)) as port:
        kept.url = f"http://127.0.0.1:{port}"
        try:
            yield kept
        finally:
            over.set()


@dataclass
class Post:
    """What a mail server got: sender, recipients and text of each mail, and the commands that came before encryption.

    `refuses`: by command, what it answers once. `tls`: with what it can encrypt; None: it cannot."""

    url: str
    mails: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list)
    refuses: dict[str, str] = field(default_factory=dict)
    tls: SSLContext | None = None
    plain: list[str] = field(default_factory=list)


class _Talking(socketserver.StreamRequestHandler):
    """One connection to a mail server."""

    post: Post

    def handle(self) -> None:
        """Answers every line until the other side has enough."""
        self.sender, self.to = "", list[str]()
        self.say("220 ready")
        while line := self.rfile.readline().decode().strip():
            word = line.split(":")[0].split()[0].upper()
            self.post.plain += [] if isinstance(self.connection, SSLSocket) else [word]
            answer = self.post.refuses.pop(word, None) or getattr(self, f"on_{word.lower()}", self.on_other)(line)
            self.say(answer)
            if word == "QUIT":
                return
            if word == "STARTTLS":
                self.encrypt()

    def on_other(self, line: str) -> str:
        return "250 ok"

    def encrypt(self) -> None:
        assert self.post.tls
        self.connection = self.post.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)

    def on_ehlo(self, line: str) -> str:
        can = ["STARTTLS"] if self.post.tls and not isinstance(self.connection, SSLSocket) else []
        return "\r\n".join(["250-here", *(f"250-{each}" for each in can), "250 AUTH PLAIN"])

    def on_auth(self, line: str) -> str:
        return "235 welcome"

    def on_starttls(self, line: str) -> str:
        return "220 go on"

    def on_quit(self, line: str) -> str:
        return "221 bye"

    def on_mail(self, line: str) -> str:
        self.sender = _address(line)
        return "250 ok"

    def on_rcpt(self, line: str) -> str:
        self.to.append(_address(line))
        return "250 ok"

    def on_data(self, line: str) -> str:
        self.say("354 go on")
        lines = iter(lambda: self.rfile.readline().decode().rstrip("\r\n"), ".")
        self.post.mails.append((self.sender, tuple(self.to), "\n".join(lines)))
        return "250 kept"

    def say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def post_office(tls: SSLContext | None = None, **refuses: str) -> Iterator[Post]:
    """A mail server on this machine."""
    kept = Post("", refuses=dict(refuses), tls=tls)

    class Talking(_Talking):
        post = kept

    with _serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Talking)) as port:
        kept.url = f"smtp://127.0.0.1:{port}"
        yield kept


def _address(line: str) -> str:
    return line.partition("<")[2].partition(">")[0]


@contextmanager
def _serving(server: socketserver.TCPServer) -> Iterator[int]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def unused(host: str = "127.0.0.1") -> str:
    """A URL that nobody answers at."""
    with socket.socket() as taken:
        taken.bind((host, 0))
        return f"http://{host}:{taken.getsockname()[1]}"
