"""Every route of the API as a call that succeeds, and a registry with one of each thing that the calls speak of."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlmodel import Session, select
from support.api import (
    NOW,
    PASSWORD,
    USERS,
    World,
    document,
    drafted,
    failed_run,
    plain,
    suggestion,
)
from support.events import event
from support.flowing import step, take_in

from treaty.contracts.document import writer
from treaty.registry import schemas
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import (
    AcknowledgementState,
    ChannelKind,
    GrantScope,
    IncidentState,
    LineageEventState,
    OutboxState,
    Permission,
    Role,
    TaskState,
    TeamRole,
)
from treaty.registry.schemas.catalogs import CatalogConnectionIn
from treaty.registry.tables import (
    AcknowledgementRow,
    ChannelRow,
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
LAKE = {"name": "lake", "kind": "iceberg", "address": "http://127.0.0.1:9"}
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
    Call("GET", "/locations", ADMIN),
    Call("POST", "/locations", ADMIN, 201, {"location": "s3://lake/raw"}, "location:added"),
    Call("DELETE", "/locations/{place}", ADMIN, 204, None, "location:removed"),
    Call("GET", "/catalog-kinds", ADMIN),
    Call("GET", "/catalogs", ADMIN),
    Call("POST", "/catalogs", ADMIN, 201, {**LAKE, "name": "new"}, "catalog:added"),
    Call("GET", "/catalogs/{lake}", ADMIN),
    Call("PATCH", "/catalogs/{lake}", ADMIN, 200, {"private": False}, "catalog:changed"),
    Call("DELETE", "/catalogs/{lake}", ADMIN, 204, None, "catalog:removed"),
    Call("POST", "/catalogs/{lake}/test", ADMIN),
    Call("POST", "/catalogs/{lake}/read", ADMIN, 202, None, "catalog:read_requested"),
    Call("GET", "/catalogs/{lake}/tables", ADMIN),
    Call("GET", "/dataset/catalogs?name=known", EVERYBODY, local=True),
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
    Call("GET", "/key-models", EVERYBODY, local=True, elsewhere=True),
    Call("POST", "/key-models", ADMIN, 202, None, "key_model:requested"),
    Call("PUT", "/key-models", ADMIN, 200, {"version": None}, "key_model:chosen"),
    Call("GET", "/key-models/{key_version}", ADMIN, 404),
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
    place = world.client("admin").add_location("s3://lake/old")
    world.client("admin").add_catalog(CatalogConnectionIn(**LAKE))
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
        "lake": "lake",
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
        "key_version": "999999",
        "space": "file/datasets",
        "lineage_run": step("dash", "COMPLETE", 1)["run"]["runId"],
        "template": "ours",
        "wanted": str(wanted.id),
        "place": str(place.id),
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
