"""Records of approvals, and `treaty audit` over a database: who approved what, and whether that still holds."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text
from sqlmodel import select
from support.api import NOW, World, document, drafted, plain, suggestion

from treaty.contracts.document import writer
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core import key_files
from treaty.registry.audit import audit_log
from treaty.registry.cli import main
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Decision
from treaty.registry.core.errors import NotFound
from treaty.registry.review.approval import records
from treaty.registry.review.approval.records import ApprovalEvidence
from treaty.registry.tables import ApprovalRecordRow, AuditEntryRow, ContractVersionRow, ProposalRow, UserRow


def approved(world: World) -> ApprovalRecordRow:
    """The record of a draft of which one suggestion was accepted and one rejected."""
    with transaction(world.engine) as tx:
        author = tx.exec(select(UserRow).where(UserRow.name == "producer")).one()
        made = drafted(tx, author, suggestion(), suggestion("day")).id
        tx.commit()
    owner = world.client("owner")
    first, second = owner.proposal(made).suggestions
    revision = owner.decide(made, [first.id], Decision.ACCEPTED, revision=1).revision
    owner.decide(made, [second.id], Decision.REJECTED, revision=revision, reason="not always")
    owner.approve(made, owner.preview(made).fingerprint)
    return record(world.engine)


def record(engine: Engine) -> ApprovalRecordRow:
    with read_session(engine) as tx:
        return tx.exec(select(ApprovalRecordRow)).one()


def faults(engine: Engine) -> tuple[str, ...]:
    with read_session(engine) as tx:
        return records.faults(tx, tx.exec(select(ApprovalRecordRow)).one())


def forced(engine: Engine, *statements: str) -> None:
    """Writes behind the triggers."""
    off = ["set local session_replication_role = replica"]
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            found = connection.scalars(text("select name from sqlite_master where type = 'trigger'")).all()
            off = [f"drop trigger {each}" for each in found]
        for each in (*off, *statements):
            connection.execute(text(each))


def test_an_approval_records_what_was_approved_by_whom_and_on_what_grounds(world: World) -> None:
    kept = approved(world)
    with read_session(world.engine) as tx:
        version = tx.exec(select(ContractVersionRow)).one()
        entry = tx.exec(select(AuditEntryRow).where(AuditEntryRow.action == AuditAction.APPROVAL_GIVEN)).one()
    told = kept.content
    assert kept.hash == fingerprint(told) == entry.details["record"]
    assert (told["contract"], told["version"], told["fingerprint"]) == ("shop-orders", "1.0.0", version.fingerprint)
    assert told["document_sha256"] == sha256(version.body).hexdigest()
    assert (told["author"], told["approver"], told["after"]) == ("producer", "owner", [])
    assert [(each["id"], each["decision"], each["by"]) for each in told["suggestions"]] == [
        ("orders.id.required", "accepted", "owner"), ("orders.day.required", "rejected", "owner"),
    ]  # fmt: skip
    assert faults(world.engine) == ()


def test_what_the_approver_was_shown_is_covered_by_the_hash(world: World) -> None:
    proposal = world.client("producer").propose(document())
    with transaction(world.engine) as tx:
        row, by = tx.get_one(ProposalRow, proposal.id), world.principal("owner")
        from treaty.registry.review.proposals import proposals

        shown = proposals.preview(tx, row)
        made = [
            records.make(tx, row, shown, by=by, now=NOW, evidence=each)
            for each in (
                ApprovalEvidence(),
                ApprovalEvidence(comparison={"bump": "major"}),
                ApprovalEvidence(replay={"alerts": 3}),
            )
        ]
    assert len({each.hash for each in made}) == 3
    assert made[2].content["replay"] == {"alerts": 3}
    assert [each.content["after"] for each in made] == [[], [made[0].hash], [made[0].hash, made[1].hash]]


def test_the_last_record_stands_for_the_version(world: World) -> None:
    kept = approved(world)
    with read_session(world.engine) as tx:
        assert records.seal_of(tx, "shop-orders", "1.0.0") == kept.hash
        with pytest.raises(NotFound):
            records.seal_of(tx, "shop-orders", "9.0.0")
    forced(world.engine, "delete from approval_record")
    with read_session(world.engine) as tx:
        assert records.seal_of(tx, "shop-orders", "1.0.0") is None


def test_a_record_of_an_approval_that_an_edit_made_void_does_not_stand_for_the_version(world: World) -> None:
    terms = {"property": "treaty", "value": {"review": {"quorum": 2}}}
    text = writer.write({**plain(), "customProperties": [terms]}).decode()
    made = world.client("producer").propose(text).id

    def approve(who: str) -> None:
        world.client(who).approve(made, world.client(who).preview(made).fingerprint)

    approve("owner")
    for each in (text.replace("Orders", "Others"), text):
        world.client("producer").edit(made, each, revision=world.client("producer").proposal(made).revision)
    approve("other-owner")
    approve("owner")
    with read_session(world.engine) as tx:
        assert len(tx.exec(select(ApprovalRecordRow)).all()) == 3
        kept = records.of_version(tx, "shop-orders")
        assert [each.content["approver"] for each in kept] == ["other-owner", "owner"]
        assert [each.content["after"] for each in kept] == [[], [kept[0].hash]]
        assert [records.faults(tx, each) for each in kept] == [(), ()]


TAMPERED: dict[str, tuple[str, str]] = {
    "its content": ("update approval_record set content = '{}'", "does not match its hash"),
    "its approver": (
        "update approval_record set content = replace(cast(content as text), '\"owner\"', '\"admin\"')::json",
        "does not match its hash",
    ),
    "its version": ("update approval_record set version = '2.0.0'", "different contract version"),
    "its proposal": ("update approval_record set contract_id = 'other'", "different contract version"),
    "its hash": ("update approval_record set hash = 'x'", "does not match its hash"),
    "the document": ("update contract_version set body = {bytes}", "differs from the approved document"),
    "the version's proposal": ("update contract_version set proposal_id = null", "the approved version does not exist"),
    "the version": ("delete from contract_version", "the approved version does not exist"),
    "the audit's entry": ("update audit_entry set details = '{}'", "no valid entry"),
    "the audit's actor": ("update audit_entry set actor = 'eve'", "no valid entry"),
    "the audit": ("delete from audit_entry", "no valid entry"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_whatever_is_changed_afterwards_shows(world: World, name: str) -> None:
    approved(world)
    statement, told = TAMPERED[name]
    if world.engine.dialect.name == "sqlite":
        statement = statement.replace("::json", "").replace("{bytes}", "x'6964'")
    forced(world.engine, statement.replace("{bytes}", "'id'::bytea"))
    assert any(told in each for each in faults(world.engine))


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    code: int
    out: str
    errors: str


Ask = Callable[..., Said]


@pytest.fixture
def ask(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs `treaty` over the database, with a key of its own."""
    monkeypatch.setenv("TREATY_DATABASE_URL", engine.url.render_as_string(hide_password=False))
    monkeypatch.setenv("TREATY_HOME", str(tmp_path))
    key_files.make(tmp_path / "audit-key")

    def run(*arguments: str) -> Said:
        out, errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", errors)
            with pytest.raises(SystemExit) as ended:
                main.main(list(arguments))
        out.flush()
        return Said(int(ended.value.code or 0), out.buffer.getvalue().decode(), errors.getvalue())  # type: ignore[attr-defined]

    return run


