"""Suggest checks on text traits (`treaty.engine.profile.text_traits`): shared by all texts, or with a stable share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import TEXT
from treaty.engine.components.text_masks import LONGEST
from treaty.engine.core.number_format import percentage
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
    of_rows,
)
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.kinds.metric_bands import document_limit, edited, limits_assertion
from treaty.engine.suggestions.tolerances import MARGINS, SAFETY, Limits, limits

# Set by hand: with fewer texts, common traits may be chance.
LEAST_TEXTS = 100
# The kind that suggests the opposite of a trait, and the trait that implies it of texts with letters: what every text
# with a capital has in common is no news of texts in upper case.
OPPOSITES = {"upper_case": "has_small_letter", "lower_case": "has_capital"}
IMPLYING = {"has_small_letter": "lower_case", "has_capital": "upper_case"}


@of_column()
def trimmed(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no text begins or ends with a space."""
    return _always(TRIMMED, column, part, "has no leading or trailing spaces")


@of_column()
def upper_case(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no text has a small letter, if there are letters."""
    return _always(UPPER, column, part, "is in upper case") if _without(LOWER, column, part) else None


@of_column()
def lower_case(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no text has a capital letter, if there are letters."""
    return _always(LOWER, column, part, "is in lower case") if _without(UPPER, column, part) else None


@of_column()
def has_small_letter(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that every text has a small letter."""
    return _never(UPPER, column, part, "always has a small letter")


@of_column()
def has_capital(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that every text has a capital letter."""
    return _never(LOWER, column, part, "always has a capital letter")


def shares(trait: Trait, column: ColumnProfile, part: HistorySlice) -> Sequence[Value]:
    """Return the share of each partition's texts with the trait; None without texts or if unknown."""
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
    """Return the shares of all partitions with texts; [] if one is unknown or texts are few."""
    if column.column.base_type not in TEXT:
        return []
    filled = [
        float(share or 0) * rows for share, rows in zip(part.each(column, "completeness"), part.rows, strict=True)
    ]
    known_shares = [float(share) for share in shares(trait, column, part) if share is not None]
    return known_shares if len(known_shares) == sum(map(bool, filled)) and sum(filled) >= LEAST_TEXTS else []


def _without(trait: Trait, column: ColumnProfile, part: HistorySlice) -> bool:
    """Return True if some texts do not have the trait."""
    return min(_known_shares(trait, column, part), default=1.0) < 1


def _always(trait: Trait, column: ColumnProfile, part: HistorySlice, words: str) -> SuggestionCandidate | None:
    if min(_known_shares(trait, column, part), default=0.0) < 1 or not is_valid_predicate(_or_missing(trait, column)):
        return None
    return _of_trait(trait, column, words, 1)


def _or_missing(trait: Trait, column: ColumnProfile) -> str:
    name = column.column.name
    return f"{quote(name)} IS NULL OR {trait.condition(name)['predicate']}"


def _of_trait(trait: Trait, column: ColumnProfile, words: str, least: float) -> SuggestionCandidate:
    predicate, slug = _or_missing(trait, column), f"{column.column.name}-{trait.name.replace('_', '-')}"
    sentence = of_rows(f"{column.column.name} {words}", least)
    return SuggestionCandidate(
        kind=trait.name,
        sentence=sentence,
        expression=of_rows(predicate, least),
        patch={"quality": check(slug, sentence, "conformity", compliance(predicate, at_least=least))},
        measure=_measure(trait, column),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        relaxed=partial(_of_trait, trait, column, words),
    )


def _never(trait: Trait, column: ColumnProfile, part: HistorySlice, words: str) -> SuggestionCandidate | None:
    if max(_known_shares(trait, column, part), default=1.0) > 0 or not is_valid_predicate(_or_missing(trait, column)):
        return None
    return _without_trait(trait, column, words, 1)


def _without_trait(trait: Trait, column: ColumnProfile, words: str, least: float) -> SuggestionCandidate:
    name = column.column.name
    predicate = f"{quote(name)} IS NULL OR NOT {trait.condition(name)['predicate']}"
    sentence, slug = of_rows(f"{name} {words}", least), f"{name}-not-{trait.name.replace('_', '-')}"
    return SuggestionCandidate(
        kind=OPPOSITES[trait.name],
        sentence=sentence,
        expression=of_rows(predicate, least),
        patch={"quality": check(slug, sentence, "conformity", compliance(predicate, at_least=least))},
        measure=SuggestionMetric(
            lambda part: [_rest(share) for share in shares(trait, column, part)],
            lambda sample: _rest(_of_sample(trait, sample)),
        ),
        assertion=Assertion("mustBeGreaterOrEqualTo", least),
        limits=(least, None),
        relaxed=partial(_without_trait, trait, column, words),
        implied_by=frozenset({IMPLYING[OPPOSITES[trait.name]]}),
    )


def _rest(share: Value) -> Value:
    return None if share is None else 1 - float(share)


@dataclass(frozen=True)
class TraitShare:
    """A suggestion that the share of texts with a trait stays within its past range."""

    trait: Trait

    @property
    def kind(self) -> str:
        """Return the kind of suggestion."""
        return f"{self.trait.name}_share"

    def propose(self, column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
        """Suggest the past range, widened by `margin` times its width; None without a bound between 0 and 1."""
        bounds = limits(_known_shares(self.trait, column, part), margin, edited(part))
        effective_bounds = _breakable(bounds) if bounds else (None, None)
        assertion, name = limits_assertion(effective_bounds), column.column.name
        condition = self.trait.condition(name)
        if assertion is None or not is_valid_predicate(condition["predicate"]):
            return None
        words = f"{_limits_text(effective_bounds)} of {name} {self.trait.words}"
        limit = {"analyzer": "implication", **condition, assertion.operator: document_limit(assertion.limit)}
        return SuggestionCandidate(
            kind=self.kind,
            sentence=words,
            expression=f"{condition['predicate']} for {_limits_text(effective_bounds)}",
            patch={"quality": check(f"{name}-{self.kind.replace('_', '-')}", words, "conformity", limit)},
            measure=_measure(self.trait, column),
            assertion=assertion,
            severity="warning",
            limits=effective_bounds,
            drops=True,
        )


def _breakable(limits: Limits) -> Limits:
    """Return the bounds that a share can violate."""
    low, high = limits
    return (None if low is None or low <= 0 else low), (None if high is None or high >= 1 else high)


def _limits_text(limits: Limits) -> str:
    low, high = limits
    if low is not None and high is not None:
        return f"between {percentage(low)} and {percentage(high)}"
    return f"at least {percentage(low)}" if low is not None else f"at most {percentage(high or 0.0)}"


for _share_of in map(TraitShare, TRAITS):
    add(
        COLUMN_SUGGESTIONS,
        SuggestionKind(
            name=_share_of.kind,
            propose=_share_of.propose,
            margins=MARGINS,
            safety=SAFETY,
            over_time=True,
            summary=f"the share of texts that {_share_of.trait.words} stays within its past range",
        ),
    )
