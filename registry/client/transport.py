"""Send requests to the API and parse its responses.

Every method raises ClientError if the response is not successful."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, SecretStr, TypeAdapter

from treaty.registry import schemas

PREFIX = "/api/v1"
PORTION = 500
Answer = TypeVar("Answer")
Item = TypeVar("Item")
UNREACHABLE = 0


class ClientError(Exception):
    """The API rejected the request or could not be reached (status 0).

    `message` and `faults` can be shown to users; the text of the error has both. `reference` identifies an unexpected
    error in the log."""

    def __init__(
        self, status: int, message: str, faults: Iterable[schemas.FaultOut] = (), *, reference: str | None = None
    ) -> None:
        self.status, self.message, self.faults, self.reference = status, message, tuple(faults), reference
        super().__init__(message)

    def __str__(self) -> str:
        remedies = (f" ({each.remedy})" if each.remedy else "" for each in self.faults)
        lines = (f"\n  {each.message}{remedy}" for each, remedy in zip(self.faults, remedies, strict=True))
        return self.message + "".join(lines)


class ApiTransport:
    """HTTP transport of the client.

    `token`: None sends anonymous requests. `http`: an existing connection to use; None opens a new one."""

    def __init__(
        self, base_url: str, token: str | None = None, *, http: httpx.Client | None = None, timeout: float = 30
    ) -> None:
        self._http = http or httpx.Client(base_url=base_url, timeout=timeout)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def _get(self, form: type[Answer], path: str, **query: Any) -> Answer:
        return self._answer(form, self._send("GET", path, query=query))

    def _list(self, form: type[schemas.Page[Item]], path: str, *, limit: int | None = None, **query: Any) -> list[Item]:
        """Return the first `limit` items of a list, or all if None, page by page."""
        items: list[Item] = []
        cursor: str | None = None
        while limit is None or len(items) < limit:
            page_size = PORTION if limit is None else min(PORTION, limit - len(items))
            page = self._get(form, path, **query, limit=page_size, cursor=cursor)
            items += page.items
            cursor = page.next
            if cursor is None:
                break
        return items

    def _post(self, form: type[Answer], path: str, body: BaseModel | None = None, **query: Any) -> Answer:
        return self._answer(form, self._send("POST", path, query=query, body=body))

    def _put(self, form: type[Answer], path: str, body: BaseModel) -> Answer:
        return self._answer(form, self._send("PUT", path, body=body))

    def _changed(
        self, form: type[Answer], method: str, path: str, etag: str, *, body: BaseModel | None = None, **query: Any
    ) -> Answer:
        """Send a change of an object with that ETag; "*" changes it in any state."""
        headers = {"If-Match": etag}
        return self._answer(form, self._send(method, path, query=query, body=body, headers=headers))

    def _deleted(self, path: str, etag: str) -> None:
        self._send("DELETE", path, headers={"If-Match": etag})

    def _answer(self, form: type[Answer], response: httpx.Response) -> Answer:
        parsed: Answer = _adapter(form).validate_json(response.content)  # type: ignore[arg-type] # a class is hashable
        return parsed

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: BaseModel | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        parameters = {key: value for key, value in (query or {}).items() if value is not None}
        return self._request(method, path, headers, params=parameters, json=_plain(body) if body else None)

    def _request(self, method: str, path: str, headers: Mapping[str, str] | None = None, **sent: Any) -> httpx.Response:
        try:
            response = self._http.request(method, PREFIX + path, headers={**self._headers, **(headers or {})}, **sent)
        except httpx.TransportError as error:
            raise ClientError(UNREACHABLE, f"The service cannot be reached: {error}") from error
        if not response.is_success:
            raise _refusal(response)
        return response


@cache
def _adapter(form: type[Any]) -> TypeAdapter[Any]:
    """Return the cached parser of a form. Creating one takes as long as parsing many responses."""
    return TypeAdapter(form)


def _plain(body: BaseModel) -> dict[str, Any]:
    """Return the body as JSON data with its secrets, which a dump would mask."""
    content = body.model_dump(mode="json", exclude_unset=True)
    secrets = {name: value.get_secret_value() for name, value in body if isinstance(value, SecretStr)}
    return {**content, **secrets}


def _refusal(response: httpx.Response) -> ClientError:
    try:
        problem = schemas.ProblemOut.model_validate_json(response.content)
    except ValueError:
        return ClientError(response.status_code, f"The service responded with status {response.status_code}.")
    return ClientError(response.status_code, problem.message, problem.faults, reference=problem.reference)