def written(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def test_the_command_shows_a_record_and_whether_it_holds(world: World, ask: Ask) -> None:
    kept = approved(world)
    shown = ask("audit", "record", "shop-orders", "1.0.0")
    assert shown.code == 0
    assert "approved by owner" in shown.out
    assert "1 suggestions accepted, 1 suggestions rejected" in shown.out
    assert kept.hash in shown.out
    (told,) = json.loads(ask("audit", "record", "shop-orders", "--json").out)
    assert (told.pop("hash"), told.pop("faults")) == (kept.hash, [])
    assert fingerprint(told) == kept.hash
    assert ask("audit", "record", "nothing").errors == "treaty: Contract nothing has no version in force.\n"
    forced(world.engine, "update audit_entry set actor = 'eve'")
    wrong = ask("audit", "record", "shop-orders")
    assert (wrong.code, "WRONG: the audit log has no valid entry" in wrong.out) == (1, True)


def test_the_audit_is_verified_by_command_with_the_database_and_without(world: World, ask: Ask, tmp_path: Path) -> None:
    head = written(tmp_path, "head.json", ask("audit", "head").out)
    export = written(tmp_path, "export.jsonl", ask("audit", "export").out)
    assert ask("audit", "export", str(tmp_path / "again.jsonl")).code == 0
    assert (tmp_path / "again.jsonl").read_text() == Path(export).read_text()
    number = len(Path(export).read_text().splitlines()) - 1  # the last line is the count
    for more in ([], ["--head", head], ["--from", export], ["--from", export, "--head", head]):
        said = ask("audit", "verify", *more)
        assert (said.code, said.errors) == (0, "")
        assert said.out.startswith(f"{number} entries verified")
    assert json.loads(ask("audit", "verify", "--json").out)["entries"] == number

    cut = written(tmp_path, "cut.jsonl", "".join(Path(export).read_text().splitlines(keepends=True)[:2]))
    for more in ([], ["--head", head]):
        said = ask("audit", "verify", "--from", cut, *more)
        assert (said.code, said.out.split(":")[0]) == (1, "Entry 3 is missing")

    forced(world.engine, "update audit_entry set actor = 'eve' where position = 2")
    said = ask("audit", "verify")
    assert (said.code, said.out) == (
        1, "Entry 2 has been modified; entries verified before it: 1\n",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_head_is_believed_only_if_the_key_signed_it(world: World, ask: Ask, tmp_path: Path) -> None:
    taken: dict[str, Any] = json.loads(ask("audit", "head").out)
    forged = written(tmp_path, "forged.json", json.dumps({**taken, "position": 1}))
    assert ask("audit", "verify", "--head", forged).code == 1
    head = written(tmp_path, "head.json", json.dumps(taken))
    (tmp_path / "audit-key").unlink()
    said = ask("audit", "verify", "--head", head)
    assert (said.code, "cannot be trusted" in said.errors) == (3, True)
    assert ask("audit", "verify", "--head", head, "--allow-unsigned").code == 0
    said = ask("audit", "head")
    assert (said.code, "not signed" in said.errors) == (0, True)
    unsigned = written(tmp_path, "unsigned.json", said.out)
    assert ask("audit", "verify", "--head", unsigned).code == 3
    assert ask("audit", "verify", "--head", str(tmp_path / "nowhere")).code == 3
    assert ask("audit", "verify", "--from", str(tmp_path / "nowhere")).code == 3
    assert "Not a valid audit head" in ask("audit", "verify", "--head", written(tmp_path, "x", "{}")).errors


@pytest.mark.parametrize("kind", ["sqlite"])
def test_commands_say_where_there_is_no_database_of_this_version(
    engine: Engine, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0001'"))
    assert "The database has schema 0001" in ask("audit", "verify").errors
    monkeypatch.setenv("TREATY_DATABASE_URL", f"sqlite:///{tmp_path}/none.db")
    said = ask("audit", "verify")
    assert (said.code, "does not exist" in said.errors) == (3, True)
    assert not (tmp_path / "none.db").exists()
    monkeypatch.setenv("TREATY_DATABASE_URL", "postgresql://ada:hunter2@127.0.0.1:1/treaty?password=hunter2")
    said = ask("audit", "verify")
    told = "Cannot connect to the database. Check that it is running and that TREATY_DATABASE_URL is correct."
    assert said == Said(3, "", f"treaty: {told}\n")


@pytest.mark.parametrize("kind", ["sqlite"])
def test_backup_and_restore_by_command(world: World, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with read_session(world.engine) as tx:
        number = audit_log.verify(tx).entries
    said = ask("backup", str(tmp_path / "b.tar"))
    assert said.code == 0
    assert f"with {number} audit entries, 0 state files" in said.out
    assert "audit-key" in said.out
    assert "already exists" in ask("backup", str(tmp_path / "b.tar")).errors
    monkeypatch.delenv("TREATY_DATABASE_URL")
    monkeypatch.setenv("TREATY_HOME", str(tmp_path / "other"))
    said = ask("restore", str(tmp_path / "b.tar"))
    assert (said.code, said.out.startswith("Restored database at schema")) == (0, True)
    assert ask("audit", "verify").out.startswith(f"{number} entries verified")
    assert "use --force to move it aside" in ask("restore", str(tmp_path / "b.tar")).errors
    assert ask("restore", str(tmp_path / "b.tar"), "--force").code == 0
    assert "is not a backup" in ask("restore", str(tmp_path / "audit-key")).errors
    assert "No such file" in ask("restore", str(tmp_path / "none.tar")).errors
