"""Add teams, grants, rotation of token secrets and the limit on sign-in attempts.

Roles may be granted to teams and on parts of the registry; contracts and proposals store their domain."""

from typing import Any

import sqlalchemy as sa
import yaml
from alembic import op

revision = "0009"
down_revision = "0011"
branch_labels = None
depends_on = None

ACTIVE = (
    "select contract.id, contract_version.body from contract join contract_version "
    "on contract_version.contract_id = contract.id and contract_version.version = contract.active_version"
)


def upgrade() -> None:
    """Create the tables and columns. Existing roles of users keep applying to everything."""
    _people()
    _secrets()
    for table in ("contract", "proposal"):
        op.add_column(table, sa.Column("domain", sa.String(), nullable=True))
        op.create_index(f"ix_{table}_domain", table, ["domain"])
    _place()


def downgrade() -> None:
    """Drop the tables and columns.

    Grants on parts of the registry are lost, so that no user gains permissions."""
    for table in ("contract", "proposal"):
        op.drop_index(f"ix_{table}_domain", table)
        op.drop_column(table, "domain")
    for column in ("previous_sha256", "previous_until"):
        op.drop_column("api_token", column)
    for table in ("sign_in_window", "role_grant", "team_member", "team"):
        op.drop_table(table)


def _people() -> None:
    op.create_table(
        "team",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_team"),
        sa.UniqueConstraint("name", name="uq_team_name"),
    )
    op.create_table(
        "team_member",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(32), nullable=False),
        _reference("team_member", "team_id", "team"),
        _reference("team_member", "user_id", "user"),
        sa.PrimaryKeyConstraint("team_id", "user_id", name="pk_team_member"),
    )
    op.create_index("ix_team_member_user_id", "team_member", ["user_id"])
    op.create_table(
        "role_grant",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("team_id", sa.Uuid(), nullable=True),
        sa.Column("role", sa.String(32), nullable=False),
        sa.Column("part", sa.String(32), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        _reference("role_grant", "user_id", "user"),
        _reference("role_grant", "team_id", "team"),
        sa.PrimaryKeyConstraint("id", name="pk_role_grant"),
        *(
            sa.UniqueConstraint(who, "role", "part", "target", name=f"uq_role_grant_{who}_role_part_target")
            for who in ("user_id", "team_id")
        ),
    )


def _secrets() -> None:
    op.add_column("api_token", sa.Column("previous_sha256", sa.String(), nullable=True))
    op.add_column("api_token", sa.Column("previous_until", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "sign_in_window",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("began", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_sign_in_window"),
    )
    op.create_index("ix_sign_in_window_began", "sign_in_window", ["began"])


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, deferrable=True, initially="DEFERRED")


def _place() -> None:
    """Set domains: of contracts from the version in force, of new proposals from their document.

    A proposal of an existing contract has the contract's domain."""
    connection = op.get_bind()
    for contract_id, body in connection.execute(sa.text(ACTIVE)).all():
        parameters = {"id": contract_id, "domain": _domain(body)}
        connection.execute(sa.text("update contract set domain = :domain where id = :id"), parameters)
        connection.execute(sa.text("update proposal set domain = :domain where contract_id = :id"), parameters)
    new = "select id, base from proposal where contract_id not in (select id from contract)"
    for proposal_id, body in connection.execute(sa.text(new)).all():
        parameters = {"id": proposal_id, "domain": _domain(body)}
        connection.execute(sa.text("update proposal set domain = :domain where id = :id"), parameters)


def _domain(body: bytes | memoryview) -> str | None:
    """Return the document's domain as text; the document was validated when it was proposed."""
    document: Any = yaml.load(bytes(body), Loader=yaml.BaseLoader)
    domain = document.get("domain") if isinstance(document, dict) else None
    return domain.strip() or None if isinstance(domain, str) else None
