"""Tokens get a new secret without a pause: the one before stays good for a while."""

from datetime import timedelta

import pytest
from support.api import World

from treaty.engine.core import clock
from treaty.registry.access import authentication
from treaty.registry.client import ClientError
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Unauthenticated
from treaty.registry.tables import ApiTokenRow, UserRow

HOUR = timedelta(hours=1)


def opens(world: World, secret: str, *, after: timedelta = timedelta(0)) -> bool:
    try:
        with read_session(world.engine) as tx:
            return authentication.principal_of(tx, secret, now=clock.now() + after).name == "producer"
    except Unauthenticated:
        return False


def test_the_secret_before_stays_good_for_as_long_as_was_said(world: World) -> None:
    producer = world.client("producer")
    first = producer.issue_token("ci", scopes=[Permission.READ])
    second = producer.rotate_token(first.token.id, overlap_hours=1)
    assert second.secret != first.secret
    assert (second.token.id, second.token.prefix, second.token.expires_at) == (
        first.token.id,
        first.token.prefix,
        first.token.expires_at,
    )
    assert [opens(world, each) for each in (first.secret, second.secret)] == [True, True]
    assert [opens(world, each, after=HOUR) for each in (first.secret, second.secret)] == [False, True]


def test_of_three_secrets_the_first_ends_with_the_third(world: World) -> None:
    producer = world.client("producer")
    first = producer.issue_token("ci", scopes=[Permission.READ])
    rest = [producer.rotate_token(first.token.id).secret for _ in range(2)]
    assert [opens(world, each) for each in (first.secret, *rest)] == [False, True, True]


def test_without_an_overlap_the_secret_before_ends_at_once(world: World) -> None:
    first = world.client("producer").issue_token("ci", scopes=[Permission.READ])
    second = world.client("admin").rotate_token(first.token.id, overlap_hours=0, expires_days=7)
    assert [opens(world, each) for each in (first.secret, second.secret)] == [False, True]
    assert second.token.expires_at is not None
    assert timedelta(days=6) < second.token.expires_at - clock.now() <= timedelta(days=7)


def test_a_revoked_token_ends_with_both_of_its_secrets_and_is_not_rotated(world: World) -> None:
    producer = world.client("producer")
    first = producer.issue_token("ci", scopes=[Permission.READ])
    second = producer.rotate_token(first.token.id)
    producer.revoke_token(first.token.id)
    assert [opens(world, each.secret) for each in (first, second)] == [False, False]
    with pytest.raises(ClientError, match="revoked or expired") as error:
        producer.rotate_token(first.token.id)
    assert error.value.status == 409


def test_another_s_token_is_not_found_and_one_that_says_too_much_is_not_rotated(world: World) -> None:
    token = world.client("producer").issue_token("ci", scopes=[Permission.LINEAGE]).token
    with pytest.raises(ClientError) as error:
        world.client("owner").rotate_token(token.id)
    assert error.value.status == 404
    with transaction(world.engine) as tx:
        tx.get_one(UserRow, world.users["producer"].id).roles = ["viewer"]
        tx.commit()
    with pytest.raises(ClientError) as error:
        world.client("producer").rotate_token(token.id)
    assert error.value.status == 403


def test_no_secret_is_stored_and_the_use_is_noted(world: World) -> None:
    first = world.client("producer").issue_token("ci", scopes=[Permission.READ])
    second = world.client("producer").rotate_token(first.token.id)
    world.http.get("/api/v1/me", headers={"Authorization": f"Bearer {first.secret}"})
    with read_session(world.engine) as tx:
        row = tx.get_one(ApiTokenRow, first.token.id)
    assert row.last_used_at is not None
    assert [each for each in (first.secret, second.secret) if each.split("_", 2)[2] in row.model_dump_json()] == []
