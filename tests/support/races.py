"""Rounds in which two people edit a proposal and an owner approves it, all at the same moment."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from uuid import UUID

from sqlalchemy import Engine
from sqlmodel import Session, select
from support.api import plain
from support.locations import ALL

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.engine.core import clock
from treaty.registry.access import users
from treaty.registry.access.authentication import Principal, permissions_of
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import ProposalState, Role
from treaty.registry.core.errors import IllegalTransition, RevisionConflict
from treaty.registry.review.approval import approval
from treaty.registry.review.proposals import editing, proposals
from treaty.registry.tables import ContractVersionRow, ProposalRow

EDITORS = {"author": Role.PRODUCER, "editor": Role.OWNER}
APPROVER = "approver"


@dataclass(frozen=True)
class Race:
    """One round: the edits that were acknowledged, those in the approved body, what the approver saw last, and how
    often somebody was refused because another was first."""

    edits: frozenset[str]
    body: frozenset[str]
    approved: bytes
    seen: bytes
    refused: int

    def check(self) -> None:
        """Raises AssertionError where an edit was lost, or what was approved is not what was shown."""
        assert self.edits == self.body
        assert self.approved == self.seen


def rounds(engine: Engine, count: int) -> Iterator[Race]:
    """That many rounds, each checked."""
    who = {name: _person(engine, name, role) for name, role in {**EDITORS, APPROVER: Role.OWNER}.items()}
    with ThreadPoolExecutor(len(who)) as threads:
        for number in range(count):
            race = _round(engine, who, threads, f"race-{number}")
            race.check()
            yield race


def _round(engine: Engine, who: dict[str, Principal], threads: ThreadPoolExecutor, contract_id: str) -> Race:
    proposal_id, start = _proposed(engine, who["author"], contract_id), Barrier(len(who))

    def edit(name: str) -> tuple[bool, int]:
        start.wait()
        return _until_settled(lambda: _edit(engine, proposal_id, who[name], name))

    def approve(name: str) -> tuple[bytes, int]:
        start.wait()
        seen: list[bytes] = []
        _, refused = _until_settled(lambda: _approve(engine, proposal_id, who[name], seen))
        return seen[-1], refused

    editing_ = {name: threads.submit(edit, name) for name in EDITORS}
    seen, refused = threads.submit(approve, APPROVER).result()
    edits = {name: each.result() for name, each in editing_.items()}
    with read_session(engine) as tx:
        body = tx.exec(select(ContractVersionRow.body).where(ContractVersionRow.contract_id == contract_id)).one()
    return Race(
        edits=frozenset(name for name, (done, _) in edits.items() if done),
        body=frozenset(_tags(body)),
        approved=body,
        seen=seen,
        refused=refused + sum(each for _, each in edits.values()),
    )


def _until_settled(step: Callable[[], None]) -> tuple[bool, int]:
    """Whether the step was taken before the proposal was closed, and how often another was first."""
    refused = 0
    while True:
        try:
            step()
        except RevisionConflict:
            refused += 1
        except IllegalTransition:
            return False, refused + 1
        else:
            return True, refused


def _edit(engine: Engine, proposal_id: UUID, by: Principal, name: str) -> None:
    """Adds the editor's name to the tags of the document as it is now."""
    with read_session(engine) as tx:
        proposal = _visible(tx, proposal_id, by)
        content = dict(read(proposal.base).document)
        wanted = {**content, "tags": [*content.get("tags", ()), name]}
        revision = proposal.revision
    with transaction(engine) as tx:
        editing.edit(tx, proposal_id, editing.DocumentEdit(writer.write(wanted), revision), by=by, now=clock.now())
        tx.commit()


def _approve(engine: Engine, proposal_id: UUID, by: Principal, seen: list[bytes]) -> None:
    with read_session(engine) as tx:
        shown = proposals.preview(tx, _visible(tx, proposal_id, by))
    seen.append(shown.document)
    with transaction(engine) as tx:
        approval.approve(
            tx,
            proposal_id,
            approval.ApprovalInput(fingerprint=shown.fingerprint, make_id=ids.new, rules=ALL),
            by=by,
            now=clock.now(),
        )
        tx.commit()


def _visible(tx: Session, proposal_id: UUID, by: Principal) -> ProposalRow:
    return proposals.get(tx, proposal_id, by=by)


def _tags(body: bytes) -> list[str]:
    return list(read(body).document.get("tags", ()))


def _proposed(engine: Engine, author: Principal, contract_id: str) -> UUID:
    proposal = ProposalRow(
        id=ids.new(),
        contract_id="",
        title="",
        base=writer.write(plain(contract_id)),
        author_id=author.user_id,
        state=ProposalState.IN_REVIEW,
        created_at=clock.now(),
    )
    with transaction(engine) as tx:
        proposals.create(tx, proposal, author=author, now=clock.now())
        tx.commit()
    return proposal.id


def _person(engine: Engine, name: str, role: Role) -> Principal:
    now = clock.now()
    with transaction(engine) as tx:
        user = users.new_user(ids.new(), name=name, password=None, roles=[role], now=now)
        users.create_user(tx, user, actor="test", now=now)
        tx.commit()
    return Principal(user_id=user.id, name=name, roles=frozenset({role}), permissions=permissions_of([role]))
