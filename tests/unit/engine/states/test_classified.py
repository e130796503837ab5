"""What states keep of classified values, and the keys that hide them: told without Spark."""

import os
from pathlib import Path

import pytest
from support.every import every
from support.orders import NOW, ROWS, SCHEMA, check, contract, on, result, run, states

from treaty.contracts.document.classification import classified_schema
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.components.base import COMPONENTS, Component, Retention
from treaty.engine.core import key_files
from treaty.engine.core.errors import EngineError
from treaty.engine.core.hash_key import SIZE, HashKey, transient_key
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory
from treaty.engine.states.missing_states import SENTENCES, MissingState

STRICT = {"classification": "restricted"}
KEEPS = {
    Retention.NOTHING: {
        "count", "count_if", "sum", "moments", "higher_moments", "co_moments", "type_counts", "references", "matches",
        "pattern_profile",
    },
    Retention.HASHES: {"distinct", "theta"},
    Retention.VALUES: {"min", "max", "quantiles", "heavy_hitters", "answer", "frequencies", "naive_bayes", "confusion"},
}  # fmt: skip
KEYS = HashKey(b"a" * SIZE), HashKey(b"b" * SIZE)


def test_every_component_says_what_its_state_keeps() -> None:
    told = {kind: COMPONENTS[kind].retention for kind in COMPONENTS}
    assert {keeps: {kind for kind, found in told.items() if found is keeps} for keeps in Retention} == KEEPS


def test_a_component_of_which_nobody_says_what_it_keeps_is_taken_to_keep_values() -> None:
    assert Component.retention is Retention.VALUES


# check, the states that are never stored, those that need a key
PARTS = [
    (check("completeness", column="status"), 0, 0),
    (check("size"), 0, 0),
    (check("minimum", column="status"), 1, 0),
    (check("minimum", column="amount"), 0, 0),
    (check("maximum", column="born"), 1, 0),
    (check("freshness", column="born"), 1, 0),
    (check("arrival_delay", column="born", arrived="seen"), 0, 0),
    (check("arrival_delay", column="born", arrived="seen", quantile=0.5), 1, 0),
    (check("minimum_length", column="status"), 0, 0),
    (check("mean", column="amount"), 0, 0),
    (check("approx_quantile", column="amount", quantile=0.5), 1, 0),
    (check("exact_quantile", column="amount", quantile=0.5), 1, 0),
    (check("exact_quantile", column="born", quantile=0.5), 1, 0),
    (check("histogram", column="status"), 1, 0),
    (check("histogram", column="amount", bins=3), 1, 0),
    (check("histogram", column="amount", bins=3, low=0, high=9), 0, 0),
    (check("histogram", column="status", share_of="new"), 0, 0),
    (check("pattern_share", column="status"), 0, 0),
    (check("predictability", target="open", inputs=["amount", "status"]), 1, 0),
    (check("uniqueness", column="status"), 0, 1),
    (check("duplicate_rows", columns=["open", "status"]), 0, 1),
    (check("entropy", column="amount"), 0, 1),
    (check("mutual_information", column="status", other="open"), 0, 1),
    (check("determination", column="status", other="open"), 0, 1),
    (check("approx_count_distinct", column="status"), 0, 1),
    (check("approx_count_keys", columns=["open", "status"]), 0, 1),
    (check("uniqueness", column="open", where="status = 'new'"), 0, 0),
    (check("minimum", column="open"), 0, 0),
    (check("approx_count_distinct", column="place.street"), 0, 1),
    (check("approx_count_distinct", column="place.town"), 0, 0),
    (check("sql", query="SELECT max(status) FROM {object}"), 1, 0),
    (check("sql", query="SELECT max(open) FROM {object}"), 0, 0),
]
WIDE = Schema((
    *SCHEMA.columns, Column("born", "date"), Column("seen", "date"), Column("open", "string"),
    Column("place", "struct<town:string,street:string>"),
))  # fmt: skip
PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    *({"name": name, "logicalType": kind, **STRICT} for name, kind in
      (("amount", "number"), ("status", "string"), ("born", "date"), ("seen", "date"))),
    {"name": "open", "logicalType": "string"},
    {"name": "place", "logicalType": "object", "properties": [
        {"name": "town", "logicalType": "string"}, {"name": "street", "logicalType": "string", **STRICT},
    ]},
]  # fmt: skip


