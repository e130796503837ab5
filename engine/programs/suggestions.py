"""Suggest program clauses as checks of a contract, from measurements of past partitions.

Clauses use statistics that an analyzer measures, so a new partition is evaluated on its own states, and on those of
earlier partitions if a clause compares with them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import cached_property
from typing import Any

import numpy

from treaty.contracts.assertions import ANOMALIES
from treaty.contracts.editing.check_entry import check
from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.nulls import MeanCompleteness
from treaty.engine.components.sketches import DistinctSketch
from treaty.engine.core.learning_options import PINNED, PROGRAMS, ProgramOptions
from treaty.engine.programs import explanations
from treaty.engine.programs.analyzer_mapping import MEASURES, ROWS
from treaty.engine.programs.backtest import Backtest
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.limits import outward
from treaty.engine.programs.program import Clause, ColumnProgram
from treaty.engine.programs.recipe import RECIPE, Recipe
from treaty.engine.programs.table_budget import TableGuard, Target, label
from treaty.engine.programs.table_programs import TableProgram, completeness_history, fit_table
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS
from treaty.engine.statistics.summaries import NumberSummary, Summary, TextSummary

# Programs of fewer batches only warn: more clean ones alarm than the budget says (measured with 14).
TRUSTED = 21
# Up to this many distinct values a sketch counts as exact, because it gives equal results for equal sets: chosen by
# hand.
MOST_EXACT = 10_000
# Number of programs refitted per table in a backtest, and the range per column: about two seconds, chosen by hand.
PROGRAMS_REFITTED, REFITS = 300, (3, 10)
KIND = "program"

IN_CONTRACTS = replace(RECIPE, excluded_guards=frozenset(STATISTICS) - MEASURES.keys())


@dataclass(frozen=True, kw_only=True)
class TableHistory:
    """History of a table's partitions: by segment, each oldest first.

    - `values`: by column and statistic one value per partition; None if missing.
    - `texts`: columns whose values are texts.
    - `samples`: values of the newest partition, for injecting issues.
    - `excluded_partitions`: partitions of an incident, from which nothing is learned.
    - `distance_parts`: by column the inputs of distances, one mapping per partition."""

    names: tuple[str, ...]
    times: tuple[datetime, ...]
    rows: tuple[int, ...]
    values: Mapping[str, Mapping[str, Sequence[float | None]]]
    texts: frozenset[str]
    samples: Mapping[str, ColumnValues]
    excluded_partitions: frozenset[str] = frozenset()
    distance_parts: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    @cached_property
    def histories(self) -> dict[str, ColumnHistory]:
        """Return the history of each column."""
        return {column: self._history(column) for column in self.values}

    def _history(self, column: str) -> ColumnHistory:
        statistics = {"row_count": self.rows, **self.values[column]}
        distances = self.distance_parts.get(column) or [{}] * len(self.names)
        summaries = [
            _summary(
                {name: each[at] for name, each in statistics.items()}, is_text=column in self.texts, **distances[at]
            )
            for at in range(len(self.names))
        ]
        rows = zip(self.names, summaries, self.times, strict=True)
        batches = tuple(Batch(name, each, time, name in self.excluded_partitions) for name, each, time in rows)
        series = {
            name: _series(statistics[name]) if name in statistics else _nothing(len(self.names)) for name in STATISTICS
        }
        return ColumnHistory(batches, series | (ColumnHistory(batches).distances() if self.distance_parts else {}))


def _series(values: Sequence[float | None]) -> Any:
    return numpy.array([numpy.nan if each is None else float(each) for each in values])


def _nothing(points: int) -> Any:
    return numpy.full(points, numpy.nan)


def _summary(of: Mapping[str, float | None], *, is_text: bool, **distinct_count: Any) -> Summary:
    """Build a column summary with what floors and distances need."""
    rows = int(of["row_count"] or 0)
    present = round((of.get("complete_ratio") or 0.0) * rows)
    distinct = of.get("distinct_count")
    guessed = DistinctSketch.deviation(distinct) if distinct and distinct > MOST_EXACT else 0.0
    if is_text:
        return TextSummary(
            rows=rows,
            present=present,
            distinct=distinct,
            length=(of.get("mean_length") or 0.0) * present,
            guessed=guessed,
            **distinct_count,
        )
    spread = of.get("standard_deviation") or 0.0
    moments = (present, of.get("mean") or 0.0, spread * spread * present)
    return NumberSummary(
        rows=rows, moments=moments, curve=distinct_count.get("curve"), distinct=distinct, guessed=guessed
    )


def programs(measured: TableHistory, options: ProgramOptions, recipe: Recipe = IN_CONTRACTS) -> TableProgram:
    """Fit the programs of the table's columns."""
    each = replace(recipe, bound=options.bound, most=options.clauses)
    seed = _backtest_length(len(measured.values))
    return fit_table(measured.histories, measured.samples, options.false_alarms, each, seed)


