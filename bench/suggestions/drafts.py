"""Evaluate drafts on real tables: learned on the first 60 % of the snapshots, tested on the rest.

Two figures, compared with those of Deequ's static rules on the same data: the share of suggested checks that hold on
every clean later snapshot, and the share of the ten common issues (AVH, Appendix B), injected into clean later
snapshots, that some check catches. `--within` tests within the training data alone, to choose thresholds."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import numpy

from bench.core import recurring
from bench.suggestions.draft_deequ import static_checks
from bench.suggestions.draft_states import history
from bench.suggestions.draft_tables import Table, tables
from treaty.engine.programs.injected_issues import variations
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.selection.pipeline import worthy
from treaty.engine.suggestions.selection.ranking import RankedCandidate

GOALS = {"held": 0.975, "caught": 0.85}
INJECTED = 3
SEED = 7


@dataclass(frozen=True)
class Check:
    """A check of a column (None: of the table). `breaks`: True if a snapshot's values violate it."""

    name: str
    column: str | None
    breaks: Callable[[ColumnSample], bool]


@dataclass
class Tally:
    """The results of one drafting method."""

    checks: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    injected: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)

    @property
    def held_share(self) -> float:
        """Return the share of checks that held on every clean later snapshot."""
        return 1 - len(self.broken) / max(1, self.checks.total())

    @property
    def share(self) -> float:
        """Return the share of issues that were caught."""
        return self.caught.total() / max(1, self.injected.total())


def drafted(table: Table) -> list[Check]:
    """Return the checks that Treaty suggests."""
    split = table.split
    named = table.name.rpartition("/")[2]
    profiled = history(table.types, table.days[:split], table.snapshots[:split], named)
    newest = {name: values.tolist() for name, values in table.snapshots[split - 1].items()}
    return [_check(each) for each in worthy(profiled, named, samples=newest) if not each.optional]


def _check(each: RankedCandidate) -> Check:
    candidate = each.holdout.candidate

    def breaks(sample: ColumnSample) -> bool:
        value = candidate.measure.of_sample(sample)
        return value is not None and not candidate.assertion.holds(value)

    return Check(candidate.kind, each.holdout.column_name, breaks)


def judge(table: Table, checks: Sequence[Check], tally: Tally) -> None:
    """Test the checks on later snapshots and on injected issues.

    The results are added to the tally."""
    for each in checks:
        outcomes = {day: each.breaks(_sample(snapshot, each.column)) for day, snapshot in table.later(each.column)}
        failed = [day for day, breaks in outcomes.items() if breaks]
        tally.checks[each.name] += bool(outcomes)
        if failed:
            tally.broken.append(f"{table.name} {each.column or ''} {each.name}: {len(failed)} days, first {failed[0]}")
    by_column = defaultdict(list)
    for each in checks:
        by_column[each.column].append(each)
    for name in table.types:
        _inject(table, name, [*by_column[name], *by_column[None]], tally)


def _sample(snapshot: Mapping[str, Any], name: str | None) -> ColumnSample:
    return ColumnSample(snapshot[name] if name is not None else next(iter(snapshot.values())))


def _inject(table: Table, name: str, checks: Sequence[Check], tally: Tally) -> None:
    clean = list(table.later(name))
    for at in numpy.unique(numpy.linspace(0, len(clean) - 1, INJECTED).round().astype(int)) if clean else ():
        snapshot = clean[at][1]
        usable = [each for each in checks if not each.breaks(_sample(snapshot, name))]
        values = ColumnValues(snapshot[name], _neighbour(snapshot, name))
        for issue in variations(values, numpy.random.default_rng(SEED)):
            word = f"{issue.issue.number:02d} {issue.issue.name}"
            tally.injected[word] += 1
            tally.caught[word] += any(each.breaks(ColumnSample(issue.values)) for each in usable)


def _neighbour(snapshot: Mapping[str, Any], name: str) -> Any:
    names = [each for each in snapshot if snapshot[each].dtype == snapshot[name].dtype]
    return snapshot[names[(names.index(name) + 1) % len(names)]] if len(names) > 1 else None


WAYS: Mapping[str, Callable[[Table], list[Check]]] = {
    "treaty": drafted,
    "deequ, six rules": lambda table: [Check(*each) for each in static_checks(table, extended=False)],
    "deequ, extended": lambda table: [Check(*each) for each in static_checks(table, extended=True)],
}


def report(name: str, tally: Tally, *, verbose: bool) -> Iterator[str]:
    """Yield the figures of one drafting method, in lines."""
    counts_text = f"checks {tally.checks.total():5}  hold {tally.held_share:.3f}  issues {tally.injected.total():6}"
    yield f"{name:20} {counts_text}  caught {tally.share:.3f}"
    if verbose:
        yield "    " + ", ".join(f"{kind} {count}" for kind, count in tally.checks.most_common())
        yield "    caught: " + ", ".join(
            f"{kind} {tally.caught[kind] / count:.2f}" for kind, count in sorted(tally.injected.items())
        )
        yield from (f"    violated: {each}" for each in tally.broken)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the recurring tables")
    parser.add_argument("--snapshots", type=int, default=100)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--within", action="store_true", help="use only the first 60 %% of the snapshots, split again")
    parser.add_argument("--texts", action="store_true", help="numbers stay texts, as in a CSV file without types")
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with recurring.unpacked(options.data) as folder:
        run(folder, options)


def run(folder: Path, options: argparse.Namespace) -> None:
    """Draft and test every table with every method."""
    started, tallies = process_time(), {name: Tally() for name in WAYS}
    spent: Counter[str] = Counter()
    for table in tables(folder, most=options.snapshots, rows=options.rows, texts=options.texts):
        if options.tables and table.name not in options.tables:
            continue
        chosen, alone = table.first(0.6) if options.within else table, {name: Tally() for name in WAYS}
        for name, way in WAYS.items():
            before = process_time()
            checks = way(chosen)
            spent[name] += process_time() - before
            judge(chosen, checks, tallies[name])
            judge(chosen, checks, alone[name])
        print(
            f"{table.name} ({chosen.split} training snapshots, {len(chosen.days) - chosen.split} test snapshots)",
            flush=True,
        )
        print("\n".join(line for name in WAYS for line in report("  " + name, alone[name], verbose=False)), flush=True)
    for name, tally in tallies.items():
        print("\n".join(report(name, tally, verbose=options.verbose)))
        print(f"    drafting {spent[name]:.1f} CPU seconds")
    met = {"held": tallies["treaty"].held_share, "caught": tallies["treaty"].share}
    goal_texts = (
        f"{name} {met[name]:.3f} (goal {goal}: {'met' if met[name] >= goal else 'MISSED'})"
        for name, goal in GOALS.items()
    )
    print("; ".join(goal_texts), f"; {process_time() - started:.0f} CPU seconds in total")


if __name__ == "__main__":
    main()
