"""A request reads each document once, and binds its checks once, however many steps ask for them."""

from collections import Counter
from typing import Any

import pytest
from support.api import World, drafted, suggestion
from support.consumers import approve, ask, check, content, subscribe

from treaty.contracts.document import reader, writer
from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.schema import Schema
from treaty.engine.checks import binding as checks_binding
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision


class Readings:
    """How often each document was read, and each object bound, since the last look."""

    def __init__(self) -> None:
        self.read: Counter[bytes] = Counter()
        self.bound: Counter[str] = Counter()

    def taken(self) -> tuple[Counter[bytes], Counter[str]]:
        """The counts, which begin anew."""
        found = self.read, self.bound
        self.read, self.bound = Counter(), Counter()
        return found


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Readings:
    """Counts what `treaty.contracts.document.reader.read` and `treaty.engine.checks.binding.bind` are asked for,
    whoever asks."""
    counted, parse, binding = Readings(), reader._as_read, checks_binding.Binding

    def read(source: bytes, operators: tuple[str, ...]) -> Contract:
        counted.read[source] += 1
        return parse(source, operators)

    def bind(data_object: DataObject, schema: Schema) -> Any:
        counted.bound[repr((data_object, schema))] += 1
        return binding(data_object, schema)

    monkeypatch.setattr(reader, "_small", read)
    monkeypatch.setattr(reader, "_large", read)
    monkeypatch.setattr(checks_binding, "Binding", bind)
    return counted


def next_version(**terms: Any) -> str:
    """A version that breaks who reads `amount`, and whose terms another one follows."""
    return writer.write(content("2.0.0", quality=[check("many", "size", mustBeGreaterThan=0)], **terms)).decode()


@pytest.fixture
def followed(world: World) -> World:
    """A contract in force, on which somebody builds."""
    approve(world, content())
    subscribe(world)
    return world


def test_an_approval_reads_the_new_version_and_the_one_in_force_once(followed: World, readings: Readings) -> None:
    made, owner = followed.client("producer").propose(next_version()), followed.client("owner")
    fingerprint = owner.preview(made.id).fingerprint
    readings.taken()
    assert owner.approve(made.id, fingerprint).version
    read, bound = readings.taken()
    assert sorted(read.values()) == [1, 1]
    assert sorted(bound.values()) == [1, 1]


def test_an_approval_reads_the_checks_of_a_consumer_beside_them_once(world: World, readings: Readings) -> None:
    approve(world, content())
    ask(world, subscribe(world).id, check("cheap", "maximum", column="amount", mustBeLessThan=9))
    made, owner = world.client("producer").propose(next_version()), world.client("owner")
    fingerprint = owner.preview(made.id).fingerprint
    readings.taken()
    assert owner.approve(made.id, fingerprint).version
    read, _ = readings.taken()
    assert set(read.values()) == {1}


def test_a_preview_reads_each_version_once_and_binds_the_new_one(followed: World, readings: Readings) -> None:
    made = followed.client("producer").propose(next_version())
    readings.taken()
    followed.client("owner").preview(made.id)
    read, bound = readings.taken()
    assert sorted(read.values()) == [1, 1]
    assert list(bound.values()) == [1]


def test_a_preview_of_a_draft_reads_the_draft_and_what_it_becomes(followed: World, readings: Readings) -> None:
    made = draft(followed)
    followed.client("owner").decide(made, suggestions(followed, made), Decision.ACCEPTED, revision=1)
    readings.taken()
    shown = followed.client("owner").preview(made)
    read, bound = readings.taken()
    # The draft, which is the version in force; the draft with its suggestions, and the same under a free number.
    assert (shown.version, sorted(read.values()), list(bound.values())) == ("1.1.0", [1, 1, 1], [1])


def test_a_decision_about_a_suggestion_reads_the_draft_and_binds_nothing(followed: World, readings: Readings) -> None:
    made = draft(followed)
    chosen = suggestions(followed, made)[:1]
    readings.taken()
    followed.client("owner").decide(made, chosen, Decision.ACCEPTED, revision=1, decided_only=True)
    read, bound = readings.taken()
    assert (sorted(read.values()), sum(bound.values())) == ([1], 0)


def test_a_decision_that_edits_a_suggestion_reads_and_binds_what_it_makes_once(
    followed: World, readings: Readings
) -> None:
    made = draft(followed)
    (first, _) = followed.client("owner").proposal(made).suggestions
    readings.taken()
    followed.client("owner").change(made, first.id, first.content["patch"], revision=1)
    read, bound = readings.taken()
    assert (max(read.values()), list(bound.values())) == (1, [1])


def draft(world: World) -> Any:
    """The id of a draft of the contract, with two suggestions."""
    with transaction(world.engine) as tx:
        base = writer.write(content()).decode()
        proposal = drafted(tx, world.users["producer"], suggestion("id"), suggestion("day"), base=base)
        tx.commit()
        return proposal.id


def suggestions(world: World, proposal: Any) -> list[Any]:
    """The ids of its suggestions."""
    return [each.id for each in world.client("owner").proposal(proposal).suggestions]
