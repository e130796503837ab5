"""Frequencies that are too many for one process: which they are, and what is judged by their spectrum alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.bags import bag
from support.orders import NOW, SCHEMA, check, contract

from treaty.engine.checks.binding import bind
from treaty.engine.components.frequencies import (
    FrequencySpectrum,
    FrequencyTable,
    complete,
    entropy,
    groups,
    occurrences,
    singletons,
)
from treaty.engine.core.errors import StateError
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import TOO_MANY, evaluate
from treaty.engine.evaluation.large_frequencies import large
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.states.bag import StateBag, unpack
from treaty.engine.states.bag import merge as together
from treaty.engine.states.state_files import StateFiles

DATASET = {"scope": "dataset"}
ORDERS = contract(
    check("uniqueness", "unique", columns=["id", "status"], mustBe=1, **DATASET),
    check("count_distinct", "distinct", columns=["id", "status"], mustBe=3, **DATASET),
    check("entropy", "entropy", column="status", mustBeGreaterThan=0, **DATASET),
    check("histogram", "values", column="status", mustBe=2, **DATASET),
    check("count_distinct", "arrived", columns=["amount"], mustBeGreaterThan=0),
)
ROWS = {"id": [1, 1, 2, None], "amount": [1.0, 2.0, 3.0, 4.0], "status": ["new", "new", "paid", "new"]}


def bags() -> dict[str, StateBag]:
    plan = bind(ORDERS.object("orders"), SCHEMA).plan
    halves = {name: {column: values[at::2] for column, values in ROWS.items()} for at, name in enumerate(("a", "b"))}
    return {name: bag(plan, SCHEMA, half) for name, half in halves.items()}


def packed(files: StateFiles | None) -> dict[str, bytes]:
    return {name: each.pack(files) for name, each in bags().items()}


def spectrum(key: str, given: Mapping[str, StateBag]) -> FrequencySpectrum:
    merged = together(given.values())
    assert merged is not None
    state = merged.values[key]
    whole = complete(state)
    return FrequencySpectrum(state.times, whole.times if whole else {}, key)


def test_what_is_large_are_the_files_of_states_of_the_whole_dataset(tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path))
    stored = packed(files)
    found = large(ORDERS, "orders", SCHEMA, stored, files=files, most=0)
    assert sorted(map(len, found.values())) == [2, 2]
    assert not any("amount" in key for key in found)
    assert {name for names in found.values() for name in names} <= {each.name for each in tmp_path.iterdir()}
    assert large(ORDERS, "orders", SCHEMA, stored, files=files, most=10**6) == {}
    half = {"a": stored["a"], "b": bags()["b"].pack()}
    assert large(ORDERS, "orders", SCHEMA, half, files=files, most=0) == {}


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[8] ^= 1
    file.write_bytes(bytes(content))


@pytest.mark.parametrize(("happens", "said"), [(Path.unlink, "is missing or damaged"), (flip, "is damaged")])
def test_a_file_that_is_of_no_use_is_refused_before_spark_reads_it(happens: Any, said: str, tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path))
    stored = packed(files)
    found = large(ORDERS, "orders", SCHEMA, stored, files=files, most=0)
    happens(tmp_path / max(max(found.values())))
    with pytest.raises(StateError, match=said):
        large(ORDERS, "orders", SCHEMA, stored, files=files, most=0)


def test_a_partition_without_rows_has_no_file_and_does_not_hinder(tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path))
    empty = bag(bind(ORDERS.object("orders"), SCHEMA).plan, SCHEMA, {name: [] for name in ROWS})
    found = large(ORDERS, "orders", SCHEMA, {**packed(files), "c": empty.pack(files)}, files=files, most=0)
    assert sorted(map(len, found.values())) == [2, 2]


def test_a_spectrum_judges_as_the_frequencies_themselves_but_for_what_looks_at_values(tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path))
    given, stored = bags(), packed(files)
    keys = large(ORDERS, "orders", SCHEMA, stored, files=files, most=0)
    for file in tmp_path.iterdir():
        file.unlink()
    spectra = {key: spectrum(key, given) for key in keys}
    words = {"delta": [], "started_at": NOW, "finished_at": NOW, "schema": SCHEMA}
    plain = evaluate(EvaluationRequest(contract=ORDERS, object_name="orders", states=given, **words))  # type: ignore[arg-type]
    told = evaluate(
        EvaluationRequest(contract=ORDERS, object_name="orders", states=stored, files=files, spectra=spectra, **words)
    )  # type: ignore[arg-type]
    before = {each.check_id: each for each in plain.results}
    after = {each.check_id: each for each in told.results}
    assert (after["values"].outcome, after["values"].reason) == (Outcome.NOT_EVALUATED, TOO_MANY)
    for name in ("unique", "distinct", "entropy"):
        assert (after[name].value, after[name].outcome) == (before[name].value, before[name].outcome)
        assert after[name].outcome in (Outcome.PASSED, Outcome.FAILED)


def test_a_spectrum_tells_what_can_be_told_without_values() -> None:
    given = FrequencySpectrum({1: 3, 2: 1}, {1: 2}, "key")
    assert (groups(given), singletons(given), occurrences(given)) == (4, 3, 5)
    assert (groups(complete(given)), occurrences(complete(given))) == (2, 2)
    assert complete(FrequencySpectrum({1: 1}, {}, "key")) is None
    assert entropy(given) == pytest.approx(1.3321790402101223)
    with pytest.raises(KeyError, match="key"):
        _ = given.table


def test_frequencies_have_a_spectrum_too() -> None:
    merged = together(unpack(each) for each in packed(None).values())
    assert merged is not None
    times = [dict(each.times) for each in merged.values.values() if isinstance(each, FrequencyTable)]
    assert {tuple(sorted(each.items())) for each in times} == {((1, 1), (3, 1)), ((1, 2), (2, 1)), ((1, 4),)}
