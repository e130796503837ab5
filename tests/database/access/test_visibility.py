"""Roles on parts of the registry: what a role on a domain, a contract or a dataset permits, and what stays unknown."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.api import NOW, World, plain, remembered, suggestion
from support.api import drafted as drafted_proposal

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.engine.core.results import Verdict
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.access import users as access_users
from treaty.registry.access.permissions import Principal, Resource, ScopedGrant
from treaty.registry.client import ClientError
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import GrantScope, Permission, Role, TeamRole
from treaty.registry.tables import ContractRow, DatasetRow, ProposalRow, RunRow

NOBODY = "00000000-0000-7000-8000-000000000000"


def sold(contract_id: str, domain: str | None = "shop", *, version: str = "1.0.0", **more: Any) -> str:
    """A contract of that domain."""
    named = {"domain": domain} if domain else {}
    return writer.write({**plain(contract_id, version=version), **named, **more}).decode()


@dataclass(frozen=True)
class Two:
    """A service with a contract in each of two domains, a run of each, and somebody without any role."""

    world: World

    def made(self, name: str) -> "Two":
        """With another user without any role, who has a session."""
        with transaction(self.world.engine) as tx:
            user = access_users.new_user(ids.new(), name=name, password=None, roles=[], now=NOW)
            access_users.create_user(tx, user, actor="test", now=NOW)
            secret, _ = authentication.sign_in(
                tx, user, session_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1)
            )
            tx.commit()
        users, secrets = {**self.world.users, name: user}, {**self.world.secrets, name: secret}
        return Two(World(self.world.engine, self.world.http, users, secrets))

    def granted(self, role: Role, part: GrantScope, target: str, who: str = "ann") -> "Two":
        """With the role of the user there."""
        given = schemas.GrantIn(role=role, scope=part, target=target, user_id=self.world.users[who].id)
        self.world.client("admin").grant(given)
        return self

    def dataset(self, contract_id: str) -> str:
        """The id of the contract's dataset."""
        with read_session(self.world.engine) as tx:
            return str(lookup.datasets(tx, contract_id)[0][0].id)

    def run(self, contract_id: str) -> str:
        """The id of the contract's run."""
        with read_session(self.world.engine) as tx:
            return str(tx.exec(select(RunRow.id).where(RunRow.contract_id == contract_id)).one())

    def seen(self, who: str = "ann") -> dict[str, set[str]]:
        """What lists show to the user: ids of contracts."""
        client = self.world.client(who)
        return {
            "contracts": {each.id for each in client.contracts()},
            "proposals": {each.contract_id for each in client.proposals()},
            "runs": {each.contract_id for each in client.runs()},
        }

    def status(self, path: str, who: str = "ann") -> int:
        """The status of a request."""
        return int(self.world.call(who, "GET", path).status_code)


def ran(contract_id: str, dataset: DatasetRow) -> RunRow:
    return RunRow(
        id=ids.new(), contract_id=contract_id, version="1.0.0", fingerprint="f", object="orders", partitions=[],
        dataset_id=dataset.id, verdict=Verdict.PASSED, outcome_counts={}, started_at=NOW, finished_at=NOW,
    )  # fmt: skip


def in_force(world: World) -> None:
    """Two contracts of different domains, each with a run."""
    for contract_id, domain in (("orders", "shop"), ("salaries", "people")):
        made = world.client("producer").propose(sold(contract_id, domain))
        owner = world.client("owner")
        owner.approve(made.id, owner.preview(made.id).fingerprint)
    with transaction(world.engine) as tx:
        for contract_id in ("orders", "salaries"):
            tx.add(ran(contract_id, lookup.datasets(tx, contract_id)[0][0]))
        tx.commit()


@pytest.fixture
def two(engine: Engine) -> Iterator[Two]:
    world, _ = remembered(engine, in_force)
    with world.http:
        yield Two(world).made("ann").made("ben")


ALL = {"orders", "salaries"}


@pytest.mark.parametrize(
    ("part", "target", "contracts", "proposals", "runs"),
    [
        (GrantScope.EVERYTHING, "", ALL, ALL, ALL),
        (GrantScope.DOMAIN, "shop", {"orders"}, {"orders"}, {"orders"}),
        (GrantScope.DOMAIN, "Shop", set(), set(), set()),
        (GrantScope.CONTRACT, "salaries", {"salaries"}, {"salaries"}, {"salaries"}),
        (GrantScope.CONTRACT, "shop", set(), set(), set()),
        (GrantScope.DATASET, "orders", {"orders"}, set(), {"orders"}),
    ],
)
def test_lists_show_what_a_role_is_about_and_nothing_else(
    two: Two, part: GrantScope, target: str, contracts: set[str], proposals: set[str], runs: set[str]
) -> None:
    two.granted(Role.VIEWER, part, two.dataset(target) if part is GrantScope.DATASET else target)
    assert two.seen() == {"contracts": contracts, "proposals": proposals, "runs": runs}
    assert two.world.client("ann").contract_ids() == sorted(contracts)


