"""Partition states: generations of which one is current, found again byte for byte, now and as they were."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Engine
from support.engines import SCHEMA
from support.scenes import NOON, contract_in_force, rows

from treaty.contracts.schema import Column, Schema
from treaty.engine.protocol.requests import MeasureResult
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import DatasetRow, PartitionStateRow

PACKED = bytes(range(256))


@pytest.fixture
def dataset(engine: Engine) -> UUID:
    contract_in_force(engine)
    return rows(engine, DatasetRow)[0].id


def save(
    engine: Engine, dataset: UUID, *, schema: Schema = SCHEMA, vanished: tuple[str, ...] = (), **content: bytes
) -> int:
    measured = MeasureResult(
        schema=schema, fingerprints={name: f"f-{packed!r}" for name, packed in content.items()}, states=content
    )
    with transaction(engine) as tx:
        version = state_store.save(tx, dataset, measured, vanished=vanished, now=NOON, ids=ids.new)
        tx.commit()
    return version


def loaded(engine: Engine, dataset: UUID, version: int | None = None) -> dict[str, bytes]:
    with read_session(engine) as tx:
        return state_store.load(tx, dataset, version=version)


def test_states_come_back_byte_for_byte(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, a=PACKED, b=b"")
    with read_session(engine) as tx:
        assert state_store.load(tx, dataset) == {"a": PACKED, "b": b""}
        assert state_store.stored_fingerprints(tx, dataset) == {"a": f"f-{PACKED!r}", "b": "f-b''"}
        assert state_store.schema(tx, dataset) == SCHEMA


def test_saving_again_is_a_new_generation_of_that_partition_alone(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, a=b"1", b=b"1")
    save(engine, dataset, a=b"2", c=b"2")
    found = {
        (row.partition, row.generation): (row.states, row.from_version, row.until_version)
        for row in rows(engine, PartitionStateRow)
    }
    assert found == {
        ("a", 1): (b"1", 1, 2),
        ("a", 2): (b"2", 2, None),
        ("b", 1): (b"1", 1, None),
        ("c", 1): (b"2", 2, None),
    }
    assert loaded(engine, dataset) == {"a": b"2", "b": b"1", "c": b"2"}


def test_states_are_found_as_they_were_at_every_version(engine: Engine, dataset: UUID) -> None:
    now: dict[str, bytes] = {}
    then = [now]
    for at, (content, vanished) in enumerate(
        [({"a": b"1", "b": b"1"}, ()), ({"b": b"2"}, ("a",)), ({}, ()), ({"a": b"3"}, ()), ({}, ("a", "b"))], start=1
    ):
        version = save(engine, dataset, vanished=vanished, **content)
        if content or vanished:
            now = {name: each for name, each in now.items() if name not in vanished} | content
            then.append(now)
        assert version == len(then) - 1 <= at
    assert [loaded(engine, dataset, version) for version in range(len(then))] == then
    assert loaded(engine, dataset) == {}


def test_a_partition_that_comes_back_goes_on_counting(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, a=b"1")
    save(engine, dataset, vanished=("a",))
    save(engine, dataset, a=b"2")
    assert [(row.generation, row.until_version) for row in rows(engine, PartitionStateRow)] == [(1, 2), (2, None)]


def test_what_vanished_is_forgotten_however_much_it_is(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, **{f"p{number}": b"x" for number in range(1200)}, kept=b"y")
    save(engine, dataset, vanished=(*(f"p{number}" for number in range(1200)), "never known"))
    assert loaded(engine, dataset) == {"kept": b"y"}


def test_only_generations_that_ended_long_ago_are_pruned(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, a=b"1", b=b"1")
    save(engine, dataset, a=b"2")
    for before, kept in [(NOON, {"a": b"1", "b": b"1"}), (NOON + timedelta(seconds=1), {"b": b"1"})]:
        with transaction(engine) as tx:
            state_store.prune(tx, dataset, before=before)
            tx.commit()
        assert loaded(engine, dataset, 1) == kept
        assert loaded(engine, dataset) == {"a": b"2", "b": b"1"}


def test_nothing_is_known_of_a_new_dataset(engine: Engine, dataset: UUID) -> None:
    with read_session(engine) as tx:
        assert (state_store.stored_fingerprints(tx, dataset), state_store.load(tx, dataset)) == ({}, {})
        assert state_store.schema(tx, dataset) == Schema(())


def test_a_schema_is_remembered_in_full(engine: Engine, dataset: UUID) -> None:
    schema = Schema((Column("x", "struct<a:decimal(10,2)>", nullable=False), Column("\N{SNOWMAN}", "map<string,int>")))
    save(engine, dataset, schema=schema, a=b"1")
    with read_session(engine) as tx:
        assert state_store.schema(tx, dataset) == schema
