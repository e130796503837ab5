"""Partition states: one current generation a partition, found again byte for byte."""

from uuid import UUID

import pytest
from sqlalchemy import Engine
from support.engines import SCHEMA
from support.scenes import NOON, contract_in_force, rows

from contracts.logical_types import Column, Schema
from engine.requests import Measured
from registry import ids, states
from registry.database import reading, transaction
from registry.tables import Dataset, PartitionState

PACKED = bytes(range(256))


@pytest.fixture
def dataset(engine: Engine) -> UUID:
    contract_in_force(engine)
    return rows(engine, Dataset)[0].id


def save(engine: Engine, dataset: UUID, *, schema: Schema = SCHEMA, **content: bytes) -> None:
    measured = Measured(schema, {name: f"f-{packed!r}" for name, packed in content.items()}, content)
    with transaction(engine) as tx:
        states.save(tx, dataset, measured, now=NOON, ids=ids.new)
        tx.commit()


def test_states_come_back_byte_for_byte(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, a=PACKED, b=b"")
    with reading(engine) as tx:
        assert states.load(tx, dataset) == {"a": PACKED, "b": b""}
        assert states.known(tx, dataset) == {"a": f"f-{PACKED!r}", "b": "f-b''"}
        assert states.schema(tx, dataset) == SCHEMA


def test_saving_again_is_a_new_generation_of_that_partition_alone(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, a=b"1", b=b"1")
    save(engine, dataset, a=b"2", c=b"2")
    found = {row.partition: (row.generation, row.states) for row in rows(engine, PartitionState)}
    assert found == {"a": (2, b"2"), "b": (1, b"1"), "c": (1, b"2")}


def test_what_vanished_is_forgotten_however_much_it_is(engine: Engine, dataset: UUID) -> None:
    save(engine, dataset, **{f"p{number}": b"x" for number in range(1200)}, kept=b"y")
    with transaction(engine) as tx:
        states.forget(tx, dataset, [f"p{number}" for number in range(1200)] + ["never known"])
        tx.commit()
    assert [row.partition for row in rows(engine, PartitionState)] == ["kept"]


def test_nothing_is_known_of_a_new_dataset(engine: Engine, dataset: UUID) -> None:
    with reading(engine) as tx:
        assert (states.known(tx, dataset), states.load(tx, dataset)) == ({}, {})
        assert states.schema(tx, dataset) == Schema(())


def test_a_schema_is_remembered_in_full(engine: Engine, dataset: UUID) -> None:
    schema = Schema((Column("x", "struct<a:decimal(10,2)>", nullable=False), Column("\N{SNOWMAN}", "map<string,int>")))
    save(engine, dataset, schema=schema, a=b"1")
    with reading(engine) as tx:
        assert states.schema(tx, dataset) == schema