def test_who_has_no_role_anywhere_is_told_what_they_lack(two: Two) -> None:
    paths = (
        "/contracts",
        "/contracts/ids",
        "/runs",
        "/proposals",
        "/inbox",
        "/inbox/counts",
        "/contract?contract_id=orders",
    )
    assert {two.status(path) for path in paths} == {403}
    assert two.world.call("ann", "GET", "/me").json()["permissions"] == []


PATHS = [
    "/contract?contract_id={}",
    "/contract/document?contract_id={}",
    "/dataset/metrics?name={}&metric=size",
    "/dataset/states?name={}",
    "/dataset/profile?name={}",
    "/dataset/states?name={}.orders",
    "/dataset/gate?name={}",
    "/gate?dataset={}",
    "/gate?dataset=/lake/{}",
    "/dataset/gate/dataset?name={}",
    "/dataset/gate/generation?name={}",
    "/measurements?contract_id={}&object=orders&identity=x",
    "/history/metrics?contract_id={}&object=orders",
    "/history/checks?contract_id={}&object=orders&check_id=c",
    "/fits?contract_id={}&object=orders",
    "/feedback?contract_id={}&object=orders",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("part", "target"), [(GrantScope.DOMAIN, "shop"), (GrantScope.CONTRACT, "orders"), (GrantScope.DATASET, "orders")]
)
def test_what_somebody_may_not_read_and_what_there_is_not_look_the_same(
    two: Two, path: str, part: GrantScope, target: str
) -> None:
    two.granted(Role.OWNER, part, two.dataset(target) if part is GrantScope.DATASET else target)
    told, unknown = (two.world.call("ann", "GET", path.format(name)) for name in ("salaries", "nowhere"))
    assert two.status(path.format("orders")) == 200
    assert (told.status_code, told.text.replace("salaries", "nowhere")) == (404, unknown.text)


@pytest.mark.parametrize("path", ["/runs/{}", "/runs/{}/samples", "/runs/{}/rerun", "/proposals/{}", "/tasks/{}"])
def test_ids_of_others_are_not_found(two: Two, path: str) -> None:
    two.granted(Role.OWNER, GrantScope.DOMAIN, "shop")
    with read_session(two.world.engine) as tx:
        proposal = tx.exec(select(ProposalRow.id).where(ProposalRow.contract_id == "salaries")).one()
    draft = {"location": "/lake/x", "contract_id": "salaries", "object": "x"}
    task = two.world.call("producer", "POST", "/drafts", json=draft).json()["id"]
    hidden = {"runs": two.run("salaries"), "proposals": proposal, "tasks": task}[path.split("/")[1]]
    told, unknown = (two.world.call("ann", "GET", path.format(each)) for each in (hidden, NOBODY))
    assert (told.status_code, told.text) == (404, unknown.text)


def test_a_role_on_a_dataset_is_about_its_memory_and_no_more_than_reading_of_its_contract(two: Two) -> None:
    two.granted(Role.OWNER, GrantScope.DATASET, two.dataset("orders"))
    assert two.status("/dataset/gate/generation?name=orders") == 200
    assert two.status(f"/runs/{two.run('orders')}/samples") == 200
    assert two.world.call("ann", "DELETE", "/dataset/states?name=orders").status_code == 200
    document = {"document": sold("orders", version="2.0.0")}
    assert two.world.call("ann", "POST", "/proposals", json=document).status_code == 403


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CONSUMER, Role.PRODUCER, Role.SERVICE])
def test_who_may_read_but_not_erase_is_forbidden_and_who_may_not_read_finds_nothing(two: Two, role: Role) -> None:
    two.granted(role, GrantScope.DOMAIN, "shop").granted(Role.OWNER, GrantScope.DOMAIN, "elsewhere")
    told = [two.world.call("ann", "DELETE", f"/dataset/states?name={each}") for each in ("orders", "salaries", "none")]
    assert [each.status_code for each in told] == [403, 404, 404]
    assert told[1].text.replace("salaries", "none") == told[2].text


def test_a_new_contract_is_proposed_where_its_document_says(two: Two) -> None:
    two.granted(Role.PRODUCER, GrantScope.DOMAIN, "shop")
    made = {}
    for domain in ("shop", "people", None):
        body = {"document": sold(f"new-{domain}", domain)}
        made[domain] = two.world.call("ann", "POST", "/proposals", json=body).status_code
    assert made == {"shop": 201, "people": 403, None: 403}