@every(("given", "unkept", "keyed"), PARTS, ids=[f"{each[0]['implementation']}" for each in PARTS])
def test_states_of_classified_columns_are_not_stored_or_hashed_with_a_key(
    given: dict[str, object], unkept: int, keyed: int
) -> None:
    promised = {**given, "implementation": {**given["implementation"], "mustBe": 1}}  # type: ignore[dict-item]
    plan = bind(contract(promised, properties=PROPERTIES).object("orders"), WIDE).plan
    assert (len(plan.passing), len(plan.keyed)) == (unkept, keyed)
    plain = [{**each, "classification": "public"} for each in PROPERTIES if each["name"] != "place"]
    opened = bind(
        contract(promised, properties=[*plain, {"name": "place", "logicalType": "object"}]).object("orders"), WIDE
    )
    assert not (opened.plan.passing | opened.plan.keyed)
    assert opened.plan.keys >= plan.passing


def test_a_column_that_the_contract_does_not_declare_is_masked_but_not_classified() -> None:
    of = contract(properties=on("status", **STRICT)).object("orders")
    assert classified_schema(of, Schema((*SCHEMA.columns, Column("new", "string")))).classified == {("status",)}


def test_a_wide_table_is_marked_in_no_time() -> None:
    import time

    many = [{"name": f"c{at}", "logicalType": "string", **(STRICT if at % 2 else {})} for at in range(3000)]
    wide = Schema(tuple(Column(f"C{at}", "string") for at in range(3000)))
    of, begun = contract(properties=many).object("orders"), time.process_time()
    assert len(classified_schema(of, wide).classified) == 1500
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("tags", [(), ("pii",)])
def test_a_table_that_is_tagged_classifies_what_nothing_says_is_open(tags: tuple[str, ...]) -> None:
    from dataclasses import replace

    given = contract(
        properties=[{"name": "id", "logicalType": "integer", "classification": "public"}, *on("status")[1:]]
    )
    of = replace(given.object("orders"), tags=tags)
    expected = {("amount",), ("status",), ("new",)} if tags else set()
    assert classified_schema(of, Schema((*SCHEMA.columns, Column("new", "string")))).classified == expected


PROMISED = contract(
    check("minimum", "first", column="status", mustBe="new"),
    check("minimum", "least", column="status", mustBe="new", scope="dataset"),
    check("uniqueness", "own", column="status", mustBe=0, scope="dataset"),
    properties=on("status", **STRICT),
)
NOW_PUBLIC = contract(*(each for each in [
    check("minimum", "first", column="status", mustBe="new"),
    check("uniqueness", "own", column="status", mustBe=0, scope="dataset"),
]))  # fmt: skip


def keyed(key: HashKey | None = KEYS[0], given: object = PROMISED) -> bags.StateBag:
    """The states of a partition, hashed with the key."""
    from dataclasses import replace

    from support.bags import bag

    plan = bind(given.object("orders"), SCHEMA).plan  # type: ignore[attr-defined]
    return bag(replace(plan, key=key), SCHEMA, ROWS)


def test_what_is_not_stored_is_judged_by_when_it_arrives_and_told_when_it_is_gone() -> None:
    told = run(PROMISED, {"day=2": keyed()}, {"day=1": keyed()})
    first, least, own = (result(told, each) for each in ("first", "least", "own"))
    assert (first.outcome, first.value) == (Outcome.PASSED, "new")
    assert (least.outcome, least.reason) == (Outcome.NOT_EVALUATED, SENTENCES[MissingState.CLASSIFIED])
    assert own.outcome is Outcome.PASSED


def test_hashes_of_two_keys_are_never_merged() -> None:
    told = run(PROMISED, {"day=2": keyed(KEYS[1])}, {"day=1": keyed()})
    assert (result(told, "own").outcome, result(told, "own").reason) == (
        Outcome.NOT_EVALUATED,
        SENTENCES[MissingState.KEYS_DIFFER],
    )


def test_hashes_without_a_lasting_key_are_judged_by_and_not_stored() -> None:
    for key in (None, transient_key()):
        told = run(PROMISED, {"day=2": keyed(key)}, {"day=1": keyed(key)})
        assert result(told, "own").reason == SENTENCES[MissingState.KEYLESS]
        assert result(run(PROMISED, {"day=2": keyed(key)}), "own").outcome is Outcome.PASSED


