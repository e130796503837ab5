"""Commands for access control: users, tokens, teams, grants, key files and allowed locations."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.engine.core.locations.spelling import UnusableLocation, normalise
from treaty.registry.cli.commands import service
from treaty.registry.cli.output.tables import console, print_table
from treaty.registry.core.enums import GrantScope, Permission, Role, TeamRole

if TYPE_CHECKING:
    from pydantic import BaseModel

    from treaty.registry.client import Client
    from treaty.registry.schemas import GrantIn, TeamOut, UserOut

Target = Annotated[str, typer.Argument(help="Domain, contract id or dataset id; omit for everything")]
User = Annotated[str | None, typer.Option("--user", help="User name")]
Team = Annotated[str | None, typer.Option("--team", help="Team name")]
TeamName = Annotated[str, typer.Argument(metavar="TEAM", help="Team name", show_default=False)]
UserName = Annotated[str, typer.Argument(metavar="USER", help="User name", show_default=False)]

Roles = Annotated[
    list[Role] | None, typer.Option("--role", help="Role on everything; repeatable; none for users with grants only")
]
NewRoles = Annotated[
    list[Role] | None, typer.Option("--role", help="Role on everything, instead of the current roles; repeatable")
]
WithPassword = Annotated[
    bool, typer.Option("--password", help="Ask for a password, or read it from standard input in a pipe")
]
Active = Annotated[
    bool | None, typer.Option("--active/--inactive", help="Whether the user may sign in; by default unchanged")
]
TokenName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the token", show_default=False)]
Scopes = Annotated[list[Permission], typer.Option("--scope", help="Permission of the token; repeatable")]
Owner = Annotated[str | None, typer.Option("--user", help="User of the token; by default you. Administrators only")]
Lifetime = Annotated[int, typer.Option("--expires-days", min=1, max=3650, help="Days until the token expires")]
Never = Annotated[bool, typer.Option("--never-expires", help="Create a token that does not expire")]
TokenId = Annotated[UUID, typer.Argument(metavar="TOKEN", help="Token id", show_default=False)]
Overlap = Annotated[float, typer.Option(min=0, max=720, help="Hours for which the old secret remains valid")]
Days = Annotated[int | None, typer.Option(min=1, max=3650, help="Days until the token expires; by default unchanged")]

Location = Annotated[
    str,
    typer.Argument(
        metavar="LOCATION", help="Folder, URL such as s3://lake/raw, or catalog or schema", show_default=False
    ),
]
LocationDomain = Annotated[
    str | None, typer.Option("--domain", help="The only domain whose contracts may read there; by default all")
]

locations = typer.Typer(
    name="locations", no_args_is_help=True, help="Manage the locations whose tables the service may read."
)
app = typer.Typer(name="access", no_args_is_help=True, help="Manage access: users, tokens, teams, grants and keys.")


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


@app.command("remove-team")
def remove_team(name: TeamName) -> None:
    """Remove a team with its grants."""
    with service.open_client() as registry:
        team = _team(registry, name)
        registry.remove_team(team.id, etag=team.etag)


@app.command("set-member")
def set_member(
    team: TeamName,
    user: UserName,
    lead: Annotated[bool, typer.Option("--lead", help="Make the user a team lead, who manages its members")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the user from the team")] = False,
) -> None:
    """Add a user to a team, change their role in it, or remove them."""
    with service.open_client() as registry:
        team_out = _team(registry, team)
        if remove:
            registry.remove_member(team_out.id, user, etag=team_out.etag)
        else:
            role = TeamRole.LEAD if lead else TeamRole.MEMBER
            registry.set_member(team_out.id, user, role, etag=team_out.etag)


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


@app.command()
def users(as_json: Json = False) -> None:
    """List users by name."""
    with service.open_client() as registry:
        rows = registry.users()
    _print_rows(rows, ("id", "name", "roles", "active", "created_at"), as_json=as_json)


@app.command("create-user")
def create_user(name: UserName, role: Roles = None, password: WithPassword = False) -> None:
    """Create a user and print its id.

    Without a password the user signs in with API tokens only, as services do."""
    secret = _password() if password else None
    with service.open_client() as registry, _request_faults():
        print(registry.create_user(name, roles=role or (), password=secret).id)


@app.command("change-user")
def change_user(name: UserName, role: NewRoles = None, active: Active = None, password: WithPassword = False) -> None:
    """Change a user's roles, password, or whether they may sign in. Ends their sessions."""
    from treaty.registry.schemas import UserUpdateIn

    fields = {"roles": role, "active": active, "password": _password() if password else None}
    changes = {name: value for name, value in fields.items() if value is not None}
    if not changes:
        raise CliError("Nothing to change. Use --role, --active, --inactive or --password.")
    with service.open_client() as registry, _request_faults():
        user = _user_by_name(registry, name)
        registry.change_user(user.id, UserUpdateIn.model_validate(changes), etag=user.etag)


