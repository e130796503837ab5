"""The typed client of the API, for the command line, the pages and programs. Imports no database and no server."""

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID

import httpx
from pydantic import BaseModel, SecretStr, TypeAdapter

from registry.api import schemas
from registry.words import Decision, Permission, ProposalState, Role

PREFIX = "/api/v1"
Answer = TypeVar("Answer")
UNREACHABLE = 0


class ClientError(Exception):
    """The API refused, or could not be reached (status 0): `message` and `faults` are fit for people."""

    def __init__(
        self, status: int, message: str, faults: Iterable[schemas.FaultOut] = (), *, reference: str | None = None
    ) -> None:
        self.status, self.message, self.faults, self.reference = status, message, tuple(faults), reference
        super().__init__(message)


class Client:
    """The API at `base_url`, as whoever `token` (an API token or a session's secret) says; None: as nobody.

    Every method raises ClientError for an answer that is not a success. `http` is the connection to use instead of an
    own one, as tests do."""

    def __init__(
        self, base_url: str, token: str | None = None, *, http: httpx.Client | None = None, timeout: float = 30
    ) -> None:
        self._http = http or httpx.Client(base_url=base_url, timeout=timeout)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        self._http.close()

    # --- people ---

    def ready(self) -> schemas.Ready:
        """The service's state."""
        return self._get(schemas.Ready, "/ready")

    def set_up(self, token: str, *, name: str, password: str) -> schemas.UserOut:
        """Creates the first administrator with the token of the one-time link."""
        body = schemas.SetupIn(token=token, name=name, password=SecretStr(password))
        return self._post(schemas.UserOut, "/setup", body)

    def sign_in(self, name: str, password: str) -> schemas.SessionOut:
        """A new session; make another Client with its secret."""
        return self._post(schemas.SessionOut, "/session", schemas.SignIn(name=name, password=SecretStr(password)))

    def sign_out(self) -> None:
        """Closes the session that this client acts through."""
        self._send("DELETE", "/session")

    def me(self) -> schemas.Me:
        """Who this client acts as, and what they may do."""
        return self._get(schemas.Me, "/me")

    def users(self) -> list[schemas.UserOut]:
        """All users, by name."""
        return self._get(list[schemas.UserOut], "/users")

    def create_user(self, name: str, *, roles: Iterable[Role], password: str | None = None) -> schemas.UserOut:
        """A new user; without a password, one that signs in with API tokens only."""
        secret = SecretStr(password) if password is not None else None
        return self._post(schemas.UserOut, "/users", schemas.UserIn(name=name, password=secret, roles=frozenset(roles)))

    def change_user(self, user_id: UUID, change: schemas.UserChange) -> schemas.UserOut:
        """Changes what `change` gives; the user's sessions end."""
        return self._answer(schemas.UserOut, self._send("PATCH", f"/users/{user_id}", body=change))

    def tokens(self) -> list[schemas.TokenOut]:
        """One's own tokens; all for who manages users."""
        return self._get(list[schemas.TokenOut], "/tokens")

    def issue_token(
        self,
        name: str,
        *,
        scopes: Iterable[Permission],
        expires_days: int | None = 365,
        user_id: UUID | None = None,
    ) -> schemas.NewToken:
        """A new API token, with its secret. `user_id` None: for oneself."""
        body = schemas.TokenIn(name=name, scopes=frozenset(scopes), expires_days=expires_days, user_id=user_id)
        return self._post(schemas.NewToken, "/tokens", body)

    def revoke_token(self, token_id: UUID) -> None:
        """Ends a token."""
        self._send("DELETE", f"/tokens/{token_id}")

    def audit(
        self,
        *,
        action: str | None = None,
        object_id: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[schemas.AuditOut]:
        """Audit entries, newest first, from the one before position `before` on."""
        return self._get(
            list[schemas.AuditOut], "/audit", action=action, object_id=object_id, before=before, limit=limit
        )

    def audit_chain(self) -> schemas.ChainOut:
        """Whether the audit is as it was written."""
        return self._get(schemas.ChainOut, "/audit/chain")

    # --- proposals ---

    def inbox(self) -> schemas.InboxOut:
        """What waits for whom this client acts as."""
        return self._get(schemas.InboxOut, "/inbox")

    def proposals(
        self, *, state: ProposalState | None = None, contract_id: str | None = None, limit: int = 100
    ) -> list[schemas.ProposalSummary]:
        """Proposals, newest first."""
        return self._get(list[schemas.ProposalSummary], "/proposals", state=state, contract_id=contract_id, limit=limit)

    def proposal(self, proposal_id: UUID) -> schemas.ProposalOut:
        """A proposal with its suggestions."""
        return self._get(schemas.ProposalOut, f"/proposals/{proposal_id}")

    def propose(
        self, document: str, *, title: str | None = None, comment: str | None = None, submit: bool = True
    ) -> schemas.ProposalOut:
        """Puts a contract document forward; `submit` False keeps it a draft."""
        body = schemas.ProposalIn(document=document, title=title, comment=comment, submit=submit)
        return self._post(schemas.ProposalOut, "/proposals", body)

    def preview(self, proposal_id: UUID) -> schemas.PreviewOut:
        """The document that an approval would make a version."""
        return self._get(schemas.PreviewOut, f"/proposals/{proposal_id}/preview")

    def judge(
        self,
        proposal_id: UUID,
        suggestions: Iterable[UUID],
        decision: Decision,
        *,
        revision: int,
        reason: str | None = None,
    ) -> schemas.ProposalOut:
        """Decides about the suggestions, all or none, as of the revision that was seen."""
        body = schemas.DecisionsIn(suggestions=tuple(suggestions), decision=decision, revision=revision, reason=reason)
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/decisions", body)

    def submit(self, proposal_id: UUID) -> schemas.ProposalOut:
        """Puts one's draft before the owners."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/submit")

    def approve(self, proposal_id: UUID, fingerprint: str) -> schemas.VersionOut:
        """Makes the proposal the active version; `fingerprint` is that of the preview that was seen."""
        body = schemas.ApprovalIn(fingerprint=fingerprint)
        return self._post(schemas.VersionOut, f"/proposals/{proposal_id}/approve", body)

    def reject(self, proposal_id: UUID, reason: str) -> schemas.ProposalOut:
        """Declines the proposal."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/reject", schemas.ReasonIn(reason=reason))

    def withdraw(self, proposal_id: UUID, reason: str | None = None) -> schemas.ProposalOut:
        """Takes one's own proposal back."""
        body = schemas.WithdrawalIn(reason=reason)
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/withdraw", body)

    # --- contracts and runs ---

    def contracts(self, *, after: str = "", limit: int = 200) -> list[schemas.ContractSummary]:
        """Contracts by id, each with its last run."""
        return self._get(list[schemas.ContractSummary], "/contracts", after=after, limit=limit)

    def contract(self, contract_id: str) -> schemas.ContractOut:
        """A contract with its versions, datasets and last runs."""
        return self._get(schemas.ContractOut, "/contract", id=contract_id)

    def document(self, contract_id: str, version: str | None = None) -> bytes:
        """A version's document, byte for byte; the active one where none is named."""
        return self._send("GET", "/contract/document", query={"id": contract_id, "version": version}).content

    def runs(self, *, contract_id: str | None = None, limit: int = 50) -> list[schemas.RunSummary]:
        """Runs, newest first."""
        return self._get(list[schemas.RunSummary], "/runs", contract_id=contract_id, limit=limit)

    def run(self, run_id: UUID) -> schemas.RunOut:
        """The report of a run."""
        return self._get(schemas.RunOut, f"/runs/{run_id}")

    def samples(self, run_id: UUID) -> list[schemas.SampleOut]:
        """Rows that break checks of a run; [] where none are kept."""
        return self._get(list[schemas.SampleOut], f"/runs/{run_id}/samples")

    def analyzers(self) -> list[schemas.AnalyzerOut]:
        """The reference of analyzers, by family."""
        return self._get(list[schemas.AnalyzerOut], "/analyzers")

    def measurements(
        self, contract_id: str, *, object_name: str, identity: str, limit: int = 60
    ) -> list[schemas.MeasurementOut]:
        """The last values of a metric, oldest first."""
        query = {"contract_id": contract_id, "object": object_name, "identity": identity, "limit": limit}
        return self._get(list[schemas.MeasurementOut], "/measurements", **query)

    # --- memory ---

    def metrics(
        self, dataset: str, *, where: str | None = None, metrics: Sequence[str] = (), namespace: str | None = None
    ) -> schemas.MetricsOut:
        """What stored states say of the metrics (those of the contract where none is named) of chosen partitions."""
        query = {"name": dataset, "namespace": namespace, "where": where, "metric": list(metrics)}
        return self._get(schemas.MetricsOut, "/dataset/metrics", **query)

    def states(
        self, dataset: str, *, where: str | None = None, metrics: Sequence[str] = (), namespace: str | None = None
    ) -> schemas.StatesOut:
        """What is stored of each chosen partition, and what a question about those metrics would merge."""
        query = {"name": dataset, "namespace": namespace, "where": where, "metric": list(metrics)}
        return self._get(schemas.StatesOut, "/dataset/states", **query)

    def rerun(self, run_id: UUID) -> schemas.RerunOut:
        """The run done again from the states that it judged, and what comes out otherwise."""
        return self._get(schemas.RerunOut, f"/runs/{run_id}/again")

    def erase(self, dataset: str, *, partitions: Sequence[str] = (), namespace: str | None = None) -> schemas.ErasedOut:
        """Erases what is remembered of the dataset, or of these partitions: states, samples, values."""
        query = {"name": dataset, "namespace": namespace, "partition": list(partitions)}
        return self._answer(schemas.ErasedOut, self._send("DELETE", "/dataset/memory", query=query))

    # --- gate ---

    def verdict(self, dataset: str, *, namespace: str | None = None, marker: str | None = None) -> schemas.VerdictOut:
        """What the gate answers of the data that are there, or of those of the marker: `unknown` where in doubt."""
        return self._get(schemas.VerdictOut, "/dataset/gate", name=dataset, namespace=namespace, marker=marker)

    def gated(self, dataset: str, *, namespace: str | None = None) -> schemas.GatedOut:
        """What a gate needs to know of a dataset before it opens."""
        return self._get(schemas.GatedOut, "/dataset/gate/subject", name=dataset, namespace=namespace)

    def generation(self, dataset: str, *, namespace: str | None = None) -> schemas.GenerationForm:
        """The current states of all partitions of a dataset, by the names of their bags."""
        return self._get(schemas.GenerationForm, "/dataset/gate/generation", name=dataset, namespace=namespace)

    def swap_generation(
        self, dataset: str, following: schemas.GenerationForm, *, namespace: str | None = None
    ) -> schemas.GenerationForm:
        """Makes these the states after generation `number`; 409 where that is no longer current."""
        query = {"name": dataset, "namespace": namespace}
        sent = self._send("POST", "/dataset/gate/generation", query=query, body=following)
        return self._answer(schemas.GenerationForm, sent)

    def bag(self, dataset: str, bag: str, *, namespace: str | None = None) -> bytes:
        """The packed states of that name."""
        query = {"name": dataset, "namespace": namespace, "bag": bag}
        return self._send("GET", "/dataset/gate/bag", query=query).content

    def keep_bag(self, content: bytes) -> str:
        """The name under which packed states, or a run, are kept for a generation to name them."""
        sent = self._request("POST", "/dataset/gate/bag", kind="application/octet-stream", content=content)
        return self._answer(schemas.BagOut, sent).bag

    def settle(self, dataset: str, *, namespace: str | None = None) -> None:
        """Says that the open publication is settled; 409 where none is open."""
        self._send("POST", "/dataset/gate/settled", query={"name": dataset, "namespace": namespace})

    # --- tasks and lineage ---

    def request_draft(self, draft: schemas.DraftIn) -> schemas.TaskOut:
        """Asks for a table to be profiled; the finished task's result names the proposal."""
        return self._post(schemas.TaskOut, "/drafts", draft)

    def task(self, task_id: UUID) -> schemas.TaskOut:
        """A task: its state, how far it is, and its result."""
        return self._get(schemas.TaskOut, f"/tasks/{task_id}")

    def send_event(self, event: Mapping[str, Any]) -> None:
        """Sends one OpenLineage event; returning means that it is kept."""
        self._request("POST", "/lineage", json=dict(event))

    def _get(self, form: type[Answer], path: str, **query: Any) -> Answer:
        return self._answer(form, self._send("GET", path, query=query))

    def _post(self, form: type[Answer], path: str, body: BaseModel | None = None) -> Answer:
        return self._answer(form, self._send("POST", path, body=body))

    def _answer(self, form: type[Answer], response: httpx.Response) -> Answer:
        return TypeAdapter(form).validate_json(response.content)

    def _send(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: BaseModel | None = None
    ) -> httpx.Response:
        given = {key: value for key, value in (query or {}).items() if value is not None}
        return self._request(method, path, params=given, json=_plain(body) if body else None)

    def _request(self, method: str, path: str, *, kind: str | None = None, **sent: Any) -> httpx.Response:
        headers = {**self._headers, **({"Content-Type": kind} if kind else {})}
        try:
            response = self._http.request(method, PREFIX + path, headers=headers, **sent)
        except httpx.TransportError as error:
            raise ClientError(UNREACHABLE, f"the service cannot be reached: {error}") from error
        if not response.is_success:
            raise _refusal(response)
        return response


def _plain(body: BaseModel) -> dict[str, Any]:
    """The body as JSON data, with its secrets, which a dump would mask."""
    content = body.model_dump(mode="json", exclude_unset=True)
    secrets = {name: value.get_secret_value() for name, value in body if isinstance(value, SecretStr)}
    return {**content, **secrets}


def _refusal(response: httpx.Response) -> ClientError:
    try:
        problem = schemas.Problem.model_validate_json(response.content)
    except ValueError:
        return ClientError(response.status_code, f"the service answered {response.status_code}")
    return ClientError(response.status_code, problem.message, problem.faults, reference=problem.reference)
