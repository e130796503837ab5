"""Commands for access control: teams, grants, token rotation and key files."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.core.enums import GrantScope, Role, TeamRole

if TYPE_CHECKING:
    from rich.console import Console

    from treaty.registry.client import Client
    from treaty.registry.schemas import GrantIn, GrantOut, TeamOut

Target = Annotated[str, typer.Argument(help="Domain, contract id or dataset id; omit for everything")]
User = Annotated[str | None, typer.Option("--user", help="User name")]
Team = Annotated[str | None, typer.Option("--team", help="Team name")]
TeamName = Annotated[str, typer.Argument(metavar="TEAM", help="Team name", show_default=False)]
UserName = Annotated[str, typer.Argument(metavar="USER", help="User name", show_default=False)]
TokenId = Annotated[UUID, typer.Argument(metavar="TOKEN", help="Token id", show_default=False)]
Overlap = Annotated[float, typer.Option(min=0, max=720, help="Hours for which the old secret remains valid")]
Days = Annotated[int | None, typer.Option(min=1, max=3650, help="Days until the token expires; by default unchanged")]

app = typer.Typer(name="access", no_args_is_help=True, help="Manage access: teams, grants, tokens and keys.")


@app.command()
def grants(
    target: Annotated[str | None, typer.Option(help="Filter by domain, contract or dataset")] = None,
    as_json: Json = False,
) -> None:
    """List grants to users and teams, in addition to global user roles."""
    with service.open_client() as registry:
        rows = registry.grants(target=target)
    _print_rows(rows, ("id", "holder", "role", "scope", "target"), as_json=as_json)


@app.command()
def grant(
    role: Annotated[Role, typer.Argument(help="Role: viewer, consumer, producer, owner or service")],
    scope: Annotated[GrantScope, typer.Argument(help="Scope: everything, domain, contract or dataset")],
    target: Target = "",
    user: User = None,
    team: Team = None,
) -> None:
    """Grant a role to a user or team and print the grant's id."""
    with service.open_client() as registry:
        print(registry.grant(_grant_body(registry, role, scope, target, user=user, team=team)).id)


@app.command()
def revoke(grant_id: Annotated[UUID, typer.Argument(metavar="GRANT", help="Grant id")]) -> None:
    """Revoke a grant."""
    with service.open_client() as registry:
        registry.revoke_grant(grant_id)


@app.command()
def teams(as_json: Json = False) -> None:
    """List your teams. User administrators see all teams."""
    with service.open_client() as registry:
        rows = registry.teams()
    _print_rows(rows, ("id", "name", "members"), as_json=as_json)


@app.command("create-team")
def create_team(name: TeamName) -> None:
    """Create a team and print its id."""
    with service.open_client() as registry:
        print(registry.create_team(name).id)


@app.command("set-member")
def set_member(
    team: TeamName,
    user: UserName,
    lead: Annotated[bool, typer.Option("--lead", help="Make the user a team lead, who manages its members")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the user from the team")] = False,
) -> None:
    """Add a user to a team, change their role in it, or remove them."""
    with service.open_client() as registry:
        team_id = _team(registry, team).id
        if remove:
            registry.remove_member(team_id, user)
        else:
            registry.set_member(team_id, user, TeamRole.LEAD if lead else TeamRole.MEMBER)


@app.command()
def rotate(token: TokenId, overlap_hours: Overlap = 24, expires_days: Days = None) -> None:
    """Rotate a token's secret and print the new one.

    The new secret is shown only once. The old secret remains valid for the overlap."""
    with service.open_client() as registry:
        print(registry.rotate_token(token, overlap_hours=overlap_hours, expires_days=expires_days).secret)


@app.command("create-key")
def create_key(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Path of the new key file", show_default=False)],
) -> None:
    """Create a key file that only you can read. An existing file is not changed."""
    from treaty.engine.core import key_files

    try:
        key_files.make(file)
    except OSError as error:
        raise CliError(f"Cannot write {file}: {error.strerror}") from None


def _grant_body(
    registry: "Client", role: Role, scope: GrantScope, target: str, *, user: str | None, team: str | None
) -> "GrantIn":
    from treaty.registry.schemas import GrantIn

    user_id = next((each.id for each in registry.users() if each.name == user), None) if user else None
    if user and user_id is None:
        raise CliError(f"User {user} does not exist.")
    team_id = _team(registry, team).id if team else None
    return GrantIn(role=role, scope=scope, target=target, user_id=user_id, team_id=team_id)


def _team(registry: "Client", name: str) -> "TeamOut":
    team = next((each for each in registry.teams() if each.name == name), None)
    if team is None:
        raise CliError(f"Team {name} does not exist, or you are not a member.")
    return team


def _print_rows(grants: "Sequence[GrantOut | TeamOut]", columns: Sequence[str], *, as_json: bool) -> None:
    """Print the rows as a table or as JSON."""
    import json

    from rich.console import Console

    if as_json:
        print(json.dumps([each.model_dump(mode="json") for each in grants], indent=2))
    else:
        _table(grants, columns, Console(highlight=False))


def _table(grants: "Sequence[GrantOut | TeamOut]", columns: Sequence[str], console: "Console") -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in columns:
        table.add_column(heading, overflow="fold")
    for each in grants:
        table.add_row(*(_cell(getattr(each, column)) for column in columns))
    console.print(table)


def _cell(value: Any) -> str:
    from rich.markup import escape

    from treaty.engine.core.number_format import visible

    members = ", ".join(f"{each.name} ({each.role})" for each in value) if isinstance(value, tuple) else str(value)
    return escape(visible(members))
