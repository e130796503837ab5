"""The API from outside: who may call what, what each change leaves in the audit, and how it refuses."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlmodel import Session, select
from support.api import (
    NOW,
    PASSWORD,
    USERS,
    World,
    build,
    cheap_passwords,
    counted_queries,
    document,
    drafted,
    failed_run,
    plain,
    remembered,
    suggestion,
)
from support.databases import KINDS, blank
from support.events import event
from support.flowing import step, take_in

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, first_admin, users
from treaty.registry.api.app import create_app
from treaty.registry.audit import audit_log
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate, read_session, transaction
from treaty.registry.core.enums import (
    AcknowledgementState,
    ChannelKind,
    GrantScope,
    IncidentState,
    LineageEventState,
    OutboxState,
    Permission,
    ProposalState,
    Role,
    TaskState,
    TeamRole,
)
from treaty.registry.core.pagination import PageRequest
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import (
    AcknowledgementRow,
    ChannelRow,
    ContractRow,
    ContractVersionRow,
    IncidentRow,
    LineageEventRow,
    OutboxMessageRow,
    RejectedLineageEventRow,
    RoleGrantRow,
    TaskRow,
    TeamMemberRow,
    TeamRow,
    TemplateRow,
    metadata,
)

EVERYBODY = frozenset(USERS)
PEOPLE = EVERYBODY - {"service"}
PROPOSERS = EVERYBODY - {"viewer"}
PRODUCERS = PROPOSERS - {"consumer"}
OWNERS = frozenset({"admin", "owner", "other-owner"})
ADMIN = frozenset({"admin"})
PRODUCER = frozenset({"producer"})
NOBODY = "00000000-0000-7000-8000-000000000000"
DRAFT = {"location": "/lake/orders", "contract_id": "shop-orders", "object": "orders"}


@dataclass(frozen=True)
class Call:
    """A request, who may make it, its status for them, and what it leaves in the audit.

    Who is not named is refused. So is who has a role in the domain `shop` alone, unless `local`: then the same roles
    may that there. So is who has all roles in another domain, unless `elsewhere`: then they are told nothing of the
    shop. So is a token without the scope, unless `bare`, and nobody, unless `anonymous`. `authored`: the producer may
    that as the author."""

    method: str
    path: str
    allowed: frozenset[str]
    status: int = 200
    body: Any = None
    audit: str | None = None
    local: bool = False
    elsewhere: bool = False
    bare: bool = False
    anonymous: bool = False
    authored: bool = False

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


AUTHOR = frozenset({"producer"})
OTHER = frozenset({"other-owner"})
JSON = {"Content-Type": "application/json"}
CHANGES = {"text": "say why", "revision": 1}
MADE = "comment:added change_request:created"


def sold(contract_id: str, **more: str) -> str:
    """A contract of the domain in which some have a role."""
    return writer.write({**plain(contract_id, **more), "domain": "shop"}).decode()


SETUP = {"token": "guessed", "name": "eve", "password": PASSWORD}
IDENTITY = {"token": "a.b.c", "nonce": "n" * 32}
SIGN_IN = {"name": "viewer", "password": PASSWORD}
APPROVED = {"fingerprint": "{fingerprint}"}
GRANT = {"role": "owner", "scope": "domain", "target": "shop", "user_id": "{viewer}"}
EVENT = event()
USER = {"name": "new", "password": PASSWORD, "roles": ["viewer"]}
TOKEN = {"name": "ci", "scopes": ["contracts:read"]}
JUDGED = {"decision": "accepted", "revision": 1}
CONCLUDED = "approval:given version:activated proposal:approved"
WANTED = {"name": "/lake/unknown", "purpose": "we read it"}
DECLINED = {"reason": "no"}
WANTED_NO_MORE = "contract_request:ended"
GOES = {"reason": "nobody needs it"}
GENERATION = {"number": 0, "entries": {}}
# Who keeps a template keeps it for whoever may read anything.
FOR_ALL = frozenset({"template"})
TEMPLATE = {"name": "new", "description": "A table.", "document": document("${id}")}
SUBSCRIBERS = EVERYBODY - {"viewer", "service"}
USE = {"purpose": "reports", "contact": "me@example.org"}
SUBSCRIBED = {**USE, "contract_id": "known"}
ASKED = {"object": "orders", "column": "id", "patch": {"unique": True}}
COPIED = {"contract_id": "known", "object": "orders", "check": "day-required"}
FACET = "/lineage/facets/1-0-0/TreatyContractRunFacet.json"
CHANNEL = {"kind": "email", "target": "ada@shop.example"}
KEEPERS = PRODUCERS - {"service"}
SEEN = {"revision": 1}
MARK = {"run_id": "{run}", "partition": None, "kind": "expected", "reason": "a public holiday"}
FORESEEN = {"check_id": "unknown", "run_id": "{run}", "partition": None, "kind": "expected"}
NODE = "dataset:file:/lake/known"
DASH = {"contract_id": "known", "job_namespace": "growth", "job_name": "dash"}
SUBSCRIBES = "subscription:created inferred_consumer:confirmed"
CALLS = [
    Call("GET", "/health", EVERYBODY, anonymous=True),
    Call("GET", "/ready", EVERYBODY, anonymous=True),
    Call("GET", "/metrics", EVERYBODY),
    Call("POST", "/setup", EVERYBODY, 401, SETUP, anonymous=True),
    Call("POST", "/session", EVERYBODY, 201, SIGN_IN, "session:opened", anonymous=True),
    Call("POST", "/session/oidc", EVERYBODY, 404, IDENTITY, anonymous=True),
    Call("DELETE", "/session", EVERYBODY, 204, None, "session:closed", local=True, elsewhere=True),
    Call("GET", "/me", EVERYBODY, local=True, elsewhere=True, bare=True),
    Call("GET", "/users", ADMIN),
    Call("POST", "/users", ADMIN, 201, USER, "user:created"),
    Call("PATCH", "/users/{viewer}", ADMIN, 200, {"active": False}, "user:changed"),
    Call("GET", "/teams", EVERYBODY, local=True, elsewhere=True, bare=True),
    Call("POST", "/teams", ADMIN, 201, {"name": "new"}, "team:created"),
    Call("DELETE", "/teams/{team}", ADMIN, 204, None, "team:removed"),
    Call("PUT", "/teams/{team}/members", ADMIN, 200, {"name": "viewer"}, "member:set"),
    Call("DELETE", "/teams/{team}/members?name=consumer", ADMIN, 200, None, "member:removed"),
    Call("GET", "/grants", ADMIN),
    Call("POST", "/grants", ADMIN, 201, GRANT, "grant:given"),
    Call("DELETE", "/grants/{grant}", ADMIN, 204, None, "grant:revoked"),
    Call("GET", "/tokens", PEOPLE, local=True, elsewhere=True),
    Call("POST", "/tokens", PEOPLE, 201, TOKEN, "token:issued", local=True, elsewhere=True),
    Call("DELETE", "/tokens/{token}", frozenset({"admin", "producer"}), 204, None, "token:revoked", authored=True),
    Call(
        "POST",
        "/tokens/{token}/rotation",
        frozenset({"admin", "producer"}),
        201,
        {"overlap_hours": 1},
        "token:rotated",
        authored=True,
    ),
    Call("GET", "/audit", ADMIN),
    Call("GET", "/audit/chain", ADMIN),
    Call("GET", "/audit/head", ADMIN),
    Call("GET", "/audit/export", ADMIN),
    Call("GET", "/inbox", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/inbox/counts", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/proposals", EVERYBODY, local=True, elsewhere=True),
    Call("POST", "/proposals", PROPOSERS, 201, {"document": sold("new")}, "proposal:created", local=True),
    Call("GET", "/proposals/{reviewed}", EVERYBODY, local=True),
    Call("GET", "/proposals/{reviewed}/preview", EVERYBODY, local=True),
    Call("GET", "/proposals/{unsent}", frozenset({"producer"}), authored=True),
    Call(
        "PUT",
        "/proposals/{drafted}/suggestions/{first}",
        OWNERS | {"producer"},
        200,
        JUDGED,
        "suggestion:accepted",
        local=True,
        authored=True,
    ),
    Call(
        "POST",
        "/proposals/{drafted}/decisions",
        OWNERS | {"producer"},
        200,
        {**JUDGED, "suggestions": ["{first}"]},
        "suggestion:accepted",
        local=True,
        authored=True,
    ),
    Call(
        "PUT",
        "/proposals/{reviewed}/document",
        OWNERS | {"producer"},
        200,
        {"document": sold("shop-orders", name="Again"), "revision": 1},
        "proposal:edited",
        local=True,
        authored=True,
    ),
    Call("GET", "/proposals/{reviewed}/comments", EVERYBODY, local=True),
    Call("POST", "/proposals/{reviewed}/comments", PROPOSERS, 201, {"text": "why?"}, "comment:added", local=True),
    Call("GET", "/contract/version?contract_id=known&version=1.0.0", EVERYBODY, local=True),
    Call(
        "POST",
        "/contract/version/deprecate?contract_id=known&version=1.0.0",
        OWNERS,
        200,
        GOES,
        "version:deprecated",
        local=True,
    ),
    Call(
        "POST",
        "/contract/version/retire?contract_id=known&version=1.0.0",
        OWNERS,
        200,
        GOES,
        "version:retired",
        local=True,
    ),
    Call("POST", "/proposals/{unsent}/submit", AUTHOR, 200, None, "proposal:submitted", authored=True),
    Call("POST", "/proposals/{reviewed}/approve", OWNERS, 200, APPROVED, CONCLUDED, local=True),
    Call("POST", "/proposals/{reviewed}/reject", OWNERS, 200, {"reason": "no"}, "proposal:rejected", local=True),
    Call("POST", "/proposals/{reviewed}/request-changes", OWNERS, 200, CHANGES, MADE, local=True),
    Call(
        "POST",
        "/proposals/{returned}/request-changes/withdraw",
        OTHER,
        200,
        None,
        "change_request:withdrawn",
        authored=True,
    ),
    Call("POST", "/proposals/{reviewed}/assign", OWNERS, 200, {"assignee": "owner"}, "proposal:assigned", local=True),
    Call(
        "POST", "/proposals/{reviewed}/snooze", EVERYBODY, 200, {"snoozed_until": None}, "proposal:snoozed", local=True
    ),
    Call("POST", "/proposals/{reviewed}/withdraw", AUTHOR, 200, {}, "proposal:withdrawn", authored=True),
    Call("GET", "/contracts", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/contracts/ids", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/catalog?q=orders", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/contract?contract_id=known", EVERYBODY, local=True),
    Call("GET", "/contract/document?contract_id=known", EVERYBODY, local=True),
    Call("GET", "/contract/approvals?contract_id=known", EVERYBODY, local=True),
    Call("GET", "/contract/diff?contract_id=known&old=1.0.0", EVERYBODY, local=True),
    Call("GET", "/contract/checks?contract_id=known", EVERYBODY, local=True),
    Call("GET", "/contract/deadlines?contract_id=known", EVERYBODY, local=True),
    Call("GET", "/contract/export?contract_id=known&format=html", EVERYBODY, local=True),
    Call("GET", "/contract/badge?contract_id=known", EVERYBODY, local=True),
    Call("GET", "/templates", EVERYBODY, local=True, elsewhere=True),
    Call("POST", "/templates", OWNERS, 201, TEMPLATE, "template:saved", local=True, elsewhere=True),
    Call(
        "DELETE", "/templates/{template}", frozenset({"admin", "owner"}), 204, None, "template:removed", authored=True
    ),
    Call("POST", "/import", PROPOSERS, 200, {"format": "spark", "text": "id int"}, local=True, elsewhere=True),
    Call("GET", "/proposals/{reviewed}/diff", EVERYBODY, local=True),
    Call("GET", "/proposals/{reviewed}/replay", EVERYBODY, local=True),
    Call("POST", "/contract/replay?contract_id=known", EVERYBODY, 200, {"document": sold("known")}, local=True),
    Call("POST", "/replays", PROPOSERS, 202, {"proposal_id": "{reviewed}"}, "replay:requested", local=True),
    Call("GET", "/runs", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/runs/{run}", EVERYBODY, local=True),
    Call("GET", "/runs/{run}/samples", EVERYBODY - {"viewer", "service", "admin"}, local=True),
    Call("GET", "/runs/{run}/rerun", EVERYBODY, 422, local=True),
    Call("GET", "/measurements?contract_id=known&object=orders&identity=x", EVERYBODY, local=True),
    Call("GET", "/history/metrics?contract_id=known&object=orders", EVERYBODY, local=True),
    Call("GET", "/history/checks?contract_id=known&object=orders&check_id=c", EVERYBODY, local=True),
    Call("GET", "/fits?contract_id=known&object=orders", EVERYBODY, local=True),
    Call("GET", "/feedback?contract_id=known&object=orders", EVERYBODY, local=True),
    Call("POST", "/feedback", KEEPERS, 201, MARK, "feedback:set", local=True),
    Call("POST", "/feedback/preview", EVERYBODY, 422, FORESEEN, local=True),
    Call("GET", "/analyzers", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/dataset/metrics?name=known&metric=size", EVERYBODY, local=True),
    Call("GET", "/dataset/profile?name=known", EVERYBODY, local=True),
    Call("GET", "/proposals/{reviewed}/profile", EVERYBODY, 404, local=True),
    Call("GET", "/dataset/states?name=known", EVERYBODY, local=True),
    Call("DELETE", "/dataset/states?name=known", OWNERS, 200, None, "states:erased", local=True),
    Call("GET", "/patterns", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/patterns/columns?pattern=A", EVERYBODY, local=True, elsewhere=True),
    Call("POST", "/patterns", PRODUCERS, 202, None, "patterns:requested"),
    Call("GET", "/dataset/gate?name=known", EVERYBODY, local=True),
    Call("GET", "/gate?dataset=known", EVERYBODY, local=True),
    Call("GET", "/dataset/gate/dataset?name=known", PRODUCERS, local=True),
    Call("GET", "/dataset/gate/generation?name=known", PRODUCERS, local=True),
    Call("POST", "/dataset/gate/generation?name=known", PRODUCERS, 201, GENERATION, "states:committed", local=True),
    Call("POST", "/dataset/gate/recovered?name=known", PRODUCERS, 204, None, "states:recovered", local=True),
    Call("GET", f"/dataset/gate/bag?name=known&bag={'0' * 64}", PRODUCERS, 404, local=True),
    Call("POST", "/dataset/gate/bag", PRODUCERS, 201, {}, local=True, elsewhere=True),
    Call("GET", "/lineage/events", EVERYBODY),
    Call("GET", "/lineage/events/counts", EVERYBODY),
    Call("GET", "/lineage/events/rejected", EVERYBODY),
    Call("GET", "/lineage/events/rejected/{refused}", EVERYBODY),
    Call("GET", "/lineage/unmatched-datasets", EVERYBODY),
    Call("GET", "/contract-requests", EVERYBODY, local=True, elsewhere=True),
    Call("POST", "/contract-requests", PROPOSERS, 201, WANTED, "contract_request:created"),
    Call(
        "POST",
        "/contract-requests/{wanted}/close",
        OWNERS | PRODUCER,
        204,
        {"reason": "no"},
        WANTED_NO_MORE,
        authored=True,
    ),
    Call("POST", "/lineage", PRODUCERS, 201, EVENT),
    Call("POST", "/lineage/batch", PRODUCERS, 200, [EVENT]),
    Call("GET", "/subscriptions?contract_id=known", EVERYBODY, local=True, elsewhere=True),
    Call("POST", "/subscriptions", SUBSCRIBERS, 201, SUBSCRIBED, "subscription:created", local=True),
    Call("GET", "/subscriptions/{subscription}", EVERYBODY, local=True),
    Call(
        "PUT",
        "/subscriptions/{subscription}",
        PRODUCER,
        200,
        {**USE, "revision": 1},
        "subscription:changed",
        authored=True,
    ),
    Call("POST", "/subscriptions/{subscription}/end", PRODUCER | ADMIN, 200, None, "subscription:ended", authored=True),
    Call("GET", "/subscriptions/{subscription}/checks", EVERYBODY, local=True),
    Call("POST", "/subscriptions/{subscription}/checks", PRODUCER, 201, ASKED, "consumer_check:added", authored=True),
    Call(
        "POST",
        "/subscriptions/{subscription}/checks/copies",
        PRODUCER,
        201,
        COPIED,
        "consumer_check:added",
        authored=True,
    ),
    Call(
        "PUT",
        "/subscriptions/{subscription}/checks/{own}",
        PRODUCER,
        200,
        ASKED,
        "consumer_check:changed",
        authored=True,
    ),
    Call(
        "DELETE",
        "/subscriptions/{subscription}/checks/{own}",
        PRODUCER,
        204,
        None,
        "consumer_check:ended",
        authored=True,
    ),
    Call(
        "POST", "/subscriptions/{subscription}/checks/{own}/promote", OWNERS, 201, None, "proposal:created", local=True
    ),
    Call("GET", "/acknowledgements?contract_id=known", EVERYBODY, local=True, elsewhere=True),
    Call(
        "POST",
        "/acknowledgements/{asked}/answer",
        PRODUCER,
        200,
        {"state": "acknowledged"},
        "acknowledgement:given",
        authored=True,
    ),
    Call("GET", "/proposals/{reviewed}/impact", EVERYBODY, local=True),
    Call("GET", f"/lineage?nodeId={NODE}", EVERYBODY, local=True),
    Call("GET", "/events/lineage", EVERYBODY),
    Call("GET", "/namespaces", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/namespaces/{space}", EVERYBODY, local=True),
    Call("GET", "/jobs/runs/{lineage_run}", EVERYBODY, local=True),
    Call("GET", "/dataset/impact?name=known", EVERYBODY, local=True),
    Call("GET", "/contract/upstream?contract_id=known", EVERYBODY, local=True),
    Call("GET", "/contract/inferred-consumers?contract_id=known", EVERYBODY, local=True),
    Call("POST", "/contract/inferred-consumers/confirm", SUBSCRIBERS, 201, DASH, SUBSCRIBES, local=True),
    Call(
        "POST",
        "/contract/inferred-consumers/dismiss",
        SUBSCRIBERS,
        200,
        DASH,
        "inferred_consumer:dismissed",
        local=True,
    ),
    Call("GET", "/incidents", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/incidents/{incident}", EVERYBODY, local=True),
    Call("GET", "/incidents/{incident}/impact", EVERYBODY, local=True),
    Call("POST", "/incidents/{incident}/acknowledge", KEEPERS, 200, SEEN, "incident:acknowledged", local=True),
    Call(
        "POST",
        "/incidents/{incident}/assign",
        KEEPERS,
        200,
        {**SEEN, "assignee": "owner"},
        "incident:assigned",
        local=True,
    ),
    Call(
        "POST",
        "/incidents/{incident}/snooze",
        KEEPERS,
        200,
        {**SEEN, "snoozed_until": None},
        "incident:snoozed",
        local=True,
    ),
    Call(
        "POST",
        "/incidents/{incident}/resolve",
        KEEPERS,
        200,
        {**SEEN, "resolution": "fixed"},
        "incident:resolved",
        local=True,
    ),
    Call("POST", "/incidents/{over}/reopen", KEEPERS, 200, SEEN, "incident:reopened", local=True),
    Call("POST", "/drafts", PRODUCERS, 202, DRAFT, "draft:requested"),
    Call("GET", "/tasks", EVERYBODY, local=True, elsewhere=True),
    Call("GET", "/tasks/{task}", EVERYBODY, local=True),
    Call("GET", "/tasks/{dead}/events", EVERYBODY, local=True),
    Call("POST", "/tasks/{task}/stop", PRODUCERS, 200, None, "task:stopped", local=True),
    Call("POST", "/tasks/{dead}/retry", PRODUCERS, 200, None, "task:retried", local=True),
    Call("POST", "/lineage/events/{parked}/retry", PRODUCERS, 204, None, "event:retried"),
    Call("GET", FACET, EVERYBODY, anonymous=True),
    Call("GET", "/channels", PEOPLE, local=True, elsewhere=True),
    Call("POST", "/channels", PEOPLE, 201, CHANNEL, "channel:added", local=True, elsewhere=True),
    Call("DELETE", "/channels/{channel}", PRODUCER | ADMIN, 204, None, "channel:removed", authored=True),
    Call("POST", "/channels/{channel}/test", PRODUCER | ADMIN, 202, authored=True),
    Call("GET", "/messages", ADMIN),
    Call("POST", "/messages/{message}/retry", ADMIN, 200, None, "message:replayed"),
]


def filled(world: World) -> dict[str, str]:
    """A registry with one of each thing, and the names under which the calls above speak of them."""
    promised = {**plain("known"), "domain": "shop"}
    promised["schema"][0]["properties"][1]["required"] = True
    known = world.client("producer").propose(writer.write(promised).decode())
    owner = world.client("owner")
    owner.approve(known.id, owner.preview(known.id).fingerprint)
    reviewed = world.client("producer").propose(sold("shop-orders"))
    returned = world.client("producer").propose(sold("returned"))
    world.client("other-owner").request_changes(returned.id, "say why", revision=1)
    unsent = world.client("producer").propose(sold("unsent"), submit=False)
    task = world.call("producer", "POST", "/drafts", json={**DRAFT, "contract_id": "known"}).json()["id"]
    token = world.client("producer").issue_token("t", scopes=[Permission.READ]).token.id
    subscription = subscribed(world, "producer", "known")
    wanted = world.client("producer").request_contract("/lake/wanted", "we read it")
    with transaction(world.engine) as tx:
        made = drafted(tx, world.users["producer"], suggestion(), base=sold("drafted"))
        dataset = lookup.datasets(tx, "known")[0][0]
        dataset.publishing_version = 0
        run = failed_run("known")
        run.dataset_id = dataset.id
        team = TeamRow(id=ids.new(), name="sellers", created_at=NOW)
        consumer = TeamMemberRow(team_id=team.id, user_id=world.users["consumer"].id, role=TeamRole.MEMBER)
        tx.add(TemplateRow(name="ours", description="", document="", owner_id=world.users["owner"].id, created_at=NOW))
        grant = RoleGrantRow(
            id=ids.new(),
            team_id=team.id,
            role=Role.VIEWER,
            scope=GrantScope.DOMAIN,
            target="of-sellers",
            created_at=NOW,
        )
        dead, parked = given_up("known"), parked_event()
        refused = RejectedLineageEventRow(
            id=ids.new(), received_at=NOW, producer="producer", status=400, reason="no", body=b"x"
        )
        tx.add_all([run, team, consumer, grant, dead, parked, refused])
        asked = asking(tx, subscription)
        channel = ChannelRow(
            id=ids.new(),
            user_id=world.users["producer"].id,
            kind=ChannelKind.EMAIL,
            target="a@b.example",
            created_at=NOW,
        )
        message = OutboxMessageRow(
            id=ids.new(), kind="lineage", destination="lineage", key="lost", payload={}, state=OutboxState.DEAD,
            available_at=NOW, created_at=NOW,
        )  # fmt: skip
        tx.add_all([channel, message])
        take_in(tx, step("dash", "COMPLETE", 1, reads=["known"], writes=["mart"], namespace="growth"))
        incidents = [incident(dataset.id, state) for state in (IncidentState.OPEN, IncidentState.RESOLVED)]
        tx.add_all(incidents)
        tx.commit()
    return {
        "viewer": str(world.users["viewer"].id),
        "reviewed": str(reviewed.id),
        "returned": str(returned.id),
        "fingerprint": owner.preview(reviewed.id).fingerprint,
        "unsent": str(unsent.id),
        "drafted": str(made.id),
        "first": str(owner.proposal(made.id).suggestions[0].id),
        "task": task,
        "dead": str(dead.id),
        "parked": str(parked.id),
        "token": str(token),
        "run": str(run.id),
        "refused": str(refused.id),
        "team": str(team.id),
        "grant": str(grant.id),
        "subscription": str(subscription),
        "own": "id-required",
        "asked": str(asked),
        "channel": str(channel.id),
        "message": str(message.id),
        "incident": str(incidents[0].id),
        "over": str(incidents[1].id),
        "space": "file/datasets",
        "lineage_run": step("dash", "COMPLETE", 1)["run"]["runId"],
        "template": "ours",
        "wanted": str(wanted.id),
    }


def incident(dataset_id: UUID, state: IncidentState) -> IncidentRow:
    """An incident about what is known."""
    return IncidentRow(
        id=ids.new(), contract_id="known", object="orders", dataset_id=dataset_id, state=state, opened_at=NOW,
        updated_at=NOW, started_at=NOW,
    )  # fmt: skip


def given_up(contract_id: str) -> TaskRow:
    """A validation that was tried often enough."""
    payload = {"contract_id": contract_id, "object": "orders", "seq": 1}
    return TaskRow(
        id=ids.new(), kind="validate", payload=payload, key="dead", state=TaskState.FAILED, attempts=5, error="no",
        created_at=NOW, available_at=NOW, finished_at=NOW,
    )  # fmt: skip


def parked_event() -> LineageEventRow:
    """An event that could not be folded."""
    return LineageEventRow(
        id=ids.new(), content_hash="parked", received_at=NOW, body=b"{}", original_sha256="", original_size=2,
        producer="spark", state=LineageEventState.PARKED, attempts=3, error="no",
    )  # fmt: skip


def asking(tx: Session, subscription_id: UUID) -> UUID:
    """What that consumer is asked about the version in force."""
    version = tx.exec(select(ContractVersionRow).where(ContractVersionRow.contract_id == "known")).one()
    row = AcknowledgementRow(
        id=ids.new(), version_id=version.id, subscription_id=subscription_id, breaking_reasons=["it does"],
        state=AcknowledgementState.PENDING, requested_at=NOW, due_at=NOW,
    )  # fmt: skip
    tx.add(row)
    return row.id


def subscribed(world: World, who: str, contract_id: str) -> UUID:
    """A subscription of that user with one check of their own."""
    client = world.client(who)
    made = client.subscribe(schemas.SubscriptionIn(contract_id=contract_id, purpose="models", contact="me"))
    client.add_consumer_check(made.id, schemas.ConsumerCheckIn(object="orders", column="id", patch={"required": True}))
    return made.id


def inserted(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: inserted(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [inserted(each, names) for each in value]
    return value.format(**names) if isinstance(value, str) and value.startswith(("/", "{")) else value


def made(world: World, who: str | None, call: Call, names: dict[str, str]) -> Any:
    body = {"json": inserted(call.body, names)} if call.body is not None else {}
    return world.call(who, call.method, inserted(call.path, names), given={"If-Match": "*"}, **body)


UUIDS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LOCAL = [Role.VIEWER, Role.CONSUMER, Role.PRODUCER, Role.OWNER, Role.SERVICE]
REFUSED = {401, 403, 404}


def with_others(world: World) -> World:
    """The world with users of no role on everything: one of each role in the shop, one of all roles elsewhere, and one
    of all roles elsewhere who only views the shop."""
    secrets, elsewhere = dict(world.secrets), [("elsewhere", each) for each in LOCAL]
    shop = {f"shop-{each}": [("shop", each)] for each in LOCAL}
    held = {**shop, "stranger": elsewhere, "neighbour": [*elsewhere, ("shop", Role.VIEWER)]}
    with transaction(world.engine) as tx:
        for name, grants in held.items():
            user = users.new_user(ids.new(), name=name, password=None, roles=[], now=NOW)
            users.create_user(tx, user, actor="test", now=NOW)
            tx.add_all(
                RoleGrantRow(
                    id=ids.new(), user_id=user.id, role=role, scope=GrantScope.DOMAIN, target=domain, created_at=NOW
                )
                for domain, role in grants
            )
            secrets[name], _ = authentication.sign_in(
                tx, user, session_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1)
            )
        tx.commit()
    return replace(world, secrets=secrets)


def bare_token(world: World, call: Call) -> World:
    """The world with a token of somebody who may make the call, which has another scope than it needs."""
    scope = Permission.LINEAGE if call.path.startswith(("/tokens", "/channels")) else Permission.TOKENS
    user = world.users[min(call.allowed)]
    token = users.new_token(ids.new(), user_id=user.id, name="bare", scopes=[scope], now=NOW)
    with transaction(world.engine) as tx:
        by = authentication.Principal(
            user_id=user.id, name=user.name, roles=frozenset({Role.ADMIN}), permissions=frozenset(Permission)
        )
        token.scopes = []
        secret = users.issue_token(tx, token, by=by, now=NOW)
        token.scopes = [scope]
        tx.commit()
    return replace(world, secrets={**world.secrets, "bare": secret})


def refused(call: Call) -> list[str | None]:
    """All who may not make the call."""
    roles = call.allowed - ({"producer"} if call.authored else frozenset())
    local = [f"shop-{each}" for each in LOCAL if not (call.local and each in roles)]
    views = call.elsewhere or "shop-viewer" not in local
    others = [*local, *(["stranger"] * (not call.elsewhere)), *(["neighbour"] * (not views))]
    others += [*(["bare"] * (not call.bare)), None]
    return [] if call.anonymous else [*sorted(EVERYBODY - call.allowed), *others]


def admitted(call: Call) -> list[str | None]:
    """All who may make the call, and get what it says."""
    everyone = [*sorted(call.allowed), *(f"shop-{each}" for each in LOCAL), "stranger", "neighbour", "bare", None]
    return [who for who in everyone if who not in refused(call)]


READS = [each for each in CALLS if each.method == "GET"]


@dataclass(frozen=True)
class Shown:
    """A registry with one of each thing for those who only look at it, and what these are called."""

    world: World
    names: dict[str, str]


@pytest.fixture(scope="module", params=KINDS)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("shown")
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    with blank(folder, url, name="shown") as engine:
        migrate(engine)
        world = build(engine, home=folder / "home")
        with world.http:
            names = filled(world)
            yield Shown(with_others(world), names)


@pytest.fixture
def full(engine: Engine, tmp_path: Path) -> Iterator[Shown]:
    """The same for one test alone, which may change it."""
    world, names = remembered(engine, filled, home=tmp_path / "home")
    with world.http:
        yield Shown(world, names)


@pytest.mark.parametrize("call", READS, ids=str)
def test_everyone_reads_what_their_role_permits_and_nothing_more(shown: Shown, call: Call) -> None:
    only_admitted(shown.world, call, shown.names)


@pytest.mark.parametrize("call", [each for each in CALLS if each not in READS], ids=str)
def test_everyone_does_what_their_role_permits_and_nothing_more(full: Shown, call: Call) -> None:
    world, names = full.world, full.names
    only_admitted(with_others(world), call, names)


def only_admitted(world: World, call: Call, names: dict[str, str]) -> None:
    """Holds that those who may not make the call are refused and told nothing of its answer."""
    everyone = bare_token(world, call)
    with cheap_passwords():
        told = {who: made(everyone, who, call, names) for who in refused(call)}
        got = made(everyone, admitted(call)[0], call, names)
    assert {who: each.status_code for who, each in told.items() if each.status_code not in REFUSED} == {}
    assert got.status_code == call.status
    assert got.text not in {each.text for each in told.values()}


@pytest.mark.parametrize("call", READS, ids=str)
def test_all_who_may_read_can_read_and_see_nothing_of_other_domains(shown: Shown, call: Call) -> None:
    names, everyone = shown.names, bare_token(shown.world, call)
    told = {who: made(everyone, who, call, names) for who in admitted(call)}
    assert {who: each.status_code for who, each in told.items() if each.status_code != call.status} == {}
    if call.elsewhere:
        of_the_shop = (each for name, each in names.items() if name not in FOR_ALL)
        secrets = [*of_the_shop, '"known"', '"shop-orders"', '"sellers"']
        assert [each for each in secrets if each in told["stranger"].text] == []


def unknown(call: Call, names: dict[str, str]) -> tuple[Call, dict[str, str]]:
    """The same call about things that do not exist."""
    nothing = {name: NOBODY if UUIDS.fullmatch(each) else each for name, each in names.items()}
    text = json.dumps([call.path, call.body]).replace("known", "wrong")
    path, body = json.loads(text)
    return replace(call, path=path, body=body), nothing


def without_names(text: str, names: dict[str, str]) -> str:
    """The answer without what was asked about, and without the number of the request."""
    for each in sorted({NOBODY, "known", "wrong", *names.values()}, key=len, reverse=True):
        text = text.replace(each, "?")
    return text


HIDING = [each for each in CALLS if not (each.elsewhere or each.bare or each.anonymous)]


@pytest.mark.parametrize("call", HIDING, ids=str)
def test_what_is_hidden_from_somebody_and_what_does_not_exist_look_the_same(shown: Shown, call: Call) -> None:
    other, nothing = unknown(call, shown.names)
    world = bare_token(shown.world, call)
    for who in ("stranger", "bare"):
        hidden, absent = made(world, who, call, shown.names), made(world, who, other, nothing)
        assert hidden.status_code in REFUSED
        assert hidden.status_code == absent.status_code, who
        assert without_names(hidden.text, shown.names) == without_names(absent.text, nothing), who


@pytest.mark.parametrize("call", [each for each in CALLS if each.local and each.audit and not each.authored], ids=str)
def test_who_has_a_role_in_a_domain_changes_what_is_in_it(full: Shown, call: Call) -> None:
    world, names = full.world, full.names
    everyone, local = with_others(world), [who for who in admitted(call) if who and who.startswith("shop-")]
    assert made(everyone, local[0], call, names).status_code == call.status


@pytest.mark.parametrize("call", [call for call in CALLS if call.audit], ids=str)
def test_each_change_writes_its_audit_entry_in_the_same_transaction(full: Shown, call: Call) -> None:
    world, names = full.world, full.names
    before = len(world.audited())
    who = "producer" if "producer" in call.allowed else min(call.allowed)
    with cheap_passwords():
        assert made(world, who, call, names).status_code == call.status
    assert world.audited()[before:] == (call.audit or "").split()


@pytest.mark.parametrize("call", [call for call in CALLS if call.audit], ids=str)
def test_a_change_that_cannot_be_audited_does_not_happen(
    full: Shown, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, names = full.world, full.names
    before = state(world)

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("treaty.registry.audit.audit_log.record", fail)
    who = "producer" if "producer" in call.allowed else min(call.allowed)
    with cheap_passwords():
        assert made(world, who, call, names).status_code == 500
    assert state(world) == before


def state(world: World) -> dict[str, list[str]]:
    """All rows of all tables; but for attempts at the door, which are counted whatever comes of them."""
    kept = [table for table in metadata.sorted_tables if table.name != "sign_in_window"]
    with world.engine.connect() as connection:
        return {table.name: sorted(map(str, connection.execute(table.select()))) for table in kept}


def test_every_route_is_in_the_table_of_calls(engine: Engine) -> None:
    paths = create_app(build(engine).http.app.state.service.settings, engine).openapi()["paths"]
    routes = {(method.upper(), path.removeprefix("/api/v1")) for path, methods in paths.items() for method in methods}
    shapes = {(call.method, shape(call.path)) for call in CALLS}
    assert {(method, shape(path)) for method, path in routes} == shapes


def shape(path: str) -> str:
    return "/".join("{}" if step.startswith("{") else step for step in path.split("?")[0].split("/"))


@pytest.mark.parametrize(
    "path",
    ["/proposals/{}", "/proposals/{}/preview", "/runs/{}", "/runs/{}/rerun", "/tasks/{}"],
)
def test_unknown_things_are_not_found(world: World, path: str) -> None:
    assert world.call("admin", "GET", path.format(NOBODY)).status_code == 404


def test_unknown_and_forbidden_things_get_the_same_answer(full: Shown) -> None:
    world, names = full.world, full.names
    hidden = world.call("owner", "GET", f"/proposals/{names['unsent']}")
    unknown = world.call("owner", "GET", f"/proposals/{NOBODY}")
    assert (hidden.status_code, hidden.json()) == (unknown.status_code, unknown.json())


@pytest.mark.parametrize(
    ("call", "status", "words"),
    [
        (lambda w: w.call("producer", "POST", "/proposals", json={"document": "id: ["}), 422, "faults"),
        (lambda w: w.call("producer", "POST", "/proposals", json={}), 422, "is invalid"),
        (lambda w: w.call("producer", "POST", "/proposals", json={"document": "x", "extra": 1}), 422, "is invalid"),
        (lambda w: w.call("producer", "POST", "/proposals", content=b"{"), 415, "application/json"),
        (lambda w: w.call("producer", "POST", "/proposals", JSON, content=b"{"), 422, "is invalid"),
        (lambda w: w.call("producer", "POST", "/drafts", json={**DRAFT, "object": "a\x00b"}), 422, "is invalid"),
        (lambda w: w.call("producer", "GET", "/proposals/not-an-id"), 422, "is invalid"),
        (lambda w: w.call("producer", "GET", "/contract?contract_id=unknown"), 404, "Not found"),
        (lambda w: w.call("producer", "GET", "/dataset/metrics?name=unknown"), 404, "No contract covers dataset"),
        (lambda w: w.call("producer", "GET", "/dataset/states"), 422, "is invalid"),
        (lambda w: w.call("producer", "GET", "/nowhere"), 404, "Not Found"),
        (lambda w: w.call("producer", "DELETE", "/me"), 405, "Method Not Allowed"),
        (lambda w: w.call("admin", "POST", "/users", json={**USER, "password": "short"}), 422, "is invalid"),
        (lambda w: w.call("admin", "POST", "/users", json={**USER, "name": "owner"}), 409, "already"),
        (lambda w: w.call(None, "GET", "/me"), 401, "Bearer"),
        (
            lambda w: w.http.get("/api/v1/me", headers={"Authorization": "Bearer nonsense"}),
            401,
            "Authentication failed",
        ),
    ],
)
def test_refusals_say_what_is_wrong_and_never_show_a_traceback(
    world: World, call: Callable[[World], Any], status: int, words: str
) -> None:
    answer = call(world)
    assert (answer.status_code, words in answer.json()["message"]) == (status, True)
    assert set(answer.json()) == {"type", "title", "status", "detail", "error", "message", "faults", "reference"}
    assert "Traceback" not in answer.text


def test_a_refused_request_does_not_repeat_what_was_sent(world: World) -> None:
    answer = world.call("admin", "POST", "/users", json={**USER, "password": "hunter2"})
    assert (answer.status_code, "hunter2" in answer.text) == (422, False)
    assert "password" in answer.json()["faults"][0]["where"]


def test_all_faults_of_a_document_are_said_at_once_with_their_lines(world: World) -> None:
    faulty = plain() | {"apiVersion": "v9", "colour": "red"}
    answer = world.call("producer", "POST", "/proposals", json={"document": writer.write(faulty).decode()})
    faults = answer.json()["faults"]
    assert len(faults) >= 2
    assert all(each["line"] for each in faults)


def test_a_check_that_no_analyzer_answers_is_refused_when_it_is_proposed(world: World) -> None:
    check = {"id": "a", "type": "custom", "engine": "treaty", "implementation": {"analyzer": "meen", "mustBe": 1}}
    faulty = plain()
    faulty["schema"][0]["quality"] = [check]
    answer = world.call("producer", "POST", "/proposals", json={"document": writer.write(faulty).decode()})
    assert answer.status_code == 422
    assert [(each["code"], each["where"]) for each in answer.json()["faults"]] == [
        ("TR-CHECK-ANALYZER", "schema[0].quality[0]")
    ]


def test_an_unexpected_failure_gives_a_reference_that_the_log_has(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret of the machine")

    monkeypatch.setattr("treaty.registry.browse.contract_list.contracts", fail)
    with caplog.at_level(logging.ERROR):
        answer = world.call("viewer", "GET", "/contracts")
    assert (answer.status_code, "secret" in answer.text) == (500, False)
    assert answer.json()["reference"] in caplog.text


def test_a_body_beyond_the_limit_is_refused(engine: Engine) -> None:
    small = build(engine, max_body_bytes=1000)
    answer = small.call("producer", "POST", "/proposals", json={"document": "x" * 2000})
    assert (answer.status_code, answer.json()["message"]) == (413, "The request is larger than 1,000 bytes.")


def test_a_document_carries_its_fingerprint_and_is_not_sent_twice(full: Shown) -> None:
    world = full.world
    first = world.call("viewer", "GET", "/contract/document?contract_id=known")
    headers = {"Authorization": f"Bearer {world.secrets['viewer']}", "If-None-Match": first.headers["ETag"]}
    again = world.http.get("/api/v1/contract/document?contract_id=known", headers=headers)
    assert (first.headers["Treaty-Version"], again.status_code, again.content) == ("1.0.0", 304, b"")


def test_contract_ids_may_hold_any_character(world: World) -> None:
    contract_id = "urn:shop/orders?x=1&y=#ä"
    proposal = world.client("producer").propose(document(contract_id, physical="/lake/odd"))
    owner = world.client("owner")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)
    assert owner.contract(contract_id).id == contract_id
    assert owner.document(contract_id) == document(contract_id, physical="/lake/odd").encode()


def test_is_ready_once_the_database_answers(world: World) -> None:
    assert world.client(None).ready().status == "ready"


def test_is_not_ready_before_the_database_has_its_tables(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'empty.db'}")
    answer = TestClient(create_app(RegistrySettings(), engine)).get("/api/v1/ready")
    assert (answer.status_code, answer.json()["message"]) == (503, "The database has no tables yet. Run `treaty init`.")
    engine.dispose()


def grown(world: World, count: int) -> None:
    """More proposals, contracts and runs."""
    owner = world.users["owner"].id
    with transaction(world.engine) as tx:
        for _ in range(count):
            contract_id = f"c-{ids.new()}"
            drafted(tx, world.users["producer"], suggestion(), base=document(contract_id))
            tx.add(ContractRow(id=contract_id, name="c", owner_id=owner, created_at=NOW))
            tx.add(failed_run(contract_id))
        tx.commit()


@pytest.mark.parametrize(
    ("who", "path"),
    [("owner", path) for path in ("/proposals", "/inbox", "/contracts", "/catalog", "/runs")] + [("admin", "/audit")],
)
def test_lists_ask_as_often_for_many_rows_as_for_few(world: World, who: str, path: str) -> None:
    counts, sizes = [], []
    for size in (1, 12):
        grown(world, size)
        with counted_queries(world.engine) as statements:
            answer = world.call(
                "owner" if path in {"/proposals", "/inbox", "/contracts", "/catalog", "/runs"} else "admin", "GET", path
            )
        counts.append(len(statements))
        sizes.append(len(answer.text))
    assert counts[0] == counts[1]
    assert sizes[0] < sizes[1]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"id": "x" * 501}, "id"),
        ({"name": "a\x00b"}, "name"),
        ({"version": "1.0.0\x07"}, "version"),
        ({"id": "x" * 3000, "name": "\x00"}, "name"),
    ],
)
def test_names_that_no_database_keeps_are_refused(world: World, change: dict[str, str], where: str) -> None:
    text = writer.write(plain() | change).decode()
    answer = world.call("producer", "POST", "/proposals", json={"document": text})
    assert (answer.status_code, where in {each["where"] for each in answer.json()["faults"]}) == (422, True)


@pytest.mark.parametrize(
    "path", ["/contract?contract_id=%00", "/runs?contract_id=%00", "/contract/document?contract_id=%00&version=%00"]
)
def test_a_text_that_the_database_cannot_hold_finds_nothing_or_is_refused(world: World, path: str) -> None:
    assert world.call("viewer", "GET", path).status_code in {200, 404, 422}


def test_signing_in_and_the_first_link_are_audited(engine: Engine) -> None:
    http = TestClient(create_app(RegistrySettings(), engine))
    with transaction(engine) as tx:
        secret = first_admin.issue(tx, token_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1))
        tx.commit()
    with cheap_passwords():
        http.post("/api/v1/setup", json={"token": secret, "name": "Ada", "password": PASSWORD})
        opened = http.post("/api/v1/session", json={"name": "ada", "password": PASSWORD})
    assert opened.status_code == 201
    with read_session(engine) as tx:
        assert [each.action for each in reversed(audit_log.entries(tx, PageRequest(9)).rows)] == [
            "setup:issued",
            "user:created",
            "setup:completed",
            "session:opened",
        ]


def test_a_draft_task_answers_with_its_state(world: World) -> None:
    task = world.call("producer", "POST", "/drafts", json=DRAFT).json()
    found = world.client("viewer").task(task["id"])
    assert (found.kind, found.state.value, found.attempts, found.result) == ("draft", "queued", 0, None)


def test_a_proposal_says_what_the_reader_may_do_to_it(full: Shown) -> None:
    world, names = full.world, full.names
    shown = {who: world.call(who, "GET", f"/proposals/{names['drafted']}").json() for who in EVERYBODY}
    assert {who for who in EVERYBODY if shown[who]["may_decide"]} == OWNERS | {"producer"}
    assert {who for who in EVERYBODY if shown[who]["may_approve"]} == OWNERS
    assert {who for who in EVERYBODY if shown[who]["may_withdraw"]} == {"producer"}
    assert shown["viewer"]["state"] == ProposalState.IN_REVIEW