def proposed(two: Two, text: str, who: str = "producer") -> str:
    return str(two.world.client(who).propose(text).id)


def approval(two: Two, who: str, proposal: str) -> int:
    fingerprint = two.world.client("owner").preview(proposal).fingerprint  # type: ignore[arg-type]
    body = {"fingerprint": fingerprint}
    return int(two.world.call(who, "POST", f"/proposals/{proposal}/approve", json=body).status_code)


@pytest.mark.parametrize(
    ("held", "domain", "status"),
    [
        (("shop",), "shop", 200),
        (("shop",), "people", 403),
        (("people",), "people", 404),
        (("shop", "people"), "people", 200),
        (("shop",), None, 403),
    ],
)
def test_a_contract_is_moved_by_who_owns_where_it_is_and_where_it_goes(
    two: Two, held: tuple[str, ...], domain: str | None, status: int
) -> None:
    for each in held:
        two.granted(Role.OWNER, GrantScope.DOMAIN, each)
    proposal = proposed(two, sold("orders", domain, version="2.0.0"))
    assert approval(two, "ann", proposal) == status
    with read_session(two.world.engine) as tx:
        moved = domain if status == 200 else "shop"
        assert tx.get_one(ContractRow, "orders").domain == moved
        proposals = tx.exec(select(ProposalRow.domain).where(ProposalRow.contract_id == "orders")).all()
        assert set(proposals) == {moved}


def referring(dataset: str) -> str:
    """A contract of the shop whose check has its limit from another dataset."""
    content = {**plain("new"), "domain": "shop"}
    limit = {"analyzer": "size", "mustBe": {"dataset": dataset, "analyzer": "size"}}
    content["schema"][0]["quality"] = [{"id": "c", "type": "custom", "engine": "treaty", "implementation": limit}]
    return writer.write(content).decode()


@pytest.mark.parametrize(("dataset", "status"), [("orders", 200), ("salaries", 403), ("nowhere", 403)])
def test_an_owner_of_a_domain_puts_nothing_in_force_that_reads_beyond_it(two: Two, dataset: str, status: int) -> None:
    two.granted(Role.OWNER, GrantScope.DOMAIN, "shop")
    proposal = proposed(two, referring(dataset))
    assert approval(two, "ann", proposal) == status
    assert approval(two, "other-owner", proposal) == (200 if status == 403 else 409)


def test_an_owner_of_a_domain_does_not_take_a_dataset_of_another(two: Two) -> None:
    two.granted(Role.OWNER, GrantScope.DOMAIN, "shop")
    content = {**plain("new", physical="/lake/salaries"), "domain": "shop"}
    told = two.world.call("ann", "POST", "/proposals", json={"document": writer.write(content).decode()})
    assert told.status_code == 201
    ben = two.granted(Role.OWNER, GrantScope.DOMAIN, "shop", who="ben")
    assert approval(ben, "ben", told.json()["id"]) == 403


@pytest.mark.parametrize(
    ("contract_id", "location", "status"),
    [("orders", "/lake/orders", 202), ("orders", "/lake/salaries", 403), ("salaries", "/lake/salaries", 403),
     ("new", "/lake/new", 403)],
)  # fmt: skip
def test_a_producer_of_a_domain_has_only_its_tables_drafted(
    two: Two, contract_id: str, location: str, status: int
) -> None:
    two.granted(Role.PRODUCER, GrantScope.DOMAIN, "shop")
    body = {"location": location, "contract_id": contract_id, "object": "orders"}
    assert two.world.call("ann", "POST", "/drafts", json=body).status_code == status


def test_the_inbox_of_an_owner_of_a_domain_has_its_proposals(two: Two) -> None:
    two.granted(Role.OWNER, GrantScope.DOMAIN, "shop").granted(Role.VIEWER, GrantScope.DOMAIN, "people")
    for contract_id, domain in (("orders", "shop"), ("salaries", "people")):
        proposed(two, sold(contract_id, domain, version="2.0.0"))
    assert [each.contract_id for each in two.world.client("ann").inbox().to_decide] == ["orders"]


def test_a_drafted_proposal_lies_where_its_contract_does(two: Two) -> None:
    with transaction(two.world.engine) as tx:
        made = drafted_proposal(tx, two.world.users["producer"], suggestion(), base=sold("orders", None))
        assert made.domain == "shop"


