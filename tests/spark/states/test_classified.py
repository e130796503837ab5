"""Columns that a contract classifies: measured as all others are, and nothing of their values is left to be stored."""

import contextlib
import hmac
import io
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import datasketches
import pytest
from support import canaries
from support.canaries import CANARIES, CLASSIFIED, OPEN, ROWS, contract, found, shown

from treaty.contracts.document.classification import with_classifications
from treaty.contracts.document.model import Contract
from treaty.engine.components.operands import KEY_COLUMNS, Operand
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import Outcome, RunResult
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.gate.gate import CandidateRejected, StateFolder, gate
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.spark.scan import keyed_hashing
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory
from treaty.engine.states.missing_states import SENTENCES, MissingState
from treaty.engine.states.state_files import StateFiles

KEY, OTHER = HashKey(bytes(range(32))), HashKey(bytes(range(1, 33)))
COLUMNS = "id int, who string, mail string, code string, born string, day string"
HERE, LATER = "day=d0", "day=d1"


@pytest.fixture(scope="module")
def table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "t"
    frame = spark.createDataFrame(canaries.rows(), COLUMNS).selectExpr("*", "cast(born as date) as b").drop("born")
    frame.withColumnRenamed("b", "born").coalesce(1).write.partitionBy("day").parquet(str(path))
    return path


def asked(table: Path, given: Contract, key: HashKey | None = KEY, **more: Any) -> MeasureRequest:
    return MeasureRequest(
        source=TableSource(str(table), "parquet", ("day",)), contract=given.source, object="people", key=key, **more
    )


def judged(given: Contract, measured: MeasureResult, stored: dict[str, bytes] | None = None, **more: Any) -> RunResult:
    from support.orders import NOW

    states = measured.evaluated_states({**(stored or {}), **measured.states})
    return evaluate(
        EvaluationRequest(
            contract=given,
            object_name="people",
            schema=measured.schema,
            states=states,
            delta=sorted(measured.states),
            started_at=NOW,
            finished_at=NOW,
            whole_table_states=measured.whole_table_states,
            **more,
        )
    )


@pytest.fixture(scope="module")
def measured(spark: Any, table: Path) -> dict[str, MeasureResult]:
    """The table measured by a contract that classifies its columns, and by one that does not."""
    return {each: measure(spark, asked(table, contract(each))) for each in (CLASSIFIED, OPEN)}


def values(run: RunResult) -> dict[tuple[str, str | None], Any]:
    return {(each.check_id, each.partition): each.value for each in run.results if each.measurement}


def test_classified_columns_are_measured_as_open_ones_are(measured: dict[str, MeasureResult]) -> None:
    covered, plain = (values(judged(contract(each), measured[each])) for each in (CLASSIFIED, OPEN))
    assert covered == plain
    assert {value for (check, _), value in plain.items() if check == "uniqueness-mail"} == {0.0}
    assert len(plain) > len(canaries.CHECKS)
    assert None not in plain.values()


def test_what_is_stored_holds_no_value_of_them_whichever_way_it_is_read(measured: dict[str, MeasureResult]) -> None:
    left = {each: set[str]() for each in (CLASSIFIED, OPEN)}
    for each, held in left.items():
        for packed in measured[each].states.values():
            held |= found(packed) | found(shown(packed))
    assert left[OPEN] == set(CANARIES), "the search finds what is there"
    assert left[CLASSIFIED] == set()
    passing = set().union(*(found(shown(each)) for each in measured[CLASSIFIED].transient_states.values()))
    assert passing >= {*canaries.PEOPLE, *canaries.CODES}, "what is judged by alone has them"


def test_large_states_lie_in_files_without_them(spark: Any, table: Path, tmp_path: Path) -> None:
    for each, expected in ((CLASSIFIED, set()), (OPEN, set(CANARIES))):
        folder = tmp_path / each
        files = StateFiles(str(folder))
        told = measure(spark, asked(table, contract(each), state_url=str(folder)))
        opened = set().union(*(found(shown(packed, files)) for packed in told.states.values()))
        assert (opened, set().union(*canaries.in_files(folder).values())) == (expected, expected)
        assert len(list(folder.glob("*.parquet"))) > 5


def test_sketches_hold_no_hash_that_can_be_guessed(measured: dict[str, MeasureResult]) -> None:
    """A theta sketch keeps the hashes of a few keys: whoever guesses a key can look whether its hash is there."""
    guesses = datasketches.update_theta_sketch(12)
    for each in CANARIES:
        guesses.update(f"={each}")
    shared = {}
    for each in (CLASSIFIED, OPEN):
        merged = bags.merge(map(bags.unpack, measured[each].states.values()))
        assert merged is not None
        (keys,) = [key for key in merged.entries if key.startswith("theta/1 theta_sketch_agg(concat(")]
        meeting = datasketches.theta_intersection()
        meeting.update(datasketches.compact_theta_sketch.deserialize(merged.values[keys]))
        meeting.update(guesses.compact())
        shared[each] = meeting.get_result().get_estimate()
    assert shared == {CLASSIFIED: 0, OPEN: len(canaries.PEOPLE)}