def test_an_inventory_says_which_key_states_were_hashed_with() -> None:
    held = inventory.inventory(keyed().pack())[0]
    assert {each.kind: each.key_id for each in held} == {"count": "", "frequencies": KEYS[0].id}
    assert bags.merged([bags.unpack(keyed().pack())] * 2).entries.keys() == {each.key for each in held}


# what is stored, by which contract it is asked for, with which key, afresh: whether it is lacking
LACKING = [
    (keyed(), PROMISED, KEYS[0], False, False),
    (keyed(), PROMISED, KEYS[0], True, True),
    (keyed(), PROMISED, KEYS[1], False, True),
    (keyed(), PROMISED, None, False, False),
    (keyed(None), PROMISED, None, False, False),
    (keyed(None), PROMISED, None, True, True),
    (keyed(None), PROMISED, KEYS[0], False, True),
    (keyed(), NOW_PUBLIC, KEYS[0], False, True),
    (keyed(given=NOW_PUBLIC), NOW_PUBLIC, KEYS[0], True, False),
    (keyed(given=NOW_PUBLIC), PROMISED, KEYS[0], False, True),
    (keyed(given=NOW_PUBLIC), contract(properties=on("status", **STRICT)), KEYS[0], False, True),
    (keyed(given=NOW_PUBLIC), contract(), KEYS[0], False, False),
]


@pytest.mark.parametrize(("stored", "given", "key", "afresh", "expected"), LACKING)
def test_what_may_not_be_kept_as_it_is_lacks(
    stored: bags.StateBag,
    given: object,
    key: HashKey | None,
    afresh: bool,
    expected: bool,
) -> None:
    packed = stored.pack()
    held = missing_states(given, "orders", {"day=1": packed}, key=key, afresh=afresh)  # type: ignore[arg-type]
    assert (list(held) == ["day=1"]) is expected
    if expected:
        # What was lacking is computed, put beside what is held, and is lacking no longer.
        added = keyed(key, given).pack()
        whole = bags.combine_readings(packed, added, keys=held["day=1"])
        assert missing_states(given, "orders", {"day=1": whole}, key=key) == {}  # type: ignore[arg-type]


def test_what_was_measured_is_judged_with_what_is_not_stored() -> None:
    bag = keyed()
    assert bag.passing is not None
    found = MeasureResult(
        schema=SCHEMA,
        fingerprints={"day=1": "m"},
        states={"day=1": bag.pack()},
        transient_states={"day=1": bag.passing.dump_all()},
    )
    told = evaluate(
        EvaluationRequest(
            contract=PROMISED,
            object_name="orders",
            schema=SCHEMA,
            states=found.evaluated_states(found.states),
            delta=("day=1",),
            started_at=NOW,
            finished_at=NOW,
        )
    )
    assert {each.outcome for each in told.results if each.measurement} == {Outcome.PASSED}
    assert bag.passing.entries.keys() - bags.unpack(bag.pack()).entries.keys()
    assert states(PROMISED, ROWS).rows == bag.passing.rows


def test_a_key_tells_nothing_of_itself_but_which_it_is() -> None:
    asked = MeasureRequest(source=TableSource("t"), contract=b"", object="t", key=KEYS[0])
    for said in (repr(KEYS[0]), repr(asked), str(asked)):
        assert "aaaa" not in said
    assert KEYS[0].id != KEYS[1].id != HashKey(b"a" * SIZE).of("t").id
    assert KEYS[0].of("t") == HashKey(b"a" * SIZE).of("t") != KEYS[0].of("u")
    assert KEYS[0].lasting
    assert not transient_key().lasting
    assert not transient_key().of("t").lasting


def test_a_key_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "key"
    key_files.make(path)
    first = key_files.read(path)
    key_files.make(path)
    assert key_files.read(path) == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["key"]
    assert key_files.read(path).of("t") == first.of("t")


@pytest.mark.parametrize(
    ("content", "mode", "told"),
    [
        (None, 0o600, "cannot be read: No such file"),
        (b"short", 0o600, "32 random bytes"),
        (b"k" * SIZE, 0o640, "chmod 600"),
    ],
)
def test_a_key_file_that_is_none_or_others_may_read_is_refused(
    tmp_path: Path, content: bytes | None, mode: int, told: str
) -> None:
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
        path.chmod(mode)
    with pytest.raises(EngineError, match=told) as refused:
        key_files.read(path)
    assert "kkk" not in str(refused.value)