def test_a_team_s_members_may_what_it_is_granted_as_long_as_they_belong_to_it(two: Two) -> None:
    admin = two.world.client("admin")
    team = admin.create_team("sellers")
    given = admin.grant(schemas.GrantIn(role=Role.OWNER, scope=GrantScope.DOMAIN, target="shop", team_id=team.id))
    assert two.status("/contract?contract_id=orders") == 403
    admin.set_member(team.id, "ann")
    assert [two.status(f"/contract?contract_id={each}") for each in ("orders", "salaries")] == [200, 404]
    assert [each.name for each in two.world.client("ann").teams()] == ["sellers"]
    assert two.world.client("ben").teams() == []
    admin.revoke_grant(given.id)
    assert two.status("/contract?contract_id=orders") == 403
    admin.grant(schemas.GrantIn(role=Role.VIEWER, scope=GrantScope.EVERYTHING, team_id=team.id))
    assert two.seen()["contracts"] == ALL
    admin.remove_member(team.id, "ann")
    assert two.status("/contract?contract_id=orders") == 403
    admin.set_member(team.id, "ann")
    admin.remove_team(team.id)
    assert two.status("/contract?contract_id=orders") == 403
    assert admin.grants() == []


def refused(call: Callable[[], object]) -> int:
    with pytest.raises(ClientError) as error:
        call()
    return error.value.status


def test_who_leads_a_team_says_who_belongs_to_it_and_nobody_else_does(two: Two) -> None:
    admin, ann, ben = (two.world.client(who) for who in ("admin", "ann", "ben"))
    team, other = admin.create_team("sellers"), admin.create_team("buyers")
    assert refused(lambda: ann.set_member(team.id, "ben")) == 404
    admin.set_member(team.id, "ann", TeamRole.LEAD)
    assert [(each.name, each.role) for each in ann.set_member(team.id, "ben").members] == [
        ("ann", TeamRole.LEAD),
        ("ben", TeamRole.MEMBER),
    ]
    assert refused(lambda: ben.set_member(team.id, "owner")) == 404
    assert refused(lambda: ben.set_member(other.id, "owner")) == 404
    assert refused(lambda: ann.set_member(other.id, "ben")) == 404
    assert refused(lambda: ann.set_member(team.id, "nobody-at-all")) == 404
    assert refused(lambda: ann.create_team("third")) == 403
    assert [each.name for each in ann.remove_member(team.id, "ben").members] == ["ann"]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"role": "owner", "scope": "domain", "target": "shop"}, 201),
        ({"role": "admin", "scope": "everything"}, 422),
        ({"role": "owner", "scope": "everything", "target": "shop"}, 422),
        ({"role": "owner", "scope": "domain", "target": " "}, 422),
        ({"role": "owner", "scope": "dataset", "target": NOBODY}, 404),
        ({"role": "owner", "scope": "dataset", "target": "orders"}, 404),
        ({"role": "owner", "scope": "domain", "target": "shop", "team_id": NOBODY}, 422),
        ({"role": "owner", "scope": "domain", "target": "shop", "user_id": NOBODY}, 404),
        ({"role": "owner", "scope": "domain", "target": "shop", "user_id": None}, 422),
    ],
)
def test_only_what_is_there_is_granted(two: Two, given: dict[str, Any], status: int) -> None:
    body = {"user_id": str(two.world.users["ann"].id), **given}
    assert two.world.call("admin", "POST", "/grants", json=body).status_code == status
    if status == 201:
        assert two.world.call("admin", "POST", "/grants", json=body).status_code == 409


def test_a_token_may_on_parts_what_its_scopes_are_and_its_user_may_there(two: Two) -> None:
    two.granted(Role.OWNER, GrantScope.DOMAIN, "shop")
    two.world.client("ann").issue_token("all", scopes=[Permission.DECIDE])
    secret = two.world.client("ann").issue_token("reads", scopes=[Permission.READ]).secret
    reads = Two(World(two.world.engine, two.world.http, two.world.users, {**two.world.secrets, "token": secret}))
    assert [reads.status(f"/contract?contract_id={each}", "token") for each in ("orders", "salaries")] == [200, 404]
    assert reads.status("/dataset/gate/generation?name=orders", "token") == 403
    assert two.world.call("ann", "POST", "/tokens", json={"name": "x", "scopes": ["audit:read"]}).status_code == 403


def test_a_role_on_a_part_permits_nothing_on_everything() -> None:
    parts = [
        (GrantScope.DOMAIN, "d"),
        (GrantScope.CONTRACT, "c"),
        (GrantScope.DATASET, NOBODY),
        (GrantScope.EVERYTHING, ""),
    ]
    granted = tuple(ScopedGrant(part, target, frozenset(Permission)) for part, target in parts)
    who = Principal(user_id=ids.new(), name="ann", roles=frozenset(), permissions=frozenset(), granted=granted)
    assert [each for each in Permission if who.may(each)] == []
    assert [each for each in Permission if not who.may(each, Resource("x", "d"))] == []
    assert not who.may(Permission.READ, Resource("x", "y", frozenset({ids.new()})))