def test_hashes_are_hmac_sha_256_and_the_key_is_in_no_plan(spark: Any) -> None:
    texts = [*CANARIES, "", "x" * 200, None]
    frame = spark.createDataFrame([(each,) for each in texts], "t string")
    part = Operand(sql="`t`", type="string", is_hashed=True)
    covered = keyed_hashing.covered(frame.selectExpr(f"{part.uncovered()} AS k0", "t"), ["k0"], KEY)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for mode in ("extended", "formatted", "cost", "codegen"):
            covered.explain(mode)
    told = {row["t"]: row["k0"] for row in covered.collect()}
    digests = {text: hmac.digest(KEY.content, text.encode(), sha256).hex()[:32] for text in texts if text is not None}
    assert told == {**digests, None: None}
    explained = said.getvalue().encode() + part.canonical().encode() + repr(KEY).encode()
    assert KEY_COLUMNS[0].encode() in explained
    for secret in (KEY.content, *KEY.rounds):
        for coded in (
            secret[:8],
            secret[:8].hex().encode(),
            secret[:8].hex().upper().encode(),
            repr(secret[:8]).encode()[2:-1],
        ):
            assert coded not in explained


def test_what_is_not_stored_is_judged_when_it_arrives_and_said_to_be_gone_later(
    spark: Any, table: Path, measured: dict[str, MeasureResult]
) -> None:
    given, first = contract(), measured[CLASSIFIED]
    stored = dict(first.states)
    known = {**first.fingerprints, LATER: "another"}
    lacking = missing_states(given, "people", stored, key=KEY)
    second = measure(spark, asked(table, given, stored_fingerprints=known, stored_keys=lacking))
    assert (sorted(second.states), second.added) == ([LATER], {})
    run = judged(given, second, stored)
    told = {(each.check_id, each.outcome, each.reason) for each in run.results if each.measurement}
    gone = {check for check, _, reason in told if reason == SENTENCES[MissingState.CLASSIFIED]}
    assert gone == {"maximum-born", "histogram-who"}
    assert {outcome for check, outcome, _ in told if check in gone} == {Outcome.NOT_EVALUATED}
    assert {outcome for check, outcome, _ in told if check not in gone} == {Outcome.FAILED}
    whole = {check: value for (check, partition), value in values(judged(given, first)).items() if partition is None}
    later = {check: value for (check, partition), value in values(run).items() if partition is None}
    assert {check: value for check, value in later.items() if check not in gone} == {
        check: value for check, value in whole.items() if check not in gone
    }


def test_states_that_are_never_stored_are_read_again_for_a_new_version_alone(
    spark: Any, table: Path, measured: dict[str, MeasureResult]
) -> None:
    given, first = contract(), measured[CLASSIFIED]
    assert missing_states(given, "people", first.states, key=KEY) == {}
    held = missing_states(given, "people", first.states, key=KEY, afresh=True)
    assert sorted(held) == [HERE, LATER]
    again = measure(spark, asked(table, given, stored_fingerprints=dict(first.fingerprints), stored_keys=held))
    assert (again.states, sorted(again.added), sorted(again.transient_states)) == ({}, [HERE, LATER], [HERE, LATER])
    stored = {
        name: bags.combine_readings(first.states[name], packed, keys=held[name]) for name, packed in again.added.items()
    }
    assert {name: inventory.describe_bag(packed) for name, packed in stored.items()} == {
        name: inventory.describe_bag(packed) for name, packed in first.states.items()
    }
    assert set().union(*(found(shown(each)) for each in stored.values())) == set()


@pytest.mark.parametrize("change", ["another key", "classified now"])
def test_states_of_another_key_or_in_the_clear_are_replaced_and_never_merged(
    spark: Any, table: Path, measured: dict[str, MeasureResult], change: str
) -> None:
    given, key = contract(), OTHER if change == "another key" else KEY
    first = measured[CLASSIFIED if change == "another key" else OPEN]
    held = missing_states(given, "people", first.states, key=key)
    assert sorted(held) == [HERE, LATER]
    again = measure(spark, asked(table, given, key, stored_fingerprints=dict(first.fingerprints), stored_keys=held))
    stored = {
        name: bags.combine_readings(first.states[name], packed, keys=held[name]) for name, packed in again.added.items()
    }
    assert missing_states(given, "people", stored, key=key) == {}
    assert set().union(*(found(shown(each)) for each in stored.values())) == set()
    merged = bags.merged([bags.unpack(first.states[HERE]), bags.unpack(stored[LATER])])
    keyed = {each.key for each in inventory.inventory(stored[LATER])[0] if each.key_id}
    assert len(keyed) > 5
    assert not keyed & merged.entries.keys()


