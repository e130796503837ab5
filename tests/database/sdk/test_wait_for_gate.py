"""How much waits for whom: as much as the inbox lists, whatever there is; and which runs it says that failed."""

from collections.abc import Sequence
from datetime import timedelta
from random import Random

import pytest
from sqlmodel import Session, select
from support.api import NOW, World, counted_queries, failed_run

from treaty.engine.core import clock
from treaty.engine.core.results import Verdict
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import IncidentState, ProposalState, RunKind
from treaty.registry.schemas import InboxCountsOut, InboxOut
from treaty.registry.tables import ContractRow, IncidentObjectRow, IncidentRow, ProposalRow, ProposalSnoozeRow, RunRow
from treaty.ui.parts.inbox import inbox_order

OBJECTS = ("orders", "items")
PEOPLE = ("owner", "other-owner", "producer", "viewer", "admin")
SPAN = timedelta(hours=1)


def filled(world: World, random: Random) -> None:
    """Two contracts, with proposals and runs in any state, put off or not, and incidents in anybody's hands."""
    people = [world.users[each].id for each in PEOPLE]
    with transaction(world.engine) as tx:
        for name, owner in (("sales", "owner"), ("stock", "other-owner")):
            tx.add(ContractRow(id=name, name=name, owner_id=world.users[owner].id, created_at=NOW))
        tx.flush()
        for _ in range(12):
            proposal = proposed(random, people)
            tx.add(proposal)
            tx.flush()
            until = clock.now() + random.choice((-SPAN, SPAN))
            if random.random() < 0.3:
                tx.add(ProposalSnoozeRow(user_id=random.choice(people), proposal_id=proposal.id, snoozed_until=until))
        runs = [ran(random) for _ in range(40)]
        tx.add_all(runs)
        tx.flush()
        for run in runs[::3]:
            cared(tx, random, run, people)
        tx.commit()


def proposed(random: Random, people: Sequence[object]) -> ProposalRow:
    return ProposalRow(
        id=ids.new(),
        contract_id=random.choice(("sales", "stock", "new")),
        title="",
        base=b"",
        author_id=random.choice(people),
        state=random.choice(list(ProposalState)),
        assignee_id=random.choice((None, *people)),
        created_at=NOW + random.randrange(9) * SPAN,
    )


BAD = (Verdict.FAILED, Verdict.NOT_EVALUATED, Verdict.UNCERTAIN)


def ran(random: Random) -> RunRow:
    run = failed_run(random.choice(("sales", "stock")))
    run.object, run.verdict = random.choice(OBJECTS), random.choice(list(Verdict))
    run.kind, run.superseded_reason = random.choice(list(RunKind)), random.choice((None, None, "taken back"))
    run.subscription_id = random.choice((None, None, None, ids.new()))
    # Some end at the same moment.
    run.finished_at = NOW + random.randrange(20) * SPAN
    return run


def cared(tx: Session, random: Random, run: RunRow, people: Sequence[object]) -> None:
    incident = IncidentRow(
        id=ids.new(), contract_id=run.contract_id, object=run.object, state=random.choice(list(IncidentState)),
        opened_at=NOW, updated_at=NOW, started_at=NOW, assignee_id=random.choice((None, *people)),
        snoozed_until=random.choice((None, clock.now() + SPAN)),
    )  # fmt: skip
    tx.add(incident)
    tx.flush()
    of = {"version": "1.0.0", "failing_checks": [], "first_run_id": run.id, "last_run_id": run.id, "joined_at": NOW}
    part = IncidentObjectRow(incident_id=incident.id, contract_id=run.contract_id, object=run.object, **of)
    tx.add(part)
    tx.flush()
    # Only one of an object may still fail.
    part.active = None
    tx.flush()


def tells(run: RunRow) -> bool:
    """Whether the run says how the data of a contract's own object are."""
    gone = run.kind is RunKind.PRESENCE and run.verdict is Verdict.FAILED and run.superseded_reason is None
    return run.subscription_id is None and (run.kind in (RunKind.DATA, RunKind.SCHEMA) or gone)


def sizes(found: InboxOut) -> InboxCountsOut:
    return InboxCountsOut(
        failed_runs=len(found.failed_runs),
        acknowledgements=len(inbox_order.pending_acknowledgements(found)),
        to_change=len(found.to_change),
        to_decide=len(found.to_decide),
        contract_requests=len(found.contract_requests),
    )


@pytest.mark.parametrize("seed", range(2))
def test_as_much_is_counted_as_the_inbox_lists_and_the_menu_says_the_sum(world: World, seed: int) -> None:
    filled(world, Random(seed))
    world.client("producer").request_contract("/lake/nobodys", "we read it")
    told = {}
    for each in world.users:
        found = world.client(each).inbox()
        told[each] = world.client(each).inbox_counts()
        assert told[each] == sizes(found)
        assert told[each].total == len(inbox_order.urgent(found))
    assert any(each.total for each in told.values())


@pytest.mark.parametrize("seed", range(2))
def test_of_each_object_the_last_run_is_the_one_that_failed(world: World, seed: int) -> None:
    filled(world, Random(seed))
    with transaction(world.engine) as tx:
        for incident in tx.exec(select(IncidentObjectRow)).all():
            tx.delete(incident)
        runs = sorted(filter(tells, tx.exec(select(RunRow)).all()), key=lambda each: (each.finished_at, each.id))
        tx.commit()
    last = {(each.contract_id, each.object): each for each in runs if each.contract_id == "sales"}
    failed = {each.id for each in last.values() if each.verdict in BAD}
    assert {each.id for each in world.client("owner").inbox().failed_runs} == failed
    newest = {each.contract_id: each.id for each in runs}
    shown = {each.id: each.last_run.id if each.last_run else None for each in world.client("viewer").contracts()}
    assert shown == {name: newest.get(name) for name in ("sales", "stock")}


def test_however_much_waits_is_counted_by_few_statements_beside_those_of_who_asks(world: World) -> None:
    with counted_queries(world.engine) as before:
        world.client("owner").inbox_counts()
    filled(world, Random(1))
    with counted_queries(world.engine) as after:
        world.client("owner").inbox_counts()
    asked = [each for each in after if each.upper().startswith("SELECT")]
    assert (len(after), len(asked)) == (len(before), 4)


def statements_to_count(world: World, *, asked: int) -> int:
    """How many statements count what waits for the owner once that many contracts were asked for."""
    for at in range(world.client("owner").inbox_counts().contract_requests, asked):
        world.client("consumer").request_contract(f"/lake/{at}", "we read it")
    with counted_queries(world.engine) as statements:
        assert world.client("owner").inbox_counts().contract_requests == asked
    return len(statements)


def test_however_much_is_asked_for_is_counted_by_as_many_statements(world: World) -> None:
    assert statements_to_count(world, asked=1) == statements_to_count(world, asked=20)
