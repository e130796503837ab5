"""What an owner is shown of a promise: values that keep it and all that do not, what the lake says, its neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from treaty.engine.patterns.candidates import matcher
from treaty.engine.patterns.contract_checks import options
from treaty.engine.patterns.fmdv import VARIANTS, InferredPattern, Objective, PatternSegment, infer_domain
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.inference import PatternResult
from treaty.engine.patterns.lake_sums import sample_evenly
from treaty.engine.patterns.named_domains import domain_of

SHOWN = 10
MOST_BAD = 100
CUT = 64


@dataclass(frozen=True)
class Neighbour:
    """A narrower or wider pattern of the same values: in how many columns it is, how impure they are on average, and
    what share of them would have raised a false alarm."""

    text: str
    columns: int
    fpr: float
    alarms: float


def neighbours(values: Sequence[str], index: PatternIndex) -> tuple[Neighbour, ...]:
    """The narrowest, the safest and the paper's own choice of patterns that the lake knows of these values, the
    narrowest first; each once."""
    asked = (replace(VARIANTS["union"], r=1.0, m=index.least_columns, objective=each) for each in Objective)
    found = [each for limits in asked if isinstance(each := infer_domain(values, index.sums, limits), InferredPattern)]
    unique = {each.pattern.text: each for each in sorted(found, key=lambda each: each.columns)}
    return tuple(Neighbour(text, each.columns, each.fpr, each.alarms) for text, each in unique.items())


def evidence(
    values: Sequence[str | None], result: PatternResult, index: PatternIndex, *, secret: bool
) -> Mapping[str, Any]:
    """What is known, as plain data. `secret`: no value is shown, as of a classified column."""
    texts = [value for value in values if value is not None]
    domain = domain_of(texts)
    return {
        **_promised(result),
        "reason": result.reason,
        "domain": domain.name if domain else None,
        "format": domain.format if domain else None,
        "values": {} if secret else _values(texts, result),
        "neighbours": [] if secret else [asdict(each) for each in neighbours(texts, index)],
    }


def _promised(result: PatternResult) -> dict[str, Any]:
    learned = result.learned
    if learned is None:
        return {"pattern": None}
    segments: tuple[PatternSegment, ...] = learned.inferred.segments if learned.inferred else ()
    return {
        "pattern": learned.pattern.text,
        "regex": learned.pattern.regex,
        "kind": learned.family,
        "learned": {"bad": learned.trained.bad, "of": learned.trained.of},
        "floor": learned.floor,
        "false_alarms": result.alarms,
        "passes": result.passes,
        "detectable_share": result.detectable,
        "segments": [asdict(each) for each in segments],
        "logicalTypeOptions": options(learned),
    }


def _values(texts: Sequence[str], result: PatternResult) -> dict[str, list[str]]:
    if result.learned is None:
        return {}
    match = matcher(result.learned.pattern)
    distinct = list(dict.fromkeys(texts))
    good, bad = ([value for value in distinct if bool(match(value)) is wanted] for wanted in (True, False))
    return {"conforming": list(map(_cut, sample_evenly(good, SHOWN))), "others": list(map(_cut, bad[:MOST_BAD]))}


def _cut(value: str) -> str:
    return value if len(value) <= CUT else f"{value[:CUT]}…"
