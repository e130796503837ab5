"""A token does not outlive the one that it was issued with, and ends with a password or a role if that is wanted."""

import pytest
from support.api import PASSWORD, World

from treaty.registry import schemas
from treaty.registry.client import Client, ClientError
from treaty.registry.core.enums import GrantScope, Permission, Role, TeamRole

OWN = [Permission.TOKENS, Permission.READ]


def client_of(world: World, secret: str) -> Client:
    return Client("http://testserver", secret, http=world.http)  # type: ignore[arg-type]


def issued(world: World, days: int | None = 2) -> tuple[Client, schemas.TokenOut]:
    """A client with a token of the producer, and the token."""
    new = world.client("producer").issue_token("first", scopes=OWN, expires_days=days)
    return client_of(world, new.secret), new.token


def is_valid(client: Client) -> bool:
    try:
        return bool(client.me())
    except ClientError:
        return False


@pytest.mark.parametrize("days", [None, 1, 3650])
def test_a_token_of_a_token_expires_with_it(world: World, days: int | None) -> None:
    client, token = issued(world)
    made = client.issue_token("second", scopes=[Permission.READ], expires_days=days).token
    assert (made.issuer_id, token.issuer_id) == (token.id, None)
    assert made.expires_at is not None
    assert token.expires_at is not None
    assert made.expires_at <= token.expires_at


def test_a_token_cannot_extend_itself_and_rotates_only_what_it_issued(world: World) -> None:
    client, token = issued(world)
    assert client.rotate_token(token.id, expires_days=365).token.expires_at == token.expires_at
    second = client.issue_token("second", scopes=[Permission.READ]).token
    assert client.rotate_token(second.id, expires_days=365).token.expires_at == token.expires_at
    other = world.client("producer").issue_token("other", scopes=[Permission.READ]).token
    with pytest.raises(ClientError, match="only rotate itself") as refused:
        client.rotate_token(other.id)
    assert refused.value.status == 403


def test_who_is_revoked_takes_along_what_was_issued_with_it(world: World) -> None:
    client, token = issued(world)
    second = client_of(world, client.issue_token("second", scopes=OWN).secret)
    third = client_of(world, second.issue_token("third", scopes=OWN).secret)
    beside = issued(world)[0]
    world.client("producer").revoke_token(token.id)
    assert [is_valid(each) for each in (client, second, third, beside)] == [False, False, False, True]
    assert world.audited()[-3:] == ["token:revoked"] * 3


@pytest.mark.parametrize("revoked", [False, True])
@pytest.mark.parametrize("change", [{"password": PASSWORD}, {"roles": ["viewer"]}], ids=str)
def test_a_changed_user_keeps_the_tokens_unless_they_are_to_be_revoked(
    world: World, change: dict[str, object], revoked: bool
) -> None:
    client, _ = issued(world)
    body = schemas.UserUpdateIn(**change, revoke_tokens=revoked)  # type: ignore[arg-type]
    world.client("admin").change_user(world.users["producer"].id, body)
    assert is_valid(client) is not revoked


@pytest.mark.parametrize("revoked", [False, True])
def test_tokens_end_with_a_grant_if_wanted(world: World, revoked: bool) -> None:
    admin, client = world.client("admin"), issued(world)[0]
    team = admin.create_team("team")
    admin.set_member(team.id, "producer", TeamRole.MEMBER)
    grant = admin.grant(schemas.GrantIn(role=Role.OWNER, scope=GrantScope.DOMAIN, target="shop", team_id=team.id))
    path = f"/grants/{grant.id}?revoke_tokens={str(revoked).lower()}"
    assert world.call("admin", "DELETE", path, {"If-Match": "*"}).status_code == 204
    assert is_valid(client) is not revoked


def test_tokens_end_with_a_membership_if_who_manages_users_wants_it(world: World) -> None:
    admin, client = world.client("admin"), issued(world)[0]
    team = admin.create_team("team")
    for name, role in (("producer", TeamRole.MEMBER), ("owner", TeamRole.LEAD)):
        admin.set_member(team.id, name, role)
    path = f"/teams/{team.id}/members?name=producer&revoke_tokens=true"
    assert world.call("owner", "DELETE", path, {"If-Match": "*"}).status_code == 403
    assert is_valid(client)
    assert world.call("admin", "DELETE", path, {"If-Match": "*"}).status_code == 200
    assert not is_valid(client)
