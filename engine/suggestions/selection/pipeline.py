"""Turn a history into ranked suggestions that held on newer partitions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import TableProfile, plain
from treaty.engine.suggestions.candidates import SuggestionCandidate
from treaty.engine.suggestions.keys.candidates import KeyNames
from treaty.engine.suggestions.keys.model import KEY_KINDS, KeyNameModel, shipped
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate, holdout_candidates, learned_of
from treaty.engine.suggestions.selection.issue_detection import trials
from treaty.engine.suggestions.selection.ranking import RankedCandidate, rank_candidates
from treaty.engine.suggestions.selection.severities import borne

NO_SAMPLES: Mapping[str, Sequence[Any]] = {}
MOST_COUNTER_EXAMPLES = 5


def suggest(
    history: TableProfile,
    object_name: str,
    *,
    samples: Mapping[str, Sequence[Any]] = NO_SAMPLES,
    over_time: bool = True,
    candidates: Sequence[HoldoutCandidate] = (),
    model: KeyNameModel | None = None,
) -> list[dict[str, Any]]:
    """Return every suggestion that held on newer partitions, with evidence, best first.

    An optional one adds little to the others of its column. `samples`: values of columns, one per row in the same
    order, into which the ten common issues are injected; columns without values get values generated from states.
    No values are stored. `over_time`: partitions are ordered in time; otherwise they are parts of one table, split
    by a hash. `candidates`: other candidates that held, ranked with these. `model`: predicts keys from names; None
    means the shipped one."""
    ranked = worthy(history, object_name, samples=samples, over_time=over_time, candidates=candidates, model=model)
    split = "time" if over_time else "rows"
    return [_as_data(each, object_name, split) for each in ranked]


def worthy(
    history: TableProfile,
    object_name: str,
    *,
    samples: Mapping[str, Sequence[Any]] = NO_SAMPLES,
    over_time: bool = True,
    candidates: Iterable[HoldoutCandidate] = (),
    model: KeyNameModel | None = None,
) -> list[RankedCandidate]:
    """Return the ranked candidates that `suggest` returns as data."""
    keys = KeyNames(object_name, model or shipped())
    column_candidates = _promised(holdout_candidates(history, over_time=over_time), history, keys)
    every = [*column_candidates, *candidates]
    severe = [each for each in map(borne, every) if each] if over_time else every
    return rank_candidates(severe, trials(HistorySlice.of(history), samples))


def _promised(
    candidates: Iterable[HoldoutCandidate], history: TableProfile, keys: KeyNames
) -> Iterator[HoldoutCandidate]:
    """Yield the candidates, with the name-based probability added to keys.

    A key that was not counted exactly, or that may hold by chance, is dropped unless its name suggests a key. No
    true key that was counted is lost."""
    for each in candidates:
        if each.column is None or each.candidate.kind not in KEY_KINDS:
            yield each
        elif (likely := keys.likely(each.column, history)).suggested or _is_sure(each.candidate):
            named = replace(each.candidate, likely=round(likely.probability, 4), likely_by=keys.model.title)
            yield replace(each, candidate=named)


def _is_sure(candidate: SuggestionCandidate) -> bool:
    return candidate.confirmed and not candidate.by_chance


def _as_data(each: RankedCandidate, object_name: str, split_by: str) -> dict[str, Any]:
    candidate, name = each.holdout.candidate, each.holdout.column_name
    return {
        "id": short_fingerprint([object_name, candidate.kind, name]),
        "kind": candidate.kind,
        "object": object_name,
        "column": name,
        "sentence": candidate.sentence,
        "expression": candidate.expression,
        "severity": candidate.severity,
        "optional": each.optional,
        "patch": _with_severity(candidate),
        "evidence": {**_evidence(each), "split_by": split_by},
    }


def _with_severity(candidate: SuggestionCandidate) -> dict[str, Any]:
    quality = candidate.patch.get("quality")
    return {"quality": {**quality, "severity": candidate.severity}} if quality else dict(candidate.patch)


def _evidence(each: RankedCandidate) -> dict[str, Any]:
    candidate, part = each.holdout.candidate, each.holdout.part
    split = learned_of(len(part))
    values = zip(part.names, candidate.measure.of_part(part), strict=True)
    measured = [(name, value) for name, value in values if value is not None]
    failed = [name for name, value in measured if not candidate.assertion.holds(value)]
    return {
        "rows": sum(part.rows),
        "partitions": len(measured),
        "held": len(measured) - len(failed),
        "failed_on": failed,
        "learned_on": split,
        "judged_on": len(part) - split,
        "history": [[name, plain(value)] for name, value in measured],
        "limits": [None if limit is None else plain(limit) for limit in candidate.limits],
        "details": dict(candidate.details),
        "since": part.names[0] if part.start else None,
        "margin": each.holdout.margin,
        "holds": round(each.holds, 4),
        "likely": candidate.likely,
        "likely_by": candidate.likely_by,
        "confirmed": candidate.confirmed,
        "catches": None if each.caught is None else round(each.caught.share, 4),
        "issues": [] if each.caught is None else list(each.caught.names),
        "worth": round(each.worth, 4),
        "counter_examples": list(candidate.counter(part))[:MOST_COUNTER_EXAMPLES] if candidate.counter else [],
    }
