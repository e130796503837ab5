"""Versions in other forms, and texts of other tools, over the API."""

from string import Template as Places

import pytest
from support.api import World, document, plain
from support.contract_texts import ORDERS
from support.exchanged import DBT, DDL, hostile

from treaty.contracts.document import writer
from treaty.contracts.document.yaml_syntax import parse
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.exchange.exports import FORMS, RECORD


def in_force(world: World, text: str) -> str:
    made, owner = world.client("producer").propose(text), world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    return made.contract_id


def test_an_export_is_the_approved_document_but_for_its_status(world: World) -> None:
    contract_id = in_force(world, document())
    client = world.client("viewer")
    before = client.document(contract_id)
    assert client.export(contract_id) == before.replace(b"status: draft", b"status: active")

    world.client("owner").deprecate(contract_id, "1.0.0", "nobody needs it")
    assert client.export(contract_id) == before.replace(b"status: draft", b"status: deprecated")
    assert client.document(contract_id) == before


def test_the_record_of_the_approval_travels_with_the_export(world: World) -> None:
    contract_id = in_force(world, ORDERS)
    client = world.client("viewer")
    seal = client.approvals(contract_id)[-1].hash
    assert parse(client.export(contract_id, record=True)).data["customProperties"][0] == {
        "property": RECORD,
        "value": seal,
    }
    assert RECORD.encode() not in client.export(contract_id)


def test_a_version_that_is_named_is_exported(world: World) -> None:
    contract_id = in_force(world, document())
    in_force(world, document(version="1.1.0", name="Again"))
    found = parse(world.client("viewer").export(contract_id, "1.0.0")).data
    assert (found["version"], found["status"]) == ("1.0.0", "retired")


@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_form_is_a_file_in_which_nothing_runs(world: World, form: str) -> None:
    contract_id = in_force(world, document())
    answer = world.call("viewer", "GET", f"/contract/export?contract_id={contract_id}&format={form}")
    assert (answer.status_code, answer.headers["Treaty-Version"]) == (200, "1.0.0")
    assert answer.headers["Content-Type"].startswith(FORMS[form].media_type)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="shop-orders-1.0.0{FORMS[form].suffix}"'
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("form", sorted(FORMS))
def test_hostile_words_are_exported_as_words(world: World, form: str) -> None:
    contract_id = in_force(world, hostile("<script>alert(1)</script>").decode())
    body = world.client("viewer").export(contract_id, format=form)
    assert (b"<script" in body) == (form not in {"html", "markdown"})


def test_an_unknown_form_is_refused_with_the_nearest_one(world: World) -> None:
    in_force(world, document())
    with pytest.raises(ClientError, match="Unknown format") as error:
        world.client("viewer").export("shop-orders", format="htm")
    assert (error.value.status, error.value.faults[0].remedy) == (422, "did you mean 'html'?")


@pytest.mark.parametrize("query", ["contract_id=unknown", "contract_id=shop-orders&version=9.9.9"])
def test_what_is_not_there_is_not_found(world: World, query: str) -> None:
    in_force(world, document())
    assert world.call("viewer", "GET", f"/contract/export?{query}").status_code == 404


def imported(world: World, text: dict[str, str]) -> list[schemas.ImportOut]:
    answer = world.call("producer", "POST", "/import", json=text)
    assert answer.status_code == 200, answer.text
    return [schemas.ImportOut.model_validate(each) for each in answer.json()]


@pytest.mark.parametrize(("form", "text", "ids"), [("dbt", DBT, ["orders", "events"]), ("spark", DDL, ["shop.orders"])])
def test_what_is_imported_can_be_proposed(world: World, form: str, text: str, ids: list[str]) -> None:
    client = world.client("producer")
    made = imported(world, {"format": form, "text": text})
    assert [each.contract_id for each in made] == ids
    assert [client.propose(each.document).contract_id for each in made] == ids


def test_a_text_without_a_name_is_called_as_asked(world: World) -> None:
    (made,) = imported(world, {"format": "spark", "text": "id int", "name": "orders"})
    assert (made.contract_id, made.version) == ("orders", "1.0.0")


def test_all_faults_of_a_text_are_said_at_once_and_nothing_is_made(world: World) -> None:
    faulty = writer.write(plain() | {"apiVersion": "v9", "colour": "red"}).decode()
    answer = world.call("producer", "POST", "/import", json={"format": "odcs", "text": faulty})
    assert (answer.status_code, "Nothing was imported" in answer.json()["detail"]) == (422, True)
    assert {each["where"] for each in answer.json()["faults"]} >= {"apiVersion", "colour"}


@pytest.mark.parametrize("body", ['{"format": "spark", "text": "\\ud800"}', '{"format": "excel", "text": "a"}'])
def test_what_cannot_be_imported_is_refused(world: World, body: str) -> None:
    answer = world.call("producer", "POST", "/import", {"Content-Type": "application/json"}, content=body)
    assert answer.status_code == 422


def test_a_template_is_filled_and_proposed(world: World) -> None:
    client = world.client("producer")
    words = {"id": "mine", "name": "Mine", "domain": "shop", "table": "mine", "location": "/lake/mine"}
    for each in client.templates():
        assert client.propose(Places(each.document).substitute(words)).contract_id == "mine"


def test_texts_of_a_version_are_signed_by_whoever_approved_it(world: World) -> None:
    contract_id = in_force(world, ORDERS)
    found = world.client("viewer").checks(contract_id)
    signed = {each.id: each.signed_by for each in found.checks if each.signed_at}
    assert (found.version, signed) == ("1.2.0", {"orders-text": "owner"})
    assert {each.id: each.description for each in found.checks if each.description} == {
        "orders-text": "One row is one order line."
    }