def test_without_a_key_hashes_are_judged_by_and_not_stored(spark: Any, table: Path) -> None:
    given = contract()
    keyless = measure(spark, asked(table, given, key=None))
    assert MissingState.KEYLESS in bags.unpack(keyless.states[HERE]).failures.values()
    assert not [each for packed in keyless.states.values() for each in inventory.inventory(packed)[0] if each.key_id]
    told = values(judged(given, keyless))
    assert (told["uniqueness-mail", None], told["approx_count_keys-who", None]) == (0.0, len(canaries.PEOPLE))
    assert missing_states(given, "people", keyless.states) == {}
    assert sorted(missing_states(given, "people", keyless.states, key=KEY)) == [HERE, LATER]


def test_a_gate_keeps_nothing_of_them(spark: Any, tmp_path: Path) -> None:
    people = [(*each[:4], date.fromisoformat(each[4]), each[5]) for each in canaries.rows()]
    frame = spark.createDataFrame(people, COLUMNS.replace("born string", "born date"))
    (tmp_path / "key").write_bytes(KEY.content)
    (tmp_path / "key").chmod(0o600)
    for each, expected in ((CLASSIFIED, set()), (OPEN, set(CANARIES))):
        store, place = StateFolder(str(tmp_path / f"{each}-states")), str(tmp_path / f"{each}-table")
        given = contract(each)
        passing = contract_without_failures(given)
        with gate(spark, place, passing, store, key_file=str(tmp_path / "key")) as candidate:
            candidate.write(frame)
        assert set().union(*canaries.in_files(Path(store.place)).values()) == expected
        with pytest.raises(CandidateRejected) as refused, gate(spark, place, given, store) as again:
            again.write(frame.where("day = 'd0'"))
        assert len(refused.value.run.results) > ROWS
        assert set().union(*canaries.in_files(Path(store.place)).values()) == expected


def test_a_gate_keeps_nothing_of_what_another_contract_about_the_table_classifies(spark: Any, tmp_path: Path) -> None:
    people = [(*each[:4], date.fromisoformat(each[4]), each[5]) for each in canaries.rows()]
    frame = spark.createDataFrame(people, COLUMNS.replace("born string", "born date"))
    (tmp_path / "key").write_bytes(KEY.content)
    (tmp_path / "key").chmod(0o600)
    own = contract_without_failures(contract(OPEN))
    left = {}
    for name, others in (("alone", ()), ("beside another", (contract(CLASSIFIED).object("people"),))):
        store, place = StateFolder(str(tmp_path / f"{name}-states")), str(tmp_path / f"{name}-table")
        given = with_classifications(own, "people", others)
        with gate(spark, place, given, store, key_file=str(tmp_path / "key")) as candidate:
            candidate.write(frame)
        left[name] = set().union(*canaries.in_files(Path(store.place)).values())
        assert candidate.run is not None
        assert (
            len({each.check_id for each in candidate.run.results if each.value is not None}) > len(canaries.CHECKS) // 2
        )
    assert left == {"alone": set(CANARIES), "beside another": set()}


def contract_without_failures(given: Contract) -> Contract:
    """The same measurements as warnings, which do not keep a candidate out."""
    from treaty.contracts.document.reader import read

    return read(given.source.replace(b"type: custom", b"severity: warning\n        type: custom"))


def test_a_new_draft_shows_no_value_of_what_is_classified_and_classifies_it_again(spark: Any, table: Path) -> None:
    from treaty.contracts.document.reader import read
    from treaty.engine.protocol.requests import DraftRequest
    from treaty.engine.spark.handlers.draft import draft

    frame = spark.read.parquet(str(table))
    many = f"{table}-many"
    frame.crossJoin(spark.range(8).toDF("copy")).write.mode("overwrite").parquet(many)
    held = {}
    for before in (contract().source, None):
        drafted = draft(
            spark,
            DraftRequest(source=TableSource(many, "parquet"), contract_id="people", object="people", in_force=before),
        )
        held[before is None] = found(f"{drafted.suggestions} {drafted.profile}".encode() + drafted.document)
        kinds = {(each["kind"], each["column"]) for each in drafted.suggestions}
        assert ("complete", "mail") in kinds
        assert (("categorical", "who") in kinds) is (before is None)
        properties = {each.name: each for each in read(drafted.document).object("people").properties}
        assert (properties["mail"].classification, properties["id"].classification) == (before and CLASSIFIED, None)
    assert held[False] == set()
    assert held[True] >= {*canaries.PEOPLE, *canaries.MAILS, *canaries.CODES}, (
        "the first draft knows of no classification"
    )
