"""An approval asks for a validation in words that the worker understands."""

from pathlib import Path

from sqlalchemy import Engine
from support.locations import ALL
from support.scenes import LOCATION, NOON, Scene, document, rows, user

from treaty.engine.core.results import Verdict
from treaty.registry.access import authentication
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import ProposalState, Role
from treaty.registry.review.approval import approval
from treaty.registry.review.approval.approval import ApprovalInput
from treaty.registry.review.proposals import proposals
from treaty.registry.tables import ProposalRow, RunRow, UserRow

ALIASED = document().replace(
    b"schema:",
    f"""customProperties:
  - property: treaty
    value:
      aliases: [{{object: orders, namespace: file, name: {LOCATION}}}]
schema:""".encode(),
    1,
)


def principal(who: UserRow) -> authentication.Principal:
    roles = frozenset(map(Role, who.roles))
    return authentication.Principal(
        user_id=who.id, name=who.name, roles=roles, permissions=authentication.permissions_of(who.roles)
    )


def approve(engine: Engine, author: UserRow, owner: UserRow) -> None:
    """The whole procedure, in one transaction."""
    proposal = ProposalRow(
        id=ids.new(),
        contract_id="",
        title="",
        base=ALIASED,
        author_id=author.id,
        state=ProposalState.DRAFT,
        created_at=NOON,
    )
    with transaction(engine) as tx:
        proposals.create(tx, proposal, author=principal(author), now=NOON)
        approval.submit(tx, proposal.id, by=principal(author), now=NOON)
        seen = ApprovalInput(fingerprint=proposals.preview(tx, proposal).fingerprint, make_id=ids.new, rules=ALL)
        approval.approve(tx, proposal.id, seen, by=principal(owner), now=NOON)
        tx.commit()


def test_an_approved_contract_is_judged_on_all_there_is(engine: Engine, tmp_path: Path) -> None:
    scene = Scene(engine, tmp_path)
    scene.write("ds=1", "good")
    scene.write("ds=2", "bad")
    approve(engine, user(engine, token="treaty_a_1111"), user(engine, Role.OWNER, token="treaty_b_2222"))
    scene.work()
    (run,) = rows(engine, RunRow)
    assert (run.verdict, run.partitions, run.version) == (Verdict.FAILED, ["ds=1", "ds=2"], "1.0.0")