@app.command()
def tokens(as_json: Json = False) -> None:
    """List your API tokens, newest first. User administrators see all tokens."""
    with service.open_client() as registry:
        rows = registry.tokens()
    columns = ("id", "name", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at")
    _print_rows(rows, columns, as_json=as_json)


@app.command("create-token")
def create_token(
    name: TokenName, scope: Scopes, user: Owner = None, expires_days: Lifetime = 365, never_expires: Never = False
) -> None:
    """Create an API token and print its secret, which is shown only once.

    A token can do what its user may do and its scopes include."""
    with service.open_client() as registry, _request_faults():
        user_id = _user_by_name(registry, user).id if user else None
        lifetime = None if never_expires else expires_days
        print(registry.issue_token(name, scopes=scope, expires_days=lifetime, user_id=user_id).secret)


@app.command()
def rotate(token: TokenId, overlap_hours: Overlap = 24, expires_days: Days = None) -> None:
    """Rotate a token's secret and print the new one.

    The new secret is shown only once. The old secret remains valid for the overlap."""
    with service.open_client() as registry:
        print(registry.rotate_token(token, overlap_hours=overlap_hours, expires_days=expires_days).secret)


@app.command("revoke-token")
def revoke_token(token: TokenId) -> None:
    """Revoke an API token."""
    with service.open_client() as registry:
        registry.revoke_token(token)


@locations.command("list")
def list_locations(as_json: Json = False) -> None:
    """List the allowed locations, those of TREATY_LOCATIONS first. Administrators only."""
    with service.open_client() as registry:
        rows = registry.locations()
    _print_rows(rows, ("location", "domain", "added_by", "created_at"), as_json=as_json)


@locations.command("add")
def add_location(location: Location, domain: LocationDomain = None) -> None:
    """Allow contracts about the tables below a location. Administrators only."""
    with service.open_client() as registry:
        added = registry.add_location(_spelled(location), domain=domain)
    print(f"Allowed: {added.location}" + (f" for the domain {added.domain}" if added.domain else ""))


@locations.command("remove")
def remove_location(location: Location, domain: LocationDomain = None) -> None:
    """Remove an added location. Tables below it are no longer read. Administrators only."""
    name = _spelled(location)
    with service.open_client() as registry:
        ids = [each.id for each in registry.locations() if (each.location, each.domain) == (name, domain) and each.id]
        if not ids:
            raise CliError(f"{name} was not added. List what was: treaty locations list")
        registry.remove_location(ids[0])
    print(f"Removed: {name}")


def _spelled(location: str) -> str:
    """Return the canonical spelling of a location, and a local path from the root. Raises CliError."""
    is_relative_path = location.startswith(".") or ("/" in location and ":" not in location)
    try:
        return normalise(os.path.abspath(location) if is_relative_path else location)
    except UnusableLocation as error:
        raise CliError(f"The location {error}.") from None


@contextmanager
def _request_faults() -> Iterator[None]:
    """Convert the faults of a request to CliError, without the values."""
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_input=False))
        raise CliError("; ".join(faults)) from None


def _password() -> str:
    """Return the password from the terminal, where it is not shown, or from standard input."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise CliError("--password reads the password from standard input, which is empty.")
    return password


def _grant_body(
    registry: "Client", role: Role, scope: GrantScope, target: str, *, user: str | None, team: str | None
) -> "GrantIn":
    from treaty.registry.schemas import GrantIn

    user_id = _user_by_name(registry, user).id if user else None
    team_id = _team(registry, team).id if team else None
    return GrantIn(role=role, scope=scope, target=target, user_id=user_id, team_id=team_id)


def _user_by_name(registry: "Client", name: str) -> "UserOut":
    """Return the user of that name. Raises CliError if there is none."""
    user = next((each for each in registry.users() if each.name == name.lower()), None)
    if user is None:
        raise CliError(f"User {name} does not exist.")
    return user


def _team(registry: "Client", name: str) -> "TeamOut":
    team = next((each for each in registry.teams() if each.name == name), None)
    if team is None:
        raise CliError(f"Team {name} does not exist, or you are not a member.")
    return team


def _print_rows(rows: "Sequence[BaseModel]", columns: Sequence[str], *, as_json: bool) -> None:
    """Print these columns of the rows as a table, or the rows as JSON."""
    if as_json:
        print(json.dumps([each.model_dump(mode="json") for each in rows], indent=2))
        return
    headings = [column.removesuffix("_at").replace("_", " ") for column in columns]
    print_table(console(), headings, [[_cell(getattr(each, column)) for column in columns] for each in rows])


def _cell(value: Any) -> str:
    match value:
        case None:
            return "-"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M} UTC"
        case tuple():
            return ", ".join(f"{each.name} ({each.role})" if hasattr(each, "role") else str(each) for each in value)
        case _:
            return str(value)