def _backtest_length(columns: int) -> int:
    """Return the number of newest partitions to backtest, given the number of columns."""
    least, most = REFITS
    return min(most, max(least, PROGRAMS_REFITTED // max(1, columns)))


def suggestions(measured: TableHistory, object_name: str, options: ProgramOptions = PROGRAMS) -> list[dict[str, Any]]:
    """Return a suggestion for each clause, with its evidence; empty while there is too little history."""
    return suggested_clauses(programs(measured, options), measured, object_name, options.refit)


def suggested_clauses(
    programs_of_table: TableProgram, measured: TableHistory, object_name: str, refit: str = PINNED
) -> list[dict[str, Any]]:
    """Return a suggestion for each clause of the programs."""
    histories = measured.histories
    suggested = [
        _suggested(target, clause, programs_of_table, measured, histories, object_name)
        for target, clause in _clauses(programs_of_table)
    ]
    return suggested if refit == PINNED else [_refitted(each, refit) for each in suggested]


def _refitted(suggestion: Mapping[str, Any], refit: str) -> dict[str, Any]:
    entry = suggestion["patch"]["quality"]
    limit = {**entry["implementation"][ANOMALIES], "refit": refit}
    return {
        **suggestion,
        "patch": {"quality": {**entry, "implementation": {**entry["implementation"], ANOMALIES: limit}}},
    }


def _clauses(table_program: TableProgram) -> Iterator[tuple[Target, Clause]]:
    yield from table_program.guards.items()
    for column, program in table_program.columns.items():
        if isinstance(program, ColumnProgram):
            yield from ((column, clause) for clause in program.clauses)


def _suggested(
    target: Target,
    clause: Clause,
    program: TableProgram,
    measured: TableHistory,
    histories: Mapping[str, ColumnHistory],
    object_name: str,
) -> dict[str, Any]:
    history = _history(target, program, histories)
    column, subject = None if isinstance(target, TableGuard) else target, label(target)
    guessed, segments = history.newest.guessed if history.newest else 0.0, len(history.segments)
    sentence = explanations.sentence(clause, guessed, segments)
    tested = program.tested.get(target, Backtest())
    words = f"{subject}: {sentence.split(';')[0]}"
    entry = _entry(target, _analyzer(target, clause, program), clause, words, segments)
    return {
        "id": short_fingerprint([object_name, KIND, entry["id"]]),
        "kind": KIND,
        "object": object_name,
        "column": column,
        "sentence": "; ".join(filter(None, (f"{subject}: {sentence}", explanations.backtest_sentence(tested)))),
        "expression": words,
        "severity": entry["severity"],
        "patch": {"quality": entry},
        "evidence": _evidence(column, clause, program, measured, history) | _back_test(tested),
    }


def _history(target: Target, program: TableProgram, histories: Mapping[str, ColumnHistory]) -> ColumnHistory:
    if target is TableGuard.COMPLETENESS:
        return completeness_history([histories[name] for name in program.complete_columns])
    return next(iter(histories.values())) if isinstance(target, TableGuard) else histories[target]


def _entry(target: Target, analyzer: Analyzer, clause: Clause, words: str, segments: int) -> dict[str, Any]:
    arguments = analyzer.arguments()
    name = "table" if isinstance(target, TableGuard) else target
    identity = f"{name}-program-{clause.statistic}{_suffix(clause)}"
    implementation = {"analyzer": analyzer.name, **arguments, ANOMALIES: _limit(label(target), clause)}
    severity = "error" if clause.points >= TRUSTED * segments else "warning"
    return {**check(identity, words, "consistency", implementation), "severity": severity}


def _analyzer(target: Target, clause: Clause, program: TableProgram) -> Analyzer:
    if target is TableGuard.COMPLETENESS:
        return MeanCompleteness(columns=program.complete_columns)
    return ROWS if isinstance(target, TableGuard) else MEASURES[clause.statistic](target)


def _suffix(clause: Clause) -> str:
    return f"-{'ratio' if clause.change.logged else 'step'}-{clause.change.lag}" if clause.change.lag else ""


def _limit(subject: str, clause: Clause) -> dict[str, Any]:
    """Return the limit in a contract: the detector `program` with the learned parameters."""
    change = clause.change
    transform = {"lag": change.lag or None, "lag_unit": change.unit, "logged": change.logged or None}
    edges = {"lower": outward(clause.lower, ROUND_FLOOR), "upper": outward(clause.upper, ROUND_CEILING)}
    # The widest guard does not depend on the spread: it has no width.
    learned = {"rate": outward(clause.rate, ROUND_CEILING), "points": clause.points, "width": clause.width or None}
    limit = {"detector": "program", "of": subject, **transform, **edges, **learned}
    return {name: value for name, value in limit.items() if value is not None}


def _evidence(
    column: str | None, clause: Clause, table_program: TableProgram, measured: TableHistory, history: ColumnHistory
) -> dict[str, Any]:
    values = history.series[clause.statistic]
    names = [batch.name for batch in history.learned]
    transformed = clause.change.series(values, history.positions(clause.change.unit))
    failed = _failed(clause, names, transformed)
    program = table_program.columns.get(column) if column else None
    caught = program.caught if isinstance(program, ColumnProgram) else {}
    return {
        "rows": sum(measured.rows),
        "partitions": clause.points,
        "held": clause.points - len(failed),
        "failed_on": failed,
        "learned_on": clause.points,
        "history": [[name, _finite(value)] for name, value in zip(names, transformed.tolist(), strict=True)],
        "limits": [clause.lower, clause.upper],
        "details": {**_details(clause, table_program, program), "set_aside": list(history.aside)},
        "since": None,
        "margin": round(clause.width, 4),
        "holds": round(1 - clause.rate, 4),
        "catches": round(clause.caught, 4),
        "issues": sorted(name for name, (hits, _) in caught.items() if hits),
        "worth": round(clause.gain, 4),
        "counter_examples": [],
        "split_by": "time",
    }  # fmt: skip


def _back_test(tested: Backtest) -> dict[str, Any]:
    evidence = {"judged_on": len(tested.evaluated)}
    return {**evidence, "back_test": list(tested.alarms)} if tested.evaluated else evidence


def _details(clause: Clause, table_program: TableProgram, program: Any) -> dict[str, Any]:
    details = {"gain": round(clause.gain, 4), "guard": clause.guard, "table_rate": round(table_program.rate, 6)}
    if not isinstance(program, ColumnProgram):
        return {**details, "table_budget": table_program.budget}
    return {
        **details,
        "table_budget": table_program.budget,
        "bound": program.bound,
        "program_rate": round(program.rate, 6),
    }


def _failed(clause: Clause, names: Iterable[str], values: Any) -> list[str]:
    pairs = zip(names, values.tolist(), strict=True)
    return [name for name, value in pairs if numpy.isfinite(value) and not clause.holds(value)]


def _finite(value: float) -> float | None:
    return float(value) if numpy.isfinite(value) else None
