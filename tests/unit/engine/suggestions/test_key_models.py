"""A registry's own model of key names: how it is trained and compared, when it is used, and how it is stored."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from sklearn.metrics import roc_auc_score
from support.unusual_keys import KEY, facts_of, unusual_tables

from treaty.engine.core.disk import Disk, dump_checked, load_checked
from treaty.engine.suggestions.keys import comparison, model_file
from treaty.engine.suggestions.keys.comparison import area_under_curve, compare, paired_test, registry_recipe
from treaty.engine.suggestions.keys.model import shipped
from treaty.engine.suggestions.keys.model_file import UnreadableKeyModel
from treaty.engine.suggestions.keys.model_store import CHOICE, KeyModelStore, readable, resolve
from treaty.engine.suggestions.keys.name_features import BUCKETS, SchemaColumnName
from treaty.engine.suggestions.keys.registry_model import KeyFacts, KeyTraining, card_of, train
from treaty.engine.suggestions.keys.training import fit_of, key_columns

TODAY = "2026-11-27"
UNSEEN = SchemaColumnName("zugang", KEY, "decimal", ("id_tour", "tour_id", KEY, "art_zugang", "wert_zugang"))


@pytest.fixture(scope="module")
def facts() -> KeyFacts:
    return facts_of(unusual_tables())


@pytest.fixture(scope="module")
def trained(facts: KeyFacts) -> KeyTraining:
    return train(facts)


@pytest.fixture
def models(tmp_path: Path) -> KeyModelStore:
    return KeyModelStore(tmp_path / "key-models")


def test_names_that_owners_use_are_learned_for_tables_that_were_not_trained_on(trained: KeyTraining) -> None:
    assert trained.obstacle == ""
    assert trained.model is not None
    assert shipped().probability(UNSEEN) < 0.5 < trained.model.probability(UNSEEN)
    reference = replace(UNSEEN, column="tour_id", type="bigint")
    assert trained.model.probability(reference) < 0.5
    # What the registry says nothing about stays as it is shipped.
    usual = SchemaColumnName("orders", "order_id", "bigint", ("order_id", "customer_id", "total"))
    assert trained.model.probability(usual) > 0.5


def test_the_same_columns_give_the_same_bytes(facts: KeyFacts, trained: KeyTraining) -> None:
    first, second = (
        model_file.dump(card_of(each, facts, version=1, date=TODAY), each.model)  # type: ignore[arg-type]
        for each in (trained, train(facts))
    )
    assert first == second


def usual_names(count: int = 30) -> KeyFacts:
    """Tables whose keys are named as everybody names them."""
    subjects = [each.name for each in unusual_tables(count)]
    names, unique = [], []
    for subject in subjects:
        columns = (f"{subject}_id", "name", "created_at", "amount")
        kinds = ("bigint", "string", "timestamp", "double")
        names += [SchemaColumnName(subject, *each, columns) for each in zip(columns, kinds, strict=True)]
        unique += [1, 0, 0, 0]
    return KeyFacts(columns=key_columns(names, unique, [each.table for each in names]), fingerprint="f", tables=count)


def shuffled(seed: int) -> KeyFacts:
    """Columns about which names say nothing."""
    facts = facts_of(unusual_tables())
    unique = numpy.random.default_rng(seed).permutation(facts.columns.unique)
    return replace(facts, columns=replace(facts.columns, unique=unique))


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (facts_of(unusual_tables(19)), "19 families of tables with declared keys; at least 20 are needed"),
        (facts_of([]), "0 families"),
        (usual_names(), "ranks no better: area 1.0000 on unseen families, shipped 1.0000"),
    ],
)
def test_a_model_that_is_not_better_is_not_used_and_the_reason_is_stated(
    facts: KeyFacts, reason: str, models: KeyModelStore
) -> None:
    choice = models.add(train(facts), facts, TODAY)
    assert choice.version is None
    assert reason in choice.reason
    assert (models.versions(), models.selected().model) == ([], shipped())


def test_chance_is_rarely_taken_for_a_better_model() -> None:
    """Of registries whose names say nothing, one in a hundred uses a model of its own."""
    base = fit_of(shipped())
    obstacles = []
    for seed in range(20):
        columns = shuffled(seed).columns
        scores = comparison.cross_validate(registry_recipe(base), columns)
        obstacles.append(compare(columns, base, scores.predicted).obstacle)
    assert obstacles.count("") <= 1


def test_the_test_of_two_areas_is_that_of_clusters() -> None:
    """Areas equal those of scikit-learn; a doubled family is no further evidence, as doubled columns would be."""
    random, facts = numpy.random.default_rng(7), facts_of(unusual_tables())
    columns = facts.columns
    one, other = columns.unique + random.normal(0, 1, (2, len(columns.unique)))
    assert area_under_curve(one, columns.unique) == pytest.approx(roc_auc_score(columns.unique, one))
    error, chance = paired_test(one, other, columns)
    assert paired_test(other, one, columns) == (pytest.approx(error), pytest.approx(1 - chance))
    assert paired_test(one, one, columns) == (0, 1)
    twice = [*range(len(columns.unique))] * 2
    assert paired_test(one[twice], other[twice], columns.at(twice))[0] == pytest.approx(error)


def test_what_is_needed_is_stated_as_a_number_of_families() -> None:
    few = comparison.KeyComparison(
        families=25, columns=200, keys=25, area=0.97, shipped_area=0.96, error=0.01, chance=0.16, loss=0.1,
        shipped_loss=0.1,
    )  # fmt: skip
    assert "about 136 families instead of 25" in few.obstacle
    worse = replace(few, chance=0.001, loss=0.2)
    assert "log loss 0.2000, shipped 0.1000" in worse.obstacle


def test_every_version_stays_and_can_be_returned_to(
    models: KeyModelStore, facts: KeyFacts, trained: KeyTraining
) -> None:
    assert models.add(trained, facts, TODAY).version == 1
    assert models.add(trained, facts, TODAY).version == 1
    later = replace(facts, fingerprint="f2", tables=31)
    assert models.add(trained, later, "2026-11-28").version == 2
    assert models.selected().model.title == "model of 2026-11-28 trained on 31 tables"
    assert [each.version for each in models.cards()] == [2, 1]
    models.use(1, "chosen by ada")
    assert models.add(trained, replace(facts, fingerprint="f3"), TODAY).version == 1
    assert (models.versions(), models.selected().model.title) == ([1, 2, 3], "model of 2026-11-27 trained on 30 tables")
    models.use(None, "chosen by ada")
    assert models.selected().model is shipped()
    models.use(None, "free again", pinned=False)
    assert models.add(trained, later, TODAY).version == 2


def rewritten(change: Callable[[dict[str, object]], object]) -> Callable[[bytes], bytes]:
    def write(content: bytes) -> bytes:
        document = load_checked(content, "")
        change(document)
        return dump_checked(document)

    return write


def with_card(**fields: object) -> Callable[[bytes], bytes]:
    return rewritten(lambda document: document["card"].update(fields))  # type: ignore[attr-defined]


def bomb(document: dict[str, object]) -> None:
    import base64
    import zlib

    document["weights"] = base64.b85encode(zlib.compress(bytes(100 * BUCKETS), 9)).decode()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda content: content[: len(content) // 2],
    "one bit": lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
    "foreign": lambda _: b"PK\x03\x04 not a model",
    "pickle": lambda _: b"cos\nsystem\n(S'true'\ntR.",
    "large": lambda content: content * 40,
    "another kind": rewritten(lambda document: document.update(kind="something else")),
    "a later format": rewritten(lambda document: document.update(format=2)),
    "no card": rewritten(lambda document: document.pop("card")),
    "more": rewritten(lambda document: document.update(more=1)),
    "not a number": with_card(slope=float("nan")),
    "an area above 1": with_card(area=1.5),
    "a text as number": with_card(step="0.1"),
    "weights of another size": rewritten(bomb),
    "weights that are no text": rewritten(lambda document: document.update(weights="\"\\'")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_no_model_is_refused_and_the_shipped_one_used(
    damage: str, models: KeyModelStore, facts: KeyFacts, trained: KeyTraining
) -> None:
    models.add(trained, facts, TODAY)
    path = models.path(1)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    for given in (path, models.folder):
        selected = resolve(str(given))
        assert selected.model is shipped()
        (note,) = selected.notes
        assert str(path) in note
        assert "The shipped key-name model was used." in note
        with pytest.raises(UnreadableKeyModel, match=r"is not a key-name model, or is damaged|has format 2"):
            readable(given)


def test_a_damaged_choice_is_stated_and_the_next_training_replaces_it(
    models: KeyModelStore, facts: KeyFacts, trained: KeyTraining
) -> None:
    models.add(trained, facts, TODAY)
    (models.folder / CHOICE).write_text(json.dumps({"version": "1"}), "utf-8")
    assert "is damaged: choose a key-name model" in models.selected().notes[0]
    assert models.add(trained, facts, TODAY).version == 1
    assert models.selected().notes == ()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableKeyModel, match="does not exist"):
        readable(tmp_path / "nothing")
    with pytest.raises(UnreadableKeyModel, match="contains no key-name models"):
        readable(tmp_path)
    assert (readable(None), resolve(None).model) == (None, shipped())
    assert resolve(str(tmp_path / "nothing")).notes == ()


class _Power(Disk):
    """A disk that fails at one of its steps, and leaves half of what it writes."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def _step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise OSError("no power")

    def write(self, path: str, content: bytes) -> None:
        super().write(path, content[: len(content) // 2])
        self._step()
        super().write(path, content)

    def rename(self, origin: str, target: str) -> None:
        self._step()
        super().rename(origin, target)


@pytest.mark.parametrize("steps", range(4))
def test_a_crash_leaves_the_old_choice_or_the_new_one(
    steps: int, models: KeyModelStore, facts: KeyFacts, trained: KeyTraining
) -> None:
    models.add(trained, facts, TODAY)
    later = replace(facts, fingerprint="f2")
    with pytest.raises(OSError, match="no power"):
        KeyModelStore(models.folder, _Power(steps)).add(trained, later, TODAY)
    assert (models.choice().version, models.selected().notes) == (1, ())
    assert models.add(trained, later, TODAY).version == 2
    assert models.selected().notes == ()
