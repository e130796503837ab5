"""An OpenID Connect provider on this machine: it tells its keys over HTTP and signs tokens with them."""

import base64
import hashlib
import importlib.util
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode

from support.required import require

from treaty.engine.core import clock

AUDIENCE = "treaty"


def required() -> None:
    """Skips the test where tokens cannot be signed."""
    installed = importlib.util.find_spec("jwt") is not None
    require("oidc", available=installed, reason="pyjwt is not installed")


@dataclass
class Issuer:
    """The provider. `keys` are what it tells, by their ids; `asked` counts how often it was asked for them. `answer`:
    status and body in place of a token; `sent`: the last form that asked for one, with the header that it came with."""

    address: str = ""
    keys: dict[str, Any] = field(default_factory=dict)
    named: str | None = None
    asked: int = 0
    away: bool = False
    person: str = "viewer"
    groups: tuple[str, ...] = ()
    begun: dict[str, dict[str, str]] = field(default_factory=dict)
    answer: tuple[int, bytes] | None = None
    sent: dict[str, str] = field(default_factory=dict)

    def add(self, key_id: str, algorithm: str = "RS256") -> None:
        """Makes a key."""
        from cryptography.hazmat.primitives.asymmetric import ec, rsa

        made = (
            rsa.generate_private_key(65537, 2048) if algorithm[0] in "RP" else ec.generate_private_key(ec.SECP256R1())
        )
        self.keys[key_id] = (algorithm, made)

    def token(self, key_id: str, now: datetime, *, headers: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token signed with that key, good for five minutes; a claim of None is left out."""
        algorithm, key = self.keys[key_id]
        return self.signed(key, algorithm, {"kid": key_id, **(headers or {})}, now, **claims)

    def signed(self, key: Any, algorithm: str, headers: dict[str, Any], now: datetime, **claims: Any) -> str:
        """A token signed with any key."""
        import jwt

        moment = int(now.timestamp())
        usual = {"iss": self.address, "aud": AUDIENCE, "sub": "ada", "iat": moment, "nbf": moment, "exp": moment + 300}
        content = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        return jwt.encode(content, key, algorithm=algorithm, headers=headers)

    def told(self, path: str) -> Any:
        """What it answers there."""
        if path == "/.well-known/openid-configuration":
            ends = {f"{name}_endpoint": f"{self.address}/{name}" for name in ("authorization", "token")}
            return {"issuer": self.named or self.address, "jwks_uri": f"{self.address}/keys", **ends}
        self.asked += 1
        return {"keys": [_public(key_id, *key) for key_id, key in self.keys.items()]}

    def left(self, query: str) -> str:
        """Where a browser goes that was sent here: back with a code, as the person that the provider has."""
        asked = dict(parse_qsl(query))
        code = f"code-{len(self.begun)}"
        self.begun[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def exchanged(self, body: str, now: datetime) -> Any | None:
        """The token for a code, once; None where code or verifier are not those of who began."""
        sent = dict(parse_qsl(body))
        begun = self.begun.pop(sent.get("code", ""), None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if begun is None or begun["code_challenge"] != challenge or begun["redirect_uri"] != sent["redirect_uri"]:
            return None
        claims = {"sub": self.person, "groups": list(self.groups), "nonce": begun["nonce"], "aud": begun["client_id"]}
        return {"id_token": self.token("r", now, **claims), "access_token": "opaque", "token_type": "Bearer"}


def _public(key_id: str, algorithm: str, key: Any) -> dict[str, Any]:
    from jwt.algorithms import ECAlgorithm, RSAAlgorithm

    if algorithm.startswith("HS"):
        return {"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I", "kid": key_id, "alg": algorithm}
    kind = RSAAlgorithm if algorithm[0] in "RP" else ECAlgorithm
    return {**json.loads(kind.to_jwk(key.public_key())), "kid": key_id, "alg": algorithm, "use": "sig"}


@contextmanager
def issuing() -> Iterator[Issuer]:
    """A provider with an RSA key `r` and an EC key `e`, as long as it is needed."""
    issuer = Issuer()
    issuer.add("r")
    issuer.add("e", "ES256")

    class Asked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if path == "/authorization":
                self.send_response(303)
                self.send_header("Location", issuer.left(query))
                self.end_headers()
                return
            body = json.dumps(issuer.told(self.path)).encode()
            self.send_response(503 if issuer.away else 200)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            issuer.sent = {**dict(parse_qsl(sent)), "authorization": self.headers.get("Authorization", "")}
            found = issuer.exchanged(sent, clock.now())
            usual = 200 if found else 400, json.dumps(found or {"error": "invalid_grant"}).encode()
            status, body = issuer.answer or usual
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Location", f"{issuer.address}/token")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    issuer.address = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    yield issuer
    server.shutdown()
    server.server_close()
