"""The state that a change is based on: each route that changes a thing demands it, and refuses another one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.api import World, remembered
from support.api_calls import Call, filled, inserted
from support.border_requests import operations

from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.enums import ChannelKind, GrantScope, Permission, Role

# Fields of bodies that name the state.
STATES = {"revision", "fingerprint", "number"}
# Routes that change nothing that somebody could have changed meanwhile, by what they do instead.
EXEMPT = {
    "create": {
        "complete_setup", "sign_in", "sign_in_with_oidc", "create_user", "issue_token", "create_team", "give_grant",
        "propose", "add_comment", "save_template", "give_feedback", "request_contract", "subscribe", "add_check",
        "copy_check", "promote_check", "confirm_inferred_consumer", "add_channel", "store_bag", "receive",
        "receive_batch", "add_location", "add_catalog",
    },
    "answer without a change": {
        "import_text", "replay_document", "preview_feedback", "send_test_message", "test_catalog",
    },
    "start or settle work, in a state that allows it": {
        "request_replay", "learn_patterns", "request_draft", "stop_task", "retry_task", "retry_event", "retry_message",
        "recover_publication", "train_key_model", "read_catalog",
    },
    "change what is the caller's alone": {"sign_out", "snooze"},
    "end what cannot be changed": {
        "close_request", "remove_template", "dismiss_inferred_consumer", "erase_states", "remove_location",
    },
}  # fmt: skip
Filled = tuple[World, dict[str, str]]
OTHER = {"If-Match": '"other"'}


@pytest.fixture
def full(engine: Engine, tmp_path: Path) -> Iterator[Filled]:
    """Return a registry with one of each thing, and their names."""
    world, names = remembered(engine, filled, home=tmp_path / "home")
    with world.http:
        yield world, names


def changes(world: World) -> list[tuple[Call, bool]]:
    """Return each call that changes a thing, and whether its body names the state."""
    document = world.http.app.openapi()  # type: ignore[attr-defined]
    exempt = set().union(*EXEMPT.values())
    routes = [each for each in operations(document) if each.call.method != "GET"]
    assert exempt <= {each.name for each in routes}
    return [(each.call, _names_state(each.schema, document)) for each in routes if each.name not in exempt]


def _names_state(operation: Any, document: Any) -> bool:
    reference = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    schema = document["components"]["schemas"].get(reference.get("$ref", "").rpartition("/")[2], {})
    return bool(STATES & {*schema.get("required", ())})


def sent(world: World, names: dict[str, str], call: Call, headers: dict[str, str]) -> int:
    who = "producer" if "producer" in call.allowed else min(call.allowed)
    body = {"json": inserted(call.body, names)} if call.body is not None else {}
    return int(world.call(who, call.method, inserted(call.path, names), headers, **body).status_code)


def test_each_change_demands_the_state_that_it_is_based_on(full: Filled) -> None:
    world, names = full
    demanding = [call for call, names_state in changes(world) if not names_state]
    assert len(demanding) >= 19
    assert {str(each): sent(world, names, each, {}) for each in demanding} == {str(each): 428 for each in demanding}


def test_each_change_of_another_state_is_refused(full: Filled) -> None:
    world, names = full
    # An approval names the fingerprint of the document, a generation its number: their routes know no ETag.
    checked = [call for call, _ in changes(world) if not call.path.endswith("/approve") and "gate" not in call.path]
    assert len(checked) >= 28
    assert {str(each): sent(world, names, each, OTHER) for each in checked} == {str(each): 412 for each in checked}


def refused(change: Any) -> None:
    with pytest.raises(ClientError) as error:
        change()
    assert error.value.status == 412


def test_a_team_is_changed_as_it_was_read(world: World) -> None:
    admin = world.client("admin")
    read = admin.create_team("sellers")
    assert admin.teams()[0].etag == read.etag
    changed = admin.set_member(read.id, "viewer", etag=read.etag)
    refused(lambda: admin.remove_member(read.id, "viewer", etag=read.etag))
    refused(lambda: admin.remove_team(read.id, etag=read.etag))
    changed = admin.remove_member(read.id, "viewer", etag=changed.etag)
    admin.remove_team(read.id, etag=changed.etag)
    assert admin.teams() == []


def test_a_token_is_changed_as_it_was_read_however_often_it_was_used(world: World) -> None:
    admin = world.client("admin")
    made = admin.issue_token("ci", scopes=[Permission.READ])
    used = world.http.get("/api/v1/me", headers={"Authorization": f"Bearer {made.secret}"})
    (read,) = admin.tokens()
    assert (used.status_code, read.last_used_at is not None, read.etag) == (200, True, made.token.etag)
    rotated = admin.rotate_token(read.id, etag=read.etag)
    refused(lambda: admin.revoke_token(read.id, etag=read.etag))
    admin.revoke_token(read.id, etag=rotated.token.etag)
    assert admin.tokens()[0].revoked_at


def test_grants_and_channels_are_ended_as_they_were_read(world: World) -> None:
    admin, viewer = world.client("admin"), world.users["viewer"].id
    granted = admin.grant(schemas.GrantIn(role=Role.OWNER, scope=GrantScope.DOMAIN, target="shop", user_id=viewer))
    refused(lambda: admin.revoke_grant(granted.id, etag='"other"'))
    admin.revoke_grant(granted.id, etag=admin.grants()[0].etag)
    body = {"kind": ChannelKind.EMAIL, "target": "ada@shop.example"}
    added = admin.add_channel(schemas.ChannelIn.model_validate(body)).channel
    # A message that is sent does not change the channel.
    assert admin.test_channel(added.id).etag == admin.channels()[0].etag == added.etag
    refused(lambda: admin.remove_channel(added.id, etag=granted.etag))
    admin.remove_channel(added.id, etag=added.etag)
    assert (admin.grants(), admin.channels()) == ([], [])


def test_a_version_is_deprecated_and_retired_as_it_was_read(full: Filled) -> None:
    owner = full[0].client("owner")
    read = owner.version("known", "1.0.0")
    deprecated = owner.deprecate("known", "1.0.0", "old", etag=read.etag)
    refused(lambda: owner.retire("known", "1.0.0", "gone", etag=read.etag))
    assert owner.version("known", "1.0.0").etag == deprecated.etag
    assert owner.retire("known", "1.0.0", "gone", etag=deprecated.etag).state == "retired"
