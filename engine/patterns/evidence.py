"""Evidence of a suggested pattern: conforming values, all others, the lake's data and neighboring patterns."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from treaty.engine.patterns.candidates import matcher
from treaty.engine.patterns.contract_checks import options
from treaty.engine.patterns.fmdv import (
    VARIANTS,
    InferredPattern,
    Objective,
    PatternSegment,
    familiar_share,
    infer_domain,
    laid_out,
)
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.inference import PatternResult
from treaty.engine.patterns.lake_sums import sample_evenly
from treaty.engine.patterns.language.tokenizer import LONGEST
from treaty.engine.patterns.named_domains import domain_of

SHOWN = 10
MOST_BAD = 100
CUT = 64


@dataclass(frozen=True)
class Neighbour:
    """A narrower or wider pattern of the same values.

    `columns`: columns of the lake with it. `fpr`: their mean impurity. `alarms`: share of them with a false alarm in
    the replay."""

    text: str
    columns: int
    fpr: float
    alarms: float


def neighbours(values: Sequence[str], index: PatternIndex) -> tuple[Neighbour, ...]:
    """Return the lake's narrowest, safest and purest (the paper's) patterns of these values.

    Each once, the narrowest first."""
    variants = (replace(VARIANTS["union"], r=1.0, m=index.least_columns, objective=each) for each in Objective)
    patterns = [
        each for limits in variants if isinstance(each := infer_domain(values, index.sums, limits), InferredPattern)
    ]
    unique = {each.pattern.text: each for each in sorted(patterns, key=lambda each: each.columns)}
    return tuple(Neighbour(text, each.columns, each.fpr, each.alarms) for text, each in unique.items())


def evidence(
    values: Sequence[str | None], result: PatternResult, index: PatternIndex, *, secret: bool
) -> Mapping[str, Any]:
    """Return the evidence as plain data. `secret`: no value is shown, as for a classified column."""
    texts = [value for value in values if value is not None]
    domain = domain_of(texts)
    return {
        **_promised(result),
        "reason": result.reason,
        "lake": _of_lake(texts, index),
        "domain": domain.name if domain else None,
        "format": domain.format if domain else None,
        "values": {} if secret else _values(texts, result),
        "neighbours": [] if secret else [asdict(each) for each in neighbours(texts, index)],
    }


def _of_lake(texts: Sequence[str], index: PatternIndex) -> dict[str, Any]:
    """Return the size of the lake, and the share of values that resemble it."""
    short = [each[: LONGEST + 1] for each in texts]
    share = familiar_share(laid_out(short), index.sums, index.least_columns)
    return {"columns": index.sums.size, "least_columns": index.least_columns, "familiar_share": round(share, 4)}


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
    good, bad = ([value for value in distinct if bool(match(value)) is conforms] for conforms in (True, False))
    return {"conforming": list(map(_cut, sample_evenly(good, SHOWN))), "others": list(map(_cut, bad[:MOST_BAD]))}


def _cut(value: str) -> str:
    return value if len(value) <= CUT else f"{value[:CUT]}…"
