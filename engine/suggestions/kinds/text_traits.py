"""Suggestions about traits of texts (`treaty.engine.profile.text_traits`): what all texts have, and shares that stay
about where they were in all partitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import TEXT
from treaty.engine.components.text_masks import LONGEST
from treaty.engine.core.results import Value
from treaty.engine.profile.facts import is_valid_predicate
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.profile.text_traits import LOWER, TRAITS, TRIMMED, UPPER, Trait
from treaty.engine.profile.value_masks import mask_of
from treaty.engine.suggestions.candidates import (
    COLUMN_SUGGESTIONS,
    SuggestionCandidate,
    SuggestionKind,
    SuggestionMetric,
    add,
    compliance,
    of_column,
)
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.kinds.metric_bands import document_limit, edited, limits_assertion
from treaty.engine.suggestions.tolerances import MARGINS, SAFETY, Limits, limits

# By hand: of fewer texts it is chance what they have in common.
LEAST_TEXTS = 100


@of_column()
def trimmed(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """No text begins or ends with a space."""
    return _always(TRIMMED, column, part, "has no spaces around it")


@of_column()
def upper_case(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """No text has a small letter, and there are letters."""
    return _always(UPPER, column, part, "is in upper case") if _without(LOWER, column, part) else None


@of_column()
def lower_case(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """No text has a capital letter, and there are letters."""
    return _always(LOWER, column, part, "is in lower case") if _without(UPPER, column, part) else None


def shares(trait: Trait, column: ColumnProfile, part: HistorySlice) -> Sequence[Value]:
    """The share of each partition's texts that have the trait; None where it has no text, and where nothing tells."""
    if measured := column.traits.get(trait.name):
        return part.read((column.column.name, "trait", trait.name), lambda bag: column.metric_value(measured, bag))
    if max(part.series(column, "maximum_length"), default=LONGEST) >= LONGEST:
        return [None] * len(part)
    return [None if error else _share(trait, counts) for counts, error in part.mask_counts(column)]


def _share(trait: Trait, masks: Mapping[str, int]) -> Value:
    total = sum(masks.values())
    return sum(count for mask, count in masks.items() if trait.has(mask)) / total if total else None


def _measure(trait: Trait, column: ColumnProfile) -> SuggestionMetric:
    return SuggestionMetric(lambda part: shares(trait, column, part), lambda sample: _of_sample(trait, sample))


def _of_sample(trait: Trait, sample: ColumnSample) -> Value:
    texts = sample.present.tolist()
    return sum(trait.has(mask_of(text, longest=None)) for text in texts) / len(texts) if texts else None


def _known_shares(trait: Trait, column: ColumnProfile, part: HistorySlice) -> list[float]:
    """The shares of all partitions that have texts; [] where one of them is not known, and for few texts."""
    if column.column.base_type not in TEXT:
        return []
    filled = [
        float(share or 0) * rows for share, rows in zip(part.each(column, "completeness"), part.rows, strict=True)
    ]
    found = [float(share) for share in shares(trait, column, part) if share is not None]
    return found if len(found) == sum(map(bool, filled)) and sum(filled) >= LEAST_TEXTS else []


def _without(trait: Trait, column: ColumnProfile, part: HistorySlice) -> bool:
    """Whether there are texts that do not have it."""
    return min(_known_shares(trait, column, part), default=1.0) < 1


def _always(trait: Trait, column: ColumnProfile, part: HistorySlice, words: str) -> SuggestionCandidate | None:
    name = column.column.name
    predicate = f"{quote(name)} IS NULL OR {trait.condition(name)['predicate']}"
    if min(_known_shares(trait, column, part), default=0.0) < 1 or not is_valid_predicate(predicate):
        return None
    said, slug = f"{name} {words}", f"{name}-{trait.name.replace('_', '-')}"
    return SuggestionCandidate(
        kind=trait.name,
        sentence=said,
        expression=predicate,
        patch={"quality": check(slug, said, "conformity", compliance(predicate, at_least=1))},
        measure=_measure(trait, column),
        assertion=Assertion("mustBeGreaterOrEqualTo", 1),
        limits=(1, None),
    )


@dataclass(frozen=True)
class TraitShare:
    """The suggestion that the share of a column's texts with a trait stays about where it was."""

    trait: Trait

    @property
    def kind(self) -> str:
        """The kind of suggestion."""
        return f"{self.trait.name}_share"

    def propose(self, column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
        """Between the lowest and the highest so far, and so many times their distance beyond; None where that is no
        limit between 0 and 1."""
        found = limits(_known_shares(self.trait, column, part), margin, edited(part))
        kept = _breakable(found) if found else (None, None)
        assertion, name = limits_assertion(kept), column.column.name
        made = self.trait.condition(name)
        if assertion is None or not is_valid_predicate(made["predicate"]):
            return None
        words = f"{_limits_text(kept)} of {name} {self.trait.words}"
        limit = {"analyzer": "implication", **made, assertion.operator: document_limit(assertion.limit)}
        return SuggestionCandidate(
            kind=self.kind,
            sentence=words,
            expression=f"{made['predicate']} for {_limits_text(kept)}",
            patch={"quality": check(f"{name}-{self.kind.replace('_', '-')}", words, "conformity", limit)},
            measure=_measure(self.trait, column),
            assertion=assertion,
            severity="warning",
            limits=kept,
            drops=True,
        )


def _breakable(found: Limits) -> Limits:
    """The limits that a share can break."""
    low, high = found
    return (None if low is None or low <= 0 else low), (None if high is None or high >= 1 else high)


def _limits_text(kept: Limits) -> str:
    low, high = kept
    if low is not None and high is not None:
        return f"between {low:.1%} and {high:.1%}"
    return f"at least {low:.1%}" if low is not None else f"at most {high:.1%}"


for _share_of in map(TraitShare, TRAITS):
    add(
        COLUMN_SUGGESTIONS,
        SuggestionKind(name=_share_of.kind, propose=_share_of.propose, margins=MARGINS, safety=SAFETY, over_time=True),
    )
